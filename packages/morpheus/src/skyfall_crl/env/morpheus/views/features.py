"""The fixed numeric features of a board of tickets."""

from collections.abc import Mapping
from struct import Struct

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from skyfall_crl.env.morpheus.ports import TicketBoard
from skyfall_crl.env.morpheus.simulation.layout import Layout

LENGTH_SCALE = 20
VALUE_SCALE = 20.0
MOST_BLOCKED = 100.0
_GLOBAL = 4


class BoardFeatures:
    """Turns a board into float32 features: a block for each queue, then four for the whole.

    A queue's block is: present, length / 20 (at most 1), age of the oldest ticket / horizon, its priority
    weight, value blocked in the queue / 20 units (at most 100), then one-hot which cause of the oldest ticket
    is known and which remedies were tried on it; all zero when the queue is empty. The last four are 1
    (bias), whether the last operation mended a fault, whether it failed to, and whether a look is going on.
    """

    def __init__(self, layout: Layout) -> None:
        causes = layout.causes
        self.width = 5 + 2 * causes
        self.size = len(layout.symptoms) * self.width + _GLOBAL
        self._absent = (0.0,) * self.width
        self._lengths = tuple(length / LENGTH_SCALE for length in range(LENGTH_SCALE + 1))
        self._ages = tuple(age / layout.horizon_steps for age in range(layout.horizon_steps + 1))
        self._weights = layout.priority_weights
        self._value = 1.0 / (layout.value_unit_cents * VALUE_SCALE)
        tried = [tuple(float(mask >> remedy & 1) for remedy in range(causes)) for mask in range(1 << causes)]
        self._unknown = tuple((0.0,) * causes + remedies for remedies in tried)
        self._known = tuple(
            tuple(tuple(float(known == cause) for cause in range(causes)) + remedies for remedies in tried)
            for known in range(causes)
        )
        self._pack = Struct(f"{self.size}f").pack

    @property
    def space(self) -> spaces.Box:
        """The space of the features, of shape (size,)."""
        high = np.ones(self.size, np.float32)
        high[4 : self.size - _GLOBAL : self.width] = MOST_BLOCKED
        return spaces.Box(np.zeros(self.size, np.float32), high, dtype=np.float32)

    def encode(
        self, board: TicketBoard, known: Mapping[str, int], *, remedied: bool, failed: bool, looking: bool
    ) -> NDArray[np.float32]:
        """Return the features; `known` holds the causes found out so far, by ticket."""
        values: list[float] = []
        step, lengths, ages, weights = board.step, self._lengths, self._ages, self._weights
        most, horizon = LENGTH_SCALE, len(ages) - 1
        for queue, cents in zip(board.queues, board.blocked_cents, strict=True):
            if not queue:
                values += self._absent
                continue
            oldest = queue[0]
            length, age, blocked = len(queue), step - oldest.opened_step, cents * self._value
            cause = known.get(oldest.ticket_id) if known else None
            values += (
                1.0,
                lengths[length if length < most else most],
                ages[age if age < horizon else horizon],
                weights[oldest.priority],
                blocked if blocked < MOST_BLOCKED else MOST_BLOCKED,
            )
            values += (self._unknown if cause is None else self._known[cause])[oldest.tried]
        values += (1.0, float(remedied), float(failed), float(looking))
        return np.frombuffer(bytearray(self._pack(*values)), np.float32)
