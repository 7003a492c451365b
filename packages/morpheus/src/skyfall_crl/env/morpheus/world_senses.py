"""What is read of a world after each step: in process its signals alone, over a network everything in one fan-out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from skyfall_crl.env.morpheus.economics import SOURCES, FinancialState, read_source
from skyfall_crl.env.morpheus.ports import BackendError, MorpheusBackend, SignallingBackend, StepSignals
from skyfall_crl.env.morpheus.reading_pool import Job, ReadingPool
from skyfall_crl.env.morpheus.tickets import (
    OPEN_STATUSES,
    holds_closed,
    listed,
    normalize_tickets,
    ticket_payloads,
)
from skyfall_crl.env.morpheus.wire_records import Memory, Record, total_count
from skyfall_crl.env.morpheus.world_regime import WorldRegime
from skyfall_crl.ports.plain import EMPTY

ASKED_AGAIN = 50
"""After how many looks a source that this world does not have is asked for again."""

UNUSED_EVERY = 10
"""In every how many looks tickets are asked for in a state that this world was never seen to use."""

_RAISED = ("new", "open")
"""States a world raises tickets in; until it was seen which, a new ticket could be in any."""

MOST_VERIFIED = 8
"""How many of the tickets an action claims are put to the verifier; it is slow, and claims are free."""


@dataclass(slots=True)
class Sensed:
    """One look at a world.

    `response` are its tickets as reported, None where unreadable; `verified` the claimed tickets whose checks passed,
    `unverified` whether the verifier failed to answer about one; `records` those of each economic source, None where
    it failed, and `absent` the sources this world does not have; `economics` is None where nobody asked for it.
    """

    signals: StepSignals | None
    response: Any = None
    verified: tuple[str, ...] = ()
    unverified: bool = False
    economics: FinancialState | None = None
    records: Mapping[str, Sequence[Record] | None] = field(default_factory=lambda: EMPTY)
    absent: frozenset[str] = frozenset()


class WorldSenses:
    """Reads one world over a network, with threads of its own."""

    def __init__(self, backend: MorpheusBackend) -> None:
        self._backend = backend
        self._signalling = backend if isinstance(backend, SignallingBackend) else None
        self._pool = ReadingPool()
        self._known: dict[str, Memory] = {source.name: {} for source in SOURCES}
        self._absent: set[str] = set()
        self.begin()

    def begin(self) -> None:
        """Start in a world of which nothing is known."""
        self._absent.clear()
        self._looks = self._ticket_looks = 0
        self._by_status = False
        self._used: set[str] = set()

    def look(
        self,
        world_id: str,
        claimed: Sequence[str],
        regime: WorldRegime,
        *,
        economic: bool,
        tickets_written: bool = False,
    ) -> Sensed:
        """Read everything at once, the verifier's word on claimed tickets included, and tell an announced regime.

        `economic` says whether money and units are wanted, `tickets_written` whether an agent may have moved tickets
        into states that the world itself doesn't use.
        """
        backend = self._backend
        self._ticket_looks += 1
        every = tickets_written or self._ticket_looks % UNUSED_EVERY == 0 or self._used.isdisjoint(_RAISED)
        jobs = self._ticket_jobs(world_id, every=every)
        if self._signalling is not None:
            jobs["signals"] = partial(self._signalling.step_signals, world_id)
            claimed = ()
        claimed = tuple(dict.fromkeys(claimed))[:MOST_VERIFIED]
        jobs.update({f"verify {ticket}": partial(backend.verify, world_id, ticket) for ticket in claimed})
        if economic:
            if self._looks % ASKED_AGAIN == 0:
                self._absent.clear()
            self._looks += 1
            for source in SOURCES:
                if source.name in self._absent:
                    continue
                path = source.path.replace("{worldId}", world_id)
                jobs[source.name] = partial(backend.fetch, world_id, path, params=source.params)
        jobs.update(regime.errands(backend, world_id))
        found = self._pool.run(jobs)
        regime.returned(found)
        signals = found.get("signals")
        return Sensed(
            signals if isinstance(signals, StepSignals) else None,
            self._tickets(found, world_id),
            tuple(ticket for ticket in claimed if _passed(found[f"verify {ticket}"])),
            any(isinstance(found[f"verify {ticket}"], BackendError) for ticket in claimed),
            *(self._economics(found) if economic else ()),
        )

    def _economics(
        self, found: Mapping[str, Any]
    ) -> tuple[FinancialState, Mapping[str, Sequence[Record] | None], frozenset[str]]:
        names = [source.name for source in SOURCES]
        self._absent.update(name for name in names if _is_absent(found.get(name)))
        answers = {name: _answer(found.get(name)) for name in names}
        records = {
            source.name: read_source(source, answers[source.name], self._known[source.name])
            for source in SOURCES
        }
        counted = total_count(answers["orders"])
        return FinancialState.from_records(records, counted), records, frozenset(self._absent)

    def _ticket_jobs(self, world_id: str, *, every: bool) -> dict[str, Job]:
        """Return the reads of open tickets: by state once the world lists closed ones, which only ever get more.

        Unless `every` state is asked for, those the world was never seen to use are left out.
        """
        if not self._by_status:
            return {"tickets": partial(self._backend.get_tasks, world_id)}
        return {
            f"tickets {status}": partial(self._backend.get_tasks, world_id, status=status)
            for status in OPEN_STATUSES
            if every or status in self._used
        }

    def _tickets(self, found: Mapping[str, Any], world_id: str) -> Any:
        """Return the tickets that were read, None when a part of them could not be."""
        if "tickets" in found:
            answer = _answer(found["tickets"])
            self._used.update(ticket.status for ticket in normalize_tickets(answer))
            if not holds_closed(answer):
                return answer
            self._by_status = True
            found = self._pool.run(self._ticket_jobs(world_id, every=True))
        asked = [status for status in OPEN_STATUSES if f"tickets {status}" in found]
        answers = [_answer(found[f"tickets {status}"]) for status in asked]
        if any(listed(answer) is None for answer in answers):
            return None
        self._used.update(status for status, answer in zip(asked, answers, strict=True) if listed(answer))
        return [payload for answer in answers for payload in ticket_payloads(answer)]

    def close(self) -> None:
        """End the threads."""
        self._pool.close()


def _answer(found: Any) -> Any:
    return None if isinstance(found, BackendError) else found


def _is_absent(found: Any) -> bool:
    return isinstance(found, BackendError) and found.status == 404


def _passed(found: Any) -> bool:
    return isinstance(found, Mapping) and found.get("passed") is True
