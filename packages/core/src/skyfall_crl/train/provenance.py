"""The provenance record: what ran, with what, on what; the first line of a trace."""

import platform
import subprocess
import sys
import uuid
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from skyfall_crl.ports.environment import attribute
from skyfall_crl.registry.plugins import installed
from skyfall_crl.train.build import Parts
from skyfall_crl.train.describe import describe_run
from skyfall_crl.train.rows import ROW_VERSION

RECORDED_DISTRIBUTIONS = ("gymnasium", "msgspec", "numpy", "pydantic")


def provenance(parts: Parts) -> dict[str, Any]:
    """Return the record of a run that is about to start; secrets stay references."""
    env = parts.fanout.environments[0]
    spec = attribute(env, "reward_spec", None)
    return {
        "v": ROW_VERSION,
        "kind": "provenance",
        "run_id": uuid.uuid4().hex,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "config": parts.config.to_document(),
        "seed": parts.config.run.seed,
        "worlds": [f"w{number}" for number in range(parts.config.run.num_envs)],
        "world_seeds": parts.seeds,
        "steps": parts.config.run.steps,
        "reattach": reattach(parts),
        "capabilities": parts.capabilities.to_row(),
        "environment": describe_run(env),
        "spaces": {
            "observation": str(getattr(env, "observation_space", None)),
            "action": str(getattr(env, "action_space", None)),
        },
        "schedule": _schedule(parts),
        "references": references(parts),
        "reward_spec": spec.to_mapping() if hasattr(spec, "to_mapping") else None,
        "privileged": parts.privileged,
        "versions": versions(),
        "plugins": plugins(),
        "platform": {
            "python": platform.python_version(),
            "system": platform.platform(),
            "machine": platform.machine(),
            "blas_threads": 1,
        },
        "revision": _revision(),
        "command": sys.argv[1:],
    }


def references(parts: Parts) -> dict[str, dict[str, float]]:
    """Return the reference levels the environment knows for each identity of the schedule."""
    if not parts.capabilities.references or parts.schedule is None:
        return {}
    ask = attribute(parts.fanout.environments[0], "references", None)
    found: dict[str, dict[str, float]] = {}
    for regime in parts.schedule.regimes:
        if regime.identity not in found and (levels := ask(regime)):
            found[regime.identity] = {name: float(level) for name, level in levels.items()}
    return found


def reattach(parts: Parts) -> list[dict[str, Any]]:
    """Return, for each world, the arguments that lead to it again; empty where an environment has no such."""
    found = [attribute(env, "reattach", None) for env in parts.fanout.environments]
    return [] if None in found else [dict(arguments) for arguments in found]


def versions() -> dict[str, str]:
    """Return the versions of this platform's distributions and of those that decide numbers."""
    from importlib.metadata import PackageNotFoundError, version

    found: dict[str, str] = {}
    for name in RECORDED_DISTRIBUTIONS:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    for owner in (owner for owners in installed().found.values() for owner in owners):
        if owner.distribution.startswith("skyfall-crl"):
            found[owner.distribution] = owner.version
    return dict(sorted(found.items()))


def plugins() -> dict[str, str]:
    """Return the installed plugins and the distributions that bring them."""
    return {
        name: ", ".join(f"{owner.distribution} {owner.version}" for owner in owners)
        for name, owners in installed().found.items()
    }


def _schedule(parts: Parts) -> dict[str, Any] | None:
    schedule = parts.schedule
    if schedule is None:
        return None
    document = schedule.to_mapping()
    document["regimes"] = [
        {
            "regime_id": regime.regime_id,
            "identity": regime.identity,
            "duration_steps": regime.duration_steps,
            "axes": dict(regime.axes),
        }
        for regime in schedule.regimes
    ]
    return document


def _revision() -> str | None:
    """Return the git revision of the working folder, or None where there is none."""
    if not any((folder / ".git").exists() for folder in (Path.cwd(), *Path.cwd().parents)):
        return None
    try:
        done = subprocess.run(
            ["git", "rev-parse", "HEAD"],  # noqa: S607
            capture_output=True,
            text=True,
            timeout=5,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None
