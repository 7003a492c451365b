"""Choosing settings on short runs of other seeds, and writing down what that cost."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import msgspec

from skyfall_crl.metrics import FORMULAS
from skyfall_crl.study.sweep_document import Settings, TuneSection, seeds_of
from skyfall_crl.train.directory import RunDirectory

TUNE_FILE = "tune.json"


class Choice(msgspec.Struct):
    """One choice of settings and its metric on each seed that has a value."""

    settings: dict[str, Any]
    mean: float | None
    by_seed: dict[str, float]


class Tuned(msgspec.Struct):
    """What was tried for one variant, what was taken, and what it cost; steps are environment steps over all worlds."""

    chosen: dict[str, Any]
    choices: list[Choice]
    runs: int
    environment_steps: int
    seconds: float


class TuneRecord(msgspec.Struct):
    """The whole of `tune.json`."""

    metric: str
    better: str
    fraction: float
    seeds: list[int]
    variants: dict[str, Tuned]


class _Score(msgspec.Struct):
    value: float | None = None


class _Metrics(msgspec.Struct):
    overall: dict[str, _Score]


def new_record(tune: TuneSection) -> TuneRecord:
    """Return a record without a variant."""
    better = FORMULAS[tune.metric].better
    return TuneRecord(tune.metric, better, tune.fraction, list(seeds_of(tune.seeds)), {})


def choose(
    record: TuneRecord, tried: Sequence[tuple[Settings, Mapping[int, Path]]], steps: int, seconds: float
) -> Tuned:
    """Take the settings with the best mean of the metric, the first of equals; `tried` has a directory by seed.

    A choice that has no value on some seed is not taken unless none has all; without any value the first is taken.
    """
    choices = []
    for settings, runs in tried:
        values = {
            str(seed): value
            for seed, path in runs.items()
            if (value := _value(path, record.metric)) is not None
        }
        choices.append(Choice(dict(settings), fmean(values.values()) if values else None, values))
    sign = 1.0 if record.better == "higher" else -1.0
    most = max(len(choice.by_seed) for choice in choices)
    ranked = [choice for choice in choices if choice.mean is not None and len(choice.by_seed) == most]
    best = max(ranked, key=lambda choice: sign * (choice.mean or 0.0), default=choices[0])
    return Tuned(best.settings, choices, sum(len(runs) for _, runs in tried), steps, round(seconds, 1))


def _value(path: Path, metric: str) -> float | None:
    directory = RunDirectory(path)
    if not directory.metrics.is_file():
        return None
    return msgspec.json.decode(directory.metrics.read_bytes(), type=_Metrics).overall[metric].value
