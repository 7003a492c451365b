"""Rows of a window as the few numbers a tracker plots."""

from collections.abc import Mapping, Sequence
from typing import Any


def window_step(rows: Sequence[Mapping[str, Any]]) -> int | None:
    """Return the last step of a window, or None for one without steps."""
    return max((row["step"] for row in rows if isinstance(row.get("step"), int)), default=None)


def window_scalars(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return means over a window by name; what no row of it has is absent.

    `<phase>/reward` is the mean reward of a phase (`train`, `eval`, ...), `<phase>/reward_in/<identity>` that of steps
    under one configuration, `<phase>/reward_terms/<term>` that of a term; `<phase>/accepted` is the share of actions
    the world took; `update/<name>` is what the algorithm reports of its last update.
    """
    sums: dict[str, list[float]] = {}
    found: dict[str, float] = {}
    for row in rows:
        if row.get("kind") == "step":
            for name, value in _of_step(row):
                entry = sums.setdefault(name, [0.0, 0.0])
                entry[0] += value
                entry[1] += 1
        elif row.get("note") == "update":
            found.update({f"update/{name}": float(value) for name, value in row["values"].items()})
    return {name: total / count for name, (total, count) in sums.items()} | found


def _of_step(row: Mapping[str, Any]) -> list[tuple[str, float]]:
    phase, reward = row.get("phase") or "train", row.get("reward")
    found: list[tuple[str, float]] = []
    if isinstance(reward, (int, float)):
        found.append((f"{phase}/reward", float(reward)))
        if row.get("regime_identity") is not None:
            found.append((f"{phase}/reward_in/{row['regime_identity']}", float(reward)))
    for term, value in (row.get("reward_terms") or {}).items():
        if isinstance(value, (int, float)):
            found.append((f"{phase}/reward_terms/{term}", float(value)))
    outcome = row.get("outcome")
    if isinstance(outcome, Mapping) and "accepted" in outcome:
        found.append((f"{phase}/accepted", float(bool(outcome["accepted"]))))
    return found


def flat_config(run: Mapping[str, Any]) -> dict[str, Any]:
    """Return a run's config as one level of dotted keys, as trackers list parameters."""
    flat: dict[str, Any] = {}
    waiting: list[tuple[str, Any]] = [("", run.get("config") or {})]
    while waiting:
        path, value = waiting.pop(0)
        if isinstance(value, Mapping) and value:
            waiting += [(f"{path}.{key}" if path else str(key), item) for key, item in value.items()]
        elif path:
            flat[path] = value
    return flat
