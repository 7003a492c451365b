"""Every rule for sinks, broken once by a tiny sink."""

# Broken on purpose, so that the types would complain as well.
# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls
# mypy: disable-error-code="override,arg-type,no-any-return"

import re
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skyfall_crl.testing import check_sink


class Keeping:
    """Keeps the rows."""

    def open(self, run) -> None:
        self.run = dict(run)
        self.kept: list[Any] = []

    def rows(self, batch) -> None:
        self.kept += batch

    def close(self, status) -> None:
        self.status = status


def having(**methods: Any) -> type[Keeping]:
    """Return a sink with other methods."""
    return type("Having", (Keeping,), methods)


class Database(Keeping):
    """Writes into a database that it opens when it is built."""

    connection: sqlite3.Connection | None = None

    def __init__(self) -> None:
        self.connect()

    def connect(self) -> None:
        self.connection = sqlite3.connect(":memory:")

    def rows(self, batch):
        assert self.connection is not None
        for row in batch:
            self.connection.execute("select ?", (row.get("reward"),))

    def close(self, status):
        assert self.connection is not None
        self.connection.close()


class LateDatabase(Database):
    """Writes into a database that it opens where it writes."""

    def __init__(self) -> None:
        pass

    def open(self, run):
        self.connect()


def tag(self: Keeping, batch: Any) -> None:
    for row in batch:
        row["run"] = 1


def summarise(self: Keeping, status: str) -> None:
    {"completed": 1, "failed": 0}[status]


def divide(self: Keeping, status: str) -> None:
    1 / len(self.kept)


def write_into(self: Keeping, run: Any) -> None:
    run["opened"] = True


BROKEN: dict[str, tuple[Any, str]] = {
    "arguments": (lambda path: path, "factory: expected a function without arguments, found TypeError"),
    "something else": (dict, "factory: expected a Sink, found dict {}; it needs open, rows and close"),
    "a changed record": (having(open=write_into), "open: .*found TypeError.*the record is frozen"),
    "only numbers": (
        having(rows=lambda self, batch: [float(row["reward"]) for row in batch]),
        "rows of batch 0: expected it to return .*found TypeError.*skip kinds you don't know; values may be None",
    ),
    "no empty batch": (
        having(rows=lambda self, batch: batch[0]),
        "rows of batch 2: expected it to return .*found IndexError.*and a batch empty",
    ),
    "rows changed": (
        having(rows=tag),
        r"rows of batch 0: expected rows to stay as they were, found \[0\]: keys",
    ),
    "two endings": (
        having(close=summarise),
        r"close\('interrupted'\): .*found KeyError.*in each of three ways",
    ),
    "never without rows": (
        having(close=divide),
        r"close\('failed'\): .*found ZeroDivisionError.*before its first row",
    ),
}


@pytest.mark.parametrize(("factory", "message"), BROKEN.values(), ids=list(BROKEN))
def test_a_broken_rule_is_named_with_what_was_found(
    factory: Any, message: str, complaint: Callable[..., str]
) -> None:
    """The message says where, the rule, what was found, and the likely cause."""
    assert re.search(message, complaint(check_sink, factory))


def test_a_connection_belongs_to_the_thread_that_opened_it(complaint: Callable[..., str]) -> None:
    """A sink is built on one thread and works on another."""
    built: list[Database] = []

    def make() -> Database:
        built.append(Database())
        return built[-1]

    message = complaint(check_sink, make)
    assert (
        "rows of batch 0: expected it to return on a thread that didn't build the sink, found Progr"
        in message
    )
    for sink in built:
        assert sink.connection is not None
        sink.connection.close()
    check_sink(LateDatabase)


def test_a_sink_that_does_not_return_is_given_up(
    complaint: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run goes on without it, and so does the check."""
    release = threading.Event()
    monkeypatch.setattr("skyfall_crl.testing.sink.PATIENCE_SECONDS", 0.05)
    message = complaint(check_sink, having(rows=lambda self, batch: release.wait()))
    release.set()
    assert (
        "rows of batch 0: expected it to return, found nothing after 0.05 s; a run waits a second" in message
    )


def test_a_sink_that_keeps_the_rules_passes(tmp_path: Path) -> None:
    """It may write files, and is told how each run ended."""
    made: list[Keeping] = []

    def make() -> Keeping:
        made.append(Keeping())
        return made[-1]

    check_sink(make)
    assert [sink.status for sink in made] == ["completed", "interrupted", "failed", "failed"]
    assert [len(sink.kept) for sink in made] == [5, 5, 5, 0]
