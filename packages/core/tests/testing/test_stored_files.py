"""Pickles are found wherever they hide in a checkpoint, and nothing else is taken for one."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from skyfall_crl.testing import ConformanceError
from skyfall_crl.testing.stored_files import check_not_pickled, digests

PICKLE = b"\x80\x04N."
"""None, as protocol 4 writes it."""


def npy(array: NDArray[Any]) -> bytes:
    """Return an array as a file's content; an array of objects has a pickle in it."""
    file = io.BytesIO()
    np.lib.format.write_array(file, array)
    return file.getvalue()


def archive(**members: bytes) -> bytes:
    """Return a zip file's content."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as written:
        for name, content in members.items():
            written.writestr(name, content)
    return file.getvalue()


OBJECTS = npy(np.array([None, {}], dtype=object))


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("weights.pkl", b"", "the suffix of one in weights.pkl"),
        ("weights.bin", PICKLE, "the opcodes of one in weights.bin"),
        ("weights.npy", OBJECTS, "an array of objects in weights.npy"),
        ("weights.pt", archive(data=PICKLE), "the opcodes of one in weights.pt"),
        ("weights.npz", archive(a=npy(np.ones(2)), b=OBJECTS), "an array of objects in weights.npz"),
        ("weights.zip", archive(inner=archive(data=PICKLE)), "the opcodes of one in weights.zip"),
    ],
)
def test_a_pickle_is_found(tmp_path: Path, name: str, content: bytes, found: str) -> None:
    """By name, by content, as an array of objects, and inside archives."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / name).write_bytes(content)
    with pytest.raises(
        ConformanceError, match=f"checkpoint: expected no pickle, found {found}; unpickling runs"
    ):
        check_not_pickled(tmp_path, "checkpoint")


def test_plain_files_are_none(tmp_path: Path) -> None:
    """Arrays of numbers, archives of them, JSON, and whatever else is only data."""
    files = {
        "weights.npy": npy(np.ones(3)),
        "weights.npz": archive(a=npy(np.ones(3))),
        "meta.json": json.dumps({"a": 1}).encode(),
        "odd.bin": b"\x80\x04 no end",
        "torn.npy": b"\x93NUMPY",
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    check_not_pickled(tmp_path, "checkpoint")
    assert list(digests(tmp_path)) == sorted(files)
