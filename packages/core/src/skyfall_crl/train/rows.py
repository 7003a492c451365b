"""Trace rows: what one world step, or one hand-over of a regime, becomes on disk."""

import math
from collections.abc import Mapping
from typing import Any

from skyfall_crl.ports.environment import (
    INFO_OUTCOME,
    INFO_REWARD_MISSING,
    INFO_REWARD_TAINTED,
    INFO_REWARD_TERMS,
    INFO_WORLD_TIME,
)
from skyfall_crl.ports.tools import ActionOutcome
from skyfall_crl.regime import RegimePosition
from skyfall_crl.train.clock import Shift

ROW_VERSION = 1


def shift_row(shift: Shift, world: str, step: int) -> dict[str, Any]:
    """Return the row of a regime that was handed to a world, or could not be."""
    row: dict[str, Any] = {
        "v": ROW_VERSION,
        "kind": "shift",
        "step": step,
        "world": world,
        "regime_id": shift.position.regime.regime_id,
        "regime_identity": shift.position.regime.identity,
        "applied": shift.problem is None,
        "axes": list(shift.axes),
    }
    if shift.rebuilt:
        row["rebuilt"] = True
    if shift.problem is not None:
        row["problem"] = shift.problem
    return row


def intent_row(world: str, step: int, action: Any, policy_version: int) -> dict[str, Any]:
    """Return the row of an action that is about to be sent."""
    sent = {"action": plain_action(action), "policy_version": policy_version}
    return {"v": ROW_VERSION, "kind": "intent", "step": step, "world": world, **sent}


def ended_row(world: str, step: int, reason: str) -> dict[str, Any]:
    """Return the row that says why a world takes no more actions after `step`."""
    note = {"note": "world ended", "reason": reason}
    return {"v": ROW_VERSION, "kind": "note", "step": step, "world": world, **note}


def step_row(
    world: str,
    step: int,
    episode: int,
    phase: str,
    position: RegimePosition | None,
    action: Any,
    info: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the row of one action with what the environment reports of it; the caller adds reward and ends."""
    regime_id, identity, progress = _regime_fields(position, info)
    row: dict[str, Any] = {
        "v": ROW_VERSION,
        "kind": "step",
        "step": step,
        "world": world,
        "world_time": info.get(INFO_WORLD_TIME),
        "episode": episode,
        "phase": phase,
        "regime_id": regime_id,
        "regime_identity": identity,
        "drift_progress": progress,
        "reward": None,
        "reward_terms": info.get(INFO_REWARD_TERMS),
        "terminated": False,
        "truncated": False,
        "action": action if type(action) is int else plain_action(action),
        "outcome": _outcome_field(info),
    }
    if missing := info.get(INFO_REWARD_MISSING):
        row["reward_missing"] = list(missing)
    if tainted := info.get(INFO_REWARD_TAINTED):
        row["reward_tainted"] = tainted
    return row


def lay_over(row: dict[str, Any], note: Mapping[str, Any]) -> None:
    """Add what the caller says about an action; an `outcome` is laid over the environment's, nothing else is."""
    for key, value in note.items():
        if key == "outcome":
            row["outcome"] = {**(row["outcome"] or {"accepted": False}), **value}
        else:
            row.setdefault(key, value)


def reward_fields(reward: Any) -> tuple[float | None, str | None]:
    """Return the reward as a float, or None and what was wrong with it: `nan`, `inf` or `type`."""
    if reward is None:
        return None, None
    try:
        value = float(reward)
    except (TypeError, ValueError):
        return None, "type"
    if math.isfinite(value):
        return value, None
    return None, "nan" if math.isnan(value) else "inf"


def plain_action(action: Any) -> Any:
    """Return an action as JSON-safe data: numpy scalars and arrays become numbers and lists."""
    if isinstance(action, int | str | float | None):
        return action
    if isinstance(action, Mapping):
        return {str(key): plain_action(value) for key, value in action.items()}
    if isinstance(action, list | tuple):
        return [plain_action(value) for value in action]
    if hasattr(action, "tolist"):
        return action.tolist()
    return repr(action)


def _regime_fields(position: RegimePosition | None, info: Mapping[str, Any]) -> tuple[Any, Any, float | None]:
    """Return id, identity and drift progress: the session's, or what the environment reports of its own."""
    if position is not None:
        return position.regime.regime_id, position.regime.identity, position.drift_progress
    regime_id = info.get("regime_id")
    return regime_id, info.get("regime_identity", regime_id), info.get("drift_progress")


def _outcome_field(info: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what became of the action, or None where the environment does not say."""
    outcome = info.get(INFO_OUTCOME)
    if outcome is None:
        return None
    return outcome.to_row() if isinstance(outcome, ActionOutcome) else dict(outcome)
