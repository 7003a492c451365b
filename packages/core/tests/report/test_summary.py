"""The opening paragraph says what the numbers say."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from skyfall_crl.report.collect import collect
from skyfall_crl.report.scores import read_scores
from skyfall_crl.report.summary import cautions, facts, summary
from skyfall_crl.trace.reader import read_header

WriteRun = Callable[..., Path]


def words(directory: Path, status: str = "completed") -> str:
    trace = directory / "trace.jsonl"
    scores = read_scores(directory / "metrics.json")
    return " ".join(summary(collect(trace, width=10), scores, read_header(trace), status))


def warnings(directory: Path) -> str:
    trace = directory / "trace.jsonl"
    scores = read_scores(directory / "metrics.json")
    return " ".join(cautions(collect(trace, width=10), scores, read_header(trace)))


def flat(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"reward": 0.25}


def test_it_says_what_ran_and_how_it_went(write_run: WriteRun) -> None:
    """Who acted where for how long, how reward moved, what the references are and what shifts cost."""
    text = words(write_run())
    assert text.startswith(
        "builtin/mlp, trained by builtin/ppo, acted in 8 worlds of morpheus/world for 1,200 steps each. "
    )
    assert "From the first to the last visit of each configuration its mean reward rose from 0." in text
    assert (
        "The references earn random 0.121, informed 0.574 and bound 0.593 on average over the configurations"
        in text
    )
    assert "from random as 0 to informed as 1 the run scores 0." in text
    assert "At the 5 shifts reward changed by \N{MINUS SIGN}0." in text
    assert "it made up 90% of what it had lost within" in text
    assert "were refused, most often as rejected." in text


def test_a_flat_run_is_not_called_better(write_run: WriteRun) -> None:
    """Equal rewards stay, and nothing was lost at a shift."""
    text = words(write_run(change=flat))
    assert "mean reward stayed at 0.250" in text
    assert "changed by 0.000 (median; from 0.000 to 0.000)" in text
    assert "was not reached in most visits" in text


def test_a_run_without_shifts_compares_its_own_ends(write_run: WriteRun) -> None:
    """One configuration: the first tenth against the last."""
    text = words(write_run(worlds=2, regimes=(("A", 2000),), references={}))
    assert "From the first to the last tenth of the run mean reward rose from" in text
    assert "shift" not in text
    assert "references" not in text


def test_configurations_met_once_are_not_compared_with_each_other(write_run: WriteRun) -> None:
    """A trend over different configurations would be a difference between them."""
    text = words(write_run(steps=600))
    assert "From the first" not in text
    assert "At the 2 shifts" in text
    assert "Back in a configuration" not in text


def test_an_interrupted_run_says_how_far_it_came(write_run: WriteRun) -> None:
    """The steps asked for and the steps made are both there."""
    directory = write_run(worlds=2, change=lambda row: row if row["step"] < 37 else None)
    assert "for 37 of 1,200 steps each; the run was interrupted." in words(directory, "interrupted")


def test_a_run_without_a_step_says_so(write_run: WriteRun) -> None:
    """Nothing is claimed about a run that recorded nothing."""
    directory = write_run(change=lambda row: None, score=False)
    assert words(directory, "failed") == "The run failed before a step was recorded."


def test_a_run_that_refused_nothing_says_so(write_run: WriteRun) -> None:
    """No refusal is worth a sentence, no report of outcomes is not."""
    accepted = write_run(
        steps=40, change=lambda row: row | {"outcome": {"accepted": True}}, score=False, name="a"
    )
    silent = write_run(steps=40, change=lambda row: row | {"outcome": None}, score=False, name="b")
    assert words(accepted).endswith("No action was refused.")
    assert "refused" not in words(silent)


def test_what_weakens_the_numbers_is_said(write_run: WriteRun) -> None:
    """Privileged policies, missing scores, non-finite rewards and failed shifts are named."""

    def broken(row: dict[str, Any]) -> dict[str, Any]:
        return row | ({"reward": None, "reward_invalid": "inf"} if row["step"] == 3 else {})

    directory = write_run(
        worlds=1, steps=60, header=lambda record: record | {"privileged": True}, change=broken, score=False
    )
    text = warnings(directory)
    assert "a reference, not a result" in text
    assert "metrics.json is missing" in text
    assert "1 window held a reward that is no finite number" in text
    assert warnings(write_run(worlds=1, name="clean")) == ""


def test_the_facts_are_those_of_the_run(write_run: WriteRun) -> None:
    """Steps, reward, score, shifts, refusals, time and updates, each once."""
    directory = write_run()
    scores = read_scores(directory / "metrics.json")
    found = {fact.title: fact.value for fact in facts(collect(directory / "trace.jsonl", width=10), scores)}
    assert found["Environment steps"] == "9,600"
    assert found["Shifts"] == "5"
    assert found["Time"] == "4.8 s"
    assert found["Updates"] == "18"
    assert set(found) >= {"Mean reward", "Score", "Actions refused"}
