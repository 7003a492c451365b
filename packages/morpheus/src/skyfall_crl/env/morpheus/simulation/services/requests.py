"""Requests to the domain services of a world, and how one is refused."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from skyfall_crl.env.morpheus.simulation.catalogue.operation import Operation
from skyfall_crl.env.morpheus.simulation.enterprise import Enterprise
from skyfall_crl.env.morpheus.simulation.entities.directory import Place
from skyfall_crl.env.morpheus.simulation.store import Fields

Parts = dict[str, Any]
"""What an answer holds besides its envelope: `data`, and `pagination` where pages have it there."""

_OWN_ID = re.compile(r"[A-Za-z][\w.:-]{0,63}", re.ASCII)


class Rejected(Exception):
    """An operation the world refuses; `status` is the code it answers with."""

    def __init__(self, status: int, reason: str):
        super().__init__(reason)
        self.status = status


@dataclass(slots=True)
class Request:
    """One operation on one world: `parameters` are those of the path, `query` maps names to their values.

    A `trusted` one is known to leave entities as the wire declares them.
    """

    enterprise: Enterprise
    operation: Operation
    parameters: dict[str, str]
    query: dict[str, list[str]]
    body: Fields
    trusted: bool = False

    def asked(self, name: str) -> str | None:
        """Return the last value of a query parameter, or None."""
        values = self.query.get(name)
        return values[-1] if values else None

    def place(self, collection: str, identifier: str) -> Place:
        """Return where the entity of a business id stands."""
        directory = self.enterprise.directory
        return directory.place(directory.collections[collection], identifier)

    def new_place(self, collection: str, field: str) -> Place:
        """Return where an entity is to be created, by the body's id or a fresh one; raises `Rejected`."""
        store, home = self.enterprise.store, self.enterprise.directory.collections[collection]
        wanted = self.body.get(field) or f"{home.prefix}N{store.ordinal}"
        if not isinstance(wanted, str) or _OWN_ID.fullmatch(wanted) is None:
            raise Rejected(
                400, f"body.{field}: expected letters, digits, dots, colons, dashes and underscores"
            )
        place = self.place(collection, wanted)
        if place.kind or self.enterprise.entity(place) is not None:
            raise Rejected(409 if 409 in self.operation.errors else 400, f"body.{field}: {wanted} is taken")
        return place


Handler = Callable[[Request], Parts]
"""Carries out an operation; raises `Rejected` where it can't be and has then changed nothing."""

Change = Callable[[Request, dict[str, Any]], Fields]
"""Says which fields of an entity an operation writes, from the request and from the entity as it reads before."""
