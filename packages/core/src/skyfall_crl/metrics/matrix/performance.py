"""The matrix R: the level of a frozen policy in each identity, before training and after each block."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Level:
    """Mean reward of a frozen policy in one identity.

    `early` says that its block went on afterwards, `nulls` that some steps had no reward.
    """

    value: float
    early: bool = False
    nulls: bool = False


@dataclass(frozen=True, slots=True)
class PerformanceMatrix:
    """`trained` are the identities of the training blocks in order; `rows` has one mapping more than there are blocks.

    `rows[0]` is before training and `rows[i]` after the i-th block, each from identity to level; what was not
    evaluated isn't there. Identities may come back: the block of one is then its last, unless said otherwise.
    """

    trained: Sequence[str]
    rows: Sequence[Mapping[str, Level]]

    @property
    def identities(self) -> tuple[str, ...]:
        """Everything that was trained or evaluated, in the order in which it was first met."""
        met = [*self.trained, *(identity for row in self.rows for identity in row)]
        return tuple(dict.fromkeys(met))

    @property
    def evaluated(self) -> bool:
        """Whether there is any level at all."""
        return any(self.rows)

    def level(self, row: int, identity: str) -> Level | None:
        """Return R[row, identity], None where it wasn't evaluated; a negative row counts from the end."""
        return self.rows[row].get(identity)

    def own_rows(self, identity: str) -> list[int]:
        """Return the rows that follow the identity's own blocks."""
        return [place for place, name in enumerate(self.trained, 1) if name == identity]
