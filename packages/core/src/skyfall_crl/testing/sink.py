"""Does a sink take a run's rows on a thread of its own, leave them as they are, and close after every ending."""

import copy
import threading
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

from skyfall_crl.ports.sink import Sink
from skyfall_crl.testing.comparison import difference
from skyfall_crl.testing.verdict import broken, surviving, typed

SinkFactory: TypeAlias = Callable[[], Sink]

STATUSES = ("completed", "interrupted", "failed")
PATIENCE_SECONDS = 30.0
"""How long a call may take here; a run detaches a sink long before."""

HEADER: Mapping[str, Any] = MappingProxyType(
    {"v": 1, "kind": "provenance", "seed": 0, "config": {"env": {"id": "conformance"}}, "problems": []}
)
ROWS: tuple[dict[str, Any], ...] = (
    {
        "v": 1,
        "kind": "step",
        "step": 0,
        "world": "w0",
        "world_time": 30,
        "episode": 0,
        "phase": "train",
        "regime_id": "a",
        "regime_identity": "a",
        "drift_progress": None,
        "reward": 0.5,
        "reward_terms": {"hit": 0.5},
        "terminated": False,
        "truncated": True,
        "action": 2,
        "outcome": {"accepted": True, "tickets": ["t1"]},
        "policy_version": 0,
        "wall_ms": 1,
    },
    {
        "v": 1,
        "kind": "step",
        "step": 0,
        "world": "eval/1/a",
        "reward": None,
        "reward_invalid": "nan",
        "action": None,
    },
    {"v": 1, "kind": "shift", "step": 1, "world": "w0", "regime_id": "b", "applied": False, "problem": "no"},
    {"v": 1, "kind": "something newer", "nested": {"list": [1, [2.5, "text"]], "none": None}},
)
"""Rows of a run: a plain one, one without a reward, a shift, and a kind that nobody knows yet."""


def check_sink(factory: SinkFactory) -> None:
    """Check the sinks a factory without arguments builds; raises `ConformanceError`.

    Each is opened, fed and closed on one thread, which didn't build it: once for every ending of a run, and once
    without any rows.
    """
    for status in STATUSES:
        check_run(factory, [ROWS, ROWS[:1], ()], status)
    check_run(factory, [], "failed")


def check_run(factory: SinkFactory, batches: Sequence[Sequence[Mapping[str, Any]]], status: str) -> None:
    """Check one run: open, the batches, close with a status."""
    cause = "wrap one that needs arguments in functools.partial"
    with surviving("factory", rule="expected a function without arguments", cause=cause):
        sink = factory()
    if not isinstance(sink, Sink):
        cause = "it needs open, rows and close"
        raise broken("factory", rule="expected a Sink", found=typed(sink), cause=cause)
    progress: list[str] = []
    errors: list[Exception] = []

    def work() -> None:
        try:
            _feed(sink, batches, status, progress)
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(PATIENCE_SECONDS)
    if thread.is_alive():
        rule, cause = "expected it to return", "a run waits a second at most, then goes on without the sink"
        raise broken(progress[-1], rule=rule, found=f"nothing after {PATIENCE_SECONDS:g} s", cause=cause)
    for error in errors:
        raise error


def _feed(
    sink: Sink, batches: Sequence[Sequence[Mapping[str, Any]]], status: str, progress: list[str]
) -> None:
    """Do what the thread of a sink does, and say in `progress` what comes next."""
    rule = "expected it to return on a thread that didn't build the sink"
    progress.append("open")
    cause = (
        "open files and connections here, not before; the record is frozen, and later versions have more keys"
    )
    with surviving(progress[-1], rule=rule, cause=cause):
        sink.open(HEADER)
    for number, batch in enumerate(batches):
        progress.append(f"rows of batch {number}")
        given = copy.deepcopy(batch)
        cause = "skip kinds you don't know; values may be None, keys absent, and a batch empty"
        with surviving(progress[-1], rule=rule, cause=cause):
            sink.rows(given)
        if (found := difference(list(batch), list(given))) is not None:
            rule, cause = (
                "expected rows to stay as they were",
                "other sinks get the same ones; copy before you edit",
            )
            raise broken(progress[-1], rule=rule, found=found, cause=cause)
    progress.append(f"close({status!r})")
    cause = "a run may end before its first row, and in each of three ways"
    with surviving(progress[-1], rule=rule, cause=cause):
        sink.close(status)
