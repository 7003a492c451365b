"""The contracts that environments, policies, algorithms and tools are written against."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyfall_crl.ports.algorithm import Algorithm, WeightsFormat, Window
    from skyfall_crl.ports.environment import Applied, Capabilities, EnvSpec, ShiftedEnvironment, capabilities
    from skyfall_crl.ports.errors import (
        CheckpointError,
        ConfigError,
        CrlError,
        EnvironmentFailure,
        PolicyError,
        TraceError,
    )
    from skyfall_crl.ports.executor import RunExecutor
    from skyfall_crl.ports.fanout import FanOut, WorldFailure
    from skyfall_crl.ports.metric import Metric, MetricValue
    from skyfall_crl.ports.policy import Decision, Policy
    from skyfall_crl.ports.sink import Sink
    from skyfall_crl.ports.snapshot import Snapshot, Snapshottable
    from skyfall_crl.ports.task_view import TaskView
    from skyfall_crl.ports.tools import ActionOutcome, Tool, ToolCall

_HOMES = {
    "ActionOutcome": "tools",
    "Algorithm": "algorithm",
    "Applied": "environment",
    "Capabilities": "environment",
    "CheckpointError": "errors",
    "ConfigError": "errors",
    "CrlError": "errors",
    "Decision": "policy",
    "EnvSpec": "environment",
    "EnvironmentFailure": "errors",
    "FanOut": "fanout",
    "Metric": "metric",
    "MetricValue": "metric",
    "Policy": "policy",
    "PolicyError": "errors",
    "RunExecutor": "executor",
    "ShiftedEnvironment": "environment",
    "Sink": "sink",
    "Snapshot": "snapshot",
    "Snapshottable": "snapshot",
    "TaskView": "task_view",
    "Tool": "tools",
    "ToolCall": "tools",
    "TraceError": "errors",
    "WeightsFormat": "algorithm",
    "Window": "algorithm",
    "WorldFailure": "fanout",
    "capabilities": "environment",
}

__all__ = [
    "ActionOutcome",
    "Algorithm",
    "Applied",
    "Capabilities",
    "CheckpointError",
    "ConfigError",
    "CrlError",
    "Decision",
    "EnvSpec",
    "EnvironmentFailure",
    "FanOut",
    "Metric",
    "MetricValue",
    "Policy",
    "PolicyError",
    "RunExecutor",
    "ShiftedEnvironment",
    "Sink",
    "Snapshot",
    "Snapshottable",
    "TaskView",
    "Tool",
    "ToolCall",
    "TraceError",
    "WeightsFormat",
    "Window",
    "WorldFailure",
    "capabilities",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
