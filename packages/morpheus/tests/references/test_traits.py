"""The level whose causes hang on the kind of order: what its worlds are, who does well there, and who does not."""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import Any

import numpy as np
import pytest

from skyfall_crl.env.morpheus.factory import world as environment_of
from skyfall_crl.env.morpheus.references import CountingRule, Informed, TraitCounting
from skyfall_crl.env.morpheus.references.desk import Desk
from skyfall_crl.env.morpheus.references.insight import informed
from skyfall_crl.env.morpheus.references.measure import Level, measure, references_of
from skyfall_crl.env.morpheus.references.queues import QueueReader
from skyfall_crl.env.morpheus.references.rules import CountingIndexRule, TraitCountingRule
from skyfall_crl.env.morpheus.simulation import layout_named, snapshot
from skyfall_crl.env.morpheus.simulation.axes import completed, conditions
from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.ports.policy import Policy, StatefulPolicy

PLAIN, LEVEL = layout_named("process-outbound"), layout_named("process-outbound/evidence")
SEEDS, STEPS = range(4), 800
CONFIGURATIONS = ("A", "B", "C")


def axes(configuration: str) -> dict[str, str]:
    return {"cause_mix": configuration, "payment_terms": configuration}


def worked(layout: Layout, seed: int, steps: int) -> Desk:
    """Return a desk after steps of the informed policy."""
    desk = Desk(layout, seed)
    for _ in range(steps):
        desk.step(informed(desk.reader, desk.world))
    return desk


@pytest.fixture(scope="module")
def levels() -> dict[str, dict[str, Level]]:
    """Each configuration's references at a few seeds."""
    names = ("random", "counting_rule", "trait_counting_rule", "informed")
    return {
        at: {name: measure(name, LEVEL, axes(at), SEEDS, STEPS) for name in names} for at in CONFIGURATIONS
    }


def test_equal_seeds_give_equal_worlds_and_snapshots_hold_traits() -> None:
    first, second = (worked(LEVEL, 3, 400).world for _ in range(2))
    assert snapshot.digest(first) == snapshot.digest(second)
    again = snapshot.build(snapshot.take(first))
    assert snapshot.digest(again) == snapshot.digest(first)
    kept, built = ([f.traits for f in w.blocked.values()] for w in (first, again))
    assert kept == built != []


def test_orders_meet_the_faults_of_the_plain_level_and_only_their_causes_are_turned() -> None:
    plain, level = (Desk(layout, 8).world for layout in (PLAIN, LEVEL))
    turned = 0
    for _ in range(300):
        for each in (plain, level):
            each.begin()
            each.advance()
        for one, other in zip(plain.blocked.values(), level.blocked.values(), strict=True):
            assert (one.ticket_id, one.priority, one.value_cents) == (
                other.ticket_id,
                other.priority,
                other.value_cents,
            )
            assert other.cause == (one.cause + other.turn) % 3
            turned += other.turn > 0
    assert turned > 100
    assert plain.obligations.leak == level.obligations.leak


def test_the_likely_cause_follows_the_trait_that_the_stage_hangs_on() -> None:
    desk = Desk(LEVEL, 5)
    desk.world.configure({"cause_mix": "A", "fault_probability": 0.5, "demand": 3})
    seen: dict[tuple[int, int], Counter[int]] = {}
    for _ in range(900):
        desk.world.begin()
        desk.world.advance()
        for fault in desk.world.blocked.values():
            if fault.opened_step == desk.world.board.step - 1:
                places = LEVEL.turned_by[fault.symptom]
                value = fault.traits[places[0]] if places else 0
                seen.setdefault((fault.symptom, value), Counter())[fault.cause] += 1
    assert len([key for key in seen if key[0] == 3]) == 3
    for (symptom, value), causes in seen.items():
        if causes.total() > 50:
            assert causes.most_common(1)[0][0] == (symptom + value) % 3


def test_values_of_traits_are_equally_likely_and_independent() -> None:
    world = Desk(LEVEL, 1).world
    orders = [world.draw_order(number, 0) for number in range(5_400)]
    kinds = Counter(order.traits for order in orders)
    assert len(kinds) == 27
    assert all(140 < count < 265 for count in kinds.values())


def test_counting_without_reading_tickets_stays_below_informed_with_disjoint_intervals(
    levels: dict[str, dict[str, Level]],
) -> None:
    for rows in levels.values():
        counted, known = rows["counting_rule"], rows["informed"]
        assert counted.mean + counted.half_width < known.mean - known.half_width
        assert rows["random"].mean + rows["random"].half_width < counted.mean - counted.half_width


def test_counting_by_kind_of_order_does_better_than_counting(levels: dict[str, dict[str, Level]]) -> None:
    for rows in levels.values():
        by_kind, counted = rows["trait_counting_rule"], rows["counting_rule"]
        assert all(more > less for more, less in zip(by_kind.means, counted.means, strict=True))
        assert by_kind.mean < rows["informed"].mean


@pytest.mark.parametrize("known", CONFIGURATIONS)
def test_knowing_another_configuration_is_worth_little(
    known: str, levels: dict[str, dict[str, Level]]
) -> None:
    believed = conditions(LEVEL, completed(LEVEL, axes(known)))
    for at in set(CONFIGURATIONS) - {known}:
        means = []
        for seed in SEEDS:
            desk = Desk(LEVEL, seed)
            desk.world.configure(axes(at))
            means.append(fmean(desk.step(informed(desk.reader, desk.world, believed)) for _ in range(STEPS)))
        low, high = levels[at]["random"].mean, levels[at]["informed"].mean
        assert (fmean(means) - low) / (high - low) <= 0.55


def test_where_orders_have_no_traits_counting_by_kind_is_counting() -> None:
    assert "trait_counting_rule" in references_of(LEVEL)
    assert "trait_counting_rule" not in references_of(PLAIN)
    kinds = measure("trait_counting_rule", PLAIN, {}, range(2), 300)
    assert kinds == measure("counting_rule", PLAIN, {}, range(2), 300)


def lived(policy: Any, steps: int) -> list[float]:
    """Return the rewards of a policy in an environment of the level."""
    environment = environment_of(layout=LEVEL.name, seed=6)
    observation, _ = environment.reset(seed=6)
    if isinstance(policy, Informed):
        policy.attach(environment)
    policy.bind(environment.observation_space, environment.action_space, environment.task_view)
    rewards = []
    for _ in range(steps):
        observation, reward, *_ = environment.step(policy.act([observation], [{}])[0].action)
        rewards.append(float(reward))
    environment.close()
    return rewards


@pytest.mark.parametrize("policy_class", [CountingRule, TraitCounting, Informed])
def test_a_policy_in_the_environment_earns_what_its_rule_earns_at_the_engine(policy_class: type) -> None:
    policy = policy_class(layout=LEVEL.name)
    assert isinstance(policy, Policy)
    desk, reader = Desk(LEVEL, 6), QueueReader(LEVEL)
    rule = {CountingRule: CountingIndexRule, TraitCounting: TraitCountingRule}.get(policy_class)
    chosen = rule(reader) if rule else None
    expected = [
        desk.step(chosen.choose(desk.features()) if chosen else informed(reader, desk.world))
        for _ in range(250)
    ]
    assert lived(policy, 250) == pytest.approx(expected)


def test_counters_by_kind_survive_a_resume() -> None:
    desk, features = Desk(LEVEL, 4), list[Sequence[float]]()
    for _ in range(300):
        features.append(np.array(desk.features(), np.float32))
        desk.step(informed(desk.reader, desk.world))
    whole, resumed = TraitCounting(LEVEL.name), TraitCounting(LEVEL.name)
    assert isinstance(whole, StatefulPolicy)
    for seen in features[:150]:
        whole.act([seen], [{}])
    resumed.restore(whole.state())
    for seen in features[150:]:
        assert whole.act([seen], [{}])[0].action == resumed.act([seen], [{}])[0].action
