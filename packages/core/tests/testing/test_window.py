"""Windows for tests of algorithms are those that a run hands over."""

from pathlib import Path

import numpy as np
import pytest

from skyfall_crl.ports import FanOut, Window
from skyfall_crl.ports.environment import capabilities
from skyfall_crl.regime import ConstantRegime
from skyfall_crl.testing import SwitchingBandit, collect_window
from skyfall_crl.testing.comparison import difference
from skyfall_crl.testing.window import small_world
from skyfall_crl.trace import TraceWriter
from skyfall_crl.train.clock import RegimeClock
from skyfall_crl.train.collector import Collector
from skyfall_crl.train.policies import LinearPolicy
from skyfall_crl.train.session import Session

STEPS = 20


def policy() -> LinearPolicy:
    """Return a policy that draws the same actions every time."""
    made = LinearPolicy()
    made.seed(np.random.default_rng(1), np.random.default_rng(2))
    env = SwitchingBandit()
    made.bind(env.observation_space, env.action_space)
    return made


def collected_by_a_session(trace: Path, auto_reset: bool) -> Window:
    """Return the window that training would collect."""
    fanout = FanOut([small_world] * 2)
    with TraceWriter(trace) as writer:
        clock = RegimeClock(ConstantRegime(), capabilities(fanout.environments[0]))
        session = Session(fanout, clock, writer, seeds=[0, 1], auto_reset=auto_reset, persistent=True)
        return Collector(session, policy(), session.open()).collect(STEPS, lambda: False)


@pytest.mark.parametrize("auto_reset", [False, True])
def test_it_is_what_a_session_collects(tmp_path: Path, auto_reset: bool) -> None:
    """Field by field, except that the last row is made one without a reward."""
    expected = collected_by_a_session(tmp_path / "trace.jsonl", auto_reset)
    found = collect_window(policy(), steps=STEPS, auto_reset=auto_reset)
    assert not found.valid[-1].any()
    assert not found.rewards[-1].any()
    for name in ("observations", "infos", "terminated", "truncated", "last_observations", "last_infos"):
        assert difference(getattr(expected, name), getattr(found, name), path=name) is None
    for name in ("rewards", "valid"):
        assert difference(getattr(expected, name)[:-1], getattr(found, name)[:-1], path=name) is None
    assert difference(dict(expected.final_observations), dict(found.final_observations)) is None
    assert bool(found.final_observations) is auto_reset
    actions = [[decision.action for decision in row] for row in found.decisions]
    assert actions == [[decision.action for decision in row] for row in expected.decisions]


def test_its_worlds_are_closed() -> None:
    """Also when the policy fails."""
    made: list[SwitchingBandit] = []

    def make() -> SwitchingBandit:
        made.append(SwitchingBandit(fail_at=3))
        return made[-1]

    with pytest.raises(RuntimeError, match="step 3 fails as asked"):
        collect_window(policy(), make)
    assert [env.closed for env in made] == [True, True]
