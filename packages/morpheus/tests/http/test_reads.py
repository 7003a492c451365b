"""Reads: tried again within bounds, pages put together, every shape of list and every spoilt number survived."""

import json
import math
from collections.abc import Callable
from time import monotonic
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skyfall_crl.env.morpheus import normalize_tickets
from skyfall_crl.env.morpheus.http import caller
from skyfall_crl.env.morpheus.http.answers import decoded, entries, next_page
from skyfall_crl.env.morpheus.http_backend import MAX_PAGES, HttpBackend
from skyfall_crl.env.morpheus.ports import BackendError

TICKETS = [{"_id": "a", "status": "open"}, {"_id": "b", "status": "open"}]
SHAPES = (
    {"success": True, "data": {"items": TICKETS, "totalCount": 2, "hasMore": False, "nextCursor": None}},
    {"success": True, "data": TICKETS, "pagination": {"totalCount": 2, "hasMore": False, "nextCursor": None}},
    {"success": True, "data": {"items": TICKETS, "totalCount": 2, "limit": 50}},
    {"success": True, "data": TICKETS},
    {"success": True, "data": {"items": TICKETS, "pagination": {"total": 2, "limit": 50, "offset": 0}}},
    TICKETS,
)


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long was waited between attempts, with no waiting done."""
    found: list[float] = []
    monkeypatch.setattr(caller, "sleep", found.append)
    return found


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_a_read_is_tried_three_times_at_most(
    backend: HttpBackend, world: str, stub: Any, pauses: list[float], status: int
) -> None:
    for _ in range(4):
        stub.reply("GET", f"/{world}/tickets", status, {"error": "busy"})
    with pytest.raises(BackendError, match=f"found {status} .*'busy'") as caught:
        backend.get_tasks(world)
    assert (caught.value.status, caught.value.reason) == (status, "http_status")
    assert len(stub.received) == 3
    assert 0.02 < pauses[0] <= 0.05 < pauses[1] <= 0.1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422])
def test_a_read_that_is_refused_for_good_is_not_tried_again(
    backend: HttpBackend, world: str, stub: Any, status: int
) -> None:
    stub.reply("GET", f"/{world}/tickets", status, {"success": False, "error": "no"})
    with pytest.raises(BackendError) as caught:
        backend.get_tasks(world)
    assert (caught.value.status, caught.value.reason) == (status, "rejected")
    assert len(stub.received) == 1


def test_a_success_that_is_none_is_an_error_for_a_read(backend: HttpBackend, world: str, stub: Any) -> None:
    stub.reply("GET", f"/{world}/tickets", 200, {"success": False, "message": "no such luck"})
    with pytest.raises(BackendError, match="expected success, found 200 OK, 'no such luck'"):
        backend.get_tasks(world)


def test_the_deployments_own_wish_to_wait_is_kept(
    backend: HttpBackend, world: str, stub: Any, pauses: list[float]
) -> None:
    stub.reply("GET", f"/{world}/tickets", 429, {"error": "slow down"}, Retry_After="2")
    stub.reply("GET", f"/{world}/tickets", 503, b"busy", Content_Type="text/plain", Retry_After="3")
    assert backend.get_tasks(world)["data"]["items"]
    assert pauses == [2, 3]


def test_nobody_waits_past_the_deadline(
    make_backend: Callable[..., HttpBackend], world: str, stub: Any, pauses: list[float]
) -> None:
    stub.reply("GET", f"/{world}/tickets", 429, {"error": "slow down"}, Retry_After="60")
    with pytest.raises(BackendError, match="slow down"):
        make_backend(timeout=5).get_tasks(world)
    assert (pauses, len(stub.received)) == ([], 1)


def test_a_deployment_that_is_not_there_is_asked_three_times(
    make_backend: Callable[..., HttpBackend], nowhere: str, pauses: list[float]
) -> None:
    with pytest.raises(BackendError, match="refused") as caught:
        make_backend(base_url=nowhere).get_tasks("w")
    assert caught.value.reason == "refused"
    assert len(pauses) == 2


def test_all_attempts_share_one_deadline(make_backend: Callable[..., HttpBackend], nowhere: str) -> None:
    started = monotonic()
    with pytest.raises(BackendError):
        make_backend(base_url=nowhere, timeout=0.05).get_tasks("w")
    assert monotonic() - started < 1


@pytest.mark.parametrize("shape", SHAPES)
def test_tickets_are_found_in_every_shape_of_list(
    backend: HttpBackend, world: str, stub: Any, shape: Any
) -> None:
    stub.reply("GET", f"/{world}/tickets?status=open", 200, shape)
    answer = backend.get_tasks(world, status="open")
    assert answer == shape
    assert [ticket.ticket_id for ticket in normalize_tickets(answer)] == ["a", "b"]
    assert len(stub.received) == 1


@pytest.mark.parametrize(
    ("first", "asked"),
    [
        ({"data": {"items": TICKETS[:1], "hasMore": True, "nextCursor": "a"}}, "cursor=a"),
        ({"data": TICKETS[:1], "pagination": {"hasMore": True, "nextCursor": "a"}}, "cursor=a"),
        ({"data": {"items": TICKETS[:1], "nextCursor": "a"}}, "cursor=a"),
        (
            {
                "data": {
                    "items": TICKETS[:1],
                    "pagination": {"total": 2, "limit": 1, "offset": 0, "hasMore": True},
                }
            },
            "offset=1",
        ),
    ],
)
def test_pages_are_put_together(backend: HttpBackend, world: str, stub: Any, first: Any, asked: str) -> None:
    stub.reply("GET", f"/{world}/tickets?status=open", 200, first)
    stub.reply("GET", f"/{world}/tickets?status=open&{asked}", 200, {"data": {"items": TICKETS[1:]}})
    answer = backend.get_tasks(world, status="open")
    assert answer["data"]["items"] == TICKETS
    assert (answer["success"], answer["data"]["totalCount"], answer["data"]["hasMore"]) == (True, 2, False)


def test_a_list_without_end_is_read_for_so_many_pages(backend: HttpBackend, world: str, stub: Any) -> None:
    for number in range(20):
        cursor = f"?cursor={number}" if number else ""
        page = {"items": [{"_id": str(number)}], "hasMore": True, "nextCursor": str(number + 1)}
        stub.reply("GET", f"/{world}/tickets{cursor}", 200, {"data": page})
    answer = backend.get_tasks(world)
    assert len(answer["data"]["items"]) == len(stub.received) == MAX_PAGES
    assert answer["data"]["hasMore"] is True


def test_a_cursor_that_leads_nowhere_ends_the_list(backend: HttpBackend, world: str, stub: Any) -> None:
    page = {"data": {"items": TICKETS, "hasMore": True, "nextCursor": "x"}}
    stub.reply("GET", f"/{world}/tickets", 200, page)
    stub.reply("GET", f"/{world}/tickets?cursor=x", 200, page)
    assert len(backend.get_tasks(world)["data"]["items"]) == 4
    assert len(stub.received) == 2


def test_pages_of_the_embedded_world_give_the_same_tickets(
    backend: HttpBackend, world: str, stub: Any
) -> None:
    for _ in range(400):
        stub.worlds.advance(world)
    every = stub.worlds.get_tasks(world)["data"]["items"]
    assert len(every) > 100
    assert backend.get_tasks(world)["data"]["items"] == every[: MAX_PAGES * 100]


@pytest.mark.parametrize(
    ("answer", "world_id"),
    [
        ({"world": {"_id": "w"}}, "w"),
        ({"world": {"id": "w"}}, "w"),
        ({"success": True, "data": {"world": {"_id": "w"}}}, "w"),
        ({"success": True, "data": {"_id": "w"}}, "w"),
        ({"_id": "w"}, "w"),
    ],
)
def test_a_new_worlds_id_is_found(backend: HttpBackend, stub: Any, answer: Any, world_id: str) -> None:
    stub.reply("POST", "/world", 201, answer)
    assert backend.create_world(name="n", layout="l") == world_id


@pytest.mark.parametrize(
    "answer", [{}, [], None, "w", {"world": None}, {"world": {"_id": 7}}, {"world": {"_id": ""}}]
)
def test_a_creation_without_an_id_is_an_error(backend: HttpBackend, stub: Any, answer: Any) -> None:
    stub.reply("POST", "/world", 200, answer)
    with pytest.raises(BackendError, match=r"world\._id"):
        backend.create_world(name="n", layout="l")


@pytest.mark.parametrize(
    ("data", "call"),
    [
        ({"success": True}, lambda backend: backend.verify("w", "t")),
        ([], lambda backend: backend.verify("w", "t")),
    ],
)
def test_a_verification_without_a_verdict_is_an_error(
    backend: HttpBackend, stub: Any, data: Any, call: Callable[[HttpBackend], Any]
) -> None:
    stub.reply("POST", "/w/verification/verify-ticket", 200, data)
    with pytest.raises(BackendError, match="passed"):
        call(backend)


def test_a_verification_in_an_envelope_is_taken_out_of_it(backend: HttpBackend, stub: Any) -> None:
    stub.reply("POST", "/w/verification/verify-ticket", 200, {"success": True, "data": {"passed": True}})
    assert backend.verify("w", "t") == {"passed": True}


@pytest.mark.parametrize("data", [{"data": [1]}, "x", 3, None])
def test_what_should_be_an_object_and_is_none_is_an_error(backend: HttpBackend, stub: Any, data: Any) -> None:
    stub.reply("GET", "/docs/mesh?service=wms", 200, data)
    with pytest.raises(BackendError, match="expected an object"):
        backend.get_action_space("w", "wms")
    stub.reply("GET", "/w/logs?limit=100", 200, {"data": 3})
    with pytest.raises(BackendError, match="expected a list"):
        backend.observe("w")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(["data", "items", "pagination", "nextCursor", "hasMore", "offset", "x"]),
                inner,
            )
        ),
        max_leaves=12,
    )
)
def test_no_answer_upsets_the_reading_of_lists_and_pages(data: Any) -> None:
    assert isinstance(entries(data), list | None)
    page = next_page(data)
    assert page is None or set(page) in ({"cursor"}, {"offset"})


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(1 << 70), 1 << 70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON)
def test_every_json_text_reads_as_what_was_written(data: Any) -> None:
    assert decoded(json.dumps(data).encode()) == data


def test_what_json_leaves_out_but_servers_send_is_read() -> None:
    text = b'{"cut":"\\ud83d","gain":NaN,"loss":-Infinity,"far":1e999,"big":123456789012345678901234567890,"e":1e3}'
    found = decoded(text)
    assert found == {
        "cut": "\ud83d",
        "gain": None,
        "loss": None,
        "far": None,
        "big": 123456789012345678901234567890,
        "e": 1e3,
    }
    assert not any(isinstance(value, float) and not math.isfinite(value) for value in found.values())
    assert decoded(b"\xef\xbb\xbf{}") == {}


@given(st.binary(max_size=40))
def test_bytes_that_are_no_json_are_a_value_error(data: bytes) -> None:
    try:
        found = decoded(data)
    except ValueError:
        return
    assert found == json.loads(data)
