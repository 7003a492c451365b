"""How the rules read a board: one head a queue, out of the numeric features of the discrete view."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.env.morpheus.views.features import LENGTH_SCALE, VALUE_SCALE

FORESIGHT_STEPS = 40
"""How many steps of saved leakage a rule counts when it values a fault."""


@dataclass(frozen=True, slots=True)
class Head:
    """The oldest ticket of a queue: `age` in horizons, `weight` of its priority, `value` the mean of its queue.

    `known` is its cause, or None; bit r of `tried` is set when remedy r failed; `traits` has the place of its order's
    value of each trait of the layout.
    """

    symptom: int
    age: float
    weight: float
    value: float
    known: int | None
    tried: int
    traits: tuple[int, ...] = ()


class QueueReader:
    """Reads features and numbers actions: 0 nothing, then a remedy for each queue and cause, then looks."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.symptoms = len(layout.symptoms)
        self.causes = layout.causes
        self.traits = tuple(len(trait.values) for trait in layout.traits)
        self.width = 5 + 2 * self.causes + sum(self.traits)
        self.size = self.symptoms * self.width + 4
        self.actions = 1 + self.symptoms * (self.causes + 1)

    def heads(self, features: Sequence[float]) -> Iterator[Head]:
        """Yield the heads of all queues that are not empty, in the order of stages."""
        causes = self.causes
        for symptom in range(self.symptoms):
            base = symptom * self.width
            if not features[base]:
                continue
            length = features[base + 1] * LENGTH_SCALE
            known, tried = None, 0
            for cause in range(causes):
                if features[base + 5 + cause]:
                    known = cause
                if features[base + 5 + causes + cause]:
                    tried |= 1 << cause
            value = features[base + 4] * VALUE_SCALE / length
            traits = self._values(features, base + 5 + 2 * causes) if self.traits else ()
            yield Head(symptom, features[base + 2], features[base + 3], value, known, tried, traits)

    def _values(self, features: Sequence[float], start: int) -> tuple[int, ...]:
        values = []
        for count in self.traits:
            flags = features[start : start + count]
            values.append(max(range(count), key=flags.__getitem__))
            start += count
        return tuple(values)

    def looking(self, features: Sequence[float]) -> bool:
        """Tell whether the step belongs to a look that was begun."""
        return features[self.size - 1] > 0

    def outcome(self, features: Sequence[float]) -> tuple[bool, bool]:
        """Tell whether the last operation mended its fault, and whether it failed to."""
        return features[self.size - 3] > 0, features[self.size - 2] > 0

    def remedy(self, symptom: int, remedy: int) -> int:
        """Return the action that applies a remedy to the head of a queue."""
        return 1 + symptom * self.causes + remedy

    def look(self, symptom: int) -> int:
        """Return the action that looks at a queue."""
        return 1 + self.symptoms * self.causes + symptom

    def untried(self, tried: int) -> list[int]:
        """Return the remedies that were not tried in vain, or all when every one was."""
        left = [remedy for remedy in range(self.causes) if not tried >> remedy & 1]
        return left or list(range(self.causes))

    def worth(self, head: Head) -> float:
        """Return what mending a head is worth to somebody who does not know what lateness costs."""
        return worth(self.layout, head.weight, head.age, head.value, 1.0)


def worth(layout: Layout, weight: float, age: float, value: float, late_rate: float) -> float:
    """Return the reward of mending a fault now: its own, and the leakage it saves over the next steps."""
    reward = dict(layout.reward)
    left = (1.0 - age) * layout.horizon_steps
    saved = value * late_rate * min(FORESIGHT_STEPS, left) / layout.leak_reference
    return reward["remediation"] * weight * (1.0 - age) + reward["financial"] * saved
