"""Whether a level deserves to be a benchmark: order of the references, effort, conflict, learners, and no hangover.

Each line gives a figure, what it is held against and a verdict. Every policy is run on the same seeds.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import fmean

from _level_learners import scored, trained

from skyfall_crl.env.morpheus.references.desk import Desk
from skyfall_crl.env.morpheus.references.insight import informed
from skyfall_crl.env.morpheus.references.measure import Level, half_width, measure, references_of
from skyfall_crl.env.morpheus.references.published import published
from skyfall_crl.env.morpheus.references.rules import CountingIndexRule, TraitCountingRule
from skyfall_crl.env.morpheus.simulation.axes import Conditions, completed, conditions
from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.env.morpheus.simulation.layouts import layout_named, layout_names

INFORMED_EFFORT, BLIND_EFFORT = 0.95, 1.2
CONFLICT, HOME, AWAY, BLIND = 0.55, 0.9, 0.4, 0.7
IDLE, RECOVERY, WINDOW, RECOVERED = 500, 100, 300, 0.95
SCRIPTED_BLIND = ("hand_rule", "look_then_fix")
COUNTING = {"counting_rule": CountingIndexRule, "trait_counting_rule": TraitCountingRule}
SETTLED, AFTER = 4_000, 500


@dataclass
class Trial:
    """What is being tried, on what, and the lines that did not hold."""

    layout: Layout
    seeds: range
    steps: int
    failed: list[str] = field(default_factory=list)
    levels: dict[str, dict[str, Level]] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The configurations by name."""
        return [configuration.name for configuration in self.layout.configurations]

    def norm(self, mean: float, at: str) -> float:
        """Return a mean reward on the scale where random is 0 and informed 1."""
        low, high = self.levels[at]["random"].mean, self.levels[at]["informed"].mean
        return (mean - low) / (high - low)

    def judge(self, line: str, holds: bool) -> None:
        """Print a line with its verdict."""
        print(f"{'holds ' if holds else 'BROKEN'}  {line}", flush=True)
        if not holds:
            self.failed.append(line)


def axes(configuration: str) -> dict[str, str]:
    """Return the axes of a configuration."""
    return {"cause_mix": configuration, "payment_terms": configuration}


def measured(trial: Trial) -> None:
    """Measure and print every reference in every configuration, beside what was published of it."""
    table = published().get(trial.layout.name)
    for at in trial.names:
        rows = trial.levels[at] = {}
        for name in references_of(trial.layout):
            rows[name] = level = measure(name, trial.layout, axes(at), trial.seeds, trial.steps)
            shipped = table.configurations[at].get(name) if table else None
            said = f"  published {shipped.mean:.3f}" if shipped else ""
            print(f"        {at} {name:19} {level.mean:.3f} +- {level.half_width:.3f}{said}", flush=True)


def order(trial: Trial) -> None:
    """Judge bound >= sighted >= informed > hand rule > random, and that doing nothing is no better than random."""
    for at, rows in trial.levels.items():
        for upper, lower in (("bound", "sighted"), ("sighted", "informed")):
            pairs = [high - low for high, low in zip(rows[upper].means, rows[lower].means, strict=True)]
            line = f"{at}: {upper} less {lower}, in pairs: {fmean(pairs):+.4f} +- {half_width(pairs):.4f}, at least 0"
            trial.judge(line, fmean(pairs) >= 0)
        for upper, lower in (("informed", "hand_rule"), ("hand_rule", "random")):
            low = rows[upper].mean - rows[upper].half_width
            high = rows[lower].mean + rows[lower].half_width
            trial.judge(f"{at}: {upper} from {low:.3f} on, {lower} up to {high:.3f}: disjoint", low > high)
        idle, most = rows["do_nothing"].mean, rows["random"].mean + rows["random"].half_width
        trial.judge(f"{at}: do_nothing {idle:.3f}, at most random and its interval {most:.3f}", idle <= most)


def effort(trial: Trial) -> None:
    """Judge how many steps of work a step brings: for whoever knows the configuration, for others, and by looking."""
    layout = trial.layout
    held = [conditions(layout, completed(layout, axes(name))) for name in trial.names]
    for name, known in zip(trial.names, held, strict=True):
        load = _load(known, [_attempts(row) for row in known.cause_mix])
        trial.judge(
            f"{name}: informed effort {load:.3f} per step, at most {INFORMED_EFFORT}", load <= INFORMED_EFFORT
        )
    columns = zip(*(known.cause_mix for known in held), strict=True)
    blurred = [_attempts([fmean(chances) for chances in zip(*rows, strict=True)]) for rows in columns]
    looking = [1.0 + layout.look_steps] * len(layout.symptoms)
    for what, attempts in (("uninformed", blurred), ("looking", looking)):
        load = _load(held[0], attempts)
        trial.judge(f"{what} effort {load:.3f} per step, at least {BLIND_EFFORT}", load >= BLIND_EFFORT)


def conflict(trial: Trial) -> None:
    """Judge the policy informed of one configuration at work in each other."""
    for known in trial.names:
        believed = conditions(trial.layout, completed(trial.layout, axes(known)))
        for at in trial.names:
            if at != known:
                norm = trial.norm(fmean(_informed(trial, seed, at, believed) for seed in trial.seeds), at)
                trial.judge(
                    f"informed of {known} at work in {at}: norm {norm:.3f}, at most {CONFLICT}",
                    norm <= CONFLICT,
                )


def counting(trial: Trial) -> None:
    """Print how rules that count fare; with traits, counting without them has to stay behind."""
    for name in COUNTING:
        if name not in references_of(trial.layout):
            continue
        norms = [trial.norm(trial.levels[at][name].mean, at) for at in trial.names]
        line = f"{name}: norm {', '.join(f'{norm:.3f}' for norm in norms)} in {', '.join(trial.names)}"
        if name == "counting_rule" and trial.layout.traits:
            rows = trial.levels.values()
            apart = [row["informed"].mean - row["informed"].half_width for row in rows]
            trial.judge(
                f"{line}; its interval below that of informed",
                all(
                    row[name].mean + row[name].half_width < low for row, low in zip(rows, apart, strict=True)
                ),
            )
        else:
            print(f"        {line}", flush=True)


def catching_up(trial: Trial) -> None:
    """Print how rules that count fare after a shift, by windows of steps: what an adaptive learner is held against."""
    names = trial.names
    for name, rule in COUNTING.items():
        if name in references_of(trial.layout):
            windows = [
                [trial.norm(mean, at) for mean in _shifted(trial, rule, names[place - 1], at, seed)]
                for place, at in enumerate(names)
                for seed in trial.seeds
            ]
            norms = ", ".join(f"{fmean(column):.3f}" for column in zip(*windows, strict=True))
            print(f"        {name} after a shift, by {AFTER} steps: norm {norms}", flush=True)


def _shifted(trial: Trial, rule: type[CountingIndexRule], before: str, at: str, seed: int) -> list[float]:
    desk = Desk(trial.layout, seed)
    chosen = rule(desk.reader)
    rewards = []
    for configuration, steps in ((before, SETTLED), (at, 4 * AFTER)):
        desk.world.configure(axes(configuration))
        rewards = [desk.step(chosen.choose(desk.features())) for _ in range(steps)]
    return [fmean(rewards[first : first + AFTER]) for first in range(0, len(rewards), AFTER)]


def blindness(trial: Trial, learner_seeds: range, learner_steps: int) -> None:
    """Judge policies that know no configuration: scripted ones, and PPO trained while regimes change by the window."""
    found = {
        name: fmean(trial.norm(trial.levels[at][name].mean, at) for at in trial.names)
        for name in SCRIPTED_BLIND
    }
    names = trial.names
    for seed in learner_seeds:
        norms = _learner(trial, lambda window: axes(names[window % len(names)]), learner_steps, seed)
        print(f"        regime-blind PPO, seed {seed}: {_listed(norms)}", flush=True)
        found[f"PPO of seed {seed}"] = fmean(norms.values())
    for name, norm in found.items():
        trial.judge(f"regime-blind {name}: norm {norm:.3f} on average, at most {BLIND}", norm <= BLIND)


def specialists(trial: Trial, learner_seeds: range, learner_steps: int) -> None:
    """Judge PPO trained in one configuration: at home on average of its seeds, and away wherever it learnt its home."""
    for home in trial.names:
        at_home = []
        for seed in learner_seeds:
            norms = _learner(trial, lambda window, home=home: axes(home), learner_steps, seed)
            at_home.append(norms[home])
            away = max(norm for at, norm in norms.items() if at != home)
            line = f"PPO of {home}, seed {seed}: {_listed(norms)}; away at most {AWAY}"
            if norms[home] >= HOME:
                trial.judge(line, away <= AWAY)
            else:
                print(f"        {line}, had it learnt its home", flush=True)
        trial.judge(
            f"PPO of {home} at home: norm {fmean(at_home):.3f} on average, at least {HOME}",
            fmean(at_home) >= HOME,
        )


def hangover(trial: Trial) -> None:
    """Judge the informed policy after idle steps, and at a shift, against the same worlds without either."""
    names = trial.names
    for place, at in enumerate(names):
        calm = [_after(trial, seed, at, at, idle=False) for seed in trial.seeds]
        idled = [_after(trial, seed, at, at, idle=True) for seed in trial.seeds]
        shifted = [_after(trial, seed, names[place - 1], at, idle=False) for seed in trial.seeds]
        for what, found in ((f"{RECOVERY} steps after {IDLE} idle ones", idled), ("at a shift", shifted)):
            first = RECOVERY if found is idled else 0
            got, usual = (fmean(fmean(run[first : first + WINDOW]) for run in runs) for runs in (found, calm))
            share = trial.norm(got, at) / trial.norm(usual, at)
            line = f"{at}: informed, {what}: {got:.3f} over {WINDOW} steps, {usual:.3f} without"
            trial.judge(f"{line}: share of norm {share:.3f}, at least {RECOVERED}", share >= RECOVERED)


def _after(trial: Trial, seed: int, before: str, at: str, *, idle: bool) -> list[float]:
    """Return the rewards of the informed policy from step IDLE on, having worked or idled `before`."""
    desk = Desk(trial.layout, seed)
    desk.world.configure(axes(before))
    for _ in range(IDLE):
        desk.step(0 if idle else informed(desk.reader, desk.world))
    desk.world.configure(axes(at))
    return [desk.step(informed(desk.reader, desk.world)) for _ in range(RECOVERY + WINDOW)]


def _attempts(chances: list[float] | tuple[float, ...]) -> float:
    return sum(place * chance for place, chance in enumerate(sorted(chances, reverse=True), start=1))


def _load(known: Conditions, attempts: list[float]) -> float:
    arriving = known.arrivals + known.arrival_threshold / 2**32
    return arriving * sum(
        chance / 2**32 * tries for chance, tries in zip(known.faults, attempts, strict=True)
    )


def _informed(trial: Trial, seed: int, at: str, believed: Conditions) -> float:
    desk = Desk(trial.layout, seed)
    desk.world.configure(axes(at))
    return fmean(desk.step(informed(desk.reader, desk.world, believed)) for _ in range(trial.steps))


def _learner(
    trial: Trial, schedule: Callable[[int], dict[str, str]], learner_steps: int, seed: int
) -> dict[str, float]:
    policy = trained(trial.layout, schedule, learner_steps, seed)
    return {
        at: trial.norm(fmean(scored(trial.layout, policy, axes(at), trial.seeds, trial.steps)), at)
        for at in trial.names
    }


def _listed(norms: dict[str, float]) -> str:
    return "norm " + ", ".join(f"{norm:.3f} in {at}" for at, norm in norms.items())


def main() -> None:
    """Try one layout, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--layout", choices=layout_names(), help="which one (default: all)")
    parser.add_argument("--seeds", type=int, default=30, help="seeds from 0 on (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=2_500, help="steps each (default: %(default)s)")
    parser.add_argument(
        "--learners", type=int, default=1, help="learners of each kind (default: %(default)s)"
    )
    parser.add_argument(
        "--learner-steps", type=int, default=250_000, help="their steps (default: %(default)s)"
    )
    given = parser.parse_args()
    for name in [given.layout] if given.layout else layout_names():
        trial = Trial(layout_named(name), range(given.seeds), given.steps)
        print(
            f"{name}: mean reward per step and norm, {given.seeds} seeds x {given.steps} steps, 95 % t-intervals"
        )
        measured(trial)
        for judgement in (order, effort, conflict, counting, catching_up, hangover):
            judgement(trial)
        learners = range(given.learners)
        blindness(trial, learners, given.learner_steps)
        if learners:
            specialists(trial, learners, given.learner_steps)
        print(f"{name}: {len(trial.failed)} lines broken", *trial.failed, sep="\n  ", flush=True)


if __name__ == "__main__":
    main()
