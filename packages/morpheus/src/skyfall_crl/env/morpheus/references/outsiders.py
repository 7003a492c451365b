"""Reference policies that see what any agent sees."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from gymnasium import spaces

from skyfall_crl.env.morpheus.references.queues import QueueReader
from skyfall_crl.env.morpheus.references.rules import (
    CountingIndexRule,
    LookRule,
    NothingRule,
    PriorityRule,
    Rule,
    TraitCountingRule,
)
from skyfall_crl.env.morpheus.references.spaces import require_actions, require_features
from skyfall_crl.env.morpheus.simulation.layouts import layout_named
from skyfall_crl.ports.policy import Decision
from skyfall_crl.ports.task_view import TaskView

_LAYOUT = "process-outbound"


class _RulePolicy(ABC):
    """Works every world of a batch by one rule; worlds keep their place in the batch."""

    def __init__(self, layout: str = _LAYOUT) -> None:
        self._reader = QueueReader(layout_named(layout))
        self._rule = self._new_rule()

    def bind(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        task_view: TaskView | None = None,
    ) -> None:
        """Raise `PolicyError` unless the spaces are those of `scheduling-under-drift`."""
        require_actions(self._reader, action_space)
        require_features(self._reader, observation_space)

    def act(self, batch: Sequence[Any], infos: Sequence[Mapping[str, Any]]) -> list[Decision]:
        """Return one decision for each array of features."""
        return [Decision(self._rule.choose(features.tolist())) for features in batch]

    @abstractmethod
    def _new_rule(self) -> Rule:
        """Return the rule that works one or more worlds."""


class DoNothing(_RulePolicy):
    """Lets every step pass, in any world whose action 0 is nothing."""

    def bind(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        task_view: TaskView | None = None,
    ) -> None:
        """Take the view's action for nothing; 0 without a view."""
        self._action = 0 if task_view is None else task_view.no_action

    def act(self, batch: Sequence[Any], infos: Sequence[Mapping[str, Any]]) -> list[Decision]:
        """Return nothing for every world."""
        return [Decision(self._action) for _ in batch]

    def _new_rule(self) -> Rule:
        return NothingRule()


class HandRule(_RulePolicy):
    """Highest priority first, then oldest; remedies in catalogue order."""

    def _new_rule(self) -> Rule:
        return PriorityRule(self._reader)


class LookThenFix(_RulePolicy):
    """Looks for the cause, then applies the one remedy that mends it."""

    def _new_rule(self) -> Rule:
        return LookRule(self._reader)


class CountingRule(_RulePolicy):
    """Counts which remedies work, world by world, and keeps adapting."""

    _counting: type[CountingIndexRule] = CountingIndexRule

    def __init__(self, layout: str = _LAYOUT) -> None:
        super().__init__(layout)
        self._rules: list[CountingIndexRule] = []

    def act(self, batch: Sequence[Any], infos: Sequence[Mapping[str, Any]]) -> list[Decision]:
        """Return one decision for each array of features; world i of every batch is the same world."""
        while len(self._rules) < len(batch):
            self._rules.append(self._counting(self._reader))
        return [
            Decision(rule.choose(features.tolist()))
            for rule, features in zip(self._rules, batch, strict=False)
        ]

    def state(self) -> Mapping[str, Any]:
        """Return the counters of every world."""
        return {
            "worlds": [
                {
                    "counts": [list(row) for row in rule.counts],
                    "last": rule.last and [list(rule.last[0]), rule.last[1]],
                }
                for rule in self._rules
            ]
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take back what `state` returned."""
        self._rules = []
        for saved in state["worlds"]:
            rule = self._counting(self._reader)
            rule.counts = [list(row) for row in saved["counts"]]
            rule.last = None if saved["last"] is None else (tuple(saved["last"][0]), saved["last"][1])
            self._rules.append(rule)

    def _new_rule(self) -> Rule:
        return NothingRule()


class TraitCounting(CountingRule):
    """Counts which remedies work for orders of each trait, world by world, and keeps adapting."""

    _counting = TraitCountingRule
