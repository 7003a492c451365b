"""Reference policies in real environments: ordinary ones see features, privileged ones the engine."""

from statistics import fmean
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from skyfall_crl.env.morpheus.factory import world
from skyfall_crl.env.morpheus.morpheus_env import MorpheusEnv
from skyfall_crl.env.morpheus.references import (
    CountingRule,
    DoNothing,
    HandRule,
    Informed,
    LookThenFix,
    Sighted,
)
from skyfall_crl.env.morpheus.references.desk import Desk
from skyfall_crl.env.morpheus.references.insight import informed, sighted
from skyfall_crl.env.morpheus.references.queues import QueueReader
from skyfall_crl.env.morpheus.references.rules import CountingIndexRule, LookRule, NothingRule, PriorityRule
from skyfall_crl.env.morpheus.simulation import layout_named
from skyfall_crl.ports.errors import PolicyError
from skyfall_crl.ports.policy import Policy, PrivilegedPolicy, StatefulPolicy

LAYOUT = layout_named("process-outbound")
READER = QueueReader(LAYOUT)
POLICIES = (DoNothing, HandRule, LookThenFix, CountingRule, Informed, Sighted)
STEPS = 250


def bound(policy: Any, environments: list[MorpheusEnv]) -> Any:
    if isinstance(policy, PrivilegedPolicy):
        for environment in environments:
            policy.attach(environment)
    policy.bind(environments[0].observation_space, environments[0].action_space, environments[0].task_view)
    return policy


def lived(policy_class: type, seeds: list[int], steps: int = STEPS) -> list[list[float]]:
    """Return the rewards of each world, worked in one batch."""
    environments = [world(seed=seed) for seed in seeds]
    observations = [
        environment.reset(seed=seed)[0] for environment, seed in zip(environments, seeds, strict=True)
    ]
    policy = bound(policy_class(), environments)
    rewards: list[list[float]] = [[] for _ in seeds]
    for _ in range(steps):
        decisions = policy.act(observations, [{}] * len(seeds))
        for place, environment in enumerate(environments):
            observations[place], reward, *_ = environment.step(decisions[place].action)
            rewards[place].append(float(reward))
    for environment in environments:
        environment.close()
    return rewards


def at_desk(policy_class: type, seed: int, steps: int = STEPS) -> list[float]:
    """Return the rewards of the same policy worked on the engine itself."""
    desk = Desk(LAYOUT, seed)
    rules = {DoNothing: NothingRule(), HandRule: PriorityRule(READER), LookThenFix: LookRule(READER)}
    rule = rules.get(policy_class, CountingIndexRule(READER))
    insight = {Informed: informed, Sighted: sighted}.get(policy_class)
    return [
        desk.step(insight(READER, desk.world) if insight else rule.choose(desk.features()))
        for _ in range(steps)
    ]


@pytest.mark.parametrize("policy_class", POLICIES)
def test_a_policy_in_the_environment_earns_what_its_rule_earns_at_the_engine(policy_class: type) -> None:
    (rewards,) = lived(policy_class, [3])
    assert rewards == pytest.approx(at_desk(policy_class, 3))


@pytest.mark.parametrize("policy_class", POLICIES)
def test_worlds_of_a_batch_do_not_disturb_each_other(policy_class: type) -> None:
    together = lived(policy_class, [1, 2, 3], 120)
    assert together == [lived(policy_class, [seed], 120)[0] for seed in (1, 2, 3)]


@pytest.mark.parametrize("policy_class", POLICIES)
def test_every_policy_keeps_the_port(policy_class: type) -> None:
    policy = policy_class()
    assert isinstance(policy, Policy)
    assert isinstance(policy, PrivilegedPolicy) is (policy_class in (Informed, Sighted))


def test_knowing_more_earns_more() -> None:
    means = {
        cls: fmean(map(fmean, lived(cls, [5, 6], 400))) for cls in (DoNothing, HandRule, Informed, Sighted)
    }
    assert means[Sighted] > means[Informed] > means[HandRule] > means[DoNothing]


@pytest.mark.parametrize("policy_class", [HandRule, LookThenFix, CountingRule, Informed, Sighted])
def test_other_spaces_are_refused_with_what_was_expected(policy_class: type) -> None:
    features = spaces.Box(0, 1, (81,), np.float32)
    with pytest.raises(PolicyError, match=r"expected the actions Discrete\(29\) .* found Discrete\(4\)"):
        policy_class().bind(features, spaces.Discrete(4))
    if policy_class not in (Informed, Sighted):
        with pytest.raises(PolicyError, match="expected the 81 features"):
            policy_class().bind(spaces.Box(0, 1, (4,), np.float32), spaces.Discrete(29))


def test_only_embedded_worlds_can_be_looked_into() -> None:
    class Elsewhere:
        unwrapped = "a cart and a pole"

    with pytest.raises(PolicyError, match="expected an embedded MORPHEUS world"):
        Informed().attach(Elsewhere())


def test_a_privileged_policy_wants_one_observation_for_each_world_it_was_attached_to() -> None:
    environment = world(seed=1)
    environment.reset()
    policy = bound(Sighted(), [environment])
    with pytest.raises(PolicyError, match="expected a batch of the 1 attached worlds, found 2"):
        policy.act([None, None], [{}, {}])


def test_a_privileged_policy_follows_its_environment_into_a_new_world() -> None:
    environment = world(seed=1)
    environment.reset()
    policy = bound(Sighted(), [environment])
    environment.reset(seed=9, options={"reprovision": True})
    for _ in range(60):
        observation, *_ = environment.step(policy.act([None], [{}])[0].action)
    assert environment.backend.engine(environment.world_id).seed == 9
    assert observation.shape == (81,)


def test_counters_survive_a_resume() -> None:
    desk = Desk(LAYOUT, 4)
    features = []
    for _ in range(300):
        seen = np.array(desk.features(), np.float32)
        features.append(seen)
        desk.step(PriorityRule(READER).choose(desk.features()))
    whole, resumed = CountingRule(), CountingRule()
    assert isinstance(whole, StatefulPolicy)
    for seen in features[:150]:
        whole.act([seen], [{}])
    resumed.restore(whole.state())
    for seen in features[150:]:
        assert whole.act([seen], [{}])[0].action == resumed.act([seen], [{}])[0].action


def test_a_look_takes_two_steps_and_then_the_cause_is_known() -> None:
    desk = Desk(LAYOUT, 4)
    while not desk.world.board.queues[0]:
        desk.step(0)
    fault = desk.world.board.queues[0][0]
    desk.step(READER.look(0))
    assert READER.looking(desk.features())
    other = next(queue for queue in desk.world.board.queues if queue)[0]
    desk.step(READER.remedy(other.symptom, other.cause))
    assert not desk.world.remedied
    assert not READER.looking(desk.features())
    head = next(READER.heads(desk.features()))
    assert (head.symptom, head.known) == (0, fault.cause)
