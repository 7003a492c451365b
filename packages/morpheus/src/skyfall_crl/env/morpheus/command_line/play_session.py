"""One player in one embedded world: what a tool-calling agent is shown, and what becomes of each command."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from skyfall_crl.env.morpheus.factory import world
from skyfall_crl.env.morpheus.morpheus_env import MorpheusEnv
from skyfall_crl.env.morpheus.simulated_backend import SimulatedBackend
from skyfall_crl.env.morpheus.simulation.identifiers import order_number, parts
from skyfall_crl.env.morpheus.simulation.layouts import layout_named
from skyfall_crl.env.morpheus.tickets import ObservedTicket
from skyfall_crl.env.morpheus.views.tool_call import ToolCallTaskView
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.ports.tools import ActionOutcome, ToolCall


class HearingView(ToolCallTaskView):
    """The view `tool-call`, which also keeps what the world answered last."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: Mapping[str, Any] = {}

    def notice(self, call: ToolCall, answer: Mapping[str, Any]) -> None:
        """Keep an answer."""
        self.heard = answer


@dataclass(slots=True)
class Move:
    """What one command came to: its steps, the reward they earned by term, and how the last one went.

    `answer` is what the world answered last, empty when it wasn't asked. `mended` and `failed` say what became of a
    fault that was addressed.
    """

    what: str
    steps: int = 0
    reward: float = 0.0
    terms: dict[str, float] = field(default_factory=dict)
    outcome: ActionOutcome | None = None
    answer: Mapping[str, Any] = field(default_factory=dict)
    mended: bool = False
    failed: bool = False


class Session:
    """A world of a layout under one of its configurations, worked by a person.

    Raises `ConfigError` for a layout nobody knows or a configuration it does not have.
    """

    def __init__(self, layout: str, seed: int, configuration: str | None = None) -> None:
        self.layout = layout_named(layout)
        self.configuration = configuration or self.layout.configurations[0].name
        if self.layout.configuration(self.configuration) is None:
            names = ", ".join(known.name for known in self.layout.configurations)
            raise ConfigError(f"--configuration: expected one of {names}, found {self.configuration!r}")
        self.steps, self.earned = 0, 0.0
        self.causes: dict[str, int] = {}
        self._view, self._backend = HearingView(), SimulatedBackend()
        self._stages = [symptom.stage for symptom in self.layout.symptoms]
        self.environment: MorpheusEnv = world(
            backend=self._backend, layout=layout, task_view=self._view, seed=seed
        )
        self.environment.reset()
        axes = {"cause_mix": self.configuration, "payment_terms": self.configuration}
        self._backend.set_chaos(self.world_id, {"simulation": {"axes": axes}})

    @property
    def world_id(self) -> str:
        """The id of the world."""
        world_id = self.environment.lease.world_id
        assert world_id is not None
        return world_id

    @property
    def minutes(self) -> int:
        """The simulated time."""
        return self.steps * self.layout.minutes_per_step

    def incidents(self) -> list[ObservedTicket]:
        """Return the open tickets the process raised, most urgent first, then oldest first."""
        seen = self.environment.open_world().tickets
        tickets = [ticket for ticket in seen if ticket.is_open and self._is_raised(ticket)]
        return sorted(tickets, key=lambda ticket: (-ticket.rank, ticket.created_at, ticket.ticket_id))

    def _is_raised(self, ticket: ObservedTicket) -> bool:
        """Tell whether a ticket is the process's own: its id ends in the place of its stage."""
        known = parts(ticket.ticket_id)
        return known is not None and known[2] < len(self._stages)

    def incident(self, number: int) -> ObservedTicket | None:
        """Return the open ticket of an order; there is at most one."""
        for ticket in self.incidents():
            if number_of(ticket) == number:
                return ticket
        return None

    def symptom(self, ticket: ObservedTicket) -> int:
        """Return the place of the stage a ticket is about, which its id ends in."""
        known = parts(ticket.ticket_id)
        assert known is not None
        return known[2]

    def remedy(self, ticket: ObservedTicket, word: str) -> int | None:
        """Return the place of a remedy given by its name or its number from 1, or None."""
        names = [remedy.name for remedy in self.layout.symptoms[self.symptom(ticket)].remedies]
        if word in names:
            return names.index(word)
        return int(word) - 1 if word in [str(place + 1) for place in range(len(names))] else None

    def wait(self, steps: int) -> Move:
        """Let steps pass."""
        move = Move(f"waited {steps} step{'s' if steps != 1 else ''}")
        for _ in range(steps):
            self._step(move, self._view.no_action)
        return move

    def call(self, call: ToolCall, what: str | None = None) -> Move:
        """Run an operation as an agent would."""
        move = Move(what or f"{call.method} {call.path}")
        self._step(move, call)
        return move

    def fix(self, ticket: ObservedTicket, remedy: int) -> Move:
        """Apply a remedy to a ticket."""
        symptom = self.symptom(ticket)
        name = self.layout.symptoms[symptom].remedies[remedy].name
        return self.call(
            self.layout.remedy_call(symptom, remedy, ticket.ticket_id), f"{name} on {number_of(ticket)}"
        )

    def look(self, ticket: ObservedTicket) -> tuple[Move, tuple[Mapping[str, Any], Mapping[str, Any]]]:
        """Read both records linked to a ticket; the cause they show is kept in `causes`."""
        symptom = self.symptom(ticket)
        move = Move(f"looked at {number_of(ticket)}")
        answers = []
        for call in self.layout.look_calls(symptom, ticket.ticket_id):
            self._step(move, call)
            answers.append(move.answer)
        first, second = answers
        cause = self.layout.diagnose(symptom, first, second)
        if cause is not None:
            self.causes[ticket.ticket_id] = cause
        return move, (first, second)

    def operations(self, service: str, word: str = "") -> list[str]:
        """Return a line for each operation of a service, or of all; with a word, all on those with it in their path."""
        described = self._backend.get_action_space(self.world_id, service or None)["endpoints"]
        if word:
            return [endpoint["formatted"] for endpoint in described if word in endpoint["path"]]
        return [endpoint["formatted"].partition("\n")[0] for endpoint in described]

    def close(self) -> None:
        """Drop the world."""
        self.environment.close()

    def _step(self, move: Move, action: Any) -> None:
        self._view.heard = {}
        _, reward, _, _, info = self.environment.step(action)
        reading = self.environment.open_world()
        self.steps += 1
        self.earned += reward
        move.steps += 1
        move.reward += reward
        for name, value in info["reward_terms"].items():
            move.terms[name] = move.terms.get(name, 0.0) + value
        move.outcome, move.answer = info["outcome"], self._view.heard
        move.mended, move.failed = reading.remedied, reading.failed


def number_of(ticket: ObservedTicket) -> int:
    """Return the number of the order a ticket is about, by which a player names it."""
    return order_number(ticket.ticket_id)
