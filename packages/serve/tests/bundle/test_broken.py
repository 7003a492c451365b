"""Broken bundles: weights that are gone, cut, changed or smuggled in are errors that name the file."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from skyfall_crl.ports.errors import CheckpointError, CrlError, PolicyError
from skyfall_crl.serve.bundle import Bundle, MissingCheckpoint, PolicyRef, export_bundle
from skyfall_crl.serve.errors import BundleError
from skyfall_crl.serve.runner import load_policy, serve


def test_a_missing_checkpoint_is_a_missing_file() -> None:
    """Callers may catch it as either."""
    assert issubclass(MissingCheckpoint, FileNotFoundError)
    assert issubclass(MissingCheckpoint, CrlError)


def test_a_bundle_copied_in_part_says_which_folder_is_missing(bundle: Path) -> None:
    """The first of the two ways a bundle can be broken."""
    shutil.rmtree(bundle / "checkpoint")
    found = Bundle.load(bundle)
    for use in (
        lambda: found.checkpoint_path(bundle),
        lambda: load_policy(found, bundle),
        lambda: serve(bundle),
    ):
        with pytest.raises(MissingCheckpoint, match=r"checkpoint: .* the bundle was copied in part"):
            use()


def test_external_weights_that_were_moved_say_where_they_should_be(acme: Any, tmp_path: Path) -> None:
    """The second of the two ways."""
    made = export_bundle(
        tmp_path / "b",
        env=acme.Bare(),
        algorithm=acme.Trainer("weights"),
        policy_id="acme/filled",
        external_checkpoint=tmp_path / "far",
    )
    assert load_policy(made, tmp_path / "b").answer == 7
    (tmp_path / "far").rename(tmp_path / "farther")
    with pytest.raises(MissingCheckpoint, match=r"far: .* moved or deleted"):
        load_policy(made, tmp_path / "b")


def test_weights_that_changed_since_the_export_are_refused(bundle: Path) -> None:
    """One bit is enough."""
    path = bundle / "checkpoint" / "weights.npy"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match=r"weights\.npy: expected the content that was exported"):
        load_policy(Bundle.load(bundle), bundle)


def test_a_file_of_the_weights_that_is_missing_is_named(bundle: Path) -> None:
    """The folder alone is not enough."""
    (bundle / "checkpoint" / "weights.npy").unlink()
    with pytest.raises(
        MissingCheckpoint, match=r"weights\.npy: expected this file of the weights, found none"
    ):
        load_policy(Bundle.load(bundle), bundle)


def test_a_file_that_was_added_to_the_weights_is_refused(bundle: Path) -> None:
    """A loader might pick it up."""
    (bundle / "checkpoint" / "adapter.json").write_text("{}")
    with pytest.raises(CheckpointError, match=r"adapter\.json: expected only what the manifest lists"):
        load_policy(Bundle.load(bundle), bundle)


def test_weights_of_another_shape_never_fill_a_part(bundle: Path, train: Any) -> None:
    """The policy that is rebuilt knows the shape, and refuses another."""
    other = train("other", env={"kwargs": {"features": 5}}) / "bundle"
    shutil.copytree(other / "checkpoint", bundle / "checkpoint", dirs_exist_ok=True)
    found = Bundle.load(bundle)
    found.policy.files = None
    with pytest.raises(CheckpointError, match=r"weights\.npy: expected one float64 vector of"):
        load_policy(found, bundle)


@pytest.mark.parametrize("absent", ["format", "checkpoint"])
def test_half_a_reference_to_weights_is_an_error(bundle: Path, absent: str) -> None:
    """Which half is missing is said."""
    found = Bundle.load(bundle)
    setattr(found.policy, absent, None)
    with pytest.raises(BundleError, match=rf"policy\.{absent}: expected a value"):
        load_policy(found, bundle)


def test_a_bundle_without_weights_never_acts_as_if_it_had_some(acme: Any, tmp_path: Path) -> None:
    """Whether the policy could be filled, or its trainer could not checkpoint, the missing weights are named."""
    with pytest.raises(PolicyError, match="acme/filled: expected weights, found none recorded"):
        load_policy(Bundle(policy=PolicyRef(id="acme/filled")), tmp_path)
    made = export_bundle(
        tmp_path / "b", env=acme.Bare(), algorithm=acme.Trainer(None), policy_id="acme/plain"
    )
    with pytest.raises(
        PolicyError, match=r"acme/plain: expected weights, found none; acme_parts:Trainer trained"
    ):
        load_policy(made, tmp_path / "b")


def test_weights_for_a_policy_that_takes_none_are_an_error(acme: Any, tmp_path: Path) -> None:
    """Built and not filled, it would act untrained."""
    made = export_bundle(
        tmp_path / "b", env=acme.Bare(), algorithm=acme.Trainer("weights"), policy_id="acme/plain"
    )
    with pytest.raises(PolicyError, match=r"acme/plain: expected load_weights"):
        load_policy(made, tmp_path / "b")


def test_a_bundle_that_names_no_policy_is_an_error(tmp_path: Path) -> None:
    """It was exported without an id."""
    with pytest.raises(BundleError, match=r"policy\.id: expected the policy's id, found none"):
        load_policy(Bundle(), tmp_path)


def test_a_bundle_that_records_no_spaces_says_so_when_a_policy_needs_them(tmp_path: Path) -> None:
    """What is missing is in the bundle, not in the policy."""
    with pytest.raises(PolicyError, match="records no observation space and no action space"):
        load_policy(Bundle(policy=PolicyRef(id="random")), tmp_path)


def test_the_recorded_digests_cover_every_file(bundle: Path) -> None:
    """Size and SHA-256, by path."""
    files = Bundle.load(bundle).policy.files
    assert files is not None
    assert set(files) == {"weights.npy"}
    assert files["weights.npy"]["bytes"] == (bundle / "checkpoint" / "weights.npy").stat().st_size
    assert len(json.dumps(files)) < 200
