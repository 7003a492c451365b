"""Recorded sessions: captured to one file, replayed call by call, and refusing what was not recorded."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skyfall_crl.env.morpheus import ports
from skyfall_crl.env.morpheus.morpheus_env import MorpheusEnv
from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.env.morpheus.recorded_backend import RecordedBackend, RecordingBackend, record
from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend
from skyfall_crl.env.morpheus.testing import check_backend
from skyfall_crl.ports.errors import ConfigError

OFFERED = (
    *(ports.MorpheusBackend, ports.AdvancingBackend, ports.DisposingBackend),
    *(ports.SignallingBackend, ports.SnapshotBackend),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


@pytest.fixture
def recording(path: Path) -> Iterator[RecordingBackend]:
    """A recording of an embedded world under way."""
    with closing(record(SimulatedBackend(), path)) as found:
        yield found


@pytest.fixture
def world(recording: RecordingBackend) -> str:
    return recording.create_world(name="n", layout="process-outbound", seed=1)


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_session_is_one_file_of_lines_each_a_call_and_what_became_of_it(
    recording: RecordingBackend, world: str, path: Path
) -> None:
    recording.act(world, method="GET", path=f"/{world}/nothing")
    with pytest.raises(BackendError):
        recording.verify(world, "t")
    header, created, acted, verified = lines(path)
    assert (header["format"], header["version"]) == ("skyfall-crl/morpheus-session", 1)
    assert (created["call"], created["with"]["seed"], created["gave"]) == ("create_world", 1, world)
    assert (acted["world"], acted["gave"]["status"]) == (world, 404)
    assert acted["with"] == {"method": "GET", "path": f"/{world}/nothing", "body": None}
    assert "expected a ticket" in verified["raised"]["message"]


def test_recording_changes_nothing(recording: RecordingBackend, world: str) -> None:
    plain = SimulatedBackend()
    same = plain.create_world(name="n", layout="process-outbound", seed=1)
    for _ in range(60):
        recording.advance(world)
        plain.advance(same)
    assert recording.get_tasks(world) == plain.get_tasks(same)
    assert recording.step_signals(world) == plain.step_signals(same)
    assert recording.digest_world(world) == plain.digest_world(same)


def test_both_ends_offer_what_the_backend_offered_and_no_boards(
    recording: RecordingBackend, path: Path, bare_backend: Any, tmp_path: Path
) -> None:
    for backend in (recording, RecordedBackend(path)):
        assert all(isinstance(backend, protocol) for protocol in OFFERED)
        assert not isinstance(backend, ports.BoardBackend | ports.ChaosBackend)
    record(bare_backend, tmp_path / "bare.jsonl").close()
    bare = RecordedBackend(tmp_path / "bare.jsonl")
    assert isinstance(bare, ports.MorpheusBackend)
    assert not any(isinstance(bare, protocol) for protocol in OFFERED[1:])


def test_the_contract_is_kept_while_recording_and_while_replaying(path: Path) -> None:
    check_backend(lambda: record(SimulatedBackend(), path))
    check_backend(lambda: RecordedBackend(path))


def played(env: MorpheusEnv, steps: int) -> list[Any]:
    rows: list[Any] = [env.reset(seed=3)]
    for step in range(steps):
        tickets = env.open_world().tickets
        path = (
            f"/{{worldId}}/tickets/{tickets[0].ticket_id}" if tickets and step % 3 else "/{worldId}/tickets"
        )
        rows.append(env.step({"method": "GET", "path": path, "body": ""}))
    env.close()
    return rows


def test_an_episode_replays_without_the_world_it_was_recorded_in(path: Path) -> None:
    recorded = played(MorpheusEnv(record(SimulatedBackend(), path), max_steps=50), 120)
    assert repr(played(MorpheusEnv(RecordedBackend(path), max_steps=50), 120)) == repr(recorded)


def test_an_episode_that_goes_its_own_way_ends_in_an_error(path: Path) -> None:
    played(MorpheusEnv(record(SimulatedBackend(), path), max_steps=50), 20)
    with pytest.raises(BackendError, match="expected a recorded call"):
        played(MorpheusEnv(RecordedBackend(path), max_steps=50), 21)


def test_reads_between_two_steps_may_come_in_any_order(
    recording: RecordingBackend, world: str, path: Path
) -> None:
    recording.advance(world)
    expected = {
        "tasks": recording.get_tasks(world, status="open"),
        "signals": recording.step_signals(world),
        "digest": recording.digest_world(world),
    }
    recording.advance(world)
    for order in permutations(expected):
        replay = RecordedBackend(path)
        replay.create_world(name="n", layout="process-outbound", seed=1)
        replay.advance(world)
        calls: dict[str, Callable[[], Any]] = {
            "tasks": lambda replay=replay: replay.get_tasks(world, status="open"),  # type: ignore[misc]
            "signals": lambda replay=replay: replay.step_signals(world),  # type: ignore[misc]
            "digest": lambda replay=replay: replay.digest_world(world),  # type: ignore[misc]
        }
        assert {name: calls[name]() for name in order} == expected
        replay.advance(world)


def test_reads_may_be_left_out_and_steps_may_not(recording: RecordingBackend, world: str, path: Path) -> None:
    recording.get_tasks(world)
    recording.act(world, method="GET", path="/a")
    recording.act(world, method="GET", path="/b")
    replay = RecordedBackend(path)
    assert replay.act(world, method="GET", path="/a")["success"] is False
    with pytest.raises(BackendError) as caught:
        replay.act(world, method="GET", path="/c")
    assert f"in world {world}" in str(caught.value)
    assert 'as nearest act {"body": null, "method": "GET", "path": "/b"}' in str(caught.value)
    assert caught.value.reason == "not_recorded"


def test_a_read_is_given_as_often_as_it_was_recorded(
    recording: RecordingBackend, world: str, path: Path
) -> None:
    first = recording.set_chaos(world, {"infraChaosEnabled": False})
    again = recording.set_chaos(world, {"infraChaosEnabled": False})
    replay = RecordedBackend(path)
    assert [replay.set_chaos(world, {"infraChaosEnabled": False}) for _ in range(2)] == [first, again]
    with pytest.raises(BackendError, match="nothing that is left"):
        replay.set_chaos(world, {"infraChaosEnabled": False})


def test_after_a_departure_everything_is_refused_with_the_same_words(
    recording: RecordingBackend, world: str, path: Path
) -> None:
    recording.get_tasks(world)
    recording.advance(world)
    replay = RecordedBackend(path)
    with pytest.raises(BackendError, match="status") as caught:
        replay.get_tasks(world, status="closed")
    for call in (
        lambda: replay.get_tasks(world),
        lambda: replay.advance(world),
        lambda: replay.act(world, method="GET", path="/"),
    ):
        with pytest.raises(BackendError) as again:
            call()
        assert str(again.value) == str(caught.value)


def test_worlds_are_replayed_side_by_side(recording: RecordingBackend, path: Path) -> None:
    worlds = [recording.create_world(name=f"w{n}", layout="process-outbound", seed=n) for n in range(6)]

    def live(backend: Any, world: str) -> list[Any]:
        return [
            (backend.advance(world), backend.step_signals(world), backend.digest_world(world))
            for _ in range(30)
        ]

    with ThreadPoolExecutor(6) as pool:
        recorded = list(pool.map(lambda world: live(recording, world), worlds))
        replay = RecordedBackend(path)
        assert list(pool.map(lambda world: live(replay, world), reversed(worlds))) == recorded[::-1]


def test_failures_are_replayed_as_they_were(path: Path) -> None:
    class Failing(SimulatedBackend):
        def get_tasks(self, world_id: str, *, status: str | None = None) -> dict[str, Any]:
            raise BackendError("it took too long", reason="timeout", status=504)

    with closing(record(Failing(), path)) as failing, pytest.raises(BackendError):
        failing.get_tasks("w")
    with pytest.raises(BackendError, match="it took too long") as caught:
        RecordedBackend(path).get_tasks("w")
    assert (caught.value.reason, caught.value.status) == ("timeout", 504)


def test_an_answer_that_is_no_json_can_not_be_recorded(path: Path) -> None:
    class Odd(SimulatedBackend):
        def get_tasks(self, world_id: str, *, status: str | None = None) -> dict[str, Any]:
            return {"data": object()}

    said = "recording get_tasks: expected an answer of JSON data"
    with closing(record(Odd(), path)) as odd, pytest.raises(BackendError, match=said):
        odd.get_tasks("w")


@settings(max_examples=50, deadline=None)
@given(
    st.recursive(
        st.none() | st.floats() | st.text() | st.binary() | st.integers(),
        lambda inner: (
            st.dictionaries(st.text() | st.integers() | st.tuples(st.integers()), inner) | st.lists(inner)
        ),
        max_leaves=6,
    )
)
def test_whatever_was_called_with_is_recognised_again(
    tmp_path_factory: pytest.TempPathFactory, body: Any
) -> None:
    path = tmp_path_factory.mktemp("session") / "session.jsonl"
    recording = record(SimulatedBackend(), path)
    answer = recording.act("w", method="POST", path="/x", body=body)
    recording.close()
    assert RecordedBackend(path).act("w", method="POST", path="/x", body=body) == answer


def test_a_session_is_never_written_over(recording: RecordingBackend, path: Path) -> None:
    with pytest.raises(ConfigError, match="expected to write a new session"):
        record(SimulatedBackend(), path)
    with pytest.raises(ConfigError, match="expected to write a new session"):
        record(SimulatedBackend(), path / "below")


def test_a_line_that_was_cut_off_is_left_out(recording: RecordingBackend, world: str, path: Path) -> None:
    recording.advance(world)
    recording.advance(world)
    recording.close()
    path.write_bytes(path.read_bytes()[:-10])
    replay = RecordedBackend(path)
    replay.advance(world)
    with pytest.raises(BackendError, match="nothing that is left"):
        replay.advance(world)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "expected a recorded session at"),
        ("", "found something else"),
        ("{}\n", "found something else"),
        ("[]\n", "found something else"),
        ("nonsense\n", "expected JSON in line 1"),
        ('{"format": "skyfall-crl/morpheus-session", "version": 2}\n', "version 1"),
        ('{"format": "skyfall-crl/morpheus-session", "version": 1}\n[]\n', "expected a call in line 2"),
        (
            '{"format": "skyfall-crl/morpheus-session", "version": 1}\n{"call": "act"}\n',
            "expected a call in line 2",
        ),
        ('{"format": "skyfall-crl/morpheus-session", "version": 1}\n{\n', "expected JSON in line 2"),
        (b"\xff\n", "expected a recorded session at"),
    ],
)
def test_a_file_that_is_no_session_is_refused(path: Path, text: Any, said: str) -> None:
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigError, match=said):
        RecordedBackend(path)


def test_closing_twice_is_closing_once(recording: RecordingBackend, world: str, path: Path) -> None:
    recording.close()
    recording.close()
    replay = RecordedBackend(path)
    replay.close()
    replay.close()
    for backend in (recording, replay):
        with pytest.raises(BackendError, match="closed"):
            backend.get_tasks(world)
        assert backend.act(world, method="GET", path="/")["reason"] == "closed"
