"""What a model is told of one world: a system text, its last turns, what became of its last action, and the view."""

from collections import deque
from collections.abc import Mapping
from typing import Any

import msgspec

from skyfall_crl.ports.tools import ActionOutcome

SYSTEM = (
    "You work in a running system, one action at a time. Each message shows its present state and the form an action "
    "takes. Think briefly, then end with exactly one action in that form."
)


class Conversation:
    """The last `turns` questions and answers about one world, and the next question."""

    def __init__(self, system: str, turns: int) -> None:
        self._system = system
        self._turns: deque[tuple[str, str]] = deque(maxlen=turns)

    def messages(self, shown: str, info: Mapping[str, Any]) -> list[dict[str, str]]:
        """Return the messages that end with what is shown now."""
        found = [{"role": "system", "content": self._system}] if self._system else []
        for asked, answered in self._turns:
            found += [{"role": "user", "content": asked}, {"role": "assistant", "content": answered}]
        return [*found, {"role": "user", "content": question(shown, info)}]

    def remember(self, asked: str, answered: str) -> None:
        """Keep a turn, and let the oldest go when there are too many."""
        self._turns.append((asked, answered))

    def state(self) -> list[list[str]]:
        """Return the turns as plain data."""
        return [list(turn) for turn in self._turns]

    def restore(self, state: list[list[str]]) -> None:
        """Take back what `state` returned."""
        self._turns.clear()
        self._turns.extend((asked, answered) for asked, answered in state)


def question(shown: str, info: Mapping[str, Any]) -> str:
    """Return what is shown now, after what became of the last action, where that is known."""
    outcome = info.get("outcome")
    row = outcome.to_row() if isinstance(outcome, ActionOutcome) else outcome
    if not row:
        return shown
    return f"Outcome of your last action: {msgspec.json.encode(row, enc_hook=str).decode()}\n\n{shown}"
