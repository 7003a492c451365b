"""`skyfall-crl eval`: the metrics of a trace, as a table or as JSON."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from skyfall_crl.ports.errors import TraceError

if TYPE_CHECKING:
    from rich.console import Console

    from skyfall_crl.metrics import Evaluation, Parameters, Score

TRACE_NAMES = ("trace.jsonl", "trace.jsonl.gz")

# label, formula over everything, formula of one identity; those marked so are shown once one of them has a value
_ROWS = (
    ("1 reward", "reward_macro", "reward_mean"),
    ("  every step alike", "reward_lifetime", None),
    ("  at the end of visits", "reward_terminal", "reward_terminal"),
    ("  lowest window", "reward_worst_window", None),
    ("  inside drifts *", "reward_drift", None),
    ("2 adaptation to the bound", "adaptation_steps", "adaptation_steps"),
    ("  to its own end level", "adaptation_steps_self_asymptote", "adaptation_steps_self_asymptote"),
    ("3 forgetting at re-entry", "forgetting_entry", "forgetting_entry"),
    ("  after the last visit", "forgetting_final", "forgetting_final"),
    ("4 recovery", "recovery_steps", "recovery_steps"),
    ("  on the bounds' scale *", "recovery_steps_cross_identity", "recovery_steps_cross_identity"),
    ("  gained each revisit *", "performance_recovery", "performance_recovery"),
    ("5 stability: spread", "stability_std", "stability_std"),
    ("  detrended", "stability_detrended", "stability_detrended"),
    ("  worst 5% of changes", "cvar05_drop", "cvar05_drop"),
    ("  deepest drawdown", "max_drawdown", "max_drawdown"),
    ("6 gap to the bound", "gap_remaining", "gap_remaining"),
    ("  share of the range", "gap_normalised", "gap_normalised"),
    ("  at the end of visits", "gap_asymptotic", "gap_asymptotic"),
    ("  regret", "regret", "regret"),
    ("  steps with a bound", "gap_step_coverage", None),
    ("frozen: at the end *", "average_performance", "average_performance"),
    ("  backward transfer *", "backward_transfer", "backward_transfer"),
    ("  forward transfer *", "forward_transfer", "forward_transfer"),
    ("  forgetting, best to last *", "forgetting_max_final", "forgetting_max_final"),
    ("  maintenance *", "performance_maintenance", "performance_maintenance"),
    ("from scratch: jumpstart *", "jumpstart", "jumpstart"),
    ("  forward transfer, area *", "forward_transfer_auc", "forward_transfer_auc"),
    ("  relative performance *", "relative_performance", "relative_performance"),
    ("reference: gap at entry *", "entry_gap", "entry_gap"),
)
_TOLD_IN_NOTES = ("null_rewards", "truncated")
_LABEL_WIDTH = 44
_COLUMN_WIDTH = 16
_PIPE_WIDTH = 160
EVALUATION = "eval"


class UnscorableTrace(TraceError):
    """What was named is no trace that can be scored: a mistake in the question, hence its exit code."""

    exit_code = 2


def configure(parser: ArgumentParser) -> None:
    """Describe the command's arguments."""
    parser.add_argument(
        "trace", type=Path, metavar="TRACE", help="a .jsonl or .jsonl.gz trace, or a run directory"
    )
    parser.add_argument(
        "--window", type=int, metavar="W", help="steps in a window (default: from the segments)"
    )
    parser.add_argument("--rho", type=float, metavar="R", help="share of the way up (default: 0.9)")
    parser.add_argument(
        "--sustain",
        type=int,
        metavar="M",
        help="windows in a row at a level before it is reached (default: 1)",
    )
    parser.add_argument(
        "--burn-in", type=int, metavar="N", help="first steps of a revisit that forgetting skips (default: 0)"
    )
    bounds = "a JSON or YAML mapping of identity to reward per step (default: the trace's references)"
    parser.add_argument("--upper-bounds", type=Path, metavar="FILE", help=bounds)
    parser.add_argument("--lower-bounds", type=Path, metavar="FILE", help=bounds)
    parser.add_argument(
        "--scratch",
        type=Path,
        metavar="TRACE",
        help="a learner that starts over at every shift, same schedule",
    )
    parser.add_argument(
        "--reference", type=Path, metavar="TRACE", help="a policy that knows the regimes, same schedule"
    )
    parser.add_argument("--json", action="store_true", help="print everything as JSON instead")
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Score the trace and print the result; returns the exit code."""
    from skyfall_crl.metrics import evaluate, read_bounds

    upper, lower = arguments.upper_bounds, arguments.lower_bounds
    try:
        evaluation = evaluate(
            _trace_in(arguments.trace),
            window=arguments.window,
            rho=arguments.rho,
            upper=None if upper is None else read_bounds(upper),
            lower=None if lower is None else read_bounds(lower),
            sustain=arguments.sustain,
            burn_in=arguments.burn_in,
            scratch=None if arguments.scratch is None else _trace_in(arguments.scratch),
            reference=None if arguments.reference is None else _trace_in(arguments.reference),
        )
    except TraceError as error:
        raise UnscorableTrace(str(error)) from error
    if arguments.json:
        import msgspec

        print(msgspec.json.format(msgspec.json.encode(evaluation.to_mapping()), indent=2).decode())
    else:
        _show(evaluation)
    return 0


def _trace_in(path: Path) -> Path:
    if not path.is_dir():
        return path
    found = [path / name for name in TRACE_NAMES if (path / name).is_file()]
    if not found:
        raise TraceError(f"{path}: expected a run directory with {TRACE_NAMES[0]}, found none")
    return found[0]


def _show(evaluation: "Evaluation") -> None:
    import sys

    from rich.console import Console

    console = Console(highlight=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH)
    footnotes: dict[str, int] = {}
    fitting = max(1, (console.width - _LABEL_WIDTH) // _COLUMN_WIDTH - 1)
    identities = list(evaluation.identities)
    for begin in range(0, len(identities), fitting):
        _print_table(console, evaluation, identities[begin : begin + fitting], footnotes)
    for note in (*_footnotes(footnotes), *_notes(evaluation)):
        console.print(note, markup=False)


def _print_table(
    console: "Console", evaluation: "Evaluation", identities: Sequence[str], footnotes: dict[str, int]
) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from skyfall_crl.metrics import FORMULAS

    arrows = (
        {"higher": "↑", "lower": "↓"} if console.encoding.startswith("utf") else {"higher": "+", "lower": "-"}
    )
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("metric", no_wrap=True)
    table.add_column("unit", no_wrap=True, style="dim")
    for name in ("overall", *identities):
        table.add_column(Text(name), justify="right")
    for marked, overall, per_identity in _ROWS:
        label = marked.removesuffix(" *")
        if label != marked and not _has_value(evaluation, overall):
            continue
        formula = FORMULAS[overall]
        cells = [_cell(evaluation.overall[overall], formula.unit, footnotes)]
        for identity in identities:
            score = evaluation.identities[identity].scores[per_identity] if per_identity else None
            cells.append("" if score is None else _cell(score, formula.unit, footnotes))
        table.add_row(label, f"{formula.unit} {arrows[formula.better]}", *map(Text, cells))
    console.print(table)


def _has_value(evaluation: "Evaluation", name: str) -> bool:
    groups = (evaluation.overall, *(found.scores for found in evaluation.identities.values()))
    return any(scores[name].value is not None for scores in groups if name in scores)


def _cell(score: "Score", unit: str, footnotes: dict[str, int]) -> str:
    from skyfall_crl.metrics import REASONS

    if score.value is None:
        return REASONS.get(score.reason or "", score.reason or "")
    codes = [flag for flag in score.flags if flag not in _TOLD_IN_NOTES]
    if score.detail.get("statistic") == "median":
        codes.append("median")
    marks = [footnotes.setdefault(code, len(footnotes) + 1) for code in codes]
    text = (
        f"{score.value:,.0f}"
        if unit in ("steps", "steps/visit")
        else f"{score.value:,.1f}"
        if unit == "reward"
        else f"{score.value:.4f}"
    )
    return f"{text} [{','.join(map(str, sorted(marks)))}]" if marks else text


def _footnotes(footnotes: Mapping[str, int]) -> Iterator[str]:
    from skyfall_crl.metrics.formulas import FLAGS

    words = {**FLAGS, "median": "median that counts the segments in which the level was not reached"}
    for code, number in footnotes.items():
        yield f"[{number}] {words.get(code, code)}"


def _notes(evaluation: "Evaluation") -> Iterator[str]:
    counts, parameters = evaluation.counts, evaluation.parameters
    yield f"trace         {evaluation.trace}"
    worlds = (
        f"{counts.worlds} worlds, pooled; they are not independent seeds" if counts.worlds > 1 else "1 world"
    )
    yield f"rows          {counts.rows:,} in {len(evaluation.segments)} segments of {worlds}"
    yield f"window        {parameters.window} steps, {evaluation.window_source}; {_judged(parameters)}"
    yield f"upper bounds  {_bounds(evaluation.upper.values, evaluation.upper.source)}"
    yield f"lower bounds  {_bounds(evaluation.lower.values, evaluation.lower.source)}"
    if counts.nulls:
        yield f"without       {counts.nulls:,} rows have no usable reward; their windows are left out"
    if counts.uncertain:
        yield f"uncertain     {counts.uncertain:,} of them because nobody knows what became of the action"
    if counts.resumes:
        yield f"resumed       {counts.resumes:,} times in a world that went on by itself"
    if counts.drifting:
        yield f"drifting      {counts.drifting:,} rows inside a drift count for the lifetime reward only"
    if counts.gaps:
        yield f"gaps          {counts.gaps:,} places where step numbers are missing"
    for phase, rows in counts.ignored.items():
        if phase == EVALUATION and _has_value(evaluation, "average_performance"):
            yield f"frozen        {rows:,} rows of a policy that stands still, in worlds of their own"
        else:
            yield f"ignored       {rows:,} rows of phase {phase}"
    cut = [found.segment for found in evaluation.segments if found.segment.truncated]
    if cut:
        whose = "every world" if len(cut) == counts.worlds else ", ".join(segment.world for segment in cut)
        yield f"truncated     the last segment of {whose} was cut short"
    if evaluation.torn is not None:
        yield f"torn          line {evaluation.torn.line} has no end and is left out; the run was killed there"


def _judged(parameters: "Parameters") -> str:
    sustain = f"; sustained for {parameters.sustain} windows" if parameters.sustain > 1 else ""
    burn_in = f"; burn-in {parameters.burn_in} steps" if parameters.burn_in else ""
    return f"rho {parameters.rho}{sustain}{burn_in}"


def _bounds(values: Mapping[str, float], source: str) -> str:
    if not values:
        return "none"
    return f"{', '.join(f'{identity} {value:.4g}' for identity, value in values.items())} ({source})"
