"""Driving an environment with a bundled policy and nothing else: a rollout that never updates, on the run's session."""

import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gymnasium
from threadpoolctl import threadpool_limits

from skyfall_crl.config.schema import EnvSection, PartSection, RegimeSection, RunConfig, RunSection
from skyfall_crl.ports.environment import attribute, capabilities
from skyfall_crl.ports.errors import PolicyError
from skyfall_crl.ports.fanout import FanOut
from skyfall_crl.ports.policy import Policy
from skyfall_crl.regime import ConstantRegime, RegimeProvider
from skyfall_crl.serve.bundle import Bundle
from skyfall_crl.serve.environment import (
    build_provider,
    environment_section,
    given_provider,
    known_keys,
    make_environment,
    regime_section,
)
from skyfall_crl.serve.restore import restore_policy
from skyfall_crl.serve.rollout import Rollout
from skyfall_crl.serve.trust import restricted
from skyfall_crl.train.build import Parts, check_environment
from skyfall_crl.train.generators import Generators
from skyfall_crl.train.provenance import provenance
from skyfall_crl.train.windows import Observer

__all__ = ["ServeResult", "build_environment", "load_policy", "serve"]

Environment = gymnasium.Env[Any, Any]


@dataclass
class ServeResult:
    """What one inference run produced.

    `steps` is how many were taken, `total_reward` the sum of the rewards there were, `regimes` the ids met, in
    order; `provenance` is the trace's first line. `status` is `completed`, `interrupted`, or `ended` where the world
    took no more actions.
    """

    trace_path: Path | None
    steps: int = 0
    total_reward: float = 0.0
    regimes: tuple[str, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)
    status: str = "completed"


def load_policy(
    bundle: Bundle, directory: str | Path, *, trust: bool = False, seed: int | None = None
) -> Any:
    """Rebuild the policy a bundle describes, bound to the recorded spaces and ready to act.

    `seed` defaults to the run's. Without `trust` only registered ids are imported, weights that are pickled are
    refused, and so are arguments that ask for secrets. Raises `BundleError`, `MissingCheckpoint`, `CheckpointError`
    or `PolicyError`, naming what is missing; a policy without its weights is never returned.
    """
    with restricted(trust):
        return restore_policy(
            bundle,
            directory,
            observation_space=bundle.observation(),
            action_space=bundle.action(),
            task_view=None,
            generators=Generators(_seed(bundle, seed)),
            trust=trust,
        )


def build_environment(bundle: Bundle, *, trust: bool = False, **overrides: Any) -> Any:
    """Rebuild the environment a bundle was trained against; keyword arguments replace recorded ones.

    The caller closes it. Without `trust` only registered ids are imported, nested ones included.
    """
    with restricted(trust):
        section = environment_section(bundle, overrides, trust=trust)
        regime = regime_section(bundle, trust=trust)
        schedule = getattr(build_provider(regime), "schedule", None) if regime.notify == "label" else None
        return make_environment(section, regime, schedule, trust=trust)


def serve(
    directory: str | Path,
    *,
    steps: int = 100,
    env: Any | None = None,
    trace_path: str | Path | None = None,
    window_steps: int = 64,
    auto_reset: bool = False,
    seed: int | None = None,
    env_kwargs: Mapping[str, Any] | None = None,
    regime: Any | None = None,
    use_recorded_regime: bool = True,
    trust: bool = False,
    observe: Observer | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> ServeResult:
    """Run a bundled policy for `steps` steps of one world and record what it did, rows with phase `serve`.

    `env` is used in place of the recorded environment, without its axes mapping and notification, and is closed on
    the way out like one built here. `env_kwargs` replace recorded arguments. `regime` is a provider, a schedule, its
    mapping or path, or a config's section; it replaces the recorded schedule, and `use_recorded_regime=False` runs
    stationary. `seed` defaults to the run's. Without `auto_reset` a world whose episode ends is over, persistent
    worlds aside. `observe` hears of each window of `window_steps`, `stop` is asked before each step. Without
    `trace_path` no trace is kept.

    Without `trust` the bundle is data: only registered ids are imported. Raises what `load_policy` and
    `build_environment` raise, and `PolicyError` where the environment's spaces aren't those of the bundle.
    """
    with ExitStack() as stack:
        if env is not None:
            stack.callback(env.close)
        stack.enter_context(restricted(trust))
        stack.enter_context(threadpool_limits(limits=1))
        bundle = Bundle.load(directory)
        section, provider = _regime(bundle, regime, use_recorded_regime, trust)
        environment = _environment_section(bundle, env, env_kwargs or {}, trust)
        schedule = getattr(provider, "schedule", None)
        if env is None:
            env = make_environment(environment, section, schedule, trust=trust)
            stack.callback(env.close)
        run = known_keys(
            RunSection,
            {
                "steps": steps,
                "window_steps": window_steps,
                "seed": _seed(bundle, seed),
                "auto_reset": auto_reset,
            },
            "serve",
        )
        parts = _parts(bundle, directory, env, environment, section, provider, run, trust)
        header = {**provenance(parts), "bundle": _origin(bundle, env)}
        if trace_path is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            path = Path(folder, "trace.jsonl")
        else:
            path = Path(trace_path)
            path.parent.mkdir(parents=True, exist_ok=True)
        rollout = Rollout(parts, path, header)
        status = rollout.run(observe, stop)
        return ServeResult(
            None if trace_path is None else path,
            rollout.steps,
            rollout.total_reward,
            tuple(rollout.regimes),
            header,
            status,
        )


def _parts(
    bundle: Bundle,
    directory: str | Path,
    env: Environment,
    environment: EnvSection,
    regime: RegimeSection,
    provider: RegimeProvider,
    run: RunSection,
    trust: bool,
) -> Parts:
    """Put together what a run has, with the bundle's policy and without an algorithm."""
    policy = PartSection(id=bundle.policy.id or "none", kwargs=bundle.policy.kwargs)
    config = RunConfig(env=environment, regime=regime, policy=policy, run=run)
    found, schedule = capabilities(env), getattr(provider, "schedule", None)
    check_environment(config, found, schedule, privileged=False)
    generators, task_view = Generators(run.seed), attribute(env, "task_view", None)
    return Parts(
        config=config,
        fanout=FanOut([lambda: env], max_workers=0),
        capabilities=found,
        provider=provider,
        schedule=schedule,
        policy=_fitted(bundle, directory, env, task_view, generators, trust),
        algorithm=None,
        task_view=task_view,
        sinks=[],
        generators=generators,
        auto_reset=bool(run.auto_reset),
        privileged=False,
        make_environment=lambda: env,
    )


def _fitted(
    bundle: Bundle,
    directory: str | Path,
    env: Environment,
    task_view: Any,
    generators: Generators,
    trust: bool,
) -> Policy:
    """Restore the policy for an environment, whose spaces have to be those it was trained with."""
    found = {name: getattr(env, name, None) for name in ("observation_space", "action_space")}
    recorded = {"observation_space": bundle.observation(), "action_space": bundle.action()}
    for name, space in found.items():
        if recorded[name] is not None and space != recorded[name]:
            raise PolicyError(
                f"{name}: expected the space the policy was trained with, {recorded[name]!s:.200}, found "
                f"{space!s:.200}; choose arguments of the environment that give the former"
            )
    return restore_policy(
        bundle,
        directory,
        observation_space=found["observation_space"],
        action_space=found["action_space"],
        task_view=task_view,
        generators=generators,
        trust=trust,
    )


def _regime(
    bundle: Bundle, regime: Any, use_recorded: bool, trust: bool
) -> tuple[RegimeSection, RegimeProvider]:
    """Return the section to record and the provider to follow."""
    recorded = regime_section(bundle, trust=trust or regime is not None or not use_recorded)
    if regime is not None:
        provider = given_provider(regime)
        return recorded.model_copy(update={"provider": type(provider).__name__, "params": {}}), provider
    if not use_recorded:
        return recorded.model_copy(update={"provider": "constant", "params": {}}), ConstantRegime()
    return recorded, build_provider(recorded)


def _environment_section(
    bundle: Bundle, env: Environment | None, overrides: Mapping[str, Any], trust: bool
) -> EnvSection:
    if env is None:
        return environment_section(bundle, overrides, trust=trust)
    kind = type(env.unwrapped)
    return EnvSection(id=f"{kind.__module__}:{kind.__qualname__}")


def _seed(bundle: Bundle, seed: int | None) -> int:
    recorded = bundle.run.get("seed")
    return seed if seed is not None else recorded if type(recorded) is int and recorded >= 0 else 0


def _origin(bundle: Bundle, env: Environment) -> dict[str, Any]:
    """Return what the trace says of the bundle; whether the reward is the one it was trained for, if both are known."""
    spec, trained = attribute(env, "reward_spec", None), bundle.reward()
    return {
        "policy": bundle.policy.model_dump(mode="json", include={"id", "format", "trained_by", "files"}),
        "run": {key: bundle.run[key] for key in ("run_id", "status", "step") if key in bundle.run},
        "same_reward": None if spec is None or trained is None else spec == trained,
    }
