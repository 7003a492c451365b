"""The steps of a run as a log of the l2logger format 1.0, which `l2metrics` reads.

A stay in one configuration is a block, a world a worker, a step an experience; steps of frozen evaluations are `test`
blocks. Source of the layout: l2logger's docs/log_format.md and docs/interface.md.
"""

import csv
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.trace.reader import read_header, read_rows

FORMAT_VERSION = "1.0"
DATA_FILE = "data-log.tsv"
FIELDS = (
    "block_num",
    "exp_num",
    "worker_id",
    "block_type",
    "block_subtype",
    "task_name",
    "task_params",
    "exp_status",
    "timestamp",
    "reward",
)
_EPOCH = "1970-01-01T00:00:00"


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written: experiences, blocks, and steps without a reward, which are left out."""

    experiences: int
    blocks: int
    left_out: int


def write_l2(trace: Path, folder: Path) -> Exported:
    """Write a log into a new or empty folder; raises `ConfigError` for another, since logs are appended to."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigError(f"--l2 {folder}: expected a new or an empty folder, found something in it")
    folder.mkdir(parents=True, exist_ok=True)
    info = {"metrics_columns": ["reward"], "log_format_version": FORMAT_VERSION}
    (folder / "logger_info.json").write_text(json.dumps(info, indent=2), encoding="utf-8")
    header = read_header(trace)
    scenario = {"author": "skyfall-crl", "scenario_type": "custom", "run_id": header.get("run_id")}
    (folder / "scenario_info.json").write_text(json.dumps(scenario, indent=2), encoding="utf-8")
    return _write_blocks(trace, folder, datetime.fromisoformat(str(header.get("created") or _EPOCH)))


def _write_blocks(trace: Path, folder: Path, began: datetime) -> Exported:
    experiences = left_out = 0
    block = experience = -1
    at: tuple[Any, ...] = ()
    step: tuple[Any, ...] = ()
    names = _TaskNames()
    with ExitStack() as files:
        writers: dict[str, Any] = {}
        for row in _steps(trace):
            if at != (row["phase"], row["identity"]):
                at = (row["phase"], row["identity"])
                block += 1
                files.close()
                writers.clear()
            if step != (row["phase"], row["step"]):
                step = (row["phase"], row["step"])
                experience += 1
            if row["reward"] is None:
                left_out += 1
                continue
            kind = "test" if row["phase"] == "eval" else "train"
            if row["world"] not in writers:
                writers[row["world"]] = _open(folder / row["world"] / f"{block}-{kind}", files)
            time = began + timedelta(milliseconds=row["wall_ms"])
            writers[row["world"]].writerow(
                (
                    *(block, experience, row["world"], kind, "wake", names.of(row["identity"]), "{}"),
                    *("complete", f"{time:%Y%m%dT%H%M%S.%f}", row["reward"]),
                )
            )
            experiences += 1
    return Exported(experiences, block + 1, left_out)


def _open(folder: Path, files: ExitStack) -> Any:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / DATA_FILE
    new = not path.exists()
    file = files.enter_context(path.open("a", newline="", encoding="utf-8"))
    writer = csv.writer(file, delimiter="\t", lineterminator="\n")
    if new:
        writer.writerow(FIELDS)
    return writer


def _steps(trace: Path) -> Iterator[Mapping[str, Any]]:
    """Yield what a log needs of each step row, in the order of the trace."""
    for row in read_rows(trace):
        if row.get("kind", "step") == "step":
            identity = row.get("regime_identity") or row.get("regime_id") or "unlabelled"
            yield {
                "phase": row.get("phase", "train"),
                "identity": identity,
                "step": row.get("step"),
                "world": re.sub(r"[^0-9a-zA-Z_.-]", "-", row.get("world", "w0")),
                "reward": row.get("reward"),
                "wall_ms": row.get("wall_ms") or 0,
            }


class _TaskNames:
    """Names of the form `regime_<letters and digits>`, which stay different when a reader makes them lower case."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def of(self, identity: str) -> str:
        if identity not in self._names:
            plain = re.sub(r"[^0-9a-zA-Z]", "", identity) or "x"
            taken = {name.lower() for name in self._names.values()}
            name, number = f"regime_{plain}", 2
            while name.lower() in taken:
                name, number = f"regime_{plain}v{number}", number + 1
            self._names[identity] = name
        return self._names[identity]
