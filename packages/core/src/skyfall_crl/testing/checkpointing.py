"""Can a learner be stored without pickle, rebuilt from its files, and go on as if nothing had happened."""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from skyfall_crl.ports.algorithm import ResumableAlgorithm, WeightsFormat
from skyfall_crl.ports.errors import CheckpointError
from skyfall_crl.ports.policy import WeightedPolicy
from skyfall_crl.testing.bound_policy import bound
from skyfall_crl.testing.learner import Learner, Workshop
from skyfall_crl.testing.stored_files import check_not_pickled, digests
from skyfall_crl.testing.verdict import broken, shown, surviving, typed

MOST_FILES = 8
"""How many files of a checkpoint are torn, one after the other, at most."""


def check_checkpoint(workshop: Workshop, made: Learner) -> None:
    """Check what a learner that has learned writes, and what can be made of it."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        cause = "write into the directory it is given, which is there"
        with surviving("checkpoint", rule="expected checkpoint(directory) to return", cause=cause):
            written: Any = made.algorithm.checkpoint(folder)
        check_not_pickled(folder, "checkpoint")
        if written is None:
            check_nothing_learned(workshop, made, folder)
            return
        if not isinstance(written, WeightsFormat) or not digests(folder):
            rule = "expected files and their WeightsFormat, or nothing and None"
            found = f"{typed(written)} and {len(digests(folder))} files"
            raise broken("checkpoint", rule=rule, found=found, cause="WeightsFormat is in skyfall_crl.ports")
        check_rebuilt(workshop, made, folder, written)
        if written is WeightsFormat.WEIGHTS:
            check_torn(workshop, made, folder)
            check_resumed(workshop, made, folder)


def check_nothing_learned(workshop: Workshop, made: Learner, folder: Path) -> None:
    """Check that None from `checkpoint` is the truth: no files, and a policy that is as it was."""
    if files := digests(folder):
        found, cause = ", ".join(files), "return the format of what was written"
        raise broken("checkpoint", rule="expected no files beside None", found=found, cause=cause)
    fresh = workshop.learner(1)
    fresh.adopt(made)
    if (changed := workshop.unlike(fresh, made)) is not None:
        rule = "expected a WeightsFormat, since update changed the policy"
        cause = "write the weights, or what was learned is lost with the process"
        raise broken("checkpoint", rule=rule, found=f"None, and {changed}", cause=cause)


def check_rebuilt(workshop: Workshop, made: Learner, folder: Path, written: WeightsFormat) -> None:
    """Check that a policy put together from the files, as the format says, decides as the trained one."""
    if written is WeightsFormat.WEIGHTS:
        rebuilt = workshop.learner(2).bound
        if not isinstance(rebuilt.policy, WeightedPolicy):
            cause = "the format says that the policy is built first and filled by it"
            raise broken("checkpoint", rule="expected a policy with load_weights", found="none", cause=cause)
        cause = "it is called after bind, with the directory that checkpoint wrote to"
        with surviving("load_weights", rule="expected load_weights(directory) to return", cause=cause):
            rebuilt.policy.load_weights(folder)
    else:
        rebuilt = bound(workshop.policy, folder, binding=workshop.binding, seed=2)
    rebuilt.adopt(made.bound)
    if (found := made.bound.unlike(rebuilt, workshop.batch)) is not None:
        rule = f"expected a policy rebuilt from {written.value} to decide as the trained one"
        cause = "something it decides by isn't written, or isn't read"
        raise broken("checkpoint", rule=rule, found=found, cause=cause)


def check_torn(workshop: Workshop, made: Learner, folder: Path) -> None:
    """Check that weights of which half a file is missing are refused whole."""
    for name in list(digests(folder))[:MOST_FILES]:
        with TemporaryDirectory() as copied:
            torn = Path(copied) / "torn"
            shutil.copytree(folder, torn)
            content = (torn / name).read_bytes()
            (torn / name).write_bytes(content[: len(content) // 2])
            _check_refused(workshop, made, torn, f"load_weights with half of {name}")


def _check_refused(workshop: Workshop, made: Learner, torn: Path, where: str) -> None:
    learner, untouched = workshop.learner(2), workshop.learner(2)
    assert isinstance(learner.bound.policy, WeightedPolicy)
    expected, like = "expected CheckpointError", untouched
    cause = "read and check everything before the first weight is changed"
    with surviving(where, rule=expected, cause=cause):
        try:
            learner.bound.policy.load_weights(torn)
            like = made
        except CheckpointError:
            pass
    learner.adopt(like)
    if (found := workshop.unlike(like, learner)) is not None:
        rule = f"{expected}, and weights as they were"
        found = f"{'no error' if like is made else 'the error'}, and {found}"
        raise broken(where, rule=rule, found=found, cause=cause)


def check_resumed(workshop: Workshop, made: Learner, folder: Path) -> None:
    """Check that a learner taken up from its files learns on like the one that was stored."""
    other = workshop.learner(2)
    assert isinstance(other.bound.policy, WeightedPolicy)
    resumable = isinstance(made.algorithm, ResumableAlgorithm)
    if isinstance(made.algorithm, ResumableAlgorithm):
        _save_state(made.algorithm, folder)
    other.bound.policy.load_weights(folder)
    if isinstance(other.algorithm, ResumableAlgorithm):
        _check_no_state(other.algorithm)
        cause = "it is given the directory that save_state wrote to"
        with surviving("load_state", rule="expected load_state(directory) to return", cause=cause):
            other.algorithm.load_state(folder)
    if (found := workshop.update_both(made, other)) is not None:
        rule = "expected a resumed learner to learn like the one that was stored"
        where = "save_state and load_state" if resumable else "checkpoint"
        missing = "they leave" if resumable else "without save_state and load_state, weights leave"
        cause = f"{missing} something out, such as an optimiser's moments or a schedule's count"
        raise broken(where, rule=rule, found=found, cause=cause)


def _save_state(algorithm: ResumableAlgorithm, folder: Path) -> None:
    before = digests(folder)
    cause = "write into the directory it is given"
    with surviving("save_state", rule="expected save_state(directory) to return", cause=cause):
        algorithm.save_state(folder)
    check_not_pickled(folder, "save_state")
    after = digests(folder)
    if overwritten := [name for name in before if after.get(name) != before[name]]:
        rule, cause = (
            "expected the files of checkpoint to stay",
            "both write to one directory; choose another name",
        )
        raise broken("save_state", rule=rule, found=f"another {shown(overwritten)}", cause=cause)


def _check_no_state(algorithm: ResumableAlgorithm) -> None:
    where, rule = "load_state from an empty directory", "expected CheckpointError"
    cause = "a checkpoint may be torn or of another run, so say what is missing"
    with TemporaryDirectory() as empty, surviving(where, rule=rule, cause=cause):
        try:
            algorithm.load_state(Path(empty))
        except CheckpointError:
            return
        raise broken(where, rule=rule, found="none", cause=cause)
