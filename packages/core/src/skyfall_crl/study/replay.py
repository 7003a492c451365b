"""A finished run taken again, action by action, for what its rows don't hold: the observations."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from gymnasium import spaces

from skyfall_crl.config import load_config
from skyfall_crl.ports.errors import ConfigError, TraceError
from skyfall_crl.trace.reader import read_rows
from skyfall_crl.trace.writer import TraceWriter
from skyfall_crl.train.build import Parts, build
from skyfall_crl.train.clock import RegimeClock
from skyfall_crl.train.directory import RunDirectory
from skyfall_crl.train.session import Session, Start, Step

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Replayed:
    """One step of one world: where it stood, what was done, what came of it, and the recorded row."""

    world: int
    before: Any
    action: Any
    step: Step
    row: Row


class Replay:
    """The worlds of a run, built again from its config and seeds.

    Only worlds that live in this process are taken again: a live one would be acted on a second time. Raises
    `ConfigError` for such a run and `TraceError` where the worlds don't do again what the trace says.
    """

    def __init__(self, run: Path) -> None:
        self.directory = RunDirectory.existing(run)
        config = load_config(self.directory.config)
        self.config = config.model_copy(update={"sinks": [], "evaluate": None})
        self.parts: Parts = build(self.config)
        if self.parts.capabilities.outlives:
            self.parts.close()
            raise ConfigError(
                f"{run}: expected worlds in this process, found live ones, which can't be taken again"
            )
        env = self.parts.fanout.environments[0]
        self.observation_space, self.action_space = env.observation_space, env.action_space

    def steps(self) -> Iterator[Replayed]:
        """Take every recorded step again, all worlds of a step together; rewards are held against the trace."""
        parts = self.parts
        with TemporaryDirectory() as folder, TraceWriter(Path(folder) / "again.jsonl") as trace:
            session = Session(
                parts.fanout,
                RegimeClock(parts.provider, parts.capabilities),
                trace,
                seeds=parts.seeds,
                auto_reset=parts.auto_reset,
                persistent=parts.capabilities.persistent,
                on_mismatch=parts.config.regime.on_mismatch,
            )
            standing: list[Start | Step] = [*session.open()]
            for rows in self._rounds(session.worlds):
                actions = [None if row is None else acted(self.action_space, row["action"]) for row in rows]
                taken = session.step_all(actions)
                for world, row in enumerate(rows):
                    if row is not None:
                        self._check(row, taken[world])
                        yield Replayed(world, standing[world].observation, actions[world], taken[world], row)
                standing = [*taken]

    def close(self) -> None:
        """Close the worlds."""
        self.parts.close()

    def _rounds(self, worlds: tuple[str, ...]) -> Iterator[list[Row | None]]:
        """Return the recorded rows by step, None for a world that had ended by then."""
        places = {name: place for place, name in enumerate(worlds)}
        waiting: list[Row | None] = [None] * len(worlds)
        step = 0
        for row in read_rows(self.directory.trace):
            if row.get("kind") != "step" or row.get("phase") != "train":
                continue
            if row["step"] != step:
                yield waiting
                waiting, step = [None] * len(worlds), row["step"]
            waiting[places[row["world"]]] = row
        if any(waiting):
            yield waiting

    def _check(self, row: Row, taken: Step) -> None:
        found = None if taken.row is None else taken.row["reward"]
        if found != row["reward"]:
            raise TraceError(
                f"{self.directory.trace}: {row['world']}, step {row['step']}: expected reward {row['reward']} again, "
                f"found {found}; this world doesn't repeat itself, so its observations can't be had afterwards"
            )


def acted(space: spaces.Space[Any], plain: Any) -> Any:
    """Return a recorded action as an element of its space; raises `ConfigError` where rows don't hold it whole."""
    if isinstance(space, spaces.Discrete | spaces.Text):
        return plain
    if isinstance(space, spaces.Box | spaces.MultiDiscrete | spaces.MultiBinary):
        return np.asarray(plain, dtype=space.dtype).reshape(space.shape)
    if isinstance(space, spaces.Dict):
        return {name: acted(inner, plain[name]) for name, inner in space.spaces.items()}
    if isinstance(space, spaces.Tuple):
        return tuple(acted(inner, value) for inner, value in zip(space.spaces, plain, strict=True))
    raise ConfigError(f"action space: expected one whose actions a trace holds whole, found {space}")
