"""Measures every reference and writes the shipped table: `python -m skyfall_crl.env.morpheus.references.compute`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from skyfall_crl.env.morpheus.references.measure import measure, references_of
from skyfall_crl.env.morpheus.references.published import FILE_NAME, Published, Table
from skyfall_crl.env.morpheus.simulation.layout import Layout
from skyfall_crl.env.morpheus.simulation.layouts import layout_named, layout_names

VERSION = 1
SEEDS = 30
STEPS = 2_500


def table(layout: Layout, seeds: Sequence[int], steps: int) -> Table:
    """Measure all references of a layout in each of its configurations."""
    configurations: dict[str, dict[str, Published]] = {}
    for configuration in layout.configurations:
        axes = {"cause_mix": configuration.name, "payment_terms": configuration.name}
        rows = configurations[configuration.name] = {}
        for name in references_of(layout):
            level = measure(name, layout, axes, seeds, steps)
            rows[name] = Published(round(level.mean, 6), round(level.half_width, 6), level.digest)
            print(
                f"{layout.name} {configuration.name} {name:19} {level.mean:.4f} +- {level.half_width:.4f}",
                file=sys.stderr,
                flush=True,
            )
    return Table(VERSION, layout.version, list(seeds), steps, dict(layout.reward), configurations)


def main() -> None:
    """Measure the layouts named, or all, and write the file; it keeps its tables of the others."""
    parser = argparse.ArgumentParser(description="Measure the reference policies of the embedded world.")
    parser.add_argument("layouts", nargs="*", metavar="LAYOUT", help="what to measure (default: all)")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="number of seeds, from 0 on")
    parser.add_argument("--steps", type=int, default=STEPS, help="steps of each world")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name(FILE_NAME))
    arguments = parser.parse_args()
    tables = {
        name: table(layout_named(name), range(arguments.seeds), arguments.steps)
        for name in arguments.layouts or layout_names()
    }
    if arguments.layouts and arguments.out.exists():
        tables = {**msgspec.json.decode(arguments.out.read_bytes(), type=dict[str, Table]), **tables}
    encoded = msgspec.json.format(msgspec.json.encode(tables), indent=2)
    arguments.out.write_bytes(encoded + b"\n")


if __name__ == "__main__":
    main()
