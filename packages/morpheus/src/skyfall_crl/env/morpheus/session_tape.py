"""A recorded session in memory: for each world, its turning points in order, and what could be read between them."""

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.ports.errors import ConfigError

FORMAT = "skyfall-crl/morpheus-session"
VERSION = 1

TURNING_POINTS = frozenset({"act", "advance", "reset_world", "restore_world", "commit_world", "delete_world"})
"""Calls that have to come again in the order they were recorded in. All others may come in any order between two of
these, as they do when a step's reads are made side by side."""

_COMPARED = 200


@dataclass(frozen=True, slots=True)
class Recorded:
    """A call and what became of it: `gave` or, of one that failed, `raised`."""

    key: str
    turns: bool
    gave: Any = None
    raised: Mapping[str, Any] | None = None


@dataclass(slots=True)
class _Stretch:
    """A turning point, None at the start, and the other calls up to the next, by key."""

    turn: Recorded | None = None
    calls: dict[str, deque[Recorded]] = field(default_factory=dict)


class Tape:
    """The calls on one world, played once from start to end."""

    def __init__(self) -> None:
        self._stretches: deque[_Stretch] = deque([_Stretch()])

    def add(self, recorded: Recorded) -> None:
        """Put a call at the end."""
        if recorded.turns:
            self._stretches.append(_Stretch(recorded))
        else:
            self._stretches[-1].calls.setdefault(recorded.key, deque()).append(recorded)

    def take(self, name: str, key: str) -> Recorded | None:
        """Return the next recording of a call, or None where there is none here."""
        if name not in TURNING_POINTS:
            waiting = self._stretches[0].calls.get(key)
            return waiting.popleft() if waiting else None
        following = self._stretches[1].turn if len(self._stretches) > 1 else None
        if following is None or following.key != key:
            return None
        self._stretches.popleft()
        return following

    def nearest(self, key: str) -> str | None:
        """Return the call that could have come here and resembles `key` most, or None where none could."""
        possible = [found[:_COMPARED] for found, waiting in self._stretches[0].calls.items() if waiting]
        if len(self._stretches) > 1 and (turn := self._stretches[1].turn) is not None:
            possible.append(turn.key[:_COMPARED])
        return next(iter(get_close_matches(key[:_COMPARED], possible, n=1, cutoff=0.0)), None)


def key_of(name: str, arguments: Mapping[str, Any]) -> str:
    """Return the text by which equal calls are recognised."""
    return f"{name} {json.dumps(_given(arguments), sort_keys=True)}"


def line_of(world_id: str | None, name: str, arguments: Mapping[str, Any], **outcome: Any) -> str:
    """Return a call and its outcome as a line; raises `BackendError` where the outcome is no JSON."""
    line = {"world": world_id, "call": name, "with": _given(arguments), **outcome}
    try:
        return json.dumps(line, allow_nan=False, default=_data)
    except (TypeError, ValueError) as error:
        raise BackendError(f"recording {name}: expected an answer of JSON data: {error}") from error


def header_of(offers: Iterable[str]) -> str:
    """Return the first line of a session."""
    return json.dumps({"format": FORMAT, "version": VERSION, "offers": list(offers)})


def read_session(path: Path) -> tuple[list[str], dict[str | None, Tape]]:
    """Return what a recorded backend offered, and the tape of each world; raises `ConfigError`.

    A last line that was cut off while it was written is left out.
    """
    tapes: dict[str | None, Tape] = {}
    lines = _lines(path)
    header = next(lines, None)
    if not isinstance(header, Mapping) or (header.get("format"), header.get("version")) != (FORMAT, VERSION):
        raise ConfigError(
            f"path: expected a session ({FORMAT} version {VERSION}), found something else in {path}"
        )
    for number, line in enumerate(lines, 2):
        try:
            key = key_of(line["call"], line["with"])
            recorded = Recorded(key, line["call"] in TURNING_POINTS, line.get("gave"), line.get("raised"))
            tapes.setdefault(line["world"], Tape()).add(recorded)
        except (KeyError, TypeError) as error:
            raise ConfigError(f"path: expected a call in line {number} of {path}: {error!r}") from error
    return [name for name in header.get("offers", ()) if isinstance(name, str)], tapes


def _lines(path: Path) -> Iterator[Any]:
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith("\n"):
                    return
                try:
                    yield json.loads(line)
                except ValueError as error:
                    raise ConfigError(f"path: expected JSON in line {number} of {path}: {error}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"path: expected a recorded session at {path}: {error}") from error


def _data(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"found {type(value).__name__}")


def _given(arguments: Mapping[str, Any]) -> Any:
    """Return arguments as JSON holds them; what is no JSON in a form good enough to recognise it."""
    try:
        return json.loads(json.dumps(arguments, skipkeys=True, default=_shown))
    except (ValueError, RecursionError):
        return {"shown": repr(arguments)}


def _shown(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else repr(value)
