"""An agent's call over HTTP: whatever becomes of it is an answer, never an exception."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skyfall_crl.env.morpheus.http_backend import HttpBackend

ACT = ("POST", "/world/act")
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.just(object()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner) | st.tuples(inner),
    max_leaves=8,
)


def test_a_call_that_succeeds_is_answered_as_the_deployment_answers(
    backend: HttpBackend, world: str, stub: Any
) -> None:
    answer = backend.act(world, method="GET", path=f"/{world}/tickets?limit=1")
    assert answer["success"] is True
    assert answer["status"] == 200
    assert len(answer["data"]["items"]) == 1


def test_a_rejected_call_says_so_and_keeps_the_deployments_words(backend: HttpBackend, world: str) -> None:
    answer = backend.act(world, method="PUT", path=f"/{world}/nonsense", body={})
    assert answer["success"] is False
    assert answer["status"] == 404
    assert answer["reason"] == "rejected"
    assert "no operation" in answer["error"]
    assert answer["meta"]["event"] == "message"


@pytest.mark.parametrize(
    ("status", "data", "success", "told", "reason"),
    [
        (200, {"ok": 1}, True, 200, None),
        (200, {"success": True, "status": 201, "data": 1}, True, 201, None),
        (201, {"success": True}, True, 201, None),
        (200, [1, 2], True, 200, None),
        (204, b"", True, 204, None),
        (200, {"success": False}, False, 200, "rejected"),
        (200, {"success": False, "status": 409, "error": "twice"}, False, 409, "rejected"),
        (200, {"status": 404, "data": None}, False, 404, "rejected"),
        (400, {"success": True}, False, 400, "rejected"),
        (422, ["no"], False, 422, "rejected"),
        (429, {"error": "slow"}, False, 429, "http_status"),
        (503, {"success": False, "status": 503}, False, 503, "http_status"),
        (500, b"<h1>oops</h1>", False, 500, "http_status"),
        (302, b"", False, 302, "http_status"),
        (200, b"", True, 200, None),
        (200, b"{", False, 200, "bad_json"),
        (200, b"[" * 200_000, False, 200, "bad_json"),
        (200, b"\xff", False, 200, "bad_json"),
        (404, b"nothing here", False, 404, "http_status"),
    ],
)
def test_success_is_read_from_the_outer_status_and_from_the_inner_answer(
    backend: HttpBackend,
    world: str,
    stub: Any,
    status: int,
    data: Any,
    success: bool,
    told: int,
    reason: str | None,
) -> None:
    stub.reply(*ACT, status, data)
    answer = backend.act(world, method="POST", path=f"/{world}/x")
    assert (answer["success"], answer["status"], answer.get("reason")) == (success, told, reason)
    assert success or answer["error"]
    assert len(stub.received) == 1


def test_a_bare_list_is_put_under_data(backend: HttpBackend, world: str, stub: Any) -> None:
    stub.reply(*ACT, 200, [1, 2])
    assert backend.act(world, method="GET", path="/x") == {"data": [1, 2], "status": 200, "success": True}


def test_redirects_are_not_followed_and_say_where_they_lead(
    backend: HttpBackend, world: str, stub: Any
) -> None:
    stub.reply(*ACT, 307, b"", Location="https://elsewhere/world/act")
    answer = backend.act(world, method="POST", path="/x")
    assert answer["status"] == 307
    assert "https://elsewhere/world/act" in answer["error"]


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ANY, ANY, ANY)
def test_whatever_a_policy_proposes_comes_back_as_an_answer(
    backend: HttpBackend, world: str, method: Any, path: Any, body: Any
) -> None:
    answer = backend.act(world, method=method, path=path, body=body)
    assert isinstance(answer["success"], bool)
    json.dumps(answer)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        (None, "/x", None),
        ("GET", None, None),
        ("POST", "/x", {"a": object()}),
        ("POST", "/x", {"a": float("nan")}),
        ("POST", "/x", {("a",): 1}),
    ],
)
def test_what_can_not_be_sent_is_not_sent(
    backend: HttpBackend, world: str, stub: Any, method: Any, path: Any, body: Any
) -> None:
    answer = backend.act(world, method=method, path=path, body=body)
    assert (answer["success"], answer["status"], answer["reason"]) == (False, None, "bad_call")
    assert stub.received == []


def test_a_body_that_holds_itself_is_not_sent(backend: HttpBackend, world: str, stub: Any) -> None:
    body: dict[str, Any] = {}
    body["me"] = body
    assert backend.act(world, method="POST", path="/x", body=body)["reason"] == "bad_call"
    assert stub.received == []


def test_text_that_is_no_unicode_is_sent_escaped(backend: HttpBackend, world: str, stub: Any) -> None:
    backend.act(world, method="POST", path="/\ud800", body={"\udfff": "\U0001f600"})
    assert stub.received[0].body == b'{"path":"/\\ud800","method":"POST","body":{"\\udfff":"\\ud83d\\ude00"}}'


def test_a_deployment_that_is_not_there_is_an_answer_too(
    make_backend: Callable[..., HttpBackend], nowhere: str
) -> None:
    answer = make_backend(base_url=nowhere).act("w", method="GET", path="/w/tickets")
    assert (answer["success"], answer["status"], answer["reason"]) == (False, None, "refused")
    assert nowhere in answer["error"]
    assert "start the deployment" in answer["error"]


def test_a_name_nobody_knows_is_an_answer_too(make_backend: Callable[..., HttpBackend]) -> None:
    backend = make_backend(base_url="http://deployment.invalid", timeout=5)
    answer = backend.act("w", method="GET", path="/w/tickets")
    assert (answer["success"], answer["reason"]) == (False, "unresolved")


def test_a_closed_backend_is_an_answer_too(backend: HttpBackend, world: str) -> None:
    backend.close()
    assert backend.act(world, method="GET", path="/x")["reason"] == "closed"
