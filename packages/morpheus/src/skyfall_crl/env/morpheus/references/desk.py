"""One agent at one engine: the discrete view's actions and features, without an environment between."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from skyfall_crl.env.morpheus.references.queues import QueueReader
from skyfall_crl.env.morpheus.simulation.engine import World
from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.env.morpheus.views.features import BoardFeatures


class Desk:
    """Takes actions numbered as in `scheduling-under-drift`; the steps of a look belong to it."""

    def __init__(self, layout: Layout, seed: int) -> None:
        self.world = World(layout, seed)
        self.reader = QueueReader(layout)
        self._weights = tuple(weight for _, weight in layout.reward)
        self._features = BoardFeatures(layout)
        self.space = self._features.space
        self._known: dict[str, int] = {}
        self._busy = 0

    def features(self) -> Sequence[float]:
        """Return what the view would show now, as a list."""
        values: list[float] = self.encoded().tolist()
        return values

    def encoded(self) -> NDArray[np.float32]:
        """Return what the view would show now, as the view does."""
        world = self.world
        return self._features.encode(
            world.board, self._known, remedied=world.remedied, failed=world.failed, looking=self._busy > 0
        )

    def step(self, action: int) -> float:
        """Take one step and return its reward by the spec `paper`."""
        world = self.world
        world.begin()
        if self._busy:
            self._busy -= 1
        elif action > self.reader.symptoms * self.reader.causes:
            self._look(action - 1 - self.reader.symptoms * self.reader.causes)
        elif action:
            symptom, remedy = divmod(action - 1, self.reader.causes)
            queue = world.board.queues[symptom]
            if queue:
                world.mend(queue[0], remedy)
        world.advance()
        return self.reward()

    def reward(self) -> float:
        """Return the reward of the last step."""
        total = 0.0
        for weight, signal in zip(self._weights, self.world.signals(), strict=True):
            total += weight * signal
        return total

    def _look(self, symptom: int) -> None:
        for fault in self.world.board.queues[symptom]:
            if fault.ticket_id not in self._known:
                self._known[fault.ticket_id] = fault.cause
                self._busy = self.reader.layout.look_steps - 1
                return
