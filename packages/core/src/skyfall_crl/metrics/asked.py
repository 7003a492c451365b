"""What a run's own config says about its scoring, read from its provenance record."""

from collections.abc import Mapping
from typing import Any

import msgspec


class Asked(msgspec.Struct, frozen=True):
    """The config's `metrics` section: window length, share of the way up, upper bounds by identity."""

    window: int | None = None
    rho: float | None = None
    bounds: dict[str, float] = {}


def asked_for(header: Mapping[str, Any]) -> Asked:
    """Return what the recorded config asks for; nothing where there is none."""
    try:
        return msgspec.convert(_config(header).get("metrics"), Asked)
    except msgspec.ValidationError:
        return Asked()


def never_learned(header: Mapping[str, Any]) -> bool:
    """Say whether the recorded config names no algorithm, so that the policy stayed what it was."""
    config = _config(header)
    return "policy" in config and config.get("algorithm") is None


def _config(header: Mapping[str, Any]) -> Mapping[str, Any]:
    config = header.get("config")
    return config if isinstance(config, Mapping) else {}
