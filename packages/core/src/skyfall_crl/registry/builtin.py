"""The core's own plugin."""

from collections.abc import Mapping

from skyfall_crl.registry import Ref, hookimpl


@hookimpl
def skyfall_crl_environments() -> Mapping[str, Ref]:
    """Name the worlds that need only numpy."""
    return {
        "contextual-bandit": Ref(
            "skyfall_crl.train.environments.contextual_bandit:ContextualBandit",
            "features, and labels that change",
        )
    }


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
        "heads": Ref(
            "skyfall_crl.train.policies.heads:HeadsPolicy",
            "several networks of which `latent-context` lets one act",
            port,
            check,
        ),
        "scratch": Ref(
            "skyfall_crl.train.policies.scratch:ScratchPolicy",
            "network that is told of boundaries and starts anew, for `scratch`",
            port,
            privileged=True,
        ),
        "sb3-ppo": Ref(
            "skyfall_crl.train.policies.sb3:Sb3Policy", "Stable-Baselines3's network, by the extra sb3", port
        ),
        "sb3-recurrent-ppo": Ref(
            "skyfall_crl.train.policies.sb3:Sb3RecurrentPolicy", "sb3-contrib's LSTM, by the extra sb3", port
        ),
    }


@hookimpl
def skyfall_crl_algorithms() -> Mapping[str, Ref]:
    """Name the learners that need only numpy."""
    port = "skyfall_crl.ports.algorithm:Algorithm"
    check = "skyfall_crl.testing:check_algorithm"
    learners = "skyfall_crl.train.algorithms"
    named = f"{learners}.named"
    return {
        "ppo": Ref(f"{learners}.ppo:PPO", "clipped policy gradient for `mlp`", port, check),
        "reinforce": Ref(f"{learners}.reinforce:Reinforce", "policy gradient for `linear`", port, check),
        "replay": Ref(f"{named}:replay", "PPO beside V-trace and cloning on a reservoir", port, check),
        "ewc": Ref(f"{named}:ewc", "PPO with elastic weights by a running Fisher", port, check),
        "l2-init": Ref(f"{named}:l2_init", "PPO pulled to its first weights", port, check),
        "shrink-perturb": Ref(f"{named}:shrink_perturb", "PPO with shrinking, noisy weights", port, check),
        "continual-backprop": Ref(
            f"{named}:continual_backprop", "PPO that replaces units of little use", port, check
        ),
        "frozen": Ref(f"{learners}.frozen:Frozen", "stops learning, or never starts", port, check),
        "scratch": Ref(
            f"{learners}.scratch:Scratch", "PPO anew at each boundary, for the policy `scratch`", port
        ),
        "latent-context": Ref(
            f"{learners}.latent_context:LatentContext", "a head for each hidden context, for `heads`", port
        ),
        "sb3-ppo": Ref(f"{learners}.sb3:Sb3PPO", "Stable-Baselines3's PPO, by the extra sb3", port),
        "sb3-recurrent-ppo": Ref(
            f"{learners}.sb3:Sb3RecurrentPPO", "sb3-contrib's RecurrentPPO, by the extra sb3", port
        ),
    }


@hookimpl
def skyfall_crl_metrics() -> Mapping[str, Ref]:
    """Name the metrics that see a trace's rows on their own."""
    port = "skyfall_crl.ports.metric:Metric"
    return {
        "matrix": Ref(
            "skyfall_crl.metrics.matrix.metric:MatrixMetric",
            "transfer and forgetting of frozen policies",
            port,
        )
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


@hookimpl
def skyfall_crl_sinks() -> Mapping[str, Ref]:
    """Name the trackers that runs can be followed in."""
    port = "skyfall_crl.ports.sink:Sink"
    return {
        "tensorboard": Ref(
            "skyfall_crl.train.sinks.tensorboard:TensorBoardSink",
            "event files for TensorBoard (extra `tensorboard`)",
            port,
        ),
        "wandb": Ref(
            "skyfall_crl.train.sinks.wandb:WandbSink",
            "Weights & Biases, offline by default (extra `wandb`)",
            port,
        ),
        "mlflow": Ref(
            "skyfall_crl.train.sinks.mlflow:MlflowSink",
            "an MLflow experiment, in files or on a server (extra `mlflow`)",
            port,
        ),
    }
