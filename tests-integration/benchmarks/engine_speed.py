"""How fast the engine of the embedded world runs, against the bare draws of the same orders in the same round.

`draws` is the anchor: it draws the same arrivals and orders and holds each draw against its threshold, no more.
Every round plays the same choices on fresh worlds of one seed. A round's figure is the median over its steps, each
timed alone, so that a step during which the machine did something else does not count.
"""

import argparse
import statistics
from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter_ns

from skyfall_crl.env.morpheus.references.queues import QueueReader
from skyfall_crl.env.morpheus.references.rules import PriorityRule
from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend
from skyfall_crl.env.morpheus.simulation.engine import World
from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.env.morpheus.simulation.layouts import layout_named
from skyfall_crl.env.morpheus.simulation.orders import Arrivals, OrderBook
from skyfall_crl.env.morpheus.views.features import BoardFeatures

SEED = 5
ENGINE_TARGET = 20_000.0
ACT_TARGET_US = 15.0

Choice = tuple[int, int] | None


def hand_rule_choices(layout: Layout, steps: int) -> list[Choice]:
    """Return which remedy the hand rule applies to the head of which queue, step by step."""
    world, rule, features = World(layout, SEED), PriorityRule(QueueReader(layout)), BoardFeatures(layout)
    choices: list[Choice] = []
    for _ in range(steps):
        seen = features.encode(world.board, {}, remedied=False, failed=False, looking=False)
        action = rule.choose(seen.tolist())
        choice = divmod(action - 1, layout.causes) if action else None
        world.begin()
        if choice is not None:
            world.mend(world.board.queues[choice[0]][0], choice[1])
        world.advance()
        choices.append(choice)
    return choices


def bare_draws(layout: Layout, steps: int) -> list[int]:
    """Time the draws alone."""
    arrivals, book = Arrivals(SEED), OrderBook(layout, SEED)
    now = World(layout, SEED).conditions
    number = faults = 0
    taken = []
    for step in range(steps):
        started = perf_counter_ns()
        if arrivals.draw(step) < now.arrival_threshold:
            draws = book.draw(number, step).draws
            number += 1
            for stage, threshold in enumerate(now.faults):
                faults += draws[2 * stage] < threshold
        taken.append(perf_counter_ns() - started)
    return taken


def engine(layout: Layout, choices: Sequence[Choice]) -> list[int]:
    """Time the engine under these choices."""
    world = World(layout, SEED)
    queues = world.board.queues
    taken = []
    for choice in choices:
        started = perf_counter_ns()
        world.begin()
        if choice is not None:
            world.mend(queues[choice[0]][0], choice[1])
        world.advance()
        taken.append(perf_counter_ns() - started)
    return taken


def backend(layout: Layout, choices: Sequence[Choice], what: str) -> list[int]:
    """Time calls of the backend: `act` with the remedies chosen, `read` in their place, or `signals` after each."""
    simulated = SimulatedBackend()
    world_id = simulated.create_world(name="speed", layout=layout.name, seed=SEED)
    taken = []
    for choice in choices:
        queue = () if choice is None else simulated.ticket_board(world_id).queues[choice[0]]
        if choice is None or not queue:
            simulated.advance(world_id)
            continue
        ticket_id = queue[0].ticket_id
        call = layout.look_calls(choice[0], ticket_id)[0]
        if what != "read":
            call = layout.remedy_call(*choice, ticket_id)
        call = call.resolved(world_id)
        started = perf_counter_ns()
        simulated.act(world_id, method=call.method, path=call.path, body=call.body)
        acted = perf_counter_ns()
        simulated.step_signals(world_id)
        taken.append(perf_counter_ns() - acted if what == "signals" else acted - started)
    return taken


def contestants(steps: int) -> dict[str, Callable[[], list[int]]]:
    """Return what is measured, by name."""
    layout = layout_named("process-outbound")
    choices = hand_rule_choices(layout, steps)
    return {
        "draws": partial(bare_draws, layout, steps),
        "engine, nothing done": partial(engine, layout, [None] * steps),
        "engine, hand rule": partial(engine, layout, choices),
        "backend.act, hand rule": partial(backend, layout, choices, "act"),
        "backend.act, reads": partial(backend, layout, choices, "read"),
        "backend.step_signals": partial(backend, layout, choices, "signals"),
    }


def verdict(name: str, micros: Sequence[float]) -> str:
    """Return the target of a row and whether the range reaches it."""
    if name.startswith("engine"):
        met = 1e6 / min(micros) >= ENGINE_TARGET
        return f"target {ENGINE_TARGET:,.0f}/s: {'met' if met else 'MISSED'}"
    if name == "backend.act, hand rule":
        met = min(micros) <= ACT_TARGET_US
        return f"target {ACT_TARGET_US:.0f} us: {'met' if met else 'MISSED'}"
    return ""


def main() -> None:
    """Print medians and ranges over interleaved rounds, as times, rates and multiples of the bare draws."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="at least 7 (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=4_000, help="steps each (default: %(default)s)")
    arguments = parser.parse_args()
    measured = contestants(arguments.steps)
    micros: dict[str, list[float]] = {name: [] for name in measured}
    for _ in range(arguments.rounds):
        for name, measure in measured.items():
            micros[name].append(statistics.median(measure()) / 1e3)
    print(f"one step, {arguments.rounds} rounds of {arguments.steps} steps: median [range]")
    for name, values in micros.items():
        ratios = [value / anchor for value, anchor in zip(values, micros["draws"], strict=True)]
        middle = statistics.median(values)
        print(
            f"{name:24s} {middle:6.2f} us [{min(values):.2f}, {max(values):.2f}]  {1e6 / middle:9,.0f}/s  "
            f"{statistics.median(ratios):5.2f} x draws [{min(ratios):.2f}, {max(ratios):.2f}]  "
            f"{verdict(name, values)}"
        )


if __name__ == "__main__":
    main()
