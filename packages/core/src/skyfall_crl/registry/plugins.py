"""Load each plugin on its own, so that a broken one is a line of text and never a dead process."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from threading import RLock

import pluggy

from skyfall_crl.registry import hookspecs
from skyfall_crl.registry.core_range import core_version, unmet_range
from skyfall_crl.registry.discovery import Candidate, candidates
from skyfall_crl.registry.errors import BlockedError, PluginError, UnknownIdError
from skyfall_crl.registry.reference import Ref
from skyfall_crl.registry.restrict import blocker
from skyfall_crl.registry.suggest import FIRST_PARTY, comes_with, nearest


@dataclass(frozen=True, slots=True)
class Plugin:
    """One loaded plugin: what it names, by kind, and the manager that calls its hooks."""

    name: str
    refs: Mapping[str, Mapping[str, Ref]]
    manager: pluggy.PluginManager


@dataclass(frozen=True, slots=True)
class _Failure:
    """Why a plugin can't be used, as it is told each time somebody asks for it."""

    cause: BaseException
    line: str
    owners: str


class Plugins:
    """The plugins of this process; each is imported when one of its ids is first asked for."""

    def __init__(self, found: Mapping[str, tuple[Candidate, ...]]) -> None:
        self.found = found
        self._loaded: dict[str, Plugin] = {}
        self._failures: dict[str, _Failure] = {}
        self._lock = RLock()

    def names(self) -> tuple[str, ...]:
        """Return the installed plugins that are not blocked, in name order."""
        return tuple(name for name in self.found if blocker(name) is None)

    def get(self, name: str) -> Plugin:
        """Return one plugin, imported if need be; raises `PluginError` with the cause where it is broken."""
        if name not in self.found:
            near = nearest(name, self.names())
            hint = comes_with(FIRST_PARTY.get(name)) or near
            raise UnknownIdError(f"no plugin {name!r} is installed{hint}")
        if (by := blocker(name)) is not None:
            raise BlockedError(f"plugin {name!r} is blocked by {by}; take it off there to use its ids")
        with self._lock:
            if name not in self._loaded and name not in self._failures:
                try:
                    self._loaded[name] = _load(name, self.found[name])
                except (Exception, SystemExit) as exc:
                    owners = ", ".join(map(str, self.found[name]))
                    self._failures[name] = _Failure(exc, _describe(exc), owners)
            if (failure := self._failures.get(name)) is not None:
                whose = f"plugin {name!r} ({failure.owners})"
                raise PluginError(f"{whose} can't be used: {failure.line}") from failure.cause
            return self._loaded[name]

    def loaded(self) -> Iterator[Plugin]:
        """Load and return all that are not blocked, in name order, leaving out the broken ones."""
        for name in self.names():
            try:
                yield self.get(name)
            except PluginError:
                continue

    def failures(self) -> dict[str, str]:
        """Load all that are not blocked and return, by plugin name, one line for each that is broken."""
        broken = {}
        for name in self.names():
            try:
                self.get(name)
            except PluginError:
                broken[name] = self._failures[name].line
        return broken


@cache
def installed() -> Plugins:
    """Return the plugins of this process; the metadata is read on the first call."""
    return Plugins(candidates())


class _BrokenPlugin(Exception):
    """A plugin that imports and breaks a rule of registration."""


def _load(name: str, owners: tuple[Candidate, ...]) -> Plugin:
    if len(owners) > 1:
        claims = " and ".join(sorted(map(str, owners)))
        raise _BrokenPlugin(f"the name is claimed by {claims}; uninstall all but one")
    unmet = unmet_range(owners[0].requires, core_version())
    if unmet is not None:
        raise _BrokenPlugin(f"it needs {unmet} and {core_version()} is running; install versions that match")
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    manager.register(owners[0].entry_point.load(), name=name)
    manager.check_pending()
    return Plugin(name, {kind: _offered(manager, kind) for kind in hookspecs.KINDS}, manager)


def _offered(manager: pluggy.PluginManager, kind: str) -> Mapping[str, Ref]:
    hook = f"{hookspecs.PROJECT}_{kind}"
    refs: dict[str, Ref] = {}
    for offered in getattr(manager.hook, hook)():
        if not isinstance(offered, Mapping):
            raise _BrokenPlugin(f"{hook} must return a mapping of names to Refs, not {_kind_of(offered)}")
        for key, ref in offered.items():
            if not isinstance(key, str):
                raise _BrokenPlugin(f"{hook} must name things with strings, not {_kind_of(key)}")
            if not isinstance(ref, Ref):
                raise _BrokenPlugin(f"{hook} must give a Ref for {key!r}, not {_kind_of(ref)}")
            refs[key] = ref
    return refs


def _kind_of(value: object) -> str:
    return f"{type(value).__name__} {value!r:.60}"


def _describe(cause: BaseException) -> str:
    text = " ".join(str(cause).split())
    if isinstance(cause, _BrokenPlugin):
        return text
    return f"{type(cause).__name__}: {text}" if text else type(cause).__name__
