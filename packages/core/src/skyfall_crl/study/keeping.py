"""What a sweep keeps of a run that is complete, so that a thousand of them fit on a disk."""

import gzip
import os
import shutil
from pathlib import Path

from skyfall_crl.study.sweep_document import Keep
from skyfall_crl.train.directory import RunDirectory

GZIP_LEVEL = 3


def slim(directory: Path, keep: Keep) -> None:
    """Compress the trace and remove report and resume points as asked; the trained policy always stays."""
    run = RunDirectory(directory)
    if keep.trace == "gzip" and run.trace.is_file():
        _compress(run.trace)
    if not keep.report:
        run.report.unlink(missing_ok=True)
    if not keep.checkpoints:
        for path in run.checkpoints.glob("step-*"):
            shutil.rmtree(path, ignore_errors=True)


def _compress(trace: Path) -> None:
    """Put `<trace>.gz` in place of a trace; whatever happens on the way, one of both is whole."""
    packed = trace.with_name(f"{trace.name}.gz")
    partial = trace.with_name(f".{packed.name}.partial")
    with trace.open("rb") as plain, gzip.open(partial, "wb", GZIP_LEVEL) as file:
        shutil.copyfileobj(plain, file, 1 << 20)
    with partial.open("rb") as file:
        os.fsync(file.fileno())
    partial.replace(packed)
    trace.unlink()
