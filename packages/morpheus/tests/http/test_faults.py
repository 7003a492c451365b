"""Faults on the socket: every call ends in time, says what happened, and no write is sent twice."""

import json
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import Any

import pytest

from skyfall_crl.env.morpheus.http_backend import HttpBackend
from skyfall_crl.env.morpheus.ports import BackendError

pytestmark = pytest.mark.floor

TIMEOUT = 0.2
MARGIN = 1.0
"""What a busy machine may add."""

BIG = 10 << 20

REASONS = {
    "reset_before": "reset",
    "eof_before": "reset",
    "reset_amid": "reset",
    "eof_amid": "truncated",
    "stall": "timeout",
    "drip_head": "timeout",
    "drip_body": "timeout",
    "cut_json": "bad_json",
    "wrong_type": "not_json",
    "html": "not_json",
    "status_429": "http_status",
    "status_500": "http_status",
    "status_503": "http_status",
    "refusal": "rejected",
    "too_big": "too_large",
    "no_http": "bad_http",
}
FAULTS = pytest.mark.parametrize("fault", REASONS)
RACING = {"reset_amid": "truncated"}
"""What else a fault can look like: a reset may overtake the bytes before it."""

SLOW = {"stall", "drip_head", "drip_body"}
SAID = {"refusal", "status_429", "status_503"}
"""Faults that come with words of the deployment's own."""

FINAL = {*SLOW, "too_big", "refusal"}
"""Faults after which a read isn't tried again: the time is up, or it would be the same."""


@pytest.fixture
def hasty(make_backend: Callable[..., HttpBackend], world: str) -> HttpBackend:
    return make_backend(timeout=TIMEOUT)


def within(call: Callable[[], Any], seconds: float = TIMEOUT + MARGIN) -> Any:
    started = monotonic()
    try:
        return call()
    finally:
        assert monotonic() - started < seconds


@FAULTS
def test_an_action_fails_in_time_and_is_sent_once(
    hasty: HttpBackend, world: str, stub: Any, fault: str
) -> None:
    hasty.get_tasks(world)
    stub.received.clear()
    stub.fault = lambda request, number: fault
    answer = within(lambda: hasty.act(world, method="POST", path=f"/{world}/x", body={"id": 1}))
    assert answer["success"] is False
    assert answer["reason"] in (REASONS[fault], "timeout", RACING.get(fault))
    assert len(stub.received) <= 1


@pytest.mark.parametrize("fault", sorted(REASONS.keys() - SLOW))
def test_an_action_that_fails_says_how(
    make_backend: Callable[..., HttpBackend], world: str, stub: Any, fault: str
) -> None:
    stub.fault = lambda request, number: fault
    answer = make_backend(timeout=10).act(world, method="POST", path=f"/{world}/x", body={"id": 1})
    assert (answer["success"], answer["reason"] in (REASONS[fault], RACING.get(fault))) == (False, True)
    assert f"{stub.url}: POST /world/act: expected a JSON answer, found" in answer["error"] or fault in SAID
    assert len(stub.received) == 1


@FAULTS
def test_a_read_fails_in_time_with_a_backend_error_that_says_how(
    hasty: HttpBackend, world: str, stub: Any, fault: str
) -> None:
    stub.fault = lambda request, number: fault
    with pytest.raises(BackendError) as caught:
        within(lambda: hasty.get_tasks(world))
    assert caught.value.reason in (REASONS[fault], "timeout", RACING.get(fault))
    assert f"{stub.url}: GET /{world}/tickets: expected" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(stub.received) <= 3


@FAULTS
def test_no_write_is_ever_sent_twice(hasty: HttpBackend, world: str, stub: Any, fault: str) -> None:
    stub.fault = lambda request, number: fault
    for write in (
        lambda: hasty.create_world(name="n", layout="process-outbound"),
        lambda: hasty.reset_world(world),
        lambda: hasty.push_chaos(world, {}),
        lambda: hasty.verify(world, "t"),
        lambda: hasty.delete_world(world),
    ):
        stub.received.clear()
        with pytest.raises(BackendError) as caught:
            within(write)
        assert caught.value.reason in (REASONS[fault], "timeout", RACING.get(fault))
        assert len(stub.received) <= 1


@FAULTS
def test_a_read_outlives_one_fault_where_trying_again_can_help(
    make_backend: Callable[..., HttpBackend], world: str, stub: Any, fault: str
) -> None:
    patient = make_backend(timeout=TIMEOUT if fault in SLOW else 10)
    stub.fault = lambda request, number: fault if number == 1 else None
    if fault in FINAL:
        with pytest.raises(BackendError):
            patient.get_tasks(world)
        assert len(stub.received) <= 1
    else:
        assert patient.get_tasks(world)["data"]["items"]
        assert len(stub.received) == 2


@pytest.mark.parametrize("fault", sorted(SLOW))
def test_a_read_whose_answer_got_lost_is_asked_again_long_before_its_time_is_up(
    make_backend: Callable[..., HttpBackend], world: str, stub: Any, fault: str
) -> None:
    patient = make_backend(timeout=4)
    for _ in range(3):
        patient.get_tasks(world)
    stub.received.clear()
    stub.fault = lambda request, number: fault if number == 1 else None
    assert within(lambda: patient.get_tasks(world), 3)["data"]["items"]
    assert len(stub.received) == 2


def test_a_deployment_that_has_become_slower_is_waited_for(
    make_backend: Callable[..., HttpBackend], world: str, stub: Any
) -> None:
    def linger(request: Any, number: int) -> None:
        stub.stopping.wait(1.2)

    patient = make_backend(timeout=4)
    for _ in range(3):
        patient.get_tasks(world)
    stub.received.clear()
    stub.fault = linger
    for _ in range(2):
        assert patient.get_tasks(world)["data"]["items"]
    assert len(stub.received) <= 4


@FAULTS
def test_with_every_twentieth_answer_spoilt_all_calls_end_and_no_action_is_sent_twice(
    hasty: HttpBackend, world: str, stub: Any, fault: str
) -> None:
    stub.fault = lambda request, number: fault if number % 20 == 0 else None
    failed = 0
    for step in range(60):
        path = f"/{world}/tickets/{step}"
        answer = within(partial(hasty.act, world, method="GET", path=path))
        failed += answer["status"] != 404
        try:
            within(lambda: hasty.get_tasks(world))
        except BackendError:
            failed += 1
    acts = [json.loads(request.body)["path"] for request in stub.received if request.method == "POST"]
    sent = [int(path.rpartition("/")[2]) for path in acts]
    assert sent == sorted(set(sent))
    assert failed < 60


def test_a_reset_after_the_body_spoils_at_most_the_call_it_overtakes(
    hasty: HttpBackend, world: str, stub: Any
) -> None:
    stub.fault = lambda request, number: "reset_after" if number % 2 else None
    for step in range(20):
        answer = within(partial(hasty.act, world, method="GET", path=f"/{world}/tickets?limit={step + 1}"))
        assert answer["success"] or answer["reason"] in ("reset", "timeout")
    limits = [request.json["query"]["limit"] for request in stub.received]
    assert limits == sorted(set(limits), key=int)


def test_a_body_of_ten_megabytes_is_an_answer_like_any_other(
    make_backend: Callable[..., HttpBackend], world: str, stub: Any
) -> None:
    stub.reply("GET", f"/{world}/tickets", 200, {"data": {"items": [], "padding": "x" * BIG}})
    assert len(make_backend(timeout=10).get_tasks(world)["data"]["padding"]) == BIG


def test_a_body_of_ten_megabytes_ends_in_time_too(hasty: HttpBackend, world: str, stub: Any) -> None:
    stub.reply("POST", "/world/act", 200, {"data": "x" * BIG})
    answer = within(lambda: hasty.act(world, method="POST", path=f"/{world}/x"))
    assert answer["success"] or answer["reason"] == "timeout"


@pytest.mark.parametrize("chunks", [[b"x" * (1 << 20)] * 17, [b"1"] * 3])
def test_a_chunked_body_is_bounded_as_well(
    make_backend: Callable[..., HttpBackend], world: str, stub: Any, chunks: list[bytes]
) -> None:
    body = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"
    stub.reply("GET", f"/{world}/x", 200, body, Transfer_Encoding="chunked")
    backend = make_backend(timeout=10)
    if len(chunks) == 3:
        assert backend.fetch(world, f"/{world}/x") == 111
    else:
        with pytest.raises(BackendError, match="more than 16777216 bytes"):
            backend.fetch(world, f"/{world}/x")


def test_a_chunked_body_that_breaks_off_is_cut_off(
    make_backend: Callable[..., HttpBackend], world: str, stub: Any
) -> None:
    stub.reply("POST", "/world/act", 200, b"5\r\n123", Transfer_Encoding="chunked", Connection="close")
    answer = make_backend(timeout=10).act(world, method="GET", path="/x")
    assert (answer["success"], answer["reason"]) == (False, "truncated")


def test_a_body_without_a_length_ends_where_the_connection_does(
    make_backend: Callable[..., HttpBackend], world: str, stub: Any
) -> None:
    stub.reply("GET", f"/{world}/x", 200, b"[1]", Transfer_Encoding="identity", Connection="close")
    assert make_backend(timeout=10).fetch(world, f"/{world}/x") == [1]


def test_a_compressed_body_that_nobody_asked_for_is_refused(
    make_backend: Callable[..., HttpBackend], world: str, stub: Any
) -> None:
    stub.reply("POST", "/world/act", 200, b"\x1f\x8b", Content_Encoding="gzip")
    answer = make_backend(timeout=10).act(world, method="GET", path="/x")
    assert (answer["success"], answer["reason"]) == (False, "bad_http")


def test_headers_without_end_are_refused(
    make_backend: Callable[..., HttpBackend], world: str, stub: Any
) -> None:
    stub.reply("POST", "/world/act", 200, b"{}", **{f"X_{n}": "x" for n in range(200)})
    answer = make_backend(timeout=10).act(world, method="GET", path="/x")
    assert (answer["success"], answer["reason"]) == (False, "bad_http")
