"""An environment over a deployment on real sockets: whatever fails, steps go on, nothing is sent twice, all is told."""

import errno
import json
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skyfall_crl.env.morpheus.http.stepped_backend import SteppedHttpBackend
from skyfall_crl.env.morpheus.http_backend import HttpBackend
from skyfall_crl.env.morpheus.morpheus_env import MorpheusEnv
from skyfall_crl.env.morpheus.ports import MorpheusBackend
from skyfall_crl.env.morpheus.recorded_backend import RecordedBackend, record
from skyfall_crl.env.morpheus.reward_specs import PAPER
from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend
from skyfall_crl.env.morpheus.taskview import SchedulingUnderDrift
from skyfall_crl.regime import Regime
from skyfall_crl.testing import check_environment

pytestmark = pytest.mark.floor

B = Regime("B", axes={"cause_mix": "B"})
FAULTS = (
    *("reset_before", "eof_before", "reset_amid", "eof_amid", "stall", "drip_head", "drip_body", "cut_json"),
    *("wrong_type", "html", "status_429", "status_500", "status_503", "refusal", "too_big", "no_http"),
    *("reset_after", "refused"),
)
HARMLESS = {"reset_after"}
"""What comes after the body spoils the call only where it overtakes it."""


class Gate:
    """Another port of a stub, which can be shut: whoever knocks meanwhile is refused, and who is inside is put out."""

    def __init__(self, stub: Any) -> None:
        self.stub = stub
        self.address = ("127.0.0.1", 0)
        self.refused = 0
        self._threads: list[threading.Thread] = []
        self.open()

    def open(self) -> None:
        """Let everybody in."""
        self._listener = socket.create_server(self.address, backlog=64)
        self.address = self._listener.getsockname()
        self._threads.append(threading.Thread(target=self._let_in, args=(self._listener,)))
        self._threads[-1].start()

    def shut(self) -> None:
        """Refuse everybody."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.stub.drop_connections()

    def shut_briefly(self) -> None:
        """Refuse everybody for as long as it takes to knock, and count it."""
        self.shut()
        with socket.socket() as knocking:
            self.refused += knocking.connect_ex(self.address) == errno.ECONNREFUSED
        reopening = threading.Timer(0.02, self.open)
        self._threads.append(reopening)
        reopening.start()

    def close(self) -> None:
        """Shut for good and wait for every thread."""
        for thread in self._threads:
            if isinstance(thread, threading.Timer):
                thread.join()
        self.shut()
        for thread in self._threads:
            thread.join()

    def _let_in(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                accepted, address = listener.accept()
                self.stub.admit(accepted)
                self.stub.process_request(accepted, address)


def remedies(steps: int) -> list[int]:
    """Return actions that send a call in most steps."""
    return [1 + number % 21 for number in range(steps)]


def episode(env: MorpheusEnv, steps: int) -> list[dict[str, Any]]:
    infos = []
    for action in remedies(steps):
        observation, reward, *_, info = env.step(action)
        assert env.observation_space.contains(observation)
        assert 0.0 <= reward <= 1.0
        infos.append(info)
    return infos


def numbered(stub: Any, path: str) -> list[bytes]:
    return [request.body for request in stub.received if request.target == path]


@pytest.fixture
def gate(stub: Any) -> Iterator[Gate]:
    """A gate before the stub; every thread of it has ended after the test."""
    standing = Gate(stub)
    yield standing
    standing.close()


@pytest.fixture
def fault_every_twentieth(stub: Any, gate: Any) -> Callable[[str], None]:
    def spoil(fault: str) -> None:
        def spoilt(request: Any, number: int) -> str | None:
            if number % 20:
                return None
            if fault != "refused":
                return fault
            gate.shut_briefly()
            return "eof_before"

        stub.fault = spoilt

    return spoil


@pytest.fixture
def hasty(fault: str, stub: Any, make_backend: Any, gate: Gate) -> HttpBackend:
    port = gate.address[1] if fault == "refused" else stub.server_address[1]
    return make_backend(base_url=f"http://127.0.0.1:{port}", timeout=0.2)


def run_under(fault: str, steps: int, stub: Any, spoil: Callable[[str], None], backend: HttpBackend) -> None:
    env = MorpheusEnv(backend, task_view=SchedulingUnderDrift(), reward_spec=PAPER, close_backend=False)
    env.reset(seed=1)
    for _ in range(60):
        stub.worlds.advance(env.world_id)
    stub.received.clear()
    spoil(fault)
    infos = episode(env, steps)
    sent = sum(info["outcome"].sent for info in infos)
    assert len(numbered(stub, "/world/act")) <= sent
    failed = {
        info["outcome"].reason for info in infos if info["outcome"].sent and not info["outcome"].accepted
    }
    told = failed or any("reward_missing" in info for info in infos)
    assert told or fault in HARMLESS
    env.close()


@pytest.mark.parametrize("fault", FAULTS)
def test_an_episode_goes_on_whatever_every_twentieth_answer_is(
    fault: str, stub: Any, gate: Any, hasty: HttpBackend, fault_every_twentieth: Any
) -> None:
    run_under(fault, 40, stub, fault_every_twentieth, hasty)
    assert bool(gate.refused) is (fault == "refused")


@pytest.mark.soak
@pytest.mark.parametrize("fault", FAULTS)
def test_a_thousand_steps_go_on_whatever_every_twentieth_answer_is(
    fault: str, stub: Any, hasty: HttpBackend, fault_every_twentieth: Any
) -> None:
    run_under(fault, 1000, stub, fault_every_twentieth, hasty)


def test_each_step_with_a_call_sends_it_once(stub: Any, backend: HttpBackend) -> None:
    env = MorpheusEnv(backend, reward_spec=PAPER, close_backend=False)
    env.reset(seed=1)
    for number in range(30):
        body = json.dumps({"notes": str(number)})
        env.step({"method": "PUT", "path": "/{worldId}/erp/orders/ORDER_1", "body": body})
    notes = [json.loads(body)["body"]["notes"] for body in numbered(stub, "/world/act")]
    assert notes == [str(number) for number in range(30)]
    env.close()


def test_a_served_simulator_gives_what_an_embedded_world_gives(stub: Any, make_backend: Any) -> None:
    stub.sim = True
    runs = []
    for backend in (SimulatedBackend(), make_backend(SteppedHttpBackend, timeout=10)):
        env = MorpheusEnv(backend, task_view=SchedulingUnderDrift(), reward_spec=PAPER, close_backend=False)
        observation, _ = env.reset(seed=7)
        rows = [(observation, 0.0, None, {})]
        for action in remedies(120):
            observation, reward, _, _, info = env.step(action)
            rows.append((observation, reward, info["outcome"].verified, info["reward_terms"]))
        runs.append(rows)
        env.close()
    for embedded, served in zip(*runs, strict=True):
        assert np.array_equal(embedded[0], served[0])
        assert embedded[1:] == served[1:]


def told_ahead(backend: MorpheusBackend) -> list[Any]:
    """Play some steps with a regime announced on the way, and return what was seen."""
    env = MorpheusEnv(backend, task_view=SchedulingUnderDrift(), reward_spec=PAPER, close_backend=False)
    env.reset(seed=3)
    found: list[Any] = []
    for number, action in enumerate(remedies(30)):
        if number == 10:
            env.announce_regime(B, None)
        if number == 11:
            assert env.apply_regime(B, None).read_back is None
        observation, reward, _, _, info = env.step(action)
        info["action_mask"] = info["action_mask"].tolist()
        found.append((observation.tolist(), reward, info))
    env.close()
    return found


def test_a_regime_told_ahead_over_http_reads_back(stub: Any, backend: HttpBackend) -> None:
    """The policy the world had before is read once, since a write replaces the whole of it."""
    seen = told_ahead(backend)
    read_back = [number for number, (*_, info) in enumerate(seen) if "regime_read_back" in info]
    assert read_back == [11]
    assert seen[11][2]["regime_read_back"] == {"cause_mix": "B"}
    puts = Counter(request.method for request in stub.received if request.target.endswith("/chaos"))
    assert puts == {"PUT": 1, "GET": 2}


@pytest.mark.parametrize("sim", [False, True])
def test_a_recorded_episode_replays_to_the_same_rows(
    sim: bool, stub: Any, make_backend: Any, tmp_path: Path
) -> None:
    stub.sim = sim
    backend = make_backend(SteppedHttpBackend if sim else HttpBackend, timeout=10)
    recording = record(backend, tmp_path / "session.jsonl")
    played = told_ahead(recording)
    recording.close()
    replayed = told_ahead(RecordedBackend(tmp_path / "session.jsonl"))
    assert replayed == played


def test_the_environment_keeps_the_contract_over_http(stub: Any, backend: HttpBackend) -> None:
    env = MorpheusEnv(backend, task_view=SchedulingUnderDrift(), reward_spec=PAPER, close_backend=False)
    check_environment(env)
    env.close()
