"""Hooks by name: what a config's `hooks` list becomes."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.registry.reference import import_target
from skyfall_crl.registry.restrict import is_registered_only
from skyfall_crl.train.algorithms.hook import Hook
from skyfall_crl.train.arguments import build_part

HOMES = {
    "replay": "replay:Replay",
    "ewc": "anchors:OnlineEwc",
    "l2-init": "anchors:L2Init",
    "shrink-perturb": "plasticity:ShrinkPerturb",
    "continual-backprop": "plasticity:ContinualBackprop",
}
"""The hooks of this package, by the names a config gives them."""


def build_hooks(entries: Sequence[Hook | Mapping[str, Any]]) -> list[Hook]:
    """Build the hooks that entries `{id, kwargs}` name; hooks that are built already stay.

    An id is a name in `HOMES` or `module:attribute`. Raises `ConfigError` that says which entry is wrong.
    """
    if not isinstance(entries, list | tuple):
        raise ConfigError(f"hooks: expected a list of {{id, kwargs}}, found {entries!r}")
    return [_build(entry, f"hooks[{number}]") for number, entry in enumerate(entries)]


def _build(entry: Hook | Mapping[str, Any], at: str) -> Hook:
    if isinstance(entry, Hook):
        return entry
    if not {"id"} <= set(entry) <= {"id", "kwargs"}:
        raise ConfigError(f"{at}: expected id and, if wanted, kwargs, found {entry!r}")
    hook = build_part(_factory(entry["id"], at), entry.get("kwargs", {}), f"{at}.kwargs")
    if not isinstance(hook, Hook):
        raise ConfigError(f"{at}.id: expected {entry['id']!r} to build a Hook, found {type(hook).__name__}")
    return hook


def _factory(identifier: object, at: str) -> Callable[..., Any]:
    if isinstance(identifier, str) and (home := HOMES.get(identifier)) is not None:
        module, _, name = home.partition(":")
        found = getattr(import_module(f"skyfall_crl.train.algorithms.{module}"), name)
    elif isinstance(identifier, str) and ":" in identifier:
        if is_registered_only():
            raise ConfigError(
                f"{at}.id: {identifier!r} imports a module, and only registered ids are allowed"
            )
        try:
            found = import_target(identifier)
        except Exception as error:
            raise ConfigError(f"{at}.id: importing {identifier!r} failed: {error}") from error
    else:
        names = ", ".join(sorted(HOMES))
        raise ConfigError(f"{at}.id: expected module:attribute or one of {names}, found {identifier!r}")
    if not callable(found):
        raise ConfigError(f"{at}.id: expected something that can be called, found {found!r}")
    factory: Callable[..., Any] = found
    return factory
