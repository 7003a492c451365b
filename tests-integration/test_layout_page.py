"""The page on layouts says what the layouts are, and prints the levels that were published."""

from pathlib import Path

import pytest

simulation = pytest.importorskip(
    "skyfall_crl.env.morpheus.simulation", reason="the plugin isn't installed here"
)
references = pytest.importorskip("skyfall_crl.env.morpheus.references.published")

PAGE = "docs/explanation/layouts.md"
NAMES = ("process-inbound", "perishables-food-manufacturer", "erp-order-to-cash")


@pytest.mark.parametrize("name", NAMES)
def test_each_stage_stands_on_the_page_with_its_causes_and_remedies(root: Path, name: str) -> None:
    """One row a stage: steps, symptom, type, and each cause with its remedy."""
    rows = (root / PAGE).read_text(encoding="utf-8").splitlines()
    for symptom in simulation.layout_named(name).symptoms:
        pairs = zip(symptom.causes, symptom.remedies, strict=True)
        causes = "; ".join(f"{cause}: `{remedy.name}`" for cause, remedy in pairs)
        title = symptom.title.lower()
        assert (
            f"| {symptom.stage} | {symptom.duration_steps} | {title} | `{symptom.failure_type}` | {causes} |"
            in rows
        )


@pytest.mark.parametrize("name", NAMES)
def test_the_levels_on_the_page_are_the_published_ones(root: Path, name: str) -> None:
    """One row a reference: mean and half its interval in each configuration."""
    rows = (root / PAGE).read_text(encoding="utf-8").splitlines()
    configurations = references.published()[name].configurations
    for reference in configurations["A"]:
        levels = [
            f"{table[reference].mean:.3f} ± {table[reference].half_width:.3f}"
            for table in configurations.values()
        ]
        assert f"| `{reference}` | {' | '.join(levels)} |" in rows


def test_every_schedule_the_page_names_is_there(root: Path) -> None:
    """The files of the last table exist, and no example of an embedded world is left out."""
    page = (root / PAGE).read_text(encoding="utf-8")
    for path in sorted((root / "docs" / "examples").glob("*.yaml")):
        if "morpheus/world" in path.read_text(encoding="utf-8"):
            assert f"`{path.relative_to(root).as_posix()}`" in page
