"""A view of somebody else's over a deployment: actions without an operation are verified all the same."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gymnasium import spaces

from skyfall_crl.env.morpheus.morpheus_env import MorpheusEnv
from skyfall_crl.env.morpheus.reward_specs import PAPER
from skyfall_crl.env.morpheus.taskview import TaskView
from skyfall_crl.ports.tools import ToolCall


class Escalation(TaskView):
    """One action that hands the first ticket to people outside; no operation stands behind it."""

    action_space = spaces.Discrete(2)
    no_action = 0

    def to_tool_call(
        self, action: Any, *, world_id: str, observation: Mapping[str, Any] | None = None
    ) -> ToolCall | None:
        return None

    def touched_tickets(self, action: Any, *, observation: Mapping[str, Any] | None = None) -> Sequence[str]:
        return () if action == 0 or observation is None else (observation["tickets"][0].ticket_id,)


def test_an_action_without_an_operation_is_verified_and_paid(
    deployment: Any, make_live: Callable[..., MorpheusEnv]
) -> None:
    deployment.ticket("T1", "critical")
    deployment.mended.add("T1")
    env = make_live(task_view=Escalation(), reward_spec=PAPER)
    env.reset()
    assert env.step(0)[4]["reward_terms"]["remediation"] == 0.0
    info = env.step(1)[4]
    assert (info["outcome"].reason, info["outcome"].verified) == ("no_operation", ("T1",))
    assert info["reward_terms"]["remediation"] > 0.9
    assert not any(call.startswith("act") for call in deployment.calls)
