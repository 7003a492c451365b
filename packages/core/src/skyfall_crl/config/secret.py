"""Secrets: given by reference only, and resolved at the last moment."""

import os
import re
from pathlib import Path
from typing import Any

from skyfall_crl.ports.errors import ConfigError

REFERENCE = re.compile(r"\$\{(env|file):([^}]+)\}")
SECRET_NAMES = frozenset({"api_key", "apikey", "authorization", "headers", "password", "secret", "token"})


def refuse_clear_secrets(value: Any, path: str, marked: frozenset[str] = SECRET_NAMES) -> None:
    """Raise `ConfigError` where an argument whose name is marked secret holds text without a reference."""
    if isinstance(value, dict):
        for key, item in value.items():
            here = f"{path}.{key}"
            if key.lower() in marked:
                _require_references(item, here)
            else:
                refuse_clear_secrets(item, here, marked)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            refuse_clear_secrets(item, f"{path}[{number}]", marked)


def resolve_secrets(value: Any, path: str) -> Any:
    """Return the value with every `${env:NAME}` and `${file:PATH}` replaced by what it names.

    Raises `ConfigError` that names the variable or file, never its content.
    """
    if isinstance(value, dict):
        return {key: resolve_secrets(item, f"{path}.{key}") for key, item in value.items()}
    if isinstance(value, list):
        return [resolve_secrets(item, f"{path}[{number}]") for number, item in enumerate(value)]
    if isinstance(value, str) and "${" in value:
        return REFERENCE.sub(lambda match: _read(match.group(1), match.group(2), path), value)
    return value


def _require_references(value: Any, path: str) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            _require_references(item, f"{path}.{key}")
    elif isinstance(value, list):
        for number, item in enumerate(value):
            _require_references(item, f"{path}[{number}]")
    elif value is not None and not (isinstance(value, str) and REFERENCE.search(value)):
        raise ConfigError(
            f"{path}: expected a secret by reference, ${{env:NAME}} or ${{file:PATH}}, found a value in clear"
        )


def _read(kind: str, name: str, path: str) -> str:
    if kind == "env":
        found = os.environ.get(name)
        if found is None:
            raise ConfigError(f"{path}: expected the environment variable {name} to be set, found none")
        return found
    try:
        return Path(name).expanduser().read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{path}: expected a readable secret file {name}, found {type(error).__name__}"
        ) from None
