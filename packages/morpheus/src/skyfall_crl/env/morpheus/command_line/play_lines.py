"""What a player types, line by line, as commands."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from skyfall_crl.env.morpheus.action_text import parse_body

HELP: Final = (
    ("NUMBER", "show an incident: its records, its remedies and what was tried"),
    ("NUMBER REMEDY", "apply a remedy, by name or by place; 1 step"),
    ("look NUMBER", "read the two linked records and tell the cause; 2 steps"),
    ("wait [STEPS]", "let time pass; an empty line is 1 step"),
    ("read PATH", "read a record, such as erp/invoices/INV_1; 1 step"),
    ("act METHOD PATH [JSON]", "run any operation an agent may run; 1 step"),
    ("operations [SERVICE]", "list operations: of tickets, erp, wms, tms, finance or ledger"),
    ("operations SERVICE WORD", "say all about those with a word in their path"),
    ("list", "show all open incidents"),
    ("help", "show this"),
    ("quit", "end, and compare with the references"),
)
MOST_WAITED: Final = 10_000


class LineError(ValueError):
    """A line that stands for no command; its text says what was expected."""


@dataclass(frozen=True, slots=True)
class Line:
    """A command: its `verb`, and what belongs to it.

    Verbs: `show` and `look` (with `number`), `fix` (with `number` and `text`, the remedy), `wait` (with `number`, of
    steps), `call` (with `method`, `text`, the path, and `body`), `operations` (with `text`, a service or empty, and
    `word`, what paths have to hold), `list`, `help` and `quit`.
    """

    verb: str
    number: int = 0
    text: str = ""
    method: str = ""
    body: Mapping[str, Any] | None = None
    word: str = ""


def parse_line(text: str) -> Line:
    """Return the command a line spells; raises `LineError`."""
    words = text.split()
    if not words:
        return Line("wait", 1)
    verb, rest = words[0].lower(), words[1:]
    if verb.removeprefix("#").isdecimal():
        return _incident(verb, rest)
    if verb in ("quit", "exit", "q"):
        return Line("quit")
    if verb in ("help", "?", "list"):
        return Line("help" if verb == "?" else verb)
    if verb in ("look", "show"):
        return Line(verb, _number(rest[0] if rest else "", f"{verb} NUMBER"))
    if verb == "wait":
        return Line("wait", _number(rest[0] if rest else "1", "wait STEPS", MOST_WAITED))
    if verb == "operations":
        service, word = [*rest, "", ""][:2]
        return Line("operations", text=service.lower(), word=word)
    if verb == "read" and len(rest) == 1:
        return Line("call", text=_inside(rest[0]), method="GET")
    if verb == "act" and len(rest) > 1:
        return _call(text)
    raise LineError(f"expected a command, found {text.strip()[:60]!r}; type help")


def _incident(number: str, rest: list[str]) -> Line:
    found = _number(number, "NUMBER REMEDY")
    if len(rest) > 1:
        raise LineError(f"expected NUMBER REMEDY, found {len(rest)} words after the number")
    return Line("fix", found, rest[0]) if rest else Line("show", found)


def _call(text: str) -> Line:
    _, method, path, *body = text.split(maxsplit=3)
    try:
        parsed = parse_body(body[0] if body else "")
    except ValueError as error:
        raise LineError(f"expected a JSON object after the path: {error}") from None
    return Line("call", text=_inside(path), method=method.upper(), body=parsed)


def _inside(path: str) -> str:
    return path if path.startswith("/") else f"/{{worldId}}/{path}"


def _number(word: str, expected: str, most: int = 10**8) -> int:
    digits = word.removeprefix("#")
    if not digits.isascii() or not digits.isdecimal() or len(digits) > len(str(most)) or int(digits) > most:
        raise LineError(f"expected {expected}, a number up to {most}, found {word!r}")
    return int(digits)
