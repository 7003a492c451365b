"""A served simulator is told from a deployment, and does over HTTP what it does in process."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from skyfall_crl.env.morpheus import ports
from skyfall_crl.env.morpheus.http.stepped_backend import SteppedHttpBackend, connect
from skyfall_crl.env.morpheus.http_backend import HttpBackend
from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend
from skyfall_crl.env.morpheus.testing import check_backend

STEPPED = (ports.AdvancingBackend, ports.SignallingBackend, ports.SnapshotBackend)
LIVE = (
    *(ports.MorpheusBackend, ports.DisposingBackend, ports.ObservingBackend),
    *(ports.ChaosBackend, ports.RewardConfigBackend),
)


def test_a_deployment_is_offered_what_it_has_and_nothing_of_a_simulator(
    make_backend: Callable[..., HttpBackend], stub: Any
) -> None:
    backend = make_backend(connect)
    assert type(backend) is HttpBackend
    assert all(isinstance(backend, protocol) for protocol in LIVE)
    assert not any(isinstance(backend, protocol) for protocol in STEPPED)
    assert [request.target for request in stub.received] == ["/sim"]


def test_a_served_simulator_has_a_clock_signals_and_snapshots(
    make_backend: Callable[..., HttpBackend], stub: Any
) -> None:
    stub.sim = True
    backend = make_backend(connect)
    assert isinstance(backend, SteppedHttpBackend)
    assert all(isinstance(backend, protocol) for protocol in (*LIVE, *STEPPED))
    assert not isinstance(backend, ports.BoardBackend)


@pytest.mark.parametrize(
    ("status", "data"),
    [
        (404, b"<html>"),
        (200, b"<html>"),
        (403, {"error": "no"}),
        (200, {"data": {}}),
        (200, [1]),
        (501, {"error": ""}),
    ],
)
def test_any_answer_that_is_no_side_channel_means_a_deployment(
    make_backend: Callable[..., HttpBackend], stub: Any, status: int, data: Any
) -> None:
    for _ in range(3):
        kind = "text/html" if isinstance(data, bytes) else "application/json"
        stub.reply("GET", "/sim", status, data, Content_Type=kind)
    assert type(make_backend(connect)) is HttpBackend


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_deployment_that_can_not_say_what_it_is_is_an_error(stub: Any, status: int) -> None:
    for _ in range(3):
        stub.reply("GET", "/sim", status, {"error": "busy"})
    with pytest.raises(BackendError, match=str(status)):
        connect(stub.url)


def test_a_side_channel_of_another_protocol_is_an_error(stub: Any) -> None:
    stub.reply("GET", "/sim", 200, {"data": {"protocol": 2}})
    with pytest.raises(BackendError, match="expected protocol 1"):
        connect(stub.url)


def test_nothing_that_answers_is_an_error(nowhere: str) -> None:
    with pytest.raises(BackendError, match="refused"):
        connect(nowhere)


@pytest.mark.parametrize("sim", [False, True], ids=["deployment", "simulator"])
def test_the_contract_is_kept_over_http(stub: Any, sim: bool) -> None:
    stub.sim = sim
    check_backend(lambda: connect(stub.url))


def test_a_served_world_lives_as_one_in_process(make_backend: Callable[..., HttpBackend], stub: Any) -> None:
    stub.sim = True
    served, inside = make_backend(connect, timeout=30), SimulatedBackend()
    assert isinstance(served, SteppedHttpBackend)
    worlds = []
    both: tuple[SteppedHttpBackend | SimulatedBackend, ...] = (served, inside)
    for backend in both:
        world = backend.create_world(name="n", layout="process-outbound", seed=3)
        backend.set_chaos(world, {"simulation": {"axes": {"demand": 1.4}}})
        worlds.append(world)
    layout, draw = inside.layout(worlds[1]), Random(5)
    for _ in range(150):
        queue = inside.ticket_board(worlds[1]).queues[symptom := int(draw.random() * 7)]
        remedy = int(draw.random() * 3)
        for backend, world in zip(both, worlds, strict=True):
            if queue:
                call = layout.remedy_call(symptom, remedy, queue[0].ticket_id).resolved(world)
                assert backend.act(world, method=call.method, path=call.path, body=call.body)["success"]
            else:
                backend.advance(world)
        assert served.step_signals(worlds[0]) == inside.step_signals(worlds[1])
    assert served.digest_world(worlds[0]) == inside.digest_world(worlds[1])
    assert served.snapshot_world(worlds[0]) == inside.snapshot_world(worlds[1])


@pytest.mark.parametrize(
    ("method", "what", "call"),
    [
        ("GET", "signals", lambda backend: backend.step_signals("w")),
        ("GET", "digest", lambda backend: backend.digest_world("w")),
        ("POST", "snapshot", lambda backend: backend.snapshot_world("w")),
        ("POST", "fork", lambda backend: backend.fork_world("w")),
    ],
)
@pytest.mark.parametrize(
    "data", [None, [], {"data": {}}, {"data": {"signals": {"x": "y"}, "digest": 1, "state": 2}}]
)
def test_a_side_channel_that_answers_something_else_is_an_error(
    make_backend: Callable[..., HttpBackend],
    stub: Any,
    method: str,
    what: str,
    call: Callable[[Any], Any],
    data: Any,
) -> None:
    stub.reply(method, f"/sim/worlds/w/{what}", 200, data)
    with pytest.raises(BackendError, match=f"{method} /sim/worlds/w/{what}: expected"):
        call(make_backend(SteppedHttpBackend))


def test_moving_the_clock_is_never_sent_twice(
    make_backend: Callable[..., HttpBackend], stub: Any, world: str
) -> None:
    stub.sim = True
    backend = make_backend(connect)
    assert isinstance(backend, SteppedHttpBackend)
    stub.received.clear()
    stub.fault = lambda request, number: "reset_before"
    for write in (
        lambda: backend.advance(world),
        lambda: backend.restore_world(world, {}),
        lambda: backend.fork_world(world),
        lambda: backend.commit_world(world, world),
    ):
        stub.received.clear()
        with pytest.raises(BackendError, match="found"):
            write()
        assert len(stub.received) == 1
