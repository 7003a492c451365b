"""The collector: a session driven by a policy, one window at a time."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from skyfall_crl.ports.algorithm import Window
from skyfall_crl.ports.errors import PolicyError
from skyfall_crl.ports.plain import EMPTY
from skyfall_crl.ports.policy import POLICY_INFO_KEYS, Decision, Policy
from skyfall_crl.ports.task_view import TaskView
from skyfall_crl.train.session import Session, Start, Step

UNPARSED = {"outcome": {"reason": "unparsed"}}


class Collector:
    """Asks the policy, steps the session, and gathers what an algorithm learns from."""

    def __init__(
        self, session: Session, policy: Policy, starts: Sequence[Start], task_view: TaskView | None = None
    ) -> None:
        self._session, self._policy, self._task_view = session, policy, task_view
        self._observations: list[Any] = [start.observation for start in starts]
        self._infos: list[Mapping[str, Any]] = [visible(start.info) for start in starts]

    def collect(self, steps: int, stop: Callable[[], bool]) -> Window:
        """Run up to `steps` steps; fewer when `stop` says so or no world takes actions any more."""
        worlds = len(self._observations)
        window = Window(
            observations=[],
            infos=[],
            decisions=[],
            rewards=np.zeros((steps, worlds)),
            valid=np.zeros((steps, worlds), dtype=np.bool_),
            terminated=np.zeros((steps, worlds), dtype=np.bool_),
            truncated=np.zeros((steps, worlds), dtype=np.bool_),
            last_observations=(),
            last_infos=(),
            final_observations={},
        )
        taken = 0
        while taken < steps and self._session.running and not stop():
            self._advance(window, taken)
            taken += 1
        window.last_observations, window.last_infos = self._observations, self._infos
        if taken < steps:
            for name in ("rewards", "valid", "terminated", "truncated"):
                setattr(window, name, getattr(window, name)[:taken])
        return window

    def _advance(self, window: Window, row: int) -> None:
        observations, infos = self._observations, self._infos
        decisions = self._policy.act(observations, infos)
        if len(decisions) != len(observations):
            raise PolicyError(f"act: expected {len(observations)} decisions, found {len(decisions)}")
        actions, notes = self._actions(decisions)
        window.observations.append(observations)
        window.infos.append(infos)
        window.decisions.append(decisions)
        steps = self._session.step_all(actions, notes)
        self._observations = [step.observation for step in steps]
        self._infos = [visible(step.info) for step in steps]
        for world, step in enumerate(steps):
            _fill(window, row, world, step)

    def _actions(self, decisions: Sequence[Decision]) -> tuple[list[Any], list[Mapping[str, Any]] | None]:
        actions: list[Any] = [decision.action for decision in decisions]
        if all(decision.text is None and not decision.extras for decision in decisions):
            if any(action is None for action in actions):
                raise PolicyError("act: a decision has neither an action nor a text")
            return actions, None
        notes: list[Mapping[str, Any]] = []
        for world, decision in enumerate(decisions):
            note: dict[str, Any] = dict(decision.extras)
            if decision.text is not None:
                note["text"] = decision.text
                if decision.action is None:
                    actions[world], parsed = self._parse(decision.text)
                    note |= EMPTY if parsed else UNPARSED
            notes.append(note)
        return actions, notes

    def _parse(self, text: str) -> tuple[Any, bool]:
        if self._task_view is None:
            raise PolicyError(
                "a policy that answers in text needs an environment with a task view to parse it"
            )
        action = self._task_view.parse_action(text)
        return (self._task_view.no_action, False) if action is None else (action, True)


def visible(info: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the part of `info` a policy may see; never the regime."""
    return {key: info[key] for key in POLICY_INFO_KEYS if key in info}


def _fill(window: Window, row: int, world: int, step: Step) -> None:
    window.terminated[row, world] = step.terminated
    window.truncated[row, world] = step.truncated
    if step.reward is not None:
        window.rewards[row, world] = step.reward
        window.valid[row, world] = True
    if step.final_observation is not None:
        assert isinstance(window.final_observations, dict)
        window.final_observations[row, world] = step.final_observation
