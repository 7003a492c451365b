"""Every rule for worlds that can be put back, broken once by a small world."""

# Broken on purpose, so that the types would complain as well.
# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls
# mypy: disable-error-code="override,arg-type,no-any-return"

import re
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
import pytest
from gymnasium import Wrapper
from gymnasium.wrappers import OrderEnforcing, TimeLimit

from skyfall_crl.ports import Snapshot
from skyfall_crl.testing import SwitchingBandit, check_environment, check_snapshots

NUMBERS = count()


class World(SwitchingBandit):
    """The bandit, whose forks are of its own class."""

    def fork(self):
        copy = type(self)(max_steps=self._max_steps)
        copy.restore(self.snapshot())
        return copy


def having(**attributes: Any) -> type[World]:
    """Return a world with other attributes."""
    return type("Having", (World,), attributes)


def storing(**more: Any) -> type[World]:
    """Return a world that puts more into its snapshots."""

    def snapshot(self):
        taken = World.snapshot(self)
        return Snapshot(taken.kind, taken.version, {**taken.state, **more})

    return having(
        snapshot=snapshot, digest=lambda self: str(self._steps) + str(self.np_random.bit_generator.state)
    )


class Drawing(World):
    """Moves the world by looking at it."""

    def snapshot(self):
        taken = super().snapshot()
        self.np_random.random()
        return taken

    def digest(self):
        return str(self.np_random.bit_generator.state)


class Live(World):
    """Hands out a list that goes on changing."""

    def reset(self, **keywords):
        self.history: list[int] = []
        return super().reset(**keywords)

    def step(self, action):
        self.history.append(int(action))
        return super().step(action)

    def snapshot(self):
        taken = super().snapshot()
        return Snapshot(taken.kind, taken.version, {**taken.state, "history": self.history})

    def digest(self):
        return f"{self._steps} {self._context}"


class Forgetful(World):
    """Doesn't put its generator back, and leaves it out of the digest."""

    def restore(self, snapshot):
        bits = self.np_random.bit_generator.state
        seen = super().restore(snapshot)
        self.np_random.bit_generator.state = bits
        return seen

    def digest(self):
        return f"{self._steps} {self._context} {self._reward}"


class Losing(Forgetful):
    """Loses its generator, which the digest takes in."""

    digest = World.digest


class Looking(World):
    """Returns another observation than the one that was current."""

    def restore(self, snapshot):
        observation, info = super().restore(snapshot)
        return observation * 0, info


class Needy(World):
    """Can only be put back after a reset."""

    ready = False

    def reset(self, **keywords):
        self.ready = True
        return super().reset(**keywords)

    def restore(self, snapshot):
        if not self.ready:
            raise RuntimeError("reset first")
        return super().restore(snapshot)

    def fork(self):
        copy = type(self)(max_steps=self._max_steps)
        copy.reset()
        copy.restore(self.snapshot())
        return copy


class Sharing(World):
    """Forks share a generator with their original."""

    def fork(self):
        copy = super().fork()
        copy.np_random = self.np_random
        return copy


class Pulling(World):
    """The original drags its forks along."""

    def fork(self):
        self.child = super().fork()
        return self.child

    def step(self, action):
        child, self.child = getattr(self, "child", None), None
        if child is not None:
            child.step(action)
        return super().step(action)


class Swapping(World):
    """Commits by giving away its own state."""

    def commit(self, fork):
        mine, theirs = self.snapshot(), fork.snapshot()
        self.restore(theirs)
        fork.restore(mine)


class Clinging(World):
    """A fork that can't be closed."""

    forked = False

    def fork(self):
        copy = super().fork()
        copy.forked = True
        return copy

    def close(self):
        if self.forked:
            raise OSError("still in use")


def fail(*_: Any, **__: Any) -> Any:
    raise OSError("disk full")


BROKEN: dict[str, tuple[Any, str]] = {
    "four methods": (
        having(fork=property()),
        "fork: expected all five snapshot methods, found none of this name",
    ),
    "digest fails": (having(digest=fail), r"digest: expected digest\(\) to return, found OSError"),
    "digest of bytes": (having(digest=lambda self: b"x"), "digest: expected text that is equal exactly when"),
    "digest of a clock": (having(digest=lambda self: str(next(NUMBERS))), "digest: .*found '0', then '1'"),
    "digest of nothing": (
        having(digest=lambda self: "world"),
        "digest: expected another one in another world, found the same after 20 steps",
    ),
    "snapshot fails": (
        having(snapshot=fail, digest=lambda self: str(self._steps)),
        r"snapshot: expected snapshot\(\) to return, found OSError: disk full",
    ),
    "snapshot of a dict": (
        having(snapshot=lambda self: {"steps": self._steps}, digest=lambda self: str(self._steps)),
        "snapshot: expected a Snapshot, found dict",
    ),
    "objects inside": (
        storing(world=World),
        "snapshot.state: expected a mapping of plain data.*found world:",
    ),
    "NaN inside": (storing(level=float("nan")), "snapshot.state: .*found level: expected a finite number"),
    "snapshot draws": (Drawing, "snapshot: expected it to change nothing, found another digest"),
    "a live list": (
        Live,
        "snapshot: expected it to stay as taken, found another content after the world was stepped",
    ),
    "a numpy number": (
        storing(seed=np.float64(2)),
        "snapshot.state: expected JSON to hold it without loss, found TypeE",
    ),
    "restore fails": (having(restore=fail), "expected restore.snapshot. to return, found OSError"),
    "restore returns nothing": (
        having(restore=lambda self, snapshot: None, fork=fail),
        r"restore: expected a tuple \(observation, info\), found NoneType None",
    ),
    "another observation": (Looking, "restore: expected the observation and the info that were current then"),
    "another digest": (Losing, "restore: expected the digest of the snapshot's world"),
    "other rows": (Forgetful, "restore: expected equal rows for equal actions, found .*store the generators"),
    "a reset before": (
        Needy,
        "restore in a second environment: expected restore.*found RuntimeError: reset first",
    ),
    "a wrapper that wants a reset": (
        lambda: OrderEnforcing(World()),
        "step after restore in a second environment, 0: .*ResetNeeded.*stepped without a reset, which wrappers",
    ),
    "fork fails": (having(fork=fail), r"fork: expected fork\(\) to return, found OSError"),
    "fork moves the original": (
        Sharing,
        "fork: expected the original to stay as it was, found '.*after the fork was",
    ),
    "original moves the fork": (
        Pulling,
        "fork: expected the .* to stay as it was, found another digest after the or",
    ),
    "fork not closed": (
        Clinging,
        r"fork: expected close\(\) of a fork to return, found OSError: still in use",
    ),
    "commit fails": (having(commit=fail), r"commit: expected commit\(fork\) to return, found OSError"),
    "commit does nothing": (
        having(commit=lambda self, fork: None),
        "commit: .*found another one in the environment",
    ),
    "commit swaps": (
        Swapping,
        "commit: expected the fork's digest in both afterwards, found another one in the fork",
    ),
}


@pytest.mark.parametrize(("source", "message"), BROKEN.values(), ids=list(BROKEN))
def test_a_broken_rule_is_named_with_what_was_found(
    source: Any, message: str, complaint: Callable[..., str]
) -> None:
    """The message says where, the rule, what was found, and the likely cause."""
    assert re.search(message, complaint(check_snapshots, source))


def test_a_world_that_keeps_the_rules_passes() -> None:
    """As a class, as an object, and inside a wrapper that keeps nothing to itself."""
    for source in (World, World(), lambda: Wrapper(World()), TimeLimit(World(), 1000)):
        check_snapshots(source)
    check_snapshots(Needy())


def test_an_environment_is_checked_for_them_where_it_offers_them(complaint: Callable[..., str]) -> None:
    """The check of the environment includes this one."""
    message = complaint(check_environment, having(commit=lambda self, fork: None))
    assert message.startswith("commit: expected the fork's digest in both afterwards")


def test_the_id_of_a_fork_may_stand_in_its_observations() -> None:
    """A copy of a world has a name of its own, which texts may hold."""
    check_snapshots(Named)


class Named(World):
    """A world that is called something, and says so."""

    def __init__(self, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.world_id = f"world-{next(NUMBERS)}"

    def _info(self):
        return {**super()._info(), "outcome": {"accepted": True, "path": [f"/{self.world_id}/orders"]}}
