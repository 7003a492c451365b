"""A step over a network waits twice: for its action, then for everything that is read, all at once."""

import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from skyfall_crl.env.morpheus.morpheus_env import MorpheusEnv
from skyfall_crl.env.morpheus.ports import BackendError, ChaosBackend, MorpheusBackend, RewardConfigBackend
from skyfall_crl.env.morpheus.reading_pool import ReadingPool
from skyfall_crl.env.morpheus.reward_specs import PAPER
from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend
from skyfall_crl.env.morpheus.world_senses import ASKED_AGAIN, MOST_VERIFIED
from skyfall_crl.ports.environment import capabilities
from skyfall_crl.regime import ConstantRegime, Regime, ScheduledRegime

MakeLive = Callable[..., MorpheusEnv]
MEND = {"method": "PUT", "path": "/{worldId}/tickets/T1", "body": "{}"}
NOTHING = {"method": "", "path": "", "body": ""}
B = Regime("B", axes={"cause_mix": "B"})
C = Regime("C", axes={"cause_mix": "C"})


def together(deployment: Any, reads: int) -> None:
    """Let reads answer only when so many of them are under way at once."""
    barrier = threading.Barrier(reads)
    deployment.gate = lambda: barrier.wait(timeout=10)


def test_the_double_keeps_the_protocols(deployment: Any) -> None:
    for port in (MorpheusBackend, ChaosBackend, RewardConfigBackend):
        assert isinstance(deployment, port)


def test_everything_read_is_under_way_at_once_after_the_action(deployment: Any, make_live: MakeLive) -> None:
    env = make_live(reward_spec=PAPER)
    env.reset()
    deployment.calls.clear()
    together(deployment, 5)
    env.step(MEND)
    first, *others = deployment.calls
    assert first == "act PUT /65f0c0ffee65f0c0ffee65f0/tickets/T1"
    assert sorted(others) == ["erp/invoices", "erp/orders", "tickets", "tms/shipments", "verify"]


def test_a_push_rides_with_the_reads_and_its_reading_back_with_the_next(
    deployment: Any, make_live: MakeLive
) -> None:
    env = make_live(reward_spec=PAPER)
    env.reset()
    env.announce_regime(B, None)
    deployment.calls.clear()
    env.step(NOTHING)
    assert deployment.calls.count("push") == 1
    deployment.calls.clear()
    applied = env.apply_regime(B, None)
    assert deployment.calls == []
    assert (applied.selected, applied.read_back) == ({"cause_mix": "B"}, None)
    assert env.regime_id == "B"
    together(deployment, 5)
    info = env.step(NOTHING)[4]
    assert sorted(deployment.calls) == [
        "erp/invoices",
        "erp/orders",
        "read_chaos",
        "tickets",
        "tms/shipments",
    ]
    assert info["regime_read_back"] == {"cause_mix": "B"}
    deployment.gate = lambda: None
    assert "regime_read_back" not in env.step(NOTHING)[4]


def test_what_reads_back_is_what_the_world_says(deployment: Any, make_live: MakeLive) -> None:
    env = make_live()
    env.reset()
    env.announce_regime(B, None)
    env.step(NOTHING)
    env.apply_regime(B, None)
    deployment.chaos = {"simulation": {"axes": {"cause_mix": "A"}}}
    assert env.step(NOTHING)[4]["regime_read_back"] == {"cause_mix": "A"}


def test_a_read_back_that_fails_is_tried_again(deployment: Any, make_live: MakeLive) -> None:
    env = make_live()
    env.reset()
    env.announce_regime(B, None)
    env.step(NOTHING)
    env.apply_regime(B, None)
    deployment.broken["read_chaos"] = BackendError("no answer")
    assert "regime_read_back" not in env.step(NOTHING)[4]
    deployment.broken.clear()
    assert env.step(NOTHING)[4]["regime_read_back"] == {"cause_mix": "B"}


def test_a_push_that_failed_is_made_up_for_at_once(deployment: Any, make_live: MakeLive) -> None:
    env = make_live()
    env.reset()
    env.announce_regime(B, None)
    deployment.broken["push"] = BackendError("no answer")
    env.step(NOTHING)
    applied = env.apply_regime(B, None)
    assert applied.read_back == {"cause_mix": "B"}
    assert deployment.calls[-1] == "set_chaos"


@pytest.mark.parametrize("told", [C, Regime("B", axes={"cause_mix": "C"})])
def test_another_regime_than_the_announced_one_is_pushed_at_once(
    told: Regime, deployment: Any, make_live: MakeLive
) -> None:
    env = make_live()
    env.reset()
    env.announce_regime(B, None)
    env.step(NOTHING)
    assert env.apply_regime(told, None).read_back == {"cause_mix": "C"}


def test_a_regime_is_read_back_before_the_next_is_pushed_over_it(
    deployment: Any, make_live: MakeLive
) -> None:
    env = make_live()
    env.reset()
    for regime, following in ((B, C), (C, B)):
        env.announce_regime(regime, None)
        env.step(NOTHING)
        env.apply_regime(regime, None)
        env.announce_regime(following, None)
        deployment.calls.clear()
        info = env.step(NOTHING)[4]
        assert deployment.calls.index("read_chaos") < deployment.calls.index("push")
        assert info["regime_read_back"] == dict(regime.axes)


def test_weights_are_announced_without_a_word_to_the_world(deployment: Any, make_live: MakeLive) -> None:
    env = make_live(reward_spec=PAPER, layout="of-somebody-else")
    env.reset()
    regime = Regime("money", axes={"reward_weights": {"financial": 1.0}})
    env.announce_regime(regime, None)
    env.step(NOTHING)
    assert env.apply_regime(regime, None).read_back is None
    assert env.step(NOTHING)[4]["regime_read_back"] == {"reward_weights": {"financial": 1.0}}
    assert not {"push", "set_chaos", "read_chaos"} & set(deployment.calls)


def test_an_environment_that_follows_its_own_provider_pushes_ahead(
    deployment: Any, make_live: MakeLive
) -> None:
    regimes = [{"regime_id": name, "duration_steps": 2, "axes": {"cause_mix": name}} for name in "AB"]
    env = make_live(regime=ScheduledRegime({"shift_mode": "cyclic", "regimes": regimes}))
    env.reset()
    seen = [env.step(NOTHING)[4]["regime_id"] for _ in range(6)]
    assert seen == list("AABBAA")
    assert deployment.calls.count("set_chaos") == 1
    assert deployment.calls.count("push") == 3


def test_only_worlds_over_a_network_can_be_told_ahead(make_live: MakeLive) -> None:
    assert capabilities(make_live()).announces
    embedded = MorpheusEnv(SimulatedBackend(), regime=ConstantRegime("A"))
    assert not capabilities(embedded).announces
    embedded.reset(seed=1)
    before = threading.active_count()
    embedded.step(NOTHING)
    assert threading.active_count() == before


@pytest.mark.parametrize("name", ["tickets", "erp/invoices", "tms/shipments", "erp/orders", "verify"])
def test_a_read_that_fails_spoils_nothing_but_itself(name: str, deployment: Any, make_live: MakeLive) -> None:
    deployment.ticket("T1")
    deployment.documents["erp/invoices"].append({"invoiceId": "I", "status": "SENT", "totalAmount": 10})
    env = make_live(reward_spec=PAPER)
    env.reset()
    deployment.mended.add("T1")
    deployment.broken[name] = BackendError("no answer")
    observation, _, _, _, info = env.step(MEND)
    assert env.observation_space.contains(observation)
    assert (observation["ticket_payload"] == "[]") == (name == "tickets")
    assert (observation["economics"][0] == 0) == (name == "erp/invoices")
    assert info["outcome"].verified == (() if name == "verify" else ("T1",))
    missing = {
        "tickets": (),
        "erp/invoices": ("financial",),
        "erp/orders": ("throughput",),
        "tms/shipments": ("financial", "throughput"),
        "verify": ("remediation",),
    }
    assert info.get("reward_missing", ()) == missing[name]


def test_the_figures_are_in_the_observation_and_in_info(deployment: Any, make_live: MakeLive) -> None:
    deployment.documents["erp/orders"].append({"orderId": "O", "status": "COMPLETED"})
    deployment.documents["erp/invoices"].append({"invoiceId": "I", "status": "PAID", "totalAmount": 12.5})
    env = make_live()
    observation, info = env.reset()
    assert observation["economics"].tolist() == [12.5, 12.5, 0.0, 0.0, 1.0]
    assert info["economics"]["receivable_paid_cents"] == 1250


def test_a_source_the_world_does_not_have_is_asked_for_again_now_and_then(
    deployment: Any, make_live: MakeLive
) -> None:
    deployment.broken["erp/orders"] = BackendError("no such route", status=404)
    env = make_live(reward_spec=PAPER)
    env.reset()
    for _ in range(ASKED_AGAIN - 1):
        assert env.step(NOTHING)[4]["economics"]["missing"] == ["orders"]
    assert deployment.calls.count("erp/orders") == 1
    deployment.broken.clear()
    assert "missing" not in env.step(NOTHING)[4]["economics"]
    env.step(NOTHING)
    assert deployment.calls.count("erp/orders") == 3


def test_closed_tickets_that_pile_up_are_not_read_again_and_again(
    deployment: Any, make_live: MakeLive
) -> None:
    for name in ("T1", "T2"):
        deployment.ticket(name)
    env = make_live()
    env.reset()
    assert "tickets" in deployment.calls
    deployment.tickets[0]["status"] = "resolved"
    deployment.tickets[1]["status"] = "in_progress"
    observation, *_ = env.step(NOTHING)
    assert observation["open_by_status"].tolist() == [0, 0, 1, 0]
    deployment.calls.clear()
    together(deployment, 5)
    observation, *_ = env.step(NOTHING)
    reads = {call for call in deployment.calls if call.startswith("tickets")}
    assert reads == {"tickets open", "tickets in_progress"}
    assert [ticket["ticket_id"] for ticket in json.loads(observation["ticket_payload"])] == ["T2"]


def test_a_state_the_world_never_used_is_asked_for_now_and_then_and_once_an_agent_wrote_tickets(
    deployment: Any, make_live: MakeLive
) -> None:
    for name in ("T1", "T2"):
        deployment.ticket(name)
    deployment.tickets[0]["status"] = "closed"
    env = make_live()
    env.reset()
    deployment.tickets[1]["status"] = "on_hold"
    held = [env.step(NOTHING)[0]["open_by_status"].tolist()[3] for _ in range(10)]
    assert held == sorted(held)
    assert held[-1] == 1
    deployment.tickets[1]["status"] = "new"
    found = env.step({"method": "PATCH", "path": "/{worldId}/tickets/T2/status", "body": '{"status": "new"}'})
    assert found[0]["open_by_status"].tolist() == [1, 0, 0, 0]


def test_a_ticket_raised_where_all_were_closed_is_seen_at_once(deployment: Any, make_live: MakeLive) -> None:
    for name in ("T1", "T2"):
        deployment.ticket(name)
    for ticket in deployment.tickets:
        ticket["status"] = "closed"
    env = make_live()
    env.reset()
    env.step(NOTHING)
    deployment.tickets[1]["status"] = "open"
    assert env.step(NOTHING)[0]["open_by_status"].tolist() == [0, 1, 0, 0]


def test_a_state_that_can_not_be_read_hides_all_tickets_rather_than_some(
    deployment: Any, make_live: MakeLive
) -> None:
    for name in ("T1", "T2"):
        deployment.ticket(name)
    deployment.tickets[0]["status"] = "closed"
    env = make_live()
    observation, _ = env.reset()
    assert observation["open_by_status"].tolist() == [0, 1, 0, 0]
    deployment.broken["tickets open"] = BackendError("no answer")
    assert env.step(NOTHING)[0]["open_by_status"].tolist() == [0, 0, 0, 0]


def test_an_action_can_not_keep_the_verifier_busy(deployment: Any, make_live: MakeLive) -> None:
    env = make_live()
    env.reset()
    many = ", ".join(f'"T{number}"' for number in range(100))
    env.step({"method": "PUT", "path": "/{worldId}/erp/orders/O", "body": f'{{"ticketIds": [{many}]}}'})
    assert deployment.calls.count("verify") == MOST_VERIFIED


def test_an_error_that_is_no_failure_of_the_backend_is_raised_and_stops_no_other_job() -> None:
    done: list[int] = []

    def wrong() -> None:
        raise ZeroDivisionError

    pool = ReadingPool()
    with pytest.raises(ZeroDivisionError):
        pool.run({"a": lambda: done.append(1), "b": wrong, "c": lambda: done.append(2)})
    pool.close()
    assert sorted(done) == [1, 2]
    assert pool.run({}) == {}
    assert pool.run({"alone": threading.current_thread}) == {"alone": threading.current_thread()}
