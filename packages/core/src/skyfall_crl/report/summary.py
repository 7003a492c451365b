"""Says in plain sentences what the numbers of a run say, and nothing else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from skyfall_crl.metrics.score import Score
from skyfall_crl.report.cells import normalised
from skyfall_crl.report.figure import References, points, reference_names
from skyfall_crl.report.scores import Scores, Visit
from skyfall_crl.report.series import RunSeries
from skyfall_crl.report.wording import change, count, duration, joined, level, plural, share, spoken

TENTH = 10


@dataclass(frozen=True, slots=True)
class Fact:
    """One number that stands out, with what it is and what one needs to read it."""

    title: str
    value: str
    note: str = ""


def part_name(config: Mapping[str, Any], section: str) -> str | None:
    """The id of a configured part, None where the config names none."""
    found = config.get(section)
    return str(found["id"]) if isinstance(found, Mapping) and found.get("id") else None


def facts(series: RunSeries, scores: Scores | None) -> list[Fact]:
    """The numbers a reader looks for first."""
    worlds = len(series.worlds)
    found = [Fact("Environment steps", count(series.rows), f"in {plural(worlds, 'world')}")]
    if (reward := _lifetime(series)) is not None:
        found.append(Fact("Mean reward", level(reward), "per step, over the whole run"))
    if scores is not None and (score := normalised(scores.overall["gap_normalised"])).value is not None:
        found.append(
            Fact("Score", level(score.value), f"0 is {scores.lower_title}, 1 is {scores.upper_title}")
        )
    if series.labelled:
        shifts = len(series.segments) - 1 if series.same_shifts else None
        number = "varied" if shifts is None else count(shifts)
        found.append(Fact("Shifts", number, f"{plural(len(series.identities), 'configuration')} met"))
    refused = sum(steps for outcome, steps in series.outcomes.items() if outcome.accepted is False)
    judged = sum(steps for outcome, steps in series.outcomes.items() if outcome.accepted is not None)
    if judged:
        found.append(Fact("Actions refused", share(refused, judged), f"{count(refused)} of {count(judged)}"))
    if series.wall_ms:
        rate = series.rows / (series.wall_ms / 1000)
        note = f"{count(rate)} environment steps per second"
        found.append(Fact("Time", duration(series.wall_ms / 1000), note))
    if series.updates:
        found.append(Fact("Updates", count(series.updates), "of the policy"))
    return found


def summary(series: RunSeries, scores: Scores | None, header: Mapping[str, Any], status: str) -> list[str]:
    """The sentences of the opening paragraph."""
    if not series.rows:
        return [f"The run {_ended(status)} before a step was recorded."]
    sentences = [_what(series, header, status), *_trend(series, scores)]
    sentences += _against(header.get("references") or {}, scores, series)
    if scores is not None:
        sentences += _shifts([visit for visit in scores.visits if visit.ordinal], scores)
    sentences += _refused(series)
    return sentences


def cautions(series: RunSeries, scores: Scores | None, header: Mapping[str, Any]) -> list[str]:
    """What a reader must know before using the numbers."""
    found = []
    if header.get("privileged"):
        found.append("The policy looks inside the world: its numbers are a reference, not a result.")
    if scores is None:
        found.append("The run was not scored: metrics.json is missing. Write it with skyfall-crl eval.")
    if series.shifts_not_applied:
        times = plural(series.shifts_not_applied, "time")
        found.append(f"A configuration could not be applied as asked {times}; the trace says where.")
    if not series.same_shifts:
        found.append("The worlds changed configuration at different steps; bands show the first one of each.")
    broken = sum(tally.broken for window in series.windows for tally in window.rewards.values())
    if broken:
        found.append(f"{plural(broken, 'window')} held a reward that is no finite number and are left out.")
    if series.kinds.get("resume"):
        found.append(f"The run was resumed {plural(series.kinds['resume'], 'time')}.")
    if series.evaluation_rows:
        found.append(f"{plural(series.evaluation_rows, 'evaluation step')} are not part of the figures.")
    if series.torn:
        found.append("The last line of the trace is torn and was left out.")
    return found


def _what(series: RunSeries, header: Mapping[str, Any], status: str) -> str:
    config = header.get("config") or {}
    policy, algorithm = part_name(config, "policy"), part_name(config, "algorithm")
    actor = policy or "The policy"
    if algorithm is not None:
        actor = f"{actor}, trained by {algorithm},"
    steps = (series.last_step or 0) + 1
    planned = header.get("steps")
    length = plural(steps, "step")
    if isinstance(planned, int) and planned > steps:
        length = f"{count(steps)} of {count(planned)} steps"
    each = " each" if len(series.worlds) > 1 else ""
    place = f"{plural(len(series.worlds), 'world')} of {part_name(config, 'env') or 'an unnamed environment'}"
    ended = "" if status == "completed" else f"; the run {_ended(status)}"
    return f"{actor} acted in {place} for {length}{each}{ended}."


def _ended(status: str) -> str:
    return {"completed": "ended", "interrupted": "was interrupted", "failed": "failed"}.get(
        status, spoken(status)
    )


def _lifetime(series: RunSeries) -> float | None:
    tallies = [tally for window in series.windows for tally in window.rewards.values() if not tally.broken]
    number = sum(tally.count for tally in tallies)
    return sum(tally.total for tally in tallies) / number if number else None


def _trend(series: RunSeries, scores: Scores | None) -> list[str]:
    """Compare like with like: last and first visits of the same configurations, else the ends of the run."""
    pairs = _first_and_last(scores.visits) if scores is not None else []
    if pairs:
        first, last = fmean(pair[0] for pair in pairs), fmean(pair[1] for pair in pairs)
        whose = "each configuration" if len(pairs) > 1 else "the revisited configuration"
        return [f"From the first to the last visit of {whose} its mean reward {_went(first, last)}."]
    if len(series.identities) > 1:
        return []
    means = [point.mean for point in points(series) if point.mean is not None]
    if len(means) < TENTH:
        return []
    part = max(1, len(means) // TENTH)
    return [
        f"From the first to the last tenth of the run mean reward {_went(fmean(means[:part]), fmean(means[-part:]))}."
    ]


def _first_and_last(visits: Sequence[Visit]) -> list[tuple[float, float]]:
    pairs = []
    for identity in dict.fromkeys(visit.identity for visit in visits):
        means = [visit.scores["reward_mean"].value for visit in visits if visit.identity == identity]
        if len(means) > 1 and means[0] is not None and means[-1] is not None:
            pairs.append((means[0], means[-1]))
    return pairs


def _went(first: float, last: float) -> str:
    if level(first) == level(last):
        return f"stayed at {level(first)}"
    return f"{'rose' if last > first else 'fell'} from {level(first)} to {level(last)}"


def _against(references: References, scores: Scores | None, series: RunSeries) -> list[str]:
    shown, _ = reference_names(references)
    met = [references[identity] for identity in series.identities if identity in references]
    levels = [
        f"{spoken(name)} {level(fmean(known))}"
        for name in shown
        if (known := [at[name] for at in met if name in at])
    ]
    if not levels:
        return []
    over = " on average over the configurations" if len(met) > 1 else ""
    sentence = f"The references earn {joined(levels)}{over}"
    score = normalised(scores.overall["gap_normalised"]) if scores is not None else Score(reason="no_reward")
    if scores is None or score.value is None:
        return [f"{sentence}."]
    return [
        f"{sentence}; from {scores.lower_title} as 0 to {scores.upper_title} as 1 the run scores {level(score.value)}."
    ]


def _shifts(visits: Sequence[Visit], scores: Scores) -> list[str]:
    changes = [visit.change for visit in visits if visit.change is not None]
    if not changes:
        return []
    what = f"At the one shift reward changed by {change(changes[0])}"
    if len(changes) > 1:
        what = (
            f"At the {count(len(changes))} shifts reward changed by {change(median(changes))} "
            f"(median; from {change(min(changes))} to {change(max(changes))})"
        )
    found = [f"{what}{_adapted(scores)}."]
    recovery = scores.overall.get("recovery_steps")
    if recovery is not None and recovery.value is not None:
        found.append(
            f"Back in a configuration it had met before, it made up {scores.rho:.0%} of what it had lost within "
            f"{plural(round(recovery.value), 'step')} ({_statistic(recovery)})."
        )
    elif recovery is not None and recovery.reason == "censored":
        found.append("In most revisits it did not make up what it had lost before the next shift.")
    return found


def _adapted(scores: Scores) -> str:
    adaptation = scores.overall.get("adaptation_steps")
    if adaptation is None:
        return ""
    goal = f"{scores.rho:.0%} of the way from {scores.lower_title} to {scores.upper_title}"
    if adaptation.value is not None:
        return f", and {goal} was reached within {plural(round(adaptation.value), 'step')} ({_statistic(adaptation)})"
    return f"; {goal} was not reached in most visits" if adaptation.reason == "censored" else ""


def _statistic(score: Score) -> str:
    return "median over visits" if score.detail.get("statistic") == "median" else "mean over visits"


def _refused(series: RunSeries) -> list[str]:
    judged = {outcome: steps for outcome, steps in series.outcomes.items() if outcome.accepted is not None}
    refused = {outcome: steps for outcome, steps in judged.items() if not outcome.accepted}
    if not judged:
        return []
    if not refused:
        return ["No action was refused."]
    total = sum(refused.values())
    first = max(refused, key=lambda outcome: (refused[outcome], outcome.reason or ""))
    most = f", most often as {spoken(first.reason)}" if first.reason else ""
    return [f"Of its actions {share(total, sum(judged.values()))} were refused{most}."]
