"""Measuring again what was published."""

import subprocess
import sys
from pathlib import Path
from statistics import NormalDist

import msgspec
import pytest

from skyfall_crl.env.morpheus.references.measure import (
    REFERENCES,
    half_width,
    measure,
    references_of,
    student_quantile,
)
from skyfall_crl.env.morpheus.references.published import Table, published
from skyfall_crl.env.morpheus.simulation import layout_named, layout_names


def test_equal_seeds_give_equal_levels_and_digests() -> None:
    layout = layout_named("process-outbound")
    for name in REFERENCES:
        first, second = (measure(name, layout, {"cause_mix": "B"}, range(2), 120) for _ in range(2))
        assert first == second
        assert first.digest != measure(name, layout, {"cause_mix": "B"}, range(2, 4), 120).digest


def test_the_interval_is_students() -> None:
    assert student_quantile(29) == pytest.approx(2.0452, abs=5e-4)
    assert student_quantile(5) == pytest.approx(2.5706, abs=5e-3)
    assert student_quantile(10**6) == pytest.approx(NormalDist().inv_cdf(0.975), abs=1e-5)
    assert half_width([1.0]) == 0
    assert half_width([1.0, 1.0, 1.0]) == 0


def test_the_command_writes_a_table_of_the_published_form(tmp_path: Path) -> None:
    out = tmp_path / "table.json"
    command = [sys.executable, "-m", "skyfall_crl.env.morpheus.references.compute"]
    ran = subprocess.run(
        [*command, "--seeds", "2", "--steps", "40", "--out", str(out)],
        capture_output=True,
        text=True,
        check=True,
    )
    rows = [references_of(layout_named(name)) for name in layout_names()]
    assert len(ran.stderr.splitlines()) == 3 * sum(map(len, rows))
    tables = msgspec.json.decode(out.read_bytes(), type=dict[str, Table])
    table = tables["process-outbound"]
    assert (table.seeds, table.steps) == ([0, 1], 40)
    assert table.configurations.keys() == {"A", "B", "C"}


@pytest.mark.slow
@pytest.mark.parametrize("name", references_of(layout_named("process-outbound")))
def test_measuring_again_gives_the_published_level(name: str) -> None:
    layout = layout_named("process-outbound")
    for configuration in "ABC":
        axes = {"cause_mix": configuration, "payment_terms": configuration}
        again = measure(name, layout, axes, range(8), 2_500)
        row = published()[layout.name].configurations[configuration][name]
        assert again.mean == pytest.approx(row.mean, abs=0.02)


@pytest.mark.slow
def test_the_informed_worlds_end_exactly_where_they_ended_when_published() -> None:
    layout = layout_named("process-outbound")
    table = published()[layout.name]
    again = measure("informed", layout, {"cause_mix": "A"}, table.seeds, table.steps)
    assert again.digest == table.configurations["A"]["informed"].digest
    assert again.mean == pytest.approx(table.configurations["A"]["informed"].mean, abs=1e-6)
