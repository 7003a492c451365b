"""Cutting a stream of rows into segments: each world's stays in one regime identity."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from skyfall_crl.metrics.curve import Curve
from skyfall_crl.metrics.parameters import Parameters
from skyfall_crl.ports.errors import TraceError
from skyfall_crl.trace.batch import Batch, Labels

UNSCORED_PHASE = "eval"


@dataclass(frozen=True, slots=True)
class Segment:
    """A world's stay in one identity, which a change of label among its aliases doesn't end.

    `ordinal` counts the world's segments and `visit` its visits of the identity, both from 0. `steps` counts
    all rows, of which the first `drift_steps` lie inside a linear drift; the rest are settled, and everything
    below is about them alone: `nulls` of them have no reward, `total` sums the others, `windows` are means of
    consecutive whole windows (NaN where a reward is missing), `entry` and `terminal` the levels at the
    beginning and at the end, `late_entry` that behind the burn-in (None where a reward is missing).
    `drift_total` and `drift_nulls` are sum and count for the drifting rows.
    """

    world: str
    identity: str
    regime_ids: tuple[str, ...]
    ordinal: int
    visit: int
    first_step: int
    steps: int
    drift_steps: int
    nulls: int
    total: float
    windows: NDArray[np.float64]
    entry: float | None
    terminal: float | None
    late_entry: float | None
    drift_nulls: int = 0
    drift_total: float = 0.0
    truncated: bool = False

    @property
    def settled_steps(self) -> int:
        """Rows outside a drift."""
        return self.steps - self.drift_steps

    @property
    def scored_steps(self) -> int:
        """Settled rows that have a reward."""
        return self.settled_steps - self.nulls


class SegmentBuilder:
    """Takes a trace's batches in order and returns its segments; memory grows with segments and windows.

    Rows of a learner, a served policy or an outside agent count; those of phase `eval` don't, and are in `ignored`.
    `uncertain` counts rows without a known outcome, `resumes` the records between which a run was away. `path` names
    the trace in errors.
    """

    def __init__(self, parameters: Parameters, path: Path) -> None:
        self.ignored: Counter[str] = Counter()
        self.gaps = self.uncertain = self.resumes = 0
        self._versions: set[object] = set()
        self._parameters = parameters
        self._path = path
        self._worlds: dict[str, _World] = {}

    def add(self, batch: Batch) -> None:
        """Take the next rows; raises `TraceError` where a world's steps don't rise without a resume record."""
        scored = self._scored(batch)
        self.uncertain += batch.uncertain
        self.resumes += batch.resumed
        self._versions.update(str(version) for version in batch.versions[:2])
        if batch.resumed:
            for world in self._worlds.values():
                world.last_step = None
        for name, rows in _by_world(batch, scored):
            world = self._worlds.setdefault(name, _World(name, self._parameters))
            self._check_steps(world, rows.step)
            world.add(rows)

    @property
    def constant_version(self) -> bool:
        """Whether the rows name a policy version, and it is the same from the first row to the last."""
        return len(self._versions) == 1 and self._versions != {str(None)}

    def finish(self) -> list[Segment]:
        """Return the segments of every world, in the order in which worlds and segments begin."""
        return [segment for world in self._worlds.values() for segment in world.finish()]

    def _scored(self, batch: Batch) -> NDArray[np.bool_] | None:
        """Say which rows count, None for all of them."""
        if UNSCORED_PHASE not in batch.phase.names:
            return None
        scored: NDArray[np.bool_] = batch.phase.codes != batch.phase.names.index(UNSCORED_PHASE)
        unscored = len(scored) - int(np.count_nonzero(scored))
        if not unscored:
            return None
        self.ignored[UNSCORED_PHASE] += unscored
        return scored

    def _check_steps(self, world: "_World", steps: NDArray[np.int64]) -> None:
        if world.last_step is not None:
            steps = np.concatenate(([world.last_step], steps))
        rises = np.diff(steps)
        if (rises <= 0).any():
            place = int(np.argmax(rises <= 0))
            raise TraceError(
                f"{self._path}: world {world.name}: expected steps that rise, found step {steps[place + 1]} after "
                f"step {steps[place]} without a resume record between them"
            )
        self.gaps += int((rises > 1).sum())
        world.last_step = int(steps[-1])


class _World:
    """The segments of one world, the last of them still open."""

    def __init__(self, name: str, parameters: Parameters) -> None:
        self.name = name
        self.last_step: int | None = None
        self._parameters = parameters
        self._closed: list[Segment] = []
        self._open: _OpenSegment | None = None
        self._visits: Counter[str] = Counter()

    def add(self, rows: "_Rows") -> None:
        for begin, end in pairwise([*_beginnings(rows.identities.codes), len(rows.step)]):
            identity = rows.identities[begin]
            if self._open is None or self._open.identity != identity:
                self._close()
                self._open = _OpenSegment(identity, int(rows.step[begin]), self._parameters)
            self._open.add(rows.part(slice(begin, end)))

    def finish(self) -> list[Segment]:
        self._close()
        return self._closed

    def _close(self) -> None:
        if self._open is not None:
            identity = self._open.identity
            self._closed.append(self._open.close(self.name, len(self._closed), self._visits[identity]))
            self._visits[identity] += 1
            self._open = None


class _OpenSegment:
    """A segment whose rows are still coming in."""

    def __init__(self, identity: str, first_step: int, parameters: Parameters) -> None:
        self.identity = identity
        self._first_step = first_step
        self._regime_ids: dict[str, None] = {}
        self._settled = Curve(parameters)
        self._drifting = Curve(parameters)

    def add(self, rows: "_Rows") -> None:
        regimes = (rows.regimes[place] for place in _beginnings(rows.regimes.codes))
        self._regime_ids.update(dict.fromkeys(regimes))
        rewards = rows.rewards
        if rows.drifting is not None and rows.drifting.any():
            self._drifting.add(rewards[rows.drifting])
            rewards = rewards[~rows.drifting]
        self._settled.add(rewards)

    def close(self, world: str, ordinal: int, visit: int) -> Segment:
        settled, drifting = self._settled.finish(), self._drifting.finish()
        return Segment(
            world=world,
            identity=self.identity,
            regime_ids=tuple(self._regime_ids),
            ordinal=ordinal,
            visit=visit,
            first_step=self._first_step,
            steps=settled.steps + drifting.steps,
            drift_steps=drifting.steps,
            nulls=settled.nulls,
            total=settled.total,
            windows=settled.windows,
            entry=settled.entry,
            terminal=settled.terminal,
            late_entry=settled.late_entry,
            drift_nulls=drifting.nulls,
            drift_total=drifting.total,
        )


@dataclass(frozen=True, slots=True)
class _Rows:
    """One world's rows; `drifting` is None where nothing of the batch drifts."""

    step: NDArray[np.int64]
    regimes: Labels
    identities: Labels
    rewards: NDArray[np.float64]
    drifting: NDArray[np.bool_] | None

    def part(self, rows: slice | NDArray[np.int64]) -> "_Rows":
        """Return some of the rows; without a copy when they lie side by side."""
        return _Rows(
            self.step[rows],
            Labels(self.regimes.codes[rows], self.regimes.names),
            Labels(self.identities.codes[rows], self.identities.names),
            self.rewards[rows],
            None if self.drifting is None else self.drifting[rows],
        )


def _by_world(batch: Batch, scored: NDArray[np.bool_] | None) -> Iterator[tuple[str, _Rows]]:
    """Yield each world's rows; `scored` says which rows count, None for all."""
    drifting = (batch.drift_progress > 0) & (batch.drift_progress < 1)
    rows = _Rows(
        batch.step,
        batch.regime_id,
        batch.regime_identity,
        batch.reward,
        drifting if drifting.any() else None,
    )
    codes = batch.world.codes
    present = np.bincount(codes if scored is None else codes[scored])
    for code in np.flatnonzero(present).tolist():
        if present[code] == len(codes):
            yield batch.world.names[code], rows
        else:
            own = codes == code
            yield batch.world.names[code], rows.part(np.flatnonzero(own if scored is None else own & scored))


def _beginnings(codes: NDArray[np.int64]) -> list[int]:
    """Return where runs of equal codes begin."""
    return [0, *(np.flatnonzero(codes[1:] != codes[:-1]) + 1).tolist()]
