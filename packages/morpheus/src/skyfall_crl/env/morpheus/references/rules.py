"""Rules that see only what an agent sees: the features of the discrete view in, an action out."""

from collections.abc import Sequence
from math import fsum
from typing import Protocol

from skyfall_crl.env.morpheus.references.queues import Head, QueueReader

_FORGETTING = 0.97


class Rule(Protocol):
    """Chooses an action of the discrete view for one world, step by step."""

    def choose(self, features: Sequence[float]) -> int:
        """Return the action for the features of the layout the rule was made for."""
        ...


class NothingRule:
    """Lets every step pass."""

    def choose(self, features: Sequence[float]) -> int:
        """Return 0."""
        return 0


class PriorityRule:
    """The hand rule: highest priority first, then oldest; remedies in catalogue order, none twice."""

    def __init__(self, reader: QueueReader) -> None:
        self._reader = reader

    def choose(self, features: Sequence[float]) -> int:
        """Return the first untried remedy for the most urgent head, 0 when there is none."""
        best, action = (-1.0, -1.0), 0
        for head in self._reader.heads(features):
            urgency = (head.weight, head.age)
            if urgency > best:
                best = urgency
                action = self._reader.remedy(head.symptom, self._reader.untried(head.tried)[0])
        return action


class LookRule:
    """Looks before it mends, at whatever is worth most per step of effort; knows no configuration."""

    def __init__(self, reader: QueueReader) -> None:
        self._reader = reader
        self._effort = 1 + reader.layout.look_steps

    def choose(self, features: Sequence[float]) -> int:
        """Return the right remedy where the cause is known, else a look; 0 while one goes on."""
        reader = self._reader
        if reader.looking(features):
            return 0
        best, action = -1.0, 0
        for head in reader.heads(features):
            value = reader.worth(head)
            if head.known is None:
                value /= self._effort
            if value > best:
                best = value
                action = (
                    reader.look(head.symptom)
                    if head.known is None
                    else reader.remedy(head.symptom, head.known)
                )
        return action


class CountingIndexRule:
    """Counts which remedy worked for which symptom, and forgets; adapts with one counter a remedy."""

    def __init__(self, reader: QueueReader) -> None:
        self._reader = reader
        self.counts = [[1.0] * reader.causes for _ in range(self._kinds())]
        self.last: tuple[tuple[int, ...], int] | None = None

    def choose(self, features: Sequence[float]) -> int:
        """Return the remedy with the largest worth times chance of working, by the counts."""
        self._learn(features)
        reader = self._reader
        best, action, chosen = -1.0, 0, None
        for head in reader.heads(features):
            rows = self._rows(head)
            remedy, chance = likeliest(self._weights(rows), reader.untried(head.tried))
            value = reader.worth(head) * chance
            if value > best:
                best, action, chosen = value, reader.remedy(head.symptom, remedy), (rows, remedy)
        self.last = chosen
        return action

    def _kinds(self) -> int:
        return self._reader.symptoms

    def _rows(self, head: Head) -> tuple[int, ...]:
        return (head.symptom,)

    def _weights(self, rows: tuple[int, ...]) -> Sequence[float]:
        return self.counts[rows[0]]

    def _learn(self, features: Sequence[float]) -> None:
        mended, failed = self._reader.outcome(features)
        if self.last is None or not (mended or failed):
            return
        rows, remedy = self.last
        for row in rows:
            counts = self.counts[row]
            if mended:
                for index in range(len(counts)):
                    counts[index] *= _FORGETTING
                counts[remedy] += 1.0
            else:
                counts[remedy] *= _FORGETTING**2


class TraitCountingRule(CountingIndexRule):
    """Counts for each value of each trait as well, and takes what the traits say to be independent.

    The chance of a remedy is its share for the symptom, times by what factor each trait of the order raises that
    share. Where orders have no traits it is `CountingIndexRule`.
    """

    def _kinds(self) -> int:
        return self._reader.symptoms * (1 + sum(self._reader.traits))

    def _rows(self, head: Head) -> tuple[int, ...]:
        start = self._reader.symptoms + head.symptom * sum(self._reader.traits)
        rows = [head.symptom]
        for value, count in zip(head.traits, self._reader.traits, strict=True):
            rows.append(start + value)
            start += count
        return tuple(rows)

    def _weights(self, rows: tuple[int, ...]) -> Sequence[float]:
        plain = self.counts[rows[0]]
        total = fsum(plain)
        weights = list(plain)
        for row in rows[1:]:
            counts = self.counts[row]
            scale = total / (fsum(counts) or 1.0)
            weights = [
                weight * scale * count / base if base else 0.0
                for weight, count, base in zip(weights, counts, plain, strict=True)
            ]
        return weights


def likeliest(weights: Sequence[float], among: Sequence[int]) -> tuple[int, float]:
    """Return the index of the largest weight among some, the first of equals, and its share of theirs."""
    total = 0.0
    best = among[0]
    for index in among:
        total += weights[index]
        if weights[index] > weights[best]:
            best = index
    return best, weights[best] / total if total else 0.0
