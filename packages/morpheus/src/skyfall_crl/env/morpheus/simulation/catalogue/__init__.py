"""Every operation and entity of the wire as facts: what a request may hold and what an answer must."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyfall_crl.env.morpheus.simulation.catalogue.answers import Answer
    from skyfall_crl.env.morpheus.simulation.catalogue.documents import Entity
    from skyfall_crl.env.morpheus.simulation.catalogue.index import entity, find, find_root, names, operations
    from skyfall_crl.env.morpheus.simulation.catalogue.operation import Match, Operation

_HOMES = {
    "Answer": "answers",
    "Entity": "documents",
    "Match": "operation",
    "Operation": "operation",
    "entity": "index",
    "find": "index",
    "find_root": "index",
    "names": "index",
    "operations": "index",
}

__all__ = ["Answer", "Entity", "Match", "Operation", "entity", "find", "find_root", "names", "operations"]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        found: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        globals()[name] = found
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
