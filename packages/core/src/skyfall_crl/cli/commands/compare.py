"""`skyfall-crl compare`: variants against each other, over seeds."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skyfall_crl.study.checks import Check
    from skyfall_crl.study.comparison_cells import WrittenTable

_PIPE_WIDTH = 320


def configure(parser: ArgumentParser) -> None:
    """Describe the command's arguments."""
    parser.add_argument(
        "directories", type=Path, nargs="+", metavar="DIR", help="sweeps, runs, or folders of runs"
    )
    parser.add_argument("--reference", metavar="NAME", help="the variant others are compared with")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write tables and curves as one page")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything as JSON")
    parser.add_argument("--latex", type=Path, metavar="FILE", help="write the tables for LaTeX's booktabs")
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Compare, print the tables, and write what was asked for; returns the exit code."""
    import msgspec

    from skyfall_crl.cli.output_file import check_output_file
    from skyfall_crl.study.comparison_output import latex, to_mapping
    from skyfall_crl.study.overview import overview
    from skyfall_crl.train.directory import write_atomically

    for name in ("html", "json", "latex"):
        check_output_file(f"--{name}", getattr(arguments, name))
    found = overview(arguments.directories, arguments.reference)
    _show(found.written, found.checks, found.cautions)
    if arguments.json is not None:
        data = to_mapping(found.tables, found.to_mapping())
        write_atomically(arguments.json, msgspec.json.format(msgspec.json.encode(data), indent=2))
    if arguments.latex is not None:
        write_atomically(arguments.latex, latex(found.written).encode())
    if arguments.html is not None:
        from skyfall_crl.study.comparison_page import write_page

        title = ", ".join(directory.resolve().name for directory in arguments.directories)
        write_page(
            arguments.html, title, found.written, found.runs, checks=found.checks, cautions=found.cautions
        )
    for name in ("html", "json", "latex"):
        if getattr(arguments, name) is not None:
            print(f"{name:<9}{getattr(arguments, name)}")
    return 0


def _show(tables: "Sequence[WrittenTable]", checks: "Sequence[Check]", cautions: Sequence[str]) -> None:
    import sys

    from rich.console import Console

    from skyfall_crl.study.comparison_output import text_notes, text_tables

    console = Console(highlight=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH)
    unicode = console.encoding.startswith("utf")
    arrows = {"higher": "↑", "lower": "↓"} if unicode else {"higher": "+", "lower": "-"}
    for table in tables:
        for part in text_tables(table, arrows, console.width):
            console.print(part)
        for note in text_notes(table):
            console.print(note, markup=False)
        console.print()
    for check in checks:
        console.print(f"{'holds ' if check.holds else 'FAILS '}  {check.says} ({check.found})", markup=False)
    for caution in cautions:
        console.print(f"caution  {caution}", markup=False)
