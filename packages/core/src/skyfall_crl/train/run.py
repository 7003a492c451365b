"""A run from start, or from its last checkpoint, to its end: collect, learn, checkpoint, close."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from skyfall_crl.config import RunConfig, load_config
from skyfall_crl.ports.algorithm import Window
from skyfall_crl.ports.document import dump_yaml
from skyfall_crl.ports.errors import CheckpointError
from skyfall_crl.registry.lifecycle import Lifecycle
from skyfall_crl.trace import TraceWriter, cut
from skyfall_crl.train.build import Parts, build
from skyfall_crl.train.checkpoint import Checkpoint, CheckpointPace, CheckpointStore, load
from skyfall_crl.train.clock import RegimeClock
from skyfall_crl.train.collector import Collector
from skyfall_crl.train.directory import RunDirectory, write_atomically
from skyfall_crl.train.evaluation import Evaluator
from skyfall_crl.train.plugins import RunPlugins
from skyfall_crl.train.provenance import provenance
from skyfall_crl.train.session import Session, Start


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands after a window: `step` of `steps` per world, reward is the window's mean."""

    step: int
    steps: int
    worlds: int
    regime: str | None
    reward: float | None
    statistics: Mapping[str, float]


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


Observer = Callable[[Progress], None]


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
    over, a completed one is returned as it is. Raises `CheckpointError` when there is no run or its world can't be
    put back.
    """
    directory = RunDirectory.existing(out)
    finished = directory.finished()
    if finished is not None:
        return RunResult(out, "completed", finished, finished)
    parts = build(load_config(directory.config))
    try:
        return _Run(parts, directory).resume(observe, stop)
    finally:
        parts.close()


class _Run:
    """One run's moving parts; built once, started or resumed once."""

    def __init__(self, parts: Parts, directory: RunDirectory) -> None:
        self.parts, self.directory = parts, directory
        self.store = CheckpointStore(directory.checkpoints)
        self.step = 0
        self.plugins = RunPlugins(Lifecycle.load(), parts.sinks)
        self.pace = CheckpointPace(parts.config.run.checkpoint_steps)

    def start(self, observe: Observer | None, stop: Callable[[], bool]) -> RunResult:
        with TraceWriter(self.directory.trace, append=self.directory.trace.exists()) as trace:
            session = self._session(trace)
            starts = session.open()
            header = provenance(self.parts)
            self._write_provenance(header)
            trace.write(header)
            self._start_plugins(header)
            return self._loop(session, starts, trace, header, observe, stop)

    def resume(self, observe: Observer | None, stop: Callable[[], bool]) -> RunResult:
        checkpoint = self.store.newest()
        started = self.directory.trace.exists()
        if started and not self.parts.capabilities.snapshots:
            raise CheckpointError(
                f"{self.directory.path}: expected a world that can be put back, found {self.parts.config.env.id}, "
                f"which has no snapshot; start a new run"
            )
        if checkpoint is None:
            if started:
                cut(self.directory.trace, 0)
            return self.start(observe, stop)
        return self._continue(checkpoint, observe, stop)

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
            starts = load(checkpoint, self.parts, session)
            self.step = self.pace.step = checkpoint.step
            return self._loop(session, starts, trace, header, observe, stop)

    def _start_plugins(self, header: dict[str, Any]) -> None:
        def record(problems: Sequence[Mapping[str, Any]]) -> None:
            self._write_provenance({**header, "problems": problems})

        self.plugins.start(header, record)

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
            on_shift=self.plugins.regime_shifted,
            on_row=self.plugins.row if parts.sinks else None,
        )

    def _loop(
        self,
        session: Session,
        starts: list[Start],
        trace: TraceWriter,
        header: Mapping[str, Any],
        observe: Observer | None,
        stop: Callable[[], bool],
    ) -> RunResult:
        status = "failed"
        try:
            status = self._windows(session, starts, trace, observe, stop)
        except KeyboardInterrupt:
            status = "interrupted"
        finally:
            session.close(status)
            self.plugins.close(status, self.parts)
        self.store.save_final(self.parts)
        finished = {"status": status, "step": self.step, "time": _now()}
        problems = self.plugins.problems
        self._write_provenance({**header, "problems": problems, "finished": finished})
        told = tuple(f"{problem['source']}: {problem['what']}: {problem['error']}" for problem in problems)
        return RunResult(self.directory.path, status, self.step, self.parts.config.run.steps, told)

    def _windows(
        self,
        session: Session,
        starts: list[Start],
        trace: TraceWriter,
        observe: Observer | None,
        stop: Callable[[], bool],
    ) -> str:
        parts, section = self.parts, self.parts.config.run
        collector = Collector(session, parts.policy, starts, parts.task_view)
        evaluator = Evaluator(parts.config.evaluate, parts, trace) if parts.config.evaluate else None
        if evaluator is not None:
            evaluator.skip_to(self.step)
        while self.step < section.steps and session.running:
            wanted = min(section.window_steps, section.steps - self.step)
            window = collector.collect(wanted, stop)
            self.step += len(window.rewards)
            if len(window.rewards) < wanted and session.running:
                return "interrupted"
            statistics = self._learn(session, window, trace)
            self.plugins.window_collected(self.step, statistics)
            if evaluator is not None and evaluator.due(self.step):
                evaluator.evaluate(self.step, session.starts, session.policy_version)
            self._maybe_checkpoint(session, trace)
            if observe is not None:
                observe(self._progress(window, statistics))
            if stop() and self.step < section.steps:
                return "interrupted"
        return "completed" if self.step >= section.steps else "failed"

    def _learn(self, session: Session, window: Window, trace: TraceWriter) -> Mapping[str, float]:
        if self.parts.algorithm is None:
            return {}
        statistics = {name: float(value) for name, value in self.parts.algorithm.update(window).items()}
        session.policy_version += 1
        trace.write(
            {
                "v": 1,
                "kind": "note",
                "step": self.step - 1,
                "note": "update",
                "policy_version": session.policy_version,
                "values": statistics,
            }
        )
        return statistics

    def _maybe_checkpoint(self, session: Session, trace: TraceWriter) -> None:
        section = self.parts.config.run
        if not self.parts.capabilities.snapshots:
            return
        if self.step >= section.steps or self.pace.due(self.step):
            trace.sync()
            with self.pace.saving(self.step):
                self.store.save(self.parts, session, step=self.step, offset=trace.offset)

    def _progress(self, window: Window, statistics: Mapping[str, float]) -> Progress:
        reward = float(window.rewards[window.valid].mean()) if window.valid.any() else None
        owned = self.parts.capabilities.regime_owner == "session"
        regime = self.parts.provider.at(self.step - 1).regime.regime_id if owned else None
        section = self.parts.config.run
        return Progress(self.step, section.steps, section.num_envs, regime, reward, statistics)

    def _write_provenance(self, header: Mapping[str, Any]) -> None:
        write_atomically(
            self.directory.provenance, msgspec.json.format(msgspec.json.encode(header), indent=2)
        )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
