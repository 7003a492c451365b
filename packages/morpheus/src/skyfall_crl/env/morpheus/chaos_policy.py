"""What of a regime a deployment's own chaos policy can say: how often a step deviates, and in which ways."""

from collections.abc import Mapping
from typing import Any

from skyfall_crl.ports.plain import EMPTY

POLICY_AXES = ("fault_probability", "scenario_weights")
"""Axes that need no simulator: a probability in [0, 1], and a weight for each scenario type by name."""

_FIELDS = (
    "enabled",
    "probability",
    "scenarios",
    "seed",
    "persistCorruptedData",
    "processChaosEnabled",
    "infraChaosEnabled",
)


def policy_document(axes: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    """Return what to write for some axes over the policy a world had at first; a write replaces the whole policy.

    Axes no policy knows stand under `simulation.axes` alone, where a deployment pays no attention to them.
    """
    document = {name: base[name] for name in _FIELDS if name in base}
    probability, weights = axes.get("fault_probability"), axes.get("scenario_weights")
    if _is_number(probability):
        document |= {"enabled": True, "probability": probability}
    if isinstance(weights, Mapping):
        known = {scenario["type"]: scenario for scenario in _scenarios(base)}
        document["scenarios"] = [
            {"description": name, "config": {}, **known.get(name, EMPTY), "type": name, "weight": weight}
            for name, weight in weights.items()
        ]
    return document | {"simulation": {"axes": dict(axes)}}


def policy_axes(policy: Mapping[str, Any]) -> dict[str, Any]:
    """Return the axes a policy states, as it reads back; `simulation.axes` wins where a simulator answers."""
    found: dict[str, Any] = {}
    if _is_number(policy.get("probability")):
        found["fault_probability"] = policy["probability"]
    if "scenarios" in policy:
        found["scenario_weights"] = {
            scenario["type"]: scenario.get("weight") for scenario in _scenarios(policy)
        }
    simulation = policy.get("simulation")
    axes = simulation.get("axes") if isinstance(simulation, Mapping) else None
    return found | dict(axes) if isinstance(axes, Mapping) else found


def _scenarios(policy: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    listed = policy.get("scenarios")
    entries = listed if isinstance(listed, list) else []
    return [entry for entry in entries if isinstance(entry, Mapping) and isinstance(entry.get("type"), str)]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
