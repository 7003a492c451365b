"""The forms an id may take, in their order, and what each one names."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from skyfall_crl.registry import gymnasium_ids
from skyfall_crl.registry.errors import AmbiguousIdError, BlockedError, PluginError, UnknownIdError
from skyfall_crl.registry.hookspecs import KINDS
from skyfall_crl.registry.plugins import Plugin, installed
from skyfall_crl.registry.reference import Ref, import_target
from skyfall_crl.registry.restrict import is_registered_only
from skyfall_crl.registry.suggest import FIRST_PARTY, SECTIONS, comes_with, distribution_of_module, nearest


@dataclass(frozen=True, slots=True)
class Resolved:
    """Where the object behind an id is.

    `plugin` and `ref` are None for `module:attribute` and for Gymnasium ids; `name` is the id without its
    plugin. `target` is `module:attribute` to import, or the Gymnasium id when `gymnasium` is set.
    """

    kind: str
    id: str
    plugin: str | None
    name: str
    ref: Ref | None
    target: str
    gymnasium: bool = False

    def load(self) -> Any:
        """Import and return the object, whose type the kind decides; raises `PluginError` with the cause."""
        if self.gymnasium:
            return gymnasium_ids.factory(self.target)
        try:
            return import_target(self.target)
        except (Exception, SystemExit) as exc:
            raise PluginError(
                f"{self.kind} id {self.id!r}: loading {self.target} failed: {type(exc).__name__}: {exc}"
            ) from exc


def load(kind: str, identifier: str) -> Any:
    """Return the object an id names, which for most kinds is a factory; raises as `resolve` does."""
    return resolve(kind, identifier).load()


def resolve(kind: str, identifier: str) -> Resolved:
    """Find what an id of a kind names, importing no more than the plugins that have to be asked.

    An id is, in this order, `module:attribute`, `plugin/name`, a name that exactly one plugin offers, or,
    among the environments, a Gymnasium id. Raises `UnknownIdError`, `AmbiguousIdError`, `BlockedError`, or
    `PluginError` where the plugin or the module asked for is broken.
    """
    if kind not in KINDS:
        raise UnknownIdError(f"there is no kind {kind!r} of ids{nearest(kind, KINDS)}")
    module, colon, attribute = identifier.partition(":")
    if colon:
        return _from_module(kind, identifier, module, attribute)
    plugin, slash, name = identifier.partition("/")
    if slash and plugin in installed().found:
        return _from_plugin(kind, identifier, installed().get(plugin), name)
    if not slash and (found := _from_any_plugin(kind, identifier)) is not None:
        return found
    if kind == "environments" and gymnasium_ids.is_registered(identifier):
        return Resolved(kind, identifier, None, identifier, None, identifier, gymnasium=True)
    raise _unknown_plugin(kind, identifier, plugin) if slash else _unknown_name(kind, identifier)


def _from_module(kind: str, identifier: str, module: str, attribute: str) -> Resolved:
    is_path = all(part.isidentifier() for part in module.split("."))
    if not is_path or not (attribute.isidentifier() or kind == "environments"):
        raise UnknownIdError(f"{kind} id {identifier!r} must be 'module:attribute', 'plugin/name' or a name")
    if is_registered_only():
        return _from_target(kind, identifier)
    try:
        imported = import_module(module)
    except (Exception, SystemExit) as exc:
        raise _failed_import(kind, identifier, module, exc) from exc
    if attribute.isidentifier() and hasattr(imported, attribute):
        return Resolved(kind, identifier, None, attribute, None, identifier)
    if kind != "environments":
        raise UnknownIdError(
            f"{kind} id {identifier!r}: no {attribute!r} in the module{nearest(attribute, (), dir(imported))}"
        )
    if gymnasium_ids.is_registered(attribute):
        return Resolved(kind, identifier, None, attribute, None, identifier, gymnasium=True)
    raise UnknownIdError(
        f"{kind} id {identifier!r}: the module neither has {attribute!r} nor registers it with Gymnasium"
        f"{nearest(attribute, (), [*dir(imported), *gymnasium_ids.known()])}"
    )


def _failed_import(kind: str, identifier: str, module: str, cause: BaseException) -> PluginError:
    failed = f"{kind} id {identifier!r}: importing {module!r} failed: {type(cause).__name__}: {cause}"
    if isinstance(cause, ModuleNotFoundError) and f"{module}.".startswith(f"{cause.name}."):
        hint = comes_with(distribution_of_module(module)) or "; it must be installed or on PYTHONPATH"
        return UnknownIdError(failed + hint)
    return PluginError(failed)


def _from_target(kind: str, identifier: str) -> Resolved:
    for plugin in installed().loaded():
        for name, ref in plugin.refs[kind].items():
            if ref.target == identifier:
                return Resolved(kind, identifier, plugin.name, name, ref, ref.target)
    raise BlockedError(
        f"{kind} id {identifier!r} imports what no installed plugin names, and only registered ids are "
        "allowed here; use 'plugin/name', or allow it if you trust where this comes from"
    )


def _from_plugin(kind: str, identifier: str, plugin: Plugin, name: str) -> Resolved:
    ref = plugin.refs[kind].get(name)
    if ref is not None:
        return Resolved(kind, identifier, plugin.name, name, ref, ref.target)
    elsewhere = [other for other in KINDS if name in plugin.refs[other]]
    hint = f"; it has one among its {elsewhere[0]}" if elsewhere else nearest(name, plugin.refs[kind])
    raise UnknownIdError(f"plugin {plugin.name!r} has no {name!r} among its {kind}{hint}")


def _from_any_plugin(kind: str, name: str) -> Resolved | None:
    offers = [plugin for plugin in installed().loaded() if name in plugin.refs[kind]]
    if len(offers) > 1:
        choices = " or ".join(repr(f"{plugin.name}/{name}") for plugin in offers)
        raise AmbiguousIdError(f"{kind} id {name!r} is offered by {len(offers)} plugins; say {choices}")
    return _from_plugin(kind, name, offers[0], name) if offers else None


def _unknown_plugin(kind: str, identifier: str, plugin: str) -> UnknownIdError:
    hint = comes_with(FIRST_PARTY.get(plugin)) or nearest(plugin, installed().names())
    also = " and Gymnasium has no such id" if kind == "environments" else ""
    return UnknownIdError(f"{kind} id {identifier!r}: no plugin {plugin!r} is installed{also}{hint}")


def _unknown_name(kind: str, name: str) -> UnknownIdError:
    offered = {key for plugin in installed().loaded() for key in plugin.refs[kind]}
    also = gymnasium_ids.known() if kind == "environments" else ()
    brought_by = SECTIONS.get(name) if kind == "config_sections" else None
    hint = comes_with(brought_by) or nearest(name, offered, also)
    broken = ", ".join(installed().failures())
    silent = f"; these plugins are broken and could not be asked: {broken}" if broken else ""
    return UnknownIdError(f"no plugin offers {name!r} among its {kind}{hint}{silent}")
