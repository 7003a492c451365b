"""What must not change a score: where time begins, what regimes are called, how a trace is read."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skyfall_crl.metrics import evaluate
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
