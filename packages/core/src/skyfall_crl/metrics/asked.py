"""What a run's own config says about its scoring, read from its provenance record."""

from collections.abc import Mapping
from typing import Any

import msgspec

from skyfall_crl.metrics.parameters import DEFAULT_RHO, Parameters

FROZEN = ("frozen", "builtin/frozen")
"""The algorithm that learns nothing, unless it is given `train_steps`."""


class Asked(msgspec.Struct, frozen=True):
    """The config's `metrics` section: how curves are cut and judged, and upper bounds by identity."""

    window: int | None = None
    rho: float | None = None
    sustain: int | None = None
    burn_in: int | None = None
    bounds: dict[str, float] = {}

    def with_given(self, **given: float | None) -> "Asked":
        """Return the same with what was given in place of what the config says."""
        return msgspec.structs.replace(
            self, **{name: value for name, value in given.items() if value is not None}
        )

    def parameters(self, window: int) -> Parameters:
        """Return the parameters for a window length; raises `ConfigError` for one outside its range."""
        return Parameters(
            window,
            DEFAULT_RHO if self.rho is None else self.rho,
            sustain=1 if self.sustain is None else self.sustain,
            burn_in=self.burn_in or 0,
        )


def asked_for(header: Mapping[str, Any]) -> Asked:
    """Return what the recorded config asks for; nothing where there is none."""
    try:
        return msgspec.convert(_config(header).get("metrics"), Asked)
    except msgspec.ValidationError:
        return Asked()


def has_no_algorithm(header: Mapping[str, Any]) -> bool:
    """Say whether the recorded config names no algorithm, or only `frozen`, so that the policy stayed what it was."""
    config = _config(header)
    algorithm = config.get("algorithm")
    if isinstance(algorithm, Mapping):
        return algorithm.get("id") in FROZEN and not (algorithm.get("kwargs") or {}).get("train_steps")
    return "policy" in config and algorithm is None


def _config(header: Mapping[str, Any]) -> Mapping[str, Any]:
    config = header.get("config")
    return config if isinstance(config, Mapping) else {}
