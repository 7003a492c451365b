"""What a bundle records of an environment and of a config's arguments, as plain data."""

import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import gymnasium
import msgspec

from skyfall_crl.config.secret import refuse_clear_secrets
from skyfall_crl.ports.environment import attribute
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.ports.fields import describe, plain
from skyfall_crl.serve.errors import UnsupportedSpace
from skyfall_crl.serve.spaces import space_to_dict
from skyfall_crl.train.describe import describe_run
from skyfall_crl.train.provenance import versions


def provenance(env: Any) -> dict[str, Any]:
    """Return where a bundle comes from; what the environment says of itself stands under `describe` as it was said."""
    try:
        said = msgspec.json.decode(msgspec.json.encode(describe_run(env), enc_hook=_plain))
    except Exception as error:
        said = {"reported": False, "problem": f"describe: {type(error).__name__}: {error!s:.200}"}
    return {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "versions": versions(),
        "describe": said,
    }


def plain_arguments(value: Mapping[str, Any] | None, name: str) -> dict[str, Any]:
    """Return a copy of arguments as plain data; raises `ConfigError` for others and for secrets in clear."""
    found = plain({} if value is None else value, name)
    if not isinstance(found, dict):
        raise ConfigError(f"{name}: expected a mapping, found {describe(value)}")
    refuse_clear_secrets(found, name)
    return found


def recorded_space(env: Any, name: str) -> dict[str, Any] | None:
    """Return the data of one of the environment's spaces, None where it declares none."""
    try:
        return space_to_dict(getattr(env, name, None))
    except UnsupportedSpace as error:
        raise UnsupportedSpace(f"{name}: {error}") from None


def asked(env: Any, name: str) -> Any:
    """Return an attribute of the environment or of one of its wrappers, None without it."""
    return attribute(env, name, None) if isinstance(env, gymnasium.Env) else getattr(env, name, None)


def _plain(value: object) -> object:
    tolist = getattr(value, "tolist", None)
    if tolist is not None:
        return tolist()
    return dict(value) if isinstance(value, Mapping) else str(value)
