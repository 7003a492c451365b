"""The tables of a report, as cells of text that a page only has to lay out."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from skyfall_crl.metrics.formulas import REASONS
from skyfall_crl.metrics.score import Score
from skyfall_crl.report.cells import Cell, Column, Table, normalised, score_cell
from skyfall_crl.report.palette import identity_colours
from skyfall_crl.report.panels import outcome_kinds
from skyfall_crl.report.scores import IdentityScores, Scores, Visit
from skyfall_crl.report.series import RunSeries
from skyfall_crl.report.wording import change, count, level, plural, share, spoken

TOP_ACTIONS = 8
_NO_BREAK = "\N{NO-BREAK SPACE}"
_NOTHING = Score(reason="no_reward")


def identity_table(scores: Scores, series: RunSeries) -> Table:
    """One row for each identity, and one over all of them."""
    colours = identity_colours(series.identities)
    rows = []
    for identity, found in scores.identities.items():
        visits = [visit for visit in scores.visits if visit.identity == identity]
        each = " a world" if len(series.worlds) > 1 else ""
        stay = f"{plural(len(visits), 'visit')}, {plural(sum(visit.steps for visit in visits), 'step')}{each}"
        name = Cell(identity, stay, swatch=colours.get(identity, ""))
        rows.append([name, *_scored(found, found.scores.get("reward_mean", _NOTHING))])
    total = len(rows) > 1
    if total:
        everything = IdentityScores(scores.overall, None, None)
        rows.append([Cell("All", "identities alike"), *_scored(everything, scores.overall["reward_macro"])])
    return Table(_identity_columns(scores), rows, total)


def visit_table(scores: Scores, series: RunSeries) -> Table:
    """One row for each visit, in order, over the worlds."""
    colours = identity_colours(series.identities)
    columns = (
        Column("Visit", number=False),
        Column("Steps", "First and last step of each world.", number=False),
        Column("Mean reward", "Mean of every reward in the visit.", "higher"),
        Column("First window", f"Mean of the first {scores.window} steps."),
        Column("End level", "Mean of the last tenth of the visit.", "higher"),
        Column("Change at shift", "First window minus the level at which the visit before ended."),
        Column("Adaptation", _adaptation(scores), "lower"),
        Column("Recovery", _recovery(scores), "lower"),
        Column("Spread", _SPREAD, "lower"),
    )
    return Table(columns, [_visit(visit, colours) for visit in scores.visits])


def outcome_table(series: RunSeries) -> Table:
    """What became of the actions of the whole run, coloured as in the figure."""
    columns = (Column("Outcome", number=False), Column("Steps"), Column("Share"))
    kinds = outcome_kinds(series)
    rows = [
        [Cell(kind.title, swatch=kind.colour), Cell(count(kind.steps)), Cell(share(kind.steps, series.rows))]
        for kind in kinds
    ]
    return Table(columns, rows)


def action_table(series: RunSeries, names: Sequence[str] | None) -> Table | None:
    """The most frequent discrete actions and their share in each identity; None where actions are not numbers.

    `names` are what the environment calls its actions, by number.
    """
    if not series.actions:
        return None
    overall: Counter[int] = Counter()
    for counts in series.actions.values():
        overall.update(counts)
    several = len(series.actions) > 1
    columns = [Column("Action", number=False), Column("Steps"), Column("Share")]
    columns += [Column(f"in {identity}") for identity in series.actions if several]
    top = sorted(overall, key=lambda action: (-overall[action], action))[:TOP_ACTIONS]
    rows = [_action(_named(action, names), [action], overall, series.actions) for action in top]
    further = [action for action in overall if action not in top]
    if further:
        rows.append(_action(f"{plural(len(further), 'other action')}", further, overall, series.actions))
    return Table(columns, rows)


_SPREAD = "Standard deviation of the windows in the second half of a visit."


def _adaptation(scores: Scores) -> str:
    return (
        f"Steps from a shift until a window of {scores.window} steps first lies {scores.rho:.0%} of the way up from "
        f"{scores.lower_title} to {scores.upper_title}. Visits that never got there count as longer than they "
        "lasted; the number is then a median."
    )


def _recovery(scores: Scores) -> str:
    return (
        f"Steps into a revisit until {scores.rho:.0%} of what was lost since the last visit's end is back; "
        "0 where nothing was lost."
    )


def _identity_columns(scores: Scores) -> tuple[Column, ...]:
    lower, upper = scores.lower_title, scores.upper_title
    return (
        Column("Configuration", number=False),
        Column("Mean reward", "Mean of every reward outside drifts.", "higher"),
        Column("End level", "Mean of the last tenth of a visit, over visits.", "higher"),
        Column(lower.capitalize(), f"Lower reference ({scores.lower_source})."),
        Column(upper.capitalize(), f"Upper reference ({scores.upper_source})."),
        Column("Score", f"Mean reward on a scale where {lower} is 0 and {upper} is 1.", "higher"),
        Column("Gap", f"{upper.capitalize()} minus mean reward.", "lower"),
        Column("Adaptation", _adaptation(scores), "lower"),
        Column("Recovery", _recovery(scores), "lower"),
        Column(
            "Forgetting at entry",
            "Best end level of earlier visits minus the first window of a revisit; includes the time it takes to "
            "notice a hidden shift.",
            "lower",
        ),
        Column(
            "Forgetting at end",
            "Best end level of earlier visits minus the end level of the last one: what relearning did not restore.",
            "lower",
        ),
        Column("Spread", _SPREAD, "lower"),
    )


def _scored(found: IdentityScores, reward: Score) -> list[Cell]:
    def cell(name: str, write: Callable[[float], str]) -> Cell:
        return score_cell(found.scores.get(name, _NOTHING), write)

    score = normalised(found.scores.get("gap_normalised", _NOTHING))
    filled = None if score.value is None else min(1.0, max(0.0, score.value))
    return [
        score_cell(reward, level),
        cell("reward_terminal", level),
        Cell(level(found.lower)) if found.lower is not None else Cell(""),
        Cell(level(found.upper)) if found.upper is not None else Cell(""),
        replace(score_cell(score, level), bar=filled),
        cell("gap_remaining", level),
        cell("adaptation_steps", count),
        cell("recovery_steps", count),
        cell("forgetting_entry", change),
        cell("forgetting_final", change),
        cell("stability_std", level),
    ]


def _visit(visit: Visit, colours: Mapping[str, str]) -> list[Cell]:
    names = ", ".join(visit.regime_ids) or visit.identity
    alias = "" if names == visit.identity else f" (= {visit.identity})"
    return [
        Cell(f"{visit.ordinal + 1}. {names}{alias}", swatch=colours.get(visit.identity, "")),
        Cell(
            f"{count(visit.first_step)} to {count(visit.first_step + visit.steps - 1)}".replace(
                " ", _NO_BREAK
            )
        ),
        score_cell(visit.scores["reward_mean"], level),
        _plain(visit.entry, level),
        _plain(visit.terminal, level),
        Cell("first segment", missing=True) if not visit.ordinal else _plain(visit.change, change),
        score_cell(visit.scores["adaptation_steps"], count),
        score_cell(visit.scores["recovery_steps"], count),
        score_cell(visit.scores["stability_std"], level),
    ]


def _plain(value: float | None, write: Callable[[float], str]) -> Cell:
    return Cell(REASONS["null_reward"], missing=True) if value is None else Cell(write(value))


def _named(action: int, names: Sequence[str] | None) -> str:
    return f"{action} {spoken(str(names[action]))}" if names and 0 <= action < len(names) else str(action)


def _action(
    title: str, actions: Sequence[int], overall: Counter[int], by_identity: Mapping[str, Counter[int]]
) -> list[Cell]:
    steps = sum(overall[action] for action in actions)
    cells = [Cell(title), Cell(count(steps)), Cell(share(steps, overall.total()))]
    if len(by_identity) > 1:
        parts = [
            (sum(counts[action] for action in actions), counts.total()) for counts in by_identity.values()
        ]
        cells += [Cell(share(part, whole)) for part, whole in parts]
    return cells
