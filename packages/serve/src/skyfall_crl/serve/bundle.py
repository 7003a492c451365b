"""A trained policy, described well enough to be used somewhere else: a folder with a manifest and the weights."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from gymnasium import spaces
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from skyfall_crl.ports.algorithm import Algorithm, WeightsFormat
from skyfall_crl.ports.document import MAX_BYTES, dump_yaml, parse_yaml, read_yaml
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.ports.fields import describe
from skyfall_crl.reward import RewardSpec
from skyfall_crl.serve.checkpoint_folder import locate, record_files, write_weights
from skyfall_crl.serve.errors import BundleError, MissingCheckpoint, UnsupportedSpace
from skyfall_crl.serve.record import asked, plain_arguments, provenance, recorded_space
from skyfall_crl.serve.spaces import space_from_dict
from skyfall_crl.train.directory import write_atomically

__all__ = [
    "CHECKPOINT_DIRNAME",
    "MANIFEST_NAME",
    "Bundle",
    "MissingCheckpoint",
    "PolicyRef",
    "WeightsFormat",
    "export_bundle",
]

MANIFEST_NAME = "manifest.yaml"
CHECKPOINT_DIRNAME = "checkpoint"
MAX_LEVELS = 64


class PolicyRef(BaseModel):
    """How to get the trained policy back.

    `id` and `kwargs` are those of a config's policy section. `format` says how the weights go in, None that there
    are none. `checkpoint` is a path inside the bundle, or an absolute one where `external` is set; `files` has size
    and SHA-256 of each file in it. `trained_by` is the class of the algorithm, None for a policy that nothing trained.
    """

    model_config = ConfigDict(extra="allow")

    id: str | None = None
    kwargs: dict[str, Any] = Field(default_factory=dict)
    format: WeightsFormat | None = None
    checkpoint: str | None = None
    external: bool = False
    files: dict[str, dict[str, Any]] | None = None
    trained_by: str | None = None


class Bundle(BaseModel):
    """A policy, the spaces and the reward it was trained with, and where it comes from, as one document.

    Keys this version doesn't know are kept, so that a later manifest survives an earlier reader. What the
    environment didn't supply is None or empty. `provenance["describe"]` is what the environment said of itself, as
    it said it; a `reward_spec` in there is not `reward_spec`.
    """

    model_config = ConfigDict(extra="allow")

    version: int = 1
    policy: PolicyRef = Field(default_factory=PolicyRef)
    observation_space: dict[str, Any] | None = None
    action_space: dict[str, Any] | None = None
    reward_spec: dict[str, Any] | None = None
    env: dict[str, Any] = Field(default_factory=dict)
    regime: dict[str, Any] = Field(default_factory=dict)
    run: dict[str, Any] = Field(default_factory=dict)
    provenance: dict[str, Any] = Field(default_factory=dict)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Bundle":
        """Return the bundle of a manifest's data; raises `BundleError` with the key path, expected and found."""
        _check_levels(data)
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            at = ".".join(map(str, first["loc"])) or "manifest"
            expected = first["msg"].removeprefix("Input should be ")
            raise BundleError(f"{at}: expected {expected}, found {describe(first['input'])}") from None

    def to_dict(self) -> dict[str, Any]:
        """Return the manifest's data, unknown keys included; `from_dict` reads it back."""
        return self.model_dump(mode="json")

    @classmethod
    def from_yaml(cls, text: str) -> "Bundle":
        """Return the bundle of a manifest's text, of which only plain data within bounds is read."""
        return cls._read(lambda: parse_yaml(text, MANIFEST_NAME))

    def to_yaml(self) -> str:
        """Return the manifest's text; raises `BundleError` for one that `from_yaml` would refuse."""
        data = self.to_dict()
        _check_levels(data)
        text = dump_yaml(data)
        if len(text.encode("utf-8", "replace")) > MAX_BYTES:
            raise BundleError(
                f"manifest: expected at most {MAX_BYTES} bytes, found more; shorten what it describes"
            )
        return text

    def save(self, directory: str | Path) -> Path:
        """Write the manifest into `directory`, made where it is absent, and return the manifest's path."""
        path = Path(directory) / MANIFEST_NAME
        text = self.to_yaml()
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text.encode())
        return path

    @classmethod
    def load(cls, directory: str | Path) -> "Bundle":
        """Read a bundle from its directory, or from its manifest; raises `BundleError`."""
        path = _manifest_in(Path(directory))
        if not path.resolve().is_relative_to(path.parent.resolve()):
            raise BundleError(f"{path}: expected a manifest inside the bundle, found a link out of it")
        return cls._read(lambda: read_yaml(path), f"{path}: ")

    def observation(self) -> spaces.Space[Any] | None:
        """Return the recorded observation space, None where the environment declared none."""
        return _space(self.observation_space, "observation_space")

    def action(self) -> spaces.Space[Any] | None:
        """Return the recorded action space, None where the environment declared none."""
        return _space(self.action_space, "action_space")

    def reward(self) -> RewardSpec | None:
        """Return the spec the policy was trained under, before any shift; None where there was none."""
        return None if self.reward_spec is None else RewardSpec.from_mapping(self.reward_spec)

    def checkpoint_path(self, directory: str | Path) -> Path | None:
        """Return where the weights are, for a bundle in `directory`; None where none were recorded.

        Raises `MissingCheckpoint` when they aren't there, and `BundleError` for a path that leads out of a bundle
        which says that it is complete in itself.
        """
        if self.policy.checkpoint is None:
            return None
        folder = Path(directory)
        folder = folder.parent if folder.is_file() else folder
        return locate(self.policy.checkpoint, folder, external=self.policy.external)

    @classmethod
    def _read(cls, read: Callable[[], object], source: str = "") -> "Bundle":
        try:
            data = read()
        except ConfigError as error:
            raise BundleError(str(error)) from None
        if not isinstance(data, Mapping):
            raise BundleError(f"{source or 'manifest: '}expected a mapping, found {describe(data)}")
        try:
            return cls.from_dict(data)
        except BundleError as error:
            raise BundleError(f"{source}{error}") from None


def export_bundle(
    destination: str | Path,
    *,
    env: Any,
    algorithm: Algorithm | None = None,
    policy_id: str | None = None,
    policy_kwargs: Mapping[str, Any] | None = None,
    env_id: str | None = None,
    env_kwargs: Mapping[str, Any] | None = None,
    reward_spec: RewardSpec | None = None,
    regime: Mapping[str, Any] | None = None,
    run: Mapping[str, Any] | None = None,
    external_checkpoint: str | Path | None = None,
    env_axes: Mapping[str, Any] | None = None,
) -> Bundle:
    """Write a bundle of the policy that `algorithm` trained in `env`, while both are alive.

    `policy_id`, `policy_kwargs`, `env_id`, `env_kwargs`, `env_axes`, `regime` and `run` are what a run's config says
    in its sections, secrets by reference. `reward_spec` defaults to the environment's own. With
    `external_checkpoint` the weights go to that folder and the manifest records its absolute path: smaller, and not
    portable. Without an algorithm, or with one that can't checkpoint, the bundle records everything but weights.

    The manifest is written last, so a folder with one is complete; an older bundle at `destination` is replaced.
    Raises `UnsupportedSpace`, `ConfigError` for arguments that aren't plain data or hold a secret in clear, and
    `BundleError` when something else lies in the way; nothing is written then.
    """
    target = Path(destination)
    policy = PolicyRef(id=policy_id, kwargs=plain_arguments(policy_kwargs, "policy_kwargs"))
    environment = (
        {"id": env_id, "kwargs": plain_arguments(env_kwargs, "env_kwargs")} if env_id or env_kwargs else {}
    )
    if env_axes:
        environment["axes"] = plain_arguments(env_axes, "env_axes")
    spec = reward_spec if reward_spec is not None else asked(env, "reward_spec")
    bundle = Bundle(
        policy=policy,
        observation_space=recorded_space(env, "observation_space"),
        action_space=recorded_space(env, "action_space"),
        reward_spec=spec.to_mapping() if isinstance(spec, RewardSpec) else None,
        env=environment,
        regime=plain_arguments(regime, "regime"),
        run=plain_arguments(run, "run"),
        provenance=provenance(env),
    )
    bundle.to_yaml()
    before = Bundle.load(target).policy.checkpoint if (target / MANIFEST_NAME).is_file() else None
    if algorithm is not None:
        _write_weights(bundle.policy, algorithm, target, external_checkpoint, before)
    bundle.save(target)
    if before == CHECKPOINT_DIRNAME != bundle.policy.checkpoint:
        shutil.rmtree(target / CHECKPOINT_DIRNAME, ignore_errors=True)
    return bundle


def _write_weights(
    policy: PolicyRef, algorithm: Algorithm, target: Path, external: str | Path | None, before: str | None
) -> None:
    """Write the weights and note where they are; `before` is the checkpoint of the bundle that is replaced."""
    kind = type(algorithm)
    policy.trained_by = f"{kind.__module__}:{kind.__qualname__}"
    folder = target / CHECKPOINT_DIRNAME if external is None else Path(external).resolve()
    recorded = CHECKPOINT_DIRNAME if external is None else str(folder)
    policy.format = write_weights(algorithm, folder, replace=before == recorded)
    if policy.format is not None:
        policy.checkpoint, policy.external = recorded, external is not None
        policy.files = record_files(folder)


def _space(data: Mapping[str, Any] | None, name: str) -> spaces.Space[Any] | None:
    try:
        return space_from_dict(data)
    except UnsupportedSpace as error:
        raise UnsupportedSpace(f"{name}: {error}") from None


def _manifest_in(path: Path) -> Path:
    path = path if path.is_file() else path / MANIFEST_NAME
    if not path.is_file():
        raise BundleError(f"{path}: expected the manifest of a bundle, found no file")
    return path


def _check_levels(data: object) -> None:
    """Raise `BundleError` for data nested deeper than a manifest's reader takes; no recursion."""
    waiting = [(data, 1)]
    while waiting:
        value, level = waiting.pop()
        if level > MAX_LEVELS:
            raise BundleError(f"manifest: expected at most {MAX_LEVELS} levels, found more")
        if isinstance(value, Mapping):
            waiting += [(item, level + 1) for item in value.values()]
        elif isinstance(value, list | tuple):
            waiting += [(item, level + 1) for item in value]
