"""A clock that follows the wall: each world takes a step whenever its real hours per simulated day say so."""

import asyncio
import logging
import time
from collections.abc import Callable

from skyfall_crl.env.morpheus.server.worlds import HostedWorlds

_logger = logging.getLogger(__name__)
_LONGEST_SLEEP = 0.25
_MOST_AT_ONCE = 48


class WallClock:
    """Moves worlds as real time passes; a paused world stands still, and time the server is down is not made up."""

    def __init__(self, worlds: HostedWorlds, now: Callable[[], float] = time.monotonic) -> None:
        self._worlds = worlds
        self._now = now
        self._due: dict[str, float] = {}

    def tick(self) -> float:
        """Take every step that is due and return in how many seconds to look again, at most a quarter of one."""
        now = self._now()
        ids = self._worlds.ids()
        self._due = {world_id: self._due.get(world_id, now) for world_id in ids}
        return min([_LONGEST_SLEEP, *(self._stepped(world_id, now) for world_id in ids)])

    async def run(self) -> None:
        """Tick until cancelled, also after a step went wrong."""
        while True:
            try:
                pause = self.tick()
            except Exception:
                _logger.exception("the clock")
                pause = _LONGEST_SLEEP
            await asyncio.sleep(pause)

    def _stepped(self, world_id: str, now: float) -> float:
        definition = self._worlds.hosted(world_id).definition
        if self._worlds.is_paused(world_id):
            self._due[world_id] = now
            return _LONGEST_SLEEP
        every = definition.real_hours_per_day * 3600 / self._worlds.backend.layout(world_id).steps_per_day
        for _ in range(_MOST_AT_ONCE):
            if now - self._due[world_id] < every:
                break
            self._worlds.advance(world_id)
            self._due[world_id] += every
        else:
            self._due[world_id] = now
        return max(0.0, self._due[world_id] + every - now)
