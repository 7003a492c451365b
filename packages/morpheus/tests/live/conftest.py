"""A deployment in memory: the documents it records, what it was asked, and how it fails, all in the test's hands."""

import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from skyfall_crl.env.morpheus.morpheus_env import MorpheusEnv
from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.reward import RewardSpec

WORLD = "65f0c0ffee65f0c0ffee65f0"


class Deployment:
    """Keeps the backend protocol, a chaos configuration apart from its reading, and reward configs.

    `documents` are the lists behind each path, `tickets` the open ones, `mended` the tickets whose checks pass.
    `effects` are run by the next `act`; `broken` maps a call's name to the error it raises; `gate`, where set, is
    passed by every read before it answers. `calls` names every call in the order it began.
    """

    def __init__(self) -> None:
        self.documents: dict[str, list[dict[str, Any]]] = {
            "erp/invoices": [],
            "tms/shipments": [],
            "erp/orders": [],
        }
        self.tickets: list[dict[str, Any]] = []
        self.mended: set[str] = set()
        self.effects: list[Callable[[], Any]] = []
        self.broken: dict[str, BackendError] = {}
        self.gate: Callable[[], Any] = lambda: None
        self.calls: list[str] = []
        self.chaos: dict[str, Any] = {}
        self.spec: Any = None
        self.closed = 0

    def create_world(self, **settings: Any) -> str:
        self._called("create")
        return WORLD

    def reset_world(self, world_id: str) -> None:
        self._called("reset")

    def get_tasks(self, world_id: str, *, status: str | None = None) -> Any:
        items = [ticket for ticket in self.tickets if status in (None, ticket["status"])]
        name = "tickets" if status is None else f"tickets {status}"
        return self._read(name, {"data": {"items": items}})

    def fetch(self, world_id: str, path: str, *, params: Mapping[str, Any] | None = None) -> Any:
        name = path.removeprefix(f"/{world_id}/")
        items = self.documents[name]
        if name == "erp/orders":
            items = [item for item in items if item["status"] == "COMPLETED"]
        return self._read(name, {"success": True, "data": [dict(item) for item in items]})

    def get_action_space(self, world_id: str, service: str | None = None) -> Mapping[str, Any]:
        return {"endpoints": []}

    def act(
        self, world_id: str, *, method: str, path: str, body: Mapping[str, Any] | None = None
    ) -> Mapping[str, Any]:
        self.calls.append(f"act {method} {path}")
        answer: Any = None
        for effect in self.effects:
            answer = effect()
        self.effects = []
        return answer if isinstance(answer, Mapping) else {"success": True, "status": 200}

    def push_chaos(self, world_id: str, chaos: Mapping[str, Any]) -> None:
        self._called("push")
        self.chaos = dict(chaos)

    def read_chaos(self, world_id: str) -> Mapping[str, Any]:
        return self._read("read_chaos", self.chaos)

    def set_chaos(self, world_id: str, chaos: Mapping[str, Any]) -> Mapping[str, Any]:
        self._called("set_chaos")
        self.chaos = dict(chaos)
        return self.chaos

    def verify(self, world_id: str, ticket_id: str) -> Mapping[str, Any]:
        return self._read("verify", {"passed": ticket_id in self.mended})

    def reward_config(self, world_id: str) -> Mapping[str, Any] | None:
        self._called("reward_config")
        found: Mapping[str, Any] | None = self.spec
        return found

    def close(self) -> None:
        self.closed += 1

    def ticket(self, ticket_id: str, priority: str = "critical", **metadata: Any) -> None:
        """Open a ticket."""
        self.tickets.append({"_id": ticket_id, "priority": priority, "status": "open", "metadata": metadata})

    def after(self, change: Callable[[], Any]) -> None:
        """Have the next `act` change something."""
        self.effects.append(change)

    def _read(self, name: str, answer: Any) -> Any:
        self._called(name)
        self.gate()
        return answer

    def _called(self, name: str) -> None:
        self.calls.append(name)
        if name in self.broken:
            raise self.broken[name]


@pytest.fixture
def deployment() -> Deployment:
    """A deployment with nothing in it yet."""
    return Deployment()


@pytest.fixture
def make_live(deployment: Deployment) -> Iterator[Callable[..., MorpheusEnv]]:
    """Build environments over the deployment; no thread of theirs lives on after the test."""
    before = set(threading.enumerate())
    built: list[MorpheusEnv] = []

    def make(**settings: Any) -> MorpheusEnv:
        built.append(MorpheusEnv(deployment, **settings))
        return built[-1]

    yield make
    for env in built:
        env.close()
    assert set(threading.enumerate()) == before


NOTHING = {"method": "", "path": "", "body": ""}
SPEC = RewardSpec.from_mapping(
    {
        "name": "hours-are-days",
        "version": 1,
        "terms": [
            {"name": "remediation", "weight": 0.5, "params": {"horizon_steps": 10}},
            {
                "name": "financial",
                "weight": 0.3,
                "params": {"leak_per_step": 100, "window_days": 10, "hours_per_day": 1},
            },
            {
                "name": "throughput",
                "weight": 0.2,
                "params": {"units_per_step": 2, "window_days": 10, "hours_per_day": 1},
            },
        ],
    }
)


def hour(number: int) -> str:
    return f"2026-01-01T{number:02d}:00:00Z"


class Office:
    """A deployment's documents, an environment over them, and a clock that runs by changed documents alone."""

    def __init__(self, deployment: Any, env: MorpheusEnv) -> None:
        self.deployment, self.env = deployment, env
        self.invoices = deployment.documents["erp/invoices"]
        self.shipments = deployment.documents["tms/shipments"]
        self.orders = deployment.documents["erp/orders"]
        self.shipments.append({"shipmentId": "CLOCK", "status": "PLANNED", "createdAt": hour(0)})

    def at(self, number: int) -> None:
        self.shipments[0]["updatedAt"] = hour(number)

    def invoice(
        self, name: str, opened: int, total: float = 40, term: int | None = 2, **more: Any
    ) -> dict[str, Any]:
        document = {"_id": f"id-{name}", "invoiceId": name, "status": "SENT", "totalAmount": total}
        document |= {"createdAt": hour(opened), "issueDate": "2026-01-01"}
        if term is not None:
            document["dueDate"] = f"2026-01-{1 + term:02d}"
        self.invoices.append(document | more)
        return self.invoices[-1]

    def shipment(self, name: str, opened: int, status: str = "PLANNED", **costs: float) -> dict[str, Any]:
        document = {"shipmentId": name, "status": status, "createdAt": hour(opened), "costs": costs}
        self.shipments.append(document)
        return document

    def order(self, name: str, opened: int, status: str = "COMPLETED") -> dict[str, Any]:
        self.orders.append({"orderId": name, "status": status, "createdAt": hour(opened)})
        return self.orders[-1]

    def step(self, action: dict[str, str] = NOTHING) -> tuple[dict[str, float], int]:
        info = self.env.step(action)[4]
        return info["reward_terms"], info.get("reward_tainted", 0)


@pytest.fixture
def office(deployment: Any, make_live: Callable[..., MorpheusEnv]) -> Office:
    return Office(deployment, make_live(reward_spec=SPEC))
