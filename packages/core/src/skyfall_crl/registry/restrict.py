"""Who may be asked: blocked plugins, the core alone, and registered ids alone."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

BLOCK_VARIABLE = "SKYFALL_CRL_BLOCK_PLUGINS"
BUILTIN = "builtin"

_registered_only: ContextVar[bool] = ContextVar("registered_only", default=False)
_everywhere = {"builtin": 0, "registered": 0}


@contextmanager
def registered_only(*, process_wide: bool = False) -> Iterator[None]:
    """Refuse, inside the block, every id that imports a module no installed plugin has named.

    The restriction follows the context, so a thread obeys it when it was started with a copy of that context.
    With `process_wide` every thread obeys it, which is what a whole command under `--plugins-only` needs.
    """
    token = _registered_only.set(True)
    _everywhere["registered"] += process_wide
    try:
        yield
    finally:
        _everywhere["registered"] -= process_wide
        _registered_only.reset(token)


def is_registered_only() -> bool:
    """Tell whether only registered ids may be used here."""
    return _registered_only.get() or _everywhere["registered"] > 0


@contextmanager
def builtin_only() -> Iterator[None]:
    """Leave out, inside the block and in every thread, all plugins but the core's own."""
    _everywhere["builtin"] += 1
    try:
        yield
    finally:
        _everywhere["builtin"] -= 1


def blocker(plugin: str) -> str | None:
    """Return what blocks a plugin, or None."""
    if plugin != BUILTIN and _everywhere["builtin"]:
        return "--no-plugins"
    listed = (word.strip() for word in os.environ.get(BLOCK_VARIABLE, "").split(","))
    return BLOCK_VARIABLE if plugin in listed else None
