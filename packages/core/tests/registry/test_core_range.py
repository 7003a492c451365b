"""Whether a plugin's requirement on the core allows the core that is running."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet

from skyfall_crl.registry.core_range import core_version, unmet_range

RELEASES = st.lists(st.integers(0, 3), min_size=1, max_size=3).map(lambda parts: ".".join(map(str, parts)))
CLAUSES = st.one_of(
    st.tuples(st.sampled_from(["==", "!=", "<=", ">=", "<", ">"]), RELEASES).map("".join),
    st.tuples(st.sampled_from(["==", "!="]), RELEASES).map(lambda pair: f"{pair[0]}{pair[1]}.*"),
    RELEASES.filter(lambda release: "." in release).map(lambda release: f"~={release}"),
)


@given(st.lists(CLAUSES, max_size=3).map(",".join), RELEASES)
def test_plain_ranges_are_judged_as_installers_judge_them(clauses: str, running: str) -> None:
    """The packaging library is the oracle."""
    allowed = running in SpecifierSet(clauses)
    assert unmet_range([f"skyfall-crl{clauses}"], running) == (None if allowed else f"skyfall-crl{clauses}")


@pytest.mark.parametrize(
    "requirement",
    [
        "numpy>=9",
        "skyfall-crl-morpheus>=9",
        "skyfall-crl>=9; extra == 'later'",
        "skyfall-crl===9",
        "skyfall-crl @ file:///somewhere",
        "skyfall-crl",
    ],
)
def test_what_says_nothing_plain_about_the_core_is_left_to_the_installer(requirement: str) -> None:
    """Only a plain range can fail a plugin."""
    assert unmet_range([requirement], "1.0.0") is None


@pytest.mark.parametrize("requirement", ["Skyfall_CRL >= 9", "skyfall.crl[fast]>=9", "skyfall-crl (>=9)"])
def test_the_core_is_recognised_however_it_is_spelled(requirement: str) -> None:
    """Names are compared in their normal form."""
    assert unmet_range(["numpy", requirement], "1.0.0") is not None


def test_without_metadata_of_the_core_nothing_is_judged() -> None:
    """A source tree that was never installed has no version to compare."""
    assert unmet_range(["skyfall-crl>=9"], None) is None


def test_the_running_version_is_the_installed_one() -> None:
    """The core's own metadata says which core is running."""
    assert core_version() == "1.0.0"
