"""The session that training, serving and outside agents share."""

import threading
from pathlib import Path

import pytest

from skyfall_crl.ports.environment import capabilities
from skyfall_crl.ports.fanout import FanOut
from skyfall_crl.regime import ScheduledRegime
from skyfall_crl.testing.doubles import SwitchingBandit
from skyfall_crl.trace import TraceWriter, read_rows, without_clock
from skyfall_crl.train.clock import RegimeClock
from skyfall_crl.train.session import Session

SCHEDULE = {
    "shift_mode": "cyclic",
    "regimes": [
        {"regime_id": "A", "duration_steps": 7},
        {"regime_id": "B", "duration_steps": 5, "axes": {"offset": 1}},
    ],
}
WORLDS = 4
STEPS = 40


@pytest.fixture
def opened(tmp_path: Path):
    made: list[tuple[FanOut, TraceWriter]] = []

    def build(name: str) -> Session:
        fanout = FanOut([SwitchingBandit] * WORLDS, max_workers=0)
        trace = TraceWriter(tmp_path / name)
        made.append((fanout, trace))
        clock = RegimeClock(ScheduledRegime(SCHEDULE), capabilities(fanout.environments[0]))
        session = Session(fanout, clock, trace, seeds=range(WORLDS), auto_reset=False, persistent=True)
        session.open()
        return session

    yield build
    for fanout, trace in made:
        fanout.close()
        trace.close()


def rows_by_key(path: Path) -> dict:
    rows = [without_clock(row) for row in read_rows(path)]
    return {(row["world"], row["kind"], row["step"]): row for row in rows if row["kind"] != "note"}


def test_agents_pushing_from_a_thread_each_write_the_rows_of_one_fan_out(opened, tmp_path: Path) -> None:
    together = opened("together.jsonl")
    for step in range(STEPS):
        together.step_all([step % 3] * WORLDS)
    together.close("completed")
    apart = opened("apart.jsonl")

    def push(world: int) -> None:
        for step in range(STEPS):
            apart.step(world, step % 3)

    agents = [threading.Thread(target=push, args=(world,)) for world in range(WORLDS)]
    for agent in agents:
        agent.start()
    for agent in agents:
        agent.join()
    apart.close("completed")
    expected = rows_by_key(tmp_path / "together.jsonl")
    assert len(expected) > WORLDS * STEPS
    assert rows_by_key(tmp_path / "apart.jsonl") == expected


def test_two_threads_in_one_world_take_turns(opened, tmp_path: Path) -> None:
    session = opened("one.jsonl")
    agents = [threading.Thread(target=lambda: [session.step(0, 1) for _ in range(STEPS)]) for _ in range(3)]
    for agent in agents:
        agent.start()
    for agent in agents:
        agent.join()
    session.close("completed")
    steps = [row["step"] for row in read_rows(tmp_path / "one.jsonl") if row["kind"] == "step"]
    assert steps == list(range(3 * STEPS))


def test_a_note_becomes_part_of_the_row_and_an_outcome_in_it_is_laid_over(opened, tmp_path: Path) -> None:
    session = opened("noted.jsonl")
    step = session.step(0, 1, note={"agent": "x", "reward": 99, "outcome": {"reason": "unparsed"}})
    assert step.row["agent"] == "x"
    assert step.row["reward"] == step.reward != 99
    assert step.row["outcome"] == {"accepted": False, "reason": "unparsed"}


def test_a_restored_session_goes_on_as_the_original_does(opened, tmp_path: Path) -> None:
    first = opened("first.jsonl")
    for step in range(10):
        first.step_all([step % 3] * WORLDS)
    stored = first.snapshot()
    second = opened("second.jsonl")
    second.restore(stored)
    for session in (first, second):
        for step in range(10, STEPS):
            session.step_all([step % 3] * WORLDS)
        session.close("completed")
    whole, part = rows_by_key(tmp_path / "first.jsonl"), rows_by_key(tmp_path / "second.jsonl")
    assert part == {key: row for key, row in whole.items() if key[2] >= 10}
