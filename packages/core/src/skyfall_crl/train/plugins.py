"""What plugins see of a run: lifecycle hooks and sinks, whose failures are recorded and never end it."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from skyfall_crl.ports.sink import Sink
from skyfall_crl.registry.lifecycle import HookFailure, Lifecycle
from skyfall_crl.trace import TraceWriter
from skyfall_crl.train.build import Parts
from skyfall_crl.train.sinks import SinkPump


class RunPlugins:
    """Calls hooks and feeds sinks; every failure becomes a note in the trace."""

    def __init__(
        self, lifecycle: Lifecycle, sinks: Sequence[tuple[str, Sink]], header: Mapping[str, Any], trace: TraceWriter
    ) -> None:
        self._lifecycle, self._trace = lifecycle, trace
        self._header = MappingProxyType(dict(header))
        self._rows: list[Mapping[str, Any]] = []
        self._pumps = [SinkPump(name, sink, self._header) for name, sink in sinks]
        self._note(lifecycle.load_failures)
        self._note(self._lifecycle.run_started(run=self._header))

    @property
    def wants_rows(self) -> bool:
        """Whether any sink is attached, so that rows have to be kept for a window."""
        return bool(self._pumps)

    def row(self, row: dict[str, Any]) -> None:
        """Keep a row for the sinks."""
        self._rows.append(row)

    def regime_shifted(self, shift: Mapping[str, Any]) -> None:
        """Tell plugins of a regime that was handed to a world."""
        self._note(self._lifecycle.regime_shifted(run=self._header, shift=MappingProxyType(dict(shift))))

    def window_collected(self, step: int, statistics: Mapping[str, float]) -> None:
        """Tell plugins of a finished window and hand its rows to the sinks."""
        window = MappingProxyType({"step": step, "statistics": MappingProxyType(dict(statistics))})
        self._note(self._lifecycle.window_collected(run=self._header, window=window))
        self._flush_rows()

    def close(self, status: str, parts: Parts) -> None:
        """Finish the sinks and tell plugins that the run is over, while environment and policy are alive."""
        self._flush_rows()
        for pump in self._pumps:
            pump.close(status)
            self._report(pump)
        self._pumps = []
        finished = MappingProxyType({**self._header, "status": status})
        self._note(
            self._lifecycle.run_finished(
                run=finished, environment=parts.fanout.environments[0], policy=parts.policy
            )
        )

    def _flush_rows(self) -> None:
        if not self._pumps:
            return
        rows, self._rows = self._rows, []
        for pump in self._pumps:
            pump.put(rows)
        for pump in [pump for pump in self._pumps if pump.failure is not None]:
            self._report(pump)
            self._pumps.remove(pump)

    def _report(self, pump: SinkPump) -> None:
        if pump.failure is not None:
            self._trace.write({"v": 1, "kind": "note", "note": "sink detached", "sink": pump.name, "error": pump.failure})

    def _note(self, failures: Sequence[HookFailure]) -> None:
        for failure in failures:
            self._trace.write(
                {
                    "v": 1,
                    "kind": "note",
                    "note": "hook failed",
                    "plugin": failure.plugin,
                    "hook": failure.hook,
                    "error": failure.error,
                }
            )
