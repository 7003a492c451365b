"""The core's own plugin."""

from collections.abc import Mapping

from skyfall_crl.registry import Ref, hookimpl


@hookimpl
def skyfall_crl_regime_providers() -> Mapping[str, Ref]:
    """Name what says which regime is in force."""
    port = "skyfall_crl.regime:RegimeProvider"
    check = "skyfall_crl.testing:check_regime_provider"
    return {
        "constant": Ref(
            "skyfall_crl.regime.provider:ConstantRegime", "one regime for the whole run", port, check
        ),
        "scheduled": Ref(
            "skyfall_crl.regime.provider:ScheduledRegime",
            "regimes in turn, by step count",
            port,
            check="skyfall_crl.testing:check_schedule_provider",
        ),
    }


@hookimpl
def skyfall_crl_policies() -> Mapping[str, Ref]:
    """Name the policies that need only numpy."""
    port = "skyfall_crl.ports.policy:Policy"
    check = "skyfall_crl.testing:check_policy"
    return {
        "linear": Ref(
            "skyfall_crl.train.policies.linear:LinearPolicy", "softmax over linear scores", port, check
        ),
        "mlp": Ref(
            "skyfall_crl.train.policies.mlp:MlpPolicy", "small network with a value head", port, check
        ),
        "random": Ref(
            "skyfall_crl.train.policies.random:RandomPolicy", "uniform over allowed actions", port, check
        ),
    }


@hookimpl
def skyfall_crl_algorithms() -> Mapping[str, Ref]:
    """Name the learners that need only numpy."""
    port = "skyfall_crl.ports.algorithm:Algorithm"
    check = "skyfall_crl.testing:check_algorithm"
    return {
        "ppo": Ref("skyfall_crl.train.algorithms.ppo:PPO", "clipped policy gradient for `mlp`", port, check),
        "reinforce": Ref(
            "skyfall_crl.train.algorithms.reinforce:Reinforce", "policy gradient for `linear`", port, check
        ),
    }


@hookimpl
def skyfall_crl_run_executors() -> Mapping[str, Ref]:
    """Name where a run can take place."""
    port = "skyfall_crl.ports.executor:RunExecutor"
    home = "skyfall_crl.study.executor"
    return {
        "local": Ref(f"{home}:LocalExecutor", "this process", port),
        "process": Ref(f"{home}:ProcessExecutor", "a child process for each run", port),
    }
