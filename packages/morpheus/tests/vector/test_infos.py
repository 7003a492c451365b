"""Infos of several worlds as columns."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import VectorEnv
from hypothesis import given, settings
from hypothesis import strategies as st

from skyfall_crl.env.morpheus import PersistentVectorEnv
from skyfall_crl.env.morpheus.vector_batches import batch_infos

agreeing = st.fixed_dictionaries(
    {},
    optional={
        "count": st.integers(-(2**40), 2**40),
        "share": st.floats(allow_nan=False),
        "done": st.booleans(),
        "small": st.integers(0, 9).map(np.int16),
        "pair": st.lists(st.integers(0, 9), min_size=2, max_size=2).map(np.array),
        "text": st.text(max_size=3),
        "list": st.lists(st.integers()),
        "nothing": st.none(),
        "terms": st.dictionaries(st.sampled_from("xy"), st.floats(allow_nan=False)),
    },
)


@settings(deadline=None, max_examples=60)
@given(infos=st.lists(agreeing, min_size=1, max_size=4))
def test_infos_have_the_form_of_gymnasiums_own_vector_environments(infos: list[dict[str, Any]]) -> None:
    vector = VectorEnv()
    vector.num_envs = len(infos)
    expected: dict[str, Any] = {}
    for number, info in enumerate(infos):
        expected = vector._add_info(expected, info, number)
    batched = batch_infos(dict(enumerate(infos)), len(infos))
    assert data_equivalence(_by_key(batched), _by_key(expected))


def _by_key(infos: dict[str, Any]) -> dict[str, Any]:
    """Sort an info by key and turn columns of objects into lists, which compare by value."""
    plain = {key: _by_key(value) if isinstance(value, dict) else value for key, value in infos.items()}
    lists = {
        key: value.tolist() if getattr(value, "dtype", None) == np.dtype(object) else value
        for key, value in plain.items()
    }
    return dict(sorted(lists.items()))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 0.5),
        (0.5, None),
        (1, "one"),
        (2**70, 1),
        (np.zeros(2), np.zeros(3)),
        ({"a": 1}, 3),
        (np.int8(1), 300),
    ],
)
def test_infos_whose_types_differ_between_worlds_are_kept_as_they_are(
    counter: Any, one: Any, other: Any
) -> None:
    factories = [
        partial(counter, lambda _, v=value: (np.zeros(2), 1.0, False, False, {"it": v}))
        for value in (one, other)
    ]
    env = PersistentVectorEnv(factories)
    env.reset()
    _, rewards, *_, infos = env.step([0, 0])
    assert rewards.tolist() == [1, 1]
    assert infos["it"].dtype == object
    assert [type(value) for value in infos["it"]] == [type(one), type(other)]
    assert data_equivalence(list(infos["it"]), [one, other])
    assert infos["_it"].tolist() == [True, True]
    env.close()
