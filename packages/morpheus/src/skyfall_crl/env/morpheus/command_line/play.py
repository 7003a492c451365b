"""`skyfall-crl morpheus play`: a person works the incidents of an embedded world, and sees what an agent sees."""

import sys
from collections.abc import Iterator
from contextlib import suppress

from skyfall_crl.env.morpheus.command_line.play_lines import Line, LineError, parse_line
from skyfall_crl.env.morpheus.command_line.play_screen import Screen
from skyfall_crl.env.morpheus.command_line.play_session import Session
from skyfall_crl.env.morpheus.tickets import ObservedTicket
from skyfall_crl.ports.tools import ToolCall

_PROMPT = "> "


def play(layout: str, seed: int, configuration: str | None) -> int:
    """Play until `quit` or the end of standard input, and return 0; raises `CrlError`."""
    session, screen = Session(layout, seed, configuration), Screen()
    try:
        screen.say(
            f"{session.layout.description} One command is one step of 30 minutes unless it says otherwise."
        )
        screen.commands()
        screen.board(session)
        for text in _lines(screen):
            if not _obey(session, screen, text):
                break
    except KeyboardInterrupt:
        screen.say("")
    finally:
        session.close()
    screen.farewell(session)
    return 0


def _lines(screen: Screen) -> Iterator[str]:
    """Yield what is typed; where nobody types, what was fed, with an echo so that a transcript reads well."""
    if sys.stdin.isatty():
        _keep_history()
        while True:
            try:
                yield input(_PROMPT)
            except EOFError:
                screen.say("")
                return
    for text in sys.stdin:
        screen.say(f"{_PROMPT}{text.rstrip()}")
        yield text


def _keep_history() -> None:
    with suppress(ImportError):
        import readline  # noqa: F401 - gives input() its line editing


def _obey(session: Session, screen: Screen, text: str) -> bool:
    """Carry a line out and tell whether to go on."""
    try:
        line = parse_line(text)
        if line.verb == "quit":
            return False
        _ask(session, screen, line)
    except LineError as error:
        screen.say(str(error), "bold yellow")
    return True


def _ask(session: Session, screen: Screen, line: Line) -> None:
    """Answer a question about the world, or hand a command on that moves it."""
    if line.verb == "help":
        screen.commands()
    elif line.verb == "list":
        screen.board(session, len(session.incidents()))
    elif line.verb == "show":
        screen.incident(session, _incident(session, line.number))
    elif line.verb == "operations":
        for text in session.operations(line.text, line.word) or ["there are none"]:
            screen.say(text)
    else:
        _move(session, screen, line)
        screen.board(session)


def _move(session: Session, screen: Screen, line: Line) -> None:
    if line.verb == "wait":
        screen.move(session.wait(line.number))
    elif line.verb == "call":
        move = session.call(ToolCall(line.method, line.text, line.body))
        screen.move(move)
        if move.answer.get("success"):
            screen.answer(move.answer)
    elif line.verb == "look":
        ticket = _incident(session, line.number)
        move, answers = session.look(ticket)
        screen.move(move)
        screen.findings(session, ticket, answers)
    else:
        ticket = _incident(session, line.number)
        remedy = session.remedy(ticket, line.text)
        if remedy is None:
            raise LineError(f"expected a remedy of {line.number} by name or place, found {line.text!r}")
        screen.move(session.fix(ticket, remedy))


def _incident(session: Session, number: int) -> ObservedTicket:
    ticket = session.incident(number)
    if ticket is None:
        raise LineError(f"expected the number of an open incident, found {number}")
    return ticket
