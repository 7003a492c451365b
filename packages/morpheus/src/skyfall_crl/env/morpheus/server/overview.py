"""What the page shows of the worlds: stages, open tickets, money, throughput and the last calls; never a cause."""

from typing import Any

from skyfall_crl.env.morpheus.server.worlds import HostedWorlds


def overview(worlds: HostedWorlds) -> dict[str, Any]:
    """Return one entry for each world, as plain data."""
    return {"worlds": [_world(worlds, world_id) for world_id in worlds.ids()]}


def _world(worlds: HostedWorlds, world_id: str) -> dict[str, Any]:
    engine, hosted = worlds.backend.engine(world_id), worlds.hosted(world_id)
    board, book, layout = engine.board, engine.obligations, engine.layout
    in_stage = [0] * len(layout.symptoms)
    for order in engine.orders.values():
        if order.fault is None and order.stage:
            in_stage[order.stage - 1] += 1
    return {
        "id": world_id,
        "name": hosted.definition.name,
        "layout": layout.name,
        "title": layout.title,
        "step": board.step,
        "time": worlds.now(world_id),
        "paused": worlds.is_paused(world_id),
        "stages": [
            {
                "name": symptom.stage,
                "orders": in_stage[place],
                "tickets": len(board.queues[place]),
                "oldest": board.step - board.queues[place][0].opened_step if board.queues[place] else 0,
                "blocked": board.blocked_cents[place] / 100,
            }
            for place, symptom in enumerate(layout.symptoms)
        ],
        "tickets": len(engine.blocked),
        "money": {
            "collected": book.collected_cents / 100,
            "blocked": sum(board.blocked_cents) / 100,
            "lost": book.lost_cents / 100,
        },
        "stepsPerDay": layout.steps_per_day,
        "orders": {
            "inside": len(engine.orders),
            "entered": engine.next_order,
            "completed": engine.chronicle.left[-1],
        },
        "signals": dict(worlds.backend.step_signals(world_id).signals),
        "actions": [
            {
                "step": action.step,
                "method": action.method,
                "path": action.path.replace(f"/{world_id}", "", 1),
                "status": action.status,
                "agent": action.by_agent,
            }
            for action in reversed(hosted.actions)
        ],
    }
