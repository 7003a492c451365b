"""Arguments of factories, checked before anything is built."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from skyfall_crl.config.secret import refuse_clear_secrets, resolve_secrets
from skyfall_crl.ports.errors import ConfigError, CrlError


def build_part(factory: Callable[..., Any], kwargs: Mapping[str, Any], section: str, *leading: Any) -> Any:
    """Call a factory with the arguments of a config section, secrets resolved.

    Raises `ConfigError` that names the section for an argument the factory doesn't know, a secret in clear where
    the factory marks it by `secret_kwargs`, and for `TypeError` and `ValueError` out of the factory.
    """
    check_arguments(factory, kwargs, section, *leading)
    resolved = resolve_secrets(dict(kwargs), section)
    try:
        return factory(*leading, **resolved)
    except CrlError as error:
        if isinstance(error, ConfigError):
            raise ConfigError(f"{section}: {error}") from error
        raise
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{section}: {_shielded(error, kwargs, resolved)}") from None


def check_arguments(
    factory: Callable[..., Any], kwargs: Mapping[str, Any], section: str, *leading: Any
) -> None:
    """Raise `ConfigError` when the factory can't be called with these arguments."""
    marked = frozenset(getattr(factory, "secret_kwargs", ()))
    if marked:
        refuse_clear_secrets(dict(kwargs), section, marked)
    try:
        signature = inspect.signature(factory)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*leading, **kwargs)
    except TypeError as error:
        takes = ", ".join(
            name for name, kind in _named(signature) if kind is not inspect.Parameter.POSITIONAL_ONLY
        )
        raise ConfigError(f"{section}: {error}; it takes {takes or 'no arguments'}") from None


def _named(signature: inspect.Signature) -> list[tuple[str, Any]]:
    variable = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return [(name, p.kind) for name, p in signature.parameters.items() if p.kind not in variable]


def _shielded(error: Exception, kwargs: Mapping[str, Any], resolved: Mapping[str, Any]) -> str:
    """Return an error's text without any secret that was resolved on the way in."""
    text = str(error)
    for name, value in resolved.items():
        if isinstance(value, str) and value != kwargs[name] and value:
            text = text.replace(value, str(kwargs[name]))
    return text
