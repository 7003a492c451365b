"""Regimes: which configuration a world runs under at a given step."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyfall_crl.regime.configuration import Regime
    from skyfall_crl.regime.provider import ConstantRegime, RegimeProvider, ScheduledRegime
    from skyfall_crl.regime.schedule import RegimePosition, RegimeSchedule, has_to_be_told

_HOMES = {
    "ConstantRegime": "provider",
    "Regime": "configuration",
    "RegimePosition": "schedule",
    "RegimeProvider": "provider",
    "RegimeSchedule": "schedule",
    "ScheduledRegime": "provider",
    "has_to_be_told": "schedule",
}

__all__ = [
    "ConstantRegime",
    "Regime",
    "RegimePosition",
    "RegimeProvider",
    "RegimeSchedule",
    "ScheduledRegime",
    "has_to_be_told",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
