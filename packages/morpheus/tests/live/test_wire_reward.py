"""On a deployment the reward is the flow between two reads."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skyfall_crl.env.morpheus.morpheus_env import MorpheusEnv
from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.env.morpheus.reward_specs import PAPER
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.reward import RewardSpec

MakeLive = Callable[..., MorpheusEnv]
NOTHING = {"method": "", "path": "", "body": ""}


def test_signals_come_from_the_wire_and_say_so(office: Any) -> None:
    assert office.env.describe()["signals_from"] == "wire"


def test_what_was_there_before_the_first_read_earns_and_costs_nothing(office: Any) -> None:
    office.at(5)
    office.invoice("I", 0)
    office.shipment("S", 0, "DELIVERED", baseCost=10, fuelSurcharge=50)
    office.order("O", 0)
    office.env.reset()
    assert office.step()[0] == {"remediation": 0.0, "financial": 1.0, "throughput": 0.0}


def test_an_invoice_that_is_not_paid_when_its_term_ends_is_lost_once(office: Any) -> None:
    office.invoice("I", 0)
    office.env.reset()
    found = []
    for now in range(1, 5):
        office.at(now)
        found.append(office.step()[0]["financial"])
    assert found == [1.0, pytest.approx(0.6), 1.0, 1.0]


def test_an_invoice_that_is_paid_in_time_costs_nothing_and_a_partly_paid_one_the_rest(office: Any) -> None:
    paid, partly = office.invoice("I", 0), office.invoice("J", 0)
    office.env.reset()
    office.at(1)
    paid["status"] = "PAID"
    partly |= {"status": "PARTIALLY_PAID", "balanceDue": 10}
    assert office.step()[0]["financial"] == 1.0
    office.at(2)
    assert office.step()[0]["financial"] == pytest.approx(0.9)


def test_an_invoice_without_a_term_is_lost_when_the_window_closes(office: Any) -> None:
    office.invoice("I", 0, term=None)
    office.env.reset()
    office.at(9)
    assert office.step()[0]["financial"] == 1.0
    office.at(10)
    assert office.step()[0]["financial"] == pytest.approx(0.6)
    office.at(11)
    assert office.step()[0]["financial"] == 1.0


def test_what_was_opened_before_the_window_does_not_count(office: Any) -> None:
    office.at(20)
    office.env.reset()
    office.invoice("I", 3, term=1)
    office.shipment("S", 3, "DELIVERED", fuelSurcharge=80)
    office.order("O", 3)
    assert office.step()[0] == {"remediation": 0.0, "financial": 1.0, "throughput": 0.0}


def test_quoted_freight_is_never_lost(office: Any) -> None:
    office.shipment("S", 0, baseCost=100)
    office.env.reset()
    for now in (5, 10, 12):
        office.at(now)
        assert office.step()[0]["financial"] == 1.0


def test_surcharges_cost_when_they_appear(office: Any) -> None:
    shipment = office.shipment("S", 0, baseCost=100)
    office.env.reset()
    shipment["costs"] = {"baseCost": 100, "fuelSurcharge": 20, "accessorialCharges": 10}
    assert office.step()[0]["financial"] == pytest.approx(0.7)
    assert office.step()[0]["financial"] == 1.0
    office.shipment("T", 0, fuelSurcharge=1000)
    assert office.step()[0]["financial"] == 0.0


def test_units_are_counted_when_they_are_done_and_once_in_their_life(office: Any) -> None:
    shipment, order = office.shipment("S", 0), office.order("O", 0, "IN_PROGRESS")
    office.env.reset()
    shipment["status"] = "DELIVERED"
    assert office.step()[0]["throughput"] == 0.5
    order["status"] = "COMPLETED"
    office.order("P", 0)
    assert office.step()[0]["throughput"] == 1.0
    shipment["status"] = "EXCEPTION"
    assert office.step()[0]["throughput"] == 0.0
    shipment["status"] = "DELIVERED"
    assert office.step()[0]["throughput"] == 0.0


def test_after_a_failed_read_the_next_flow_covers_what_happened_meanwhile(office: Any) -> None:
    shipment = office.shipment("S", 0)
    office.env.reset()
    shipment["status"] = "DELIVERED"
    office.deployment.broken["erp/orders"] = BackendError("no answer")
    info = office.env.step(NOTHING)[4]
    assert info["reward_missing"] == ("throughput",)
    office.deployment.broken.clear()
    assert office.step()[0]["throughput"] == 0.5


def test_a_domain_the_world_does_not_run_contributes_nothing(office: Any) -> None:
    office.deployment.broken["erp/orders"] = BackendError("no such route", status=404)
    shipment = office.shipment("S", 0)
    office.env.reset()
    shipment["status"] = "DELIVERED"
    info = office.env.step(NOTHING)[4]
    assert info["reward_terms"]["throughput"] == 0.5
    assert "reward_missing" not in info
    assert info["economics"]["missing"] == ["orders"]


@pytest.mark.parametrize(
    ("term", "params", "words"),
    [
        ("financial", {"leak_per_stepp": 1}, ["leak_per_stepp", "did you mean 'leak_per_step'"]),
        ("throughput", {"units_per_step": 0}, ["units_per_step", "positive"]),
        ("remediation", {"horizon_steps": "10"}, ["horizon_steps", "positive"]),
    ],
)
def test_a_parameter_that_can_not_work_is_a_config_error(
    term: str, params: dict[str, Any], words: list[str], make_live: MakeLive
) -> None:
    terms = [{"name": term, "weight": 1, "params": params}]
    spec = RewardSpec.from_mapping({"name": "x", "version": 1, "terms": terms})
    with pytest.raises(ConfigError) as raised:
        make_live(reward_spec=spec)
    assert all(word in str(raised.value) for word in words)


STATUSES = st.sampled_from(["SENT", "PAID", "PARTIALLY_PAID", "DRAFT", "DELIVERED", "COMPLETED", "PLANNED"])
HOURS = st.sampled_from([f"2026-01-01T{number:02d}:00:00Z" for number in range(24)]) | st.none()
DOCUMENTS = st.lists(
    st.fixed_dictionaries(
        {"_id": st.sampled_from("abcd"), "status": STATUSES, "createdAt": HOURS, "updatedAt": HOURS},
        optional={
            "totalAmount": st.integers(-5, 500) | st.none(),
            "balanceDue": st.floats() | st.none(),
            "orderId": st.sampled_from("abcd"),
            "costs": st.dictionaries(st.sampled_from(["baseCost", "fuelSurcharge"]), st.integers(0, 90)),
        },
    ),
    max_size=4,
)
WRITES = st.sampled_from(
    [
        NOTHING,
        {"method": "PUT", "path": "/{worldId}/erp/invoices/a", "body": "{}"},
        {"method": "DELETE", "path": "/{worldId}/tms/shipments/b", "body": ""},
        {"method": "POST", "path": "/{worldId}/erp/orders", "body": '{"_id": "c"}'},
    ]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(st.lists(st.tuples(WRITES, DOCUMENTS, DOCUMENTS, DOCUMENTS), max_size=5))
def test_whatever_a_deployment_records_each_signal_stays_in_its_range(
    deployment: Any, make_live: MakeLive, steps: list[Any]
) -> None:
    env = make_live(reward_spec=PAPER)
    env.reset()
    for action, *documents in steps:
        deployment.documents.update(
            zip(("erp/invoices", "tms/shipments", "erp/orders"), documents, strict=True)
        )
        _, reward, _, _, info = env.step(action)
        assert 0.0 <= reward <= 1.0
        assert all(0.0 <= value <= 1.0 for value in info["reward_terms"].values())
    env.close()
