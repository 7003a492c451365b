"""Without the extra, an id of Stable-Baselines3 says what to install, before anything is built."""

from collections.abc import Callable
from pathlib import Path

import pytest

from skyfall_crl.config import RunConfig
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.train.policies import sb3_extra
from skyfall_crl.train.run import run


@pytest.mark.parametrize("name", ["sb3-ppo", "sb3-recurrent-ppo"])
def test_a_missing_extra_is_named(
    configure: Callable[..., RunConfig], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(sb3_extra, "find_spec", lambda module: None)
    with pytest.raises(ConfigError, match=r"need torch, .*; install skyfall-crl\[sb3\]"):
        run(configure(policy={"id": name}, algorithm={"id": name}), tmp_path / "run")
    assert not (tmp_path / "run").exists()
