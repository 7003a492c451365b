"""Measuring the references: the same seeds for each, mean reward per step and its interval over seeds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from math import sqrt
from random import Random
from statistics import NormalDist, fmean, stdev
from typing import Any

from skyfall_crl.env.morpheus.references import insight
from skyfall_crl.env.morpheus.references.desk import Desk
from skyfall_crl.env.morpheus.references.rules import (
    CountingIndexRule,
    LookRule,
    PriorityRule,
    Rule,
    TraitCountingRule,
)
from skyfall_crl.env.morpheus.simulation import snapshot
from skyfall_crl.env.morpheus.simulation.layout import Layout

Chooser = Callable[[], int]


@dataclass(frozen=True, slots=True)
class Level:
    """A mean reward per step over seeds, with half the width of its 95 % interval.

    `digest` is that of all worlds at their ends: equal exactly when every one went the same way. `means` are those
    of the seeds one by one, for pairs.
    """

    mean: float
    half_width: float
    digest: str
    means: tuple[float, ...]


def measure(name: str, layout: Layout, axes: Mapping[str, Any], seeds: Sequence[int], steps: int) -> Level:
    """Run one reference of `REFERENCES` on fresh worlds, one for each seed."""
    means, ends = [], sha256()
    for seed in seeds:
        desk = Desk(layout, seed)
        desk.world.configure(axes)
        means.append(REFERENCES[name](desk, steps))
        ends.update(snapshot.digest(desk.world).encode())
    return Level(fmean(means), half_width(means), ends.hexdigest(), tuple(means))


def half_width(values: Sequence[float]) -> float:
    """Return half the width of the 95 % interval of a mean, by Student's t; 0 for a single value."""
    if len(values) < 2:
        return 0.0
    return student_quantile(len(values) - 1) * stdev(values) / sqrt(len(values))


def student_quantile(degrees: int) -> float:
    """Return the 97.5 % quantile of Student's t, by its expansion around the normal's (to .001 from 5 degrees on)."""
    z = NormalDist().inv_cdf(0.975)
    first = (z**3 + z) / (4 * degrees)
    second = (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2)
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * degrees**3)
    return z + first + second + third


def _play(desk: Desk, choose: Chooser, steps: int) -> float:
    total = 0.0
    for _ in range(steps):
        total += desk.step(choose())
    return total / steps


def _ruled(rule: Callable[[Desk], Rule], desk: Desk, steps: int) -> float:
    chosen = rule(desk)
    return _play(desk, lambda: chosen.choose(desk.features()), steps)


def _insight(choose: Any, desk: Desk, steps: int) -> float:
    return _play(desk, lambda: choose(desk.reader, desk.world), steps)


def _nothing(desk: Desk, steps: int) -> float:
    return _play(desk, lambda: 0, steps)


def _random(desk: Desk, steps: int) -> float:
    draw = Random(desk.world.seed).random  # noqa: S311 - a policy's dice guard no secret
    return _play(desk, lambda: int(draw() * desk.reader.actions), steps)


def _bound(desk: Desk, steps: int) -> float:
    """Let an unlimited crew mend every fault in the step it appears; its own merit is not clipped."""
    world = desk.world
    weight = dict(desk.reader.layout.reward)["remediation"]
    total = 0.0
    for _ in range(steps):
        world.begin()
        world.advance()
        total += desk.reward()
        for fault in list(world.blocked.values()):
            world.relieve(fault)
        total += weight * world.signals()[0]
    return total / steps


REFERENCES: Mapping[str, Callable[[Desk, int], float]] = {
    "random": _random,
    "do_nothing": _nothing,
    "hand_rule": partial(_ruled, lambda desk: PriorityRule(desk.reader)),
    "look_then_fix": partial(_ruled, lambda desk: LookRule(desk.reader)),
    "counting_rule": partial(_ruled, lambda desk: CountingIndexRule(desk.reader)),
    "trait_counting_rule": partial(_ruled, lambda desk: TraitCountingRule(desk.reader)),
    "informed": partial(_insight, insight.informed),
    "sighted": partial(_insight, insight.sighted),
    "bound": _bound,
}
"""Every reference by name, from the least to the most that it knows."""


def references_of(layout: Layout) -> tuple[str, ...]:
    """Return the references that say something of a layout: those that read traits need traits."""
    return tuple(name for name in REFERENCES if layout.traits or name != "trait_counting_rule")
