"""Manifests that attack whoever reads them: refused by name, at once, and without running or printing anything."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skyfall_crl.cli.main import main
from skyfall_crl.ports.document import dump_yaml
from skyfall_crl.ports.errors import CrlError
from skyfall_crl.serve.bundle import Bundle
from skyfall_crl.serve.errors import BundleError
from skyfall_crl.serve.inspection import examine, summary
from skyfall_crl.serve.runner import serve

MANIFESTS = {
    "tag that runs a command": "policy: !!python/object/apply:os.system ['touch {trail}']",
    "tag that imports": "policy: !!python/module:canary",
    "own tag": "policy: !secret x",
    "a million levels": "[" * 1_000_000,
    "a million levels, indented": "a: " + "{a: " * 100_000,
    "aliases that multiply": "a: &a [x,x,x,x,x,x,x,x,x]\n"
    + "\n".join(
        f"{b}: &{b} [*{a},*{a},*{a},*{a},*{a},*{a},*{a},*{a},*{a}]"
        for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    ),
    "an alias of itself": "a: &a [*a]",
    "a long number": "version: " + "9" * 900_000,
    "bytes": "version: \x00\x01",
}


@pytest.mark.parametrize("text", MANIFESTS.values(), ids=MANIFESTS.keys())
def test_manifests_that_attack_their_reader_are_refused(bundle: Path, trail: Path, text: str) -> None:
    """By name, at once, and without running anything."""
    (bundle / "manifest.yaml").write_text(text.replace("{trail}", str(trail)))
    with pytest.raises(BundleError, match=r"manifest\.yaml"):
        serve(bundle, steps=3)
    with pytest.raises(BundleError):
        Bundle.from_yaml(text.replace("{trail}", str(trail)))
    assert not trail.exists()


def test_a_gigabyte_of_manifest_is_not_read(bundle: Path) -> None:
    """A sparse file of that size is refused after its first megabyte."""
    with (bundle / "manifest.yaml").open("ab") as file:
        file.truncate(1 << 30)
    with pytest.raises(BundleError, match="expected at most 1048576 bytes"):
        Bundle.load(bundle)
    with pytest.raises(BundleError, match="expected at most 1048576 bytes"):
        Bundle.from_yaml("x" * (1 << 21))


def test_data_nested_a_hundred_thousand_levels_deep_is_refused() -> None:
    """Also where no text limits it."""
    deep: Any = 1
    for _ in range(100_000):
        deep = {"a": deep}
    with pytest.raises(BundleError, match="expected at most 64 levels"):
        Bundle.from_dict({"policy": {"kwargs": deep}})


@pytest.mark.parametrize(
    "space",
    [
        {"type": "Box", "shape": [1 << 20, 1 << 20], "dtype": "float64", "low": 0.0, "high": 1.0},
        {"type": "skyfall_crl.serve.canary:Box"},
        {"type": "__class__"},
    ],
    ids=["enormous", "import string", "attribute"],
)
def test_spaces_that_attack_their_reader_are_refused(bundle: Path, space: Any) -> None:
    """A petabyte of bounds is not built, and a type is one of ten words."""
    data = {**Bundle.load(bundle).to_dict(), "observation_space": space}
    (bundle / "manifest.yaml").write_text(dump_yaml(data))
    with pytest.raises(CrlError, match="observation_space: "):
        serve(bundle, steps=3)


def places(data: Any) -> list[tuple[Any, Any]]:
    """Return every place in plain data, as its holder and key."""
    found, waiting = [], [data]
    while waiting:
        holder = waiting.pop()
        for key in holder if isinstance(holder, dict) else range(len(holder)):
            found.append((holder, key))
            if isinstance(holder[key], dict | list):
                waiting.append(holder[key])
    return found


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
VALUES = SCALARS | st.lists(SCALARS, max_size=3) | st.dictionaries(st.text(max_size=4), SCALARS, max_size=3)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_manifest_damaged_anywhere_serves_or_is_a_named_error(bundle: Path, data: st.DataObject) -> None:
    """One value is replaced by any other; no failure is a stray one."""
    manifest = Bundle.load(bundle).to_dict()
    kept = (bundle / "manifest.yaml").read_text()
    holder, key = data.draw(st.sampled_from(places(manifest)))
    holder[key] = data.draw(VALUES)
    (bundle / "manifest.yaml").write_text(dump_yaml(manifest), encoding="utf-8")
    problem = ""
    try:
        found = Bundle.load(bundle)
        list(examine(found, bundle))
        list(summary(found))
        serve(bundle, steps=1)
    except CrlError as error:
        problem = str(error)
    finally:
        (bundle / "manifest.yaml").write_text(kept)
    assert "\n" not in problem


def test_what_a_bundle_says_cannot_command_a_terminal(
    bundle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Control characters are shown as such, wherever they stand."""
    data = Bundle.load(bundle).to_dict()
    data["policy"]["id"] = data["env"]["id"] = data["run"]["status"] = "\x1b]0;owned\x07\x9b2J"
    data["reward_spec"]["name"] = data["policy"]["trained_by"] = "\x1b[2J"
    Bundle.from_dict(data).save(bundle)
    for words in (["bundle", "inspect"], ["bundle", "verify"], ["serve"]):
        main([*words, str(bundle)])
    said = capsys.readouterr()
    assert not {"\x1b", "\x07", "\x9b"} & set(said.out + said.err)
