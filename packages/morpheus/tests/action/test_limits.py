"""An operator can brake an agent and see afterwards every write it tried."""

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skyfall_crl.env.morpheus import limits as limits_module
from skyfall_crl.env.morpheus.action import ALLOWED_METHODS, ActionScope
from skyfall_crl.env.morpheus.audit import AuditFile
from skyfall_crl.env.morpheus.factory import world
from skyfall_crl.env.morpheus.limits import ActionLimits, Allowance
from skyfall_crl.env.morpheus.morpheus_env import MorpheusEnv
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.ports.tools import ToolCall

MakeWorld = Callable[..., MorpheusEnv]
READ = {"method": "GET", "path": "/{worldId}/tickets", "body": ""}
WRITE = {"method": "PUT", "path": "/{worldId}/erp/orders/ORDER_1", "body": '{"notes": "checked"}'}
NOTHING = {"method": "", "path": "", "body": ""}


def reasons(env: MorpheusEnv, *actions: dict[str, str]) -> list[str | None]:
    """Return why each action was refused before it was sent, None where it was sent."""
    outcomes = [env.step(action)[4]["outcome"] for action in actions]
    assert all(outcome.sent or not outcome.accepted or outcome.reason is None for outcome in outcomes)
    return [None if outcome.sent else outcome.reason for outcome in outcomes]


def limited(make_world: MakeWorld, **limits: Any) -> MorpheusEnv:
    env = make_world(task_view="tool-call", action_scope={"limits": limits})
    env.reset(seed=1)
    return env


def test_without_limits_everything_is_sent(make_world: MakeWorld) -> None:
    assert reasons(limited(make_world), *[WRITE, READ] * 30) == [None] * 60


def test_no_more_actions_than_the_total_are_sent_and_doing_nothing_is_free(make_world: MakeWorld) -> None:
    env = limited(make_world, actions_total=2)
    assert reasons(env, NOTHING, READ, NOTHING, WRITE, READ, NOTHING) == [
        *(None, None, None),
        *(None, "actions_exhausted", None),
    ]


def test_no_more_writes_than_the_total_are_sent_and_reads_go_on(make_world: MakeWorld) -> None:
    env = limited(make_world, writes_total=1)
    assert reasons(env, READ, WRITE, WRITE, READ) == [None, None, "writes_exhausted", None]


def test_a_dry_run_sends_no_write(make_world: MakeWorld) -> None:
    env = limited(make_world, dry_run=True)
    assert reasons(env, WRITE, READ, WRITE) == ["dry_run", None, "dry_run"]


def test_verbs_can_be_narrowed_further(make_world: MakeWorld) -> None:
    env = limited(make_world, methods=["get", "PATCH"])
    assert reasons(env, WRITE, READ) == ["limited_method", None]


def test_a_minute_lets_through_so_many_actions(
    make_world: MakeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(limits_module, "monotonic", lambda: now[0])
    env = limited(make_world, actions_per_minute=2)
    assert reasons(env, READ, WRITE, READ) == [None, None, "rate_limited"]
    now[0] += 59.9
    assert reasons(env, READ) == ["rate_limited"]
    now[0] += 0.2
    assert reasons(env, READ, READ, READ) == [None, None, "rate_limited"]


def test_a_refused_action_moves_the_world_all_the_same_and_counts_for_nothing(make_world: MakeWorld) -> None:
    env = limited(make_world, actions_total=1)
    outside = {"method": "GET", "path": "/{worldId}/od/x", "body": ""}
    assert reasons(env, outside, outside, READ) == ["closed_domain", "closed_domain", None]
    before = env.step(READ)[4]["world_time"]
    assert env.step(READ)[4]["world_time"] == before + 30


def test_limits_are_in_the_description(make_world: MakeWorld, tmp_path: Path) -> None:
    scope = {"limits": {"writes_total": 3, "methods": ["get"]}, "audit": str(tmp_path / "audit.jsonl")}
    described = make_world(action_scope=scope).describe()["scope"]
    assert described["limits"] == {"writes_total": 3, "methods": ["GET"]}
    assert described["audited"] is True


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"writes": 3}, ["limits.writes", "writes_total"]),
        ({"writes_total": -1}, ["limits.writes_total", "at least 0"]),
        ({"actions_total": True}, ["limits.actions_total"]),
        ({"actions_per_minute": 1.5}, ["limits.actions_per_minute"]),
        ({"dry_run": "yes"}, ["limits.dry_run", "true or false"]),
        ({"methods": []}, ["limits.methods"]),
        ({"methods": ["GETT"]}, ["limits.methods[0]", "did you mean 'GET'"]),
        (7, ["limits", "mapping"]),
    ],
)
def test_a_limit_that_can_not_work_is_a_config_error(limits: Any, words: list[str]) -> None:
    with pytest.raises(ConfigError) as raised:
        world(action_scope={"limits": limits})
    assert all(word in str(raised.value) for word in ["action_scope", *words])


@given(
    st.builds(
        ActionLimits,
        actions_total=st.none() | st.integers(0, 9),
        writes_total=st.none() | st.integers(0, 9),
        methods=st.none() | st.lists(st.sampled_from(ALLOWED_METHODS), min_size=1).map(tuple),
        dry_run=st.booleans(),
    ),
    st.lists(st.sampled_from(ALLOWED_METHODS), max_size=30),
)
def test_no_order_of_calls_gets_past_the_limits(limits: ActionLimits, methods: list[str]) -> None:
    allowance = Allowance(limits)
    sent = [method for method in methods if allowance.spend(method) is None]
    writes = [method for method in sent if method != "GET"]
    assert len(sent) <= (len(methods) if limits.actions_total is None else limits.actions_total)
    assert len(writes) <= (len(methods) if limits.writes_total is None else limits.writes_total)
    assert not (limits.dry_run and writes)
    assert limits.methods is None or set(sent) <= set(limits.methods)
    assert ActionLimits.from_mapping(limits.to_mapping()) == limits


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_every_write_is_in_the_audit_file_before_and_after_and_every_refused_one(
    make_world: MakeWorld, tmp_path: Path
) -> None:
    path = tmp_path / "audit.jsonl"
    scope = {"limits": {"writes_total": 1}, "audit": str(path)}
    env = make_world(task_view="tool-call", action_scope=scope)
    env.reset(seed=1)
    outside = {"method": "POST", "path": "/{worldId}/od/x", "body": "{}"}
    for action in (READ, WRITE, outside, WRITE, NOTHING):
        env.step(action)
    found = lines_of(path)
    assert [(line["event"], line["write"], line["method"]) for line in found] == [
        ("sent", 1, "PUT"),
        ("answered", 1, "PUT"),
        ("refused", 2, "POST"),
        ("refused", 3, "PUT"),
    ]
    assert found[0]["body"] == {"notes": "checked"}
    assert found[0]["path"] == f"/{env.world_id}/erp/orders/ORDER_1"
    assert found[0]["world"] == env.world_id
    assert found[1]["status"] == 404
    assert found[1]["accepted"] is False
    assert [line["reason"] for line in found[2:]] == ["closed_domain", "writes_exhausted"]


def test_the_audit_file_is_appended_to_and_its_owners_alone(make_world: MakeWorld, tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    for _ in range(2):
        env = make_world(task_view="tool-call", action_scope={"audit": str(path)})
        env.reset(seed=1)
        env.step(WRITE)
        env.actions.close()
        env.step(WRITE)
    assert [line["event"] for line in lines_of(path)] == ["sent", "answered"] * 4
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_write_that_can_not_be_noted_is_not_sent(make_world: MakeWorld, tmp_path: Path) -> None:
    scope = ActionScope(audit=tmp_path / "audit.jsonl")
    env = world(task_view="tool-call", action_scope=scope)
    env.reset(seed=1)
    env.actions.close()
    (tmp_path / "audit.jsonl").unlink()
    os.mkfifo(tmp_path / "audit.jsonl")
    reader = os.open(tmp_path / "audit.jsonl", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert reasons(env, WRITE) == ["audit_failed"]
    finally:
        os.close(reader)
    env.close()


def test_an_audit_file_that_can_not_be_opened_is_a_config_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"action_scope\.audit"):
        world(action_scope={"audit": str(tmp_path / "nowhere" / "audit.jsonl")})
    with pytest.raises(ConfigError, match=r"action_scope\.audit"):
        world(action_scope={"audit": 3})


@pytest.mark.parametrize("body", [None, {"a": {1, 2}}, {"a": "x" * 100_000}, {"\ud800": 1}])
def test_any_body_fits_into_a_line(body: Any, tmp_path: Path) -> None:
    audit = AuditFile(tmp_path / "audit.jsonl")
    assert audit.sending("w", ToolCall("PUT", "/w/erp/x", body))
    audit.close()
    (line,) = lines_of(tmp_path / "audit.jsonl")
    assert line["path"] == "/w/erp/x"
    assert len(json.dumps(line)) < 70_000
