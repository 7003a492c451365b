"""Captures the calls on a backend in one file, and replays them without it."""

import dataclasses
from pathlib import Path
from threading import Lock
from typing import Any, TextIO

from skyfall_crl.env.morpheus.ports import BackendError, MorpheusBackend, StepSignals
from skyfall_crl.env.morpheus.session_calls import OPTIONAL_CALLS, SessionCalls
from skyfall_crl.env.morpheus.session_tape import Tape, header_of, key_of, line_of, read_session
from skyfall_crl.ports.errors import ConfigError


def record(backend: MorpheusBackend, path: str | Path) -> "RecordingBackend":
    """Return a backend that passes every call on and writes it to a new file at `path`.

    It offers what `backend` offers, except boards, and closes it when it is closed itself. What a backend keeps to
    itself, such as its address and headers, is in no call and so not in the file. Raises `ConfigError` where the file
    exists already or can't be written.
    """
    try:
        file = Path(path).open("x", encoding="utf-8")  # noqa: SIM115 (open for as long as the session)
    except OSError as error:
        raise ConfigError(f"path: expected to write a new session to {path}: {error}") from error
    return RecordingBackend(backend, file)


class RecordingBackend(SessionCalls):
    """Passes calls on and writes each with its outcome; see `record`."""

    def __init__(self, backend: MorpheusBackend, file: TextIO) -> None:
        offers = [name for name in OPTIONAL_CALLS if hasattr(backend, name)]
        super().__init__(offers)
        self._backend = backend
        self._file = file
        self._lock = Lock()
        self._write(header_of(offers))

    def close(self) -> None:
        """End the session and close the backend; repeating it does nothing."""
        with self._lock:
            self._file.close()
        self._backend.close()

    def _call(self, name: str, world_id: str | None, /, **arguments: Any) -> Any:
        if self._file.closed:
            return _after_close(name)
        place = () if world_id is None else (world_id,)
        try:
            gave = getattr(self._backend, name)(*place, **arguments)
        except BackendError as error:
            raised = {"message": str(error), "reason": error.reason, "status": error.status}
            self._write(line_of(world_id, name, arguments, raised=raised))
            raise
        plain = dataclasses.asdict(gave) if isinstance(gave, StepSignals) else gave
        self._write(line_of(world_id, name, arguments, gave=plain))
        return gave

    def _write(self, line: str) -> None:
        with self._lock:
            if not self._file.closed:
                self._file.write(f"{line}\n")
                self._file.flush()


class RecordedBackend(SessionCalls):
    """Replays a session from the file that `record` wrote.

    On each world, calls that move or replace it have to come as they were recorded, one after another; what is read
    in between may come in any order, no more often than it was recorded, and may be left out. Any other call raises
    `BackendError` that names the recorded call nearest to it, `act` included: a replay that goes its own way has
    nothing true to say, so every later call raises as well. Raises `ConfigError` for a file that is no session.
    """

    def __init__(self, path: str | Path) -> None:
        offers, self._tapes = read_session(Path(path))
        super().__init__(name for name in offers if name in OPTIONAL_CALLS)
        self._path = path
        self._lock = Lock()
        self._departure: str | None = None
        self._closed = False

    def close(self) -> None:
        """End the replay; repeating it does nothing."""
        self._closed = True

    def _call(self, name: str, world_id: str | None, /, **arguments: Any) -> Any:
        if self._closed:
            return _after_close(name)
        key = key_of(name, arguments)
        with self._lock:
            tape = self._tapes.setdefault(world_id, Tape())
            recorded = tape.take(name, key) if self._departure is None else None
            if recorded is None:
                self._departure = self._departure or self._refusal(tape, world_id, key)
                raise BackendError(self._departure, reason="not_recorded")
        if recorded.raised is not None:
            raised = recorded.raised
            raise BackendError(raised["message"], reason=raised["reason"], status=raised["status"])
        return StepSignals(**recorded.gave) if name == "step_signals" else recorded.gave

    def _refusal(self, tape: Tape, world_id: str | None, key: str) -> str:
        where = "" if world_id is None else f" in world {world_id}"
        nearest = tape.nearest(key)
        found = "nothing that is left" if nearest is None else f"as nearest {nearest}"
        return f"{self._path}: expected a recorded call{where}, found {key:.200}; recorded is {found}"


def _after_close(name: str) -> dict[str, Any]:
    """Answer an agent's call to a closed backend; raise for any other."""
    if name != "act":
        raise BackendError(f"{name}: expected an open backend, found one that was closed", reason="closed")
    error = "act: expected an open backend, found one that was closed"
    return {"success": False, "status": None, "reason": "closed", "error": error}
