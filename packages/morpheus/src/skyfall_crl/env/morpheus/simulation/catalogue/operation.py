"""One operation of the wire: what it takes, what it answers, and what is wrong with a request."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from skyfall_crl.env.morpheus.simulation.catalogue import answers, grammar
from skyfall_crl.env.morpheus.simulation.catalogue.answers import Answer
from skyfall_crl.env.morpheus.simulation.catalogue.kinds import Kind
from skyfall_crl.env.morpheus.simulation.catalogue.records import Record


@dataclass(slots=True)
class Operation:
    """One method on one path, as declared; its kinds are read from the table when first asked for.

    `path` is a template such as `/{worldId}/erp/orders/{orderId}`, `status` the code of success, and `errors` are
    the other codes that the deployment declares.
    """

    method: str
    path: str
    status: int
    errors: tuple[int, ...]
    service: str
    answer_text: str
    query_text: str
    body_text: str
    look_up: grammar.LookUp = field(repr=False, compare=False)
    _query: Kind | None = field(default=None, repr=False, compare=False)
    _body: Kind | None = field(default=None, repr=False, compare=False)
    _answer: Answer | None = field(default=None, repr=False, compare=False)

    @property
    def key(self) -> str:
        """The operation's name: `GET /{worldId}/erp/orders/{orderId}`."""
        return f"{self.method} {self.path}"

    @property
    def created(self) -> bool:
        """Whether success is answered with 201."""
        return self.status == 201

    @property
    def summary(self) -> str:
        """What the operation does, in a few words made of its method and its path."""
        return answers.summary(self.method, self.path)

    @property
    def body(self) -> Kind | None:
        """The kind of the request's body, or None where there is none."""
        if self._body is None and self.body_text:
            self._body = grammar.kind(self.body_text, self.look_up)
        return self._body

    @property
    def query(self) -> Record:
        """The query's parameters as a record; those that take several values are lists."""
        if self._query is None:
            self._query = grammar.kind(self.query_text or "{}", self.look_up)
        assert isinstance(self._query, Record)
        return self._query

    @property
    def answer(self) -> Answer:
        """What success answers."""
        if self._answer is None:
            self._answer = answers.answer(self.answer_text, self.status, self.look_up)
        return self._answer

    @property
    def body_fields(self) -> tuple[str, ...]:
        """The names of the body's declared fields."""
        return answers.field_names(self.body)

    @property
    def query_fields(self) -> tuple[str, ...]:
        """The names of the query's declared parameters."""
        return answers.field_names(self.query)

    def check_body(self, body: Any) -> str | None:
        """Return what is wrong with a body in one sentence that names the field, or None where it fits."""
        kind = self.body
        if kind is None:
            return None
        if body is None:
            if not answers.demands(kind):
                return None
            return "body: expected an object, found nothing"
        trouble = kind.trouble(body)
        return None if trouble is None else f"body{trouble[0]}: {trouble[1]}"

    def check_query(self, query: Mapping[str, str | Sequence[str]]) -> str | None:
        """Return what is wrong with a query's texts in one sentence that names the parameter, or None."""
        read = {
            each.name: _read(each.kind, query[each.name]) for each in self.query.fields if each.name in query
        }
        trouble = self.query.trouble(read)
        return None if trouble is None else f"query{trouble[0]}: {trouble[1]}"


class Match(NamedTuple):
    """An operation and what its path's parameters stand for in one request."""

    operation: Operation
    parameters: dict[str, str]


def _read(kind: Kind, given: str | Sequence[str]) -> Any:
    if isinstance(given, str):
        return kind.read(given)
    if answers.is_list(kind):
        return [item for text in given for item in kind.read(text)]
    return kind.read(given[0]) if len(given) == 1 else list(given)
