"""With a state directory nothing acknowledged is lost, nothing is done twice, and a torn file is no world."""

import json
import shutil
import sqlite3
import threading
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

from skyfall_crl.env.morpheus.server.store import Journal, StateDirectory, StoreError
from skyfall_crl.env.morpheus.server.worlds import SNAPSHOT_EVERY, HostedWorlds
from skyfall_crl.env.morpheus.simulation import World
from skyfall_crl.ports.errors import ConfigError

pytestmark = pytest.mark.floor

BODY = {"name": "kept", "chaos": {"processChaosEnabled": True}}


def test_after_kill_9_every_acknowledged_step_is_there_and_none_twice(
    run_child: Callable[..., Any], tmp_path: Path
) -> None:
    child, client = run_child("--state", str(tmp_path))
    world = client.create(seed=3)
    acknowledged = 0

    def work() -> None:
        nonlocal acknowledged
        try:
            while True:
                status, answer = client.ask("POST", "/world/act", {"path": f"/{world}/tickets"})
                assert status == 200, answer
                acknowledged += 1
                if acknowledged == 60:
                    enough.set()
        except (OSError, ConnectionError, json.JSONDecodeError, HTTPException):
            enough.set()

    enough = threading.Event()
    thread = threading.Thread(target=work)
    thread.start()
    assert enough.wait(60)
    child.kill()
    thread.join(20)
    assert acknowledged >= 60
    _, again = run_child("--state", str(tmp_path))
    step = again.ask("GET", "/sim/overview")[1]["data"]["worlds"][0]["step"]
    assert step in (acknowledged, acknowledged + 1)


def test_a_restarted_server_has_the_worlds_their_definitions_and_their_digests(
    run_server: Callable[..., Any], tmp_path: Path
) -> None:
    first = HostedWorlds(tmp_path, 10)
    world = first.create({**BODY, "description": "d", "realHoursPerSimDay": 3}, "process-outbound", 4)
    other = first.create(BODY, "process-inbound", 4)
    gone = first.create(BODY, "process-inbound", 4)
    for step in range(SNAPSHOT_EVERY + 20):
        first.act(world, "GET", f"/{world}/tickets", None)
        if step % 50 == 0:
            first.perform(world, "PUT", f"/{world}/od/schedules/pause", None)
            first.set_chaos(world, {"simulation": {"axes": {"demand": 0.5 + step / 1000}}})
            first.advance(other)
    fork = first.fork(world)
    first.reset(other)
    first.delete(gone)
    before = {each: first.backend.digest_world(each) for each in first.ids()}
    documents = [first.document(each) for each in first.ids()]
    shutil.copytree(tmp_path / "worlds", tmp_path / "crashed" / "worlds")
    first.close()
    for folder in (tmp_path / "crashed", tmp_path):
        again = HostedWorlds(folder, 10)
        assert again.ids() == [world, other, fork]
        assert {each: again.backend.digest_world(each) for each in again.ids()} == before
        assert [again.document(each) for each in again.ids()] == documents
        assert again.is_paused(world)
        again.close()
    assert {path.name for path in (tmp_path / "worlds").iterdir()} == {
        f"{each}.sqlite" for each in again.ids()
    }


def test_a_second_server_in_the_same_directory_is_refused(tmp_path: Path) -> None:
    first = StateDirectory(tmp_path)
    with pytest.raises(ConfigError, match="no other server"):
        StateDirectory(tmp_path)
    first.close()
    StateDirectory(tmp_path).close()


def test_a_world_that_was_only_half_written_is_none(tmp_path: Path) -> None:
    worlds = HostedWorlds(tmp_path, 10)
    world = worlds.create(BODY, "process-outbound", 1)
    worlds.close()
    folder = tmp_path / "worlds"
    (folder / f"{world[:-1]}0.new").write_bytes(b"torn")
    (folder / f"{world[:-1]}1.sqlite-wal").write_bytes(b"left behind")
    worlds = HostedWorlds(tmp_path, 10)
    assert worlds.ids() == [world]
    worlds.close()
    assert [path.name for path in folder.iterdir()] == [f"{world}.sqlite"]


def test_a_file_of_another_version_is_named(tmp_path: Path) -> None:
    worlds = HostedWorlds(tmp_path, 10)
    world = worlds.create(BODY, "process-outbound", 1)
    worlds.close()
    path = tmp_path / "worlds" / f"{world}.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 7")
    connection.close()
    with pytest.raises(StoreError, match=r"expected a world of version 1, found 7"):
        HostedWorlds(tmp_path, 10)


def test_a_world_of_another_layouts_version_is_named(tmp_path: Path) -> None:
    worlds = HostedWorlds(tmp_path, 10)
    world = worlds.create(BODY, "process-outbound", 1)
    state = worlds.backend.snapshot_world(world)
    worlds.close()
    journal = StateDirectory(tmp_path)
    opened = journal.open(world)
    opened.read()
    opened.rewrite({**state, "world": {**state["world"], "layout_version": 0}})
    opened.close()
    journal.close()
    with pytest.raises(StoreError, match=rf"{world}.sqlite: snapshot: expected versions"):
        HostedWorlds(tmp_path, 10)


def test_a_file_that_is_no_world_is_named(tmp_path: Path) -> None:
    (tmp_path / "worlds").mkdir()
    (tmp_path / "worlds" / f"{'0' * 24}.sqlite").write_bytes(b"something else" * 100)
    with pytest.raises(StoreError, match=r"0\.sqlite: expected a world's file"):
        HostedWorlds(tmp_path, 10)


def test_where_nothing_can_be_written_the_world_is_as_it_was_and_the_answer_503(
    run_server: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    client = run_server(state=tmp_path)
    world = client.create()
    client.ask("POST", f"/sim/worlds/{world}/advance")
    before = client.digest(world)

    def full(journal: Journal, entry: Any) -> None:
        raise StoreError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "append", full)
        status, answer = client.ask("POST", "/world/act", {"path": f"/{world}/tickets"})
        assert status == 503
        assert "as it was" in answer["error"]
        assert client.digest(world) == before
    assert "disk is full" in caplog.text
    assert client.ask("POST", "/world/act", {"path": f"/{world}/tickets"})[0] == 200
    assert client.digest(world) != before


def test_a_backup_taken_over_http_brings_a_world_back_on_another_server(
    run_server: Callable[..., Any],
) -> None:
    one, other = run_server(), run_server()
    world, copy = one.create(seed=1), other.create(seed=2)
    for _ in range(30):
        one.ask("POST", f"/sim/worlds/{world}/advance")
    state = one.ask("POST", f"/sim/worlds/{world}/snapshot")[1]["data"]["state"]
    assert other.ask("POST", f"/sim/worlds/{copy}/restore", {"state": state})[0] == 200
    assert other.digest(copy) == one.digest(world)


def test_where_there_is_no_room_for_a_new_world_there_is_none(
    run_server: Callable[..., Any], tmp_path: Path
) -> None:
    client = run_server(state=tmp_path)
    folder = tmp_path / "worlds"
    folder.rename(tmp_path / "elsewhere")
    assert client.ask("POST", "/world", {"name": "n", "layout": None, "simulation": {"seed": 1}})[0] == 503
    assert client.ask("GET", "/world")[1]["data"]["worlds"] == []
    (tmp_path / "elsewhere").rename(folder)
    client.create(seed=1)


def test_a_journal_that_can_not_write_says_so(tmp_path: Path) -> None:
    worlds = HostedWorlds(tmp_path, 10)
    world = worlds.create(BODY, "process-outbound", 1)
    journal = worlds.hosted(world).journal
    assert journal is not None
    journal.close()
    with pytest.raises(StoreError, match="expected to write, found"):
        journal.append(["advance"])
    worlds.close()


def test_a_mistake_within_a_step_leaves_the_world_as_it_is_on_the_disk(
    run_server: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    client = run_server(state=tmp_path)
    world = client.create()
    client.ask("POST", f"/sim/worlds/{world}/advance")
    before = client.digest(world)

    sound, failing = World.advance, iter([True])

    def broken(world: World) -> None:
        sound(world)
        if next(failing, False):
            raise ZeroDivisionError("canary")

    with monkeypatch.context() as patch:
        patch.setattr(World, "advance", broken)
        status, answer = client.ask("POST", "/world/act", {"path": f"/{world}/tickets"})
    assert status == 500
    assert "canary" not in str(answer)
    assert "canary" in caplog.text
    assert client.digest(world) == before
