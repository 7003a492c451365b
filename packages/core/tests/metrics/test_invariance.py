"""What must not change a score: where time begins, what regimes are called, how a trace is read."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skyfall_crl.metrics import FORMULAS, evaluate
from skyfall_crl.trace import TraceWriter


def scores(evaluation):
    """Every value and reason by place and name, without the names of identities."""
    groups = [evaluation.overall, *(found.scores for found in evaluation.identities.values())]
    groups += [found.scores for found in evaluation.segments]
    return [{name: (score.value, score.reason) for name, score in group.items()} for group in groups]


some_stays = st.lists(
    st.tuples(st.sampled_from("ABC"), st.lists(st.none() | st.floats(-1, 1), min_size=1, max_size=60)),
    min_size=1,
    max_size=6,
)


@settings(max_examples=40, deadline=None)
@given(
    stays=some_stays,
    shift=st.integers(0, 10**9),
    names=st.permutations(["A", "B", "C"]),
    upper=st.floats(-1, 1),
)
def test_neither_the_time_origin_nor_the_names_of_regimes_matter(
    tmp_path_factory, stays, shift, names, upper
):
    folder = tmp_path_factory.mktemp("runs")
    renamed = dict(zip("ABC", names, strict=True))

    def trace(name, rename, origin):
        path = folder / name
        with TraceWriter(path) as writer:
            flat = [(rename[regime], reward) for regime, rewards in stays for reward in rewards]
            writer.write_many(
                {"step": origin + step, "regime_id": regime, "regime_identity": regime, "reward": reward}
                for step, (regime, reward) in enumerate(flat)
            )
        return path

    plain = trace("plain.jsonl", {name: name for name in "ABC"}, 0)
    moved = trace("moved.jsonl", renamed, shift)
    left = evaluate(plain, window=5, upper={"A": upper})
    right = evaluate(moved, window=5, upper={renamed["A"]: upper})

    assert scores(left) == scores(right)


@settings(max_examples=30, deadline=None)
@given(stays=some_stays, block_bytes=st.integers(100, 5000))
def test_the_size_of_a_batch_changes_nothing(tmp_path_factory, stays, block_bytes):
    path = tmp_path_factory.mktemp("run") / "trace.jsonl"
    flat = [(regime, reward) for regime, rewards in stays for reward in rewards]
    with TraceWriter(path) as writer:
        writer.write_many(
            {"step": step, "regime_id": name, "reward": reward} for step, (name, reward) in enumerate(flat)
        )
    whole = evaluate(path, window=5)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("skyfall_crl.trace.reader.BLOCK_BYTES", block_bytes)
        patch.setattr("skyfall_crl.trace.columns.BATCH_ROWS", 1)
        assert scores(evaluate(path, window=5)) == scores(whole)


eighths = st.integers(-8, 8).map(lambda count: count / 8)
exact_stays = st.lists(
    st.tuples(st.sampled_from("AB"), st.lists(st.none() | eighths, min_size=1, max_size=60)),
    min_size=1,
    max_size=6,
)
IN_REWARD = ("reward/step", "reward")


def trace_of(folder, stays, scale, offset):
    path = folder / f"{scale}-{offset}.jsonl"
    flat = [(name, reward) for name, rewards in stays for reward in rewards]
    with TraceWriter(path) as writer:
        writer.write_many(
            {"step": step, "regime_id": name, "reward": None if reward is None else offset + scale * reward}
            for step, (name, reward) in enumerate(flat)
        )
    return path


def groups(evaluation):
    """Every group of scores, in an order that doesn't depend on values."""
    found = [one.scores for one in (*evaluation.identities.values(), *evaluation.segments)]
    return [evaluation.overall, *found]


@settings(max_examples=40, deadline=None)
@given(exact_stays, st.sampled_from([0.25, 2.0, 16.0]), st.sampled_from([0.5, 0.75, 1.0]))
def test_rewards_stretch_with_their_scale_and_times_and_ratios_stay(tmp_path_factory, stays, scale, rho):
    """Powers of two, so that no threshold moves by rounding; both bounds are stretched too."""
    folder = tmp_path_factory.mktemp("runs")
    left, right = (
        evaluate(
            trace_of(folder, stays, factor, 0.0),
            window=4,
            rho=rho,
            upper={"A": factor, "B": factor},
            lower={"A": -factor, "B": -factor},
        )
        for factor in (1.0, scale)
    )
    for one, other in zip(groups(left), groups(right), strict=True):
        for name, score in one.items():
            factor = scale if FORMULAS[name].unit in IN_REWARD else 1.0
            expected = (
                None if score.value is None else pytest.approx(factor * score.value, rel=1e-9, abs=1e-9)
            )
            assert (other[name].value, other[name].reason) == (expected, score.reason), name
            assert other[name].flags == score.flags, name


@settings(max_examples=30, deadline=None)
@given(exact_stays, st.sampled_from([-4.0, 1.0, 32.0]))
def test_what_is_a_difference_of_rewards_does_not_move_with_them(tmp_path_factory, stays, offset):
    folder = tmp_path_factory.mktemp("runs")
    left, right = (
        evaluate(
            trace_of(folder, stays, 1.0, by),
            window=4,
            upper={"A": 1 + by, "B": 1 + by},
            lower={"A": by - 1, "B": by - 1},
        )
        for by in (0.0, offset)
    )
    differences = [
        *("forgetting_entry", "forgetting_final", "stability_std", "stability_detrended", "cvar05_drop"),
        *("max_drawdown", "gap_remaining", "gap_normalised", "gap_asymptotic", "regret"),
    ]
    for one, other in zip(groups(left), groups(right), strict=True):
        for name in (name for name in differences if name in one):
            expected = None if one[name].value is None else pytest.approx(one[name].value, rel=1e-9, abs=1e-9)
            assert (other[name].value, other[name].reason) == (expected, one[name].reason), name
        moved = one["reward_terminal"]
        if moved.value is not None:
            assert other["reward_terminal"].value == pytest.approx(moved.value + offset)
