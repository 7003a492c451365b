"""Conformance checks that a plugin author runs on what the plugin offers."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyfall_crl.testing.algorithm import check_algorithm
    from skyfall_crl.testing.doubles import SwitchingBandit
    from skyfall_crl.testing.environment import check_environment
    from skyfall_crl.testing.plugin import ConformanceError, check, check_plugin
    from skyfall_crl.testing.policy import check_policy
    from skyfall_crl.testing.regime_provider import check_regime_provider, check_schedule_provider
    from skyfall_crl.testing.reward_spec import check_reward_spec
    from skyfall_crl.testing.sink import check_sink
    from skyfall_crl.testing.snapshot import check_snapshots
    from skyfall_crl.testing.task_view import check_task_view
    from skyfall_crl.testing.window import collect_window

_HOMES = {
    "ConformanceError": "plugin",
    "SwitchingBandit": "doubles",
    "check": "plugin",
    "check_algorithm": "algorithm",
    "check_environment": "environment",
    "check_plugin": "plugin",
    "check_policy": "policy",
    "check_regime_provider": "regime_provider",
    "check_reward_spec": "reward_spec",
    "check_schedule_provider": "regime_provider",
    "check_sink": "sink",
    "check_snapshots": "snapshot",
    "check_task_view": "task_view",
    "collect_window": "window",
}

__all__ = [
    "ConformanceError",
    "SwitchingBandit",
    "check",
    "check_algorithm",
    "check_environment",
    "check_plugin",
    "check_policy",
    "check_regime_provider",
    "check_reward_spec",
    "check_schedule_provider",
    "check_sink",
    "check_snapshots",
    "check_task_view",
    "collect_window",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
