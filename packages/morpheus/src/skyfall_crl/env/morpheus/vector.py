"""Several independent worlds stepped at once, none of them ever reset by itself."""

from collections.abc import Callable, Iterable, Sequence
from operator import index
from typing import Any, SupportsIndex, TypeVar

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, iterate

from skyfall_crl.env.morpheus.vector_batches import ObservationBatch, batch_infos
from skyfall_crl.ports.errors import EnvironmentFailure
from skyfall_crl.ports.fanout import FanOut, WorldFailure
from skyfall_crl.ports.fields import FieldError, unexpected, whole

RESET_MASK = "reset_mask"

Environment = gymnasium.Env[Any, Any]
Outcome = TypeVar("Outcome", bound=tuple[Any, ...])


class PersistentVectorEnv(VectorEnv[Any, Any, npt.NDArray[Any]]):
    """Runs N independent persistent worlds, one environment each; any `gymnasium.Env` will do.

    `env_fns`: one factory a world, called here in order; all must give equal spaces. `max_workers`: threads that
    step them, one a world unless fewer are asked for; 0, and worlds whose metadata says `in_process`, are stepped
    in the caller's thread.

    A world that reported truncation or termination is stepped on like any other: only `reset` starts an episode.
    A world that raises, or returns what can't be batched, has failed: it is not stepped again before a `reset`,
    and until then each step shows its last observation, reward 0, `truncated`, `infos["failed"][world]` true and
    `infos["error"][world]`, one line. The others go on. A reward of 0 keeps sums finite; that it was not earned is
    what `failed` says. `failures` holds the exceptions by world.

    `envs` are the environments in order. Raises `ConfigError` for arguments that can't work, whatever a factory
    raised, and `EnvironmentFailure` when there is no world to step.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.DISABLED}  # noqa: RUF012 (Gymnasium's own annotation)

    def __init__(self, env_fns: Iterable[Callable[[], Environment]], max_workers: int | None = None) -> None:
        super().__init__()
        self.closed = True  # older Gymnasiums close what is collected, also where it was never built
        factories = list(env_fns)
        if not factories:
            raise FieldError("env_fns", "expected at least one factory, found none")
        for number, factory in enumerate(factories):
            if not callable(factory):
                raise unexpected(f"env_fns[{number}]", "a factory without arguments", factory)
        if max_workers is not None:
            whole("max_workers", max_workers, 0)
        self._fanout = FanOut(factories, max_workers=max_workers)
        self.envs: tuple[Environment, ...] = tuple(self._fanout.environments)
        self.num_envs = len(self.envs)
        self.failures: dict[int, Exception] = {}
        self._unstarted = True
        try:
            _check_worlds(self.envs)
            self._take_spaces(self.envs[0])
        except BaseException:
            self._fanout.close()
            raise
        self.closed = False

    def reset(
        self,
        *,
        seed: SupportsIndex | Sequence[SupportsIndex] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode in every world; return the batch of observations and the infos.

        `seed`: one for each world, or a number the worlds count up from. `options` goes to every world, except
        `reset_mask`, booleans of shape (num_envs,): only worlds where it is true are reset, the others keep their
        observation and have no info. A world that fails here shows an empty observation if it never had one.
        Raises `EnvironmentFailure` when no world is left.
        """
        self._check_open()
        worlds, passed = self._worlds_to_reset(options)
        seeds = _seeds(seed, self.num_envs)

        def start(world: int, env: Environment) -> tuple[Any, dict[str, Any]]:
            options = None if passed is None else dict(passed)
            observation, info = env.reset(seed=seeds[world], options=options)
            return observation, dict(info)

        for world in worlds:
            self.failures.pop(world, None)
        started = self._settle(worlds, self._fanout.run(start, worlds))
        if len(self.failures) == self.num_envs:
            world, error = min(self.failures.items())
            raise EnvironmentFailure(
                f"expected a world to start, found that all failed; world {world}: {_line(error)}"
            ) from error
        self._unstarted = False
        return self._observed.copy(), self._infos({world: info for world, (_, info) in started.items()})

    def step(
        self, actions: Any
    ) -> tuple[Any, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """Advance every world by one step; no world is reset when it reports truncation, that is the caller's to do.

        `actions`: a batch in `action_space`; those of failed worlds are ignored. Returns the batch of observations,
        rewards (float64), terminations and truncations (bool), each of shape (num_envs,) in world order, and infos
        as columns, each key with its mask `_key`.
        """
        self._check_open()
        if self._unstarted:
            raise EnvironmentFailure("expected worlds to step, found none started; call reset first")
        chosen = self._actions(actions)

        def advance(world: int, env: Environment) -> tuple[Any, float, bool, bool, dict[str, Any]]:
            observation, reward, terminated, truncated, info = env.step(chosen[world])
            return observation, float(reward), bool(terminated), bool(truncated), dict(info)

        live = [world for world in range(self.num_envs) if world not in self.failures]
        taken = self._settle(live, self._fanout.run(advance, live))
        rewards = np.zeros(self.num_envs, dtype=np.float64)
        terminations = np.zeros(self.num_envs, dtype=np.bool_)
        truncations = np.zeros(self.num_envs, dtype=np.bool_)
        for world, (_, reward, terminated, truncated, _) in taken.items():
            rewards[world], terminations[world], truncations[world] = reward, terminated, truncated
        for world in self.failures:
            truncations[world] = True
        infos = self._infos({world: outcome[4] for world, outcome in taken.items()})
        return self._observed.copy(), rewards, terminations, truncations, infos

    def close_extras(self, **kwargs: Any) -> None:
        """Close every environment and end every thread; raises `EnvironmentFailure` naming those that would not."""
        failures = self._fanout.close()
        if failures:
            self.closed = True
            named = "; ".join(f"world {failure.world}: {_line(failure.error)}" for failure in failures)
            raise EnvironmentFailure(f"expected every world to close, found {named}") from failures[0].error

    def _take_spaces(self, env: Environment) -> None:
        self.metadata = {**(env.metadata or {}), **type(self).metadata}
        self.render_mode = env.render_mode
        self.single_observation_space = env.observation_space
        self.single_action_space = env.action_space
        self.action_space = batch_space(env.action_space, self.num_envs)
        self._observed = ObservationBatch(env.observation_space, self.num_envs)
        self.observation_space = self._observed.space

    def _check_open(self) -> None:
        if self.closed:
            raise EnvironmentFailure("expected open worlds, found that they were closed; build them anew")

    def _worlds_to_reset(self, options: dict[str, Any] | None) -> tuple[list[int], dict[str, Any] | None]:
        if options is None or RESET_MASK not in options:
            return list(range(self.num_envs)), options
        mask = np.asarray(options[RESET_MASK])
        if mask.dtype != np.bool_ or mask.shape != (self.num_envs,) or not mask.any():
            expected = f"booleans of shape ({self.num_envs},), at least one true"
            raise unexpected(f"options.{RESET_MASK}", expected, options[RESET_MASK])
        if self._unstarted and not mask.all():
            raise unexpected(f"options.{RESET_MASK}", "every world in the first reset", options[RESET_MASK])
        return np.flatnonzero(mask).tolist(), {key: options[key] for key in options if key != RESET_MASK}

    def _actions(self, actions: Any) -> list[Any]:
        try:
            chosen = list(iterate(self.action_space, actions))
        except Exception as error:
            raise unexpected("actions", "a batch in action_space", actions) from error
        if len(chosen) != self.num_envs:
            raise unexpected("actions", f"a batch of {self.num_envs}", actions)
        return chosen

    def _settle(
        self, worlds: Sequence[int], outcomes: Sequence[Outcome | WorldFailure]
    ) -> dict[int, Outcome]:
        """Renew the observations and note who failed; return what the others returned, by world."""
        taken: dict[int, Outcome] = {}
        for world, outcome in zip(worlds, outcomes, strict=True):
            if isinstance(outcome, WorldFailure):
                self.failures[world] = outcome.error
            else:
                taken[world] = outcome
        refused = self._observed.renew({world: outcome[0] for world, outcome in taken.items()})
        self.failures.update(refused)
        return {world: outcome for world, outcome in taken.items() if world not in refused}

    def _infos(self, infos: dict[int, dict[str, Any]]) -> dict[str, Any]:
        """Return the infos of all worlds as columns, those of failed ones saying so."""
        failed = {world: {"failed": True, "error": _line(error)} for world, error in self.failures.items()}
        return batch_infos({**infos, **failed}, self.num_envs)


def _check_worlds(envs: Sequence[Environment]) -> None:
    """Refuse a world given twice, and one whose spaces are not those of the first."""
    owners: dict[int, int] = {}
    for number, env in enumerate(envs):
        owner = owners.setdefault(id(env.unwrapped), number)
        if owner != number:
            problem = f"expected an environment of its own, found that of env_fns[{owner}]"
            raise FieldError(f"env_fns[{number}]", problem)
        for name in ("observation_space", "action_space"):
            path, expected, found = _difference(name, getattr(envs[0], name), getattr(env, name))
            if expected != found:
                problem = (
                    f"expected {expected} as in env_fns[0], found {found}; one vector needs equal spaces"
                )
                raise FieldError(f"env_fns[{number}].{path}", problem)


def _difference(path: str, first: Any, other: Any) -> tuple[str, Any, Any]:
    """Return the innermost pair of spaces that differ, with its path."""
    if isinstance(first, spaces.Dict) and isinstance(other, spaces.Dict) and first.keys() == other.keys():
        for key in first:
            if first[key] != other[key]:
                return _difference(f"{path}[{key!r}]", first[key], other[key])
    return path, first, other


def _seeds(seed: SupportsIndex | Sequence[SupportsIndex] | None, num_envs: int) -> list[int | None]:
    if seed is None:
        return [None] * num_envs
    seeds: list[int | None]
    try:
        if isinstance(seed, Iterable):
            seeds = [index(each) for each in seed]
        else:
            seeds = [index(seed) + world for world in range(num_envs)]
    except TypeError as error:
        raise unexpected("seed", "a whole number, or one for each world", seed) from error
    if len(seeds) != num_envs:
        raise unexpected("seed", f"{num_envs} seeds, one for each world", seed)
    return seeds


def _line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())
