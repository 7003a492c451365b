"""A language model as a policy: what it is shown, what its text becomes, and what each row says it took."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from skyfall_crl.ports.errors import ConfigError, PolicyError
from skyfall_crl.serve.chat import ChatPolicy

Make = Callable[..., Any]
KEY = "canary-5c1e88d0"


def seen(*values: int) -> list[np.ndarray]:
    return [np.array([value]) for value in values]


def test_the_model_is_shown_what_the_view_renders_and_its_text_is_handed_on(
    model: Any, make_policy: Make
) -> None:
    (decision,) = make_policy(parameters={"temperature": 0}).act(seen(7), [{}])
    assert (decision.action, decision.text) == (None, "ACTION: 1")
    (asked,) = model.asked
    assert (asked["model"], asked["temperature"]) == ("small", 0)
    assert [message["role"] for message in asked["messages"]] == ["system", "user"]
    assert asked["messages"][-1]["content"] == "The bell shows 7. Answer ACTION: 0, 1 or 2."


def test_the_last_turns_of_its_own_world_are_shown_again_and_no_others(model: Any, make_policy: Make) -> None:
    policy = make_policy(memory=2, system="")
    for step in range(4):
        policy.act(seen(step, 100 + step), [{}, {}])
    last = [body["messages"] for body in model.asked[-2:]]
    shown = sorted([message["content"].split(".")[0] for message in messages[::2]] for messages in last)
    assert shown == [[f"The bell shows {base + step}" for step in (1, 2, 3)] for base in (0, 100)]
    assert all(message["role"] == "assistant" for messages in last for message in messages[1::2])


def test_what_became_of_the_last_action_comes_before_the_view(model: Any, make_policy: Make) -> None:
    make_policy().act(seen(1), [{"outcome": {"accepted": False, "reason": "scope"}}])
    text = model.asked[0]["messages"][-1]["content"]
    assert text.startswith('Outcome of your last action: {"accepted":false,"reason":"scope"}\n\nThe bell')


def test_worlds_are_asked_side_by_side_and_answered_in_order(model: Any, make_policy: Make) -> None:
    together = threading.Barrier(3)

    def answer(body: dict[str, Any], number: int) -> str:
        together.wait(10)
        return f"ACTION: {body['messages'][-1]['content'].split('shows ')[1][0]}"

    model.answer = answer
    decisions = make_policy().act(seen(2, 0, 1), [{}, {}, {}])
    assert [decision.text for decision in decisions] == ["ACTION: 2", "ACTION: 0", "ACTION: 1"]


@pytest.mark.parametrize(
    ("answer", "failed"),
    [
        ((500, {"error": {"message": "no"}}), "http_status"),
        ((200, b"<html>"), "bad_answer"),
        ((200, {"choices": []}), "bad_answer"),
        ((200, {"choices": [{"message": {"content": 7}}]}), "bad_answer"),
    ],
)
def test_an_endpoint_that_never_answers_properly_is_an_outcome(
    model: Any, make_policy: Make, answer: Any, failed: str
) -> None:
    model.answer = lambda body, number: answer
    (decision,) = make_policy(attempts=2).act(seen(1), [{}])
    assert (decision.text, decision.extras["chat"]["failed"]) == ("", failed)
    assert len(model.asked) == 2


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_a_passing_failure_is_asked_again(model: Any, make_policy: Make, status: int) -> None:
    model.answer = lambda body, number: (status, {"error": "later"}) if number == 1 else "ACTION: 2"
    (decision,) = make_policy().act(seen(1), [{}])
    assert (decision.text, decision.extras["chat"]["attempts"]) == ("ACTION: 2", 2)
    assert model.asked[0] == model.asked[1]


def test_nothing_is_waited_for_beyond_the_deadline_of_a_decision(model: Any, make_policy: Make) -> None:
    model.headers["Retry-After"] = "3600"
    model.answer = lambda body, number: (429, {"error": {"message": "slow down"}})
    (decision,) = make_policy(timeout=5).act(seen(1), [{}])
    assert decision.extras["chat"]["failed"] == "http_status"
    assert len(model.asked) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_mistake_that_waiting_does_not_mend_ends_the_run_without_telling_the_key(
    model: Any, make_policy: Make, status: int
) -> None:
    model.answer = lambda body, number: (status, {"error": {"message": f"no such key {KEY}"}})
    with pytest.raises(PolicyError, match=rf"{status} no such key \*\*\*") as caught:
        make_policy(api_key=KEY).act(seen(1), [{}])
    assert KEY not in str(caught.value)
    assert model.keys == [f"Bearer {KEY}"]


def test_a_key_that_is_withdrawn_later_is_an_outcome(model: Any, make_policy: Make) -> None:
    policy = make_policy()
    policy.act(seen(1), [{}])
    model.answer = lambda body, number: (401, {"error": "expired"})
    (decision,) = policy.act(seen(2), [{}])
    assert decision.extras["chat"]["failed"] == "http_status"


def test_nobody_at_the_address_is_an_outcome(make_policy: Make) -> None:
    policy = make_policy(base_url="http://127.0.0.1:9/v1", attempts=1)
    (decision,) = policy.act(seen(1), [{}])
    assert decision.extras["chat"]["failed"] == "unreachable"


def test_a_decision_says_what_it_took(model: Any, make_policy: Make) -> None:
    (decision,) = make_policy(prices={"input": 2.0, "output": 10.0}).act(seen(1), [{}])
    assert decision.extras["chat"] == {
        "model": "small-1",
        "input_tokens": 100,
        "output_tokens": 10,
        "cost": pytest.approx(0.0003),
        "finish": "stop",
        "attempts": 1,
    }


def test_a_cost_that_the_endpoint_names_is_taken(model: Any, make_policy: Make) -> None:
    content = {"choices": [{"message": {"content": "x"}}], "usage": {"cost": 0.5}}
    model.answer = lambda body, number: (200, content)
    (decision,) = make_policy(prices={"input": 2, "output": 10}).act(seen(1), [{}])
    assert decision.extras["chat"]["cost"] == 0.5


def test_turns_are_carried_over_to_another_process(model: Any, make_policy: Make) -> None:
    policy, other = make_policy(), make_policy()
    policy.act(seen(1, 2), [{}, {}])
    other.restore(policy.state())
    assert other.state() == policy.state()
    other.act(seen(3, 4), [{}, {}])
    assert {len(body["messages"]) for body in model.asked[-2:]} == {4}


def test_what_can_not_work_is_refused_at_once(model: Any) -> None:
    with pytest.raises(ConfigError, match="base_url"):
        ChatPolicy("localhost:8000", "m")
    with pytest.raises(ConfigError, match="memory"):
        ChatPolicy(model.url, "m", memory=-1)
    with pytest.raises(ConfigError, match="prices"):
        ChatPolicy(model.url, "m", prices={"input": 1.0})
    with pytest.raises(PolicyError, match="task view"):
        ChatPolicy(model.url, "m").bind(None, None)  # type: ignore[arg-type]
