"""A served world gives the rows of one in process: observations, rewards and infos, step by step."""

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

from skyfall_crl.env.morpheus.factory import morpheus_world, world
from skyfall_crl.env.morpheus.http.stepped_backend import SteppedHttpBackend, connect
from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend
from skyfall_crl.env.morpheus.simulation.layouts import layout_names
from skyfall_crl.env.morpheus.testing import check_backend

pytestmark = pytest.mark.floor

LAYOUTS = layout_names()


def rows(env: Any, steps: int) -> list[Any]:
    """Return what each step of a world gives under random actions, its id left out."""
    draw = Random(7)
    found: list[Any] = [env.reset(seed=5)[0]]
    space = env.action_space
    space.seed(3)
    for _ in range(steps):
        action = space.sample()
        if draw.random() < 0.3 and hasattr(space, "n"):
            action = 0
        observation, reward, terminated, truncated, info = env.step(action)
        kept = {key: value for key, value in sorted(info.items()) if key != "world_id"}
        found.append((np.asarray(observation).tolist(), float(reward), terminated, truncated, repr(kept)))
    return found


def compare(url: str, layout: str, steps: int) -> None:
    settings = {
        "layout": layout,
        "task_view": "scheduling-under-drift",
        "reward_spec": "paper",
        "max_steps": 10**9,
    }
    served = morpheus_world(base_url=url, delete_on_close=True, **settings)
    inside = world(**settings)
    try:
        over_http, in_process = rows(served, steps), rows(inside, steps)
    finally:
        served.close()
        inside.close()
    assert np.array_equal(over_http[0], in_process[0])
    for step, (one, other) in enumerate(zip(over_http[1:], in_process[1:], strict=True)):
        assert one == other, step
    assert any(row[1] > 0 for row in in_process[1:])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_steps_over_http_are_those_in_process(shared_client: Any, layout: str) -> None:
    compare(shared_client.url, layout, 300 if layout == LAYOUTS[0] else 40)


@pytest.mark.soak
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_10_000_steps_over_http_are_those_in_process(
    run_server: Callable[..., Any], layout: str, tmp_path: Any
) -> None:
    compare(run_server(state=tmp_path).url, layout, 10_000)


def test_the_contract_of_backends_is_kept(client: Any) -> None:
    check_backend(lambda: connect(client.url))


def test_a_served_world_is_digest_for_digest_the_one_in_process(client: Any) -> None:
    served, inside = connect(client.url), SimulatedBackend()
    assert isinstance(served, SteppedHttpBackend)
    worlds = [each.create_world(name="n", layout="process-outbound", seed=9) for each in (served, inside)]
    assert worlds[0] == worlds[1]
    for _ in range(40):
        for backend in (served, inside):
            backend.act(worlds[0], method="GET", path=f"/{worlds[0]}/tickets")
    assert served.digest_world(worlds[0]) == inside.digest_world(worlds[0])
    served.close()
