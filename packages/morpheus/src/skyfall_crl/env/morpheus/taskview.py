"""Task views: what an agent is asked to do, and how that maps onto the world."""

from skyfall_crl.env.morpheus.views.allocation import ResourceAllocation
from skyfall_crl.env.morpheus.views.scheduling import SchedulingUnderDrift
from skyfall_crl.env.morpheus.views.tool_call import ToolCallTaskView
from skyfall_crl.ports.task_view import TaskView

__all__ = ["ResourceAllocation", "SchedulingUnderDrift", "TaskView", "ToolCallTaskView"]
