"""Runs the application on uvicorn until it is told to stop."""

import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from skyfall_crl.env.morpheus.server.settings import ServerSettings
from skyfall_crl.ports.errors import ConfigError

_BACKLOG = 512
_KEEP_ALIVE = 300
"""Seconds after which an idle connection is closed: longer than a learner pauses between two steps."""


def serve(settings: ServerSettings, ready: Callable[[str], None]) -> int:
    """Serve until SIGINT or SIGTERM and return the exit code; `ready` is given the address once it answers.

    Raises `ConfigError` where the extra isn't installed, the address can't be used, or the settings can't work.
    """
    try:
        import uvicorn
    except ImportError as error:
        raise ConfigError(
            f"morpheus serve: expected the extra skyfall-crl-morpheus[server] to be installed, found no {error.name}"
        ) from None
    from skyfall_crl.env.morpheus.server.application import Application

    with _listening(settings.host, settings.port) as listener:
        application = Application(settings)
        host, port = listener.getsockname()[:2]
        address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        config = uvicorn.Config(
            application,
            log_level="warning",
            access_log=False,
            server_header=False,
            date_header=False,
            lifespan="on",
            ws="none",
            timeout_keep_alive=_KEEP_ALIVE,
        )
        server = uvicorn.Server(config)
        application.when_started = lambda: ready(address)
        with _ending_quietly():
            server.run(sockets=[listener])
    return 0 if server.started else 1


@contextmanager
def _ending_quietly() -> Iterator[None]:
    """Let the signals that end a server end it alone: uvicorn raises them once more when it is done."""
    kept = [(number, signal.signal(number, lambda *_: None)) for number in (signal.SIGINT, signal.SIGTERM)]
    try:
        yield
    finally:
        for number, handler in kept:
            signal.signal(number, handler)


def _listening(host: str, port: int) -> socket.socket:
    """Return a listening TCP socket; its protocol is named so that asyncio sends small answers at once."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    except OSError as error:
        raise ConfigError(f"--host {host}: expected an address of this machine: {error}") from None
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise ConfigError(f"--host {host} --port {port}: expected an address that is free: {error}") from None
    return listener
