"""A run whose config asks for it leaves a bundle, however it ends; the core knows nothing of serving."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skyfall_crl.cli.main import main
from skyfall_crl.config import parse_config
from skyfall_crl.ports.document import dump_yaml
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.serve.bundle import Bundle
from skyfall_crl.serve.runner import load_policy, serve
from skyfall_crl.train.run import resume, run


def test_a_run_leaves_a_bundle_only_when_asked(train: Callable[..., Path]) -> None:
    """Absent, or false, means none."""
    assert (train("asked") / "bundle" / "manifest.yaml").is_file()
    assert not (train("unasked", export=None) / "bundle").exists()
    assert not (train("refused", export={"bundle": False}) / "bundle").exists()


def test_a_bundle_says_which_run_it_is_from(train: Callable[..., Path]) -> None:
    """Sections as the config has them, facts as the run found them."""
    folder = train()
    found = Bundle.load(folder / "bundle")
    assert found.policy.id == "linear"
    assert found.env == {"id": "builtin/contextual-bandit", "kwargs": {"features": 3}}
    assert found.regime["provider"] == "scheduled"
    assert found.run["status"] == "completed"
    assert found.run["step"] == found.run["steps"] == 96
    assert (found.run["seed"], found.run["auto_reset"]) == (5, False)
    assert found.run["algorithm"]["id"] == "reinforce"


def test_weights_can_be_kept_outside_by_config(train: Callable[..., Path], tmp_path: Path) -> None:
    """The section has the argument of the function."""
    far = tmp_path / "far"
    folder = train(export={"bundle": True, "external_checkpoint": str(far)}) / "bundle"
    assert Bundle.load(folder).policy.checkpoint == str(far)
    assert serve(folder, steps=3).steps == 3


def test_an_interrupted_run_leaves_a_bundle_that_says_so_and_a_resumed_one_replaces_it(
    configure: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    """As far as it got, and then to the end."""
    config = parse_config(configure(), source="test")
    asked = iter(range(1000))
    result = run(config, tmp_path / "run", stop=lambda: next(asked) >= 40)
    folder = tmp_path / "run" / "bundle"
    before = Bundle.load(folder)
    assert (result.status, before.run["status"], before.run["step"]) == (
        "interrupted",
        "interrupted",
        result.step,
    )
    assert load_policy(before, folder).weights.any()
    resume(tmp_path / "run")
    after = Bundle.load(folder)
    assert (after.run["status"], after.run["step"]) == ("completed", 96)
    assert after.run["run_id"] == before.run["run_id"]
    assert after.policy.files != before.policy.files
    assert load_policy(after, folder).weights.any()


def test_a_resumed_run_exports_what_an_uninterrupted_one_does(
    configure: Callable[..., dict[str, Any]], train: Callable[..., Path], tmp_path: Path
) -> None:
    """The same weights, to the bit."""
    asked = iter(range(1000))
    run(parse_config(configure(), source="test"), tmp_path / "cut", stop=lambda: next(asked) >= 40)
    resume(tmp_path / "cut")
    whole = Bundle.load(train("whole") / "bundle")
    assert Bundle.load(tmp_path / "cut" / "bundle").policy.files == whole.policy.files


def test_an_export_that_fails_is_a_problem_of_the_run_and_never_ends_it(
    configure: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    """The run is complete, and says what went wrong."""
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "thesis.tex").touch()
    document = configure(export={"bundle": True, "external_checkpoint": str(tmp_path / "far")})
    result = run(parse_config(document, source="test"), tmp_path / "run")
    assert result.status == "completed"
    (problem,) = result.problems
    assert problem.startswith("serve: skyfall_crl_run_finished: BundleError:")


@pytest.mark.parametrize("section", [{"bundles": True}, {"bundle": "yes"}, {"external_checkpoint": ""}])
def test_a_mistake_in_the_section_is_found_before_the_run(
    configure: Callable[..., dict[str, Any]], section: dict[str, Any]
) -> None:
    """Unknown keys and values of another type."""
    with pytest.raises(ConfigError, match="export"):
        parse_config(configure(export=section), source="test")


def test_the_core_never_imports_serving() -> None:
    """A config without the section runs without it; the plugin module is cheap."""
    program = """
import sys
import skyfall_crl.train.run, skyfall_crl.config, skyfall_crl.study.single
assert not [name for name in sys.modules if name.startswith("skyfall_crl.serve")]
import skyfall_crl.serve.plugin
ours = {name for name in sys.modules if name.startswith("skyfall_crl.serve")}
assert ours == {"skyfall_crl.serve", "skyfall_crl.serve.plugin"}, ours
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr


def test_the_command_says_where_the_bundle_is(
    configure: Callable[..., dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Beside report, trace and metrics."""
    (tmp_path / "run.yaml").write_text(dump_yaml(configure()), encoding="utf-8")
    assert main(["run", str(tmp_path / "run.yaml"), "--out", str(tmp_path / "run")]) == 0
    assert f"bundle   {tmp_path / 'run' / 'bundle'}" in capsys.readouterr().out
