"""From a sweep document to its runs: what each is called, where it goes, and its whole config."""

import copy
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, Literal

import msgspec

from skyfall_crl.config import RunConfig, parse_config
from skyfall_crl.config.override import assign
from skyfall_crl.ports.document import read_yaml
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.ports.fields import describe
from skyfall_crl.registry import resolve
from skyfall_crl.study.sweep_document import Scenario, Settings, SweepDocument, Variant, seeds_of

Role = Literal["tune", "preparation", "bound", "report"]

SCENARIO = "main"
VARIANT = "run"
WEIGHTS = "checkpoints/final"


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One run: its labels, its directory relative to the sweep's, and its resolved config.

    `weights` maps key paths of the config to the directory of the preparation whose policy goes there;
    `digest` is that of the config with those directories instead of real paths.
    """

    role: Role
    scenario: str
    variant: str
    seed: int
    directory: str
    config: RunConfig
    digest: str
    weights: Mapping[str, str] = field(default_factory=dict)


class SweepPlan:
    """A sweep document with its common config read; `folder` is where relative paths start."""

    def __init__(self, sweep: SweepDocument, source: Path) -> None:
        self.sweep, self.source = sweep, source
        self._folder = source.parent
        base: object = sweep.config
        if isinstance(sweep.config, str):
            path = self._folder / sweep.config
            base, self._folder = read_yaml(path), path.parent
        if not isinstance(base, dict):
            raise ConfigError(f"{source}: config: expected a mapping of sections, found {describe(base)}")
        self._base: dict[str, Any] = base
        self.scenarios = dict(sweep.scenarios) or {SCENARIO: Scenario()}
        self.variants = dict(sweep.variants) or {VARIANT: Variant()}

    def reported(self, chosen: Mapping[str, Settings]) -> list[PlannedRun]:
        """Return the runs of the table, the bounds' first; `chosen` are the tuned settings by variant."""
        runs = [run for name in self.scenarios for run in self._scenario(name, chosen)]
        return sorted(runs, key=lambda run: run.role != "bound")

    def preparations(self) -> list[PlannedRun]:
        """Return the runs that train policies for variants, one for each seed in use."""
        seeds = sorted({seed for name in self.scenarios for seed in self._seeds(self.scenarios[name])})
        if self.sweep.tune is not None:
            seeds += [
                seed
                for seed in seeds_of(self.sweep.tune.seeds)
                if any(v.tune for v in self.variants.values())
            ]
        return [
            self._run(
                "preparation", "", name, seed, f"preparations/{name}/seed-{seed}", [preparation.set], {}
            )
            for name, preparation in self.sweep.preparations.items()
            for seed in seeds
        ]

    def tuning(self, variant: str) -> Iterator[tuple[Settings, list[PlannedRun]]]:
        """Yield every choice of a variant with its short runs; nothing for one that is not tuned."""
        tune, choices = self.sweep.tune, self.variants[variant].tune
        if tune is None or not choices:
            return
        name = tune.scenario or next(iter(self.scenarios))
        scenario = self.scenarios[name]
        for settings in _points(choices):
            folder = f"tune/{variant}/{point_name(settings)}"
            layers = self._layers(scenario, variant, settings)
            runs = []
            for seed in seeds_of(tune.seeds):
                whole = self._run("tune", name, variant, seed, "", layers, {})
                steps = max(1, round(tune.fraction * whole.config.run.steps))
                short = [*layers, {"run.steps": steps}]
                weights = self.variants[variant].weights
                runs.append(self._run("tune", name, variant, seed, f"{folder}/seed-{seed}", short, weights))
            yield settings, runs

    def check(self) -> None:
        """Resolve every id of every config, so that an unknown one is an error before anything runs."""
        runs = [*self.preparations(), *self.reported({})]
        runs += [run for variant in self.variants for _, short in self.tuning(variant) for run in short]
        for kind, identifier in dict.fromkeys(pair for run in runs for pair in _ids(run.config)):
            resolve(kind, identifier)

    def _scenario(self, name: str, chosen: Mapping[str, Settings]) -> Iterator[PlannedRun]:
        scenario = self.scenarios[name]
        bounds = self.sweep.bounds
        ends = () if bounds is None else (bounds.upper, bounds.lower)
        for variant, described in self.variants.items():
            if variant in scenario.without:
                continue
            role: Role = "bound" if variant in ends else "report"
            for point in _points({} if role == "bound" else self.sweep.grid):
                label = f"{variant},{point_name(point)}" if point else variant
                layers = [*self._layers(scenario, variant, point), chosen.get(variant, {})]
                for seed in self._seeds(scenario):
                    folder = f"{name}/{label}/seed-{seed}"
                    yield self._run(role, name, label, seed, folder, layers, described.weights)

    def _layers(self, scenario: Scenario, variant: str, point: Settings) -> list[Settings]:
        return [scenario.set, self.variants[variant].set, scenario.variants.get(variant, {}), point]

    def _seeds(self, scenario: Scenario) -> tuple[int, ...]:
        return seeds_of(self.sweep.seeds if scenario.seeds is None else scenario.seeds)

    def _run(
        self,
        role: Role,
        scenario: str,
        variant: str,
        seed: int,
        directory: str,
        layers: Sequence[Settings],
        weights: Mapping[str, str],
    ) -> PlannedRun:
        document = copy.deepcopy(self._base)
        trained = {key: f"preparations/{name}/seed-{seed}" for key, name in weights.items()}
        what = f"{self.source}: {scenario or 'preparations'}, {variant}"
        try:
            for key, value in [*(pair for layer in layers for pair in layer.items()), *trained.items()]:
                assign(document, key, copy.deepcopy(value))
            assign(document, "run.seed", seed)
        except ConfigError as error:
            raise ConfigError(f"{what}: {error}") from error.__cause__
        config = parse_config(document, source=what, folder=self._folder)
        return PlannedRun(
            role, scenario, variant, seed, directory, config, document_digest(config.to_document()), trained
        )


def document_digest(document: Mapping[str, Any]) -> str:
    """Return a digest of plain data that equal data share, whatever the order of keys."""
    return hashlib.sha256(msgspec.json.encode(document, order="deterministic")).hexdigest()


def point_name(settings: Settings) -> str:
    """Return a name for a choice of settings that can be a folder's."""
    parts = [f"{key.rsplit('.', 1)[-1]}={_word(value)}" for key, value in settings.items()]
    name = ",".join(parts)
    safe = "".join(letter if letter.isalnum() or letter in "=,.+-_" else "-" for letter in name)
    if safe == name and len({key.rsplit(".", 1)[-1] for key in settings}) == len(settings) and len(name) < 80:
        return name
    return f"{safe[:60]}-{document_digest(settings)[:8]}"


def placed(run: PlannedRun, out: Path) -> dict[str, Any]:
    """Return a run's whole document, trained policies by the paths they have in `out`."""
    document = run.config.to_document()
    for key, directory in run.weights.items():
        assign(document, key, str(out / directory / WEIGHTS))
    return document


def stored_digest(run: PlannedRun, document: dict[str, Any]) -> str:
    """Return the digest a stored document has for the sweep, wherever its trained policies lie."""
    kept = copy.deepcopy(document)
    for key, directory in run.weights.items():
        assign(kept, key, directory)
    return document_digest(kept)


def _ids(config: RunConfig) -> Iterator[tuple[str, str]]:
    yield "environments", config.env.id
    yield "regime_providers", config.regime.provider
    yield "policies", config.policy.id
    if config.algorithm is not None:
        yield "algorithms", config.algorithm.id
    yield from (("metrics", name) for name in config.metrics.ids)
    yield from (("sinks", sink.id) for sink in config.sinks)


def _points(values: Mapping[str, Sequence[Any]]) -> Iterator[Settings]:
    for choice in product(*values.values()):
        yield dict(zip(values, choice, strict=True))


def _word(value: object) -> str:
    """Write a value so that different ones differ: text that reads as a number or a word of JSON keeps its quotes."""
    if isinstance(value, str):
        try:
            msgspec.json.decode(value)
        except msgspec.DecodeError:
            return value
    return msgspec.json.encode(value).decode()
