"""A world as plain data and back: its size follows what is live, since finished orders leave nothing behind."""

from collections.abc import Mapping
from copy import deepcopy
from hashlib import sha256
from struct import error as StructError
from typing import Any

import msgspec

from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.env.morpheus.simulation.accounts import Accounts
from skyfall_crl.env.morpheus.simulation.engine import World
from skyfall_crl.env.morpheus.simulation.enterprise import Enterprise
from skyfall_crl.env.morpheus.simulation.faults import Fault
from skyfall_crl.env.morpheus.simulation.identifiers import object_id
from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.env.morpheus.simulation.layouts import layout_named
from skyfall_crl.env.morpheus.simulation.store import Store
from skyfall_crl.ports.errors import ConfigError

State = dict[str, Any]
_VERSION = 1
_RECORDS_VERSION = 1


def take(world: World) -> State:
    """Return all that decides what becomes of a world, as plain data; draws follow from seed and number."""
    book = world.obligations
    return {
        "version": _VERSION,
        "layout": world.layout.name,
        "layout_version": world.layout.version,
        "seed": world.seed,
        "step": world.board.step,
        "next_order": world.next_order,
        "axes": deepcopy(world.axes),
        "faulting": world.faulting,
        "calendar": _calendar(world),
        "open": [_fault(fault) for fault in world.blocked.values()],
        "closed": [_fault(fault) for fault in world.closed.values()],
        "collected_cents": book.collected_cents,
        "lost_cents": book.lost_cents,
        "last": [book.earned, book.leak, book.delivered, world.remedied, world.failed],
    }


def build(state: Mapping[str, Any]) -> World:
    """Return a new world from what `take` returned; raises `BackendError` for anything else."""
    try:
        layout = layout_named(state["layout"])
        found = (state["version"], state["layout_version"])
        if found == (_VERSION, layout.version):
            return _built(layout, state)
    except (ConfigError, LookupError, StructError, TypeError, ValueError) as error:
        raise BackendError(f"snapshot: expected the state of a simulated world: {error!r}") from error
    raise BackendError(f"snapshot: expected versions {(_VERSION, layout.version)}, found {found}")


def digest(world: World) -> str:
    """Return the SHA-256 of the world's canonical JSON; equal exactly when two worlds are."""
    return sha256(msgspec.json.encode(take(world), order="sorted")).hexdigest()


def take_records(enterprise: Enterprise) -> State:
    """Return what a world remembers and what agents wrote in it, as plain data; its size is bounded."""
    enterprise.settle()
    state = {
        "version": _RECORDS_VERSION,
        "chronicle": enterprise.world.chronicle.state(),
        "store": enterprise.store.state(),
        "accounts": enterprise.accounts.state(),
    }
    copied: State = msgspec.json.decode(msgspec.json.encode(state))
    return copied


def give_records(enterprise: Enterprise, state: Mapping[str, Any]) -> None:
    """Put back what `take_records` returned; raises `BackendError` for anything else."""
    try:
        state = msgspec.json.decode(msgspec.json.encode(state))
        found = state["version"]
        if found == _RECORDS_VERSION:
            world, remembered = enterprise.world, state["chronicle"]
            orders = [world.draw_order(number, entered) for number, entered, _, _ in remembered["finished"]]
            world.chronicle.recall(remembered, orders)
            store = enterprise.store = Store.from_state(state["store"])
            world.board.edited = bool(store.created.get("tickets")) or any(
                path.startswith("tickets/") for path in store.written
            )
            enterprise.accounts = Accounts.from_state(state["accounts"])
            return
    except (LookupError, StructError, TypeError, ValueError, msgspec.MsgspecError) as error:
        raise BackendError(f"snapshot: expected the records of a simulated world: {error!r}") from error
    raise BackendError(f"snapshot: expected records of version {_RECORDS_VERSION}, found {found!r}")


def digest_whole(enterprise: Enterprise) -> str:
    """Return the SHA-256 of a world with its records; equal exactly when two are, whatever their ids."""
    whole = {"world": take(enterprise.world), "records": take_records(enterprise)}
    return sha256(msgspec.json.encode(whole, order="sorted")).hexdigest()


def _built(layout: Layout, state: Mapping[str, Any]) -> World:
    world = World(layout, state["seed"])
    world.configure(state["axes"], faulting=state["faulting"])
    world.board.step = state["step"]
    world.next_order = state["next_order"]
    for number, entered, stage, due in state["calendar"]:
        order = world.draw_order(number, entered)
        order.stage = stage
        world.orders[number] = order
        world.schedule(order, due)
    for row in state["open"]:
        fault = _opened(world, row)
        world.orders[fault.order.number] = fault.order
        world.block(fault)
    for row in state["closed"]:
        fault = _opened(world, row)
        world.closed[fault.ticket_id] = fault
    book = world.obligations
    book.collected_cents, book.lost_cents = state["collected_cents"], state["lost_cents"]
    book.earned, book.leak, book.delivered, world.remedied, world.failed = state["last"]
    return world


def _calendar(world: World) -> list[list[int]]:
    now, length = world.board.step, len(world.calendar)
    return [
        [order.number, order.entered_step, order.stage, due]
        for due in range(now, now + length)
        for order in world.calendar[due % length]
    ]


def _fault(fault: Fault) -> list[Any]:
    order = fault.order
    return [
        order.number,
        order.entered_step,
        fault.symptom,
        fault.opened_step,
        fault.cause,
        fault.state,
        fault.closed_step,
        [list(attempt) for attempt in fault.attempts],
    ]


def _opened(world: World, row: list[Any]) -> Fault:
    number, entered, symptom, opened, cause, state, closed_step, attempts = row
    order = world.draw_order(number, entered)
    order.stage = symptom
    fault = Fault(order, symptom, opened, cause, object_id(world.prefix, number, symptom))
    for remedy, step in attempts:
        fault.note_attempt(remedy, step)
    fault.state, fault.closed_step = state, closed_step
    return fault
