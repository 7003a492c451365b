"""What this adapter adds to the registry under the prefix `morpheus`; importing it imports nothing heavy."""

from collections.abc import Mapping

from skyfall_crl.registry import Ref, hookimpl

_HERE = "skyfall_crl.env.morpheus"


@hookimpl
def skyfall_crl_environments() -> Mapping[str, Ref]:
    """Name the environments."""
    return {
        "world": Ref(f"{_HERE}.factory:world", "a MORPHEUS world, embedded unless another backend is named"),
        "live": Ref(f"{_HERE}.factory:morpheus_world", "a MORPHEUS world of a live deployment, over HTTP"),
    }


@hookimpl
def skyfall_crl_backends() -> Mapping[str, Ref]:
    """Name what worlds can be driven through."""
    port = f"{_HERE}.ports:MorpheusBackend"
    return {
        "simulated": Ref(
            f"{_HERE}.simulated_backend:SimulatedBackend",
            "embedded worlds in this process",
            port,
        ),
        "http": Ref(
            f"{_HERE}.http.stepped_backend:connect", "a deployment or a served simulator, over HTTP", port
        ),
        "recorded": Ref(
            f"{_HERE}.recorded_backend:RecordedBackend", "a session replayed from its file", port
        ),
    }


@hookimpl
def skyfall_crl_task_views() -> Mapping[str, Ref]:
    """Name the views an agent can work through."""
    port = "skyfall_crl.ports.task_view:TaskView"
    return {
        "tool-call": Ref(f"{_HERE}.taskview:ToolCallTaskView", "the whole surface, as text", port),
        "scheduling-under-drift": Ref(
            f"{_HERE}.taskview:SchedulingUnderDrift", "which queue to work, with which remedy", port
        ),
        "resource-allocation": Ref(
            f"{_HERE}.taskview:ResourceAllocation", "which queue to work; the remedy is given", port
        ),
    }


@hookimpl
def skyfall_crl_reward_specs() -> Mapping[str, Ref]:
    """Name the reward specs."""
    return {
        "paper": Ref(
            f"{_HERE}.reward_specs:PAPER",
            "faults mended .5, flow of money .3, flow of units .2",
            "skyfall_crl.reward:RewardSpec",
        )
    }


@hookimpl
def skyfall_crl_policies() -> Mapping[str, Ref]:
    """Name the reference policies of `scheduling-under-drift`."""
    port = "skyfall_crl.ports.policy:Policy"
    outside, inside = f"{_HERE}.references.outsiders", f"{_HERE}.references.insiders"
    return {
        "do-nothing": Ref(f"{outside}:DoNothing", "lets every step pass", port),
        "hand-rule": Ref(f"{outside}:HandRule", "most urgent first, remedies in order", port),
        "look-then-fix": Ref(f"{outside}:LookThenFix", "looks for the cause before it mends", port),
        "counting-rule": Ref(f"{outside}:CountingRule", "counts which remedies helped, with decay", port),
        "trait-counting-rule": Ref(
            f"{outside}:TraitCounting", "counts which remedies helped what kind of order", port
        ),
        "informed": Ref(
            f"{inside}:Informed", "knows the configuration, not the causes", port, privileged=True
        ),
        "sighted": Ref(f"{inside}:Sighted", "sees every cause", port, privileged=True),
    }


@hookimpl
def skyfall_crl_commands() -> Mapping[str, Ref]:
    """Name the word of the command line."""
    return {
        "morpheus": Ref(f"{_HERE}.command_line:configure", "list, attach, delete and examine live worlds")
    }
