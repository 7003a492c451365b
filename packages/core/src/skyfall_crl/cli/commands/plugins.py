"""`skyfall-crl plugins`: what is installed, and whether one plugin keeps the rules."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from skyfall_crl.registry.overview import PluginRow


def configure(parser: "ArgumentParser") -> None:
    """Add `list` and `check`."""
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="one line for each installed plugin, broken ones included")
    listing.add_argument("--json", action="store_true", help="print a JSON array instead")
    listing.set_defaults(run=_list)
    checking = actions.add_parser("check", help="run the conformance kit on one plugin")
    checking.add_argument("name", help="the plugin's name, as `plugins list` shows it")
    checking.set_defaults(run=_check)


def _list(arguments: "Namespace") -> int:
    from skyfall_crl.registry.overview import overview

    rows = overview()
    if arguments.json:
        import json
        from dataclasses import asdict

        print(json.dumps([asdict(row) for row in rows], indent=2))
        return 0
    cells = [(row.name, f"{row.distribution} {row.version}", row.state) for row in rows]
    widths = [max((len(line[column]) for line in cells), default=0) for column in range(3)]
    for row, line in zip(rows, cells, strict=True):
        padded = (text.ljust(width) for text, width in zip(line, widths, strict=True))
        print("  ".join((*padded, row.failure or _ids(row))).rstrip())
    return 0


def _ids(row: "PluginRow") -> str:
    return "; ".join(f"{kind}: {', '.join(names)}" for kind, names in row.ids.items())


def _check(arguments: "Namespace") -> int:
    import sys

    from skyfall_crl.testing.plugin import ConformanceError, check_plugin

    try:
        check_plugin(arguments.name)
    except ConformanceError as failure:
        print(f"error: plugin: {failure}", file=sys.stderr)
        return 1
    print(f"plugin {arguments.name!r} keeps the rules")
    return 0
