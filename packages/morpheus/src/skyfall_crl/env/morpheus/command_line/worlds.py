"""`skyfall-crl morpheus worlds`: list the worlds of a deployment, attach a run to one, delete one."""

import json
import sys
from collections.abc import Sequence

from skyfall_crl.env.morpheus.command_line.deployment import Deployment, WorldRow, reached
from skyfall_crl.ports.errors import ConfigError


def show_worlds(url: str, headers: Sequence[str], timeout: float) -> int:
    """Print one line for each world, `id  name  layout  status`, and return 0; raises `CrlError`."""
    with reached(url, headers, timeout) as deployment:
        worlds, more = deployment.worlds()
        lines = [(world.id, world.name, world.layout, deployment.status(world.id)) for world in worlds]
    widths = [max((len(line[column]) for line in lines), default=0) for column in range(4)]
    for line in lines:
        print("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip())
    if more:
        print(f"there are more worlds than these {len(lines)}", file=sys.stderr)
    return 0


def show_attachment(url: str, headers: Sequence[str], timeout: float, world_id: str) -> int:
    """Print the `env` section of a config that works in a world which is there, and return 0; raises `CrlError`."""
    with reached(url, headers, timeout) as deployment:
        print("\n".join(_section(deployment, deployment.world(world_id), world_id)))
    return 0


def delete_world(url: str, headers: Sequence[str], timeout: float, world_id: str, *, agreed: bool) -> int:
    """Delete a world that is there, say so and return 0; raises `ConfigError` unless this was agreed to."""
    if not agreed:
        raise ConfigError(f"worlds delete: expected --yes, because world {world_id!r} would be gone for good")
    with reached(url, headers, timeout) as deployment:
        world = deployment.world(world_id)
        deployment.delete(world_id)
    print(f"deleted world {world.id} ({world.name})")
    return 0


def _section(deployment: Deployment, world: WorldRow, world_id: str) -> list[str]:
    lines = ["env:", "  id: morpheus/live", "  kwargs:", f"    base_url: {json.dumps(deployment.url)}"]
    if deployment.references:
        lines.append("    headers:")
        lines += [
            f"      {json.dumps(name)}: {json.dumps(value)}" for name, value in deployment.references.items()
        ]
    if world.layout != "-":
        lines.append(f"    layout: {json.dumps(world.layout)}")
    return [*lines, f"    world_id: {json.dumps(world_id)}"]
