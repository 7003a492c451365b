"""Chaos policies by name. Their names are the deployment's; what they hold is ours, since its files are not public."""

from typing import Any

_SCENARIOS = {
    "process": (
        "data_corruption",
        "missing_data",
        "stale_data",
        "format_change",
        "partial_data",
        "invalid_state",
    ),
    "infra": ("permission_denied", "rate_limit", "dependency_failure", "timing_issue"),
}
_PROBABILITIES = {
    "light": 0.05,
    "moderate": 0.08,
    "realistic": 0.15,
    "aggressive": 0.3,
    "process": 0.15,
    "infra": 0.15,
}
WORDS = {
    name: {"name": name.capitalize(), "description": f"{probability:.0%} of steps fail"}
    for name, probability in _PROBABILITIES.items()
}
"""Name and description of each preset, by its id."""


def policy(preset: str) -> dict[str, Any]:
    """Return a preset's policy; a simulated world keeps it and takes only its switches to heart."""
    kinds = _SCENARIOS.get(preset, _SCENARIOS["process"] + _SCENARIOS["infra"])
    scenarios = [
        {"type": kind, "weight": 1, "description": kind.replace("_", " "), "config": {}} for kind in kinds
    ]
    return {
        "enabled": True,
        "probability": _PROBABILITIES[preset],
        "scenarios": scenarios,
        "processChaosEnabled": preset != "infra",
        "infraChaosEnabled": preset != "process",
        "persistCorruptedData": False,
    }
