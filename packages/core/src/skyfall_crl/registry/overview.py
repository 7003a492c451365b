"""Every installed plugin as one row: whose it is, what it names, and what is wrong with it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from skyfall_crl.registry.plugins import installed
from skyfall_crl.registry.restrict import blocker


@dataclass(frozen=True, slots=True)
class PluginRow:
    """One plugin; `ids` maps each kind it serves to names and descriptions, `failure` is one line or None.

    Where several distributions claim the name, `distribution` and `version` list them all.
    """

    name: str
    distribution: str
    version: str
    state: Literal["ok", "failed", "blocked"]
    ids: Mapping[str, Mapping[str, str]]
    failure: str | None


def installed_plugins() -> dict[str, str]:
    """Return whose each plugin is that is not blocked, as `distribution version`; imports none of them."""
    plugins = installed()
    return {name: " and ".join(map(str, plugins.found[name])) for name in plugins.names()}


def overview() -> list[PluginRow]:
    """Load every plugin that is not blocked and return one row for each that is installed, in name order."""
    plugins = installed()
    failures = plugins.failures()
    return [_row(name, failures.get(name)) for name in plugins.found]


def _row(name: str, failure: str | None) -> PluginRow:
    plugins = installed()
    owners = plugins.found[name]
    blocked_by = blocker(name)
    ids: dict[str, dict[str, str]] = {}
    if blocked_by is None and failure is None:
        refs = plugins.get(name).refs
        ids = {
            kind: {key: ref.description for key, ref in sorted(named.items())}
            for kind, named in refs.items()
            if named
        }
    return PluginRow(
        name=name,
        distribution=", ".join(owner.distribution for owner in owners),
        version=", ".join(owner.version for owner in owners),
        state="blocked" if blocked_by else "failed" if failure else "ok",
        ids=ids,
        failure=f"blocked by {blocked_by}" if blocked_by else failure,
    )
