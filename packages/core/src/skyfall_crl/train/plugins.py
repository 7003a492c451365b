"""What plugins see of a run: lifecycle hooks and sinks, whose failures are recorded and never end it."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from skyfall_crl.ports.plain import EMPTY
from skyfall_crl.ports.sink import Sink
from skyfall_crl.registry.lifecycle import HookFailure, Lifecycle
from skyfall_crl.train.build import Parts
from skyfall_crl.train.rows import ROW_VERSION
from skyfall_crl.train.sinks.pump import SinkPump

Record = Callable[[Sequence[Mapping[str, Any]]], None]


def _forget(problems: Sequence[Mapping[str, Any]]) -> None:
    """Drop problems, as long as there is nowhere to record them."""


class RunPlugins:
    """Calls hooks and feeds sinks.

    A failure becomes a problem in the run's provenance, with a count, and not a row: a resumed trace stays equal to
    an uninterrupted one.
    """

    def __init__(self, lifecycle: Lifecycle, sinks: Sequence[tuple[str, Sink]]) -> None:
        self._lifecycle, self._sinks = lifecycle, sinks
        self._header: Mapping[str, Any] = EMPTY
        self._record: Record = _forget
        self._problems: dict[tuple[str, str], dict[str, Any]] = {}
        self._rows: list[Mapping[str, Any]] = []
        self._pumps: list[SinkPump] = []

    def start(self, header: Mapping[str, Any], record: Record, directory: Path) -> None:
        """Tell plugins and sinks of the run; `record` is called with all problems whenever there is a new one."""
        self._header, self._record = MappingProxyType({**header, "directory": str(directory)}), record
        self._pumps = [SinkPump(name, sink, self._header) for name, sink in self._sinks]
        self._note(self._lifecycle.load_failures)
        self._note(self._lifecycle.run_started(run=self._header))

    @property
    def problems(self) -> tuple[Mapping[str, Any], ...]:
        """What failed so far: `source` (plugin or sink), `what`, the first `error`, and how often."""
        return tuple(self._problems.values())

    def row(self, row: dict[str, Any]) -> None:
        """Keep a row for the sinks."""
        self._rows.append(row)

    def regime_shifted(self, shift: Mapping[str, Any]) -> None:
        """Tell plugins of a regime that was handed to a world."""
        self._note(self._lifecycle.regime_shifted(run=self._header, shift=shift))

    def window_collected(self, step: int, statistics: Mapping[str, float]) -> None:
        """Tell plugins of a finished window and hand its rows to the sinks."""
        if statistics and self._pumps:
            note = {"kind": "note", "note": "update", "values": statistics}
            self._rows.append({"v": ROW_VERSION, "step": step - 1, **note})
        window = {"step": step, "statistics": statistics}
        self._note(self._lifecycle.window_collected(run=self._header, window=window))
        self._feed()

    def close(self, status: str, parts: Parts, *, step: int) -> None:
        """Finish the sinks and tell plugins that the run is over, while environment and policy are alive."""
        self._feed()
        for pump in self._pumps:
            pump.close(status)
            self._detached(pump)
        self._pumps = []
        finished = {**self._header, "status": status, "step": step}
        env = parts.fanout.environments[0]
        self._note(
            self._lifecycle.run_finished(
                run=finished, environment=env, policy=parts.policy, algorithm=parts.algorithm
            )
        )

    def _feed(self) -> None:
        rows, self._rows = self._rows, []
        for pump in self._pumps:
            pump.put(rows)
        for pump in [pump for pump in self._pumps if pump.failure is not None]:
            self._detached(pump)
            self._pumps.remove(pump)

    def _detached(self, pump: SinkPump) -> None:
        if pump.failure is not None:
            self._problem(pump.name, "sink", pump.failure)

    def _note(self, failures: Sequence[HookFailure]) -> None:
        for failure in failures:
            self._problem(failure.plugin, failure.hook, failure.error)

    def _problem(self, source: str, what: str, error: str) -> None:
        known = self._problems.get((source, what))
        if known is not None:
            known["count"] += 1
            return
        self._problems[source, what] = {"source": source, "what": what, "error": error, "count": 1}
        self._record(self.problems)
