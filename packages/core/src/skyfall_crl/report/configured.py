"""What a run was configured with, where its files are and how to run it again."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from skyfall_crl.report.cells import Cell, Column, Table
from skyfall_crl.report.wording import count, level, moment, plural, share, size, spoken

FILES = {
    "config.yaml": "the resolved config",
    "provenance.json": "versions, seeds and how the run went",
    "trace.jsonl": "one line for each step of each world",
    "metrics.json": "the scores",
    "checkpoints": "what the run can be resumed from",
    "bundle": "the policy, ready to be served",
}


@dataclass(frozen=True, slots=True)
class File:
    """A file or folder of the run directory; `link` is relative to the report."""

    link: str
    what: str
    size: str


@dataclass(frozen=True, slots=True)
class Command:
    """A command line and what it does."""

    what: str
    line: str


def config_text(directory: Path, header: Mapping[str, Any]) -> str:
    """The resolved config as it lies in the directory, else as the trace records it; secrets are references."""
    path = directory / "config.yaml"
    if path.is_file():
        return path.read_text(encoding="utf-8")
    return yaml_text(header.get("config"))


def yaml_text(document: object) -> str:
    """Plain data as YAML, in its own order; empty for nothing."""
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=100) if document else ""


def schedule_table(header: Mapping[str, Any]) -> Table | None:
    """The planned configurations; None where no schedule is recorded."""
    schedule = header.get("schedule")
    regimes = schedule.get("regimes") if isinstance(schedule, Mapping) else None
    if not regimes:
        return None
    columns = (Column("Configuration", number=False), Column("Steps"), Column("Axes", number=False))
    rows = []
    for regime in regimes:
        name, identity = str(regime.get("regime_id")), regime.get("identity")
        steps = regime.get("duration_steps")
        title = name if identity in (None, name) else f"{name} (= {identity})"
        axes = ", ".join(f"{axis} {_compact(value)}" for axis, value in (regime.get("axes") or {}).items())
        rows.append([Cell(title), Cell("open" if steps is None else count(steps)), Cell(axes or "none")])
    return Table(columns, rows)


def schedule_words(header: Mapping[str, Any]) -> str:
    """How the schedule moves, and what the policy was told."""
    schedule, config = header.get("schedule") or {}, header.get("config") or {}
    words = [f"Shifts are {spoken(str(schedule.get('shift_mode', 'abrupt')))}"]
    if schedule.get("drift_window"):
        words.append(f"with a drift window of {plural(schedule['drift_window'], 'step')}")
    told = {
        "signal": "the policy is told that one happened",
        "label": "the policy is told which one is active",
    }
    notify = (config.get("regime") or {}).get("notify", "hidden")
    return f"{' '.join(words)}; {told.get(notify, 'the policy is not told')}."


def reward_table(header: Mapping[str, Any]) -> Table | None:
    """The terms that score a step; None where no reward spec is recorded."""
    spec = header.get("reward_spec")
    terms = spec.get("terms") if isinstance(spec, Mapping) else None
    if not terms:
        return None
    total = sum(term.get("weight", 0) for term in terms)
    columns = (
        Column("Term", number=False),
        Column("Weight"),
        Column("Share"),
        Column("Parameters", number=False),
    )
    rows = [
        [
            Cell(spoken(str(term.get("name")))),
            Cell(level(term.get("weight"))),
            Cell(share(term.get("weight", 0), total)),
            Cell(_compact(term["params"]) if term.get("params") else "none"),
        ]
        for term in terms
    ]
    return Table(columns, rows)


def provenance_table(header: Mapping[str, Any]) -> Table:
    """Seeds, versions and platform, one a row."""
    capabilities = header.get("capabilities") or {}
    facts = {
        "Run": header.get("run_id"),
        "Started": moment(str(header.get("created") or "")),
        "Seed": header.get("seed"),
        "Environment tier": capabilities.get("tier"),
        "Revision": header.get("revision"),
        "Platform": header.get("platform"),
        "Plugins": header.get("plugins"),
        "Versions": header.get("versions"),
    }
    rows = [
        [Cell(title), Cell(_words(value))] for title, value in facts.items() if value not in (None, {}, "")
    ]
    return Table((Column("What", number=False), Column("Recorded", number=False)), rows)


def files(directory: Path) -> list[File]:
    """The files of the run that exist."""
    found = []
    for name, what in FILES.items():
        path = directory / name
        if path.is_file():
            found.append(File(name, what, size(path.stat().st_size)))
        elif path.is_dir() and any(path.iterdir()):
            found.append(File(f"{name}/", what, ""))
    return found


def commands(directory: Path, status: str) -> list[Command]:
    """Command lines to be given inside the run directory."""
    found = []
    if (directory / "config.yaml").is_file():
        if status != "completed":
            found.append(Command("Go on where it stopped", "skyfall-crl run --resume ."))
        found.append(Command("Run it again", "skyfall-crl run config.yaml --out again"))
    found.append(Command("Score it again", "skyfall-crl eval trace.jsonl"))
    return found


def _words(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_compact(entry)}" for name, entry in value.items())
    return str(value)


def _compact(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
