"""Upper and lower reference rewards of identities, and where they come from."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.ports.plain import EMPTY

UPPER_REFERENCE = "informed"
LOWER_REFERENCE = "random"


@dataclass(frozen=True, slots=True)
class Bounds:
    """Reward per step by identity; `source` says in words who measured it."""

    values: Mapping[str, float] = field(default_factory=lambda: EMPTY)
    source: str = "none"


def read_bounds(path: Path | str) -> Bounds:
    """Read a JSON or YAML mapping of identity to number; raises `ConfigError`."""
    from skyfall_crl.ports.document import read_yaml

    return checked_bounds(read_yaml(path), str(path))


def checked_bounds(values: object, source: str) -> Bounds:
    """Take a mapping of identity to finite number; raises `ConfigError` naming `source` and the identity."""
    if not isinstance(values, Mapping):
        raise ConfigError(
            f"{source}: expected a mapping of identity to number, found {type(values).__name__}"
        )
    for identity, value in values.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        if not is_number:
            raise ConfigError(f"{source}: {identity}: expected a finite number, found {value!r}")
    return Bounds({str(identity): float(value) for identity, value in values.items()}, source)


def bounds_from_header(header: Mapping[str, Any], name: str) -> Bounds:
    """Take the reference called `name` from a provenance record; without any, no bounds."""
    references = header.get("references")
    if not isinstance(references, Mapping):
        return Bounds()
    values = {
        identity: levels[name]
        for identity, levels in references.items()
        if isinstance(levels, Mapping) and name in levels
    }
    return checked_bounds(values, f"the trace's reference `{name}`") if values else Bounds()
