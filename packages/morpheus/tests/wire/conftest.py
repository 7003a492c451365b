"""What tests of the wire share: values that fit a kind of the catalogue, drawn from the kind itself."""

from collections.abc import Callable
from datetime import date, datetime
from typing import Any

import pytest
from hypothesis import strategies as st

from skyfall_crl.env.morpheus.simulation.catalogue.kinds import (
    Choice,
    Flag,
    Free,
    Instant,
    Listed,
    Number,
    Text,
)
from skyfall_crl.env.morpheus.simulation.catalogue.records import Either, Named, Nullable, Record

Fitting = Callable[[Any], st.SearchStrategy[Any]]
_YEARS = (datetime(2020, 1, 1), datetime(2030, 1, 1))


def fitting_values(kind: Any) -> st.SearchStrategy[Any]:
    match kind:
        case Listed():
            return st.lists(fitting_values(kind.item), min_size=1, max_size=2)
        case Named():
            return fitting_values(kind.kind)
        case Nullable(kind=Choice(words=())):
            return st.none()
        case Nullable():
            return st.none() | fitting_values(kind.kind)
        case Either():
            return st.one_of(*map(fitting_values, kind.kinds))
        case Record():
            fields = {each.name: fitting_values(each.kind) for each in kind.fields}
            required = {each.name for each in kind.fields if each.required}
            return st.fixed_dictionaries(
                {name: fields[name] for name in fields if name in required},
                optional={name: fields[name] for name in fields if name not in required},
            )
    return plain_values(kind)


def plain_values(kind: Any) -> st.SearchStrategy[Any]:
    match kind:
        case Text():
            return st.text(max_size=8)
        case Number(whole=True):
            return st.integers(kind.least or 0, min(kind.most or 1000, 1000))
        case Number():
            return st.floats(-1e6, 1e6)
        case Flag():
            return st.booleans()
        case Instant(day=True):
            return st.dates(date(2020, 1, 1), date(2030, 1, 1)).map(str)
        case Instant():
            return st.datetimes(*_YEARS).map(lambda moment: f"{moment.isoformat()}Z")
        case Choice():
            return st.sampled_from(kind.words)
        case Free():
            return st.dictionaries(st.text(max_size=3), st.integers(), max_size=2)
    raise AssertionError(kind)


@pytest.fixture(scope="session")
def fitting() -> Fitting:
    """Return the strategy of values that fit a kind."""
    return fitting_values
