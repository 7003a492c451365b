from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skyfall_crl.metrics import Segment
from skyfall_crl.trace import TraceWriter


@pytest.fixture
def golden() -> Path:
    """The folder with three traces and what an independent program made of them."""
    return Path(__file__).parent / "golden"


@pytest.fixture
def write_trace(tmp_path: Path) -> Callable[..., Path]:
    """Write rows, after a header if one is given, and return the trace's path."""

    def write(rows: Iterable[Mapping[str, Any]], header: Mapping[str, Any] | None = None) -> Path:
        path = tmp_path / f"trace-{len(list(tmp_path.iterdir()))}.jsonl"
        with TraceWriter(path) as writer:
            if header is not None:
                writer.write({"kind": "provenance", **header})
            writer.write_many(rows)
        return path

    return write


@pytest.fixture
def stays() -> Callable[..., list[dict[str, Any]]]:
    """Rows of one world that passes through (regime id, rewards) or (regime id, identity, rewards)."""

    def rows(*entries: tuple[Any, ...], world: str = "w0", first_step: int = 0) -> list[dict[str, Any]]:
        flat = [
            (entry[0], entry[-2] if len(entry) == 3 else entry[0], reward)
            for entry in entries
            for reward in entry[-1]
        ]
        return [
            {"step": step, "world": world, "regime_id": regime, "regime_identity": identity, "reward": reward}
            for step, (regime, identity, reward) in enumerate(flat, first_step)
        ]

    return rows


@pytest.fixture
def segment() -> Callable[..., Segment]:
    """A segment made of window means, by default of ten steps each."""

    def make(windows: Sequence[float], window: int = 10, **changes: Any) -> Segment:
        levels = np.array(windows, float)
        steps = window * len(levels)
        plain: dict[str, Any] = {
            "world": "w0",
            "identity": "A",
            "regime_ids": ("A",),
            "ordinal": 0,
            "visit": 0,
            "first_step": 0,
            "steps": steps + changes.get("drift_steps", 0),
            "drift_steps": 0,
            "nulls": 0,
            "total": float(np.nansum(levels) * window),
            "windows": levels,
            "entry": float(levels[0]) if len(levels) else None,
            "terminal": float(levels[-1]) if len(levels) else None,
            "late_entry": changes.get("entry", float(levels[0]) if len(levels) else None),
        }
        return Segment(**{**plain, **changes})

    return make
