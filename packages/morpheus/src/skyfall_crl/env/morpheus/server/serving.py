"""Runs the application on uvicorn until it is told to stop."""

import socket
import sys
from collections.abc import Callable

from skyfall_crl.env.morpheus.server.settings import ServerSettings
from skyfall_crl.ports.errors import ConfigError

_BACKLOG = 512


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
        )
        server = uvicorn.Server(config)
        application.when_started = lambda: ready(address)
        try:
            server.run(sockets=[listener])
        except KeyboardInterrupt:
            print("stopped", file=sys.stderr)
    return 0 if server.started else 1


def _listening(host: str, port: int) -> socket.socket:
    """Return a listening TCP socket; its protocol is named so that asyncio sends small answers at once."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except OSError as error:
        raise ConfigError(f"--host {host} --port {port}: expected an address that is free: {error}") from None
    return listener
