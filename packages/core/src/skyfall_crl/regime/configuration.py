"""One configuration of a world, and how names that repeat a configuration are resolved."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from skyfall_crl.ports.fields import FieldError, mapping, nearest, plain, text, unexpected, whole


@dataclass(frozen=True, slots=True)
class Regime:
    """One configuration: what it is called, how long it lasts, and how it behaves.

    `duration_steps` is at least 1, or None for "until the run ends". `axes` is plain data by axis name,
    copied on the way in. An entry with `alias_of` repeats another configuration of its schedule under a new
    name. Raises `ConfigError` with the field's name.
    """

    regime_id: str
    duration_steps: int | None = None
    alias_of: str | None = None
    axes: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        text("regime_id", self.regime_id)
        if self.duration_steps is not None:
            whole("duration_steps", self.duration_steps, 1)
        if self.alias_of is not None:
            text("alias_of", self.alias_of)
        if not isinstance(self.axes, Mapping):
            raise unexpected("axes", "a mapping of axis names to values", self.axes)
        object.__setattr__(self, "axes", plain(self.axes, "axes"))

    @classmethod
    def from_mapping(cls, data: object) -> "Regime":
        """Build a regime from a mapping with these fields as keys; raises `ConfigError` with the key path."""
        fields = mapping(data, "a regime", ("regime_id",), ("duration_steps", "alias_of", "axes"))
        if fields.get("axes", {}) is None:
            fields = {key: value for key, value in fields.items() if key != "axes"}
        return cls(**fields)

    def to_mapping(self) -> dict[str, Any]:
        """Return the mapping `from_mapping` reads; an alias is written without the axes it repeats."""
        data: dict[str, Any] = {"regime_id": self.regime_id}
        if self.duration_steps is not None:
            data["duration_steps"] = self.duration_steps
        if self.alias_of is not None:
            data["alias_of"] = self.alias_of
        elif self.axes:
            data["axes"] = plain(self.axes)
        return data

    @property
    def identity(self) -> str:
        """What configuration this is, whatever it is called here; a schedule resolves aliases of aliases."""
        return self.alias_of or self.regime_id

    def select(self, axes: Collection[str]) -> dict[str, Any]:
        """Return the axes named here that this configuration sets, in its own order."""
        return {name: value for name, value in self.axes.items() if name in axes}

    def exclude(self, axes: Collection[str]) -> dict[str, Any]:
        """Return every axis this configuration sets except the ones named, in its own order."""
        return {name: value for name, value in self.axes.items() if name not in axes}

    def under(self, axes: Mapping[str, Any]) -> "Regime":
        """Return this configuration with other axes, which must be plain data already and are not copied."""
        other = object.__new__(Regime)
        for name in ("regime_id", "duration_steps", "alias_of"):
            object.__setattr__(other, name, getattr(self, name))
        object.__setattr__(other, "axes", axes)
        return other


def resolve_aliases(regimes: Sequence[Regime]) -> tuple[Regime, ...]:
    """Give every alias the id and the axes of the configuration at the end of its chain.

    Raises `ConfigError` for repeated ids, unknown or circular aliases, and an alias whose axes differ from
    those it repeats.
    """
    by_id: dict[str, Regime] = {}
    for index, regime in enumerate(regimes):
        if regime.regime_id in by_id:
            path = f"regimes[{index}].regime_id"
            raise FieldError(path, f"expected each id once, found {regime.regime_id!r} again")
        by_id[regime.regime_id] = regime
    return tuple(
        regime if regime.alias_of is None else _resolved(regime, by_id, f"regimes[{index}]")
        for index, regime in enumerate(regimes)
    )


def _resolved(alias: Regime, by_id: Mapping[str, Regime], path: str) -> Regime:
    seen = [alias.regime_id]
    root = alias
    while root.alias_of is not None:
        if root.alias_of not in by_id:
            problem = f"unknown regime {root.alias_of!r}{nearest(root.alias_of, list(by_id))}"
            raise FieldError(f"{path}.alias_of", problem)
        root = by_id[root.alias_of]
        if root.regime_id in seen:
            chain = " -> ".join([*seen, root.regime_id])
            raise FieldError(f"{path}.alias_of", f"expected a chain that ends, found {chain}")
        seen.append(root.regime_id)
    if alias.axes and alias.axes != root.axes:
        problem = f"expected none beside alias_of, which takes those of {root.regime_id!r}; found a mapping"
        raise FieldError(f"{path}.axes", problem)
    return replace(alias, alias_of=root.regime_id, axes=root.axes)
