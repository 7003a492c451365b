"""How anything becomes an id: plugins name things, and what a config asks for is imported on demand."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyfall_crl.registry.errors import AmbiguousIdError, BlockedError, PluginError, UnknownIdError
    from skyfall_crl.registry.hookspecs import KINDS, hookimpl
    from skyfall_crl.registry.lifecycle import HookFailure, Lifecycle
    from skyfall_crl.registry.lookup import Resolved, load, resolve
    from skyfall_crl.registry.overview import installed_plugins
    from skyfall_crl.registry.reference import Ref
    from skyfall_crl.registry.restrict import builtin_only, registered_only
    from skyfall_crl.registry.sections import config_sections, distribution_for_section

_HOMES = {
    "KINDS": "hookspecs",
    "AmbiguousIdError": "errors",
    "BlockedError": "errors",
    "HookFailure": "lifecycle",
    "Lifecycle": "lifecycle",
    "PluginError": "errors",
    "Ref": "reference",
    "Resolved": "lookup",
    "UnknownIdError": "errors",
    "builtin_only": "restrict",
    "config_sections": "sections",
    "hookimpl": "hookspecs",
    "installed_plugins": "overview",
    "load": "lookup",
    "registered_only": "restrict",
    "resolve": "lookup",
    "distribution_for_section": "sections",
}

__all__ = [
    "KINDS",
    "AmbiguousIdError",
    "BlockedError",
    "HookFailure",
    "Lifecycle",
    "PluginError",
    "Ref",
    "Resolved",
    "UnknownIdError",
    "builtin_only",
    "config_sections",
    "distribution_for_section",
    "hookimpl",
    "installed_plugins",
    "load",
    "registered_only",
    "resolve",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
