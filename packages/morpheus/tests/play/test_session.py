"""A session: what a command does to the world, told as an agent would be told."""

from collections.abc import Iterator

import pytest

from skyfall_crl.env.morpheus.command_line.play_session import Session, number_of
from skyfall_crl.env.morpheus.simulation.layouts import layout_names
from skyfall_crl.ports.tools import ToolCall

pytestmark = pytest.mark.floor


@pytest.fixture(params=layout_names())
def session(request: pytest.FixtureRequest) -> Iterator[Session]:
    started = Session(request.param, 5)
    yield started
    started.close()


def test_a_look_tells_the_cause_and_its_remedy_mends(session: Session) -> None:
    session.wait(60)
    ticket = session.incidents()[0]
    looked, _ = session.look(ticket)
    assert looked.steps == 2
    mended = session.fix(ticket, session.causes[ticket.ticket_id])
    assert mended.mended
    assert mended.terms["remediation"] > 0
    assert session.incident(number_of(ticket)) is None
    assert session.steps == 63


def test_a_wrong_remedy_is_noted_on_the_ticket(session: Session) -> None:
    session.wait(60)
    ticket = session.incidents()[0]
    session.look(ticket)
    wrong = (session.causes[ticket.ticket_id] + 1) % session.layout.causes
    move = session.fix(ticket, wrong)
    assert move.failed
    assert not move.mended
    noted = session.incident(number_of(ticket))
    assert noted is not None
    assert session.layout.symptoms[session.symptom(ticket)].remedies[wrong].name in noted.work_notes[0]


def test_equal_seeds_and_commands_give_equal_games() -> None:
    games = []
    for seed in (5, 5, 6):
        session = Session("process-inbound", seed)
        session.wait(60)
        session.fix(session.incidents()[0], 0)
        games.append((session.wait(20).reward, [ticket.title for ticket in session.incidents()]))
        session.close()
    assert games[0] == games[1] != games[2]


def test_what_an_agent_may_not_do_is_refused_and_costs_its_step(session: Session) -> None:
    move = session.call(ToolCall("GET", "/{worldId}/od/schedules/status"))
    assert move.outcome is not None
    assert not move.outcome.accepted
    assert (move.steps, move.answer) == (1, {})


def test_operations_are_listed_by_service(session: Session) -> None:
    every = session.operations("")
    assert set(session.operations("erp")) < set(every)
    assert session.operations("nothing") == []
    assert all("\n" not in line for line in every)


def test_an_operation_is_described_with_what_it_repairs(session: Session) -> None:
    symptom = session.layout.symptoms[0]
    segments = symptom.remedies[0].path.split("/")
    described = session.operations(segments[2], segments[3])
    assert any("\n" in text and symptom.title in text for text in described)


def test_tickets_of_the_players_own_are_no_incidents(session: Session) -> None:
    session.wait(30)
    before = session.incidents()
    body = {"title": "mine", "description": "x", "requester": "me", "priority": "critical"}
    move = session.call(ToolCall("POST", "/{worldId}/tickets", body))
    assert move.outcome is not None
    assert move.outcome.accepted
    assert {ticket.ticket_id for ticket in before} <= {ticket.ticket_id for ticket in session.incidents()}
    assert "mine" not in [ticket.title for ticket in session.incidents()]
    for ticket in session.incidents():
        assert session.layout.symptoms[session.symptom(ticket)].stage == ticket.failed_step
