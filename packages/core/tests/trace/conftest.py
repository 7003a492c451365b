from pathlib import Path

import pytest


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The trace of a run directory of its own."""
    return tmp_path / "trace.jsonl"
