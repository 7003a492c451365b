"""What goes over the wire: methods, targets, headers, and every body down to its bytes."""

from collections.abc import Callable
from typing import Any

import pytest

from skyfall_crl.env.morpheus.http_backend import HttpBackend
from skyfall_crl.env.morpheus.ports import BackendError

Sent = Callable[[], tuple[str, str, bytes]]


@pytest.fixture
def sent(stub: Any) -> Sent:
    """Return the one request received since the last look."""

    def look() -> tuple[str, str, bytes]:
        (request,) = stub.received
        stub.received.clear()
        return request.method, request.target, request.body

    return look


def test_creating_a_world_sends_each_field_under_the_wires_own_name(backend: HttpBackend, sent: Sent) -> None:
    backend.create_world(name="a b", layout="process-outbound")
    assert sent() == (
        "POST",
        "/world",
        b'{"name":"a b","layout":"process-outbound","chaos":{"processChaosEnabled":true,"infraChaosEnabled":true}}',
    )
    backend.create_world(
        name="n",
        layout="process-outbound",
        description="d",
        real_hours_per_sim_day=1.5,
        process_chaos=False,
        infrastructure_chaos=False,
        seed=7,
    )
    assert sent() == (
        "POST",
        "/world",
        (
            b'{"name":"n","layout":"process-outbound","description":"d","realHoursPerSimDay":1.5,'
            b'"chaos":{"processChaosEnabled":false,"infraChaosEnabled":false},"simulation":{"seed":7}}'
        ),
    )


def test_creating_a_world_takes_arguments_it_has_no_use_for(backend: HttpBackend, sent: Sent) -> None:
    assert backend.create_world(name="n", layout="process-outbound", colour="red")
    assert b"red" not in sent()[2]


def test_world_calls_name_the_world_in_their_path(backend: HttpBackend, world: str, sent: Sent) -> None:
    backend.reset_world(world)
    assert sent() == ("POST", f"/world/{world}/reset", b"")
    backend.push_chaos(world, {"processChaosEnabled": True, "infraChaosEnabled": False})
    body = b'{"processChaosEnabled":true,"infraChaosEnabled":false}'
    assert sent() == ("PUT", f"/world/{world}/chaos", body)
    backend.read_chaos(world)
    assert sent() == ("GET", f"/world/{world}/chaos", b"")
    backend.delete_world(world)
    assert sent() == ("DELETE", f"/world/{world}", b"")


def test_setting_chaos_writes_once_and_reads_back(backend: HttpBackend, world: str, stub: Any) -> None:
    read = backend.set_chaos(world, {"infraChaosEnabled": False, "simulation": {"axes": {"demand": 1.5}}})
    assert read["infraChaosEnabled"] is False
    assert read["simulation"]["axes"]["demand"] == 1.5
    assert [request.method for request in stub.received] == ["PUT", "GET"]


def test_reads_inside_a_world_name_it_as_the_first_segment(
    backend: HttpBackend, world: str, sent: Sent
) -> None:
    backend.get_tasks(world)
    assert sent() == ("GET", f"/{world}/tickets", b"")
    backend.get_tasks(world, status="open")
    assert sent() == ("GET", f"/{world}/tickets?status=open", b"")
    backend.fetch(world, f"/{world}/tickets", params={"limit": 5, "cursor": None})
    assert sent() == ("GET", f"/{world}/tickets?limit=5", b"")
    backend.fetch(world, "/{worldId}/tickets?limit=3", params={"status": "open"})
    assert sent() == ("GET", f"/{world}/tickets?limit=3&status=open", b"")
    backend.get_action_space(world, "wms")
    assert sent() == ("GET", "/docs/mesh?service=wms", b"")


def test_verification_names_the_ticket_in_camel_case(backend: HttpBackend, world: str, sent: Sent) -> None:
    ticket = backend.get_tasks(world)["data"]["items"][0]["_id"]
    sent()
    assert backend.verify(world, ticket)["passed"] is False
    expected = f'{{"ticketId":"{ticket}"}}'.encode()
    assert sent() == ("POST", f"/{world}/verification/verify-ticket", expected)


def test_an_action_always_goes_through_the_deployments_proxy(
    backend: HttpBackend, world: str, sent: Sent
) -> None:
    backend.act(world, method="get", path="/{worldId}/tickets?status=open&status=new&limit=2")
    body = f'{{"path":"/{world}/tickets","method":"GET","query":{{"status":["open","new"],"limit":"2"}}}}'
    assert sent() == ("POST", "/world/act", body.encode())
    backend.act(world, method="PUT", path=f"/{world}/x", body={"ümlaut": None, "n": [1, 2.5]})
    body = f'{{"path":"/{world}/x","method":"PUT","body":{{"\\u00fcmlaut":null,"n":[1,2.5]}}}}'
    assert sent() == ("POST", "/world/act", body.encode())
    backend.act(world, method="POST", path=f"/{world}/x", body={})
    assert sent()[2] == f'{{"path":"/{world}/x","method":"POST","body":{{}}}}'.encode()


def test_every_request_speaks_json_and_carries_the_given_headers(
    make_backend: Callable[..., HttpBackend], stub: Any
) -> None:
    backend = make_backend(headers={"Authorization": "Bearer abc", "accept": "application/vnd.x+json"})
    backend.create_world(name="n", layout="process-outbound")
    headers = {name.lower(): value for name, value in stub.received[0].headers.items()}
    length = headers.pop("content-length")
    assert int(length) == len(stub.received[0].body)
    assert headers == {
        "host": stub.url.removeprefix("http://"),
        "accept": "application/vnd.x+json",
        "content-type": "application/json",
        "authorization": "Bearer abc",
    }


def test_a_base_url_may_have_a_path_of_its_own(make_backend: Callable[..., HttpBackend], stub: Any) -> None:
    backend = make_backend(base_url=f"{stub.url}/morpheus/")
    with pytest.raises(BackendError, match=r"found 404"):
        backend.get_tasks("w")
    assert stub.received[0].target == "/morpheus/w/tickets"
    assert backend.base_url == f"{stub.url}/morpheus"


@pytest.mark.parametrize(
    ("value", "query"),
    [
        ({"flag": True, "off": False}, "flag=true&off=false"),
        ({"status": ["A", "B"]}, "status=A&status=B"),
        ({"search": "a&b=c d/ü#?"}, "search=a%26b%3Dc+d%2F%C3%BC%23%3F"),
    ],
)
def test_parameters_are_written_as_the_deployment_reads_them(
    backend: HttpBackend, world: str, stub: Any, value: dict[str, Any], query: str
) -> None:
    stub.reply("GET", f"/{world}/erp/orders?{query}", 200, {"data": []})
    assert backend.fetch(world, f"/{world}/erp/orders", params=value) == {"data": []}


def test_days_and_moments_go_as_iso_8601(backend: HttpBackend, world: str, stub: Any) -> None:
    from datetime import date, datetime

    params = {"dateStart": datetime(2026, 1, 2, 3, 4, 5), "dateEnd": date(2026, 1, 3)}
    target = f"/{world}/logs?dateStart=2026-01-02T03%3A04%3A05&dateEnd=2026-01-03"
    stub.reply("GET", target, 200, {})
    assert backend.fetch(world, f"/{world}/logs", params=params) == {}


@pytest.mark.parametrize(
    "path",
    [
        *("/other/tickets", "", "/", "tickets", "/world/{worldId}/chaos", "//{worldId}/tickets", 7, None),
        *("/{worldId}/../other/tickets", "/{worldId}/%2e%2e/other", "/{worldId}/a\\..\\b", "/{worldId}/./a"),
        *("http://elsewhere/{worldId}/tickets", "/{worldId}@elsewhere/tickets"),
    ],
)
def test_reads_stay_inside_their_world(backend: HttpBackend, world: str, stub: Any, path: Any) -> None:
    with pytest.raises(BackendError, match="expected a path"):
        backend.fetch(world, path)
    assert stub.received == []


@pytest.mark.parametrize(
    "path", ["/{worldId}/a b\r\nX: y", "/{worldId}/ü\x00", "/{worldId}/a#b", "/{worldId}/\ud800"]
)
def test_whatever_a_path_holds_it_stays_one_request_line(
    backend: HttpBackend, world: str, stub: Any, path: str
) -> None:
    with pytest.raises(BackendError, match="found 404"):
        backend.fetch(world, path)
    (request,) = stub.received
    assert request.target.isascii()
    assert " " not in request.target
    assert "X" not in request.headers


@pytest.mark.parametrize("world_id", ["", ".", "..", None, 3, []])
def test_what_can_be_no_id_is_refused_before_anything_is_sent(
    backend: HttpBackend, stub: Any, world_id: Any
) -> None:
    calls = (backend.reset_world, backend.delete_world, backend.get_tasks, backend.read_chaos)
    for call in (*calls, lambda found: backend.fetch(found, "/{worldId}/tickets")):
        with pytest.raises(BackendError, match="expected the id of a world"):
            call(world_id)
    assert stub.received == []


def test_an_odd_world_id_is_one_path_segment(backend: HttpBackend, stub: Any) -> None:
    with pytest.raises(BackendError, match="404"):
        backend.get_tasks("a/../b c?d")
    assert stub.received[0].target == "/a%2F..%2Fb%20c%3Fd/tickets"


def test_observing_reads_both_logs_by_plain_requests(backend: HttpBackend, world: str, stub: Any) -> None:
    found = backend.observe(world, limit=20)
    assert [request.target for request in stub.received] == [
        f"/{world}/logs?limit=20",
        f"/{world}/audit-logs",
    ]
    assert [entry["serviceType"] for entry in found["logs"]] == ["wms"] * 3
    assert found["audit_log"] == [{"model": "Task"}] * 20
    assert backend.observe(world, logs=False, audit_log=False) == {}
    assert set(backend.observe(world, audit_log=False)) == {"logs"}
    assert set(backend.observe(world, logs=False)) == {"audit_log"}


def test_a_worlds_own_reward_spec_is_read_where_it_is_kept(
    make_backend: Callable[..., HttpBackend], backend: HttpBackend, world: str, stub: Any
) -> None:
    assert backend.reward_config(world) is None
    stub.reward_configs[world] = {"name": "own"}
    assert backend.reward_config(world) == {"name": "own"}
    elsewhere = make_backend(reward_config_path="/world/{worldId}/reward")
    stub.reply("GET", f"/world/{world}/reward", 200, {"success": True, "data": {"name": "there"}})
    assert elsewhere.reward_config(world) == {"name": "there"}
    stub.reply("GET", f"/world/{world}/reward", 200, [1])
    with pytest.raises(BackendError, match="expected a reward spec"):
        elsewhere.reward_config(world)


def test_all_services_are_asked_for_where_none_is_named(backend: HttpBackend, world: str, stub: Any) -> None:
    stub.reply(
        "GET", "/docs/mesh?service=planning", 404, {"success": False, "status": 404, "error": "unknown"}
    )
    space = backend.get_action_space(world)
    assert space["count"] == len(space["endpoints"]) > 5
    assert {request.target for request in stub.received} > {
        "/docs/mesh?service=wms",
        "/docs/mesh?service=tickets",
    }
    stub.reply("GET", "/docs/mesh?service=tickets", 403, {"success": False, "status": 403, "error": "no"})
    with pytest.raises(BackendError, match="403"):
        backend.get_action_space(world)
