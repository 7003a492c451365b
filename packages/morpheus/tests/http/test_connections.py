"""Connections: kept and reused, never more than calls under way, none left behind, and none shared with a fork."""

import gc
import os
import random
import shutil
import ssl
import subprocess
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from skyfall_crl.env.morpheus.http import connection, transport
from skyfall_crl.env.morpheus.http.transport import KeepAliveTransport
from skyfall_crl.env.morpheus.http_backend import HttpBackend
from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.ports.errors import ConfigError


def idle_in(backend: HttpBackend) -> int:
    return len(backend._caller._transport._idle)


def test_building_a_backend_opens_nothing_and_builds_no_tls_context(stub: Any) -> None:
    before = connection._trusting.cache_info().misses
    HttpBackend(stub.url).close()
    HttpBackend("https://deployment.invalid").close()
    assert stub.connections == 0
    assert connection._trusting.cache_info().misses == before


def test_calls_one_after_another_share_one_connection(backend: HttpBackend, world: str, stub: Any) -> None:
    for _ in range(20):
        backend.get_tasks(world)
        backend.act(world, method="GET", path=f"/{world}/nothing")
    assert stub.connections == 1


def test_threads_leave_their_connections_to_others_when_they_end(
    backend: HttpBackend, world: str, stub: Any
) -> None:
    for _ in range(30):
        thread = threading.Thread(target=backend.get_tasks, args=(world,))
        thread.start()
        thread.join()
    assert stub.connections == 1
    assert idle_in(backend) == 1


def test_there_are_never_more_connections_than_calls_under_way(
    make_backend: Callable[..., HttpBackend], world: str, stub: Any
) -> None:
    backend = make_backend(timeout=30)
    before = stub.connections
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: backend.get_tasks(world), range(200)))
    assert stub.connections - before <= 8
    assert idle_in(backend) <= 8


def test_worlds_driven_from_many_threads_never_get_each_others_answers(
    make_backend: Callable[..., HttpBackend], stub: Any
) -> None:
    backend = make_backend(timeout=30)
    worlds = [backend.create_world(name=f"w{n}", layout="process-outbound", seed=n) for n in range(16)]
    paths = [f"/{world}/mark/{number}" for world in worlds for number in range(10)]
    for path in paths:
        stub.reply("GET", path, 200, {"echo": path})
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda path: backend.fetch(path.split("/")[1], path), paths))
    assert [answer["echo"] for answer in answers] == paths


def test_a_connection_the_server_closed_is_replaced_unnoticed(
    backend: HttpBackend, world: str, stub: Any
) -> None:
    backend.get_tasks(world)
    stub.drop_connections()
    while backend._caller._transport._idle[0].is_usable():
        continue
    assert backend.act(world, method="GET", path=f"/{world}/tickets")["success"]
    assert stub.connections == 2


def test_a_connection_with_bytes_nobody_asked_for_is_not_used_again(
    backend: HttpBackend, world: str, stub: Any
) -> None:
    stub.reply("GET", f"/{world}/tickets", 200, b'{"data":[]}HTTP/1.1 200 OK\r\n\r\n', Content_Length="11")
    backend.get_tasks(world)
    assert backend.act(world, method="GET", path=f"/{world}/tickets")["status"] == 200


def test_a_server_that_ends_each_connection_is_served_with_new_ones(
    backend: HttpBackend, world: str, stub: Any
) -> None:
    before = stub.connections
    for _ in range(3):
        stub.reply("GET", f"/{world}/tickets", 200, {"data": []}, Connection="close")
        backend.get_tasks(world)
    assert stub.connections - before == 2
    assert idle_in(backend) == 0


def test_connections_that_lay_idle_too_long_are_closed(
    make_backend: Callable[..., HttpBackend], world: str, stub: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = make_backend(timeout=30)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: backend.get_tasks(world), range(40)))
    monkeypatch.setattr(connection, "KEEPALIVE_SECONDS", 0.0)
    for _ in range(5):
        backend.get_tasks(world)
    assert idle_in(backend) <= 1
    assert transport.MAX_BODY_BYTES == 16 << 20


def test_idle_connections_are_trusted_for_at_least_a_minute() -> None:
    assert connection.KEEPALIVE_SECONDS >= 60


def test_closing_twice_is_closing_once_and_calls_then_fail(backend: HttpBackend, world: str) -> None:
    backend.close()
    backend.close()
    with pytest.raises(BackendError, match="closed"):
        backend.get_tasks(world)
    assert idle_in(backend) == 0


def test_a_call_under_way_ends_and_its_connection_with_it(
    make_backend: Callable[..., HttpBackend], world: str, stub: Any
) -> None:
    backend = make_backend(timeout=30)
    arrived, go_on = threading.Event(), threading.Event()

    def hold(request: Any, number: int) -> None:
        arrived.set()
        go_on.wait(10)

    stub.fault = hold
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(backend.get_tasks, world)
        assert arrived.wait(10)
        backend.close()
        go_on.set()
        assert answer.result(10)["data"]["items"]
    assert idle_in(backend) == 0


def test_closing_leaves_no_socket_to_the_collector(stub: Any, world: str) -> None:
    backend = HttpBackend(stub.url)
    backend.get_tasks(world)
    stub.fault = lambda request, number: "reset_amid"
    backend.act(world, method="GET", path="/x")
    backend.close()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        del backend
        gc.collect()
    assert [str(warning.message) for warning in caught] == []


def test_a_forked_process_opens_connections_of_its_own(backend: HttpBackend, world: str, stub: Any) -> None:
    backend.get_tasks(world)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        answered = backend.act(world, method="GET", path=f"/{world}/tickets")["success"]
        os._exit(0 if answered and idle_in(backend) == 1 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert stub.connections == 2
    assert backend.act(world, method="GET", path=f"/{world}/tickets")["success"]
    assert stub.connections == 2


def test_waiting_before_another_attempt_draws_from_no_shared_generator(
    backend: HttpBackend, world: str, stub: Any
) -> None:
    random.seed(1)
    expected = random.Random(1).random()
    stub.fault = lambda request, number: "status_503" if number == 1 else None
    backend.get_tasks(world)
    assert random.random() == expected


def test_the_transport_serves_a_plain_httpx_request(stub: Any) -> None:
    from skyfall_crl.env.morpheus.http.deadline import Deadline

    stub.reply("GET", "/docs", 200, b"<html>", Content_Type="text/html")
    request = httpx.Request("GET", f"{stub.url}/docs", extensions={"deadline": Deadline(5)})
    with KeepAliveTransport(httpx.URL(stub.url)) as plain:
        response = plain.handle_request(request)
    assert (response.status_code, response.read()) == (200, b"<html>")


@pytest.mark.parametrize("base_url", ["http://localhost:{port}", "http://127.0.0.1:{port}/"])
def test_a_host_may_be_a_name_or_an_address(
    make_backend: Callable[..., HttpBackend], world: str, stub: Any, base_url: str
) -> None:
    backend = make_backend(base_url=base_url.format(port=stub.server_address[1]), timeout=10)
    assert backend.get_tasks(world)["data"]["items"]


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """A self-signed certificate for localhost, and its key."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs the openssl command to make a certificate")
    found = tmp_path / "cert.pem", tmp_path / "key.pem"
    command = [
        openssl,
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=localhost",
    ]
    command += ["-addext", "subjectAltName=DNS:localhost", "-out", str(found[0]), "-keyout", str(found[1])]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return found


def test_https_verifies_the_deployment_and_keeps_its_connection(
    make_backend: Callable[..., HttpBackend],
    stub: Any,
    certificate: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    stub.socket = context.wrap_socket(stub.socket, server_side=True)
    port = stub.server_address[1]
    connection._trusting.cache_clear()
    distrusting = make_backend(base_url=f"https://localhost:{port}", timeout=10)
    answer = distrusting.act("w", method="GET", path="/x")
    assert (answer["success"], answer["reason"]) == (False, "tls")
    connection._trusting.cache_clear()
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    backend = make_backend(base_url=f"https://localhost:{port}", timeout=10)
    world = backend.create_world(name="n", layout="process-outbound")
    before = stub.connections
    for _ in range(5):
        assert backend.act(world, method="GET", path=f"/{world}/tickets")["success"]
    assert stub.connections - before <= 1
    backend.close()
    connection._trusting.cache_clear()


@pytest.mark.parametrize(
    ("base_url", "said"),
    [
        ("localhost:8282", "expected http"),
        ("ftp://host", "expected http"),
        ("http://", "expected http"),
        ("http://host?x=1", "nothing after the path"),
        ("http://host#x", "nothing after the path"),
        ("http://host:0", "port from 1"),
        ("http://host:70000", "port from 1|expected an address"),
        ("http://[::1", "expected an address"),
        (7, "expected an address"),
        (None, "expected an address"),
    ],
)
def test_an_address_that_can_not_work_is_refused_at_once(base_url: Any, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        HttpBackend(base_url)


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf"), "30", None, True])
def test_a_timeout_that_bounds_nothing_is_refused_at_once(timeout: Any) -> None:
    with pytest.raises(ConfigError, match="timeout: expected a positive number"):
        HttpBackend(timeout=timeout)


@pytest.mark.parametrize("path", ["reward", "/reward", 3])
def test_a_reward_config_path_without_a_world_is_refused_at_once(path: Any) -> None:
    with pytest.raises(ConfigError, match="reward_config_path"):
        HttpBackend(reward_config_path=path)
