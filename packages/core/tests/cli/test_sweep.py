"""`skyfall-crl sweep`, `compare` and `export` as a user meets them, with real child processes."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import msgspec
import pytest

from skyfall_crl.ports.document import dump_yaml

pytestmark = pytest.mark.floor

SWEEP = {
    "config": {
        "env": {"id": "skyfall_crl.testing.doubles:SwitchingBandit"},
        "policy": {"id": "random"},
        "run": {"steps": 40},
        "metrics": {"window": 5},
    },
    "seeds": [0, 1],
    "variants": {"good": {}, "bad": {"set": {"env.kwargs.fail_at": -1, "env.kwargs.nonsense": 1}}},
    "keep": {"report": False},
}
Command = Callable[..., CompletedProcess[str]]


@pytest.mark.slow
def test_failures_are_listed_with_their_folders_and_the_rest_can_be_compared_and_exported(
    tmp_path: Path, run_command: Command
) -> None:
    (tmp_path / "s.yaml").write_text(dump_yaml({**SWEEP, "seeds": [0]}), encoding="utf-8")
    done = run_command("sweep", "s.yaml", "--out", "out", "--jobs", "2")
    assert done.returncode == 1
    assert "1 of 2 runs are complete" in done.stdout
    assert "failed   out/main/bad/seed-0: config: env.kwargs: " in done.stdout
    assert "resume   skyfall-crl sweep s.yaml --out out --resume" in done.stdout
    assert (tmp_path / "out/main/bad/seed-0/error.txt").is_file()

    compared = run_command("compare", "out", "--json", "c.json", "--latex", "c.tex", "--html", "c.html")
    assert compared.returncode == 0
    assert "lifetime reward" in compared.stdout
    assert "caution  1 runs are not complete and left out: out/main/bad/seed-0" in compared.stdout
    data = msgspec.json.decode((tmp_path / "c.json").read_bytes())
    assert [row["variant"] for row in data["scenarios"][0]["rows"]] == ["good"]
    assert "Plotly.newPlot" in (tmp_path / "c.html").read_text(encoding="utf-8")
    assert r"\begin{tabular}" in (tmp_path / "c.tex").read_text(encoding="utf-8")

    exported = run_command("export", "out/main/good/seed-0", "--csv", "rows.csv")
    assert exported.stdout == "csv      rows.csv: 40 steps\n"
    assert len((tmp_path / "rows.csv").read_text(encoding="utf-8").splitlines()) == 41


def test_a_mistake_in_a_sweep_starts_nothing(tmp_path: Path, run_command: Command) -> None:
    (tmp_path / "s.yaml").write_text(dump_yaml({**SWEEP, "sedes": 1}), encoding="utf-8")
    done = run_command("sweep", "s.yaml", "--out", "out")
    assert done.returncode == 2
    assert done.stderr == "error: config: s.yaml: sedes: unknown key; did you mean 'seeds'?\n"
    assert not (tmp_path / "out").exists()
    assert run_command("sweep", "s.yaml", "--resume").stderr.startswith("error: config: sweep --resume")
