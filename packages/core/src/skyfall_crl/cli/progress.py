"""Progress of a run: a live line on a terminal, a plain line now and then elsewhere."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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
        yield _plain(directory)


@contextmanager
def _live(console: "object", directory: Path) -> Iterator[Observer]:
    from rich.console import Console
    from rich.progress import BarColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
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
    with Bar(*columns, console=console) as bar:
        tasks: list[TaskID] = []
        rate = _Rate()

        def observe(now: Progress) -> None:
            fields: dict[str, Any] = {
                "regime": now.regime or "-",
                "reward": _reward(now),
                "rate": f"{rate.of(now) or 0:,.0f} steps/s",
            }
            if not tasks:
                bar.print(f"running into {directory}  [dim](Ctrl-C stops after this step)[/dim]")
                tasks.append(bar.add_task("run", total=now.steps, completed=now.step, **fields))
            bar.update(tasks[0], completed=now.step, **fields)

        yield observe


def _plain(directory: Path) -> Observer:
    rate = _Rate()
    last: list[float] = []

    def observe(now: Progress) -> None:
        if not last:
            print(f"running into {directory}", flush=True)
            last.append(0.0)
        per_second = rate.of(now)
        clock = time.monotonic()
        if clock - last[0] < PLAIN_SECONDS and now.step < now.steps:
            return
        last[0] = clock
        print(
            f"step {now.step}/{now.steps}  regime {now.regime or '-'}  reward {_reward(now)}{_pace(now, per_second)}",
            flush=True,
        )

    return observe


class _Rate:
    """Environment steps per second over all worlds, since the first window that was seen."""

    def __init__(self) -> None:
        self._first: tuple[float, int] | None = None

    def of(self, now: Progress) -> float | None:
        """Return the rate, None while there is only one window to tell it from."""
        clock = time.monotonic()
        if self._first is None:
            self._first = (clock, now.step)
            return None
        begun, step = self._first
        return (now.step - step) * now.worlds / (clock - begun) if clock > begun else None


def _pace(now: Progress, per_second: float | None) -> str:
    if not per_second:
        return ""
    left = (now.steps - now.step) * now.worlds / per_second
    return f"  {per_second:,.0f} steps/s  {left:.0f} s left"


def _reward(now: Progress) -> str:
    return "-" if now.reward is None else f"{now.reward:.3f}"
