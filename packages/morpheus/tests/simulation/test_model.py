"""The engine against a slow model of the same world: lists, floats and no calendar."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skyfall_crl.env.morpheus.simulation import World, layout_named
from skyfall_crl.env.morpheus.simulation.orders import Arrivals, OrderBook

DURATIONS = (2, 3, 2, 4, 24, 2, 48)
WEIGHTS = (0.25, 0.5, 0.75, 1.0)


class Model:
    """Every order a dictionary, every step a walk over all of them, in order of their next event."""

    def __init__(self, seed: int, configuration: int, demand: float):
        layout = layout_named("process-outbound")
        self.arrivals, self.book = Arrivals(seed), OrderBook(layout, seed)
        base = (0.85, 0.1125, 0.0375)
        self.mix = [[base[(c - configuration - s) % 3] for c in range(3)] for s in range(7)]
        hot = ((2 * configuration) % 7, (2 * configuration + 1) % 7)
        rates = [4.0 if s in hot else 1.0 for s in range(7)]
        self.rates = [rate / (sum(rates) / 7) for rate in rates]
        self.demand, self.step_number, self.entered, self.events, self.blocked = demand, 0, 0, [], []

    def step(self, action: tuple[int, int]) -> tuple[float, float, float]:
        t, remediation, delivered = self.step_number, 0.0, 0
        queue = [order for order in self.blocked if order["stage"] == action[0]]
        if queue and queue[0]["cause"] == action[1]:
            order = queue[0]
            self.blocked.remove(order)
            remediation = WEIGHTS[order["priority"]] * (1 - (t - order["opened"]) / 96)
            self.events.append((t + 1, order, order["stage"] + 1))
        whole = int(self.demand)
        if self.arrivals.draw(t) < (self.demand - whole) * 2**32:
            whole += 1
        for _ in range(whole):
            drawn = self.book.draw(self.entered, t)
            order = {
                "value": drawn.value_cents / 100,
                "priority": drawn.priority,
                "u": [d / 2**32 for d in drawn.draws],
            }
            self.entered += 1
            self.events.append((t + 1, order, 0))
        for event in [event for event in self.events if event[0] == t]:
            self.events.remove(event)
            delivered += self.enter(event[1], event[2], t)
        self.blocked = [order for order in self.blocked if t - order["opened"] < 96]
        leak = sum(order["value"] * self.rates[order["stage"]] for order in self.blocked)
        self.step_number += 1
        return remediation, 1 - min(1, leak / 60), min(1, delivered / 2)

    def enter(self, order: dict, stage: int, t: int) -> int:
        if stage < 7 and order["u"][2 * stage] < 0.15:
            v, mix = order["u"][2 * stage + 1], self.mix[stage]
            cause = 0 if v < mix[0] else 1 if v < mix[0] + mix[1] else 2
            order.update(stage=stage, opened=t, cause=cause)
            self.blocked.append(order)
        elif stage < 7:
            self.events.append((t + DURATIONS[stage], order, stage + 1))
        return int(stage == 5)


ACTIONS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 2)), min_size=150, max_size=500)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1 << 40), st.integers(0, 2), st.sampled_from([0.7, 1.0, 2.35]), ACTIONS)
def test_the_engine_and_the_model_give_the_same_signals_for_the_same_actions(
    seed: int, configuration: int, demand: float, actions: Sequence[tuple[int, int]]
) -> None:
    layout = layout_named("process-outbound")
    world, model = World(layout, seed), Model(seed, configuration, demand)
    name = "ABC"[configuration]
    world.configure({"cause_mix": name, "payment_terms": name, "demand": demand})
    for queue, remedy in actions:
        world.begin()
        if world.board.queues[queue]:
            world.mend(world.board.queues[queue][0], remedy)
        world.advance()
        assert world.signals() == pytest.approx(model.step((queue, remedy)), abs=1e-5)
