"""Arguments of policies and algorithms: refusing values that can't be meant."""

import math
import sys

from skyfall_crl.ports.errors import ConfigError

LARGEST = sys.float_info.max


def check_real(name: str, value: object, *, above_zero: bool = False, at_most: float = LARGEST) -> float:
    """Return `value`, a finite number in [0, `at_most`] or above 0; raises `ConfigError` for others."""
    number = value if isinstance(value, (int, float)) and not isinstance(value, bool) else math.nan
    if (number > 0 if above_zero else number >= 0) and number <= at_most:
        return float(number)
    limit = "" if at_most == LARGEST else f" and at most {at_most:g}"
    expected = f"a number {'above 0' if above_zero else 'of at least 0'}{limit}"
    raise ConfigError(f"{name}: expected {expected}, found {value!r}")


def check_count(name: str, value: object, *, least: int = 1) -> int:
    """Return `value` if it is a whole number of at least `least`; raises `ConfigError` otherwise."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= least:
        return value
    raise ConfigError(f"{name}: expected a whole number of at least {least}, found {value!r}")


def check_flag(name: str, value: object) -> bool:
    """Return `value` if it is a boolean; raises `ConfigError` otherwise."""
    if isinstance(value, bool):
        return value
    raise ConfigError(f"{name}: expected true or false, found {value!r}")
