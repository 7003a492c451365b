"""A policy that asks a language model behind an OpenAI-compatible endpoint (extra `chat`)."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyfall_crl.serve.chat.answer import Reply
    from skyfall_crl.serve.chat.endpoint import ChatEndpoint, ChatFailure
    from skyfall_crl.serve.chat.policy import ChatPolicy

_HOMES = {"ChatEndpoint": "endpoint", "ChatFailure": "endpoint", "ChatPolicy": "policy", "Reply": "answer"}

__all__ = ["ChatEndpoint", "ChatFailure", "ChatPolicy", "Reply"]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
