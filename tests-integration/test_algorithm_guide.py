"""The guide to algorithms and hooks works as it is printed."""

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from skyfall_crl.config import parse_config
from skyfall_crl.testing import check_algorithm
from skyfall_crl.train.run import run

DOCUMENT = {
    "env": {"id": "contextual-bandit"},
    "policy": {"id": "mlp"},
    "run": {"steps": 32, "window_steps": 16, "num_envs": 2},
}


@pytest.fixture
def acme(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The modules that the guide prints, to be imported."""
    guide = (root / "docs" / "guides" / "write-an-algorithm.md").read_text(encoding="utf-8")
    for name, source in re.findall(r'```python title="src/([^"]+)"\n(.*?)```', guide, re.DOTALL):
        path = tmp_path / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path / "src")
    yield
    for name in [name for name in sys.modules if name.split(".")[0] == "acme_learning"]:
        del sys.modules[name]


@pytest.mark.usefixtures("acme")
def test_the_hook_is_named_by_its_import_path_and_added_to_the_loss(tmp_path: Path) -> None:
    hook = {"id": "acme_learning.decay:WeightDecay", "kwargs": {"strength": 0.001}}
    algorithm = {"id": "ppo", "kwargs": {"hooks": [hook, {"id": "ewc"}]}}
    result = run(parse_config({**DOCUMENT, "algorithm": algorithm}, source="guide"), tmp_path / "run")
    assert result.status == "completed"
    (loss, *_) = re.findall(r'"added_loss":([\d.e-]+)', (tmp_path / "run/trace.jsonl").read_text())
    assert float(loss) > 0


@pytest.mark.usefixtures("acme")
def test_the_algorithm_passes_the_conformance_kit() -> None:
    check_algorithm(importlib.import_module("acme_learning.centred").CentredPPO)
