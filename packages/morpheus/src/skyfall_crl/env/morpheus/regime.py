"""Which configuration a world runs under; the service lives in `skyfall_crl.regime`."""

from skyfall_crl.regime import (
    ConstantRegime,
    Regime,
    RegimePosition,
    RegimeProvider,
    RegimeSchedule,
    ScheduledRegime,
)

__all__ = [
    "ConstantRegime",
    "Regime",
    "RegimePosition",
    "RegimeProvider",
    "RegimeSchedule",
    "ScheduledRegime",
]
