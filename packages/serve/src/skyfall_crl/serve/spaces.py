"""Spaces as plain data, so that what a policy was trained against survives leaving the process."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from skyfall_crl.serve.bounds import MAX_ELEMENTS, check_size, dtype_name, dtype_of, pack, shape_of, unpack
from skyfall_crl.serve.characters import characters_to_data, data_to_characters
from skyfall_crl.serve.errors import UnsupportedSpace

__all__ = ["UnsupportedSpace", "space_from_dict", "space_to_dict"]

MAX_NESTING = 20
"""Levels of spaces within spaces; a manifest's reader takes 64 levels of data, and a space takes up to two."""
_CHARACTER_WEIGHT = 16  # what Gymnasium keeps for each character of a Text, in elements of a Box

Space = spaces.Space[Any]
Data = dict[str, Any]


def space_to_dict(space: Space | None) -> dict[str, Any] | None:
    """Encode a space as data that JSON and YAML keep; None, for an environment that declares none, stays None.

    `space_from_dict` gives back an equal space. Raises `UnsupportedSpace` for a subclass of Gymnasium's spaces and
    for whatever else would come back as something different.
    """
    return None if space is None else _encode(space, 1)


def space_from_dict(data: Mapping[str, Any] | None) -> Space | None:
    """Rebuild a space from the output of `space_to_dict`; None stays None.

    Raises `UnsupportedSpace` for data that is anything else, and never returns a part of a space.
    """
    return None if data is None else _Decoder().decode(data, 1)


def _encode(space: object, level: int) -> Data:
    kind = type(space).__name__
    leaf, nested = _LEAVES.get(type(space)), _NESTED.get(type(space))
    if leaf is None and nested is None:
        raise UnsupportedSpace(
            f"expected one of Gymnasium's own spaces ({', '.join(sorted(_DECODERS))}), found {kind} of "
            f"{type(space).__module__}, which would come back as something else; give the environment a plain one"
        )
    if level > MAX_NESTING:
        raise UnsupportedSpace(f"expected at most {MAX_NESTING} levels of spaces, found more")
    if leaf is not None:
        return {"type": kind, **leaf(space)}
    assert nested is not None
    return {"type": kind, **nested(space, level + 1)}


def _box(space: Any) -> Data:
    data = {
        "shape": list(map(int, space.shape)),
        "dtype": dtype_name(space.dtype),
        "low": pack(space.low),
        "high": pack(space.high),
    }
    for side in ("below", "above"):
        bounded = getattr(space, f"bounded_{side}")
        if space.dtype.kind != "f" and not bounded.all():
            data[f"bounded_{side}"] = pack(bounded)
    return data


def _discrete(space: Any) -> Data:
    return {"n": int(space.n), "start": int(space.start), "dtype": dtype_name(space.dtype)}


def _multi_binary(space: Any) -> Data:
    return {"n": space.n if isinstance(space.n, int) else [int(size) for size in space.n]}


def _multi_discrete(space: Any) -> Data:
    counts = {"nvec": pack(space.nvec), "start": pack(space.start)}
    return {"shape": list(map(int, space.shape)), "dtype": dtype_name(space.dtype), **counts}


def _text(space: Any) -> Data:
    lengths = {"min_length": space.min_length, "max_length": space.max_length}
    return {**lengths, **characters_to_data(space.character_set)}


def _dict(space: Any, level: int) -> Data:
    keys = list(space.spaces)
    if not all(type(key) in (str, int) for key in keys):
        raise UnsupportedSpace(f"Dict: expected keys that are text or whole numbers, found {keys!r:.60}")
    return {"keys": keys, "spaces": [_encode(one, level) for one in space.spaces.values()]}


def _several(space: Any, level: int) -> Data:
    return {"spaces": [_encode(one, level) for one in space.spaces]}


def _sequence(space: Any, level: int) -> Data:
    return {"stack": bool(space.stack), "space": _encode(space.feature_space, level)}


def _graph(space: Any, level: int) -> Data:
    edges = None if space.edge_space is None else _encode(space.edge_space, level)
    return {"nodes": _encode(space.node_space, level), "edges": edges}


_LEAVES: dict[type[Any], Callable[[Any], Data]] = {
    spaces.Box: _box,
    spaces.Discrete: _discrete,
    spaces.MultiBinary: _multi_binary,
    spaces.MultiDiscrete: _multi_discrete,
    spaces.Text: _text,
}
_NESTED: dict[type[Any], Callable[[Any, int], Data]] = {
    spaces.Dict: _dict,
    spaces.Tuple: _several,
    spaces.OneOf: _several,
    spaces.Sequence: _sequence,
    spaces.Graph: _graph,
}


class _Decoder:
    """Builds one space out of data that may say anything; counts elements over all of its parts."""

    def __init__(self) -> None:
        self._left = MAX_ELEMENTS

    def decode(self, data: object, level: int) -> Space:
        if level > MAX_NESTING:
            raise UnsupportedSpace(f"expected at most {MAX_NESTING} levels of spaces, found more")
        if not isinstance(data, Mapping) or not isinstance(data.get("type"), str):
            raise UnsupportedSpace(f"expected a mapping with the type of a space, found {data!r:.60}")
        kind = data["type"]
        if kind not in _DECODERS:
            raise UnsupportedSpace(
                f"type: expected one of {', '.join(sorted(_DECODERS))}, found {kind!r:.60}"
            )
        build, required, optional = _DECODERS[kind]
        absent = [key for key in required if key not in data]
        extra = [key for key in data if key not in ("type", *required, *optional)]
        if absent or extra:
            problem = f"expected {absent[0]}, found none" if absent else f"unknown key {extra[0]!r:.60}"
            raise UnsupportedSpace(f"{kind}: {problem}")
        try:
            return build(self, data, level + 1)
        except UnsupportedSpace as error:
            raise UnsupportedSpace(f"{kind}: {error}") from None
        except (ValueError, TypeError, AssertionError, OverflowError, MemoryError) as error:
            raise UnsupportedSpace(f"{kind}: this is no space: {error!s:.200}") from error

    def box(self, data: Mapping[str, Any], level: int) -> Space:
        shape, dtype = self._shape(data["shape"]), dtype_of(data["dtype"])
        low, high = (unpack(data[name], dtype, shape, name) for name in ("low", "high"))
        built = spaces.Box(low=low, high=high, shape=shape, dtype=dtype.type)
        for side in ("below", "above"):
            name = f"bounded_{side}"
            if name in data:
                setattr(built, name, unpack(data[name], np.dtype("bool"), shape, name))
        return built

    def discrete(self, data: Mapping[str, Any], level: int) -> Space:
        count, start, dtype = _whole(data, "n"), _whole(data, "start"), dtype_of(data["dtype"])
        limits = np.iinfo(dtype)
        if not (0 < count <= limits.max and limits.min <= start <= limits.max - count + 1):
            raise UnsupportedSpace(
                f"expected {count} numbers from {start} on to be {dtype}, found they aren't"
            )
        if dtype == np.int64:
            return spaces.Discrete(count, start=start)
        return spaces.Discrete(count, start=start, dtype=dtype.type)

    def multi_binary(self, data: Mapping[str, Any], level: int) -> Space:
        count = data["n"]
        shape = self._shape([count] if type(count) is int else count)
        return spaces.MultiBinary(shape if isinstance(count, list) else count)

    def multi_discrete(self, data: Mapping[str, Any], level: int) -> Space:
        shape, dtype = self._shape(data["shape"]), dtype_of(data["dtype"])
        counts, start = (unpack(data[name], dtype, shape, name) for name in ("nvec", "start"))
        return spaces.MultiDiscrete(counts, dtype=dtype.type, start=start)

    def text(self, data: Mapping[str, Any], level: int) -> Space:
        least, most = _whole(data, "min_length"), _whole(data, "max_length")
        characters = data_to_characters(data)
        self._take(_CHARACTER_WEIGHT * len(characters))
        return spaces.Text(most, min_length=least, charset=characters)

    def keyed(self, data: Mapping[str, Any], level: int) -> Space:
        keys, values = data["keys"], self._several(data, level)
        if not isinstance(keys, list) or not all(type(key) in (str, int) for key in keys):
            raise UnsupportedSpace(f"keys: expected a list of text or whole numbers, found {keys!r:.60}")
        if len(set(keys)) != len(keys) or len(keys) != len(values):
            raise UnsupportedSpace("keys: expected a different one for each of the spaces")
        return spaces.Dict(list(zip(keys, values, strict=True)))

    def in_order(self, data: Mapping[str, Any], level: int) -> Space:
        return spaces.Tuple(self._several(data, level))

    def one_of(self, data: Mapping[str, Any], level: int) -> Space:
        return spaces.OneOf(self._several(data, level))

    def sequence(self, data: Mapping[str, Any], level: int) -> Space:
        if not isinstance(data["stack"], bool):
            raise UnsupportedSpace(f"stack: expected true or false, found {data['stack']!r:.60}")
        return spaces.Sequence(self.decode(data["space"], level), stack=data["stack"])

    def graph(self, data: Mapping[str, Any], level: int) -> Space:
        edges = None if data["edges"] is None else self.decode(data["edges"], level)
        return spaces.Graph(self.decode(data["nodes"], level), edges)

    def _shape(self, data: object) -> tuple[int, ...]:
        shape = shape_of(data)
        self._take(math.prod(shape))
        return shape

    def _take(self, elements: int) -> None:
        self._left -= elements
        check_size([MAX_ELEMENTS - self._left])

    def _several(self, data: Mapping[str, Any], level: int) -> list[Space]:
        if not isinstance(data["spaces"], list):
            raise UnsupportedSpace(f"spaces: expected a list, found {data['spaces']!r:.60}")
        return [self.decode(one, level) for one in data["spaces"]]


def _whole(data: Mapping[str, Any], name: str) -> int:
    value = data[name]
    if type(value) is not int:
        raise UnsupportedSpace(f"{name}: expected a whole number, found {value!r:.60}")
    return value


_BOUNDED = ("bounded_below", "bounded_above")
_CHARACTERS = ("characters", "ranges")
_Build = Callable[[_Decoder, Mapping[str, Any], int], Space]
_DECODERS: dict[str, tuple[_Build, tuple[str, ...], tuple[str, ...]]] = {
    "Box": (_Decoder.box, ("shape", "dtype", "low", "high"), _BOUNDED),
    "Discrete": (_Decoder.discrete, ("n", "start", "dtype"), ()),
    "MultiBinary": (_Decoder.multi_binary, ("n",), ()),
    "MultiDiscrete": (_Decoder.multi_discrete, ("shape", "dtype", "nvec", "start"), ()),
    "Text": (_Decoder.text, ("min_length", "max_length"), _CHARACTERS),
    "Dict": (_Decoder.keyed, ("keys", "spaces"), ()),
    "Tuple": (_Decoder.in_order, ("spaces",), ()),
    "OneOf": (_Decoder.one_of, ("spaces",), ()),
    "Sequence": (_Decoder.sequence, ("stack", "space"), ()),
    "Graph": (_Decoder.graph, ("nodes", "edges"), ()),
}
