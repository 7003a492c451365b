"""Orders, and the draws that settle their fate before they enter."""

from hashlib import shake_256
from itertools import product
from struct import Struct, unpack
from typing import TYPE_CHECKING

from skyfall_crl.env.morpheus.simulation.layout import Layout

if TYPE_CHECKING:
    from skyfall_crl.env.morpheus.simulation.faults import Fault

DRAW_BITS = 32
_ARRIVAL_BLOCK = 48
_COUNTER = Struct("<16sBQ").pack
_ORDERS, _ARRIVALS = 0, 1


class Order:
    """One order on its way: `stage` is the one it is in or about to enter, `fault` what blocks it.

    `traits` holds its value of each trait of the layout, `turns` by how much they turn the causes of each symptom.
    """

    __slots__ = (
        "draws",
        "entered_step",
        "fault",
        "number",
        "priority",
        "stage",
        "traits",
        "turns",
        "value_cents",
    )

    def __init__(
        self,
        number: int,
        entered_step: int,
        priority: int,
        value_cents: int,
        draws: tuple[int, ...],
        traits: tuple[int, ...],
        turns: tuple[int, ...],
    ):
        self.number = number
        self.entered_step = entered_step
        self.priority = priority
        self.value_cents = value_cents
        self.draws = draws
        self.traits = traits
        self.turns = turns
        self.stage = 0
        self.fault: Fault | None = None


class OrderBook:
    """Draws orders by number: a counter-based generator keyed on the seed, so that nothing is left to sequence.

    Order number n is the same whatever was done before it entered. Draw 2s decides whether stage s faults, draw
    2s + 1 by which cause; then follow priority, value and one draw for each trait. A draw is an integer in
    [0, 2**32).
    """

    __slots__ = ("_count", "_format", "_key", "_low", "_plain", "_priorities", "_span", "_traits", "_turns")

    def __init__(self, layout: Layout, seed: int):
        self._key = stream_key(seed)
        self._plain = 2 * len(layout.symptoms)
        self._traits = tuple(len(trait.values) for trait in layout.traits)
        self._turns = {
            traits: layout.turns(traits) for traits in product(*(range(count) for count in self._traits))
        }
        self._count = self._plain + 2 + len(self._traits)
        self._format = f"<{self._count}I"
        self._low, high = layout.value_cents
        self._span = high - self._low + 1
        self._priorities = len(layout.priorities)

    def draw(self, number: int, entered_step: int) -> Order:
        """Return order `number`, which enters at `entered_step`."""
        data = shake_256(_COUNTER(self._key, _ORDERS, number)).digest(4 * self._count)
        draws = unpack(self._format, data)
        plain = self._plain
        priority = draws[plain] * self._priorities >> DRAW_BITS
        value_cents = self._low + (draws[plain + 1] * self._span >> DRAW_BITS)
        traits: tuple[int, ...] = ()
        if self._traits:
            traits = tuple(
                draw * count >> DRAW_BITS
                for draw, count in zip(draws[plain + 2 :], self._traits, strict=True)
            )
        return Order(number, entered_step, priority, value_cents, draws, traits, self._turns[traits])


class Arrivals:
    """One draw a step that decides whether one order more enters; drawn by the day, known from the step alone."""

    __slots__ = ("_block", "_draws", "_key")

    def __init__(self, seed: int):
        self._key = stream_key(seed)
        self._block = -1
        self._draws: tuple[int, ...] = ()

    def draw(self, step: int) -> int:
        """Return the draw of a step, in [0, 2**32)."""
        block, offset = divmod(step, _ARRIVAL_BLOCK)
        if block != self._block:
            data = shake_256(_COUNTER(self._key, _ARRIVALS, block)).digest(4 * _ARRIVAL_BLOCK)
            self._draws = unpack(f"<{_ARRIVAL_BLOCK}I", data)
            self._block = block
        return self._draws[offset]


def stream_key(seed: int) -> bytes:
    """Return the 16 bytes that key every stream of a seed."""
    return shake_256(f"stream/{seed}".encode()).digest(16)
