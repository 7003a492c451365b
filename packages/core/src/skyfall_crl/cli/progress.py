"""Progress of a run: a live line on a terminal, a plain line now and then elsewhere."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from skyfall_crl.train.run import Observer, Progress

PLAIN_SECONDS = 5.0


@contextmanager
def progress(directory: Path) -> Iterator[Observer]:
    """Show where a run stands after each window; the plain lines go to standard output as well."""
    from rich.console import Console

    console = Console()
    if console.is_terminal:
        with _live(console, directory) as observe:
            yield observe
    else:
        print(f"running into {directory}", flush=True)
        yield _plain()


@contextmanager
def _live(console: "object", directory: Path) -> Iterator[Observer]:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    assert isinstance(console, Console)
    columns = (
        TextColumn("step {task.completed:,.0f}/{task.total:,.0f}"),
        BarColumn(bar_width=24),
        TextColumn("regime [bold]{task.fields[regime]}[/bold]"),
        TextColumn("reward {task.fields[reward]}"),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    console.print(
        f"running into {directory}  [dim](Ctrl-C stops after this step; the run can be resumed)[/dim]"
    )
    with Bar(*columns, console=console) as bar:
        task = bar.add_task("run", total=None, regime="-", reward="-", rate="")
        rate = _Rate()

        def observe(now: Progress) -> None:
            bar.update(
                task,
                total=now.steps,
                completed=now.step,
                regime=now.regime or "-",
                reward=_reward(now),
                rate=f"{rate.of(now):,.0f} steps/s",
            )

        yield observe


def _plain() -> Observer:
    rate = _Rate()
    last = [0.0]

    def observe(now: Progress) -> None:
        per_second = rate.of(now)
        clock = time.monotonic()
        if clock - last[0] < PLAIN_SECONDS and now.step < now.steps:
            return
        last[0] = clock
        left = (now.steps - now.step) * now.worlds / per_second if per_second else 0.0
        print(
            f"step {now.step}/{now.steps}  regime {now.regime or '-'}  reward {_reward(now)}  "
            f"{per_second:,.0f} steps/s  {left:.0f} s left",
            flush=True,
        )

    return observe


class _Rate:
    """Environment steps per second, over all worlds and since the first window that was seen."""

    def __init__(self) -> None:
        self._first: tuple[float, int] | None = None

    def of(self, now: Progress) -> float:
        clock = time.monotonic()
        if self._first is None:
            self._first = (clock, now.step)
            return 0.0
        begun, step = self._first
        return (now.step - step) * now.worlds / (clock - begun) if clock > begun else 0.0


def _reward(now: Progress) -> str:
    return "-" if now.reward is None else f"{now.reward:.3f}"
