"""The fixed numeric features of a board of tickets."""

from collections.abc import Mapping, Sequence
from itertools import product
from struct import Struct, pack

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from skyfall_crl.env.morpheus.ports import TicketBoard
from skyfall_crl.env.morpheus.simulation.layout import Layout

LENGTH_SCALE = 20
VALUE_SCALE = 20.0
MOST_BLOCKED = 100.0
UNKNOWN = -1
_GLOBAL = 4
_PACK_ONE = Struct("f").pack


class BoardFeatures:
    """Turns a board into float32 features: a block for each queue, then four for the whole.

    A queue's block is: present, length / 20 (at most 1), age of the oldest ticket / horizon, its priority
    weight, value blocked in the queue / 20 units (at most 100), then one-hot which cause of the oldest ticket
    is known, which remedies were tried on it and, where the layout has traits, one-hot its value of each; all
    zero when the queue is empty. The last four are 1 (bias), whether the last operation mended a fault,
    whether it failed to, and whether a look is going on.
    """

    def __init__(self, layout: Layout) -> None:
        causes, horizon = layout.causes, layout.horizon_steps
        counts = [len(trait.values) for trait in layout.traits]
        self.width = 5 + 2 * causes + sum(counts)
        self.size = len(layout.symptoms) * self.width + _GLOBAL
        self._value = 1.0 / (layout.value_unit_cents * VALUE_SCALE)
        self._absent = _packed(*[0.0] * self.width)
        self._lengths = tuple(_packed(1.0, length / LENGTH_SCALE) for length in range(LENGTH_SCALE + 1))
        self._ages = tuple(_packed(age / horizon) for age in range(horizon + 1))
        self._weights = tuple(_packed(weight) for weight in layout.priority_weights)
        tried = [_bits(mask, causes) for mask in range(1 << causes)]
        self._unknown = tuple(_packed(*[0.0] * causes, *remedies) for remedies in tried)
        self._known = tuple(
            tuple(_packed(*_bits(1 << cause, causes), *remedies) for remedies in tried)
            for cause in range(causes)
        )
        self._traits = {
            values: _one_hot(values, counts)
            for values in product(*(range(UNKNOWN, count) for count in counts))
        }
        self._ends = tuple(_packed(1.0, *_bits(flags, 3)) for flags in range(8))

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
        parts: list[bytes] = []
        step, lengths, ages, horizon = board.step, self._lengths, self._ages, len(self._ages) - 1
        for queue, cents in zip(board.queues, board.blocked_cents, strict=True):
            if not queue:
                parts.append(self._absent)
                continue
            oldest = queue[0]
            length, age, blocked = len(queue), step - oldest.opened_step, cents * self._value
            cause = known.get(oldest.ticket_id) if known else None
            parts += (
                lengths[length if length < LENGTH_SCALE else LENGTH_SCALE],
                ages[age if age < horizon else horizon],
                self._weights[oldest.priority],
                _PACK_ONE(blocked if blocked < MOST_BLOCKED else MOST_BLOCKED),
                (self._unknown if cause is None else self._known[cause])[oldest.tried],
                self._traits[oldest.traits],
            )
        parts.append(self._ends[remedied | failed << 1 | looking << 2])
        return np.frombuffer(bytearray().join(parts), np.float32)


def _packed(*values: float) -> bytes:
    return pack(f"{len(values)}f", *values)


def _one_hot(values: Sequence[int], counts: Sequence[int]) -> bytes:
    return _packed(
        *(
            float(value == place)
            for value, count in zip(values, counts, strict=True)
            for place in range(count)
        )
    )


def _bits(mask: int, count: int) -> tuple[float, ...]:
    return tuple(float(mask >> place & 1) for place in range(count))
