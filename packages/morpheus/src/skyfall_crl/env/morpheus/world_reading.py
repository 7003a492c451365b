"""What can be known of a world between two steps, read when somebody asks for it."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from skyfall_crl.env.morpheus.ports import (
    BackendError,
    BoardBackend,
    MorpheusBackend,
    StepSignals,
    TicketBoard,
)
from skyfall_crl.env.morpheus.tickets import ObservedTicket, normalize_tickets
from skyfall_crl.ports.tools import ActionOutcome

if TYPE_CHECKING:
    from skyfall_crl.env.morpheus.economics import FinancialState

_KEYS = dict.fromkeys(
    ("world_id", "world_time", "outcome", "remedied", "failed", "board", "tickets", "response")
)


class WorldReading(Mapping[str, Any]):
    """The observation mapping that task views are given.

    Keys: `world_id`; `world_time` in simulated minutes, None where not reported; `outcome` of the last
    action, None after a reset; `remedied` and `failed`, what that action did to the fault it addressed;
    `board`, the open tickets by queue, None where the backend has none; `tickets`, the normalised tickets;
    `response`, the raw ones.
    """

    __slots__ = (
        "_backend",
        "_boards",
        "_response",
        "_tickets",
        "board",
        "economics",
        "failed",
        "outcome",
        "remedied",
        "tickets_written",
        "unread",
        "world_id",
        "world_time",
    )

    def __init__(self, backend: MorpheusBackend, world_id: str) -> None:
        self._backend = backend
        self._boards = backend if isinstance(backend, BoardBackend) else None
        self.world_id = world_id
        self.world_time: int | None = None
        self.outcome: ActionOutcome | None = None
        self.board: TicketBoard | None = None
        self.economics: FinancialState | None = None
        self.remedied = self.failed = False
        self.tickets_written = False
        self.unread = True
        self._response: Any = None
        self._tickets: list[ObservedTicket] | None = None

    def renew(self, outcome: ActionOutcome | None, signals: StepSignals | None) -> ActionOutcome | None:
        """Forget what was read, take what the last step reported, and return its outcome with what was verified.

        Without an outcome the last step's signals belong to nobody; without signals the verifier's word
        decides.
        """
        self.world_time = None if signals is None else signals.world_time
        self.remedied = self.failed = False
        if outcome is not None and signals is not None:
            self.remedied, self.failed = signals.remedied, signals.failed
            if signals.remedied and outcome.tickets:
                outcome = with_verified(outcome, outcome.tickets)
        elif outcome is not None:
            self.remedied = bool(outcome.verified)
            self.failed = outcome.sent and bool(outcome.tickets) and not outcome.verified
        self.outcome = outcome
        self.board = None if self._boards is None else self._boards.ticket_board(self.world_id)
        self.unread = True
        self._response = None
        self._tickets = None
        return outcome

    def receive(self, response: Any, economics: "FinancialState | None") -> None:
        """Take what was read together with the signals: the tickets, None where unreadable, and the figures."""
        self.unread = False
        self._response, self.economics = response, economics

    @property
    def response(self) -> Any:
        """The open tickets as the backend reports them, or None when it could not be read."""
        if self.unread:
            self.unread = False
            try:
                self._response = self._backend.get_tasks(self.world_id)
            except BackendError:
                self._response = None
        return self._response

    def fetch_ticket(self, ticket_id: str) -> Any:
        """Return one ticket as the backend reports it, or None when it could not be read."""
        try:
            answer = self._backend.fetch(self.world_id, f"/{self.world_id}/tickets/{ticket_id}")
        except BackendError:
            return None
        return answer.get("data", answer) if isinstance(answer, Mapping) else None

    @property
    def tickets(self) -> list[ObservedTicket]:
        """The usable tickets of `response`."""
        if self._tickets is None:
            self._tickets = normalize_tickets(self.response)
        return self._tickets

    def __getitem__(self, key: str) -> Any:
        if key in _KEYS:
            return getattr(self, key)
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(_KEYS)

    def __len__(self) -> int:
        return len(_KEYS)


def with_verified(outcome: ActionOutcome, tickets: tuple[str, ...]) -> ActionOutcome:
    """Return the outcome with the tickets whose remediation was verified."""
    return ActionOutcome(
        outcome.accepted,
        outcome.sent,
        outcome.reason,
        outcome.status,
        outcome.tickets,
        tickets,
        outcome.details,
    )
