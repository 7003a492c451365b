"""The hooks a plugin may implement: one for each kind of thing with ids, and four in the life of a run."""

from collections.abc import Mapping

import pluggy

from skyfall_crl.registry.reference import Ref

PROJECT = "skyfall_crl"
KINDS = (
    "environments",
    "backends",
    "task_views",
    "reward_specs",
    "regime_providers",
    "policies",
    "algorithms",
    "metrics",
    "sinks",
    "run_executors",
    "harness_adapters",
    "config_sections",
    "commands",
)
"""Each kind `k` has the hook `skyfall_crl_k`, which returns `{name: Ref}` and takes nothing."""

LIFECYCLE = (
    "skyfall_crl_run_started",
    "skyfall_crl_window_collected",
    "skyfall_crl_regime_shifted",
    "skyfall_crl_run_finished",
)

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def skyfall_crl_environments() -> Mapping[str, Ref]:
    """Name factories `(**kwargs) -> gymnasium.Env`."""
    return {}


@hookspec
def skyfall_crl_backends() -> Mapping[str, Ref]:
    """Name factories `(**kwargs)` of what an environment talks to."""
    return {}


@hookspec
def skyfall_crl_task_views() -> Mapping[str, Ref]:
    """Name factories `(**kwargs) -> TaskView`."""
    return {}


@hookspec
def skyfall_crl_reward_specs() -> Mapping[str, Ref]:
    """Name factories `(**kwargs) -> RewardSpec`, or the specs themselves."""
    return {}


@hookspec
def skyfall_crl_regime_providers() -> Mapping[str, Ref]:
    """Name factories `(**params)` of what says which regime is in force at a step."""
    return {}


@hookspec
def skyfall_crl_policies() -> Mapping[str, Ref]:
    """Name factories `(**kwargs) -> Policy`."""
    return {}


@hookspec
def skyfall_crl_algorithms() -> Mapping[str, Ref]:
    """Name factories `(policy, **kwargs) -> Algorithm`."""
    return {}


@hookspec
def skyfall_crl_metrics() -> Mapping[str, Ref]:
    """Name factories `(**kwargs) -> Metric`."""
    return {}


@hookspec
def skyfall_crl_sinks() -> Mapping[str, Ref]:
    """Name factories `(**kwargs) -> Sink`."""
    return {}


@hookspec
def skyfall_crl_run_executors() -> Mapping[str, Ref]:
    """Name factories `(**kwargs) -> RunExecutor`."""
    return {}


@hookspec
def skyfall_crl_harness_adapters() -> Mapping[str, Ref]:
    """Name factories `(**kwargs)` of adapters that drive an outside agent."""
    return {}


@hookspec
def skyfall_crl_config_sections() -> Mapping[str, Ref]:
    """Name top-level keys of the run document, each with the pydantic model of what stands under it."""
    return {}


@hookspec
def skyfall_crl_commands() -> Mapping[str, Ref]:
    """Name words of the command line, each with a function `(parser: argparse.ArgumentParser) -> None`.

    The function adds arguments, calls `parser.set_defaults(run=callable)` with a callable that takes the
    parsed arguments and returns an exit code, and imports nothing heavy.
    """
    return {}


@hookspec
def skyfall_crl_run_started(run: Mapping[str, object]) -> None:
    """Hear that a run has started; `run` is its provenance record."""


@hookspec
def skyfall_crl_window_collected(run: Mapping[str, object], window: Mapping[str, object]) -> None:
    """Hear that a window of steps is complete."""


@hookspec
def skyfall_crl_regime_shifted(run: Mapping[str, object], shift: Mapping[str, object]) -> None:
    """Hear that another regime is in force."""


@hookspec
def skyfall_crl_run_finished(
    run: Mapping[str, object], environment: object, policy: object, algorithm: object
) -> None:
    """Hear that a run is over, while its first world's environment, its policy and what trained it are alive.

    `run` is the provenance record with `status`, `step` and the run's `directory`; `algorithm` may be None.
    """
