"""`skyfall-crl morpheus doctor`: what answers at an address, told before anything is created there."""

from collections.abc import Iterator, Sequence
from time import monotonic
from typing import Any, NamedTuple

from skyfall_crl.env.morpheus.action import DEFAULT_DOMAINS
from skyfall_crl.env.morpheus.command_line.deployment import Deployment, reached
from skyfall_crl.env.morpheus.http.stepped_backend import PROTOCOL, SIDE_CHANNEL, SteppedHttpBackend
from skyfall_crl.env.morpheus.http_backend import HttpBackend
from skyfall_crl.env.morpheus.ports import (
    AdvancingBackend,
    BackendError,
    ChaosBackend,
    DisposingBackend,
    ObservingBackend,
    RewardConfigBackend,
    SignallingBackend,
    SnapshotBackend,
)

LAYOUTS = "/world/layouts"
OFFERS: tuple[tuple[str, type], ...] = (
    ("steps on request", AdvancingBackend),
    ("signals of a step", SignallingBackend),
    ("snapshots", SnapshotBackend),
    ("deletion", DisposingBackend),
    ("logs", ObservingBackend),
    ("pushed regimes", ChaosBackend),
    ("a world's own reward spec", RewardConfigBackend),
)
"""What a run may use beyond what every backend has to offer."""


class Check(NamedTuple):
    """What one check found; `passed` is None where nothing was expected."""

    name: str
    passed: bool | None
    found: str


def examine(url: str, headers: Sequence[str], timeout: float) -> int:
    """Print one line for each check, and return 1 where one failed, else 0; raises `ConfigError`.

    Only reads are sent, all within one deadline of `timeout` seconds. Where nothing answers, nothing else is asked.
    """
    failed = False
    with reached(url, headers, timeout) as deployment:
        for check in checks(deployment):
            failed = failed or check.passed is False
            mark = {True: "ok", False: "failed", None: "-"}[check.passed]
            print(f"{mark:<6}  {check.name:<9}  {check.found}", flush=True)
    return 1 if failed else 0


def checks(deployment: Deployment) -> Iterator[Check]:
    """Examine a deployment, from whether it answers to what it offers."""
    started = monotonic()
    try:
        layouts: Any = deployment.read(LAYOUTS)
        refusal = None
    except BackendError as error:
        layouts, refusal = None, error
    if refusal is not None and refusal.status is None:
        yield Check("reach", False, str(refusal))
        return
    yield Check("reach", True, f"{deployment.url} answered within {monotonic() - started:.2f} s")
    status = None if refusal is None else refusal.status
    if status in (401, 403):
        yield Check("auth", False, _turned_away(deployment, status))
        return
    named = f"with {', '.join(deployment.references)}" if deployment.references else "without a header"
    if status in (None, 404):
        yield Check("auth", True, f"accepted {named}")
    else:
        yield Check("auth", None, f"asked {named}; whether that is accepted, no answer told")
    yield _layouts(deployment, layouts, refusal)
    yield from _clock_and_offers(deployment)
    yield _services(deployment)


def _turned_away(deployment: Deployment, status: int | None) -> str:
    if deployment.references:
        return f"{status}: expected another value of {', '.join(deployment.references)}"
    return f"{status}: expected a header, such as --header 'Authorization=Bearer ${{env:TOKEN}}'"


def _layouts(deployment: Deployment, layouts: Any, refusal: BackendError | None) -> Check:
    if refusal is not None:
        return Check("layouts", False, str(refusal))
    if not isinstance(layouts, list) or not layouts:
        return Check("layouts", False, f"expected a list of layouts at {LAYOUTS}, found none")
    names = [deployment.shown(entry.get("id") if isinstance(entry, dict) else entry) for entry in layouts]
    return Check("layouts", True, ", ".join(names))


def _clock_and_offers(deployment: Deployment) -> Iterator[Check]:
    """Tell a served simulator, whose worlds move by steps, from a deployment, whose worlds go by the wall clock."""
    kind: type[HttpBackend] = HttpBackend
    try:
        side = deployment.read(SIDE_CHANNEL)
    except BackendError as error:
        if error.status != 404:
            yield Check("clock", False, str(error))
            return
        side = None
    protocol = side.get("protocol") if isinstance(side, dict) else None
    if protocol == PROTOCOL:
        kind = SteppedHttpBackend
        yield Check("clock", True, f"steps, by {SIDE_CHANNEL}: a world moves when an agent does")
    elif protocol is None:
        yield Check("clock", True, "wall: a world goes on by itself, also while nobody acts")
    else:
        yield Check("clock", False, f"expected protocol {PROTOCOL} at {SIDE_CHANNEL}, found another")
        return
    yield Check("offered", None, ", ".join(name for name, port in OFFERS if issubclass(kind, port)))
    missing = ", ".join(name for name, port in OFFERS if not issubclass(kind, port))
    yield Check("lacking", None, missing or "nothing")


def _services(deployment: Deployment) -> Check:
    """Ask which of the services an agent may use are described."""
    found: list[str] = []
    absent: list[str] = []
    for service in DEFAULT_DOMAINS:
        try:
            data = deployment.read(f"/docs/mesh?service={service}")
        except BackendError as error:
            if error.status not in (400, 404):
                return Check("services", False, str(error))
            data = None
        listed = data.get("endpoints") if isinstance(data, dict) else None
        (found if listed else absent).append(service)
    text = ", ".join(found) or "none"
    return Check("services", bool(found), f"{text}; not there: {', '.join(absent)}" if absent else text)
