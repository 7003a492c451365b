"""The loop of serving: a session and a collector without a learner, window by window."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from skyfall_crl.trace import TraceWriter
from skyfall_crl.train.build import Parts
from skyfall_crl.train.clock import RegimeClock
from skyfall_crl.train.collector import Collector
from skyfall_crl.train.session import Session
from skyfall_crl.train.windows import Observer, Progress


class Rollout:
    """One served world; `steps`, `total_reward` and `regimes` say what happened so far."""

    def __init__(self, parts: Parts, path: Path, header: Mapping[str, Any]) -> None:
        self.steps = 0
        self.total_reward = 0.0
        self.regimes: list[str] = []
        self._parts, self._path, self._header = parts, path, header

    def run(self, observe: Observer | None, stop: Callable[[], bool]) -> str:
        """Step to the end and return `completed`, `interrupted`, or `ended` where the world took no more actions."""
        with TraceWriter(self._path) as trace:
            session = self._session(trace)
            session.open()
            trace.write(self._header)
            status = "failed"
            try:
                status = self._windows(session, observe, stop)
            except KeyboardInterrupt:
                status = "interrupted"
            finally:
                session.close(status)
            return status

    def _windows(self, session: Session, observe: Observer | None, stop: Callable[[], bool]) -> str:
        parts, section = self._parts, self._parts.config.run
        collector = Collector(session, parts.policy, session.starts, parts.task_view)
        while self.steps < section.steps and session.running:
            wanted = min(section.window_steps, section.steps - self.steps)
            window = collector.collect(wanted, stop)
            if observe is not None and len(window.rewards):
                reward = float(window.rewards[window.valid].mean()) if window.valid.any() else None
                regime = self.regimes[-1] if self.regimes else None
                observe(Progress(self.steps, section.steps, 1, regime, reward, {}))
            if len(window.rewards) < wanted and session.running:
                return "interrupted"
        return "completed" if self.steps >= section.steps else "ended"

    def _count(self, row: dict[str, Any]) -> None:
        self.steps += 1
        self.total_reward += row["reward"] or 0.0
        regime = row.get("regime_id")
        if regime is not None and regime not in self.regimes:
            self.regimes.append(regime)

    def _session(self, trace: TraceWriter) -> Session:
        parts = self._parts
        return Session(
            parts.fanout,
            RegimeClock(parts.provider, parts.capabilities),
            trace,
            seeds=parts.seeds,
            auto_reset=parts.auto_reset,
            persistent=parts.capabilities.persistent,
            on_mismatch=parts.config.regime.on_mismatch,
            phase="serve",
            intents=parts.live,
            on_row=self._count,
        )
