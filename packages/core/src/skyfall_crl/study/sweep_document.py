"""The sweep document: which configs to run, as pydantic models, and how it is read."""

import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, StrictBool, StrictInt, field_validator

from skyfall_crl.config.load import validate
from skyfall_crl.config.schema import PartSection, Section
from skyfall_crl.ports.document import read_yaml
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.ports.fields import describe, nearest

Seed = Annotated[StrictInt, Field(ge=0)]
MOST_SEEDS = 100_000
Settings = dict[str, Any]
"""Dotted key paths of a run document, and the values that are laid over it."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*\Z")


class SeedRange(Section):
    """`count` consecutive seeds from `first` on."""

    count: Annotated[StrictInt, Field(ge=1, le=MOST_SEEDS)]
    first: Seed = 0


Seeds = list[Seed] | SeedRange


def seeds_of(seeds: Seeds) -> tuple[int, ...]:
    """Return the seeds one by one, in order and each once."""
    if isinstance(seeds, SeedRange):
        return tuple(range(seeds.first, seeds.first + seeds.count))
    return tuple(dict.fromkeys(seeds))


class Scenario(Section):
    """What every variant faces alike: worlds, schedule, length.

    `seeds` replace the sweep's own here, `without` names variants that are left out, and `variants` has
    settings that only one variant gets here.
    """

    set: Settings = Field(default_factory=dict)
    seeds: Seeds | None = None
    without: list[str] = Field(default_factory=list)
    variants: dict[str, Settings] = Field(default_factory=dict)


class Variant(Section):
    """One row of the table: a policy and a learner, as settings over the common config.

    `weights` maps the key path of an argument to the preparation whose trained policy goes there. `tune` maps
    key paths to the values to choose from.
    """

    set: Settings = Field(default_factory=dict)
    weights: dict[str, str] = Field(default_factory=dict)
    tune: dict[str, list[Any]] = Field(default_factory=dict)


class Preparation(Section):
    """A run that only trains a policy for variants to start from; it is no row of the table."""

    set: Settings = Field(default_factory=dict)


class TuneSection(Section):
    """How arguments are chosen: in the first `fraction` of the lifetime, on seeds that are not reported.

    `metric` is a formula name, `scenario` the one to tune in (default: the first).
    """

    seeds: Seeds
    fraction: Annotated[float, Field(gt=0, le=1)] = 0.1
    metric: str = "reward_lifetime"
    scenario: str | None = None


class ReferencePair(Section):
    """The variants whose rewards are the upper and the lower bound of every other."""

    upper: str
    lower: str


class Checks(Section):
    """What has to be so in the table, each printed below it.

    `control` is a scenario without a shift, where what is measured at shifts has to be null; `frozen` are
    variants that never learn while they are measured, `not_learned` those that have to be flagged as such. Of
    `rising` each earns no less than the one before, seed by seed on average; no variant earns more, in any
    configuration, than the level called `ceiling` among those the environment knows.
    """

    control: str | None = None
    frozen: list[str] = Field(default_factory=list)
    not_learned: list[str] = Field(default_factory=list)
    rising: list[str] = Field(default_factory=list)
    ceiling: str | None = None


class Keep(Section):
    """What stays of a complete run: its trace plain or compressed, its report, its resume points."""

    trace: Literal["plain", "gzip"] = "plain"
    report: StrictBool = True
    checkpoints: StrictBool = True


class SweepDocument(Section):
    """A sweep: `config` is the common run document, as a path relative to the sweep or in place.

    Every scenario is crossed with every variant, every point of `grid` and every seed. `reference` is the variant
    others are compared with.
    """

    config: str | dict[str, Any]
    seeds: Seeds
    scenarios: dict[str, Scenario] = Field(default_factory=dict)
    variants: dict[str, Variant] = Field(default_factory=dict)
    preparations: dict[str, Preparation] = Field(default_factory=dict)
    grid: dict[str, list[Any]] = Field(default_factory=dict)
    executor: PartSection = PartSection(id="process")
    tune: TuneSection | None = None
    bounds: ReferencePair | None = None
    reference: str | None = None
    checks: Checks = Checks()
    keep: Keep = Keep()

    @field_validator("scenarios", "variants", "preparations")
    @classmethod
    def _names(cls, named: dict[str, Any]) -> dict[str, Any]:
        for name in named:
            if not _NAME.match(name):
                raise ValueError(
                    f"names of letters, digits, dots, dashes and underscores, found {name!r} among them"
                )
        return named


def read_sweep(path: Path) -> SweepDocument:
    """Read a sweep document; raises `ConfigError` in one line with file, key path, expected and found."""
    document = read_yaml(path)
    if not isinstance(document, dict):
        raise ConfigError(f"{path}: expected a mapping that describes a sweep, found {describe(document)}")
    try:
        sweep: SweepDocument = validate(SweepDocument, document)
        _check(sweep)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error.__cause__
    return sweep


def _check(sweep: SweepDocument) -> None:
    """Raise `ConfigError` for a name that names nothing, an empty list, or seeds that are both tuned and reported."""
    variants, scenarios = list(sweep.variants), list(sweep.scenarios)
    for name, scenario in sweep.scenarios.items():
        for word in scenario.without:
            _known(f"scenarios.{name}.without", word, variants)
        for word in scenario.variants:
            _known(f"scenarios.{name}.variants", word, variants)
    for name, variant in sweep.variants.items():
        for key, preparation in variant.weights.items():
            _known(f"variants.{name}.weights.{key}", preparation, list(sweep.preparations))
        _check_values(f"variants.{name}.tune", variant.tune)
        if variant.tune and sweep.tune is None:
            raise ConfigError(
                f"variants.{name}.tune: expected a section `tune` that says on which seeds, found none"
            )
    _check_values("grid", sweep.grid)
    if sweep.bounds is not None:
        _known("bounds.upper", sweep.bounds.upper, variants)
        _known("bounds.lower", sweep.bounds.lower, variants)
    for at, word in _named_variants(sweep):
        _known(at, word, variants)
    if sweep.checks.control is not None:
        _known("checks.control", sweep.checks.control, scenarios)
    _check_tune(sweep)


def _named_variants(sweep: SweepDocument) -> list[tuple[str, str]]:
    named = [("reference", sweep.reference)] if sweep.reference is not None else []
    named += [("checks.frozen", word) for word in sweep.checks.frozen]
    named += [("checks.rising", word) for word in sweep.checks.rising]
    return named + [("checks.not_learned", word) for word in sweep.checks.not_learned]


def _check_tune(sweep: SweepDocument) -> None:
    if sweep.tune is None:
        return
    from skyfall_crl.metrics import FORMULAS

    _known("tune.metric", sweep.tune.metric, list(FORMULAS))
    if sweep.tune.scenario is not None:
        _known("tune.scenario", sweep.tune.scenario, list(sweep.scenarios))
    reported = set(seeds_of(sweep.seeds))
    for scenario in sweep.scenarios.values():
        reported |= set(seeds_of(scenario.seeds)) if scenario.seeds is not None else set()
    both = sorted(reported & set(seeds_of(sweep.tune.seeds)))
    if both:
        raise ConfigError(
            f"tune.seeds: expected seeds that are not reported, found {', '.join(map(str, both))} in both"
        )


def _known(at: str, word: str, known: list[str]) -> None:
    if word not in known:
        raise ConfigError(f"{at}: unknown name {word!r}{nearest(word, known)}")


def _check_values(at: str, values: dict[str, list[Any]]) -> None:
    for key, choices in values.items():
        if not choices:
            raise ConfigError(f"{at}.{key}: expected a list of at least one value, found an empty list")
        again = [value for place, value in enumerate(choices) if _is_among(value, choices[:place])]
        if again:
            raise ConfigError(f"{at}.{key}: expected each value once, found {describe(again[0])} again")


def _is_among(value: object, others: list[Any]) -> bool:
    return any(type(other) is type(value) and other == value for other in others)
