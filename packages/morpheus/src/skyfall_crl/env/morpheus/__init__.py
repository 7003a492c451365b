"""MORPHEUS enterprise worlds as Gymnasium environments."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyfall_crl.env.morpheus.action import ActionScope, parse_tool_call
    from skyfall_crl.env.morpheus.economics import FinancialState
    from skyfall_crl.env.morpheus.factory import morpheus_world, world
    from skyfall_crl.env.morpheus.http_backend import HttpBackend
    from skyfall_crl.env.morpheus.morpheus_env import DEFAULT_LAYOUT, DEFAULT_MAX_STEPS, MorpheusEnv
    from skyfall_crl.env.morpheus.observation import ObservationProjector, ObservedTicket, normalize_tickets
    from skyfall_crl.env.morpheus.ports import BackendError, MorpheusBackend
    from skyfall_crl.env.morpheus.recorded_backend import RecordedBackend
    from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend
    from skyfall_crl.env.morpheus.taskview import ResourceAllocation, SchedulingUnderDrift, ToolCallTaskView
    from skyfall_crl.env.morpheus.vector import PersistentVectorEnv
    from skyfall_crl.ports.tools import ActionOutcome, ToolCall

_HOMES = {
    "DEFAULT_LAYOUT": "morpheus_env",
    "DEFAULT_MAX_STEPS": "morpheus_env",
    "ActionOutcome": "action",
    "ActionScope": "action",
    "BackendError": "ports",
    "FinancialState": "economics",
    "HttpBackend": "http_backend",
    "MorpheusBackend": "ports",
    "MorpheusEnv": "morpheus_env",
    "ObservationProjector": "observation",
    "ObservedTicket": "observation",
    "PersistentVectorEnv": "vector",
    "RecordedBackend": "recorded_backend",
    "ResourceAllocation": "taskview",
    "SchedulingUnderDrift": "taskview",
    "SimulatedBackend": "simulated_backend",
    "ToolCall": "action",
    "ToolCallTaskView": "taskview",
    "morpheus_world": "factory",
    "normalize_tickets": "observation",
    "parse_tool_call": "action",
    "world": "factory",
}

__all__ = [
    "DEFAULT_LAYOUT",
    "DEFAULT_MAX_STEPS",
    "ActionOutcome",
    "ActionScope",
    "BackendError",
    "FinancialState",
    "HttpBackend",
    "MorpheusBackend",
    "MorpheusEnv",
    "ObservationProjector",
    "ObservedTicket",
    "PersistentVectorEnv",
    "RecordedBackend",
    "ResourceAllocation",
    "SchedulingUnderDrift",
    "SimulatedBackend",
    "ToolCall",
    "ToolCallTaskView",
    "morpheus_world",
    "normalize_tickets",
    "parse_tool_call",
    "world",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
