"""`skyfall-crl bounds`, and a run that takes what it measured."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from skyfall_crl.ports.document import dump_yaml

pytestmark = pytest.mark.floor

CONFIG = {
    "env": {"id": "skyfall_crl.testing.doubles:SwitchingBandit"},
    "policy": {"id": "random"},
    "run": {"steps": 60},
    "metrics": {"window": 5},
}


@pytest.mark.slow
def test_bounds_lie_beside_the_config_and_the_next_run_takes_them(
    tmp_path: Path, run_command: Callable[..., CompletedProcess[str]]
) -> None:
    (tmp_path / "bandit.yaml").write_text(dump_yaml(CONFIG), encoding="utf-8")
    done = run_command("bounds", "bandit.yaml", "--upper", "linear", "--seeds", "1")
    assert done.returncode == 0, done.stderr
    assert "upper  default" in done.stdout
    assert "bounds  bandit.bounds.json" in done.stdout
    assert run_command("run", "bandit.yaml", "--out", "run").returncode == 0
    scored = run_command("eval", "run")
    assert "measured: `linear` on 1 seed)" in scored.stdout
    refused = run_command("run", "bandit.yaml", "env.kwargs.max_steps=9", "--out", "other")
    assert refused.returncode == 2
    assert "bandit.bounds.json: expected bounds of this config's worlds" in refused.stderr


def test_without_a_reference_one_has_to_be_named(
    tmp_path: Path, run_command: Callable[..., CompletedProcess[str]]
) -> None:
    (tmp_path / "bandit.yaml").write_text(dump_yaml(CONFIG), encoding="utf-8")
    done = run_command("bounds", "bandit.yaml")
    assert done.returncode == 2
    assert "name one with --upper ID or under metrics.upper" in done.stderr


def test_a_file_that_can_not_be_made_is_refused_before_anything_is_measured(
    tmp_path: Path, run_command: Callable[..., CompletedProcess[str]]
) -> None:
    (tmp_path / "bandit.yaml").write_text(dump_yaml(CONFIG), encoding="utf-8")
    done = run_command("bounds", "bandit.yaml", "--upper", "linear", "--out", "no/b.json")
    assert (done.returncode, done.stdout) == (2, "")
    said = "expected a file in a folder that exists, found none at no"
    assert done.stderr == f"error: config: --out no/b.json: {said}\n"
