"""One action of an agent: mapped to a call, judged, sent, and turned into an outcome; never an exception."""

from collections.abc import Mapping
from typing import Any

from skyfall_crl.env.morpheus.action import ActionScope
from skyfall_crl.env.morpheus.ports import AdvancingBackend, BackendError, MorpheusBackend, SignallingBackend
from skyfall_crl.env.morpheus.world_reading import WorldReading, with_verified
from skyfall_crl.ports.task_view import TaskView
from skyfall_crl.ports.tools import ActionOutcome

PASSED = ActionOutcome(accepted=True)
NO_OPERATION = ActionOutcome(accepted=True, reason="no_operation")
UNREACHABLE = ActionOutcome(accepted=False, reason="unreachable")


class WorldActions:
    """Takes actions through a task view into a world, inside a scope.

    Whatever becomes of an action, the world moves one step where its clock goes by steps.
    """

    def __init__(self, backend: MorpheusBackend, view: TaskView, scope: ActionScope) -> None:
        self._backend = backend
        self._advancing = backend if isinstance(backend, AdvancingBackend) else None
        self._verifies = not isinstance(backend, SignallingBackend)
        self._view = view
        self.scope = scope

    def take(self, action: Any, reading: WorldReading) -> ActionOutcome:
        """Carry an action out and say what became of it.

        `reason` is None for a plain success and for a view's `no_action`; `no_operation` where no single call
        stands behind the action; what `ActionScope.judge` says; `rejected` where the world refused the call;
        `unreachable` where it could not be moved on.
        """
        world_id, view = reading.world_id, self._view
        tickets = tuple(view.touched_tickets(action, observation=reading))
        call = view.to_tool_call(action, world_id=world_id, observation=reading)
        if call is None and not tickets:
            return self._pass(world_id, PASSED if _is_same(action, view.no_action) else NO_OPERATION)
        if call is None:
            outcome = self._pass(world_id, ActionOutcome(True, reason="no_operation", tickets=tickets))
            return self._verified(outcome, world_id)
        call, refusal = self.scope.admit(call, world_id)
        if refusal is not None:
            return self._pass(world_id, ActionOutcome(False, reason=refusal, tickets=tickets))
        if call.method != "GET" and ("%" in call.path or "tickets" in call.path.lower()):
            reading.tickets_written = True
        answer = self._backend.act(world_id, method=call.method, path=call.path, body=call.body)
        view.notice(call, answer)
        status = answer.get("status")
        accepted = answer.get("success") is not False and not (isinstance(status, int) and status >= 400)
        outcome = ActionOutcome(
            accepted,
            sent=True,
            reason=None if accepted else "rejected",
            status=status if isinstance(status, int) else None,
            tickets=tickets,
        )
        return self._verified(outcome, world_id) if tickets else outcome

    def _pass(self, world_id: str, outcome: ActionOutcome) -> ActionOutcome:
        """Let the world move without a call."""
        if self._advancing is not None:
            try:
                self._advancing.advance(world_id)
            except BackendError:
                return UNREACHABLE
        return outcome

    def _verified(self, outcome: ActionOutcome, world_id: str) -> ActionOutcome:
        """Ask the verifier about the tickets an action claimed, where the step's signals don't tell."""
        if not self._verifies:
            return outcome
        passed = tuple(ticket for ticket in outcome.tickets if self._passes(world_id, ticket))
        return with_verified(outcome, passed) if passed else outcome

    def _passes(self, world_id: str, ticket_id: str) -> bool:
        try:
            answer: Mapping[str, Any] = self._backend.verify(world_id, ticket_id)
        except BackendError:
            return False
        return answer.get("passed") is True


def _is_same(action: Any, other: Any) -> bool:
    try:
        return bool(action is other or action == other)
    except ValueError:
        return False
