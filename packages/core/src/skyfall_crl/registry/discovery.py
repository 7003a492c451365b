"""Which plugins are installed, from package metadata alone; nothing of theirs is imported."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points

GROUP = "skyfall_crl"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One distribution's claim to a plugin name."""

    entry_point: EntryPoint

    @property
    def distribution(self) -> str:
        """The name of the distribution, as it spells it."""
        dist = self.entry_point.dist
        return dist.name if dist else "unknown distribution"

    @property
    def version(self) -> str:
        """The version of the distribution."""
        dist = self.entry_point.dist
        return dist.version if dist else "unknown version"

    @property
    def requires(self) -> tuple[str, ...]:
        """What the distribution declares to need, one requirement each."""
        dist = self.entry_point.dist
        return tuple(dist.requires or ()) if dist else ()

    def __str__(self) -> str:
        return f"{self.distribution} {self.version}"


@cache
def candidates() -> Mapping[str, tuple[Candidate, ...]]:
    """Return every claim by plugin name, in name order; read once a process, found or not."""
    found: dict[str, list[Candidate]] = {}
    for entry_point in entry_points(group=GROUP):
        found.setdefault(entry_point.name, []).append(Candidate(entry_point))
    return {name: _in_order(found[name]) for name in sorted(found)}


def _in_order(claims: list[Candidate]) -> tuple[Candidate, ...]:
    return tuple(sorted(claims, key=str) if len(claims) > 1 else claims)
