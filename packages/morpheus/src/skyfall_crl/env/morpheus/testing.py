"""Does a backend keep the contract: the conformance suite that every backend of this package passes."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from skyfall_crl.env.morpheus import backend_rules as rules
from skyfall_crl.env.morpheus import ports
from skyfall_crl.env.morpheus.backend_rules import BackendConformanceError, Trial
from skyfall_crl.env.morpheus.ports import BackendError, DisposingBackend, MorpheusBackend

__all__ = ["BackendConformanceError", "check_backend"]

BackendFactory = Callable[[], MorpheusBackend]

OPTIONAL: Mapping[type, tuple[str, ...]] = {
    ports.AdvancingBackend: ("advance",),
    ports.DisposingBackend: ("delete_world",),
    ports.SignallingBackend: ("step_signals",),
    ports.BoardBackend: ("ticket_board",),
    ports.ObservingBackend: ("observe",),
    ports.ChaosBackend: ("push_chaos", "read_chaos"),
    ports.RewardConfigBackend: ("reward_config",),
    ports.SnapshotBackend: (
        "snapshot_world",
        "restore_world",
        "fork_world",
        "commit_world",
        "digest_world",
    ),
}


def check_backend(factory: BackendFactory, *, layout: str = "process-outbound") -> None:
    """Check the backend that a factory builds; raises `BackendConformanceError` at the first broken rule.

    Provisions two worlds of `layout`, works in them, and deletes them where the backend can; whatever optional
    protocols of `ports` the backend offers are checked as well. The calls and their order are the same each time, so a
    run that was recorded can be replayed.
    """
    backend = factory()
    _check_offers(backend)
    made: list[Any] = []
    try:
        trial = _provisioned(backend, layout, made)
        for check in rules.CHECKS:
            check(trial)
        _check_side_by_side(trial)
        _check_deletion(trial)
        _check_closing(trial)
    finally:
        _cleared(backend, made)


def _check_offers(backend: object) -> None:
    """Check that the protocol is there, and that of an optional one there is all or nothing."""
    rules.expect(
        "backend", "expected all methods of MorpheusBackend", backend, isinstance(backend, MorpheusBackend)
    )
    for protocol, names in OPTIONAL.items():
        found = [name for name in names if hasattr(backend, name)]
        if found and len(found) < len(names):
            lacking = sorted(set(names) - set(found))
            raise rules.broken(
                protocol.__name__, "expected all its methods or none", f"none of {', '.join(lacking)}"
            )


def _provisioned(backend: MorpheusBackend, layout: str, made: list[Any]) -> Trial:
    world = backend.create_world(name="conformance 1", layout=layout, seed=1)
    made.append(world)
    other = backend.create_world(name="conformance 2", layout=layout, seed=2)
    made.append(other)
    usable = all(isinstance(found, str) and found for found in made)
    rules.expect("create_world", "expected ids that are text", made, usable)
    rules.expect("create_world", "expected another id for each world", made, world != other)
    return Trial(backend, world, other)


def _cleared(backend: MorpheusBackend, made: list[Any]) -> None:
    for world in made:
        if isinstance(backend, DisposingBackend):
            with suppress(BackendError):
                backend.delete_world(world)
    backend.close()


def _check_side_by_side(trial: Trial) -> None:
    """Check that worlds driven at once from several threads each take their own steps, all of them."""
    steps, worlds = 10, (trial.world, trial.other)
    before = [trial.time(world) for world in worlds]

    def drive(world: str) -> list[Mapping[str, Any]]:
        path = f"/{world}/tickets"
        return [trial.backend.act(world, method="GET", path=path) for _ in range(steps)]

    with ThreadPoolExecutor(len(worlds)) as pool:
        answers = [answer for found in pool.map(drive, worlds) for answer in found]
    rules.expect(
        "act from two threads", "expected every call to succeed", answers, all(a["success"] for a in answers)
    )
    for world, start in zip(worlds, before, strict=True):
        if start is not None and trial.step is not None:
            moved = (trial.time(world) or 0) - start
            rules.expect(
                "act from two threads", f"expected {steps} steps", moved, moved == steps * trial.step
            )


def _check_deletion(trial: Trial) -> None:
    """Check that a deleted world is gone, and only that one."""
    backend = trial.backend
    if not isinstance(backend, DisposingBackend):
        return
    backend.delete_world(trial.other)
    rules.refuses("get_tasks of a deleted world", lambda: trial.backend.get_tasks(trial.other))
    rules.refuses("delete_world of a deleted world", lambda: backend.delete_world(trial.other))
    trial.backend.get_tasks(trial.world)


def _check_closing(trial: Trial) -> None:
    """Check that closing can be repeated, and that calls then fail the way failing calls do."""
    trial.backend.close()
    trial.backend.close()
    rules.refuses("get_tasks after close", lambda: trial.backend.get_tasks(trial.world))
    answer = trial.act("GET", f"/{trial.world}/tickets")
    rules.expect("act after close", "expected success to be false", answer, answer["success"] is False)
