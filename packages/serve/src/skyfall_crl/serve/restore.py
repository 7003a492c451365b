"""From a bundle back to its policy: built, bound and filled, or an error that says what is missing."""

from pathlib import Path
from typing import Any

from gymnasium import spaces

from skyfall_crl.ports.algorithm import WeightsFormat
from skyfall_crl.ports.errors import PolicyError
from skyfall_crl.ports.policy import Policy, PrivilegedPolicy, SeededPolicy, WeightedPolicy
from skyfall_crl.ports.task_view import TaskView
from skyfall_crl.registry import resolve
from skyfall_crl.serve.bundle import Bundle, PolicyRef
from skyfall_crl.serve.checkpoint_folder import check_files
from skyfall_crl.serve.errors import BundleError
from skyfall_crl.serve.trust import check_arguments_asked
from skyfall_crl.train.arguments import build_part
from skyfall_crl.train.build import factory_of, looks_inside
from skyfall_crl.train.generators import Generators

Space = spaces.Space[Any]


def restore_policy(
    bundle: Bundle,
    directory: str | Path,
    *,
    observation_space: Space | None,
    action_space: Space | None,
    task_view: TaskView | None,
    generators: Generators,
    trust: bool,
    in_world: bool = True,
) -> Policy:
    """Build the policy, seed it, bind it to the spaces of one world and fill it; to be called where ids are restricted.

    Outside a world nobody knows a task view: a policy that says `needs_task_view` is then left to be bound. Raises
    `BundleError`, `MissingCheckpoint`, `CheckpointError` or `PolicyError`; a policy is whole or it isn't returned.
    """
    reference = bundle.policy
    if reference.id is None:
        raise BundleError("policy.id: expected the policy's id, found none; it was exported without one")
    folder = _weights(bundle, directory, trust)
    policy = _built(reference, reference.id, folder, trust)
    if folder is None:
        _check_needs_none(bundle, policy)
    if isinstance(policy, SeededPolicy):
        policy.seed(generators.get("policy"), generators.get("sampling"))
    if in_world or not getattr(policy, "needs_task_view", False):
        _bind(policy, bundle, observation_space, action_space, task_view)
    if folder is not None and reference.format is WeightsFormat.WEIGHTS:
        if not isinstance(policy, WeightedPolicy):
            raise PolicyError(
                f"{reference.id}: expected load_weights, to take the bundle's weights, found no such method"
            )
        policy.load_weights(folder)
    return policy


def _built(reference: PolicyRef, identifier: str, folder: Path | None, trust: bool) -> Policy:
    """Build what the manifest names, with the checkpoint as first argument where the format says so."""
    resolved = resolve("policies", identifier)
    factory = factory_of(resolved)
    if looks_inside(resolved, factory):
        raise _privileged(identifier)
    if not trust:
        check_arguments_asked(reference.kwargs, "policy.kwargs")
    leading = (folder,) if reference.format is WeightsFormat.CHECKPOINT else ()
    policy: Policy = build_part(factory, reference.kwargs, "policy.kwargs", *leading)
    if not isinstance(policy, Policy):
        raise PolicyError(f"policy.id: expected {identifier} to build a policy with bind and act")
    if isinstance(policy, PrivilegedPolicy):
        raise _privileged(identifier)
    return policy


def _weights(bundle: Bundle, directory: str | Path, trust: bool) -> Path | None:
    """Return the checked folder of the weights, None for a bundle that records none."""
    reference = bundle.policy
    if reference.format is None and reference.checkpoint is None:
        return None
    if reference.format is None or reference.checkpoint is None:
        absent = "format" if reference.format is None else "checkpoint"
        raise BundleError(
            f"policy.{absent}: expected a value beside the other of format and checkpoint, found none"
        )
    if reference.external and reference.files is None and not trust:
        raise BundleError(
            "policy.files: expected digests of weights that are kept outside the bundle, found none"
        )
    folder = bundle.checkpoint_path(directory)
    assert folder is not None
    check_files(folder, reference.files, pickles=trust)
    return folder


def _check_needs_none(bundle: Bundle, policy: Policy) -> None:
    """Refuse a policy that would act as if nothing had trained it."""
    trainer = bundle.policy.trained_by
    if trainer is not None:
        raise PolicyError(
            f"{bundle.policy.id}: expected weights, found none; {trainer} trained it and can't checkpoint, so what it "
            "learnt is not in the bundle"
        )
    if isinstance(policy, WeightedPolicy):
        raise PolicyError(
            f"{bundle.policy.id}: expected weights, found none recorded; without them it would act untrained"
        )


def _bind(
    policy: Policy,
    bundle: Bundle,
    observation_space: Space | None,
    action_space: Space | None,
    task_view: TaskView | None,
) -> None:
    found: Any = (observation_space, action_space)
    try:
        policy.bind(found[0], found[1], task_view)
    except Exception as error:
        absent = [
            name
            for name, space in zip(("observation space", "action space"), found, strict=True)
            if space is None
        ]
        missing = f"; the bundle records no {' and no '.join(absent)}" if absent else ""
        raise PolicyError(
            f"{bundle.policy.id}: can't be bound to the environment's spaces: {type(error).__name__}: {error}{missing}"
        ) from error


def _privileged(identifier: str) -> PolicyError:
    return PolicyError(
        f"{identifier}: looks inside the world, which a served policy can't; it is a reference for training runs"
    )
