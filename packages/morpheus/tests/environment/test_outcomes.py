"""What becomes of actions: rewards, outcomes, refusals and looks, and never an exception."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skyfall_crl.env.morpheus.morpheus_env import MorpheusEnv
from skyfall_crl.env.morpheus.reward_specs import PAPER
from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.ports.tools import ActionOutcome
from skyfall_crl.reward import RewardSpec, RewardTerm

MakeWorld = Callable[..., MorpheusEnv]
VIEWS = ("scheduling-under-drift", "resource-allocation", "tool-call")


def test_the_reward_is_the_weighted_mean_of_the_signals(make_world: MakeWorld) -> None:
    env = make_world()
    env.reset(seed=5)
    generator = random.Random(1)
    for _ in range(300):
        _, reward, _, _, info = env.step(generator.randrange(29))
        signals = env.backend.step_signals(env.world_id).signals  # type: ignore[attr-defined]
        assert info["reward_terms"] == signals
        assert reward == pytest.approx(
            sum(term.weight * signals[term.name] for term in PAPER.terms), abs=1e-12
        )
        assert "reward_missing" not in info


def test_without_a_spec_the_reward_is_zero(make_world: MakeWorld) -> None:
    env = make_world(reward_spec=None)
    env.reset(seed=5)
    results = [env.step(action % 29) for action in range(200)]
    assert {reward for _, reward, *_ in results} == {0.0}
    assert all("reward_terms" not in info for *_, info in results)
    assert "reward_weights" not in env.regime_axes


def test_a_spec_with_a_signal_the_world_does_not_have_is_refused_at_build() -> None:
    spec = RewardSpec("odd", 1, (RewardTerm("profit", 1.0),))
    with pytest.raises(ConfigError, match="profit"):
        MorpheusEnv(SimulatedBackend(), reward_spec=spec)


def test_what_a_remedy_did_is_in_outcome_and_features(make_world: MakeWorld) -> None:
    env = make_world()
    observation, _ = env.reset(seed=3)
    seen: set[str] = set()
    for step in range(400):
        queue = next((q for q in range(7) if observation[11 * q]), None)
        if queue is None:
            observation, *_ = env.step(0)
            continue
        ticket = env.open_world()["board"].queues[queue][0]
        remedy = step % 3
        right = ticket.cause == remedy
        observation, _, _, _, info = env.step(1 + 3 * queue + remedy)
        outcome = info["outcome"]
        assert outcome.accepted
        assert outcome.sent
        assert outcome.tickets == (ticket.ticket_id,)
        assert outcome.verified == ((ticket.ticket_id,) if right else ())
        assert observation[78:80].tolist() == [float(right), float(not right)]
        seen.add("mended" if right else "in vain")
    assert seen == {"mended", "in vain"}


def test_nothing_is_accepted_and_a_remedy_for_nobody_is_no_operation(make_world: MakeWorld) -> None:
    env = make_world()
    env.reset(seed=3)
    assert env.step(0)[4]["outcome"] == ActionOutcome(True)
    assert env.step(1)[4]["outcome"] == ActionOutcome(True, reason="no_operation")


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ({"method": "POST", "path": "/{worldId}/od/descriptors/1/execute", "body": "{}"}, "closed_domain"),
        ({"method": "POST", "path": "/{worldId}/verification/verify-ticket", "body": "{}"}, "closed_domain"),
        ({"method": "GET", "path": "/elsewhere/erp/orders", "body": ""}, "foreign_world"),
        ({"method": "POST", "path": "/{worldId}/erp/orders", "body": "not json"}, "bad_body"),
        ({"method": "BREW", "path": "/{worldId}/erp/orders", "body": ""}, "bad_method"),
        ({"method": "GET", "path": "http://x", "body": ""}, "bad_path"),
        ("gibberish", "bad_method"),
        ({"method": "GET", "path": "/{worldId}/erp/orders/ORDER_99999", "body": ""}, "rejected"),
    ],
)
def test_a_refused_action_is_an_outcome_and_time_goes_on(
    action: Any, reason: str, make_world: MakeWorld
) -> None:
    env = make_world(task_view="tool-call")
    env.reset(seed=1)
    _, _, _, _, info = env.step(action)
    assert not info["outcome"].accepted
    assert info["outcome"].reason == reason
    assert info["outcome"].sent == (reason == "rejected")
    assert info["world_time"] == 30


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    st.lists(
        st.integers(-5, 60)
        | st.none()
        | st.text(max_size=6)
        | st.fixed_dictionaries(
            {}, optional={"method": st.text(max_size=4), "path": st.text(), "body": st.text()}
        ),
        max_size=6,
    ),
    st.sampled_from(VIEWS),
)
def test_no_action_ends_an_episode(make_world: MakeWorld, actions: list[Any], view: str) -> None:
    env = make_world(task_view=view)
    env.reset(seed=1)
    for step, action in enumerate(actions):
        observation, reward, terminated, _, info = env.step(action)
        assert env.observation_space.contains(observation)
        assert 0.0 <= reward <= 1.0
        assert not terminated
        assert info["world_time"] == 30 * (step + 1)


def test_a_narrow_scope_refuses_what_the_view_maps_to_and_a_look_does_not_get_stuck(
    make_world: MakeWorld,
) -> None:
    env = make_world(action_scope={"domains": ["tickets"]})
    env.reset(seed=3)
    for _ in range(60):
        env.step(0)
    queue = next(q for q, tickets in enumerate(env.open_world()["board"].queues) if tickets)
    for action in (22 + queue, 22 + queue, 1 + 3 * queue):
        observation, _, _, _, info = env.step(action)
        assert info["outcome"].reason == "out_of_scope"
        assert observation[80] == 0
        assert info["action_mask"].all()


def test_the_second_step_of_a_look_ignores_its_action(make_world: MakeWorld) -> None:
    env = make_world()
    env.reset(seed=3)
    for _ in range(60):
        env.step(0)
    queue = next(q for q, tickets in enumerate(env.open_world()["board"].queues) if tickets)
    observation, _, _, _, info = env.step(22 + queue)
    assert observation[80] == 1
    assert np.flatnonzero(info["action_mask"]).tolist() == [0]
    tried = [ticket.tried for ticket in env.open_world()["board"].queues[queue]]
    observation, _, _, _, info = env.step(1 + 3 * queue)
    assert [ticket.tried for ticket in env.open_world()["board"].queues[queue]][: len(tried)] == tried
    assert observation[80] == 0
    assert observation[11 * queue + 5 : 11 * queue + 8].sum() == 1
