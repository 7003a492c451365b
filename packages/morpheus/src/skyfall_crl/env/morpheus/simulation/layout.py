"""What a layout is: stages that can fault, the operations that mend them, and the numbers that weigh them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from skyfall_crl.env.morpheus.simulation.identifiers import order_number
from skyfall_crl.env.morpheus.simulation.lifecycles import Lifecycle, States, states
from skyfall_crl.env.morpheus.simulation.templates import Evidence, Remedy, mapped
from skyfall_crl.ports.plain import EMPTY
from skyfall_crl.ports.tools import ToolCall


@dataclass(frozen=True, slots=True)
class Symptom:
    """A stage of the process, how it fails, and what is behind it.

    Remedy r mends cause r. `clue` is a figure in the first entity of `evidence`; the second holds one figure for
    each cause, under the names of `candidates`, and the one that equals the clue names the cause.
    """

    stage: str
    duration_steps: int
    title: str
    failure_type: str
    causes: tuple[str, ...]
    remedies: tuple[Remedy, ...]
    evidence: tuple[Evidence, Evidence]
    clue: str
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trait:
    """What every order has one value of, all equally likely; tickets show it under `key` in their metadata."""

    key: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Configuration:
    """A named setting of the axes: per symptom, how likely each cause is and what lateness costs."""

    name: str
    cause_mix: tuple[tuple[float, ...], ...]
    late_rates: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """A process as data; symptom s belongs to stage s.

    `priority_quarters` are priority weights in quarters, `value_cents` the range an order's value is drawn from,
    `value_unit_cents` what counts as 1 in `leak_reference`, `reward` the weights of the spec `morpheus/paper`.

    `turned_by` names, for each symptom, the traits (by their places in `traits`) that its causes depend on: the
    causes of a faulted order are turned by the sum of the places its values of those traits have.

    `lifecycles` says which entities stand around an order, since when and in which state; without them it is those
    that remedies and evidence name. `states` are those life-cycles by entity; `starts` is how many steps after it
    entered an unhindered order reaches each stage, and its end.
    """

    name: str
    version: int
    title: str
    description: str
    symptoms: tuple[Symptom, ...]
    delivered_after: int
    configurations: tuple[Configuration, ...]
    fault_probability: float
    demand: float
    value_cents: tuple[int, int]
    priorities: tuple[str, ...] = ("low", "medium", "high", "critical")
    priority_quarters: tuple[int, ...] = (1, 2, 3, 4)
    value_unit_cents: int = 100
    horizon_steps: int = 96
    leak_reference: int = 60
    delivered_reference: int = 2
    minutes_per_step: int = 30
    look_steps: int = 2
    reward: tuple[tuple[str, float], ...] = (("remediation", 0.5), ("financial", 0.3), ("throughput", 0.2))
    regime_axes: tuple[str, ...] = ("cause_mix", "payment_terms", "fault_probability", "demand")
    traits: tuple[Trait, ...] = ()
    turned_by: tuple[tuple[int, ...], ...] = ()
    lifecycles: tuple[Lifecycle, ...] = ()
    states: Mapping[str, States] = field(init=False, repr=False, compare=False)
    starts: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        stages = tuple(symptom.stage for symptom in self.symptoms)
        object.__setattr__(self, "states", states(self.lifecycles, stages))
        durations = (symptom.duration_steps for symptom in self.symptoms)
        object.__setattr__(self, "starts", tuple(accumulate(durations, initial=1)))

    @property
    def causes(self) -> int:
        """How many causes, and so remedies, each symptom has."""
        return len(self.symptoms[0].causes)

    @property
    def steps_per_day(self) -> int:
        """World steps in one simulated day."""
        return 24 * 60 // self.minutes_per_step

    @property
    def priority_weights(self) -> tuple[float, ...]:
        """What mending a fault of each priority is worth at once, in (0, 1]."""
        return tuple(quarters / 4 for quarters in self.priority_quarters)

    def configuration(self, name: str) -> Configuration | None:
        """Return a configuration by name."""
        for configuration in self.configurations:
            if configuration.name == name:
                return configuration
        return None

    def turns(self, traits: tuple[int, ...]) -> tuple[int, ...]:
        """Return, for each symptom, by how many places an order of these traits turns its causes."""
        turns = []
        for places in self.turned_by or ((),) * len(self.symptoms):
            turn = 0
            for place in places:
                turn += traits[place]
            turns.append(turn % self.causes)
        return tuple(turns)

    def remedy_call(self, symptom: int, remedy: int, ticket_id: str) -> ToolCall:
        """Return the operation that applies a remedy to a ticket; the world is left as a placeholder."""
        template = self.symptoms[symptom].remedies[remedy]
        number = str(order_number(ticket_id))
        body = template.body
        if body is not None and template.varies:
            body = mapped(body, lambda text: text.replace("{number}", number))
        return ToolCall(template.method, template.path.replace("{number}", number), body)

    def look_calls(self, symptom: int, ticket_id: str) -> tuple[ToolCall, ToolCall]:
        """Return the two reads after which `diagnose` knows the cause of a ticket."""
        number = str(order_number(ticket_id))
        first, second = self.symptoms[symptom].evidence
        return (
            ToolCall("GET", first.path.replace("{number}", number)),
            ToolCall("GET", second.path.replace("{number}", number)),
        )

    def diagnose(self, symptom: int, first: Mapping[str, Any], second: Mapping[str, Any]) -> int | None:
        """Return the cause the two linked entities show together, or None when they show none.

        `first` and `second` are the answers to `look_calls`, in order, with or without their envelope.
        """
        clue = _figures(first).get(self.symptoms[symptom].clue)
        figures = _figures(second)
        if clue is None:
            return None
        for cause, name in enumerate(self.symptoms[symptom].candidates):
            if figures.get(name) == clue:
                return cause
        return None


def rotated_configurations(
    names: str, stages: int, cause_mix: tuple[float, ...], hot_rate: int
) -> tuple[Configuration, ...]:
    """Return one configuration for each letter, no two of which agree on the likely cause of any symptom.

    Configuration k turns the causes of symptom s by k + s; being late costs `hot_rate` times as much in stages 2k and
    2k + 1, and 1 on average.
    """
    causes = len(cause_mix)
    made = []
    for k, name in enumerate(names):
        mix = tuple(tuple(cause_mix[(c - k - s) % causes] for c in range(causes)) for s in range(stages))
        hot = (2 * k % stages, (2 * k + 1) % stages)
        rates = [hot_rate if s in hot else 1 for s in range(stages)]
        total = stages - len(hot) + hot_rate * len(hot)
        made.append(Configuration(name, mix, tuple(rate * stages / total for rate in rates)))
    return tuple(made)


def _figures(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    body = answer.get("data", answer)
    if isinstance(body, Mapping):
        body = body.get("shipment", body)
    figures = body.get("customFields") if isinstance(body, Mapping) else None
    return figures if isinstance(figures, Mapping) else EMPTY
