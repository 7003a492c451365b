"""Driving an environment with a bundled policy and nothing else: a rollout that never updates, on the run's session."""

import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from skyfall_crl.serve.assembly import Request, assemble, origin, recorded_seed
from skyfall_crl.serve.bundle import Bundle
from skyfall_crl.serve.environment import (
    build_provider,
    environment_section,
    make_environment,
    regime_section,
)
from skyfall_crl.serve.restore import restore_policy
from skyfall_crl.serve.rollout import Rollout
from skyfall_crl.serve.trust import restricted
from skyfall_crl.train.build import Parts
from skyfall_crl.train.generators import Generators
from skyfall_crl.train.provenance import provenance
from skyfall_crl.train.windows import Observer

__all__ = ["ServeResult", "build_environment", "load_policy", "serve"]


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

    One that acts through text is for the caller to bind, with the task view of the world it is to act in.
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
            generators=Generators(recorded_seed(bundle, seed)),
            trust=trust,
            in_world=False,
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
    request = Request(
        steps, window_steps, auto_reset, seed, env, env_kwargs or {}, regime, use_recorded_regime, trust
    )
    with ExitStack() as stack:
        if env is not None:
            stack.callback(env.close)
        stack.enter_context(restricted(trust))
        stack.enter_context(threadpool_limits(limits=1))
        bundle = Bundle.load(directory)
        parts = assemble(bundle, directory, request, stack)
        return _rolled_out(bundle, parts, trace_path, stack, observe, stop)


def _rolled_out(
    bundle: Bundle,
    parts: Parts,
    trace_path: str | Path | None,
    stack: ExitStack,
    observe: Observer | None,
    stop: Callable[[], bool],
) -> ServeResult:
    header = {**provenance(parts), "bundle": origin(bundle, parts.fanout.environments[0])}
    kept = None if trace_path is None else Path(trace_path)
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
    path = kept or Path(stack.enter_context(tempfile.TemporaryDirectory()), "trace.jsonl")
    rollout = Rollout(parts, path, header)
    status = rollout.run(observe, stop)
    return ServeResult(kept, rollout.steps, rollout.total_reward, tuple(rollout.regimes), header, status)
