"""Progress of a sweep: bars on a terminal, a plain line for each run elsewhere."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from skyfall_crl.study.executor import Tick
from skyfall_crl.study.sweep import Outcome, SweepObserver
from skyfall_crl.study.sweep_plan import PlannedRun

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PLAIN_SECONDS = 10.0


@contextmanager
def sweep_progress() -> Iterator[SweepObserver]:
    """Show how a sweep goes on, on standard output."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console()
    if not console.is_terminal:
        yield _Plain(lambda line: print(line, flush=True))
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[unit]}"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
    )
    with Progress(*columns, console=console) as bars:
        yield _Bars(bars)


class _Steps:
    """How many environment steps of the current phase are done, and how long the rest will take."""

    def __init__(self) -> None:
        self.total = self.done = self.skipped = 0
        self._at: dict[str, int] = {}
        self._began = time.monotonic()

    def begin(self, runs: Sequence[PlannedRun]) -> None:
        self.total = sum(map(_length, runs))
        self.done = self.skipped = 0
        self._at.clear()
        self._began = time.monotonic()

    def ticked(self, run: PlannedRun, tick: Tick) -> None:
        now = tick.step * tick.worlds
        if run.directory not in self._at and tick.step > run.config.run.window_steps:
            self.skipped += now  # it was gone on with
        self.done += now - self._at.get(run.directory, 0)
        self._at[run.directory] = now

    def settled(self, outcome: Outcome) -> None:
        whole, seen = _length(outcome.run), self._at.pop(outcome.run.directory, 0)
        self.done += whole - seen
        if outcome.state != "completed":
            self.skipped += whole - seen

    def left(self) -> str:
        """Say how long the rest takes at the rate so far; nothing while there is none."""
        made, seconds = self.done - self.skipped, time.monotonic() - self._began
        if made <= 0 or seconds < 1:
            return ""
        rest = (self.total - self.done) * seconds / made
        return f"{rest / 60:.0f} min left" if rest >= 120 else f"{rest:.0f} s left"


class _Bars:
    """One bar over the phase's runs, and one for each that is under way."""

    def __init__(self, bars: "Progress") -> None:
        self._bars, self._steps, self._lock = bars, _Steps(), threading.Lock()
        self._phase: TaskID | None = None
        self._runs: dict[str, TaskID] = {}

    def planned(self, phase: str, runs: Sequence[PlannedRun]) -> None:
        with self._lock:
            if self._phase is not None:
                self._bars.remove_task(self._phase)
            self._steps.begin(runs)
            self._phase = self._bars.add_task(f"[bold]{phase}[/bold]", total=len(runs), unit="runs", left="")

    def ticked(self, run: PlannedRun, tick: Tick) -> None:
        with self._lock:
            self._steps.ticked(run, tick)
            if run.directory not in self._runs:
                fields: dict[str, Any] = {"unit": "steps", "left": ""}
                self._runs[run.directory] = self._bars.add_task(run.directory, total=tick.steps, **fields)
            self._bars.update(self._runs[run.directory], completed=tick.step)
            if self._phase is not None:
                self._bars.update(self._phase, left=self._steps.left())

    def settled(self, outcome: Outcome) -> None:
        with self._lock:
            self._steps.settled(outcome)
            task = self._runs.pop(outcome.run.directory, None)
            if task is not None:
                self._bars.remove_task(task)
            if outcome.state == "failed":
                self._bars.print(f"failed   {outcome.directory}", markup=False)
            if self._phase is not None:
                self._bars.advance(self._phase)


class _Plain:
    """A line when a run is over, and one now and then between."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say, self._steps, self._lock = say, _Steps(), threading.Lock()
        self._phase, self._total, self._over = "", 0, 0
        self._last = 0.0

    def planned(self, phase: str, runs: Sequence[PlannedRun]) -> None:
        with self._lock:
            self._phase, self._total, self._over = phase, len(runs), 0
            self._steps.begin(runs)
            self._say(f"{phase}: {len(runs)} runs")

    def ticked(self, run: PlannedRun, tick: Tick) -> None:
        with self._lock:
            self._steps.ticked(run, tick)
            now = time.monotonic()
            if now - self._last >= PLAIN_SECONDS:
                self._last = now
                share = self._steps.done / max(self._steps.total, 1)
                self._say(
                    f"{self._phase}: {self._over}/{self._total} runs, {share:.0%}  {self._steps.left()}".rstrip()
                )

    def settled(self, outcome: Outcome) -> None:
        with self._lock:
            self._steps.settled(outcome)
            self._over += 1
            self._say(f"{outcome.state:<13} {self._over}/{self._total}  {outcome.run.directory}")


def _length(run: PlannedRun) -> int:
    return run.config.run.steps * run.config.run.num_envs
