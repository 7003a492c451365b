"""`skyfall-crl bundle inspect|verify`: what a bundle holds, and whether it is whole and needs trust."""

from argparse import ArgumentParser, Namespace
from pathlib import Path


def configure(parser: ArgumentParser) -> None:
    """Describe the command's arguments."""
    words = parser.add_subparsers(metavar="inspect|verify")
    inspect = words.add_parser("inspect", help="show what a bundle holds and what it lacks")
    inspect.add_argument("bundle", type=Path, metavar="BUNDLE", help="a bundle's folder, or its manifest")
    inspect.add_argument("--json", action="store_true", help="print the whole manifest as JSON instead")
    inspect.set_defaults(run=run_inspect)
    verify = words.add_parser(
        "verify", help="check that a bundle is whole and asks for nothing that needs trust"
    )
    verify.add_argument("bundle", type=Path, metavar="BUNDLE", help="a bundle's folder, or its manifest")
    verify.set_defaults(run=run_verify)


def run_inspect(arguments: Namespace) -> int:
    """Print what the manifest says; imports nothing that it names."""
    from skyfall_crl.serve.bundle import Bundle
    from skyfall_crl.serve.inspection import shortened, summary

    bundle = Bundle.load(arguments.bundle)
    if arguments.json:
        import msgspec

        print(msgspec.json.format(msgspec.json.encode(bundle.to_dict()), indent=2).decode())
        return 0
    for label, line in summary(bundle):
        print(f"{label:<16}{shortened(line)}")
    return 0


def run_verify(arguments: Namespace) -> int:
    """Print a line for each part; returns 1 when one of them has a problem."""
    from skyfall_crl.serve.bundle import Bundle
    from skyfall_crl.serve.inspection import examine, shortened

    failed = False
    for part, problem in examine(Bundle.load(arguments.bundle), arguments.bundle):
        failed |= problem is not None
        print(f"ok      {shortened(part)}" if problem is None else f"broken  {shortened(part)}: {problem}")
    return int(failed)
