"""Running a sweep: phase by phase, several runs at a time, each failure kept to itself."""

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, Protocol

import msgspec

from skyfall_crl.metrics.stored_bounds import StoredBounds
from skyfall_crl.ports.document import dump_yaml
from skyfall_crl.ports.executor import RunExecutor
from skyfall_crl.study.executor import Tick, WatchedExecutor
from skyfall_crl.study.keeping import slim
from skyfall_crl.study.measured import measured_bounds
from skyfall_crl.study.single import rescore, store_bounds
from skyfall_crl.study.sweep_document import Settings
from skyfall_crl.study.sweep_plan import PlannedRun, SweepPlan, placed
from skyfall_crl.study.sweep_record import record_of, refuse_other_configs, write_record
from skyfall_crl.study.tuning import TUNE_FILE, TuneRecord, choose, new_record
from skyfall_crl.train.directory import RunDirectory, write_atomically

State = Literal["completed", "already there", "failed", "stopped"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one run; `error` is one line where it failed."""

    run: PlannedRun
    directory: Path
    state: State
    error: str = ""


@dataclass(slots=True)
class SweepResult:
    """What became of a whole sweep."""

    out: Path
    outcomes: list[Outcome] = field(default_factory=list)

    @property
    def failures(self) -> list[Outcome]:
        """The runs that failed."""
        return [outcome for outcome in self.outcomes if outcome.state == "failed"]

    @property
    def stopped(self) -> bool:
        """Whether any run was stopped, or not begun, because somebody asked."""
        return any(outcome.state == "stopped" for outcome in self.outcomes)


class SweepObserver(Protocol):
    """Hears how a sweep goes on; called from several threads."""

    def planned(self, phase: str, runs: Sequence[PlannedRun]) -> None:
        """Hear which runs come next."""
        ...

    def ticked(self, run: PlannedRun, tick: Tick) -> None:
        """Hear how far a run is."""
        ...

    def settled(self, outcome: Outcome) -> None:
        """Hear what became of a run."""
        ...


class Sweep:
    """One sweep in its directory `out`; `jobs` runs go at a time.

    `stop` is asked before each run, and handed to an executor that can end runs early.
    """

    def __init__(
        self,
        plan: SweepPlan,
        out: Path,
        executor: RunExecutor,
        observer: SweepObserver,
        *,
        jobs: int = 1,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self._plan, self._out, self._executor = plan, out, executor
        self._observer, self._jobs, self._stop = observer, jobs, stop
        self._result = SweepResult(out)
        self._running: dict[Path, PlannedRun] = {}
        self._failed: set[str] = set()
        self._lock = threading.Lock()
        if isinstance(executor, WatchedExecutor):
            executor.watch(self._tick, stop)

    def run(self) -> SweepResult:
        """Run what is missing, in order: preparations, tuning, the bounds' runs, all others."""
        plan = self._plan
        preparations = plan.preparations()
        refuse_other_configs(self._out, [*preparations, *([] if self._tunes() else plan.reported({}))])
        self._record(preparations if self._tunes() else [*preparations, *plan.reported({})])
        self._execute("preparations", preparations)
        chosen = self._tune()
        reported = plan.reported(chosen)
        self._record([*preparations, *reported])
        refuse_other_configs(self._out, reported)
        bounding = [run for run in reported if run.role == "bound"]
        self._execute("bounds", bounding)
        if bounding and not self._stop():
            self._bound(reported)
        self._execute("runs", [run for run in reported if run.role != "bound"])
        return self._result

    def _tunes(self) -> bool:
        return any(variant.tune for variant in self._plan.variants.values())

    def _record(self, runs: Sequence[PlannedRun]) -> None:
        write_record(self._out, record_of(self._plan.sweep, self._plan.source, runs))

    def _tune(self) -> Mapping[str, Settings]:
        """Run every choice of every tuned variant, write `tune.json`, and return what was taken."""
        section = self._plan.sweep.tune
        if section is None or not self._tunes():
            return {}
        record = new_record(section)
        for variant in self._plan.variants:
            choices = list(self._plan.tuning(variant))
            runs = [run for _, short in choices for run in short]
            if not runs or self._stop():
                continue
            refuse_other_configs(self._out, runs)
            self._execute(f"tuning {variant}", runs)
            spent = sum(run.config.run.steps * run.config.run.num_envs for run in runs)
            tried = [
                (settings, {run.seed: self._out / run.directory for run in short})
                for settings, short in choices
            ]
            record.variants[variant] = choose(record, tried, spent, self._seconds(runs))
        self._write_tuned(record)
        return {variant: tuned.chosen for variant, tuned in record.variants.items()}

    def _seconds(self, runs: Sequence[PlannedRun]) -> float:
        from skyfall_crl.study.gather import wall_seconds

        return sum(wall_seconds(self._out / run.directory) or 0.0 for run in runs)

    def _write_tuned(self, record: TuneRecord) -> None:
        write_atomically(self._out / TUNE_FILE, msgspec.json.format(msgspec.json.encode(record), indent=2))

    def _bound(self, reported: Sequence[PlannedRun]) -> None:
        """Measure the bounds of every scenario whose reference runs are complete, and give them to its runs."""
        pair = self._plan.sweep.bounds
        assert pair is not None
        for scenario in self._plan.scenarios:
            runs = [run for run in reported if run.scenario == scenario]
            upper = [run for run in runs if run.variant == pair.upper]
            lower = [run for run in runs if run.variant == pair.lower]
            if not upper or not lower or not all(self._complete(run) for run in (*upper, *lower)):
                continue
            found = measured_bounds(
                upper[0].config,
                [self._out / run.directory for run in upper],
                [self._out / run.directory for run in lower],
                [run.seed for run in upper],
            )
            self._hand_out(found, runs)

    def _hand_out(self, bounds: StoredBounds, runs: Sequence[PlannedRun]) -> None:
        for run in runs:
            directory = self._out / run.directory
            if store_bounds(bounds, directory) and self._complete(run):
                rescore(directory, report=self._plan.sweep.keep.report)
            if run.role == "bound":
                slim(directory, self._plan.sweep.keep)

    def _complete(self, run: PlannedRun) -> bool:
        directory = RunDirectory(self._out / run.directory)
        return directory.metrics.is_file() and directory.finished() is not None

    def _execute(self, phase: str, runs: Sequence[PlannedRun]) -> None:
        """Run all that aren't complete; a failure is an outcome among others."""
        if not runs:
            return
        self._observer.planned(phase, runs)
        with ThreadPoolExecutor(self._jobs) as pool:
            waiting = [pool.submit(self._one, run) for run in runs]
            for future in as_completed(waiting):
                outcome = future.result()
                self._result.outcomes.append(outcome)
                self._observer.settled(outcome)

    def _one(self, run: PlannedRun) -> Outcome:
        directory = self._out / run.directory
        if self._complete(run):
            return Outcome(run, directory, "already there")
        if self._stop():
            return Outcome(run, directory, "stopped")
        missing = [needed for needed in run.weights.values() if needed in self._failed]
        if missing:
            return self._fail(run, f"its preparation {missing[0]} failed")
        with self._lock:
            self._running[directory] = run
        try:
            self._start(run, directory)
            if (
                self._complete(run) and run.role != "bound"
            ):  # those are scored again when all of them are there
                slim(directory, self._plan.sweep.keep)
        except Exception as error:  # whatever happens to one run, the others go on
            if self._stop():
                return Outcome(run, directory, "stopped")
            return self._fail(run, str(error) or type(error).__name__)
        if not self._complete(run):
            return self._fail(run, "it ended before its last step")
        return Outcome(run, directory, "completed")

    def _start(self, run: PlannedRun, directory: Path) -> None:
        with TemporaryDirectory() as folder:
            config = Path(folder) / f"{run.variant}.yaml"
            config.write_text(dump_yaml(placed(run, self._out)), encoding="utf-8")
            self._executor.execute(config, (), out=directory)

    def _fail(self, run: PlannedRun, error: str) -> Outcome:
        self._failed.add(run.directory)
        return Outcome(run, self._out / run.directory, "failed", " ".join(error.split()))

    def _tick(self, directory: Path, tick: Tick) -> None:
        with self._lock:
            run = self._running.get(directory)
        if run is not None:
            self._observer.ticked(run, tick)
