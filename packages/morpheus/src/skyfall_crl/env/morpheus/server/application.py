"""The ASGI application: lets requests in, finds what they mean, and answers in the wire's envelopes."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.env.morpheus.server.clock import WallClock
from skyfall_crl.env.morpheus.server.deployment import Deployment
from skyfall_crl.env.morpheus.server.documents import Documents
from skyfall_crl.env.morpheus.server.domain import Domain
from skyfall_crl.env.morpheus.server.limits import Door, Gone, Neighbourhood, Rate, Receive, body_of
from skyfall_crl.env.morpheus.server.replies import Refusal, Reply, refused
from skyfall_crl.env.morpheus.server.requests import Request, request
from skyfall_crl.env.morpheus.server.settings import ServerSettings, is_loopback
from skyfall_crl.env.morpheus.server.side_channel import SideChannel
from skyfall_crl.env.morpheus.server.store import StoreError
from skyfall_crl.env.morpheus.server.worlds import HostedWorlds
from skyfall_crl.env.morpheus.simulation.catalogue import find, find_root

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_logger = logging.getLogger(__name__)


class Application:
    """Serves the worlds of one process; every request is done on the event loop, whole, before the next one.

    Building it loads the worlds of the state directory; raises `ConfigError` and `StoreError`.
    """

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.worlds = HostedWorlds(settings.state, settings.max_worlds)
        stepped = settings.clock == "step"
        self._neighbourhood = Neighbourhood(loopback=is_loopback(settings.host))
        self._door = Door(settings.token)
        self._rate = Rate(settings.requests_per_second, time.monotonic)
        self._side_channel = SideChannel(self.worlds, stepped=stepped)
        self._deployment = Deployment(self.worlds)
        self._documents = Documents()
        self._domain = Domain(self.worlds, stepped=stepped, sdk=settings.sdk)
        self._clock = None if stepped else WallClock(self.worlds)
        self.when_started: Callable[[], None] = lambda: None

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one ASGI connection."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            try:
                reply = await self._reply(scope, receive)
            except Gone:
                return
            await _sent(reply, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        ticking = None if self._clock is None else asyncio.create_task(self._clock.run())
        await send({"type": "lifespan.startup.complete"})
        self.when_started()
        await receive()
        if ticking is not None:
            ticking.cancel()
            await asyncio.wait([ticking])
        self.worlds.close()
        await send({"type": "lifespan.shutdown.complete"})

    async def _reply(self, scope: Message, receive: Receive) -> Reply:
        try:
            self._neighbourhood.check(scope["headers"])
            self._door.check(scope["headers"], page=scope["path"] == "/")
            self._rate.check(scope["client"][0] if scope.get("client") else "")
            content = await body_of(scope["headers"], receive, self.settings.max_request_bytes)
            asked = request(scope["method"], scope["raw_path"], scope["query_string"], content)
            return self._found(asked) or self._nothing(asked)
        except Refusal as refusal:
            return refused(refusal.status, str(refusal), refusal.headers)
        except BackendError as error:
            return refused(400, str(error))
        except StoreError as error:
            _logger.error("%s", error)
            return refused(503, "the world could not be written down; it is as it was before this request")
        except Gone:
            raise
        except Exception:
            _logger.exception("%s %s", scope["method"], scope["path"])
            return refused(500, "the server made a mistake; its log has the details")

    def _found(self, asked: Request) -> Reply | None:
        first = asked.segments[0]
        if first == "world" and asked.segments[1:] == ("act",) and asked.method == "POST":
            return self._domain.act(asked)
        if first in ("", "docs"):
            return self._documents.reply(asked)
        if first == "sim":
            return self._side_channel.reply(asked)
        if first in ("world", "chaos"):
            return self._deployment.reply(asked)
        return self._domain.reply(asked)

    def _nothing(self, asked: Request) -> Reply:
        """Return 405 where another method would be answered, else 404."""
        allowed = [method for method in _METHODS if method != asked.method and self._is_known(method, asked)]
        if allowed:
            headers = ((b"allow", ", ".join(allowed).encode()),)
            return refused(405, f"{asked.path}: expected {', '.join(allowed)}, found {asked.method}", headers)
        return refused(404, f"{asked.method} {asked.path:.120}: expected an operation, found none")

    def _is_known(self, method: str, asked: Request) -> bool:
        first = asked.segments[0]
        if first == "sim":
            return self._side_channel.is_known(method, asked)
        if first in ("", "world", "chaos", "docs"):
            return (method == "GET" and asked.path == "/") or find_root(method, asked.path) is not None
        return first in self.worlds.ids() and find(method, "/".join(asked.segments[1:])) is not None


async def _sent(reply: Reply, send: Send) -> None:
    headers = [
        (b"content-type", reply.kind),
        (b"content-length", str(len(reply.body)).encode()),
        (b"x-content-type-options", b"nosniff"),
        *reply.headers,
    ]
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": reply.body})
