"""Arrays of bounds and counts as plain data: one number, a short list, or packed bytes; always exact."""

import base64
import binascii
import math
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skyfall_crl.serve.errors import UnsupportedSpace

MAX_LISTED = 64
MAX_ELEMENTS = 1 << 25
MAX_DIMENSIONS = 32
DTYPES = {
    name: np.dtype(name)
    for name in (
        *("bool", "int8", "int16", "int32", "int64"),
        *("uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"),
    )
}
"""The types of numbers that mean the same on every machine, by the name they are recorded under."""

_TOKENS = {"inf": math.inf, "-inf": -math.inf}
_PACKED = "zlib"


def dtype_name(dtype: object) -> str:
    """Return the recorded name of a type; raises `UnsupportedSpace` for one outside `DTYPES`."""
    for name, known in DTYPES.items():
        if dtype == known:
            return name
    raise UnsupportedSpace(f"dtype: expected one of {', '.join(DTYPES)}, found {dtype}")


def dtype_of(name: object) -> np.dtype[Any]:
    """Return the type of a recorded name."""
    if not isinstance(name, str) or name not in DTYPES:
        raise UnsupportedSpace(f"dtype: expected one of {', '.join(DTYPES)}, found {name!r:.60}")
    return DTYPES[name]


def shape_of(data: object) -> tuple[int, ...]:
    """Return a recorded shape; raises `UnsupportedSpace` for more than `MAX_ELEMENTS`."""
    if not isinstance(data, list) or not all(
        type(size) is int and 0 <= size <= MAX_ELEMENTS for size in data
    ):
        raise UnsupportedSpace(f"shape: expected a list of sizes, found {data!r:.60}")
    check_size(data)
    return tuple(data)


def check_size(shape: Sequence[int]) -> None:
    """Refuse shapes that no bounds should be built for."""
    if len(shape) > MAX_DIMENSIONS or math.prod(shape) > MAX_ELEMENTS:
        raise UnsupportedSpace(f"shape: expected at most {MAX_ELEMENTS} elements, found {list(shape)!r:.60}")


def pack(array: NDArray[Any]) -> Any:
    """Return an array of a known dtype as one number where all elements are alike, else as a list or bytes."""
    check_size(array.shape)
    flat = np.ascontiguousarray(array).reshape(-1)
    if flat.size and flat.tobytes() == flat[:1].tobytes() * flat.size:
        return _token(flat[0].item())
    if flat.size <= MAX_LISTED:
        return [_token(value) for value in flat.tolist()]
    little = flat.astype(flat.dtype.newbyteorder("<")).tobytes()
    return {_PACKED: base64.b64encode(zlib.compress(little, 9)).decode("ascii")}


def unpack(data: object, dtype: np.dtype[Any], shape: tuple[int, ...], what: str) -> NDArray[Any]:
    """Return the array that `pack` recorded; raises `UnsupportedSpace` naming `what` for anything else."""
    size = math.prod(shape)
    if isinstance(data, dict) and list(data) == [_PACKED]:
        return _inflate(data[_PACKED], dtype, size, what).reshape(shape)
    if isinstance(data, list):
        if len(data) != size:
            raise UnsupportedSpace(f"{what}: expected {size} values, found {len(data)}")
        return np.array([_number(value, dtype, what) for value in data], dtype=dtype).reshape(shape)
    return np.full(shape, _number(data, dtype, what), dtype=dtype)


def _token(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        if math.isnan(value):
            raise UnsupportedSpace("bounds: expected numbers, found one that is none (nan)")
        return "inf" if value > 0 else "-inf"
    return value


def _number(value: object, dtype: np.dtype[Any], what: str) -> Any:
    """Return one recorded number as a scalar of the type, if it is exactly that."""
    wanted = {"b": bool, "i": int, "u": int}.get(dtype.kind, float)
    if isinstance(value, str) and dtype.kind == "f" and value in _TOKENS:
        return dtype.type(_TOKENS[value])
    if type(value) is not wanted and not (wanted is float and type(value) is int):
        raise UnsupportedSpace(f"{what}: expected a number of type {dtype}, found {value!r:.60}")
    try:
        with np.errstate(over="ignore"):
            found = dtype.type(value)
        exact = bool(found.item() == value) and (wanted is not float or math.isfinite(found))
    except (OverflowError, ValueError):
        exact = False
    if not exact:
        raise UnsupportedSpace(f"{what}: expected a number of type {dtype}, found {value!r:.60}")
    return found


def _inflate(text: object, dtype: np.dtype[Any], size: int, what: str) -> NDArray[Any]:
    """Unpack bytes of a known length, and never more than that."""
    length = size * dtype.itemsize
    problem = f"{what}: expected {length} packed bytes"
    try:
        if not isinstance(text, str):
            raise UnsupportedSpace(problem)
        inflater = zlib.decompressobj()
        content = inflater.decompress(base64.b64decode(text, validate=True), length + 1)
    except (binascii.Error, zlib.error, ValueError) as error:
        raise UnsupportedSpace(f"{problem}, found others: {error}") from None
    if len(content) != length or not inflater.eof or inflater.unused_data:
        raise UnsupportedSpace(f"{problem}, found another length")
    if dtype.kind == "b" and content.strip(b"\x00\x01"):
        raise UnsupportedSpace(f"{problem} of 0 and 1, found others")
    return np.frombuffer(content, dtype=dtype.newbyteorder("<")).astype(dtype)
