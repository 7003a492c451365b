"""A run in live worlds that is killed while an action is under way, and goes on."""

import os
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from skyfall_crl.env.morpheus.factory import morpheus_world, world
from skyfall_crl.ports.environment import capabilities

pytestmark = pytest.mark.floor

STEPS = 30
CONFIG = """
env:
  id: morpheus/live
  kwargs: {base_url: "%s", timeout: 10, task_view: scheduling-under-drift, reward_spec: paper}
policy: {id: linear}
algorithm: {id: reinforce}
run: {steps: 30, window_steps: 10, num_envs: 2, checkpoint_steps: 10}
"""


class Killer:
    """Lets the worlds of a stub go on by themselves, and kills a client when `at` actions have reached it.

    `before` kills it while it waits for the answer to that action, `after` when it comes back with the next read.
    `acts` are the actions that reached each world; they are moved to `acts_before` when another client arrives.
    """

    def __init__(self, stub: Any, at: int, when: str) -> None:
        self.stub, self.at, self.when = stub, at, when
        self.acts: Counter[str] = Counter()
        self.acts_before: Counter[str] = Counter()
        self.process: Any = None
        self.last = ""

    def __call__(self, request: Any, number: int) -> None:
        if request.target == "/sim" and self.process is None:
            self.acts_before, self.acts = self.acts_before + self.acts, Counter()
        if request.target == "/world/act":
            self.last = request.json["path"].split("/")[1]
            self.acts[self.last] += 1
            if self.when == "before":
                self._kill()
            return
        if "/tickets" in request.target:
            for _ in range(5):
                self.stub.worlds.advance(request.target.split("/")[1])
        if self.when == "after" and request.target.startswith(f"/{self.last}/"):
            self._kill()

    def _kill(self) -> None:
        if self.process is not None and self.acts.total() >= self.at:
            os.kill(self.process.pid, signal.SIGKILL)
            self.process = None


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [msgspec.json.decode(line) for line in (folder / "trace.jsonl").read_bytes().splitlines()]


def sent(rows: list[dict[str, Any]]) -> Counter[str]:
    """Return how many actions of each world were sent and answered, as the trace has it."""
    steps = (row for row in rows if row["kind"] == "step" and row["outcome"].get("sent"))
    return Counter(row["world"] for row in steps)


def test_only_a_world_that_outlives_the_process_and_cant_be_put_back_is_reached_again(stub: Any) -> None:
    for env, offered in ((morpheus_world(base_url=stub.url), True), (world(), False)):
        found = capabilities(env)
        assert (found.persistent, found.outlives, found.snapshots) == (True, offered, not offered)
        if offered:
            env.reset(seed=1)
            assert env.reattach == {"world_id": env.world_id}
        env.close()
    stub.sim = True
    served = morpheus_world(base_url=stub.url)
    assert not hasattr(served, "reattach")
    served.close()


@pytest.mark.parametrize(("at", "when"), [(1, "before"), (12, "before"), (19, "after")])
def test_no_action_and_no_row_comes_twice_when_a_run_is_killed_and_goes_on(
    stub: Any, started: Callable[..., Any], run_command: Any, tmp_path: Path, at: int, when: str
) -> None:
    (tmp_path / "live.yaml").write_text(CONFIG % stub.url, encoding="utf-8")
    stub.fault = killer = Killer(stub, at, when)
    with started("run", "live.yaml", "--out", "out") as process:
        killer.process = process
        errors = process.communicate(timeout=60)[1]
    assert process.returncode == -signal.SIGKILL, errors
    before = rows_of(tmp_path / "out")
    code, _, errors = run_command("run", "--resume", "out")
    assert code == 0, errors

    rows = rows_of(tmp_path / "out")
    steps = [row for row in rows if row["kind"] == "step"]
    assert Counter((row["world"], row["step"]) for row in steps) == Counter(
        {(world, step): 1 for world in ("w0", "w1") for step in range(STEPS)}
    )
    ids = {f"w{number}": found["world_id"] for number, found in enumerate(rows[0]["reattach"])}
    unknown = Counter(row["world"] for row in steps if row["reward"] is None)
    assert 1 <= unknown.total() <= 2
    assert max(unknown.values()) == 1
    answered, all_answered = sent(before), sent(rows)
    for name, world_id in ids.items():
        assert killer.acts_before[world_id] - answered[name] in range(unknown[name] + 1)
        assert killer.acts[world_id] == all_answered[name] - answered[name]
    assert killer.acts_before.total() >= at
    assert killer.acts.total() > 0
    writes = Counter(request.target for request in stub.received if request.method in ("POST", "DELETE"))
    assert writes["/world"] == 2
    assert set(writes) <= {
        "/world",
        "/world/act",
        *(f"/{found}/verification/verify-ticket" for found in ids.values()),
    }
    assert [row["world"] for row in rows if row["kind"] == "resume"] == ["w0", "w1"]
