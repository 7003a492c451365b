"""Header values appear in no text: not in errors, not in answers, not where a server echoes them."""

from collections.abc import Callable
from typing import Any

import pytest

from skyfall_crl.env.morpheus.http_backend import HttpBackend
from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.ports.errors import ConfigError

CANARY = "canary-7f3a91c2"


@pytest.mark.parametrize("echo", [f"Bearer {CANARY}", CANARY, f"token={CANARY};"])
@pytest.mark.parametrize("kind", ["text/html", "application/json"])
def test_an_echoed_header_is_marked_in_errors(
    make_backend: Callable[..., HttpBackend], world: str, stub: Any, echo: str, kind: str
) -> None:
    backend = make_backend(headers={"Authorization": f"Bearer {CANARY}"}, timeout=10)
    body = f'{{"success":false,"error":"who is {echo}?"}}'.encode()
    stub.reply("GET", f"/{world}/tickets", 401, body, Content_Type=kind)
    with pytest.raises(BackendError) as caught:
        backend.get_tasks(world)
    assert CANARY not in str(caught.value)
    assert "[header]" in str(caught.value)
    stub.reply("POST", "/world/act", 401, body, Content_Type="text/html")
    assert CANARY not in repr(backend.act(world, method="GET", path="/x"))


def test_an_echoed_credential_is_marked_in_data_as_well(
    make_backend: Callable[..., HttpBackend], world: str, stub: Any
) -> None:
    backend = make_backend(
        headers={"X-Api-Key": CANARY, "X-Team": "finance", "Accept": "application/json"}, timeout=10
    )
    entry = {"seen": f"X-Api-Key: {CANARY}", "path": "/finance", "type": "application/json"}
    stub.reply("GET", f"/{world}/logs?limit=100", 200, {"data": [entry]})
    found = backend.observe(world, audit_log=False)["logs"]
    assert found == [{"seen": "X-Api-Key: [header]", "path": "/finance", "type": "application/json"}]
    stub.reply("POST", "/world/act", 403, {"success": False, "error": f"not {CANARY}"})
    assert CANARY not in repr(backend.act(world, method="GET", path="/x"))


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": f"Bearer {CANARY}\r\nX: y"},
        {"Authorization": f"ü{CANARY}"},
        {"Authorization": CANARY.encode()},
        {"Content-Length": CANARY},
        {"Bad Name": CANARY},
        {"": CANARY},
        {7: CANARY},
        [CANARY],
        CANARY,
    ],
)
def test_headers_that_can_not_work_are_refused_without_showing_them(headers: Any) -> None:
    with pytest.raises(ConfigError, match="headers") as caught:
        HttpBackend(headers=headers)
    assert CANARY not in str(caught.value)


def test_credentials_in_the_address_are_refused_without_showing_them() -> None:
    with pytest.raises(ConfigError, match="expected no credentials") as caught:
        HttpBackend(f"http://user:{CANARY}@host:8282")
    assert CANARY not in str(caught.value)


def test_an_address_that_is_no_address_is_not_repeated() -> None:
    with pytest.raises(ConfigError, match="base_url") as caught:
        HttpBackend(f"http://user:{CANARY}@[::1")
    assert CANARY not in str(caught.value)
