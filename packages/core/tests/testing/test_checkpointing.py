"""Every rule for the checkpoints of algorithms, broken once by a tiny learner."""

# Broken on purpose, so that the types would complain as well.
# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls
# mypy: disable-error-code="override,arg-type,no-any-return"

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skyfall_crl.ports import CheckpointError, Decision, WeightsFormat, Window
from skyfall_crl.testing import check_algorithm


class Favourite:
    """Takes the action it likes best; what it likes lies in `weights`, read from JSON."""

    def __init__(self, directory: Path | None = None) -> None:
        self.weights = np.zeros(3)
        if directory is not None:
            self.load_weights(directory)

    def bind(self, observation_space, action_space, task_view=None) -> None:
        pass

    def act(self, batch, infos) -> list[Decision]:
        best = int(self.weights.argmax())
        return [Decision(best, value=float(self.weights[best])) for _ in batch]

    def load_weights(self, directory: Path) -> None:
        try:
            self.weights = np.array(json.loads((directory / "weights.json").read_text()))
        except (OSError, ValueError) as error:
            raise CheckpointError(f"{directory}: {error}") from error


class Forgetful:
    """Moves the value of the action taken towards the reward, in steps that grow smaller; the count isn't stored."""

    def __init__(self, policy: Favourite) -> None:
        self.policy = policy
        self.updates = 0

    def update(self, window: Window) -> Mapping[str, float]:
        self.updates += 1
        for row, valid, decisions in zip(window.rewards, window.valid, window.decisions, strict=True):
            for reward, usable, decision in zip(row, valid, decisions, strict=True):
                if usable:
                    value = self.policy.weights[decision.action]
                    self.policy.weights[decision.action] += (reward - value) / (3 + self.updates)
        return {"value": float(self.policy.weights.max())}

    def checkpoint(self, directory: Path) -> WeightsFormat | None:
        (directory / "weights.json").write_text(json.dumps(self.policy.weights.tolist()))
        return WeightsFormat.WEIGHTS


class Averaging(Forgetful):
    """Stores the count as well."""

    def save_state(self, directory: Path) -> None:
        (directory / "updates.json").write_text(json.dumps(self.updates))

    def load_state(self, directory: Path) -> None:
        try:
            self.updates = json.loads((directory / "updates.json").read_text())
        except OSError as error:
            raise CheckpointError(f"{directory}: {error}") from error


def having(**attributes: Any) -> type[Averaging]:
    """Return an algorithm with other methods."""
    return type("Having", (Averaging,), attributes)


def writing(name: str, content: bytes) -> type[Averaging]:
    """Return an algorithm that writes one more file."""

    def checkpoint(self, directory):
        (directory / name).write_bytes(content)
        return Averaging.checkpoint(self, directory)

    return having(checkpoint=checkpoint)


def fail(*_: Any, **__: Any) -> Any:
    raise OSError("disk full")


class Overwriting(Averaging):
    def save_state(self, directory):
        super().save_state(directory)
        (directory / "weights.json").write_text("[0, 0, 0]")


class Pickling(Averaging):
    def save_state(self, directory):
        super().save_state(directory)
        (directory / "moments.pkl").write_bytes(b"")


class Stale(Averaging):
    """Stores the weights it started with."""

    def __init__(self, policy):
        super().__init__(policy)
        self.first = policy.weights.copy()

    def checkpoint(self, directory):
        (directory / "weights.json").write_text(json.dumps(self.first.tolist()))
        return WeightsFormat.WEIGHTS


class Renouncing(Averaging):
    """Says that there is nothing to write."""

    def checkpoint(self, directory):
        return None


class Idle(Renouncing):
    """Learns nothing."""

    def update(self, window):
        return {}


class Careless(Favourite):
    """Takes half a file for a whole one."""

    def load_weights(self, directory):
        try:
            super().load_weights(directory)
        except CheckpointError:
            if not (directory / "weights.json").exists():
                raise
            self.weights = np.array([0.0, 0.0, 9.0])


class Hasty(Favourite):
    """Forgets its weights before it has others."""

    def load_weights(self, directory):
        self.weights = np.array([0.0, 0.0, 9.0])
        super().load_weights(directory)


class Fixed:
    """A policy that can't be filled."""

    weights = np.zeros(3)
    bind = Favourite.bind
    act = Favourite.act


class Rough(Favourite):
    def load_weights(self, directory):
        self.weights = np.array(json.loads((directory / "weights.json").read_text()))


CHECKPOINT = having(
    checkpoint=lambda self, folder: (Averaging.checkpoint(self, folder), WeightsFormat.CHECKPOINT)[1]
)

BROKEN: dict[str, tuple[Any, Any, str]] = {
    "checkpoint fails": (
        having(checkpoint=fail),
        Favourite,
        r"checkpoint: expected checkpoint\(directory\) to return",
    ),
    "a format in words": (
        having(checkpoint=lambda self, folder: (Averaging.checkpoint(self, folder), "weights")[1]),
        Favourite,
        "expected files and their WeightsFormat, or nothing and None, found str 'weights' and 1 files",
    ),
    "a format of nothing": (
        having(checkpoint=lambda self, folder: WeightsFormat.WEIGHTS),
        Favourite,
        "or nothing and None, found WeightsFormat.* and 0 files",
    ),
    "nothing, and a file": (
        having(checkpoint=lambda self, folder: (Averaging.checkpoint(self, folder), None)[1]),
        Favourite,
        "checkpoint: expected no files beside None, found weights.json",
    ),
    "learned for nothing": (
        Renouncing,
        Favourite,
        "expected a WeightsFormat, since update changed the policy, found N",
    ),
    "pickle by name": (
        writing("optimiser.pkl", b""),
        Favourite,
        "expected no pickle, found the suffix of one in opti",
    ),
    "state by pickle": (
        Pickling,
        Favourite,
        "save_state: expected no pickle, found the suffix of one in moments.pkl",
    ),
    "a policy that can't be filled": (
        Averaging,
        Fixed,
        "checkpoint: expected a policy with load_weights, found none",
    ),
    "weights refused": (
        writing("weights.json", b""),
        type("Refusing", (Favourite,), {"load_weights": fail}),
        r"load_weights: expected load_weights\(directory\) to return, found OSError: disk full",
    ),
    "other weights": (
        Stale,
        Favourite,
        "expected a policy rebuilt from weights to decide as the trained one, found dec",
    ),
    "half a file for a whole": (
        Careless,
        None,
        r"load_weights with half of weights.json: .*found no error, and",
    ),
    "half forgotten": (
        Hasty,
        None,
        r"with half of weights.json: expected CheckpointError, and .*found the error, and",
    ),
    "half and an exception": (
        Rough,
        None,
        "with half of weights.json: expected CheckpointError, found JSONDecodeError",
    ),
    "no factory for a checkpoint": (
        CHECKPOINT,
        lambda: Favourite(),
        r"factory: expected factory\(checkpoint_dir\) to build a policy, found TypeError",
    ),
    "save_state fails": (
        having(save_state=fail),
        Favourite,
        r"save_state: expected save_state\(directory\) to return",
    ),
    "weights overwritten": (
        Overwriting,
        Favourite,
        r"save_state: expected the files of checkpoint to stay, found ano",
    ),
    "load_state fails": (
        having(load_state=fail),
        Favourite,
        "load_state from an empty directory: expected Checkpoin",
    ),
    "no state, no word": (
        having(load_state=lambda self, directory: None),
        Favourite,
        "load_state from an empty directory: expected CheckpointError, found none",
    ),
    "state refused": (
        having(load_state=lambda self, directory: (_ for _ in ()).throw(CheckpointError("not of this run"))),
        Favourite,
        r"load_state: expected load_state\(directory\) to return, found CheckpointError: not of this run",
    ),
    "state left out": (
        having(save_state=lambda self, directory: (directory / "updates.json").write_text("0")),
        Favourite,
        "save_state and load_state: expected a resumed learner to learn like .*; they leave something out",
    ),
    "hidden state": (
        Forgetful,
        Favourite,
        "checkpoint: expected a resumed learner .*without save_state and load_state",
    ),
}


@pytest.mark.parametrize(("factory", "policy", "message"), BROKEN.values(), ids=list(BROKEN))
def test_a_broken_rule_is_named_with_what_was_found(
    factory: Any, policy: Any, message: str, complaint: Callable[..., str]
) -> None:
    """The message says where, the rule, what was found, and the likely cause."""
    if policy is None:
        factory, policy = Averaging, factory
    assert re.search(message, complaint(check_algorithm, factory, policy))


@pytest.mark.parametrize("factory", [Averaging, CHECKPOINT, Idle])
def test_an_algorithm_that_keeps_the_rules_passes(factory: Any) -> None:
    """Of each format, and one that has nothing to write."""
    check_algorithm(factory, Favourite)
