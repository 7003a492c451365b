"""From a config to environments, provider, policy and algorithm: the one place where ids are resolved."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import gymnasium

from skyfall_crl.config.schema import EnvSection, PartSection, RunConfig
from skyfall_crl.ports.algorithm import Algorithm, SeededAlgorithm
from skyfall_crl.ports.environment import Capabilities, attribute, capabilities
from skyfall_crl.ports.errors import ConfigError, EnvironmentFailure, PolicyError
from skyfall_crl.ports.fanout import FanOut
from skyfall_crl.ports.plain import EMPTY
from skyfall_crl.ports.policy import Policy, PrivilegedPolicy, SeededPolicy
from skyfall_crl.ports.sink import Sink
from skyfall_crl.ports.task_view import TaskView
from skyfall_crl.regime import RegimeProvider, RegimeSchedule
from skyfall_crl.registry import Resolved, resolve
from skyfall_crl.train.arguments import build_part, check_arguments
from skyfall_crl.train.generators import Generators, world_seed
from skyfall_crl.train.notification import NotifiedEnvironment

Environment = gymnasium.Env[Any, Any]


@dataclass(slots=True)
class Parts:
    """What a config names, built; `close` releases the environments."""

    config: RunConfig
    fanout: FanOut
    capabilities: Capabilities
    provider: RegimeProvider
    schedule: RegimeSchedule | None
    policy: Policy
    algorithm: Algorithm | None
    task_view: TaskView | None
    sinks: list[tuple[str, Sink]]
    generators: Generators
    auto_reset: bool
    privileged: bool
    make_environment: Callable[[], Environment]

    @property
    def seeds(self) -> list[int]:
        """The seed of each world."""
        return [world_seed(self.config.run.seed, world) for world in range(self.config.run.num_envs)]

    @property
    def live(self) -> bool:
        """Whether the worlds outlive the process and can't be put back."""
        return self.capabilities.persistent and self.capabilities.outlives and not self.capabilities.snapshots

    def close(self) -> None:
        """Close every environment."""
        self.fanout.close()


def build(config: RunConfig, reattach: Sequence[Mapping[str, Any]] = ()) -> Parts:
    """Build everything a config names; raises `ConfigError` before the first environment where it can be known.

    `reattach` holds, for each world of a live run that is resumed, the arguments that lead to that same world.
    """
    env_ref = resolve("environments", config.env.id)
    provider_ref = resolve("regime_providers", config.regime.provider)
    policy_ref = resolve("policies", config.policy.id)
    algorithm_ref = resolve("algorithms", config.algorithm.id) if config.algorithm else None
    env_factory, policy_factory = factory_of(env_ref), factory_of(policy_ref)
    check_arguments(env_factory, config.env.kwargs, "env.kwargs")
    check_arguments(policy_factory, config.policy.kwargs, "policy.kwargs")
    provider: RegimeProvider = build_part(factory_of(provider_ref), config.regime.params, "regime.params")
    sinks = [_build_sink(number, section) for number, section in enumerate(config.sinks)]
    schedule: RegimeSchedule | None = getattr(provider, "schedule", None)
    privileged = looks_inside(policy_ref, policy_factory)
    make = environment_factory(config.env, config.regime.notify, env_factory, schedule)
    worlds = [partial(make, arguments) for arguments in reattach or [EMPTY] * config.run.num_envs]
    fanout = FanOut(worlds)
    try:
        found = capabilities(fanout.environments[0])
        check_environment(config, found, schedule, privileged)
        generators = Generators(config.run.seed)
        task_view: TaskView | None = attribute(fanout.environments[0], "task_view", None)
        policy = _build_policy(config, policy_factory, fanout, task_view, generators)
        algorithm = _build_algorithm(config.algorithm, algorithm_ref, policy, generators)
    except BaseException:
        fanout.close()
        raise
    auto_reset = config.run.auto_reset
    return Parts(
        config=config,
        fanout=fanout,
        capabilities=found,
        provider=provider,
        schedule=schedule,
        policy=policy,
        algorithm=algorithm,
        task_view=task_view,
        sinks=sinks,
        generators=generators,
        auto_reset=found.tier != 3 if auto_reset is None else auto_reset,
        privileged=privileged,
        make_environment=make,
    )


def factory_of(resolved: Resolved) -> Callable[..., Any]:
    """Import and return what an id names; raises `ConfigError` when it can't be called."""
    found: Any = resolved.load()
    if not callable(found):
        raise ConfigError(
            f"{resolved.kind} id {resolved.id}: expected something that can be called, found {found!r}"
        )
    factory: Callable[..., Any] = found
    return factory


def looks_inside(policy: Resolved, factory: object) -> bool:
    """Tell whether a policy is marked privileged, or would be attached to worlds though nobody marked it."""
    return (policy.ref is not None and policy.ref.privileged) or isinstance(factory, PrivilegedPolicy)


def _build_sink(number: int, section: PartSection) -> tuple[str, Sink]:
    at = f"sinks[{number}]"
    sink = build_part(factory_of(resolve("sinks", section.id)), section.kwargs, f"{at}.kwargs")
    if not isinstance(sink, Sink):
        raise ConfigError(f"{at}.id: expected {section.id} to build a sink with open, rows and close")
    return section.id, sink


def environment_factory(
    section: EnvSection,
    level: Literal["hidden", "signal", "label"],
    factory: Callable[..., Environment],
    schedule: RegimeSchedule | None,
) -> Callable[..., Environment]:
    """Return what builds one world, with the wrappers that its section and the level of notification ask for."""

    def make(reattached: Mapping[str, Any] = EMPTY) -> Environment:
        def plain(arguments: Mapping[str, Any]) -> Environment:
            try:
                built: Environment = build_part(
                    factory, {**section.kwargs, **reattached, **arguments}, "env.kwargs"
                )
            except (ConfigError, EnvironmentFailure):
                raise
            except Exception as error:
                raise EnvironmentFailure(
                    f"{section.id} could not be built: {type(error).__name__}: {error}"
                ) from error
            if not hasattr(built, "unwrapped"):
                raise ConfigError(
                    f"env.id: expected {section.id} to build a Gymnasium environment, found {type(built).__name__}"
                )
            return built

        env = plain(EMPTY)
        if section.axes:
            from skyfall_crl.train.axes import MappedAxes

            env = MappedAxes(env, section.axes, plain, section.kwargs)
        if level != "hidden":
            env = NotifiedEnvironment(env, level, _identities(schedule, level))
        return env

    return make


def _identities(schedule: RegimeSchedule | None, level: Literal["signal", "label"]) -> tuple[str, ...]:
    if schedule is None and level == "label":
        raise ConfigError(
            "regime.notify: label needs a provider with a schedule, whose identities are numbered"
        )
    return schedule.identities if schedule is not None else ()


def check_environment(
    config: RunConfig, found: Capabilities, schedule: RegimeSchedule | None, privileged: bool
) -> None:
    """Raise `ConfigError` when a config asks something of its environment that this one can't do."""
    required = config.env.require
    if required is not None and found.tier < int(required.removeprefix("tier")):
        raise ConfigError(f"env.require: expected {required}, found {config.env.id} to be tier{found.tier}")
    if found.regime_owner == "environment" and (config.regime.provider != "constant" or config.regime.params):
        raise ConfigError(
            f"regime: expected none, since {config.env.id} was built with a regime of its own; give only one of them"
        )
    if config.evaluate and config.evaluate.world == "fork" and not found.snapshots:
        raise ConfigError(f"evaluate.world: expected fresh or none, since {config.env.id} can't be forked")
    if config.evaluate and config.evaluate.world != "none" and privileged:
        raise ConfigError(
            f"evaluate: expected none, since {config.policy.id} looks inside the training worlds"
        )
    if schedule is None or config.regime.on_mismatch == "record":
        return
    for number, regime in enumerate(schedule.regimes):
        known = found.regime_axes if found.shifts else ()
        unknown = [] if known is None else [axis for axis in regime.axes if axis not in known]
        if unknown:
            takes = ", ".join(known or ()) or "none"
            raise ConfigError(
                f"regime.params.schedule.regimes[{number}].axes.{unknown[0]}: {config.env.id} can't be told this axis; "
                f"it takes {takes} (regime.on_mismatch: record goes on without)"
            )


def _build_policy(
    config: RunConfig,
    factory: Callable[..., Any],
    fanout: FanOut,
    task_view: TaskView | None,
    generators: Generators,
) -> Policy:
    policy: Policy = build_part(factory, config.policy.kwargs, "policy.kwargs")
    if not isinstance(policy, Policy):
        raise ConfigError(f"policy.id: expected {config.policy.id} to build a policy with bind and act")
    if isinstance(policy, SeededPolicy):
        policy.seed(generators.get("policy"), generators.get("sampling"))
    if isinstance(policy, PrivilegedPolicy):
        for env in fanout.environments:
            policy.attach(env)
    env = fanout.environments[0]
    try:
        policy.bind(env.observation_space, env.action_space, task_view)
    except PolicyError as error:
        raise ConfigError(f"policy.id: {config.policy.id} does not fit {config.env.id}: {error}") from error
    return policy


def _build_algorithm(
    section: PartSection | None, resolved: Resolved | None, policy: Policy, generators: Generators
) -> Algorithm | None:
    if section is None or resolved is None:
        return None
    algorithm: Algorithm = build_part(factory_of(resolved), section.kwargs, "algorithm.kwargs", policy)
    if isinstance(algorithm, SeededAlgorithm):
        algorithm.seed(generators.get("algorithm"))
    return algorithm
