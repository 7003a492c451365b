"""The accounts: cash movements that agents booked, kept apart from those of the process; whole cents."""

from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass
from typing import Any

KEPT = 128
MOST_CENTS = 10**15


@dataclass(slots=True)
class Movement:
    """One booked movement: what it did to cash, receivables and payables, in cents, and its cause."""

    ordinal: int
    step: int
    identifier: str
    cash: int
    source_type: str
    source_id: str
    partner: str = ""
    receivables: int = 0
    payables: int = 0
    metadata: Mapping[str, Any] | None = None

    @property
    def kind(self) -> str:
        """Whether money came in or went out."""
        return "payment_out" if self.cash < 0 else "payment_in"


@dataclass(slots=True)
class Totals:
    """What movements come to, in cents."""

    count: int = 0
    incoming: int = 0
    outgoing: int = 0
    receivables: int = 0
    payables: int = 0

    def add(self, movement: Movement) -> None:
        """Count a movement."""
        self.count += 1
        if movement.cash < 0:
            self.outgoing -= movement.cash
        else:
            self.incoming += movement.cash
        self.receivables += movement.receivables
        self.payables += movement.payables


class Accounts:
    """The movements agents booked in one world; the oldest are carried forward as totals."""

    __slots__ = ("carried", "movements", "ordinal")

    def __init__(self) -> None:
        self.movements: dict[str, Movement] = {}
        self.carried = Totals()
        self.ordinal = 0

    def book(self, step: int, cash: int, source: tuple[str, str], **fields: Any) -> Movement:
        """Book a movement with its cause; `identifier` among `fields` gives it an id of the agent's own."""
        identifier = fields.pop("identifier", "") or f"TRANS_N{self.ordinal}"
        movement = Movement(self.ordinal, step, identifier, cash, *source, **fields)
        self.ordinal += 1
        self.movements[identifier] = movement
        if len(self.movements) > KEPT:
            self.carried.add(self.movements.pop(next(iter(self.movements))))
        return movement

    def totals(self) -> Totals:
        """Return what all movements come to."""
        whole = Totals(*astuple(self.carried))
        for movement in self.movements.values():
            whole.add(movement)
        return whole

    def state(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "movements": [list(self._row(movement)) for movement in self.movements.values()],
            "carried": list(astuple(self.carried)),
            "ordinal": self.ordinal,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Accounts":
        """Return the accounts that `state` described; raises `LookupError` or `TypeError` for none."""
        accounts = cls()
        for row in state["movements"]:
            movement = Movement(*row)
            accounts.movements[movement.identifier] = movement
        accounts.carried = Totals(*state["carried"])
        accounts.ordinal = int(state["ordinal"])
        return accounts

    @staticmethod
    def _row(movement: Movement) -> Iterator[Any]:
        return iter([getattr(movement, name) for name in Movement.__slots__])


def cents(amount: float) -> int:
    """Return an amount of currency units in cents; raises `ValueError` for more than the accounts can hold."""
    found = round(amount * 100)
    if abs(found) > MOST_CENTS:
        raise ValueError(f"expected at most {MOST_CENTS // 100} currency units")
    return found
