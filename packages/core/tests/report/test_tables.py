"""What stands in the tables, and how numbers are written."""

from collections.abc import Callable
from pathlib import Path

import pytest

from skyfall_crl.metrics import evaluate
from skyfall_crl.metrics.score import Score
from skyfall_crl.ports.errors import TraceError
from skyfall_crl.report.cells import Table, glossary, normalised, score_cell
from skyfall_crl.report.collect import collect
from skyfall_crl.report.scores import read_scores
from skyfall_crl.report.tables import action_table, identity_table, outcome_table, visit_table
from skyfall_crl.report.wording import change, count, duration, joined, level, moment, plural, share, size

WriteRun = Callable[..., Path]


def column(table: Table, title: str) -> list[str]:
    place = [column.title for column in table.columns].index(title)
    return [row[place].text for row in table.rows]


def test_the_configuration_table_says_what_the_evaluation_found(write_run: WriteRun) -> None:
    """Each identity's row and the last one over all hold the scores of `metrics.json`, on the references' scale."""
    directory = write_run()
    found = evaluate(directory / "trace.jsonl")
    scores, series = read_scores(directory / "metrics.json"), collect(directory / "trace.jsonl", width=10)
    assert scores is not None
    table = identity_table(scores, series)
    assert column(table, "Configuration") == ["A", "B", "C", "All"]
    means = [found.identities[name].scores["reward_mean"].value for name in "ABC"]
    means.append(found.overall["reward_macro"].value)
    assert column(table, "Mean reward") == [level(mean) for mean in means]
    assert column(table, "Random") == ["0.090", "0.126", "0.146", ""]
    gap = found.identities["A"].scores["gap_normalised"].value
    assert gap is not None
    assert column(table, "Score")[0] == level(1 - gap)
    assert table.rows[0][0].detail == "2 visits, 400 steps a world"
    assert table.total


def test_a_visit_is_pooled_over_the_worlds_that_made_it(write_run: WriteRun) -> None:
    """One row a visit, however many worlds; the change at a shift is entry minus the end before it."""
    directory = write_run(worlds=3, steps=400, regimes=(("A", 100), ("B", 100)))
    found = evaluate(directory / "trace.jsonl")
    scores, series = read_scores(directory / "metrics.json"), collect(directory / "trace.jsonl", width=10)
    assert scores is not None
    table = visit_table(scores, series)
    assert column(table, "Visit") == ["1. A", "2. B", "3. A", "4. B"]
    assert [text.replace("\N{NO-BREAK SPACE}", " ") for text in column(table, "Steps")][-1] == "300 to 399"
    changes = []
    for world in ("w0", "w1", "w2"):
        first, second = [scored.segment for scored in found.segments if scored.segment.world == world][:2]
        assert second.entry is not None
        assert first.terminal is not None
        changes.append(second.entry - first.terminal)
    assert column(table, "Change at shift")[:2] == ["first segment", change(sum(changes) / 3)]
    assert column(table, "Recovery")[:2] == ["first visit", "first visit"]


def test_a_missing_score_is_its_reason_in_words() -> None:
    """Nobody meets a dash or a zero where a number could not be had."""
    cell = score_cell(Score.missing("no_upper_bound"), level)
    assert (cell.text, cell.missing) == ("no upper bound", True)
    assert score_cell(Score.missing("reason_of_a_plugin"), level).text == "reason of a plugin"


def test_what_qualifies_a_value_is_a_footnote() -> None:
    """Censored visits are counted next to the number; flags are said once below the table."""
    cell = score_cell(Score(320.0, flags=("not_learned",), detail={"n": 3, "censored": 1}), count)
    assert (cell.text, cell.detail) == ("320", "1 of 4 never")
    other = score_cell(Score(1.0, flags=("truncated", "not_learned")), count)
    assert Table((), [[cell], [other]]).footnotes == {
        "hardly better than the lower bound: nothing to forget": "a",
        "the segment was cut short": "b",
    }


def test_the_score_is_what_the_normalised_gap_leaves() -> None:
    """A gap of a quarter of the scale is a score of three quarters; a reason stays one."""
    assert normalised(Score.of(0.25)).value == 0.75
    assert normalised(Score.missing("degenerate_scale")).reason == "degenerate_scale"


def test_every_scored_column_is_explained(write_run: WriteRun) -> None:
    """All columns but the name have a meaning, with the direction where there is one."""
    directory = write_run(worlds=1, steps=300, regimes=(("A", 100), ("B", 100)))
    scores = read_scores(directory / "metrics.json")
    assert scores is not None
    table = identity_table(scores, collect(directory / "trace.jsonl", width=10))
    meanings = dict(glossary(table))
    assert set(meanings) == {column.title for column in table.columns[1:]}
    assert meanings["Recovery"].endswith("Lower is better.")
    assert "90%" in meanings["Adaptation"]


def test_outcomes_add_up(write_run: WriteRun) -> None:
    """Every step is in one row of the table."""
    series = collect(write_run(steps=100, score=False) / "trace.jsonl", width=10)
    steps = [int(text.replace(",", "")) for text in column(outcome_table(series), "Steps")]
    assert sum(steps) == series.rows == 800
    assert column(outcome_table(series), "Outcome")[0] == "accepted"


def test_frequent_actions_show_what_each_configuration_asks_for(write_run: WriteRun) -> None:
    """The favourite of each regime comes first, named where the environment names it, with its share there."""
    series = collect(write_run(score=False) / "trace.jsonl", width=10)
    table = action_table(series, [f"do_{number}" for number in range(7)])
    assert table is not None
    assert {row[0].text for row in table.rows[:3]} == {"3 do 3", "6 do 6", "9"}
    favourite = next(row for row in table.rows if row[0].text == "3 do 3")
    shares = [float(cell.text.rstrip("%")) for cell in favourite[3:]]
    assert shares[0] > 10 * max(shares[1:])
    assert column(table, "Action")[-1] == "21 other actions"
    assert sum(int(text.replace(",", "")) for text in column(table, "Steps")) == series.rows


def test_actions_that_are_no_numbers_have_no_table(write_run: WriteRun) -> None:
    """Tool calls and vectors are not counted as if they were discrete."""

    def called(row: dict[str, object]) -> dict[str, object]:
        return row | {"action": {"method": "GET", "path": "/"}}

    series = collect(write_run(steps=20, change=called, score=False) / "trace.jsonl", width=10)
    assert action_table(series, None) is None


def test_a_file_that_is_no_evaluation_is_an_error(tmp_path: Path) -> None:
    """The message names the file and what to do; a missing file is no error."""
    path = tmp_path / "metrics.json"
    assert read_scores(path) is None
    path.write_text('{"overall": 3}')
    with pytest.raises(TraceError, match=r"metrics\.json.*eval"):
        read_scores(path)


def test_numbers_are_written_for_readers() -> None:
    """Signs, thousands, small shares and time spans read well and never hide a value."""
    assert [level(value) for value in (0.12345, -0.5, -0.0001, 1234.5, None)] == [
        "0.123",
        "\N{MINUS SIGN}0.500",
        "0.000",
        "1,234.5",
        "\N{EN DASH}",
    ]
    assert [change(value) for value in (0.25, -0.25, 0.0001)] == ["+0.250", "\N{MINUS SIGN}0.250", "0.000"]
    assert [share(*parts) for parts in ((1, 3), (1, 5000), (4999, 5000), (0, 0), (0, 5))] == [
        "33.3%",
        "under 0.1%",
        "over 99.9%",
        "\N{EN DASH}",
        "0.0%",
    ]
    assert [duration(seconds) for seconds in (0.04, 3.04, 61, 7325)] == [
        "0.04 s",
        "3.0 s",
        "1 min 1 s",
        "2 h 2 min",
    ]
    assert [plural(number, "step") for number in (1, 2000)] == ["1 step", "2,000 steps"]
    assert [size(number) for number in (12, 1500, 87_748_630)] == ["12 bytes", "1.5 kB", "87.7 MB"]
    assert joined(["a", "b", "c"]) == "a, b and c"
    assert [moment(text) for text in ("2026-11-30T12:00:00+00:00", "soon")] == [
        "2026-11-30 12:00 UTC",
        "soon",
    ]
