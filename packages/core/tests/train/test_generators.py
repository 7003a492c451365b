"""Named random generators."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from skyfall_crl.train.generators import Generators, world_seed

NAMES = ["policy", "sampling", "algorithm", "world/0"]


@given(st.permutations(NAMES), st.integers(0, 2**40))
def test_a_generator_depends_on_seed_and_name_and_not_on_the_order_of_asking(
    names: list[str], seed: int
) -> None:
    mixed, ordered = Generators(seed), Generators(seed)
    drawn = {name: mixed.get(name).random() for name in names}
    assert drawn == {name: ordered.get(name).random() for name in NAMES}
    assert len(set(drawn.values())) == len(NAMES)


@given(st.integers(0, 2**40), st.integers(0, 50))
def test_a_stored_state_survives_json_and_goes_on_where_it_was(seed: int, draws: int) -> None:
    original = Generators(seed)
    original.get("sampling").random(draws)
    original.get("sampling").integers(7, dtype="int32")
    stored = msgspec.json.decode(msgspec.json.encode(original.state()))
    copy = Generators(seed + 1)
    held = copy.get("sampling")
    copy.restore(stored)
    assert held.random(5).tolist() == original.get("sampling").random(5).tolist()
    assert held.integers(9, dtype="int32") == original.get("sampling").integers(9, dtype="int32")


def test_worlds_have_seeds_of_their_own_that_never_change() -> None:
    assert [world_seed(0, world) for world in range(3)] == [2842738514, 2528686359, world_seed(0, 2)]
    assert len({world_seed(seed, world) for seed in range(5) for world in range(20)}) == 100
