"""Export and serving: a trained policy that can be moved, opened by a stranger, and measured again."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyfall_crl.serve.bundle import Bundle, MissingCheckpoint, PolicyRef, WeightsFormat, export_bundle
    from skyfall_crl.serve.errors import BundleError, UnsupportedSpace
    from skyfall_crl.serve.runner import ServeResult, build_environment, load_policy, serve
    from skyfall_crl.serve.spaces import space_from_dict, space_to_dict

_HOMES = {
    "Bundle": "bundle",
    "BundleError": "errors",
    "MissingCheckpoint": "bundle",
    "PolicyRef": "bundle",
    "ServeResult": "runner",
    "UnsupportedSpace": "errors",
    "WeightsFormat": "bundle",
    "build_environment": "runner",
    "export_bundle": "bundle",
    "load_policy": "runner",
    "serve": "runner",
    "space_from_dict": "spaces",
    "space_to_dict": "spaces",
}

__all__ = [
    "Bundle",
    "BundleError",
    "MissingCheckpoint",
    "PolicyRef",
    "ServeResult",
    "UnsupportedSpace",
    "WeightsFormat",
    "build_environment",
    "export_bundle",
    "load_policy",
    "serve",
    "space_from_dict",
    "space_to_dict",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
