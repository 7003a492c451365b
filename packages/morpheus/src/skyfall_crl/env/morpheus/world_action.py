"""One action of an agent: mapped to a call, judged, sent, and turned into an outcome; never an exception."""

from collections.abc import Mapping
from typing import Any

from skyfall_crl.env.morpheus.action import ActionScope
from skyfall_crl.env.morpheus.audit import AuditFile
from skyfall_crl.env.morpheus.limits import Allowance
from skyfall_crl.env.morpheus.ports import AdvancingBackend, BackendError, BriefBackend, MorpheusBackend
from skyfall_crl.env.morpheus.world_reading import WorldReading
from skyfall_crl.ports.task_view import TaskView
from skyfall_crl.ports.tools import ActionOutcome, ToolCall

PASSED = ActionOutcome(accepted=True)
NO_OPERATION = ActionOutcome(accepted=True, reason="no_operation")
UNREACHABLE = ActionOutcome(accepted=False, reason="unreachable")


class WorldActions:
    """Takes actions through a task view into a world, inside a scope.

    Whatever becomes of an action, the world moves one step where its clock goes by steps. After each action
    `claimed` holds the tickets to put to the verifier, `written` the write that may have taken effect, with its
    answer, or None.
    """

    def __init__(self, backend: MorpheusBackend, view: TaskView, scope: ActionScope) -> None:
        self._advancing = backend if isinstance(backend, AdvancingBackend) else None
        self._act = backend.act
        if isinstance(backend, BriefBackend) and view.observation_space is not None:
            self._act = backend.act_briefly
        self._view = view
        self.scope = scope
        self._allowance = Allowance(scope.limits)
        self._audit = None if scope.audit is None else AuditFile(scope.audit)
        self.claimed: tuple[str, ...] = ()
        self.written: tuple[ToolCall, Mapping[str, Any]] | None = None

    def take(self, action: Any, reading: WorldReading) -> ActionOutcome:
        """Carry an action out and say what became of it.

        `reason` is None for a plain success and for a view's `no_action`; `no_operation` where no single call
        stands behind the action; what `ActionScope.judge` or `Allowance.spend` says; `audit_failed`; `rejected`
        where the world refused the call, or the backend's own code where no answer came; `unreachable` where the
        world could not be moved on.
        """
        world_id, view = reading.world_id, self._view
        self.claimed, self.written = (), None
        tickets = tuple(view.touched_tickets(action, observation=reading))
        call = view.to_tool_call(action, world_id=world_id, observation=reading)
        if call is None and not tickets:
            return self._pass(world_id, PASSED if _is_same(action, view.no_action) else NO_OPERATION)
        if call is None:
            self.claimed = tickets
            return self._pass(world_id, ActionOutcome(True, reason="no_operation", tickets=tickets))
        call, refusal = self._admitted(call, world_id)
        if refusal is not None:
            return self._pass(world_id, ActionOutcome(False, reason=refusal, tickets=tickets))
        self.claimed = tickets
        if call.method != "GET" and ("%" in call.path or "tickets" in call.path.lower()):
            reading.tickets_written = True
        return self._sent(call, world_id, tickets)

    def _admitted(self, call: ToolCall, world_id: str) -> tuple[ToolCall, str | None]:
        """Return the call as it would be sent, and why it may not be; every write is noted in the audit file."""
        call, refusal = self.scope.admit(call, world_id)
        if refusal is None:
            refusal = self._allowance.spend(call.method)
        if self._audit is not None and call.method != "GET":
            if refusal is not None:
                self._audit.refused(world_id, call, refusal)
            elif not self._audit.sending(world_id, call):
                refusal = "audit_failed"
        return call, refusal

    def _sent(self, call: ToolCall, world_id: str, tickets: tuple[str, ...]) -> ActionOutcome:
        answer = self._act(world_id, method=call.method, path=call.path, body=call.body)
        self._view.notice(call, answer)
        found = answer.get("status")
        status = found if isinstance(found, int) else None
        accepted = answer.get("success") is not False and not (status is not None and status >= 400)
        reason = None if accepted else str(answer.get("reason", "rejected"))
        if call.method != "GET" and (accepted or reason != "rejected"):
            self.written = call, answer
        outcome = ActionOutcome(accepted, sent=True, reason=reason, status=status, tickets=tickets)
        if self._audit is not None and call.method != "GET":
            self._audit.answered(world_id, call, outcome)
        return outcome

    def close(self) -> None:
        """Close the audit file."""
        if self._audit is not None:
            self._audit.close()

    def _pass(self, world_id: str, outcome: ActionOutcome) -> ActionOutcome:
        """Let the world move without a call."""
        if self._advancing is not None:
            try:
                self._advancing.advance(world_id)
            except BackendError:
                return UNREACHABLE
        return outcome


def _is_same(action: Any, other: Any) -> bool:
    try:
        return bool(action is other or action == other)
    except ValueError:
        return False
