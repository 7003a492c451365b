"""The script of the published table: its sweeps can be run, and its page says what was found."""

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml


@pytest.fixture
def publish(root: Path) -> ModuleType:
    """The script as a module."""
    pytest.importorskip("skyfall_crl.study", reason="the core isn't installed here")
    pytest.importorskip("skyfall_crl.env.morpheus", reason="the world isn't installed here")
    spec = spec_from_file_location("publish", root / "docs" / "examples" / "benchmark" / "publish.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("size", "runs"),
    [
        ("full", {"outbound": 17 * (20 + 20 + 5 + 5), "evidence": 18 * 20}),
        ("small", {"outbound": 17 * 4 * 2, "evidence": 18 * 2}),
        ("nightly", {"outbound": 17 * (30 + 30 + 5 + 5), "evidence": 18 * 30, "cue": 9 * 30}),
    ],
)
def test_every_size_is_made_of_sweeps_whose_ids_are_all_known(
    publish: ModuleType, tmp_path: Path, size: str, runs: dict[str, int]
) -> None:
    from skyfall_crl.study import SweepPlan, read_sweep

    found = {}
    for level, document in publish.levels(size).items():
        path = tmp_path / f"{level}.yaml"
        path.write_text(yaml.safe_dump(document), encoding="utf-8")
        plan = SweepPlan(read_sweep(path), path)
        plan.check()
        found[level] = len(plan.reported({}))
    assert found == runs


def test_the_small_version_keeps_the_shape_of_every_schedule(publish: ModuleType) -> None:
    full, small = publish.levels("full")["outbound"], publish.levels("small")["outbound"]

    def lengths(document: dict[str, Any]) -> list[int]:
        regimes = document["scenarios"]["S3"]["set"]["regime.params.schedule"]["regimes"]
        return [regime["duration_steps"] for regime in regimes]

    assert lengths(full) == [20 * steps for steps in lengths(small)]
    assert sum(lengths(full)) == full["config"]["run"]["steps"] == 28_000
    assert small["config"]["run"]["steps"] == 1_400


def test_fewer_seeds_are_a_part_of_the_whole(publish: ModuleType) -> None:
    few = publish.levels("full", 8)["outbound"]
    assert few["seeds"] == {"first": 0, "count": 8}
    assert few["scenarios"]["S0"]["seeds"] == {"first": 0, "count": 5}
    assert few["config"] == publish.levels("full")["outbound"]["config"]


def test_only_what_stands_between_the_markers_is_replaced(publish: ModuleType, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{publish.BEGIN}\nold\n{publish.END}\nafter\n", encoding="utf-8")
    publish.write_block(page, "new")
    publish.write_block(page, "newer")
    assert page.read_text(encoding="utf-8") == f"before\n{publish.BEGIN}\nnewer\n{publish.END}\nafter\n"


def test_the_numbers_carry_intervals_reasons_and_flags(publish: ModuleType) -> None:
    number = {
        "value": 0.5,
        "low": 0.4,
        "high": None,
        "reason": None,
        "run_flags": {},
        "of": None,
        "reached": None,
    }
    steps = {**number, "value": 640.0, "low": 320.0, "high": 704.0, "of": 9, "reached": 7}
    gone = {**number, "value": None, "reason": "no_shift", "run_flags": {"not_learned": 2, "truncated": 1}}
    row = {
        "variant": "ppo",
        "columns": {"reward_lifetime": number, "adaptation_steps": steps, "forgetting_entry": gone},
        "difference": None,
        "improvement": None,
        "seeds": [0, 1],
        "wall_seconds": 4.4,
    }
    lines = publish.table({"rows": [row], "reference": "ppo"})
    assert lines[2] == (
        "| ppo (not learned 2/2) | 0.500 [0.400, ?] | 640 [320, 704], 7/9 | no shift | reference | reference | 2 | 4 |"
    )


def test_the_guides_sweep_and_its_additions_are_documents_that_can_be_run(
    publish: ModuleType, root: Path, tmp_path: Path
) -> None:
    """Each block of the page is laid over the first, which is whole."""
    from skyfall_crl.study import SweepPlan, read_sweep

    page = (root / "docs" / "guides" / "compare-algorithms.md").read_text(encoding="utf-8")
    blocks = [yaml.safe_load(block) for block in re.findall(r"^```yaml\n(.*?)^```$", page, re.M | re.S)]
    assert len(blocks) == 3
    for number, block in enumerate(blocks):
        whole = {**blocks[0], **block, "variants": {**blocks[0]["variants"], **block["variants"]}}
        path = tmp_path / f"{number}.yaml"
        path.write_text(yaml.safe_dump(whole), encoding="utf-8")
        SweepPlan(read_sweep(path), path).check()
