"""A run on the small world that never resets."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from skyfall_crl.config import RunConfig, parse_config

BANDIT = "skyfall_crl.testing.doubles:SwitchingBandit"
CYCLE = {
    "shift_mode": "cyclic",
    "regimes": [
        {"regime_id": "A", "duration_steps": 30},
        {"regime_id": "B", "duration_steps": 20, "axes": {"offset": 1}},
    ],
}


@pytest.fixture
def configure() -> Callable[..., RunConfig]:
    """Return a function from sections to a config; sections given are laid over the default ones."""

    def configured(**sections: Any) -> RunConfig:
        document: dict[str, Any] = {
            "env": {"id": BANDIT},
            "regime": {"provider": "scheduled", "params": {"schedule": CYCLE}},
            "policy": {"id": "linear"},
            "algorithm": {"id": "reinforce"},
            "run": {"steps": 100, "window_steps": 16, "num_envs": 2},
        }
        for name, section in sections.items():
            if section is None:
                del document[name]
            else:
                document[name] = (
                    {**document.get(name, {}), **section} if isinstance(section, dict) else section
                )
        return parse_config(document, source="test")

    return configured


@pytest.fixture
def read() -> Callable[[Path], list[dict[str, Any]]]:
    """Return a function from a run directory to the rows of its trace."""

    def rows(directory: Path) -> list[dict[str, Any]]:
        lines = (directory / "trace.jsonl").read_bytes().splitlines()
        return [msgspec.json.decode(line) for line in lines]

    return rows
