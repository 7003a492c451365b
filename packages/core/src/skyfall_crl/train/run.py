"""A run from start, or from its last checkpoint, to its end: collect, learn, checkpoint, close."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from skyfall_crl.config import RunConfig, load_config
from skyfall_crl.ports.document import dump_yaml
from skyfall_crl.ports.errors import CheckpointError
from skyfall_crl.registry.lifecycle import Lifecycle
from skyfall_crl.trace import TraceWriter, cut
from skyfall_crl.train.build import Parts, build
from skyfall_crl.train.checkpoint import Checkpoint, CheckpointStore, load, load_learner
from skyfall_crl.train.clock import RegimeClock
from skyfall_crl.train.directory import RunDirectory, write_atomically
from skyfall_crl.train.live import last_seen, seconds_since_written, settle, write_resumed
from skyfall_crl.train.plugins import RunPlugins
from skyfall_crl.train.provenance import provenance
from skyfall_crl.train.session import Session
from skyfall_crl.train.windows import Observer, Progress, WindowLoop

__all__ = ["Observer", "Progress", "RunResult", "resume", "run"]


@dataclass(frozen=True, slots=True)
class RunResult:
    """A run that is over: where it is, how it ended (`completed`, `interrupted`, `failed`), and how far it got.

    `problems` has a line for each plugin hook or sink that failed on the way.
    """

    directory: Path
    status: str
    step: int
    steps: int
    problems: tuple[str, ...] = ()


def run(
    config: RunConfig,
    out: Path,
    *,
    observe: Observer | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> RunResult:
    """Run a config into a new directory; raises before the directory exists when the config can't be run."""
    parts = build(config)
    try:
        directory = RunDirectory.create(out)
        write_atomically(directory.config, dump_yaml(config.to_document()).encode())
        return _Run(parts, directory).start(observe, stop)
    finally:
        parts.close()


def resume(
    out: Path, *, observe: Observer | None = None, stop: Callable[[], bool] = lambda: False
) -> RunResult:
    """Go on with a run from its newest checkpoint; the trace becomes what an uninterrupted run would have written.

    Rows after the checkpoint are moved to `trace.cut-<n>.jsonl`. A run killed before its first checkpoint starts
    over, a completed one is returned as it is. A live world, which can't be put back, goes on where it is: every row
    stays, and the learner starts from its last checkpoint. Raises `CheckpointError` when there is no run, or its
    world neither can be put back nor outlives a process.
    """
    directory = RunDirectory.existing(out)
    finished = directory.finished()
    if finished is not None:
        return RunResult(out, "completed", finished, finished)
    before = directory.read_provenance() if directory.provenance.is_file() else {}
    parts = build(load_config(directory.config), before.get("reattach", ()))
    try:
        return _Run(parts, directory).resume(observe, stop)
    finally:
        parts.close()


class _Run:
    """One run's moving parts; built once, started or resumed once."""

    def __init__(self, parts: Parts, directory: RunDirectory) -> None:
        self.parts, self.directory = parts, directory
        self.store = CheckpointStore(directory.checkpoints)
        self.plugins = RunPlugins(Lifecycle.load(), parts.sinks)

    def start(self, observe: Observer | None, stop: Callable[[], bool]) -> RunResult:
        with TraceWriter(self.directory.trace, append=self.directory.trace.exists()) as trace:
            session = self._session(trace)
            session.open()
            header = provenance(self.parts)
            self._write_provenance(header)
            trace.write(header)
            self._start_plugins(header)
            return self._finish(session, trace, header, observe, stop)

    def resume(self, observe: Observer | None, stop: Callable[[], bool]) -> RunResult:
        checkpoint = self.store.newest()
        if self.directory.trace.exists() and not self.parts.capabilities.snapshots:
            if self.parts.live:
                return self._go_on(checkpoint, observe, stop)
            raise CheckpointError(
                f"{self.directory.path}: expected a world that can be put back or outlives a process, found "
                f"{self.parts.config.env.id}, which does neither; start a new run"
            )
        if checkpoint is None:
            if self.directory.trace.exists():
                cut(self.directory.trace, 0)
            return self.start(observe, stop)
        return self._continue(checkpoint, observe, stop)

    def _go_on(
        self, checkpoint: Checkpoint | None, observe: Observer | None, stop: Callable[[], bool]
    ) -> RunResult:
        """Resume in worlds that went on by themselves."""
        header = self.directory.read_provenance()
        away = seconds_since_written(self.directory.trace)
        header.setdefault("resumes", []).append({"time": _now(), "live": True})
        self._write_provenance(header)
        with TraceWriter(self.directory.trace, append=True) as trace:
            session = self._session(trace)
            self._start_plugins(header)
            seen = last_seen(self.directory.trace, session.worlds)
            settle(trace, seen, RegimeClock(self.parts.provider, self.parts.capabilities), "train")
            version = 0
            if checkpoint is not None:
                load_learner(checkpoint, self.parts)
                version = checkpoint.state["session"]["policy_version"]
            places = {name: (world.step, world.episode) for name, world in seen.items()}
            starts = session.take_up(places, version)
            write_resumed(trace, seen, starts, away)
            step = max(step for step, _ in places.values())
            return self._finish(session, trace, header, observe, stop, step)

    def _continue(
        self, checkpoint: Checkpoint, observe: Observer | None, stop: Callable[[], bool]
    ) -> RunResult:
        header = self.directory.read_provenance()
        moved = cut(self.directory.trace, checkpoint.offset)
        resumed = {"step": checkpoint.step, "time": _now(), "cut": moved.name if moved else None}
        header.setdefault("resumes", []).append(resumed)
        self._write_provenance(header)
        with TraceWriter(self.directory.trace, append=True) as trace:
            session = self._session(trace)
            self._start_plugins(header)
            load(checkpoint, self.parts, session)
            return self._finish(session, trace, header, observe, stop, checkpoint.step)

    def _start_plugins(self, header: dict[str, Any]) -> None:
        def record(problems: Sequence[Mapping[str, Any]]) -> None:
            self._write_provenance({**header, "problems": problems})

        self.plugins.start(header, record, self.directory.path)

    def _session(self, trace: TraceWriter) -> Session:
        parts = self.parts
        return Session(
            parts.fanout,
            RegimeClock(parts.provider, parts.capabilities),
            trace,
            seeds=parts.seeds,
            auto_reset=parts.auto_reset,
            persistent=parts.capabilities.persistent,
            on_mismatch=parts.config.regime.on_mismatch,
            intents=parts.live,
            on_shift=self.plugins.regime_shifted,
            on_row=self.plugins.row if parts.sinks else None,
        )

    def _finish(
        self,
        session: Session,
        trace: TraceWriter,
        header: Mapping[str, Any],
        observe: Observer | None,
        stop: Callable[[], bool],
        step: int = 0,
    ) -> RunResult:
        """Run the windows from `step` on, and close the run however they end."""
        loop = WindowLoop(self.parts, self.store, self.plugins, step)
        status = "failed"
        try:
            status = loop.run(session, trace, observe, stop)
        except KeyboardInterrupt:
            status = "interrupted"
        finally:
            session.close(status)
            self.plugins.close(status, self.parts, step=loop.step)
        self.store.save_final(self.parts)
        problems = self.plugins.problems
        finished = {"status": status, "step": loop.step, "time": _now()}
        self._write_provenance({**header, "problems": problems, "finished": finished})
        told = tuple(f"{problem['source']}: {problem['what']}: {problem['error']}" for problem in problems)
        return RunResult(self.directory.path, status, loop.step, self.parts.config.run.steps, told)

    def _write_provenance(self, header: Mapping[str, Any]) -> None:
        write_atomically(
            self.directory.provenance, msgspec.json.format(msgspec.json.encode(header), indent=2)
        )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
