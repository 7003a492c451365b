"""The libraries of the extra `language`, imported when a policy is built and not before."""

from typing import Any

from skyfall_crl.ports.errors import ConfigError


def libraries() -> tuple[Any, Any]:
    """Return torch and transformers; raises `ConfigError` that names the extra where one is missing."""
    try:
        import safetensors  # noqa: F401
        import torch
        import transformers
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"serve/language needs {error.name}, found none; install it with: "
            "pip install 'skyfall-crl-serve[language]'"
        ) from None
    return torch, transformers
