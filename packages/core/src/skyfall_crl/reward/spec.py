"""Reward specs as plain data: a weighted mean of named signals, each in [0, 1]."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from skyfall_crl.ports.errors import EnvironmentFailure
from skyfall_crl.ports.fields import (
    FieldError,
    describe,
    inside,
    items,
    mapping,
    nearest,
    not_negative,
    plain,
    text,
    unexpected,
    whole,
)

WEIGHTS_AXIS = "reward_weights"
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class RewardTerm:
    """One signal and what it counts; `params` hold what no deployment records, such as capacity per step."""

    name: str
    weight: float
    params: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        text("name", self.name)
        not_negative("weight", self.weight)
        if not isinstance(self.params, Mapping):
            raise unexpected("params", "a mapping", self.params)
        object.__setattr__(self, "params", plain(self.params, "params"))

    @classmethod
    def from_mapping(cls, data: object) -> "RewardTerm":
        """Build a term from a mapping with these fields as keys; raises `ConfigError` with the key path."""
        return cls(**mapping(data, "a reward term", ("name", "weight"), ("params",)))

    def to_mapping(self) -> dict[str, Any]:
        """Return the mapping `from_mapping` reads."""
        data: dict[str, Any] = {"name": self.name, "weight": self.weight}
        if self.params:
            data["params"] = plain(self.params)
        return data


class Score(NamedTuple):
    """What a step earned: `reward` in [0, 1], unweighted `terms`, and those without a usable signal."""

    reward: float
    terms: dict[str, float]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RewardSpec:
    """A named, versioned list of terms, whose weighted mean is the reward.

    `version` is a whole number of at least 1. At least one weight is positive, and no two terms share a name.
    Raises `ConfigError` with the key path.
    """

    name: str
    version: int
    terms: tuple[RewardTerm, ...]
    _shares: tuple[tuple[str, float], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        text("name", self.name)
        whole("version", self.version, 1)
        object.__setattr__(self, "terms", tuple(self.terms))
        total, seen = 0.0, set[str]()
        for place, term in enumerate(self.terms):
            if term.name in seen:
                raise FieldError(
                    f"terms[{place}].name", f"expected each term once, found {term.name!r} again"
                )
            seen.add(term.name)
            total += term.weight
        if not 0.0 < total < math.inf:
            raise FieldError("terms", f"expected a positive, finite sum of weights, found {total!r}")
        object.__setattr__(self, "_shares", tuple((term.name, term.weight / total) for term in self.terms))

    @classmethod
    def from_mapping(cls, data: object) -> "RewardSpec":
        """Build a spec from `{name, version, terms: [{name, weight, params}]}`; raises `ConfigError`."""
        fields = mapping(data, "a reward spec", ("name", "version", "terms"))
        terms = []
        for place, entry in enumerate(items("terms", fields["terms"], "term")):
            with inside(f"terms[{place}]"):
                terms.append(RewardTerm.from_mapping(entry))
        return cls(fields["name"], fields["version"], tuple(terms))

    def to_mapping(self) -> dict[str, Any]:
        """Return the plain data from which `from_mapping` builds an equal spec."""
        terms = [term.to_mapping() for term in self.terms]
        return {"name": self.name, "version": self.version, "terms": terms}

    def at(self, axes: Mapping[str, Any]) -> "RewardSpec":
        """Return the spec with the weights that a regime's axis `reward_weights` lays over its own.

        This spec stays as it is, and is what is returned when the axis is absent. Raises `ConfigError` for a
        weight of a term the spec doesn't have.
        """
        weights = axes.get(WEIGHTS_AXIS)
        if weights is None:
            return self
        names = [term.name for term in self.terms]
        with inside(WEIGHTS_AXIS):
            if not isinstance(weights, Mapping):
                raise unexpected("", "a mapping of term names to weights", weights)
            for name, weight in weights.items():
                if name not in names:
                    raise FieldError(str(name), f"unknown term of {self.name!r}{nearest(str(name), names)}")
                not_negative(str(name), weight)
            terms = tuple(replace(term, weight=weights.get(term.name, term.weight)) for term in self.terms)
            return replace(self, terms=terms)

    def check(self, signals: Sequence[str]) -> None:
        """Raise `ConfigError` when a term reads a signal that the environment doesn't declare."""
        for place, term in enumerate(self.terms):
            if term.name not in signals:
                problem = f"the environment has no signal {term.name!r}{nearest(term.name, signals)}"
                raise FieldError(f"reward spec {self.name!r}: terms[{place}].name", problem)

    def score(self, signals: Mapping[str, float | None]) -> Score:
        """Return the weighted mean of a step's signals, summed in the order of the terms.

        A signal that is absent, None or not finite counts 0 and is named in `missing`. Raises
        `EnvironmentFailure` for one that is more than `TOLERANCE` outside [0, 1].
        """
        reward = 0.0
        terms: dict[str, float] = {}
        missing: tuple[str, ...] = ()
        for name, share in self._shares:
            value = signals.get(name)
            if value.__class__ is not float or not 0.0 <= value <= 1.0:
                value = _usable(name, value)
                if value is None:
                    terms[name] = 0.0
                    missing = (*missing, name)
                    continue
            terms[name] = value
            reward += share * value
        return Score(reward, terms, missing)


def _usable(name: str, value: float | None) -> float | None:
    """Return a signal that is not simply a float in [0, 1] as one, or None when there is no reading it."""
    if value is None or not math.isfinite(value):
        return None
    if -TOLERANCE <= value <= 1.0 + TOLERANCE:
        return min(1.0, max(0.0, float(value)))
    raise EnvironmentFailure(f"reward signal {name!r}: expected a value in [0, 1], found {describe(value)}")
