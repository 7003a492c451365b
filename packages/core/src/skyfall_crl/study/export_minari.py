"""A run as a Minari dataset: its worlds are taken again for their observations, and checked against the trace."""

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.study.replay import Replay, Replayed

BATCH_EPISODES = 500
"""How many episodes are held in memory at once."""


class _Episode:
    """The steps of one world between two ends; `identities` are the numbers of the configurations in force."""

    def __init__(self, first: Any) -> None:
        self.observations = [first]
        self.actions: list[Any] = []
        self.rewards: list[float] = []
        self.terminations: list[bool] = []
        self.truncations: list[bool] = []
        self.identities: list[int] = []

    def add(self, taken: Replayed, identity: int) -> None:
        step, final = taken.step, taken.step.final_observation
        self.actions.append(taken.action)
        self.observations.append(step.observation if final is None else final)
        self.rewards.append(float("nan") if step.reward is None else step.reward)
        self.terminations.append(step.terminated)
        self.truncations.append(step.truncated)
        self.identities.append(identity)

    def buffer(self, minari: Any, number: int) -> Any:
        """Return it as Minari takes it; an episode that the run's end cuts off counts as truncated."""
        if not self.terminations[-1]:
            self.truncations[-1] = True
        return minari.data_collector.EpisodeBuffer(
            id=number,
            observations=_columns(self.observations),
            actions=_columns(self.actions),
            rewards=self.rewards,
            terminations=self.terminations,
            truncations=self.truncations,
            infos={"identity": np.array([*self.identities, self.identities[-1]], np.int64)},
        )


def write_minari(run: Path, dataset_id: str) -> tuple[int, int]:
    """Write the dataset where Minari keeps its own, and return how many episodes and steps it has.

    A world that is never reset has an episode from each truncation to the next. `infos["identity"]` numbers the
    configuration in force after each step; the dataset's description says which number is which.
    Raises `ConfigError` without Minari or for an id that is taken, and what `Replay` raises.
    """
    minari = _minari()
    if dataset_id in minari.list_local_datasets():
        raise ConfigError(
            f"--minari: expected an id that isn't taken, found {dataset_id!r}; choose another version"
        )
    replay = Replay(run)
    try:
        return _write(minari, replay, dataset_id)
    finally:
        replay.close()


def _write(minari: Any, replay: Replay, dataset_id: str) -> tuple[int, int]:
    identities: dict[str, int] = {}
    dataset: Any = None
    waiting: list[Any] = []
    episodes = steps = 0
    for episode in _episodes(replay, identities):
        waiting.append(episode.buffer(minari, episodes))
        episodes, steps = episodes + 1, steps + len(episode.rewards)
        if len(waiting) == BATCH_EPISODES:
            dataset, waiting = _added(minari, dataset, dataset_id, replay, waiting), []
    if waiting:
        dataset = _added(minari, dataset, dataset_id, replay, waiting)
    if dataset is None:
        raise ConfigError(f"{replay.directory.path}: expected a run with steps, found none")
    config = replay.config
    description = {
        "environment": config.env.id,
        "policy": config.policy.id,
        "seed": config.run.seed,
        "identities": {str(number): name for name, number in identities.items()},
    }
    dataset.storage.update_metadata({"description": msgspec.json.encode(description).decode()})
    return episodes, steps


def _added(minari: Any, dataset: Any, dataset_id: str, replay: Replay, buffers: list[Any]) -> Any:
    """Create the dataset with its first episodes, or add some to it."""
    if dataset is None:
        algorithm = replay.config.algorithm
        with warnings.catch_warnings():
            # It warns of authors and links, which a run knows nothing of.
            warnings.simplefilter("ignore", UserWarning)
            return minari.create_dataset_from_buffers(
                dataset_id,
                buffers,
                observation_space=replay.observation_space,
                action_space=replay.action_space,
                algorithm_name=replay.config.policy.id if algorithm is None else algorithm.id,
                jpeg_encoding=False,
            )
    dataset.update_dataset_from_buffer(buffers)
    return dataset


def _episodes(replay: Replay, identities: dict[str, int]) -> Iterator[_Episode]:
    """Return episodes as they end, then those the run's end cut off; configurations are numbered as they are met."""
    current: dict[int, _Episode] = {}
    for taken in replay.steps():
        episode = current.setdefault(taken.world, _Episode(taken.before))
        name = str(taken.row.get("regime_identity"))
        episode.add(taken, identities.setdefault(name, len(identities)))
        if taken.step.terminated or taken.step.truncated:
            yield current.pop(taken.world)
    yield from (current[world] for world in sorted(current))


def _columns(values: list[Any]) -> Any:
    """Return a list of equal structures as one structure of columns."""
    if isinstance(values[0], dict):
        return {name: _columns([value[name] for value in values]) for name in values[0]}
    if isinstance(values[0], tuple):
        return tuple(_columns(list(column)) for column in zip(*values, strict=True))
    return values if isinstance(values[0], str) else np.stack([np.asarray(value) for value in values])


def _minari() -> Any:
    try:
        import minari
        import minari.data_collector
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"export --minari needs {error.name}, found none; install it with: pip install 'skyfall-crl[minari]'"
        ) from None
    return minari
