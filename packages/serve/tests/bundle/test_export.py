"""Exporting writes one folder that holds the weights and all that is needed to use them elsewhere."""

import json
import shutil
from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from skyfall_crl.ports.errors import ConfigError, PolicyError
from skyfall_crl.reward import RewardSpec, RewardTerm
from skyfall_crl.serve.bundle import (
    CHECKPOINT_DIRNAME,
    MANIFEST_NAME,
    Bundle,
    WeightsFormat,
    export_bundle,
)
from skyfall_crl.serve.errors import BundleError, UnsupportedSpace

SPEC = RewardSpec("declared-in-place", 3, (RewardTerm("hit", 0.7, {"capacity": 4}), RewardTerm("miss", 0.3)))


class Described(gymnasium.Env[Any, Any]):
    """An environment that says something of itself, with a name for its reward in it."""

    observation_space = spaces.Box(0, 1, (2,))
    action_space = spaces.Discrete(2)
    reward_spec = SPEC

    def describe(self) -> Mapping[str, Any]:
        return {"reward_spec": "paper", "size": np.int64(3), "bound": float("inf"), "part": Path("a/b")}


class Silent(Described):
    """An environment whose description fails."""

    def describe(self) -> Mapping[str, Any]:
        raise OSError("no answer")


def test_a_bundle_is_a_folder_with_a_manifest_beside_its_weights(bundle: Path) -> None:
    """The manifest stores a relative path and says that the bundle is complete in itself."""
    assert (MANIFEST_NAME, CHECKPOINT_DIRNAME) == ("manifest.yaml", "checkpoint")
    assert sorted(path.name for path in bundle.iterdir()) == ["checkpoint", "manifest.yaml"]
    found = Bundle.load(bundle)
    assert found.policy.checkpoint == "checkpoint"
    assert found.policy.external is False
    assert (bundle / "checkpoint" / "weights.npy").is_file()


def test_a_moved_bundle_finds_its_weights(bundle: Path, tmp_path: Path) -> None:
    """It can be moved and archived as one object."""
    archive = shutil.make_archive(str(tmp_path / "packed"), "zip", bundle)
    shutil.rmtree(bundle)
    moved = tmp_path / "elsewhere"
    shutil.unpack_archive(archive, moved)
    assert Bundle.load(moved).checkpoint_path(moved) == moved / "checkpoint"


def test_an_external_checkpoint_is_recorded_absolutely_and_nothing_is_copied(
    acme: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The weights go to the path given, and the manifest says that they are outside."""
    monkeypatch.chdir(tmp_path)
    made = export_bundle(
        tmp_path / "b", env=acme.Bare(), algorithm=acme.Trainer("weights"), external_checkpoint="far/weights"
    )
    assert made.policy.external is True
    assert made.policy.checkpoint == str(tmp_path / "far" / "weights")
    assert [path.name for path in (tmp_path / "b").iterdir()] == ["manifest.yaml"]
    assert (tmp_path / "far" / "weights" / "answer.json").is_file()
    assert made.checkpoint_path(tmp_path / "b") == tmp_path / "far" / "weights"


def test_a_tier_1_environment_that_declares_nothing_exports_and_says_so(acme: Any, tmp_path: Path) -> None:
    """No spaces, no reward and no description are recorded as absent and never invented."""
    made = export_bundle(
        tmp_path / "b", env=acme.Bare(), algorithm=acme.Trainer("weights"), env_id="acme/bare"
    )
    found = Bundle.load(tmp_path / "b")
    assert found == made
    assert found.observation_space is found.action_space is found.reward_spec is None
    assert (found.observation(), found.action(), found.reward()) == (None, None, None)
    assert found.provenance["describe"] == {"reported": False}
    assert found.env == {"id": "acme/bare", "kwargs": {}}


def test_a_reward_spec_survives_by_value(tmp_path: Path) -> None:
    """A spec declared in place is under no registered name and in no file."""
    export_bundle(tmp_path / "b", env=Described())
    assert Bundle.load(tmp_path / "b").reward() == SPEC
    other = RewardSpec("other", 1, (RewardTerm("hit", 1.0),))
    export_bundle(tmp_path / "c", env=Described(), reward_spec=other)
    assert Bundle.load(tmp_path / "c").reward() == other


def test_a_shifted_reward_is_stored_unshifted(train: Callable[..., Path]) -> None:
    """The axis that lays weights over the spec leaves the stored spec as it was."""
    schedule = {
        "shift_mode": "abrupt",
        "regimes": [{"regime_id": "A", "axes": {"reward_weights": {"hit": 9.0}}}],
    }
    run = train(regime={"params": {"schedule": schedule}, "on_mismatch": "record"})
    spec = Bundle.load(run / "bundle").reward()
    assert spec is not None
    assert [term.weight for term in spec.terms] == [1.0]


def test_what_an_environment_says_of_itself_is_kept_as_it_was_said(tmp_path: Path) -> None:
    """Under a key of its own, in which a name of a reward isn't the bundle's reward."""
    export_bundle(tmp_path / "b", env=Described())
    found = Bundle.load(tmp_path / "b")
    assert found.provenance["describe"] == {
        "reward_spec": "paper",
        "size": 3,
        "bound": None,
        "part": "a/b",
    }
    assert found.reward_spec == SPEC.to_mapping()


def test_a_description_that_fails_is_recorded_as_not_reported(tmp_path: Path) -> None:
    """The weights are worth more than the description."""
    export_bundle(tmp_path / "b", env=Silent())
    said = Bundle.load(tmp_path / "b").provenance["describe"]
    assert said == {"reported": False, "problem": "describe: OSError: no answer"}


def test_a_backend_that_cannot_checkpoint_still_exports(acme: Any, tmp_path: Path) -> None:
    """Spaces, reward and provenance are recorded, with no weights, and who trained it."""
    made = export_bundle(
        tmp_path / "b", env=Described(), algorithm=acme.Trainer(None), policy_id="acme/plain"
    )
    assert made.policy.format is None
    assert made.policy.checkpoint is None
    assert made.policy.trained_by == "acme_parts:Trainer"
    assert made.observation() == Described.observation_space
    assert made.checkpoint_path(tmp_path / "b") is None
    assert [path.name for path in (tmp_path / "b").iterdir()] == ["manifest.yaml"]


def test_every_argument_lands_where_the_page_says(acme: Any, tmp_path: Path) -> None:
    """Policy and environment are named the way a config names them; regime and run are kept as given."""
    regime = {"provider": "constant", "params": {"regime": "A"}, "later": 1}
    export_bundle(
        tmp_path / "b",
        env=acme.Bare(),
        algorithm=acme.Trainer("checkpoint", 4),
        policy_id="acme/whole",
        policy_kwargs={"scale": 2},
        env_id="acme/bare",
        env_kwargs={"ends_after": (3)},
        regime=regime,
        run={"seed": 8},
    )
    found = Bundle.load(tmp_path / "b")
    assert (found.policy.id, found.policy.kwargs) == ("acme/whole", {"scale": 2})
    assert found.policy.format is WeightsFormat.CHECKPOINT
    assert found.env == {"id": "acme/bare", "kwargs": {"ends_after": 3}}
    assert (found.regime, found.run) == (regime, {"seed": 8})
    assert set(found.provenance) == {"created", "python", "versions", "describe"}


def test_weights_formats_are_text(acme: Any) -> None:
    """Two of them, which compare equal to the words in a manifest."""
    assert issubclass(WeightsFormat, str)
    assert issubclass(WeightsFormat, Enum)
    assert [form.value for form in WeightsFormat] == ["checkpoint", "weights"]
    assert WeightsFormat.CHECKPOINT == "checkpoint"
    assert WeightsFormat.WEIGHTS == "weights"


def test_the_manifest_is_written_last_and_nothing_is_left_of_a_failed_export(
    acme: Any, tmp_path: Path
) -> None:
    """A trainer that dies half-way leaves no bundle."""

    class Dying(acme.Trainer):  # type: ignore[misc]
        def checkpoint(self, directory: Path) -> Any:
            super().checkpoint(directory)
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        export_bundle(tmp_path / "b", env=acme.Bare(), algorithm=Dying("weights"))
    assert list((tmp_path / "b").iterdir()) == []


def test_a_new_export_replaces_the_old_one_whole(acme: Any, tmp_path: Path) -> None:
    """The weights and their digests change together; weights that went elsewhere leave none behind."""
    for answer in (1, 2):
        export_bundle(tmp_path / "b", env=acme.Bare(), algorithm=acme.Trainer("weights", answer))
    assert json.loads((tmp_path / "b" / "checkpoint" / "answer.json").read_text()) == 2
    for _ in range(2):
        export_bundle(
            tmp_path / "b",
            env=acme.Bare(),
            algorithm=acme.Trainer("weights"),
            external_checkpoint=tmp_path / "far",
        )
    assert [path.name for path in (tmp_path / "b").iterdir()] == ["manifest.yaml"]


@pytest.mark.parametrize("external", [None, "taken"])
def test_what_lies_in_the_way_is_never_deleted(acme: Any, tmp_path: Path, external: str | None) -> None:
    """A folder with something else in it is refused, wherever the weights should go."""
    taken = tmp_path / ("taken" if external else "b/checkpoint")
    taken.mkdir(parents=True)
    (taken / "thesis.tex").write_text("years of work")
    with pytest.raises(BundleError, match="expected a new folder for the weights"):
        export_bundle(
            tmp_path / "b",
            env=acme.Bare(),
            algorithm=acme.Trainer("weights"),
            external_checkpoint=None if external is None else tmp_path / external,
        )
    assert (taken / "thesis.tex").read_text() == "years of work"


def test_a_trainer_that_claims_weights_and_writes_none_is_an_error(acme: Any, tmp_path: Path) -> None:
    """An empty folder would look like a checkpoint."""

    class Boasting(acme.Trainer):  # type: ignore[misc]
        def checkpoint(self, directory: Path) -> Any:
            return WeightsFormat.WEIGHTS

    with pytest.raises(PolicyError, match="expected files of format weights, found none written"):
        export_bundle(tmp_path / "b", env=acme.Bare(), algorithm=Boasting("weights"))


def test_a_space_that_cannot_be_recorded_stops_the_export_before_anything_is_written(
    acme: Any, tmp_path: Path
) -> None:
    """Recording another space than the one trained in would be worse."""

    class Own(spaces.Discrete):
        pass

    env = acme.Bare()
    env.action_space = Own(2)
    with pytest.raises(UnsupportedSpace, match=r"action_space: .* found Own"):
        export_bundle(tmp_path / "b", env=env, algorithm=acme.Trainer("weights"))
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize("kwargs", [{"a": object()}, {"a": float("nan")}, {1: 2}])
def test_arguments_have_to_be_plain_data(acme: Any, tmp_path: Path, kwargs: Any) -> None:
    """What a file can't hold is refused with its key path."""
    with pytest.raises(ConfigError, match="env_kwargs"):
        export_bundle(tmp_path / "b", env=acme.Bare(), env_kwargs=kwargs)


def test_secrets_stay_references(acme: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reference is written as it is; a value in clear is refused."""
    monkeypatch.setenv("CANARY_TOKEN", "tweet-tweet")
    given = {"headers": {"Authorization": "Bearer ${env:CANARY_TOKEN}"}, "token": "${file:/run/token}"}
    export_bundle(tmp_path / "b", env=acme.Bare(), env_kwargs=given, policy_kwargs={"api_key": "${env:K}"})
    text = (tmp_path / "b" / "manifest.yaml").read_text()
    assert "tweet-tweet" not in text
    assert Bundle.load(tmp_path / "b").env["kwargs"] == given
    with pytest.raises(ConfigError, match=r"policy_kwargs\.api_key: expected a secret by reference"):
        export_bundle(tmp_path / "c", env=acme.Bare(), policy_kwargs={"api_key": "tweet-tweet"})
