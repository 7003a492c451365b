"""Conflicting configurations of a layout, from one cause mix for each symptom and the stages that are costly late."""

from collections.abc import Sequence

from skyfall_crl.env.morpheus.simulation.layout import Configuration


def turned_configurations(
    cause_mixes: Sequence[tuple[float, ...]], hot_stages: Sequence[tuple[int, ...]], hot_rate: int
) -> tuple[Configuration, ...]:
    """Return configurations A, B, and so on, one for each entry of `hot_stages`.

    Configuration k turns the mix of symptom s by k + s, so that with as many configurations as causes no two agree
    on the likely cause of any symptom. Being late costs `hot_rate` times as much in its hot stages as in others,
    and 1 on average over stages.
    """
    stages, made = len(cause_mixes), []
    for k, hot in enumerate(hot_stages):
        mix = tuple(_turned(row, k + s) for s, row in enumerate(cause_mixes))
        rates = [hot_rate if s in hot else 1 for s in range(stages)]
        total = stages + (hot_rate - 1) * len(hot)
        made.append(Configuration(chr(ord("A") + k), mix, tuple(rate * stages / total for rate in rates)))
    return tuple(made)


def _turned(row: tuple[float, ...], by: int) -> tuple[float, ...]:
    return tuple(row[(cause - by) % len(row)] for cause in range(len(row)))
