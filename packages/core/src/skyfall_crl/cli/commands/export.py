"""`skyfall-crl export`: the steps of a run for other tools."""

from argparse import ArgumentParser, Namespace
from pathlib import Path


def configure(parser: ArgumentParser) -> None:
    """Describe the command's arguments."""
    parser.add_argument("run_directory", type=Path, metavar="RUN", help="a run directory, or a trace")
    parser.add_argument("--l2", type=Path, metavar="DIR", help="a log of the l2logger format, for l2metrics")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="a CSV file")
    parser.add_argument(
        "--parquet", type=Path, metavar="FILE", help="a Parquet file; needs skyfall-crl[parquet]"
    )
    parser.add_argument(
        "--minari",
        metavar="DATASET",
        help="a Minari dataset, with the observations of the run's worlds taken again; needs skyfall-crl[minari]",
    )
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Write what was asked for and say how much; returns the exit code."""
    from skyfall_crl.cli.output_file import check_output_file
    from skyfall_crl.ports.errors import ConfigError
    from skyfall_crl.study.export_l2 import write_l2
    from skyfall_crl.study.export_rows import trace_of, write_csv, write_parquet

    if not any((arguments.l2, arguments.csv, arguments.parquet, arguments.minari)):
        raise ConfigError(
            "export: expected --l2 DIR, --csv FILE, --parquet FILE or --minari DATASET, found none"
        )
    check_output_file("--csv", arguments.csv)
    check_output_file("--parquet", arguments.parquet)
    if arguments.minari is not None:
        from skyfall_crl.study.export_minari import write_minari

        episodes, steps = write_minari(arguments.run_directory, arguments.minari)
        print(f"minari   {arguments.minari}: {episodes:,} episodes, {steps:,} steps")
    if not any((arguments.l2, arguments.csv, arguments.parquet)):
        return 0
    trace = trace_of(arguments.run_directory)
    if arguments.l2 is not None:
        found = write_l2(trace, arguments.l2)
        without = f"; {found.left_out:,} steps have no reward and are left out" if found.left_out else ""
        print(
            f"l2       {arguments.l2}: {found.experiences:,} experiences in {found.blocks:,} blocks{without}"
        )
    if arguments.csv is not None:
        print(f"csv      {arguments.csv}: {write_csv(trace, arguments.csv):,} steps")
    if arguments.parquet is not None:
        print(f"parquet  {arguments.parquet}: {write_parquet(trace, arguments.parquet):,} steps")
    return 0
