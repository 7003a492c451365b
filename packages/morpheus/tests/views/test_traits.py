"""Orders that have traits: what the discrete view, tickets and texts show of them, and how a rule reads it back."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from skyfall_crl.env.morpheus.morpheus_env import MorpheusEnv
from skyfall_crl.env.morpheus.references.queues import QueueReader
from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend
from skyfall_crl.env.morpheus.simulation.layouts import layout_named
from skyfall_crl.env.morpheus.taskview import SchedulingUnderDrift
from skyfall_crl.env.morpheus.ticket_texts import ticket_text
from skyfall_crl.env.morpheus.tickets import normalize_tickets, ticket_payloads

LEVEL = layout_named("process-outbound/evidence")
WIDTH = 20

Make = Callable[..., Any]


@pytest.fixture
def view() -> SchedulingUnderDrift:
    """The discrete view of the level."""
    return SchedulingUnderDrift(layout=LEVEL.name)


@pytest.fixture
def crowded() -> Iterator[tuple[SimulatedBackend, str]]:
    """A backend with a world of the level in which tickets wait."""
    backend = SimulatedBackend()
    world_id = backend.create_world(name="w", layout=LEVEL.name, seed=2)
    for _ in range(120):
        backend.advance(world_id)
    yield backend, world_id
    backend.close()


def test_traits_follow_the_block_of_the_plain_view(
    view: SchedulingUnderDrift, ticket: Make, observe: Make
) -> None:
    head = ticket(2, 7, opened_step=4, priority=3, value_cents=150, tried=0b101, traits=(0, 2, 1))
    plain = SchedulingUnderDrift().encode(observe({2: [replace(head, traits=())]}))
    features = view.encode(observe({2: [head]}))
    assert features.shape == view.observation_space.shape == (7 * WIDTH + 4,)
    block = features[2 * WIDTH : 3 * WIDTH]
    assert block[:11].tolist() == plain[2 * 11 : 3 * 11].tolist()
    assert block[11:].tolist() == [1, 0, 0, 0, 0, 1, 0, 1, 0]
    assert not features[: 2 * WIDTH].any()
    assert view.observation_space.contains(features)


def test_what_a_ticket_does_not_say_is_all_zero(
    view: SchedulingUnderDrift, ticket: Make, observe: Make
) -> None:
    features = view.encode(observe({0: [ticket(0, 1, traits=(-1, -1, 2))]}))
    assert features[11:WIDTH].tolist() == [0] * 8 + [1]


def test_a_rule_reads_back_what_the_view_wrote(
    view: SchedulingUnderDrift, ticket: Make, observe: Make
) -> None:
    features = view.encode(observe({4: [ticket(4, 9, traits=(2, 0, 1))]}))
    (head,) = QueueReader(LEVEL).heads(features.tolist())
    assert (head.symptom, head.traits) == (4, (2, 0, 1))


def test_tickets_say_the_traits_of_their_order_and_never_its_cause(
    crowded: tuple[SimulatedBackend, str],
) -> None:
    backend, world_id = crowded
    payloads = list(ticket_payloads(backend.get_tasks(world_id, status="open")))
    said = [payload["metadata"]["orderTraits"] for payload in payloads]
    assert all(list(traits) == ["carrier", "productClass", "customer"] for traits in said)
    assert {traits["productClass"] for traits in said} == set(LEVEL.traits[1].values)
    text = ticket_text(payloads[0])
    assert text is not None
    assert f'"traits":{{"carrier":"{said[0]["carrier"]}"' in text.text
    assert '"cause"' not in text.text


def test_features_read_off_tickets_are_those_of_the_board(
    view: SchedulingUnderDrift, crowded: tuple[SimulatedBackend, str]
) -> None:
    backend, world_id = crowded
    flags = {"remedied": False, "failed": False}
    direct = view.encode({"board": backend.ticket_board(world_id), **flags})
    tickets = normalize_tickets(backend.get_tasks(world_id))
    read = view.encode({"tickets": tickets, "world_time": 120 * 30, **flags})
    np.testing.assert_array_equal(direct, read)


def test_the_prompt_names_the_traits_of_the_oldest_order(
    view: SchedulingUnderDrift, ticket: Make, observe: Make
) -> None:
    text = view.render(observe({5: [ticket(5, 3, traits=(1, 1, 0))]}))
    assert "carrier midland, productClass chilled, customer export, cause unknown" in text


def test_an_environment_of_the_level_shows_them(make_world: Callable[..., MorpheusEnv]) -> None:
    environment = make_world(layout=LEVEL.name, seed=2)
    environment.reset(seed=2)
    for _ in range(60):
        observation, *_ = environment.step(0)
    blocks = np.asarray(observation[: 7 * WIDTH]).reshape(7, WIDTH)
    assert (blocks[:, 11:].sum(1) == 3 * blocks[:, 0]).all()
    assert blocks[:, 0].any()
