"""The levels references reached, as measured once and shipped."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.env.morpheus.simulation.axes import completed
from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.env.morpheus.simulation.layouts import layout_named, layout_names

FILE_NAME = "published.json"


class Published(msgspec.Struct, frozen=True):
    """One reference in one configuration: mean reward per step and half the width of its 95 % interval."""

    mean: float
    half_width: float
    digest: str


class Table(msgspec.Struct, frozen=True):
    """The references of one layout; a better policy makes a new `version`, it does not change a table."""

    version: int
    layout_version: int
    seeds: list[int]
    steps: int
    reward: dict[str, float]
    configurations: dict[str, dict[str, Published]]


@cache
def published() -> Mapping[str, Table]:
    """Return the shipped tables by layout."""
    data = files(__package__).joinpath(FILE_NAME).read_bytes()
    return msgspec.json.decode(data, type=dict[str, Table])


def levels(layout: Layout | str, axes: Mapping[str, Any]) -> dict[str, float]:
    """Return the mean reward per step of each reference under these axes, or nothing where none was measured.

    Measured are the layout's configurations: cause mix and payment terms of one of them, by its name or by equal
    numbers, and every other axis at its default.
    """
    name = layout if isinstance(layout, str) else layout.name
    table = published().get(name)
    if table is None or name not in layout_names():
        return {}
    found = _configuration(layout_named(name), axes)
    return {} if found is None else {key: row.mean for key, row in table.configurations[found].items()}


def _configuration(layout: Layout, axes: Mapping[str, Any]) -> str | None:
    try:
        given = completed(layout, axes)
    except BackendError:
        return None
    for configuration in layout.configurations:
        same = dict(completed(layout, {}), cause_mix=configuration.name, payment_terms=configuration.name)
        numbers = {
            "cause_mix": [list(row) for row in configuration.cause_mix],
            "payment_terms": list(configuration.late_rates),
        }
        if all(given[axis] in (same[axis], numbers.get(axis, same[axis])) for axis in same):
            return configuration.name
    return None
