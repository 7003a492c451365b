"""The loop of a run: collect a window, learn, evaluate, checkpoint, until the steps are done or somebody stops it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from skyfall_crl.ports.algorithm import Window
from skyfall_crl.trace import TraceWriter
from skyfall_crl.train.build import Parts
from skyfall_crl.train.checkpoint import CheckpointPace, CheckpointStore
from skyfall_crl.train.collector import Collector
from skyfall_crl.train.evaluation import Evaluator
from skyfall_crl.train.plugins import RunPlugins
from skyfall_crl.train.rows import ROW_VERSION
from skyfall_crl.train.session import Session


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands after a window: `step` of `steps` per world, reward is the window's mean."""

    step: int
    steps: int
    worlds: int
    regime: str | None
    reward: float | None
    statistics: Mapping[str, float]


Observer = Callable[[Progress], None]


class WindowLoop:
    """Runs windows from `step` on; `step` is what every world has reached."""

    def __init__(self, parts: Parts, store: CheckpointStore, plugins: RunPlugins, step: int = 0) -> None:
        self.step = step
        self._parts, self._store, self._plugins = parts, store, plugins
        self._pace = CheckpointPace(parts.config.run.checkpoint_steps, step)
        self._saves = parts.capabilities.snapshots or parts.live

    def run(
        self, session: Session, trace: TraceWriter, observe: Observer | None, stop: Callable[[], bool]
    ) -> str:
        """Return `completed`, `interrupted` when `stop` said so, or `failed` when no world takes actions any more."""
        parts, section = self._parts, self._parts.config.run
        collector = Collector(session, parts.policy, session.starts, parts.task_view)
        evaluator = (
            Evaluator(parts.config.evaluate, parts, trace, self.step) if parts.config.evaluate else None
        )
        self._evaluate(evaluator, session)
        while self.step < section.steps and session.running:
            wanted = min(section.window_steps, section.steps - self.step)
            window = collector.collect(wanted, stop)
            self.step += len(window.rewards)
            if len(window.rewards) < wanted and session.running:
                return "interrupted"
            statistics = self._learn(session, window, trace)
            self._plugins.window_collected(self.step, statistics)
            self._evaluate(evaluator, session)
            self._checkpoint(session, trace)
            if observe is not None:
                observe(self._progress(window, statistics))
            if stop() and self.step < section.steps:
                return "interrupted"
        return "completed" if self.step >= section.steps else "failed"

    def _evaluate(self, evaluator: Evaluator | None, session: Session) -> None:
        if evaluator is not None and evaluator.due(self.step):
            evaluator.evaluate(self.step, session.starts, session.policy_version)

    def _learn(self, session: Session, window: Window, trace: TraceWriter) -> Mapping[str, float]:
        if self._parts.algorithm is None:
            return {}
        statistics = {name: float(value) for name, value in self._parts.algorithm.update(window).items()}
        session.policy_version += 1
        note = {"note": "update", "policy_version": session.policy_version, "values": statistics}
        trace.write({"v": ROW_VERSION, "kind": "note", "step": self.step - 1, **note})
        return statistics

    def _checkpoint(self, session: Session, trace: TraceWriter) -> None:
        if self._saves and (self.step >= self._parts.config.run.steps or self._pace.due(self.step)):
            trace.sync()
            with self._pace.saving(self.step):
                self._store.save(self._parts, session, step=self.step, offset=trace.offset)

    def _progress(self, window: Window, statistics: Mapping[str, float]) -> Progress:
        reward = float(window.rewards[window.valid].mean()) if window.valid.any() else None
        owned = self._parts.capabilities.regime_owner == "session"
        regime = self._parts.provider.at(self.step - 1).regime.regime_id if owned else None
        section = self._parts.config.run
        return Progress(self.step, section.steps, section.num_envs, regime, reward, statistics)
