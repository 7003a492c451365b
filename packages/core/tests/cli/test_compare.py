"""`skyfall-crl compare` and `export` on what is no run."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

pytestmark = pytest.mark.floor


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("compare", "nowhere"), "error: config: nowhere: expected a run, a sweep, or a folder of runs"),
        (("compare", "."), "error: config: .: expected at least one completed run, found none"),
        (("export", "."), "error: config: export: expected --l2 DIR, --csv FILE"),
        (("export", ".", "--csv", "x.csv"), "error: config: .: expected a trace, or a run directory"),
        (
            ("export", ".", "--csv", "no/x.csv"),
            "error: config: --csv no/x.csv: expected a file in a folder that exists",
        ),
        (("compare", ".", "--html", "no/x.html"), "error: config: --html no/x.html: expected a file in a"),
        (
            ("compare", ".", "--json", "."),
            "error: config: --json .: expected the name of a file, found a folder",
        ),
    ],
)
def test_what_is_no_run_is_one_line_and_exit_code_2(
    tmp_path: Path, run_command: Callable[..., CompletedProcess[str]], words: tuple[str, ...], said: str
) -> None:
    done = run_command(*words)
    assert done.returncode == 2
    assert done.stderr.startswith(said)
    assert done.stderr.count("\n") == 1
