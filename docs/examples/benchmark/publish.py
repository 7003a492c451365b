"""Makes the published table: runs the sweeps, compares them, and writes the block of numbers in docs/benchmark.md.

    python docs/examples/benchmark/publish.py [--small | --nightly] [--seeds N] [--out DIR] [--jobs N] [--page FILE]

Started again with the same --out it goes on where it was stopped; with more seeds it adds their runs. It needs
skyfall-crl and skyfall-crl-morpheus.
"""

import argparse
import copy
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "benchmark.md"
BEGIN, END = "<!-- numbers: begin -->", "<!-- numbers: end -->"
EVIDENCE = "process-outbound/evidence"
SMALL_FACTOR = 20
SMALL_SEEDS = 2
NIGHTLY_SEEDS = 30
LEARNERS = (
    "random",
    "ppo",
    "replay",
    "ewc",
    "l2-init",
    "shrink-perturb",
    "continual-backprop",
    "latent-context",
)

Document = dict[str, Any]


def main() -> int:
    """Run, compare, write; returns the exit code of the first command that fails."""
    parser = argparse.ArgumentParser(description="Make the published table.")
    size = parser.add_mutually_exclusive_group()
    size.add_argument(
        "--small", action="store_true", help=f"1/{SMALL_FACTOR} of the length, 2 worlds, {SMALL_SEEDS} seeds"
    )
    size.add_argument(
        "--nightly", action="store_true", help=f"{NIGHTLY_SEEDS} seeds, and the block with a cue"
    )
    parser.add_argument("--seeds", type=int, help="seeds of each schedule, where it has not fewer of its own")
    parser.add_argument("--out", type=Path, help="where runs go (default: runs/benchmark-<size>)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="runs at a time")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page whose block of numbers is replaced")
    arguments = parser.parse_args()
    name = "small" if arguments.small else "nightly" if arguments.nightly else "full"
    out = arguments.out or Path("runs") / f"benchmark-{name}"
    out.mkdir(parents=True, exist_ok=True)
    compared = {}
    for level, document in levels(name, arguments.seeds).items():
        sweep = out / f"{level}.yaml"
        sweep.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
        resume = ["--resume"] if (out / level / "sweep.json").is_file() else []
        if (code := command("sweep", sweep, "--out", out / level, "--jobs", arguments.jobs, *resume)) != 0:
            return code
        files = {kind: out / f"{level}.{kind}" for kind in ("json", "html", "latex")}
        told = [word for kind, path in files.items() for word in (f"--{kind}", path)]
        if (code := command("compare", out / level, *told)) != 0:
            return code
        compared[level] = json.loads(files["json"].read_bytes())
    words = f" --seeds {arguments.seeds}" if arguments.seeds is not None else ""
    write_block(arguments.page, block(name, words, compared))
    return 0


def command(*words: object) -> int:
    """Run `skyfall-crl` with some words in this interpreter's environment."""
    return subprocess.run(
        [sys.executable, "-m", "skyfall_crl.cli.main", *map(str, words)], check=False
    ).returncode


def levels(size: str, seeds: int | None = None) -> dict[str, Document]:
    """Return the sweep documents of a size by level: the world, its second level in S1, and nightly the cue."""
    base: Document = yaml.safe_load((HERE / "sweep.yaml").read_text(encoding="utf-8"))
    if size == "nightly":
        base["seeds"]["count"] = NIGHTLY_SEEDS
    found = {"outbound": base, "evidence": evidence(base)}
    if size == "nightly":
        found["cue"] = with_cue(base)
    if size == "small":
        found = {level: shortened(document) for level, document in found.items()}
    for document in found.values() if seeds is not None else ():
        for entry in (document, *(s for s in document["scenarios"].values() if "seeds" in s)):
            entry["seeds"] = {**entry["seeds"], "count": min(entry["seeds"]["count"], seeds)}
    return found


def evidence(base: Document) -> Document:
    """Return the sweep on the level whose causes hang on the kind of order, in the cyclic schedule alone."""
    document = only_cyclic(base)
    document["config"]["env"]["kwargs"]["layout"] = EVIDENCE
    for variant in document["variants"].values():
        arguments = (variant.get("set") or {}).get("policy", {}).get("kwargs", {})
        if "layout" in arguments:
            arguments["layout"] = EVIDENCE
    policy = {"id": "morpheus/trait-counting-rule", "kwargs": {"layout": EVIDENCE}}
    document["variants"]["trait-counting-rule"] = {"set": {"policy": policy, "algorithm": None}}
    return document


def with_cue(base: Document) -> Document:
    """Return the sweep in which the policy is told which configuration is in force; rules can't read that."""
    document = only_cyclic(base)
    document["config"]["regime"]["notify"] = "label"
    document["variants"] = {name: document["variants"][name] for name in ("informed", *LEARNERS)}
    document["preparations"] = {}
    document["checks"] = {"ceiling": "bound"}
    return document


def only_cyclic(base: Document) -> Document:
    """Return a copy with the schedule S1 alone."""
    document = copy.deepcopy(base)
    document["scenarios"] = {"S1": {}}
    document["checks"]["control"] = None
    return document


def shortened(document: Document) -> Document:
    """Return a copy with two seeds, two worlds and a twentieth of every length: enough to see all parts work."""
    short: Document = scaled(document)
    short["seeds"] = {"first": 0, "count": SMALL_SEEDS}
    for scenario in short["scenarios"].values():
        scenario.pop("seeds", None)
    short["config"]["metrics"]["window"] = 10
    short["config"]["run"] |= {"window_steps": 16, "num_envs": 2}
    return short


def scaled(value: Any) -> Any:
    """Divide every number of steps in a document, but not below 10."""
    if isinstance(value, list):
        return [scaled(item) for item in value]
    if not isinstance(value, dict):
        return copy.copy(value)
    lengths = ("steps", "duration_steps", "drift_window")
    return {
        key: max(10, item // SMALL_FACTOR) if key in lengths and isinstance(item, int) else scaled(item)
        for key, item in value.items()
    }


def block(size: str, words: str, compared: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the numbers as Markdown: a table for each schedule, its checks, and how to make it again."""
    flags = ("" if size == "full" else f" --{size}") + words
    lines = [f"Made by `python docs/examples/benchmark/publish.py{flags}`.", ""]
    if size == "small":
        lines += [
            '!!! warning "Not the published numbers"',
            f"    This is the small version: {SMALL_SEEDS} seeds, 2 worlds, a twentieth of every length, too short for",
            "    much to be learned. It shows that the table can be made, and is replaced by the full one.",
            "",
        ]
    for level, data in compared.items():
        for scenario in data["scenarios"]:
            lines += [f"### {level}, {scenario['name']}", "", *table(scenario), ""]
        lines += [f"Checks, {level}:", ""]
        lines += [
            f"- {'holds' if check['holds'] else '**fails**'}: {check['says']} ({check['found']})"
            for check in data["checks"]
        ]
        lines += ["", f"Digest of all scores, {level}: `{data['digest']}`", ""]
        lines += [
            f"Digest of the rows behind the bounds, {level}, {scenario}: `{found['upper']}`, `{found['lower']}`"
            for scenario, found in data["bounds"].items()
            if found
        ]
        lines.append("")
    return "\n".join(lines)


def table(scenario: Mapping[str, Any]) -> list[str]:
    """Return one schedule as a Markdown table; each number with its 95 % interval."""
    columns = list(scenario["rows"][0]["columns"])
    heads = ["variant", *(name.replace("_", " ") for name in columns)]
    against = scenario["reference"]
    if against:
        heads += [f"above {against}", f"P(better than {against})"]
    heads += ["seeds", "s/run"]
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    for row in scenario["rows"]:
        cells = [named(row), *(cell(name, row["columns"][name]) for name in columns)]
        if against:
            cells += [
                interval(row[name]) if row[name] else "reference" for name in ("difference", "improvement")
            ]
        seconds = row["wall_seconds"]
        cells += [str(len(row["seeds"])), "unknown" if seconds is None else f"{seconds:.0f}"]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def named(row: Mapping[str, Any]) -> str:
    """Return a variant's name with what runs were flagged as, and in how many of them."""
    counts: dict[str, int] = {}
    for found in row["columns"].values():
        for flag, runs in found["run_flags"].items():
            if flag in ("not_learned", "not_learning"):
                counts[flag] = max(runs, counts.get(flag, 0))
    flags = [f"{flag.replace('_', ' ')} {runs}/{len(row['seeds'])}" for flag, runs in sorted(counts.items())]
    return f"{row['variant']} ({', '.join(flags)})" if flags else str(row["variant"])


def cell(name: str, found: Mapping[str, Any]) -> str:
    """Return a column's number with its interval, or the reason why there is none."""
    if found["value"] is None:
        return (found["reason"] or "no value").replace("_", " ")
    reached = f", {found['reached']}/{found['of']}" if found["of"] is not None else ""
    return f"{interval(found, 0 if name.endswith('_steps') else 3)}{reached}"


def interval(found: Mapping[str, Any], places: int = 3) -> str:
    """Return `value [low, high]`."""
    if found["value"] is None:
        return str(found["reason"])
    value, low, high = (
        "?" if found[end] is None else f"{round(found[end], places) + 0.0:.{places}f}"
        for end in ("value", "low", "high")
    )
    return f"{value} [{low}, {high}]"


def write_block(page: Path, text: str) -> None:
    """Put text between the page's two markers."""
    whole = page.read_text(encoding="utf-8")
    before, _, rest = whole.partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")
    print(f"page      {page}")


if __name__ == "__main__":
    sys.exit(main())
