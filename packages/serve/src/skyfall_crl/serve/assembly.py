"""From a bundle and what its caller wants different to the parts that a rollout runs on."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium

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
from skyfall_crl.train.build import Parts, check_environment
from skyfall_crl.train.generators import Generators

Environment = gymnasium.Env[Any, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """How a bundle is to be served; the fields are the arguments of `serve`."""

    steps: int
    window_steps: int
    auto_reset: bool
    seed: int | None
    env: Environment | None
    env_kwargs: Mapping[str, Any]
    regime: Any
    use_recorded_regime: bool
    trust: bool


def assemble(bundle: Bundle, directory: str | Path, request: Request, stack: ExitStack) -> Parts:
    """Put together what a run has, with the bundle's policy and without an algorithm.

    An environment that is built here is closed by `stack`.
    """
    regime, provider = _regime(bundle, request)
    environment = _environment_section(bundle, request)
    schedule, env = getattr(provider, "schedule", None), request.env
    if env is None:
        env = make_environment(environment, regime, schedule, trust=request.trust)
        stack.callback(env.close)
    served: Environment = env
    run = _run_section(bundle, request)
    policy = PartSection(id=bundle.policy.id or "none", kwargs=bundle.policy.kwargs)
    config = RunConfig(env=environment, regime=regime, policy=policy, run=run)
    found = capabilities(served)
    check_environment(config, found, schedule, privileged=False)
    generators, task_view = Generators(run.seed), attribute(served, "task_view", None)
    return Parts(
        config=config,
        fanout=FanOut([lambda: served], max_workers=0),
        capabilities=found,
        provider=provider,
        schedule=schedule,
        policy=_fitted(bundle, directory, served, task_view, generators, request.trust),
        algorithm=None,
        task_view=task_view,
        sinks=[],
        generators=generators,
        auto_reset=request.auto_reset,
        privileged=False,
        make_environment=lambda: served,
    )


def recorded_seed(bundle: Bundle, seed: int | None) -> int:
    """Return the seed given, else the run's, else 0."""
    recorded = bundle.run.get("seed")
    return seed if seed is not None else recorded if type(recorded) is int and recorded >= 0 else 0


def origin(bundle: Bundle, env: Environment) -> dict[str, Any]:
    """Return what a served trace says of its bundle.

    `same_reward` tells whether the environment scores by the spec the policy was trained under, None where one of
    the two isn't known.
    """
    spec, trained = attribute(env, "reward_spec", None), bundle.reward()
    return {
        "policy": bundle.policy.model_dump(mode="json", include={"id", "format", "trained_by", "files"}),
        "run": {key: bundle.run[key] for key in ("run_id", "status", "step") if key in bundle.run},
        "same_reward": None if spec is None or trained is None else spec == trained,
    }


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


def _regime(bundle: Bundle, request: Request) -> tuple[RegimeSection, RegimeProvider]:
    """Return the section to record and the provider to follow."""
    follows = request.regime is None and request.use_recorded_regime
    recorded = regime_section(bundle, trust=request.trust or not follows)
    if follows:
        return recorded, build_provider(recorded)
    provider = ConstantRegime() if request.regime is None else given_provider(request.regime)
    name = "constant" if request.regime is None else type(provider).__name__
    return recorded.model_copy(update={"provider": name, "params": {}}), provider


def _environment_section(bundle: Bundle, request: Request) -> EnvSection:
    if request.env is None:
        return environment_section(bundle, request.env_kwargs, trust=request.trust)
    kind = type(request.env.unwrapped)
    return EnvSection(id=f"{kind.__module__}:{kind.__qualname__}")


def _run_section(bundle: Bundle, request: Request) -> RunSection:
    return known_keys(
        RunSection,
        {
            "steps": request.steps,
            "window_steps": request.window_steps,
            "seed": recorded_seed(bundle, request.seed),
            "auto_reset": request.auto_reset,
        },
        "serve",
    )
