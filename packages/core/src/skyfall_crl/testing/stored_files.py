"""Files of a checkpoint: what they hold, and whether reading them could run somebody's code."""

import hashlib
import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from skyfall_crl.testing.verdict import broken

PICKLED_SUFFIXES = (".dill", ".joblib", ".pickle", ".pkl")


def digests(folder: Path) -> Mapping[str, str]:
    """Return a digest of every file under a folder, by its path there."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def check_not_pickled(folder: Path, where: str) -> None:
    """Raise `ConformanceError` for a file that holds a pickle, alone, in an archive, or as an array of objects."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and (why := _pickled(path.name, path.read_bytes())) is not None:
            cause = "unpickling runs code; write .npy with allow_pickle=False, safetensors, or JSON"
            raise broken(where, rule="expected no pickle", found=f"{why} in {path.name}", cause=cause)


def _pickled(name: str, content: bytes) -> str | None:
    """Return what betrays a pickle, or None."""
    if name.endswith(PICKLED_SUFFIXES):
        return "the suffix of one"
    if (
        content[:1] == b"\x80"
        and content[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05")
        and content[-1:] == b"."
    ):
        return "the opcodes of one"
    if content.startswith(b"\x93NUMPY"):
        return _objects(content)
    if not zipfile.is_zipfile(io.BytesIO(content)):
        return None
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        found = (_pickled(member, archive.read(member)) for member in archive.namelist())
        return next((why for why in found if why is not None), None)


def _objects(content: bytes) -> str | None:
    try:
        np.load(io.BytesIO(content), allow_pickle=False)
    except ValueError as error:
        return "an array of objects" if "Object arrays" in str(error) else None
    return None
