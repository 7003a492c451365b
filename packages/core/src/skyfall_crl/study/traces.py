"""What a study reads of a trace: its digest, and its reward over time."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from skyfall_crl.trace.batch import Labels
from skyfall_crl.trace.columns import read_columns

MAX_POINTS = 400
TRACE_NAMES = ("trace.jsonl", "trace.jsonl.gz")


@dataclass(frozen=True, slots=True)
class Curve:
    """Mean reward over all worlds in consecutive pieces of `width` steps; NaN where there is none.

    `identities` has, for each piece, the identity that its first step belongs to.
    """

    width: int
    means: NDArray[np.float64]
    identities: tuple[str, ...]


def stored_trace(directory: Path) -> Path | None:
    """Return a run's trace, compressed or not, None where it is gone."""
    found = (directory / name for name in TRACE_NAMES)
    return next((path for path in found if path.is_file()), None)


def trace_digest(path: Path) -> str:
    """Return a digest of the rows that are scored: world, step, identity and reward, in their order."""
    columns = ("phase", "world", "regime_identity", "step", "reward")
    hashes = {name: hashlib.sha256() for name in columns}
    names: dict[str, tuple[str, ...]] = {}
    # a hash for each column, because where one batch ends and the next begins depends on the clock fields' length
    for batch in read_columns(path):
        for name in columns[:3]:
            labels: Labels = getattr(batch, name)
            hashes[name].update(labels.codes.astype("<i8").tobytes())
            names[name] = labels.names
        hashes["step"].update(batch.step.astype("<i8").tobytes())
        hashes["reward"].update(batch.reward.astype("<f8").tobytes())
    parts = [
        *(hashes[name].hexdigest() for name in columns),
        *(repr(names.get(name)) for name in columns[:3]),
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def reward_curve(path: Path, steps: int) -> Curve:
    """Average a run of `steps` steps per world into at most `MAX_POINTS` pieces, rows of phase `train` only."""
    width = max(1, -(-steps // MAX_POINTS))
    size = -(-steps // width)
    total, count = np.zeros(size), np.zeros(size)
    names: list[str | None] = [None] * size
    for batch in read_columns(path):
        if "train" not in batch.phase.names:
            continue
        kept = batch.phase.codes == batch.phase.names.index("train")
        kept &= (batch.step < steps) & ~np.isnan(batch.reward)
        places = batch.step[kept] // width
        total += np.bincount(places, batch.reward[kept], size)
        count += np.bincount(places, minlength=size)
        first, rows = np.unique(places, return_index=True)
        codes = batch.regime_identity.codes[kept][rows]
        for place, code in zip(first.tolist(), codes.tolist(), strict=True):
            names[place] = names[place] or batch.regime_identity.names[code]
    with np.errstate(invalid="ignore", divide="ignore"):
        means = total / count
    return Curve(width, means, tuple(name or "" for name in names))
