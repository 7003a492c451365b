"""Verification: what the obligation says of a ticket and of the entities linked to it, not what agents wrote."""

import pytest

from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.env.morpheus.simulation import World, catalogue
from skyfall_crl.env.morpheus.simulation.enterprise import Enterprise
from skyfall_crl.env.morpheus.simulation.entities.directory import Place
from skyfall_crl.env.morpheus.simulation.verification import verify_entity, verify_ticket

WORLD_ID = "5f" * 12


def test_a_ticket_passes_once_its_fault_is_mended(world: World) -> None:
    enterprise = Enterprise(world, WORLD_ID)
    fault = next(iter(world.blocked.values()))
    before = verify_ticket(enterprise, fault)
    assert before["passed"] is False
    assert (before["totalChecks"], before["passedChecks"], before["failedChecks"]) == (3, 0, 3)
    world.mend(fault, fault.cause)
    after = verify_ticket(enterprise, fault)
    assert after["passed"] is True
    assert after["passedChecks"] == after["totalChecks"] == 3
    for result in (before, after):
        assert catalogue.entity("VerificationResult").problem(result) is None


def test_a_ticket_names_the_entities_linked_to_it_and_never_what_would_mend_it(world: World) -> None:
    fault = next(iter(world.blocked.values()))
    result = verify_ticket(Enterprise(world, WORLD_ID), fault)
    linked = [evidence.path.rpartition("/")[2] for evidence in world.layout.symptoms[fault.symptom].evidence]
    number = str(fault.order.number)
    found = [check["entityId"] for check in result["entityStateChecks"]]
    assert found == [each.replace("{number}", number) for each in linked]
    remedies = world.layout.symptoms[fault.symptom].remedies
    assert not [remedy.name for remedy in remedies if remedy.name in str(result)]


def test_a_lost_order_never_passes(world: World) -> None:
    enterprise = Enterprise(world, WORLD_ID)
    fault = next(iter(world.blocked.values()))
    while fault.order.number in world.blocked:
        world.begin()
        world.advance()
    assert verify_ticket(enterprise, fault)["passed"] is False


def test_what_an_agent_wrote_changes_no_verdict(world: World) -> None:
    enterprise = Enterprise(world, WORLD_ID)
    fault = next(iter(world.blocked.values()))
    before = verify_ticket(enterprise, fault)
    for collection in enterprise.directory.collections.values():
        for kind in collection.around:
            path = enterprise.directory.path(kind, fault.order.number)
            sight = enterprise.sight(Place(collection, path.rpartition("/")[2], kind, fault.order.number))
            if sight is not None:
                enterprise.write(sight, {collection.state: "DONE"})
    assert verify_ticket(enterprise, fault) == before


def test_an_entity_passes_unless_a_fault_holds_its_order(world: World) -> None:
    enterprise = Enterprise(world, WORLD_ID)
    held = next(iter(world.blocked))
    free = next(order.number for order in world.orders.values() if order.fault is None)
    for number, passes in ((held, False), (free, True)):
        for identifier in (f"wms_outbound-order_{number}", f"wms:outbound-order:ORDER_{number}"):
            result = verify_entity(enterprise, {"odId": "od_x", "entityId": identifier})
            assert result["passed"] is passes
            assert catalogue.entity("VerificationResult").problem(result) is None


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"odId": "x"},
        {"odId": "x", "entityId": "ORDER_999999"},
        {"odId": "x", "entityId": 3},
        {"odId": "x", "entityId": "ORDER_1", "entityType": ["ORDER"]},
        {"odId": "x", "entityId": "ORDER_1", "entityType": "PLANET"},
        {"odId": "x", "entityId": "ORDER_1", "entityType": "WAVE"},
    ],
)
def test_an_entity_nobody_knows_is_a_backend_error(world: World, body: dict) -> None:
    with pytest.raises(BackendError, match="verify-entity: expected"):
        verify_entity(Enterprise(world, WORLD_ID), body)
