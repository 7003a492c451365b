"""Vectors on disk: one flat float64 `.npy` file, never pickle, read whole or not at all."""

from pathlib import Path

import numpy as np

from skyfall_crl.ports.errors import CheckpointError
from skyfall_crl.train.policies.arrays import Vector


def write_vector(path: Path, vector: Vector) -> None:
    """Write `vector`, shape (n,), to `path`."""
    with path.open("wb") as file:
        np.lib.format.write_array(file, vector, allow_pickle=False)


def read_vector(path: Path, size: int) -> Vector:
    """Return the vector of `size` numbers in `path`; raises `CheckpointError` for anything else."""
    expected = f"{path}: expected one float64 vector of {size} finite numbers"
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except Exception as error:  # a damaged header makes numpy raise nearly anything
        raise CheckpointError(f"{expected}, but it can't be read: {error}") from error
    if not isinstance(array, np.ndarray):
        array.close()
        raise CheckpointError(f"{expected}, found an archive")
    if array.dtype != np.float64 or array.shape != (size,):
        raise CheckpointError(f"{expected}, found {array.dtype} of shape {array.shape}; is it of this run?")
    vector = np.array(array)
    if not np.isfinite(vector).all():
        raise CheckpointError(f"{expected}, found {int((~np.isfinite(vector)).sum())} that are not finite")
    return vector
