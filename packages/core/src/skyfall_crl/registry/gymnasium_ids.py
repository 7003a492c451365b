"""Environments that only Gymnasium knows: is the id registered, and how is it built."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import gymnasium


def is_registered(name: str) -> bool:
    """Tell whether Gymnasium knows exactly this id, version included."""
    import gymnasium

    return name in gymnasium.registry


def known() -> Iterable[str]:
    """Return every id that is registered now."""
    import gymnasium

    return tuple(gymnasium.registry)


def factory(env_id: str) -> "Callable[..., gymnasium.Env[Any, Any]]":
    """Return `(**kwargs) -> gymnasium.Env` for an id, without Gymnasium's checking wrapper."""

    def make(**kwargs: Any) -> "gymnasium.Env[Any, Any]":
        import gymnasium

        return gymnasium.make(env_id, disable_env_checker=True, **kwargs)

    return make
