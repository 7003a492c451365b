"""A layout's remedies as calls on a ticket, with everything filled in ahead that no ticket changes."""

from skyfall_crl.env.morpheus.simulation.identifiers import object_id, order_number
from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.ports.tools import ToolCall


class RemedyCalls:
    """Makes the calls of one remedy of one queue."""

    __slots__ = ("_body", "_fixed", "_layout", "_method", "_path", "_place")

    def __init__(self, layout: Layout, queue: int, remedy: int) -> None:
        template = layout.symptoms[queue].remedies[remedy]
        here, there = (layout.remedy_call(queue, remedy, object_id("0" * 14, n, queue)) for n in (1, 2))
        self._layout, self._place = layout, (queue, remedy)
        self._method, self._path, self._body = template.method, template.path, here.body
        self._fixed = here.body == there.body

    def call(self, ticket_id: str, world_id: str) -> ToolCall | None:
        """Return the operation on a ticket of a world, or None when the ticket names no order of the layout."""
        try:
            number = order_number(ticket_id)
        except ValueError:
            return None
        path = self._path.replace("{worldId}", world_id).replace("{number}", str(number))
        if self._fixed:
            return ToolCall(self._method, path, self._body)
        return ToolCall(self._method, path, self._layout.remedy_call(*self._place, ticket_id).body)


def read_call(layout: Layout, queue: int, ticket_id: str, which: int, world_id: str) -> ToolCall | None:
    """Return read number `which` (0 or 1) of a look at a ticket, or None when it names no order of the layout."""
    try:
        call = layout.look_calls(queue, ticket_id)[which]
    except ValueError:
        return None
    return ToolCall(call.method, call.path.replace("{worldId}", world_id), call.body)
