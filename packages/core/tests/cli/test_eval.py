"""The `eval` command."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from skyfall_crl.cli.main import main
from skyfall_crl.trace import TraceWriter

LEVELS = {"A": 0.8, "B": 0.4}


def write_trace(path, *, header=None, worlds=1, steps=100, **changes):
    with TraceWriter(path) as writer:
        writer.write({"kind": "provenance", **(header or {})})
        for step in range(3 * steps):
            regime = "ABA"[step // steps]
            for world in range(worlds):
                reward = LEVELS[regime] * min(1.0, 0.2 + (step % steps) / 50)
                row = {"step": step, "world": f"w{world}", "regime_id": regime, "regime_identity": regime}
                writer.write({**row, "reward": reward, **changes})
    return path


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return write_trace(tmp_path / "trace.jsonl", worlds=2)


def evaluate(capsys, *words):
    code = main(["eval", *map(str, words)])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def cells(line):
    return re.split(r" {2,}", line.strip())


def line_of(text, label):
    (line,) = [line for line in text.splitlines() if line.strip().startswith(label)]
    return line


def test_the_table_has_a_value_or_a_reason_for_every_metric_and_identity(trace, tmp_path, capsys):
    bounds = tmp_path / "upper.json"
    bounds.write_text(json.dumps({"A": 0.8}))
    code, out, _ = evaluate(capsys, trace, "--window", 10, "--upper-bounds", bounds)

    assert code == 0
    assert cells(line_of(out, "metric")) == ["metric", "unit", "overall", "A", "B"]
    assert cells(line_of(out, "2 adaptation to the bound"))[1:] == [
        "steps ↓",
        "40 [1]",
        "40 [1]",
        "no upper bound",
    ]
    assert cells(line_of(out, "6 gap to the bound"))[1:] == [
        "reward/step ↓",
        "0.1312",
        "0.1312",
        "no upper bound",
    ]
    assert line_of(out, "3 forgetting at re-entry").split()[-2:] == ["never", "revisited"]
    assert "[1] without a lower bound" in out


def test_the_notes_say_what_the_numbers_rest_on(trace, capsys):
    with trace.open("a") as file:
        file.write('{"step": 300, "rew')
    _, out, _ = evaluate(capsys, trace, "--rho", 0.5)

    assert line_of(out, "trace").endswith(str(trace))
    assert line_of(out, "rows").split(None, 1)[1] == (
        "600 in 6 segments of 2 worlds, pooled; they are not independent seeds"
    )
    assert (
        line_of(out, "window").split(None, 1)[1] == "5 steps, from the shortest segment of 100 steps; rho 0.5"
    )
    assert line_of(out, "upper bounds").split() == ["upper", "bounds", "none"]
    assert line_of(out, "torn").split(None, 1)[1].startswith("line 602 has no end")


def test_notes_name_what_is_missing_ignored_or_cut(tmp_path, capsys):
    schedule = {"regimes": [{"regime_id": name, "duration_steps": 100} for name in "ABA"]}
    path = write_trace(tmp_path / "trace.jsonl", header={"schedule": schedule, "steps": 400}, reward=None)
    with TraceWriter(path, append=True) as writer:
        writer.write({"step": 0, "world": "e0", "phase": "eval", "regime_id": "A", "reward": 1.0})
        writer.write({"step": 350, "regime_id": "A", "drift_progress": 0.5, "reward": 1.0})
    _, out, _ = evaluate(capsys, path)

    assert line_of(out, "without").split()[1] == "300"
    assert line_of(out, "frozen ").split(None, 1)[1].startswith("1 rows of a policy that stands still")
    assert line_of(out, "drifting").split()[1] == "1"
    assert line_of(out, "gaps").split()[1] == "1"
    assert line_of(out, "truncated").split(None, 1)[1] == "the last segment of every world was cut short"
    assert line_of(out, "1 reward").count("no reward recorded") == 3


def test_a_median_over_segments_that_did_not_all_get_there_says_so(tmp_path, capsys):
    path = tmp_path / "trace.jsonl"
    with TraceWriter(path) as writer:
        for step in range(400):
            level = (0.0, 1.0, 1.0, 0.1)[step // 100]
            writer.write({"step": step, "regime_id": "ABCD"[step // 100], "reward": level})
    bounds = tmp_path / "upper.yaml"
    bounds.write_text("{B: 1.0, C: 1.0, D: 1.0}")
    lower = tmp_path / "lower.yaml"
    lower.write_text("{B: 0.0, C: 0.0, D: 0.0}")
    _, out, _ = evaluate(capsys, path, "--upper-bounds", bounds, "--lower-bounds", lower)

    assert cells(line_of(out, "2 adaptation"))[2:] == ["0 [1]", "no shift", "0", "0", "not reached"]
    assert "[1] median that counts the segments" in out


def test_what_needs_evaluations_or_other_runs_is_shown_once_they_are_there(trace, tmp_path, capsys):
    _, plain, _ = evaluate(capsys, trace, "--window", 10)
    with TraceWriter(trace, append=True) as writer:
        writer.write({"step": 0, "world": "e", "phase": "eval", "regime_id": "A", "reward": 0.75})
    scratch = write_trace(tmp_path / "scratch.jsonl")
    words = ("--window", 10, "--scratch", scratch, "--reference", scratch)
    _, out, _ = evaluate(capsys, trace, *words, "--sustain", 2, "--burn-in", 5)

    assert not {"frozen", "from scratch", "reference"} & set(plain.split())
    assert cells(line_of(out, "frozen: at the end"))[2] == "0.7500 [1]"
    assert cells(line_of(out, "from scratch: jumpstart"))[2] == "0.0000"
    assert cells(line_of(out, "reference: gap at entry"))[2] == "0.0000"
    assert line_of(out, "window").endswith("rho 0.9; sustained for 2 windows; burn-in 5 steps")
    assert "[1] without configurations that were not evaluated" in out


def test_what_the_config_asks_for_holds_unless_the_command_says_otherwise(tmp_path, capsys):
    header = {"config": {"metrics": {"rho": 0.5, "sustain": 3}}}
    path = write_trace(tmp_path / "trace.jsonl", header=header)
    _, plain, _ = evaluate(capsys, path)
    _, given, _ = evaluate(capsys, path, "--rho", 0.8)

    assert line_of(plain, "window").endswith("rho 0.5; sustained for 3 windows")
    assert line_of(given, "window").endswith("rho 0.8; sustained for 3 windows")


def test_json_holds_everything(trace, capsys):
    code, out, _ = evaluate(capsys, trace, "--json", "--window", 10)
    found = json.loads(out)

    assert code == 0
    assert found["parameters"]["window"] == 10
    assert found["overall"]["reward_macro"]["unit"] == "reward/step"
    assert list(found["identities"]) == ["A", "B"]
    assert len(found["segments"]) == 6


def test_a_run_directory_stands_for_its_trace(trace, capsys):
    assert evaluate(capsys, trace.parent, "--json") == evaluate(capsys, trace, "--json")


def test_identities_that_do_not_fit_beside_each_other_come_in_several_tables(tmp_path, capsys):
    path = tmp_path / "trace.jsonl"
    with TraceWriter(path) as writer:
        for step in range(300):
            writer.write({"step": step, "regime_id": f"[regime] {step // 20}", "reward": 0.5})
    _, out, _ = evaluate(capsys, path)

    tables = [line for line in out.splitlines() if line.strip().startswith("metric")]
    assert len(tables) == 3
    assert all(sum(f"[regime] {number} " in f"{line} " for line in tables) == 1 for number in range(15))


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "trace.jsonl: expected step rows of another phase than eval, found no step row"),
        ('{"step": 0}\nnonsense\n{"step": 1}\n', "trace.jsonl line 2: expected a trace row as a JSON object"),
        ('{"step": 0, "reward": 1}\n' * 2, "expected steps that rise, found step 0 after step 0"),
    ],
)
def test_a_file_that_is_no_trace_is_one_line_and_code_2(tmp_path, capsys, content, complaint):
    path = tmp_path / "trace.jsonl"
    path.write_text(content)
    code, out, err = evaluate(capsys, path)

    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: trace: ")
    assert complaint in err


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            ["missing.jsonl"],
            "error: trace: missing.jsonl: can't be read as a trace: No such file or directory",
        ),
        (["empty"], "error: trace: empty: expected a run directory with trace.jsonl, found none"),
        (
            ["trace.jsonl", "--window", "0"],
            "error: config: window: expected a whole number of steps of at least 1",
        ),
        (
            ["trace.jsonl", "--rho", "2"],
            "error: config: rho: expected a number above 0 and at most 1, found 2.0",
        ),
        (
            ["trace.jsonl", "--rho", "nan"],
            "error: config: rho: expected a number above 0 and at most 1, found nan",
        ),
        (
            ["trace.jsonl", "--upper-bounds", "none.yaml"],
            "error: config: none.yaml: expected a readable YAML file",
        ),
        (
            ["trace.jsonl", "--lower-bounds", "list.yaml"],
            "error: config: list.yaml: expected a mapping of identity",
        ),
    ],
)
def test_a_mistake_in_the_question_is_one_line_and_code_2(
    trace, tmp_path, capsys, monkeypatch, words, complaint
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "list.yaml").write_text("[1]")
    code, out, err = evaluate(capsys, *words)

    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(complaint)


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_any_terminal_can_show_the_table(trace, encoding):
    command = [sys.executable, "-c", "import sys; from skyfall_crl.cli.main import main; sys.exit(main())"]
    done = subprocess.run(
        [*command, "eval", str(trace)],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
        timeout=60,
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert ("reward/step ↑" if encoding == "utf-8" else "reward/step +") in done.stdout.decode(encoding)


def test_help_imports_nothing_that_scores(trace):
    program = (
        "import sys; from skyfall_crl.cli.main import main; main(['eval', '--help']);"
        "print(sorted({'numpy', 'msgspec', 'rich', 'pydantic', 'yaml', 'gymnasium'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60
    )

    assert "--upper-bounds" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"
