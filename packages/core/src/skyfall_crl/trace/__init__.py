"""A run's trace: one JSON line per world step, written fast and read as columns."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyfall_crl.trace.batch import Batch, Labels
    from skyfall_crl.trace.columns import read_columns
    from skyfall_crl.trace.compare import Difference, first_difference, rows_equal, without_clock
    from skyfall_crl.trace.reader import ReadReport, TornLine, read_header, read_rows
    from skyfall_crl.trace.record import TRACE_VERSION, Provenance, TraceRow
    from skyfall_crl.trace.rewind import cut, next_cut_path
    from skyfall_crl.trace.writer import TraceWriter

_HOMES = {
    "Batch": "batch",
    "Difference": "compare",
    "Labels": "batch",
    "Provenance": "record",
    "ReadReport": "reader",
    "TRACE_VERSION": "record",
    "TornLine": "reader",
    "TraceRow": "record",
    "TraceWriter": "writer",
    "cut": "rewind",
    "first_difference": "compare",
    "next_cut_path": "rewind",
    "read_columns": "columns",
    "read_header": "reader",
    "read_rows": "reader",
    "rows_equal": "compare",
    "without_clock": "compare",
}

__all__ = [
    "TRACE_VERSION",
    "Batch",
    "Difference",
    "Labels",
    "Provenance",
    "ReadReport",
    "TornLine",
    "TraceRow",
    "TraceWriter",
    "cut",
    "first_difference",
    "next_cut_path",
    "read_columns",
    "read_header",
    "read_rows",
    "rows_equal",
    "without_clock",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
