"""A causal language model that acts through its text and is trained in the run (extra `language`)."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyfall_crl.serve.language.policy import LanguagePolicy, language_policy
    from skyfall_crl.serve.language.reinforce import LanguageReinforce

_HOMES = {"LanguagePolicy": "policy", "LanguageReinforce": "reinforce", "language_policy": "policy"}

__all__ = ["LanguagePolicy", "LanguageReinforce", "language_policy"]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
