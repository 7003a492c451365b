"""Reward signals where no book of obligations is kept: flows between two reads, and the verifier's word."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from skyfall_crl.env.morpheus.incident_book import IncidentBook
from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.env.morpheus.simulation.layouts import layout_named
from skyfall_crl.env.morpheus.wire_book import Flow, WireBook
from skyfall_crl.env.morpheus.wire_records import latest
from skyfall_crl.env.morpheus.world_senses import Sensed
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.ports.fields import FieldError, finite, nearest, unexpected
from skyfall_crl.ports.tools import ToolCall
from skyfall_crl.reward import RewardSpec

WINDOW_DAYS = 30.0
HOURS_PER_DAY = 2.0
"""Real hours a simulated day takes where nobody says: the deployment's own default."""

_SOURCES = {"financial": ("invoices", "shipments"), "throughput": ("orders", "shipments")}


class WireReward:
    """Turns what was read after each step into signals in [0, 1], None for one whose sources failed.

    `remediation`: the weight of a verified ticket's priority x (1 - age / `horizon_steps`). `financial`: 1 - min(1,
    lost / `leak_per_step`), where an unpaid invoice is lost when its term ends and a surcharge when it appears, in
    currency units. `throughput`: min(1, completed orders and delivered shipments / `units_per_step`). Only obligations
    opened in the last `window_days` simulated days count, each lasting `hours_per_day` hours by the world's own
    timestamps, the latest of which is now. These are `params` of the spec's terms; the layout's constants stand in
    for those absent.
    """

    def __init__(self, layout: str, spec: RewardSpec) -> None:
        known = _layout(layout)
        settings = _settings(known, spec)
        self._now: datetime | None = None
        self._leak = settings["financial"]["leak_per_step"] * 100
        self._units = settings["throughput"]["units_per_step"]
        self._incidents = IncidentBook(known.priority_weights, settings["remediation"]["horizon_steps"])
        money, units = settings["financial"], settings["throughput"]
        self._books = {
            "financial": {name: _book(money) for name in _SOURCES["financial"]},
            "throughput": {name: _book(units) for name in _SOURCES["throughput"]},
        }

    def wrote(self, call: ToolCall, answer: Mapping[str, Any]) -> None:
        """Take note of a write that may have taken effect, before what it did is read."""
        self._incidents.wrote(call, answer)
        for books in self._books.values():
            for book in books.values():
                book.wrote(call, answer)

    def signals(self, sensed: Sensed, step: int) -> tuple[dict[str, float | None], int]:
        """Return the signals of a step, and how many fields are counted at a value before the agent's write."""
        remediation: float | None = self._incidents.pay(sensed.verified, step)
        if sensed.unverified and not remediation:
            remediation = None
        self._incidents.see(sensed.response, step)
        touched = (record.touched for records in sensed.records.values() for record in records or ())
        self._now = latest((self._now, *touched))
        money, units = self._flow("financial", sensed), self._flow("throughput", sensed)
        signals = {
            "remediation": remediation,
            "financial": None if money is None else 1.0 - min(1.0, money.leak_cents / self._leak),
            "throughput": None if units is None else min(1.0, units.units / self._units),
        }
        held = {name: book.held for books in self._books.values() for name, book in books.items()}
        return signals, sum(held.values())

    def _flow(self, signal: str, sensed: Sensed) -> Flow | None:
        """Return the flow over a signal's sources, or None when one failed or the world has none of them.

        After a failure the next flow covers what happened meanwhile.
        """
        books, now = self._books[signal], self._now
        found = {name: sensed.records.get(name) for name in books if name not in sensed.absent}
        if not found or None in found.values():
            return None
        flows = [books[name].read(read, now) for name, read in found.items() if read is not None]
        return Flow(sum(flow.leak_cents for flow in flows), sum(flow.units for flow in flows))


def _book(settings: Mapping[str, float]) -> WireBook:
    day = timedelta(hours=settings["hours_per_day"])
    return WireBook(settings["window_days"] * day, day)


def _layout(name: str) -> Layout:
    try:
        return layout_named(name)
    except ConfigError:
        return layout_named("process-outbound")


def _settings(layout: Layout, spec: RewardSpec) -> dict[str, dict[str, float]]:
    """Return the constants of each signal: the spec's where it has them, else the layout's."""
    reach = {"window_days": WINDOW_DAYS, "hours_per_day": HOURS_PER_DAY}
    leak = layout.leak_reference * layout.value_unit_cents / 100
    found: dict[str, dict[str, float]] = {
        "remediation": {"horizon_steps": float(layout.horizon_steps)},
        "financial": {"leak_per_step": leak, **reach},
        "throughput": {"units_per_step": float(layout.delivered_reference), **reach},
    }
    for place, term in enumerate(spec.terms):
        for name, value in term.params.items():
            path = f"reward spec {spec.name!r}: terms[{place}].params.{name}"
            if name not in found[term.name]:
                raise FieldError(
                    path, f"unknown parameter of {term.name!r}{nearest(name, tuple(found[term.name]))}"
                )
            if not finite(value) or not 0 < value <= 1e9:
                raise unexpected(path, "a positive number of at most 1e9", value)
            found[term.name][name] = float(value)
    return found
