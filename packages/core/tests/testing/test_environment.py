"""Every rule for environments of all tiers, broken once by a tiny environment."""

# Broken on purpose, so that the types would complain as well.
# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls
# mypy: disable-error-code="override,arg-type,no-any-return"

import re
import sys
from collections.abc import Callable
from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.wrappers import TimeLimit

from skyfall_crl.ports.tools import ActionOutcome
from skyfall_crl.testing import SwitchingBandit, check_environment


class Coin(gymnasium.Env[Any, Any]):
    """Five throws an episode; guessing right earns 1."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": [], "in_process": True}  # type: ignore[misc]

    def __init__(self) -> None:
        self.observation_space: spaces.Space[Any] = spaces.Box(0.0, 1.0, (2,), np.float32)
        self.action_space = spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.thrown = 0
        return self.look(), {}

    def step(self, action):
        self.thrown += 1
        return self.look(), float(self.np_random.random() < 0.5), self.thrown == 5, False, self.say()

    def look(self) -> Any:
        return np.array([self.thrown / 5, self.np_random.random()], np.float32)

    def say(self) -> dict[str, Any]:
        return {"world_time": self.thrown}


def saying(**info: Any) -> type[Coin]:
    """Return a coin whose steps say more."""
    return type("Saying", (Coin,), {"say": lambda self: info})


def having(base: type, **attributes: Any) -> type:
    """Return a class with other attributes."""
    return type("Having", (base,), attributes)


def deprived() -> Coin:
    coin = Coin()
    del coin.action_space
    return coin


class Reusing(Coin):
    """Gives the same array every time."""

    def look(self):
        self.buffer = getattr(self, "buffer", np.zeros(2, np.float32))
        self.buffer[:] = Coin.look(self)
        return self.buffer


class OwnGenerator(Coin):
    """Draws from a generator that no seed reaches."""

    generator = np.random.default_rng(5)

    def look(self):
        return self.generator.random(2, np.float32)


class ColdReset(Coin):
    """Knows nothing of options."""

    def reset(self, *, seed=None):
        return super().reset(seed=seed)


class Jumping(Coin):
    """Goes on when it should be a number of its own."""

    def step(self, action):
        if self.thrown == 3:
            raise ValueError("the coin is gone")
        return super().step(action)


class Suspicious(Coin):
    """Plays differently under wrappers."""

    def step(self, action):
        observation, reward, *rest = super().step(action)
        wrapped = sys._getframe(1).f_globals["__name__"].startswith("gymnasium")
        return (observation, reward + wrapped, *rest)


UNREWINDABLE = dict.fromkeys(("snapshot", "restore", "fork", "commit", "digest"), property())

BROKEN: dict[str, tuple[Any, str]] = {
    "no factory": (lambda: 1 / 0, "factory: expected a Gymnasium environment, or a function"),
    "no environment": (lambda: 3, "found int 3; derive it from gymnasium.Env"),
    "no space": (deprived, "action_space: expected a Gymnasium space, found NoneType"),
    "a mark in words": (
        having(Coin, metadata={"in_process": "yes"}),
        r"metadata\['in_process'\]: expected a bool",
    ),
    "half a snapshot": (
        having(Coin, snapshot=1, restore=1),
        "without fork, commit, digest runs in this world",
    ),
    "reset without options": (ColdReset, "reset: expected reset.*found TypeError.*accept both keywords"),
    "an exception": (
        Jumping,
        "step 3: expected step to return, found ValueError: the coin is gone; an action of",
    ),
    "one array": (Reusing, "step 0: expected the observation before it to stay as it was"),
    "reset by itself": (
        saying(final_obs=1),
        "expected step not to reset by itself, found 'final_obs' in info",
    ),
    "time backwards": (
        having(Coin, say=lambda self: {"world_time": -self.thrown}),
        r"expected info\['world_time'\] never to go back, found -2 after -1; count up",
    ),
    "own generator": (OwnGenerator, r"repeatability: expected equal rows .*, found start: .*self\.np_random"),
    "suspicious": (Suspicious, r"wrapped: .*\['reward'\].*; don't look at who calls"),
}


@pytest.mark.parametrize(("source", "message"), BROKEN.values(), ids=list(BROKEN))
def test_a_broken_rule_is_named_with_what_was_found(
    source: Any, message: str, complaint: Callable[..., str]
) -> None:
    """The message says where, the rule, what was found, and the likely cause."""
    assert re.search(message, complaint(check_environment, source))


def test_an_environment_that_keeps_the_rules_passes() -> None:
    """As a class, as a function and as an object, of each tier, and with wrappers of its own."""
    for source in (Coin, Coin(), lambda: TimeLimit(Coin(), 4), SwitchingBandit, SwitchingBandit()):
        check_environment(source, steps=12)
    check_environment(lambda: gymnasium.make("CartPole-v1"))
    check_environment(lambda: SwitchingBandit(max_steps=5), tier=3)


def test_an_environment_of_a_factory_is_closed_and_one_handed_in_is_not() -> None:
    """Whoever builds something closes it, also when a rule is broken."""
    made: list[SwitchingBandit] = []

    def make() -> SwitchingBandit:
        made.append(SwitchingBandit())
        return made[-1]

    check_environment(make)
    mine = SwitchingBandit()
    check_environment(mine)
    assert all(env.closed for env in made)
    assert len(made) > 1
    assert not mine.closed


def test_a_tier_that_was_meant_and_is_not_reached_is_named(complaint: Callable[..., str]) -> None:
    """A misspelt attribute would otherwise make a smaller environment that passes."""
    message = complaint(check_environment, having(SwitchingBandit, describe=property()), tier=3)
    assert "tier: expected at least 3, found 1; it lacks describe; one that is misspelt" in message
    assert "it lacks owns_world" in complaint(check_environment, LooseBandit, tier=3)


class LooseBandit(SwitchingBandit):
    """A bandit that owns no world."""

    def __init__(self) -> None:
        super().__init__(max_steps=8)
        del self.owns_world


class TestPersistentWorlds:
    """What a world promises that goes on after an episode."""

    def test_it_steps_on_after_truncation(self, complaint: Callable[..., str]) -> None:
        """The step after one is looked for beyond `steps`, four times as far."""

        def step(self, action):
            if self._steps == 6:
                raise RuntimeError("reset first")
            return SwitchingBandit.step(self, action)

        source = lambda: having(SwitchingBandit, step=step)(max_steps=6)  # noqa: E731
        message = complaint(check_environment, source, steps=3)
        assert (
            "step 6 (after a truncation): expected step to return, found RuntimeError: reset first" in message
        )
        assert "a persistent world steps on after truncation" in message
        assert "step 6 (after" in complaint(check_environment, source, steps=7)

    def test_truncation_does_not_reset_it(self, complaint: Callable[..., str]) -> None:
        """Its time would start over."""

        def step(self, action):
            observation, reward, terminated, truncated, info = SwitchingBandit.step(self, action)
            if truncated:
                self.reset()
            return observation, reward, terminated, truncated, info

        source = lambda: having(SwitchingBandit, step=step)(max_steps=6)  # noqa: E731
        message = complaint(check_environment, source)
        assert "found 1 after 6; truncation ends an episode, not the world; don't reset it there" in message

    def test_equal_seeds_build_equal_worlds(self, complaint: Callable[..., str]) -> None:
        """They are compared between two objects, since a reset doesn't start a world over."""
        draw = np.random.default_rng(3)

        def reset(self, **keywords):
            return SwitchingBandit.reset(self, **{**keywords, "seed": int(draw.integers(1000))})

        source = having(SwitchingBandit, reset=reset)
        assert "repeatability: expected equal rows" in complaint(check_environment, source)

    def test_a_promise_can_be_taken_back(self) -> None:
        """Worlds that chance rules say so, in their metadata or in Gymnasium's spec."""
        check_environment(having(OwnGenerator, metadata={"in_process": True, "nondeterministic": True}))
        check_environment(having(OwnGenerator, metadata={}))
        spec = gymnasium.envs.registration.EnvSpec("acme/Coin-v0", nondeterministic=True)
        check_environment(having(OwnGenerator, spec=spec))

    def test_one_that_keeps_its_own_regime_says_which(self, complaint: Callable[..., str]) -> None:
        """Rows take it from there."""
        silent = having(SwitchingBandit, regime_owner="environment")
        message = complaint(check_environment, silent)
        assert "step 0: expected info['regime_id'] beside regime_owner = 'environment', found none" in message

        def say(self):
            return {**SwitchingBandit._info(self), "regime_id": "a"}

        check_environment(having(silent, _info=say, **UNREWINDABLE))


class TestTaskViews:
    """An environment and its task view."""

    def test_it_is_one(self, complaint: Callable[..., str]) -> None:
        """Something else under this name would be asked to parse texts."""
        assert "task_view: expected a TaskView or None" in complaint(
            check_environment, having(Coin, task_view=1)
        )

    def test_its_spaces_are_the_environments(self, complaint: Callable[..., str], view: Any) -> None:
        """A policy is bound to the environment's, and the view parses into its own."""
        view.action_space = spaces.Discrete(3)
        message = complaint(check_environment, having(Coin, task_view=view))
        assert "task_view.action_space: expected it to be the environment's, found Discrete(2)" in message
        view.action_space, view.observation_space = None, spaces.Discrete(2)
        assert "task_view.observation_space" in complaint(check_environment, having(Coin, task_view=view))

    def test_doing_nothing_is_accepted(self, complaint: Callable[..., str], view: Any) -> None:
        """What can't be parsed lets a step pass; an operation of several steps may finish first."""
        check_environment(having(Coin, task_view=view))
        refused = having(saying(outcome=ActionOutcome(False, reason="rejected")), task_view=view)
        message = complaint(check_environment, refused)
        assert "task_view.no_action: expected it to be accepted, found {'accepted': False" in message
        late = having(refused, say=lambda self: {"outcome": {"accepted": self.thrown > 1}})
        check_environment(late)

    @pytest.fixture
    def view(self) -> Any:
        """A view without spaces of its own, in which nothing is 0."""
        from skyfall_crl.ports import TaskView

        class View(TaskView):
            no_action = 0

            def to_tool_call(self, action, *, world_id, observation=None):
                return None

        return View()
