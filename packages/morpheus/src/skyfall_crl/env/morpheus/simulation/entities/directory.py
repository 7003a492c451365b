"""The directory: which entity a business id within a collection names, and where an entity stands."""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from skyfall_crl.env.morpheus.simulation.entities.collections import HOMES, Collection, collections
from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.env.morpheus.simulation.templates import ENTITY_IDS

_MOST_DIGITS = 9


class Place(NamedTuple):
    """Where an entity stands; `kind` and `number` are empty where it belongs to no order."""

    collection: Collection
    identifier: str
    kind: str = ""
    number: int = -1

    @property
    def path(self) -> str:
        """The entity's path within its world."""
        return f"{self.collection.path}/{self.identifier}"


class Directory:
    """The collections of one layout."""

    def __init__(self, layout: Layout):
        self.collections: Mapping[str, Collection] = collections(layout)
        self._positions = {path: position for position, path in enumerate(self.collections)}
        self._forms = {kind: form.partition("{number}")[::2] for kind, form in ENTITY_IDS.items()}

    def position(self, path: str) -> int:
        """Return the place of a collection among all."""
        return self._positions[path]

    def path(self, kind: str, number: int) -> str:
        """Return the path of the entity of a kind that stands around an order."""
        head, tail = self._forms[kind]
        return f"{HOMES[kind]}/{head}{number}{tail}"

    def place(self, collection: Collection, identifier: str) -> Place:
        """Return where the entity of a business id stands, whether or not there is one."""
        for kind in collection.around:
            number = self.number(kind, identifier)
            if number is not None:
                return Place(collection, identifier, kind, number)
        return Place(collection, identifier)

    def number(self, kind: str, identifier: str) -> int | None:
        """Return the number of the order a business id is of, None where it isn't one of this kind."""
        head, tail = self._forms[kind]
        if not identifier.startswith(head) or not identifier.endswith(tail):
            return None
        digits = identifier[len(head) : len(identifier) - len(tail)]
        plain = digits.isascii() and digits.isdecimal() and len(digits) <= _MOST_DIGITS
        return int(digits) if plain and (digits == "0" or digits[0] != "0") else None


@cache
def _directories() -> dict[str, tuple[Layout, Directory]]:
    return {}


def directory(layout: Layout) -> Directory:
    """Return the directory of a layout, made once for each."""
    known = _directories()
    found = known.get(layout.name)
    if found is None or found[0] is not layout:
        found = known[layout.name] = (layout, Directory(layout))
    return found[1]
