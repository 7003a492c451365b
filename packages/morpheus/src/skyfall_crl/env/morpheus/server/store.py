"""Worlds on disk: one SQLite file each, with the last snapshot and every operation since."""

import os
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from skyfall_crl.ports.errors import ConfigError, CrlError

_SCHEMA = """
CREATE TABLE definition (document BLOB NOT NULL);
CREATE TABLE snapshot (number INTEGER NOT NULL, state BLOB NOT NULL);
CREATE TABLE operation (number INTEGER PRIMARY KEY, entry BLOB NOT NULL);
PRAGMA user_version = 1;
"""
_VERSION = 1
_NAME = re.compile(r"[0-9a-f]{24}\.sqlite")

Entry = list[Any]


class StoreError(CrlError, RuntimeError):
    """Worlds could not be written to disk, or read from it."""

    boundary = "state"


class Journal:
    """One world on disk. What `append` was given is there once it returns, whatever becomes of this process.

    Each entry is a transaction of its own, in WAL mode with `synchronous=NORMAL`: a machine that loses its power may
    lose the last entries, and never anything between older ones.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        try:
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")
        except sqlite3.DatabaseError as error:
            self.close()
            raise StoreError(f"{path}: expected a world's file, found something else: {error}") from error
        self._number = 0
        self.since_snapshot = 0

    def begin(self, definition: Mapping[str, Any], state: Mapping[str, Any]) -> None:
        """Write the tables of a new world."""
        self._connection.executescript(_SCHEMA)
        with _transaction(self._connection):
            self._connection.execute("INSERT INTO definition VALUES (?)", (_bytes(definition),))
            self._connection.execute("INSERT INTO snapshot VALUES (0, ?)", (_bytes(state),))

    def read(self) -> tuple[dict[str, Any], dict[str, Any], list[Entry]]:
        """Return the definition, the last snapshot and the operations since, in their order."""
        try:
            return self._read()
        except (sqlite3.DatabaseError, TypeError, msgspec.DecodeError) as error:
            raise StoreError(
                f"{self.path}: expected a world's file, found something else: {error}"
            ) from error

    def append(self, entry: Entry) -> None:
        """Write one operation; raises `StoreError`, as every method that writes."""
        with self._writing():
            self._connection.execute("INSERT INTO operation VALUES (?, ?)", (self._number + 1, _bytes(entry)))
        self._number += 1
        self.since_snapshot += 1

    def rewrite(self, state: Mapping[str, Any]) -> None:
        """Take a snapshot for all operations so far."""
        with self._writing(), _transaction(self._connection):
            self._connection.execute(
                "UPDATE snapshot SET number = ?, state = ?", (self._number, _bytes(state))
            )
            self._connection.execute("DELETE FROM operation")
        self.since_snapshot = 0

    def define(self, definition: Mapping[str, Any]) -> None:
        """Write how the world is defined now."""
        with self._writing():
            self._connection.execute("UPDATE definition SET document = ?", (_bytes(definition),))

    def close(self) -> None:
        """Close the file; repeating it does nothing."""
        self._connection.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OverflowError) as error:
            raise StoreError(f"{self.path}: expected to write, found {error}") from error

    def _read(self) -> tuple[dict[str, Any], dict[str, Any], list[Entry]]:
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        if version != _VERSION:
            raise StoreError(f"{self.path}: expected a world of version {_VERSION}, found {version}")
        (definition,) = self._connection.execute("SELECT document FROM definition").fetchone()
        number, state = self._connection.execute("SELECT number, state FROM snapshot").fetchone()
        rows = self._connection.execute(
            "SELECT number, entry FROM operation WHERE number > ? ORDER BY number", (number,)
        ).fetchall()
        self._number = rows[-1][0] if rows else number
        self.since_snapshot = len(rows)
        entries = [msgspec.json.decode(entry) for _, entry in rows]
        return msgspec.json.decode(definition), msgspec.json.decode(state), entries


class StateDirectory:
    """The worlds of one server on disk; a second server in the same directory is refused with `ConfigError`."""

    def __init__(self, path: Path) -> None:
        self._worlds = path / "worlds"
        try:
            self._worlds.mkdir(parents=True, exist_ok=True)
            self._lock = _locked(path / "lock.sqlite")
        except OSError as error:
            raise ConfigError(f"--state {path}: expected a directory that can be written: {error}") from error
        known = set(self.world_ids())
        for leftover in self._worlds.iterdir():
            if leftover.name.partition(".")[0] not in known or ".new" in leftover.name:
                leftover.unlink()

    def world_ids(self) -> list[str]:
        """Return the ids of the worlds that are there, sorted."""
        return sorted(path.stem for path in self._worlds.iterdir() if _NAME.fullmatch(path.name))

    def open(self, world_id: str) -> Journal:
        """Open the journal of a world that is there."""
        return Journal(self._path(world_id))

    def create(self, world_id: str, definition: Mapping[str, Any], state: Mapping[str, Any]) -> Journal:
        """Write a new world, all of it or nothing, and return its journal."""
        new, path = self._worlds / f"{world_id}.new", self._path(world_id)
        try:
            journal = Journal(new)
            try:
                journal.begin(definition, state)
            finally:
                journal.close()
            new.replace(path)
            _flushed(self._worlds)
            return Journal(path)
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"{path}: expected to write, found {error}") from error

    def delete(self, journal: Journal) -> None:
        """Remove a world's file."""
        journal.close()
        try:
            journal.path.unlink()
            for suffix in ("-wal", "-shm"):
                journal.path.with_name(journal.path.name + suffix).unlink(missing_ok=True)
            _flushed(self._worlds)
        except OSError as error:
            raise StoreError(f"{journal.path}: expected to delete, found {error}") from error

    def close(self) -> None:
        """Give the directory free."""
        self._lock.close()

    def _path(self, world_id: str) -> Path:
        return self._worlds / f"{world_id}.sqlite"


class _transaction:
    """Commits what was executed inside, or rolls all of it back."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._connection.execute("COMMIT" if kind is None else "ROLLBACK")


def _locked(path: Path) -> sqlite3.Connection:
    lock = sqlite3.connect(path, isolation_level=None, timeout=0, check_same_thread=False)
    try:
        lock.execute("PRAGMA locking_mode=EXCLUSIVE")
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        lock.close()
        raise ConfigError(
            f"--state {path.parent}: expected a directory no other server has open: {error}"
        ) from None
    return lock


def _flushed(folder: Path) -> None:
    if os.name != "nt":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _bytes(data: Any) -> bytes:
    return msgspec.json.encode(data)
