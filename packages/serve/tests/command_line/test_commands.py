"""`serve` and `bundle` on the command line: what they print, what they return, and what they write."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from skyfall_crl.cli.main import main
from skyfall_crl.serve.bundle import Bundle, export_bundle
from skyfall_crl.trace import read_header, read_rows


def test_a_bundle_is_served_and_its_trace_scored(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command says where the trace is, and `eval` takes it with no special case."""
    assert main(["serve", str(bundle), "--steps", "90", "--out", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    assert "serving linear in builtin/contextual-bandit" in said
    assert "completed after 90 steps" in said
    assert "regimes  A, B" in said
    assert f"trace    {tmp_path / 'out' / 'trace.jsonl'}" in said
    assert main(["eval", str(tmp_path / "out"), "--json"]) == 0
    scored = msgspec.json.decode(capsys.readouterr().out)
    assert scored["counts"]["rows"] == 90
    rewards = [row["reward"] for row in read_rows(tmp_path / "out" / "trace.jsonl") if row["kind"] == "step"]
    assert scored["overall"]["reward_lifetime"]["value"] == pytest.approx(sum(rewards) / 90)


def test_a_trace_lands_in_a_folder_named_after_the_run(
    bundle: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Beside the runs, unless `--out` says where."""
    monkeypatch.chdir(tmp_path)
    assert main(["serve", str(bundle), "--steps", "2"]) == 0
    (trace,) = tmp_path.glob("runs/trained-served-*/trace.jsonl")
    assert len([row for row in read_rows(trace) if row["kind"] == "step"]) == 2


def test_arguments_of_the_environment_can_be_laid_over(bundle: Path, tmp_path: Path) -> None:
    """Several words, each read as YAML."""
    words = ["--env-kwargs", "task_seed=4", "features=3", "--no-regime", "--seed", "9"]
    assert main(["serve", str(bundle), *words, "--steps", "3", "--out", str(tmp_path / "o")]) == 0
    header = read_header(tmp_path / "o" / "trace.jsonl")
    assert header["config"]["env"]["kwargs"] == {"features": 3, "task_seed": 4}
    assert header["seed"] == 9
    assert header["config"]["regime"]["provider"] == "constant"


def test_a_part_of_an_argument_that_stays_the_bundles_is_still_checked(
    acme: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Giving one header doesn't vouch for the others; giving all of them does."""
    recorded = {"ends_after": {"token": "${env:A_TOKEN}", "headers": {"Authorization": "${env:A_KEY}"}}}
    export_bundle(
        tmp_path / "b", env=acme.Bare(), policy_id="acme/plain", env_id="acme/bare", env_kwargs=recorded
    )
    command = ["serve", str(tmp_path / "b"), "--steps", "2", "--out", str(tmp_path / "out"), "--env-kwargs"]
    assert main([*command, "ends_after.token=null"]) == 2
    assert "asks for the secret ${env:A_KEY}" in capsys.readouterr().err
    assert main([*command, "ends_after.token=null", "ends_after.headers=null"]) == 0


def test_trust_is_never_the_default(
    bundle: Path, trail: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A bundle that imports is refused with a hint, and imports when it is trusted."""
    data = Bundle.load(bundle).to_dict()
    data["env"] = {"id": "canary:make", "kwargs": {}}
    Bundle.from_dict(data).save(bundle)
    command = ["serve", str(bundle), "--steps", "2", "--out", str(tmp_path / "out")]
    assert main(command) == 2
    assert "allow it if you trust where this comes from" in capsys.readouterr().err
    assert not trail.exists()
    with pytest.raises(SystemExit, match="the canary was called"):
        main([*command, "--trust"])
    assert trail.exists()


def test_a_world_that_is_over_ends_serving_with_its_own_exit_code(
    acme: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Fewer steps than asked for are no success."""
    export_bundle(
        tmp_path / "b",
        env=acme.Bare(),
        policy_id="acme/plain",
        env_id="acme/bare",
        env_kwargs={"ends_after": 4},
    )
    assert main(["serve", str(tmp_path / "b"), "--out", str(tmp_path / "out")]) == 1
    assert "ended after 4 steps; the world took no more actions" in capsys.readouterr().out


def test_ctrl_c_finishes_the_step_and_says_where_the_trace_is(bundle: Path, tmp_path: Path) -> None:
    """The trace is whole, and says that it was interrupted."""
    program = "import sys\nfrom skyfall_crl.cli.main import main\nsys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", program, "serve", str(bundle), "--steps", "100000000"]
    process = subprocess.Popen(
        [*command, "--out", str(tmp_path / "out")], stdout=subprocess.PIPE, text=True, env=os.environ
    )
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("step "):
            break
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=240)
    assert process.returncode == 130
    assert "interrupted after" in said
    rows = list(read_rows(tmp_path / "out" / "trace.jsonl"))
    assert rows[-1]["status"] == "interrupted"
    assert [row["step"] for row in rows if row["kind"] == "step"] == list(range(rows[-1]["steps"]["w0"]))


def test_inspect_shows_what_a_bundle_holds(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line each, without importing what it names."""
    assert main(["bundle", "inspect", str(bundle)]) == 0
    lines = dict(line.split(None, 1) for line in capsys.readouterr().out.splitlines())
    assert lines["policy"] == "linear"
    assert lines["weights"].startswith("in the bundle, format weights, ")
    assert lines["action"] == "Discrete(4)"
    assert lines["reward"] == "hit version 1"
    assert lines["environment"] == "builtin/contextual-bandit {'features': 3}"
    assert "status completed" in lines["run"] or lines["run"].endswith("...")


def test_inspect_says_what_was_not_recorded(
    acme: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Absence is shown as absence."""
    export_bundle(tmp_path / "b", env=acme.Bare())
    assert main(["bundle", "inspect", str(tmp_path / "b")]) == 0
    said = capsys.readouterr().out
    for label in (
        "policy",
        "weights",
        "observation",
        "action",
        "reward",
        "environment",
        "says of itself",
        "run",
    ):
        assert f"{label:<16}not recorded" in said


def test_inspect_prints_the_whole_manifest_as_json(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From the manifest's own path as well."""
    assert main(["bundle", "inspect", str(bundle / "manifest.yaml"), "--json"]) == 0
    assert msgspec.json.decode(capsys.readouterr().out) == Bundle.load(bundle).to_dict()


def test_verify_passes_a_whole_bundle(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every part has its line."""
    assert main(["bundle", "verify", str(bundle)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 10
    assert all(line.startswith("ok ") for line in said)


def break_weights(folder: Path) -> None:
    (folder / "checkpoint" / "weights.npy").write_bytes(b"")


def break_space(folder: Path) -> None:
    text = (folder / "manifest.yaml").read_text()
    (folder / "manifest.yaml").write_text(text.replace("type: Discrete", "type: Indiscrete"))


def ask_for_trust(folder: Path) -> None:
    text = (folder / "manifest.yaml").read_text()
    (folder / "manifest.yaml").write_text(text.replace("id: builtin/contextual-bandit", "id: canary:make"))


@pytest.mark.parametrize(
    ("damage", "line"),
    [
        (break_weights, "broken  weights: "),
        (break_space, "broken  action space: "),
        (ask_for_trust, "broken  environments id canary:make: "),
    ],
)
def test_verify_names_what_is_broken(
    bundle: Path,
    trail: Path,
    capsys: pytest.CaptureFixture[str],
    damage: Callable[[Path], None],
    line: str,
) -> None:
    """One line for each problem, the others still checked, and exit code 1."""
    damage(bundle)
    assert main(["bundle", "verify", str(bundle)]) == 1
    said = capsys.readouterr().out.splitlines()
    assert [one.startswith(line) for one in said if one.startswith("broken")] == [True]
    assert len(said) == 10
    assert not trail.exists()


@pytest.mark.parametrize("word", ["inspect", "verify"])
def test_a_folder_that_is_no_bundle_is_a_mistake_in_the_question(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], word: str
) -> None:
    """One line, and exit code 2."""
    assert main(["bundle", word, str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith("error: bundle: ")
