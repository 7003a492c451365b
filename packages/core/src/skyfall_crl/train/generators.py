"""Random generators of a run, each derived from the run's seed by its name."""

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np


def sequence(seed: int, name: str) -> np.random.SeedSequence:
    """Return the child of `SeedSequence(seed)` that belongs to a name, whatever else has been asked for."""
    digest = hashlib.sha256(name.encode()).digest()
    words = tuple(int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4))
    return np.random.SeedSequence(seed, spawn_key=words)


def world_seed(seed: int, world: int) -> int:
    """Return the seed world number `world` is reset with, in [0, 2**32)."""
    return int(sequence(seed, f"world/{world}").generate_state(1)[0])


class Generators:
    """The named generators a run has handed out, so that a checkpoint can hold all of them."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._handed: dict[str, np.random.Generator] = {}

    def get(self, name: str) -> np.random.Generator:
        """Return the generator of this name, the same object each time."""
        if name not in self._handed:
            self._handed[name] = np.random.Generator(np.random.PCG64(sequence(self.seed, name)))
        return self._handed[name]

    def state(self) -> dict[str, Any]:
        """Return every generator's state as plain data; the 128-bit words are written as text."""
        return {name: _to_plain(generator) for name, generator in sorted(self._handed.items())}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Put the generators back in place, so that whoever holds one goes on from there."""
        for name, plain in state.items():
            bits = self.get(name).bit_generator
            bits.state = {
                "bit_generator": "PCG64",
                "state": {"state": int(plain["state"]), "inc": int(plain["inc"])},
                "has_uint32": plain["has_uint32"],
                "uinteger": plain["uinteger"],
            }


def _to_plain(generator: np.random.Generator) -> dict[str, Any]:
    state: Mapping[str, Any] = generator.bit_generator.state
    return {
        "state": str(state["state"]["state"]),
        "inc": str(state["state"]["inc"]),
        "has_uint32": state["has_uint32"],
        "uinteger": state["uinteger"],
    }
