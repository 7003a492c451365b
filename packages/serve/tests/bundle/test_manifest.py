"""The manifest: a document that later versions may add to, and that is read within bounds."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from skyfall_crl.ports.errors import CrlError
from skyfall_crl.serve.bundle import Bundle, PolicyRef, WeightsFormat
from skyfall_crl.serve.errors import BundleError


def test_defaults_are_those_of_a_bundle_that_records_nothing() -> None:
    """Every field of the page, with its default."""
    assert issubclass(Bundle, BaseModel)
    assert issubclass(PolicyRef, BaseModel)
    assert Bundle().to_dict() == {
        "version": 1,
        "policy": {
            "id": None,
            "kwargs": {},
            "format": None,
            "checkpoint": None,
            "external": False,
            "files": None,
            "trained_by": None,
        },
        "observation_space": None,
        "action_space": None,
        "reward_spec": None,
        "env": {},
        "regime": {},
        "run": {},
        "provenance": {},
    }


def test_a_later_manifest_survives_an_earlier_reader(tmp_path: Path) -> None:
    """Unknown keys are kept through dictionaries, YAML and files, at both levels."""
    data = {"version": 9, "policy": {"id": "linear", "quantised": True}, "weather": {"sun": [1, None]}}
    bundle = Bundle.from_dict(data)
    bundle.save(tmp_path)
    for back in (
        Bundle.from_dict(bundle.to_dict()),
        Bundle.from_yaml(bundle.to_yaml()),
        Bundle.load(tmp_path),
        Bundle.from_dict(json.loads(json.dumps(bundle.to_dict()))),
    ):
        assert back == bundle
        assert back.to_dict()["weather"] == {"sun": [1, None]}
        assert back.to_dict()["policy"]["quantised"] is True
        assert back.version == 9
    assert bundle.model_config["extra"] == PolicyRef.model_config["extra"] == "allow"


def test_saving_makes_the_folder_and_returns_the_manifest(tmp_path: Path) -> None:
    """And loading takes either of them."""
    path = Bundle(run={"seed": 1}).save(tmp_path / "new" / "bundle")
    assert path == tmp_path / "new" / "bundle" / "manifest.yaml"
    assert Bundle.load(path) == Bundle.load(path.parent) == Bundle(run={"seed": 1})
    assert Bundle.load(str(path.parent)).run == {"seed": 1}


def test_formats_are_read_as_the_two_protocols() -> None:
    """The words of the manifest become the enumeration."""
    bundle = Bundle.from_dict({"policy": {"format": "checkpoint"}})
    assert bundle.policy.format is WeightsFormat.CHECKPOINT


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ({"version": "new"}, r"version: expected a valid integer.*found 'new'"),
        ({"policy": []}, r"policy: expected .*found an empty list"),
        (
            {"policy": {"format": "pickle"}},
            r"policy\.format: expected 'checkpoint' or 'weights', found 'pickle'",
        ),
        ({"policy": {"kwargs": 1}}, r"policy\.kwargs: expected a valid dictionary, found 1"),
        ({"observation_space": "Box"}, r"observation_space: expected a valid dictionary, found 'Box'"),
        ({"env": None}, r"env: expected a valid dictionary, found nothing"),
    ],
)
def test_a_wrong_value_is_named_with_its_path(data: Any, problem: str) -> None:
    """Expected and found, in one line."""
    with pytest.raises(BundleError, match=problem):
        Bundle.from_dict(data)


def test_a_space_or_reward_that_cannot_be_read_is_named() -> None:
    """The key of the manifest comes first."""
    bundle = Bundle.from_dict(
        {"observation_space": {"type": "Ball"}, "action_space": {}, "reward_spec": {"name": "x"}}
    )
    with pytest.raises(CrlError, match="observation_space: type: expected one of"):
        bundle.observation()
    with pytest.raises(CrlError, match="action_space: "):
        bundle.action()
    with pytest.raises(CrlError, match="version"):
        bundle.reward()


@pytest.mark.parametrize("text", ["- a", "3", "", "a: [", "a: !!python/object:os.system {}", "a: 1\na: 2"])
def test_a_file_that_is_no_manifest_is_refused(tmp_path: Path, text: str) -> None:
    """The error names the file."""
    (tmp_path / "manifest.yaml").write_text(text)
    with pytest.raises(BundleError, match=r"manifest\.yaml"):
        Bundle.load(tmp_path)


def test_a_folder_without_a_manifest_is_no_bundle(tmp_path: Path) -> None:
    """The file that is expected is named."""
    with pytest.raises(
        BundleError, match=r"manifest\.yaml: expected the manifest of a bundle, found no file"
    ):
        Bundle.load(tmp_path)


def test_a_manifest_that_could_not_be_read_again_is_not_written(tmp_path: Path) -> None:
    """Too long or too deep for the reader is an error of the writer, which leaves the old manifest."""
    Bundle().save(tmp_path)
    deep: Any = 1
    for _ in range(100):
        deep = [deep]
    for wrong in ({"long": "x" * (1 << 20)}, {"deep": deep}):
        with pytest.raises(BundleError, match="manifest: expected at most"):
            Bundle(provenance=wrong).save(tmp_path)
    assert Bundle.load(tmp_path) == Bundle()
