"""The references of the embedded world measured again, beside the numbers the world was designed for.

A number holds when the measured mean is within .02 of the design's. Every reference is run on the same seeds.
"""

import argparse
from statistics import fmean

from skyfall_crl.env.morpheus.references.desk import Desk
from skyfall_crl.env.morpheus.references.insight import informed
from skyfall_crl.env.morpheus.references.measure import REFERENCES, Level, measure
from skyfall_crl.env.morpheus.references.published import published
from skyfall_crl.env.morpheus.simulation.layouts import layout_named

LAYOUT = "process-outbound"
TOLERANCE = 0.02
CONFLICT = 0.55
IDLE, RECOVERY = 500, 100
DESIGN = {
    "do_nothing": (0.069, 0.111, 0.139),
    "random": (0.090, 0.126, 0.146),
    "hand_rule": (0.194, 0.190, 0.197),
    "look_then_fix": (0.247, 0.292, 0.297),
    "counting_rule": (0.570, 0.569, 0.570),
    "informed": (0.574, 0.574, 0.575),
    "sighted": (0.585, 0.585, 0.585),
    "bound": (0.593, 0.593, 0.593),
}


def table(seeds: int, steps: int) -> dict[str, dict[str, Level]]:
    """Return the level of every reference in every configuration."""
    layout = layout_named(LAYOUT)
    return {
        name: {
            configuration.name: measure(
                name,
                layout,
                axes(configuration.name),
                range(seeds),
                steps,
            )
            for configuration in layout.configurations
        }
        for name in REFERENCES
    }


def order_holds(measured: dict[str, dict[str, Level]]) -> bool:
    """Tell whether bound >= sighted >= informed > hand rule > random everywhere, disjoint where > stands."""
    for name in measured["bound"]:
        rows = {reference: levels[name] for reference, levels in measured.items()}
        means = rows["bound"].mean >= rows["sighted"].mean >= rows["informed"].mean
        apart = all(
            rows[upper].mean - rows[upper].half_width > rows[lower].mean + rows[lower].half_width
            for upper, lower in (("informed", "hand_rule"), ("hand_rule", "random"))
        )
        idle = rows["do_nothing"].mean <= rows["random"].mean + rows["random"].half_width
        if not (means and apart and idle):
            return False
    return True


def axes(configuration: str) -> dict[str, str]:
    """Return the axes of a configuration."""
    return {"cause_mix": configuration, "payment_terms": configuration}


def transferred(known: str, at: str, seeds: int, steps: int) -> float:
    """Return the mean reward of the policy informed of one configuration at work in another."""
    layout = layout_named(LAYOUT)
    means = []
    for seed in range(seeds):
        desk = Desk(layout, seed)
        desk.world.configure(axes(known))
        conditions = desk.world.conditions
        desk.world.configure(axes(at))
        means.append(fmean(desk.step(informed(desk.reader, desk.world, conditions)) for _ in range(steps)))
    return fmean(means)


def after_idling(configuration: str, seeds: int) -> tuple[float, float]:
    """Return the informed policy's mean reward in the 100 steps that begin 100 after it takes over, and far later."""
    layout = layout_named(LAYOUT)
    windows = []
    for seed in range(seeds):
        desk = Desk(layout, seed)
        desk.world.configure(axes(configuration))
        for _ in range(IDLE):
            desk.step(0)
        rewards = [desk.step(informed(desk.reader, desk.world)) for _ in range(2_000)]
        windows.append((fmean(rewards[RECOVERY : 2 * RECOVERY]), fmean(rewards[1_000:])))
    return fmean(window[0] for window in windows), fmean(window[1] for window in windows)


def main() -> None:
    """Print one line a reference and configuration, and whether the order of the references holds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10, help="seeds from 0 on (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=2_500, help="steps each (default: %(default)s)")
    arguments = parser.parse_args()
    measured = table(arguments.seeds, arguments.steps)
    shipped = published()[LAYOUT].configurations
    print(
        f"{LAYOUT}: mean reward per step [95 % t-interval over {arguments.seeds} seeds x {arguments.steps} steps]"
    )
    for name, levels in measured.items():
        for design, (configuration, level) in zip(DESIGN[name], levels.items(), strict=True):
            low, high = level.mean - level.half_width, level.mean + level.half_width
            verdict = "within .02" if abs(level.mean - design) <= TOLERANCE else "OUTSIDE .02"
            print(
                f"{configuration} {name:14s} {level.mean:.3f} [{low:.3f}, {high:.3f}]  design {design:.3f}: {verdict}"
                f"  published {shipped[configuration][name].mean:.3f}"
            )
    print(f"order of the references: {'holds' if order_holds(measured) else 'BROKEN'}")
    for at in shipped:
        low, high = shipped[at]["random"].mean, shipped[at]["informed"].mean
        for known in shipped:
            if known != at:
                mean = transferred(known, at, arguments.seeds, arguments.steps)
                norm = (mean - low) / (high - low)
                verdict = "conflict" if norm <= CONFLICT else "TOO CLOSE"
                print(f"informed of {known} at work in {at}: norm {norm:.3f}, at most {CONFLICT}: {verdict}")
        soon, late = after_idling(at, arguments.seeds)
        print(
            f"informed in {at}: {soon:.3f} in steps {RECOVERY} to {2 * RECOVERY} after {IDLE} idle ones, "
            f"{late:.3f} later"
        )


if __name__ == "__main__":
    main()
