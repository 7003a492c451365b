"""Measuring bounds: a small sweep of two reference policies in the worlds of one config."""

from collections.abc import Callable
from pathlib import Path

from skyfall_crl.config import RunConfig
from skyfall_crl.config.schema import PartSection
from skyfall_crl.metrics.stored_bounds import BOUNDS_FILE, StoredBounds, read_stored, world_digest
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.ports.executor import RunExecutor
from skyfall_crl.regime import RegimeSchedule
from skyfall_crl.study.executor import ProcessExecutor, RunFailure
from skyfall_crl.study.measured import reference_policies
from skyfall_crl.study.sweep import Sweep, SweepObserver
from skyfall_crl.study.sweep_document import ReferencePair, SeedRange, SweepDocument, Variant
from skyfall_crl.study.sweep_plan import SCENARIO, SweepPlan

UPPER, LOWER = "upper", "lower"


def measure(
    config: RunConfig,
    out: Path,
    observer: SweepObserver,
    *,
    upper: str | None = None,
    lower: str | None = None,
    seeds: int = 10,
    jobs: int = 1,
    stop: Callable[[], bool] = lambda: False,
    executor: RunExecutor | None = None,
) -> StoredBounds | None:
    """Run both references on `seeds` seeds from `run.seed` on, into `out`, and return what they earn.

    Complete runs that are there already are not run again; without an `executor` each run is a process. None when
    somebody asked to stop. Raises `RunFailure` when a run failed, and `ConfigError` where no policy is named.
    """
    above, below = reference_policies(config, upper, lower)
    document = config.to_document()
    for name in ("sinks", "evaluate", "algorithm"):
        document.pop(name, None)
    sweep = SweepDocument(
        config=document,
        seeds=SeedRange(first=config.run.seed, count=seeds),
        variants={UPPER: _variant(above), LOWER: _variant(below)},
        bounds=ReferencePair(upper=UPPER, lower=LOWER),
    )
    plan = SweepPlan(sweep, Path("bounds"))
    plan.check()
    out.mkdir(parents=True, exist_ok=True)
    result = Sweep(plan, out, executor or ProcessExecutor(), observer, jobs=jobs, stop=stop).run()
    if result.stopped:
        return None
    if result.failures:
        first = result.failures[0]
        raise RunFailure(f"bounds: {first.run.variant}, seed {first.run.seed}: {first.error}")
    return read_stored(out / SCENARIO / UPPER / f"seed-{config.run.seed}" / BOUNDS_FILE)


def bounds_path(config: Path) -> Path:
    """Return where the bounds of a config lie: beside it, `<name>.bounds.json`."""
    return config.with_name(f"{config.stem}.bounds.json")


def bounds_of(path: Path, config: RunConfig) -> StoredBounds | None:
    """Return the bounds that lie beside a config, None where there are none.

    Raises `ConfigError` when they were measured in other worlds than the config's.
    """
    beside = bounds_path(path)
    if not beside.is_file():
        return None
    found = read_stored(beside)
    if found.world != world_digest(config.to_document()):
        raise ConfigError(
            f"{beside}: expected bounds of this config's worlds, found those of another environment or schedule; "
            f"measure them again with `skyfall-crl bounds {path}`, or remove the file"
        )
    return found


def uncovered(config: RunConfig, bounds: StoredBounds) -> list[str]:
    """Return the configurations of the schedule that have no bound, because the runs were over before them."""
    schedule = config.regime.params.get("schedule")
    if not isinstance(schedule, dict):
        return []
    identities = RegimeSchedule.from_mapping(schedule).identities
    return [identity for identity in identities if identity not in bounds.upper.levels]


def _variant(policy: PartSection) -> Variant:
    return Variant(set={"policy": policy.model_dump(), "algorithm": None})
