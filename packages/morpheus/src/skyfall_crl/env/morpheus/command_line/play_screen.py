"""What a player sees: the clock, the open incidents, one of them in full, and how the last command went."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from skyfall_crl.env.morpheus.command_line.play_lines import HELP
from skyfall_crl.env.morpheus.command_line.play_session import Move, Session, number_of
from skyfall_crl.env.morpheus.references.published import levels
from skyfall_crl.env.morpheus.simulation.clock import instant
from skyfall_crl.env.morpheus.tickets import ObservedTicket

if TYPE_CHECKING:
    from rich.table import Table

SHOWN = 12
PLAIN_WIDTH = 110
_COLOURS = {"critical": "bold red", "high": "yellow", "medium": "cyan", "low": "dim"}


class Screen:
    """Writes to a terminal, or plain lines elsewhere."""

    def __init__(self) -> None:
        from rich.console import Console

        self.console = Console(highlight=False, markup=False, soft_wrap=True)
        if not self.console.is_terminal:
            self.console = Console(highlight=False, markup=False, soft_wrap=True, width=PLAIN_WIDTH)

    def say(self, text: str, style: str | None = None) -> None:
        """Write a line."""
        self.console.print(text, style=style)

    def board(self, session: Session, most: int = SHOWN) -> None:
        """Write the clock and the most urgent incidents."""
        incidents = session.incidents()
        days, minutes = divmod(session.minutes, 24 * 60)
        self.console.rule(
            f"{session.layout.title}, step {session.steps}, day {days + 1} {minutes // 60:02d}:{minutes % 60:02d}, "
            f"{len(incidents)} open, mean reward {session.earned / max(session.steps, 1):.3f}"
        )
        if not incidents:
            self.say("No open incidents. An empty line lets one step pass; help lists the commands.", "dim")
            return
        table = _table(("#", "priority", "hours", "value", "stage", "what is wrong", "tried or known"))
        for ticket in incidents[:most]:
            table.add_row(*_row(session, ticket), style=_COLOURS[ticket.priority])
        self.console.print(table)
        if len(incidents) > most:
            self.say(f"and {len(incidents) - most} less urgent ones; list shows all", "dim")

    def incident(self, session: Session, ticket: ObservedTicket) -> None:
        """Write one ticket, the records it names and the operations that may mend it."""
        symptom = session.layout.symptoms[session.symptom(ticket)]
        self.say(f"{number_of(ticket)}: {ticket.title} ({ticket.priority}, {ticket.failure_type})", "bold")
        for name, value in ticket.traits:
            self.say(f"  {name}: {value}")
        for record in ticket.evidence:
            self.say(f"  record: {record.get('path', '')}".replace(session.world_id, "{worldId}"))
        for note in ticket.work_notes:
            self.say(f"  note: {note}")
        known = session.causes.get(ticket.ticket_id)
        if known is not None:
            self.say(f"  cause: {symptom.causes[known]}", "green")
        for place, remedy in enumerate(symptom.remedies):
            call = session.layout.remedy_call(session.symptom(ticket), place, ticket.ticket_id)
            self.say(f"  {place + 1} {remedy.name}: {remedy.summary.lower()}")
            self.say(
                f"      {call.method} {call.path} {'' if call.body is None else json.dumps(call.body)}", "dim"
            )

    def move(self, move: Move) -> None:
        """Write how a command went and what its steps earned."""
        terms = ", ".join(f"{name} {value / move.steps:.3f}" for name, value in move.terms.items())
        each = " on average" if move.steps > 1 else ""
        style = "bold green" if move.mended else "bold yellow" if move.failed or not _accepted(move) else None
        self.say(f"{move.what}{_fate(move)}. Reward {move.reward:.3f} ({terms}{each})", style)

    def answer(self, answer: Mapping[str, Any]) -> None:
        """Write what the world answered."""
        self.console.print_json(json.dumps(answer.get("data", answer)))

    def findings(
        self, session: Session, ticket: ObservedTicket, answers: Sequence[Mapping[str, Any]]
    ) -> None:
        """Write the figures two linked records hold against each other, and the cause they show."""
        place = session.symptom(ticket)
        symptom = session.layout.symptoms[place]
        for evidence, answer in zip(symptom.evidence, answers, strict=True):
            data = answer.get("data", {})
            figures = data.get("shipment", data).get("customFields", {})
            self.say(
                f"  {evidence.entity}: " + ", ".join(f"{name} {value}" for name, value in figures.items())
            )
        known = session.causes.get(ticket.ticket_id)
        if known is None:
            self.say("  the records show no cause", "yellow")
        else:
            self.say(
                f"  cause: {symptom.causes[known]}; remedy {known + 1}, {symptom.remedies[known].name}",
                "green",
            )

    def commands(self) -> None:
        """Write the commands."""
        table = _table(("type", "to"))
        for words, meaning in HELP:
            table.add_row(words, meaning)
        self.console.print(table)

    def farewell(self, session: Session) -> None:
        """Write what was earned beside the references of the same configuration."""
        mean = session.earned / max(session.steps, 1)
        self.say(f"{session.steps} steps, mean reward {mean:.3f}", "bold")
        axes = {"cause_mix": session.configuration, "payment_terms": session.configuration}
        known = levels(session.layout, axes)
        if known:
            self.say(
                "over long runs: " + ", ".join(f"{name} {level:.3f}" for name, level in known.items()), "dim"
            )


def _table(columns: Sequence[str]) -> "Table":
    from rich import box
    from rich.table import Table

    table = Table(*columns, box=box.SIMPLE_HEAD, pad_edge=False)
    for column in table.columns[:-1]:
        column.no_wrap = True
    return table


def _row(session: Session, ticket: ObservedTicket) -> tuple[str, ...]:
    symptom = session.layout.symptoms[session.symptom(ticket)]
    tried = [
        remedy.name for remedy in symptom.remedies if any(remedy.name in note for note in ticket.work_notes)
    ]
    known = session.causes.get(ticket.ticket_id)
    told = symptom.causes[known] if known is not None else ", ".join(f"not {name}" for name in tried)
    return (
        str(number_of(ticket)),
        ticket.priority,
        _age(session, ticket),
        f"{ticket.order_value:.2f}",
        symptom.stage,
        symptom.title,
        told,
    )


def _age(session: Session, ticket: ObservedTicket) -> str:
    opened = datetime.fromisoformat(ticket.created_at) - datetime.fromisoformat(instant(0, 1))
    return f"{session.minutes / 60 - opened.total_seconds() / 3600:.1f}"


def _accepted(move: Move) -> bool:
    return move.outcome is None or move.outcome.accepted


def _fate(move: Move) -> str:
    outcome = move.outcome
    if outcome is None or not outcome.sent:
        return "" if _accepted(move) else f": refused, {outcome.reason if outcome else ''}"
    if not outcome.accepted:
        return f": refused with {outcome.status}, {move.answer.get('error', outcome.reason)}"
    fault = "; the fault is mended" if move.mended else "; the fault remains" if move.failed else ""
    return f": accepted with {outcome.status}{fault}"
