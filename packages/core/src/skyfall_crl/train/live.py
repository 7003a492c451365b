"""Live resume: worlds that can't be put back go on as they are, and the trace says what is not known of them.

Before an action is sent its intent is flushed to the trace, after it the row. A run that was killed in between left an
intent without a row: that action may have taken effect, is never sent again, and becomes the one row of its world that
has no reward.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skyfall_crl.ports.environment import INFO_WORLD_TIME
from skyfall_crl.trace import TraceWriter, read_rows
from skyfall_crl.train.clock import RegimeClock
from skyfall_crl.train.rows import ROW_VERSION, step_row
from skyfall_crl.train.world import Start

UNCERTAIN = {"accepted": False, "reason": "uncertain"}


@dataclass(slots=True)
class LastSeen:
    """What a trace says of one world: the step of its next action, and the intent that was left without a row."""

    step: int = 0
    episode: int = 0
    policy_version: int = 0
    world_time: float | None = None
    pending: Mapping[str, Any] | None = None


def last_seen(trace: Path, worlds: Sequence[str]) -> dict[str, LastSeen]:
    """Read where each training world of a trace was left; a torn last line counts as not written."""
    seen = {name: LastSeen() for name in worlds}
    for row in read_rows(trace):
        world = seen.get(row.get("world", ""))
        if world is None:
            continue
        if row["kind"] == "intent":
            world.pending = row
        elif row["kind"] == "step":
            world.step, world.episode = row["step"] + 1, row["episode"]
            world.policy_version = row["policy_version"]
            world.world_time = row["world_time"]
            world.pending = None
    return seen


def settle(trace: TraceWriter, seen: Mapping[str, LastSeen], clock: RegimeClock, phase: str) -> None:
    """Write the one row of each action whose outcome nobody knows, and count its step as taken."""
    for name, world in seen.items():
        if world.pending is None:
            continue
        step = world.pending["step"]
        position = clock.at(step) if clock.owned_by_session else None
        row = step_row(name, step, world.episode, phase, position, world.pending["action"], {})
        row["outcome"] = UNCERTAIN
        row["policy_version"] = world.pending["policy_version"]
        trace.write(row)
        world.step, world.pending = step + 1, None
    trace.flush()


def write_resumed(
    trace: TraceWriter, seen: Mapping[str, LastSeen], starts: Sequence[Start], away: float
) -> None:
    """Write a `resume` row for each world: seconds and simulated time that passed while nobody acted."""
    for start in starts:
        world = seen[start.world]
        now: float | None = start.info.get(INFO_WORLD_TIME)
        passed = None if now is None or world.world_time is None else now - world.world_time
        trace.write(
            {
                "v": ROW_VERSION,
                "kind": "resume",
                "step": world.step,
                "world": start.world,
                "wall_seconds_passed": round(away, 3),
                "world_time_passed": passed,
            }
        )
    trace.flush()


def seconds_since_written(trace: Path) -> float:
    """Return how long ago a trace was last written to."""
    return max(0.0, time.time() - trace.stat().st_mtime)
