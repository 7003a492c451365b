"""What a server lets in: tokens, sizes, rates and numbers of worlds, each refused in words before anything is done."""

import base64
import socket
from collections.abc import Callable
from typing import Any

import pytest

from skyfall_crl.env.morpheus.server.limits import Rate
from skyfall_crl.env.morpheus.server.replies import Refusal
from skyfall_crl.env.morpheus.server.settings import ServerSettings
from skyfall_crl.ports.errors import ConfigError

pytestmark = pytest.mark.floor

TOKEN = "canary-token"


@pytest.mark.parametrize(
    "given", ["", "Bearer", "Bearer other", "canary-token", "Basic !!!", "Basic Y2FuYXJ5"]
)
def test_without_the_token_nothing_is_answered_and_nothing_of_it_shown(
    run_server: Callable[..., Any], given: str
) -> None:
    client = run_server(token=TOKEN)
    for target in ("/", "/sim", "/docs", "/world", "/abc/tickets"):
        status, headers, content = client.raw("GET", target, **({"Authorization": given} if given else {}))
        assert status == 401
        assert TOKEN.encode() not in content
        assert headers["www-authenticate"].startswith("Basic" if target == "/" else "Bearer")


def test_the_token_opens_as_a_bearer_and_as_the_password_a_browser_asks_for(
    run_server: Callable[..., Any],
) -> None:
    client = run_server(token=TOKEN)
    basic = base64.b64encode(f"me:{TOKEN}".encode()).decode()
    for given in (f"Bearer {TOKEN}", f"bearer {TOKEN}", f"Basic {basic}"):
        assert client.raw("GET", "/", Authorization=given)[0] == 200


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "http://elsewhere.example"}, {"Origin": "null"}, {"Host": "elsewhere.example:8282"}],
)
def test_what_a_page_of_another_site_has_a_browser_send_is_turned_away(
    client: Any, headers: dict[str, str]
) -> None:
    body = {"name": "n", "layout": None}
    assert client.raw("POST", "/world", body, **headers)[0] == 403
    assert client.ask("GET", "/world")[1]["data"]["worlds"] == []
    own = {"Origin": client.url, "Host": client.url.partition("://")[2]}
    assert client.raw("POST", "/world", body, **own)[0] == 200
    assert client.raw("GET", "/sim", Host=f"localhost:{client.port}")[0] == 200
    assert client.raw("GET", "/sim", Host=f"[::1]:{client.port}")[0] == 200


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_that_is_too_large_is_refused_before_it_is_read(
    run_server: Callable[..., Any], chunked: bool
) -> None:
    client = run_server(max_request_bytes=1000)
    with socket.create_connection(("127.0.0.1", client.port), 10) as connection:
        head = b"POST /world HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        if chunked:
            connection.sendall(
                head + b"Transfer-Encoding: chunked\r\n\r\n" + b"258\r\n" + b"x" * 600 + b"\r\n"
            )
            connection.sendall(b"258\r\n" + b"x" * 600 + b"\r\n")
        else:
            connection.sendall(head + b"Content-Length: 1001\r\n\r\n")
        answer = b"".join(iter(lambda: connection.recv(4096), b""))
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"at most 1000 bytes" in answer
    assert client.ask("GET", "/world")[1]["data"]["worlds"] == []


def test_an_empty_body_with_a_content_type_of_json_is_no_body(client: Any) -> None:
    world = client.create()
    for method, target in (
        ("POST", f"/world/{world}/reset"),
        ("PUT", f"/{world}/od/schedules/pause"),
        ("GET", f"/{world}/tickets"),
        ("DELETE", f"/world/{world}"),
    ):
        assert client.ask(method, target)[0] == 200


def test_who_asks_too_often_is_told_to_wait(run_server: Callable[..., Any]) -> None:
    client = run_server(requests_per_second=0.05)
    found = [client.raw("GET", "/sim") for _ in range(3)]
    statuses = [status for status, _, _ in found]
    assert statuses[0] == 200
    assert 429 in statuses
    assert next(headers for status, headers, _ in found if status == 429)["retry-after"] == "1"


def test_each_address_has_a_rate_of_its_own_that_comes_back_with_time() -> None:
    now = 0.0
    rate = Rate(2, lambda: now)
    for _ in range(4):
        rate.check("a")
    with pytest.raises(Refusal, match="at most 2 requests"):
        rate.check("a")
    rate.check("b")
    now = 0.5
    rate.check("a")
    with pytest.raises(Refusal):
        rate.check("a")
    for number in range(5000):
        rate.check(str(number))
    assert len(rate._buckets) <= 4096


def test_there_is_room_for_so_many_worlds(run_server: Callable[..., Any]) -> None:
    client = run_server(max_worlds=2)
    first, _ = client.create(1), client.create(2)
    for method, target, body in (
        ("POST", "/world", {"name": "n", "layout": None}),
        ("POST", f"/sim/worlds/{first}/fork", None),
    ):
        status, answer = client.ask(method, target, body)
        assert status == 429
        assert "at most 2 worlds" in answer["error"]
    client.ask("DELETE", f"/world/{first}")
    client.create(3)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"host": "0.0.0.0"}, "others can reach it; expected --token"),
        ({"host": "example.org"}, "others can reach it"),
        ({"port": 70000}, "expected a port"),
        ({"clock": "sun"}, "expected step or wall"),
        ({"token": ""}, "--token: expected printable ASCII"),
        ({"token": "a b"}, "--token: expected printable ASCII"),
        ({"requests_per_second": -1.0}, "--rate"),
        ({"max_worlds": 0}, "expected 1 or more"),
    ],
)
def test_settings_that_can_not_work_are_named(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        ServerSettings(**settings)


def test_an_address_for_others_takes_a_token_which_no_text_shows() -> None:
    settings = ServerSettings(host="0.0.0.0", token=TOKEN)
    assert TOKEN not in repr(settings)
    assert ServerSettings(host="::1").host == "::1"
