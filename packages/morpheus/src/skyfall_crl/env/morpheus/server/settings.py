"""How a server is set up: where it answers, what moves its clock, where worlds are kept, and its limits."""

import ipaddress
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Literal

from skyfall_crl.ports.errors import ConfigError

DEFAULT_PORT = 8282
MAX_REQUEST_BYTES = 16 << 20
MAX_WORLDS = 256

Clock = Literal["step", "wall"]


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """What `skyfall-crl morpheus serve` takes; raises `ConfigError` for what can't work.

    `clock`: `step` moves a world by one step with each call to `/world/act`, `wall` by the hours its
    `realHoursPerSimDay` says. `state` is a directory in which worlds outlive the process; without one they don't.
    `sdk` keeps answers to what the vendor's own client can read. With a `token`, every request has to bring it.
    `requests_per_second` is what one client address may ask, 0 for any number.
    """

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    clock: Clock = "step"
    state: Path | None = None
    sdk: bool = False
    token: str | None = field(default=None, repr=False)
    max_request_bytes: int = MAX_REQUEST_BYTES
    requests_per_second: float = 0.0
    max_worlds: int = MAX_WORLDS

    def __post_init__(self) -> None:
        if not 0 <= self.port < 1 << 16:
            raise ConfigError(f"--port: expected a port from 0 to 65535, found {self.port}")
        if self.clock not in ("step", "wall"):
            raise ConfigError(f"--clock: expected step or wall, found {self.clock!r}")
        if self.token is not None and (not self.token or not self.token.isascii() or " " in self.token):
            raise ConfigError("--token: expected printable ASCII without spaces behind the reference")
        if not isfinite(self.requests_per_second) or self.requests_per_second < 0:
            raise ConfigError(
                f"--rate: expected requests per second from 0, found {self.requests_per_second}"
            )
        if self.max_request_bytes < 1 or self.max_worlds < 1:
            raise ConfigError("--max-request-bytes and --max-worlds: expected 1 or more")
        if self.token is None and not is_loopback(self.host):
            raise ConfigError(f"--host {self.host}: others can reach it; expected --token, found none")


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a host."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
