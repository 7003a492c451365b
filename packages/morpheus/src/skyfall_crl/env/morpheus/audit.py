"""The audit file: every write an agent tried, before it is sent and after it was answered, one JSON object a line."""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from os import PathLike
from typing import Any

from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.ports.tools import ActionOutcome, ToolCall

_LONGEST_BODY = 65_536


class AuditFile:
    """Appends to a file that only its owner can read; several environments may share one.

    A line says `sent`, `answered` or `refused` as its `event`, with `time` (UTC), `world`, `write` (the number of the
    write in this environment), `method` and `path`; `sent` and `refused` hold the `body`, `answered` what became of
    it. Nothing in it comes from the backend's headers. Raises `ConfigError` when the file can't be opened.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self._path = path
        self._write = 0
        self._file: int | None = None
        try:
            self._opened()
        except (OSError, TypeError, ValueError) as error:
            raise ConfigError(
                f"action_scope.audit: expected a file to append to, found {path!r}: {error}"
            ) from error

    def sending(self, world_id: str, call: ToolCall) -> bool:
        """Note a write that is about to be sent; False when that failed, and the write must not go unnoted."""
        self._write += 1
        try:
            self._line("sent", world_id, call, {"body": _body(call)})
            os.fsync(self._opened())
        except OSError:
            return False
        return True

    def answered(self, world_id: str, call: ToolCall, outcome: ActionOutcome) -> None:
        """Note what became of the write that was sent last."""
        found = {"accepted": outcome.accepted, "reason": outcome.reason, "status": outcome.status}
        with suppress(OSError):
            self._line(
                "answered",
                world_id,
                call,
                {name: value for name, value in found.items() if value is not None},
            )

    def refused(self, world_id: str, call: ToolCall, reason: str) -> None:
        """Note a write that was kept from the world."""
        self._write += 1
        with suppress(OSError):
            self._line("refused", world_id, call, {"reason": reason, "body": _body(call)})

    def close(self) -> None:
        """Close the file until the next write; repeating it does nothing."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _opened(self) -> int:
        if self._file is None:
            self._file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        return self._file

    def _line(self, event: str, world_id: str, call: ToolCall, more: Mapping[str, Any]) -> None:
        line = {
            "event": event,
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "world": world_id,
            "write": self._write,
            "method": call.method,
            "path": call.path,
            **more,
        }
        # One call, so that lines of environments that share the file stay whole.
        os.write(self._opened(), f"{json.dumps(line, default=repr)}\n".encode())


def _body(call: ToolCall) -> Any:
    if call.body is None:
        return None
    try:
        text = json.dumps(call.body, default=repr)
    except (TypeError, ValueError, RecursionError):
        return repr(type(call.body).__name__)
    return json.loads(text) if len(text) <= _LONGEST_BODY else {"characters": len(text), "start": text[:1024]}
