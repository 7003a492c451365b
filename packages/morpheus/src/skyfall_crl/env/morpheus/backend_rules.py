"""The rules of the backend contract, one function for each part of it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from skyfall_crl.env.morpheus import ports
from skyfall_crl.env.morpheus.ports import BackendError, MorpheusBackend
from skyfall_crl.env.morpheus.tickets import normalize_tickets, ticket_payloads

NOWHERE = "0" * 24
"""The id of no world and of no ticket."""

PATIENCE_STEPS = 200
"""How many steps a stepped world is given to raise its first ticket."""

ODD_CALLS: tuple[tuple[Any, Any, Any], ...] = (
    ("GET", "/nonsense", None),
    ("BREW", "/{worldId}/tickets", None),
    ("PUT", "/{worldId}/tickets", {"a": 1}),
    ("POST", "", {}),
    (None, "/{worldId}/tickets", None),
    ("GET", None, None),
    ("GET", 7, [1]),
    ("POST", "/{worldId}/erp/orders", "text"),
    ("\ud800", "/\ud800", {"\ud800": "\ud800"}),
)
"""What a policy may come up with; none of it can succeed."""


class BackendConformanceError(AssertionError):
    """A rule that a backend breaks, where, and what was found instead; one line."""


@dataclass(slots=True)
class Trial:
    """A backend under check with two worlds of its own; `step` is how far a step moves the clock, None if unknown."""

    backend: MorpheusBackend
    world: str
    other: str
    step: int | None = None

    def time(self, world: str) -> int | None:
        """Return a world's time, or None where the backend doesn't tell."""
        if not isinstance(self.backend, ports.SignallingBackend):
            return None
        return self.backend.step_signals(world).world_time

    def act(self, method: Any, path: Any, body: Any = None, *, world: str | None = None) -> Mapping[str, Any]:
        """Run a call and return its answer, which has to be one."""
        where = f"act({method!r}, {path!r})"
        try:
            answer = self.backend.act(
                self.world if world is None else world, method=method, path=path, body=body
            )
        except Exception as error:
            raise broken(where, "expected an answer whatever happens", repr(error)) from error
        expect(where, "expected a mapping with a boolean `success`", answer, _is_answer(answer))
        return answer

    def advanced(self) -> None:
        """Let the first world take a step."""
        if isinstance(self.backend, ports.AdvancingBackend):
            self.backend.advance(self.world)
        else:
            self.act("GET", f"/{self.world}/tickets")


def broken(where: str, rule: str, found: object) -> BackendConformanceError:
    """Return the error for a broken rule."""
    return BackendConformanceError(" ".join(f"{where}: {rule}, found {found!r:.200}".split()))


def expect(where: str, rule: str, found: object, kept: bool) -> None:
    """Raise the error for a broken rule unless it was kept."""
    if not kept:
        raise broken(where, rule, found)


def refuses(where: str, call: Callable[[], Any]) -> None:
    """Check that a call raises `BackendError` with a line of text."""
    try:
        found = call()
    except BackendError as error:
        text = str(error)
        expect(
            where, "expected one line of text in the error", text, bool(text) and len(text.splitlines()) == 1
        )
    except Exception as error:
        raise broken(where, "expected BackendError", repr(error)) from error
    else:
        raise broken(where, "expected BackendError", found)


def check_reads(trial: Trial) -> None:
    """Check that tickets, domain data and operations can be read, and that reading moves no clock."""
    backend, world, before = trial.backend, trial.world, trial.time(trial.world)
    response = backend.get_tasks(world)
    payloads, tickets = list(ticket_payloads(response)), normalize_tickets(response)
    expect("get_tasks", "expected tickets with an id each", payloads, len(payloads) == len(tickets))
    opened = normalize_tickets(backend.get_tasks(world, status="open"))
    expect("get_tasks", "expected only open tickets", opened, all(t.status == "open" for t in opened))
    paths = (f"/{world}/tickets", "/{worldId}/tickets")
    found = [normalize_tickets(backend.fetch(world, path, params={"limit": 5})) for path in paths]
    rule = "expected the same for a world's id and a placeholder for it"
    expect("fetch", rule, found, found[0] == found[1] and len(found[0]) <= 5)
    space: Any = backend.get_action_space(world, "tickets")
    listed = isinstance(space, Mapping) and isinstance(space.get("endpoints"), list)
    expect("get_action_space", "expected an object with a list `endpoints`", space, listed)
    expect("reading", "expected it to leave the clock alone", trial.time(world), trial.time(world) == before)


def check_refusals(trial: Trial) -> None:
    """Check that what can't be read or changed raises `BackendError`."""
    backend, world = trial.backend, trial.world
    refuses("fetch outside the world", lambda: backend.fetch(world, f"/{trial.other}/tickets"))
    refuses("fetch of nothing", lambda: backend.fetch(world, f"/{world}/no-such-thing"))
    refuses("verify of no ticket", lambda: backend.verify(world, NOWHERE))
    refuses("create_world of no layout", lambda: backend.create_world(name="x", layout="no-such-layout"))
    refuses("reset_world of no world", lambda: backend.reset_world(NOWHERE))
    refuses("get_tasks of no world", lambda: backend.get_tasks(NOWHERE))
    refuses("fetch of no world", lambda: backend.fetch(NOWHERE, f"/{NOWHERE}/tickets"))
    refuses("set_chaos of no world", lambda: backend.set_chaos(NOWHERE, {}))


def check_acting(trial: Trial) -> None:
    """Check that every call has an answer, and that each moves a clock of steps by exactly one."""
    start = trial.time(trial.world)
    answer = trial.act("GET", f"/{trial.world}/tickets")
    expect("act", "expected a plain read to succeed", answer, answer["success"] is True)
    elsewhere = trial.act("GET", f"/{NOWHERE}/tickets", world=NOWHERE)
    expect("act in no world", "expected success to be false", elsewhere, elsewhere["success"] is False)
    if start is not None:
        trial.step = (trial.time(trial.world) or 0) - start
        expect("act", "expected it to move the clock", trial.step, trial.step > 0)
    for method, path, body in ODD_CALLS:
        found = trial.act(method, path, body)
        expect(f"act({method!r}, {path!r})", "expected success to be false", found, found["success"] is False)


def check_clock(trial: Trial) -> None:
    """Check that a step without a call is a step, and what is said of the last one."""
    backend, start = trial.backend, trial.time(trial.world)
    if not isinstance(backend, ports.SignallingBackend) or start is None or trial.step is None:
        return
    trial.advanced()
    signals = backend.step_signals(trial.world)
    moved = signals.world_time - start
    expect("advance", f"expected a step of {trial.step}", moved, moved == trial.step)
    values = dict(signals.signals)
    inside = bool(values) and all(0 <= value <= 1 for value in values.values())
    expect("step_signals", "expected signals from 0 to 1", values, inside)


def check_verification(trial: Trial) -> None:
    """Check that a ticket can be verified without changing anything, once there is one."""
    for _ in range(PATIENCE_STEPS if trial.step is not None else 1):
        tickets = normalize_tickets(trial.backend.get_tasks(trial.world, status="open"))
        if tickets:
            break
        trial.advanced()
    else:
        return
    before = trial.time(trial.world)
    result = trial.backend.verify(trial.world, tickets[0].ticket_id)
    expect("verify", "expected a boolean `passed`", result, isinstance(result.get("passed"), bool))
    expect("verify", "expected it to leave the clock alone", None, trial.time(trial.world) == before)


def check_chaos(trial: Trial) -> None:
    """Check that the switches are read back as they were written."""
    backend, world = trial.backend, trial.world
    for switches in (
        {"processChaosEnabled": False, "infraChaosEnabled": True},
        {"processChaosEnabled": True},
    ):
        read = backend.set_chaos(world, switches)
        expect("set_chaos", f"expected {switches}", read, switches.items() <= dict(read).items())
    if isinstance(backend, ports.ChaosBackend):
        backend.push_chaos(world, {"infraChaosEnabled": False})
        read = backend.read_chaos(world)
        expect("read_chaos", "expected what was pushed", read, read.get("infraChaosEnabled") is False)


def check_observing(trial: Trial) -> None:
    """Check that logs come as lists no longer than was asked for, and only where they were."""
    if isinstance(trial.backend, ports.ObservingBackend):
        found = trial.backend.observe(trial.world, limit=2)
        expect("observe", "expected logs and audit_log", found, set(found) == {"logs", "audit_log"})
        short = all(isinstance(entries, list) and len(entries) <= 2 for entries in found.values())
        expect("observe", "expected lists of at most 2 entries", found, short)
        found = trial.backend.observe(trial.world, logs=False, audit_log=False)
        expect("observe", "expected nothing where nothing is asked for", found, not found)


def check_snapshots(trial: Trial) -> None:
    """Check that a world can be stored, put back, forked and replaced by its fork, each without touching others."""
    backend, world = trial.backend, trial.world
    if not isinstance(backend, ports.SnapshotBackend):
        return
    before = backend.digest_world(world)
    state = backend.snapshot_world(world)
    expect("snapshot_world", "expected data that JSON holds", state, json.loads(json.dumps(state)) == state)
    trial.advanced()
    after = backend.digest_world(world)
    expect("digest_world", "expected another digest for a later world", after, after != before)
    refuses("restore_world of nothing", lambda: backend.restore_world(world, {}))
    expect(
        "restore_world", "expected a refusal to change nothing", None, backend.digest_world(world) == after
    )
    backend.restore_world(world, state)
    expect("restore_world", "expected the world as it was", None, backend.digest_world(world) == before)
    fork = backend.fork_world(world)
    expect("fork_world", "expected another id", fork, fork not in (world, trial.other))
    expect("fork_world", "expected an equal world", None, backend.digest_world(fork) == before)
    trial.advanced()
    expect("fork_world", "expected a fork to stay behind", None, backend.digest_world(fork) == before)
    backend.commit_world(world, fork)
    expect(
        "commit_world", "expected the world to be as its fork", None, backend.digest_world(world) == before
    )
    if isinstance(backend, ports.DisposingBackend):
        backend.delete_world(fork)


def check_reset(trial: Trial) -> None:
    """Check that a world built anew answers under its old id, and that others don't notice."""
    before = trial.time(trial.other)
    trial.backend.reset_world(trial.world)
    trial.backend.get_tasks(trial.world)
    expect("reset_world", "expected other worlds to go on", None, trial.time(trial.other) == before)


CHECKS: tuple[Callable[[Trial], None], ...] = (
    check_reads,
    check_refusals,
    check_acting,
    check_clock,
    check_verification,
    check_chaos,
    check_observing,
    check_snapshots,
    check_reset,
)


def _is_answer(answer: Any) -> bool:
    return isinstance(answer, Mapping) and isinstance(answer.get("success"), bool)
