"""Bounds that were measured in a run's own worlds and lie beside its trace."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from skyfall_crl.metrics.bounds import Bounds
from skyfall_crl.ports.errors import TraceError

BOUNDS_FILE = "bounds.json"
BOUNDS_VERSION = 1

Side = Literal["upper", "lower"]


class Level(msgspec.Struct, frozen=True):
    """Mean reward per step in one identity, with its 95 % interval and the mean of each seed."""

    value: float
    low: float | None
    high: float | None
    method: str
    by_seed: dict[str, float]


class Reference(msgspec.Struct, frozen=True):
    """What one policy earned; `digest` is that of all rows behind the levels, clock fields aside."""

    policy: str
    kwargs: dict[str, Any]
    levels: dict[str, Level]
    digest: str


class StoredBounds(msgspec.Struct, frozen=True):
    """Two references in the worlds of one config, on the same seeds.

    `world` is the `world_digest` of that config, `steps` and `num_envs` say how long and how wide each run was,
    `versions` are those of the packages that decide numbers.
    """

    version: int
    world: str
    seeds: list[int]
    steps: int
    num_envs: int
    upper: Reference
    lower: Reference
    versions: dict[str, str]

    def bounds(self, side: Side, seed: object = None) -> Bounds:
        """Return one side's levels; the source says by whom, on how many seeds, and whether `seed` was among them."""
        found: Reference = getattr(self, side)
        values = {identity: level.value for identity, level in found.levels.items()}
        missed = isinstance(seed, int) and seed not in self.seeds
        other = f"; seed {seed} is not among them" if missed else ""
        return Bounds(values, f"measured: `{found.policy}` on {_seeds(self.seeds)}{other}")


def world_digest(config: Mapping[str, Any]) -> str:
    """Return a digest of what decides how hard a run document's worlds are: environment and regimes, not what is told.

    Length, width and seed are left out, and so is the level of notification.
    """
    env, regime = config.get("env") or {}, config.get("regime") or {}
    world = {
        "env": {name: env.get(name) for name in ("id", "kwargs", "axes")},
        "regime": {name: regime.get(name) for name in ("provider", "params")},
    }
    return hashlib.sha256(msgspec.json.encode(world, order="deterministic")).hexdigest()


def read_stored(path: Path) -> StoredBounds:
    """Read a file of measured bounds; raises `TraceError` when it is none."""
    try:
        found = msgspec.json.decode(path.read_bytes(), type=StoredBounds)
    except (OSError, msgspec.DecodeError) as error:
        raise TraceError(
            f"{path}: expected measured bounds: {error}; measure them again with `skyfall-crl bounds`"
        ) from error
    if found.version != BOUNDS_VERSION:
        raise TraceError(
            f"{path}: expected version {BOUNDS_VERSION} of measured bounds, found {found.version}"
        )
    return found


def bounds_beside(trace: Path, header: Mapping[str, Any]) -> StoredBounds | None:
    """Return the bounds in a trace's folder, None where there are none.

    Raises `TraceError` when they were measured in other worlds than those of the trace.
    """
    path = trace.parent / BOUNDS_FILE
    if not path.is_file():
        return None
    found = read_stored(path)
    if found.world != world_digest(header.get("config") or {}):
        raise TraceError(
            f"{path}: expected bounds of this trace's worlds, found those of another environment or schedule; "
            "remove the file, or measure them again with `skyfall-crl bounds`"
        )
    return found


def _seeds(seeds: Sequence[int]) -> str:
    return f"{len(seeds)} seed{'' if len(seeds) == 1 else 's'}"
