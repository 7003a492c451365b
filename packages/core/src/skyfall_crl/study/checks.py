"""What has to be so in a table for its numbers to mean something: each a sentence with yes or no."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from skyfall_crl.metrics.statistics import Interval, mean_interval, paired_difference
from skyfall_crl.study.comparison import HEADLINE, Entry, Row, ScenarioTable
from skyfall_crl.study.gather import FoundRun
from skyfall_crl.study.sweep_record import SweepRecord

AT_SHIFTS = ("adaptation_steps", "recovery_steps", "forgetting_entry", "forgetting_final")


@dataclass(frozen=True, slots=True)
class Check:
    """One sentence, whether it holds, and what was found."""

    says: str
    holds: bool
    found: str


def check(
    tables: Sequence[ScenarioTable], record: SweepRecord, runs: Sequence[FoundRun], prefix: str = ""
) -> list[Check]:
    """Check what a sweep's document asks for, on the scenarios that have the rows it names.

    `prefix` is what stands before the sweep's scenarios where several sweeps are compared.
    """
    found = []
    named = record.checks.get("control")
    control = None if named is None else f"{prefix}{named}"
    for table in tables:
        if not table.name.startswith(prefix):
            continue
        rows = {row.variant: row for row in table.rows}
        if table.name == control:
            found.append(_nulls(table))
        if record.bounds is not None:
            found += _bounds(table.name, rows.get(record.bounds["upper"]), rows.get(record.bounds["lower"]))
        here = [run for run in runs if run.scenario == table.name]
        found += _rising(table.name, here, record.checks.get("rising", ()))
        if record.checks.get("ceiling"):
            found += _ceiling(table.name, here, record.checks["ceiling"])
        for name in record.checks.get("frozen", ()):
            if name in rows and table.name != control:
                found.append(_flagged(table.name, rows[name], "not_learning"))
        for name in record.checks.get("not_learned", ()):
            if name in rows and table.name != control:
                found.append(_flagged(table.name, rows[name], "not_learned"))
    return found


def _nulls(table: ScenarioTable) -> Check:
    wrong = [
        f"{row.variant}: {name} {row.entries[name].interval.value}"
        for row in table.rows
        for name in AT_SHIFTS
        if row.entries[name].interval.value is not None
    ]
    says = f"{table.name}: without a shift, what is measured at shifts has no value but a reason"
    reasons = sorted({row.entries[name].reason or "" for row in table.rows for name in AT_SHIFTS})
    return Check(says, not wrong, "; ".join(wrong) or f"reasons {', '.join(reasons)}")


def _bounds(scenario: str, upper: Row | None, lower: Row | None) -> list[Check]:
    found = []
    if upper is not None:
        gap = upper.entries["gap_normalised"]
        found.append(
            Check(
                f"{scenario}: the gap of {upper.variant} is 0 within its interval",
                _around(gap, 0.0),
                _words(gap),
            )
        )
    if lower is not None:
        gap = lower.entries["gap_normalised"]
        says = f"{scenario}: the gap of {lower.variant} is 1, its normalised reward 0, within its interval"
        found.append(Check(says, _around(gap, 1.0), _words(gap)))
    if upper is not None and lower is not None:
        above, below = upper.entries[HEADLINE].interval, lower.entries[HEADLINE].interval
        apart = above.low is not None and below.high is not None and above.low > below.high
        says = f"{scenario}: the intervals of {upper.variant} and {lower.variant} lie apart"
        found.append(
            Check(says, apart, f"{_words(upper.entries[HEADLINE])} and {_words(lower.entries[HEADLINE])}")
        )
    return found


def _rising(scenario: str, runs: Sequence[FoundRun], names: Sequence[str]) -> list[Check]:
    """Compare each variant with the one before on the seeds both have."""
    earned = {
        name: {run.seed: run.evaluation.overall[HEADLINE].value for run in runs if run.variant == name}
        for name in names
    }
    found = []
    for below, above in pairwise(name for name in names if earned[name]):
        difference = paired_difference(earned[above], earned[below])
        holds = difference.value is not None and difference.value >= 0
        says = f"{scenario}: {above} earns no less than {below}, seed by seed on average"
        found.append(Check(says, holds, _interval_words(difference)))
    return found


def _ceiling(scenario: str, runs: Sequence[FoundRun], name: str) -> list[Check]:
    """Compare every variant's mean in every configuration with a level that the environment knows for it.

    The level was measured on other seeds, hence the interval has to lie above it to count. Nothing is checked where no
    configuration has such a level.
    """
    earned: dict[tuple[str, str], dict[int, float]] = {}
    levels: dict[str, float] = {}
    for run in runs:
        for identity, row in run.evaluation.identities.items():
            value, level = row.scores["reward_mean"].value, run.references.get(identity, {}).get(name)
            if value is not None and level is not None:
                earned.setdefault((run.variant, identity), {})[run.seed] = value
                levels[identity] = level
    if not earned:
        return []
    found = {key: mean_interval(values) for key, values in earned.items()}
    above = {key: (interval.value or 0.0) - levels[key[1]] for key, interval in found.items()}
    variant, identity = closest = max(above, key=lambda key: above[key])
    holds = all(_least(interval) <= levels[key[1]] for key, interval in found.items())
    says = f"{scenario}: in no configuration does any variant earn more than the level `{name}`, within its interval"
    told = f"closest is {variant} in {identity}, {above[closest]:+.4f} from {levels[identity]:.4f}"
    return [Check(says, holds, told)]


def _least(found: Interval) -> float:
    """Return the lower end of an interval, or the value where it has none."""
    known = [end for end in (found.low, found.value) if end is not None]
    return min(known)


def _flagged(scenario: str, row: Row, code: str) -> Check:
    runs = len(row.seeds)
    flagged = max(entry.flags.get(code, 0) for entry in row.entries.values())
    return Check(
        f"{scenario}: {row.variant} is flagged `{code}`", flagged == runs, f"{flagged} of {runs} runs"
    )


def _around(entry: Entry, value: float) -> bool:
    """Say whether an interval holds a value; with one seed, whether the number is that value."""
    found = entry.interval
    if found.value is None:
        return False
    low = found.value if found.low is None else found.low
    high = found.value if found.high is None else found.high
    return low - 1e-9 <= value <= high + 1e-9


def _words(entry: Entry) -> str:
    return entry.reason or "no value" if entry.interval.value is None else _interval_words(entry.interval)


def _interval_words(found: Interval) -> str:
    if found.value is None:
        return found.reason or "no value"
    if found.low is None or found.high is None:
        return _short(found.value)
    return f"{_short(found.value)} [{_short(found.low)}, {_short(found.high)}]"


def _short(value: float) -> str:
    """Write four places, and nothing that rounds to 0 with a sign."""
    return f"{round(value, 4) + 0.0:.4f}"
