"""What bundles cost: spaces against JSON's own work, checkpoints against the disk, serving against a bare collector."""

import argparse
import json
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
from gymnasium import spaces

from skyfall_crl.config import parse_config
from skyfall_crl.ports import WeightsFormat
from skyfall_crl.ports.document import dump_yaml, parse_yaml
from skyfall_crl.registry import load
from skyfall_crl.serve import Bundle, export_bundle, serve, space_from_dict, space_to_dict
from skyfall_crl.serve.checkpoint_folder import check_files
from skyfall_crl.trace import TraceWriter
from skyfall_crl.train.build import build
from skyfall_crl.train.clock import RegimeClock
from skyfall_crl.train.collector import Collector
from skyfall_crl.train.session import Session

ROUNDS = 7
VIEWS = ("scheduling-under-drift", "tool-call")
CONFIG = {
    "env": {
        "id": "morpheus/world",
        "kwargs": {"task_view": "scheduling-under-drift", "reward_spec": "paper"},
    },
    "policy": {"id": "mlp"},
    "algorithm": {"id": "ppo"},
    "run": {"steps": 64, "num_envs": 1},
    "export": {"bundle": True},
}


class Still(gymnasium.Env[Any, Any]):
    """An environment that is only there to be described."""

    observation_space = spaces.Box(0, 1, (2,))
    action_space = spaces.Discrete(2)


class Copier:
    """Stands for an algorithm whose checkpoint is one file, which it copies."""

    def __init__(self, source: Path) -> None:
        self.source = source

    def checkpoint(self, directory: Path) -> WeightsFormat:
        shutil.copyfile(self.source, directory / "weights.bin")
        return WeightsFormat.WEIGHTS


def seconds(work: Callable[[], object]) -> float:
    """Return how long a piece of work takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def spread(values: list[float], form: str) -> str:
    """Return median and range of some rounds."""
    low, middle, high = min(values), statistics.median(values), max(values)
    return f"median {middle:{form}}, range {low:{form}} to {high:{form}}"


def rounds(work: Callable[[], object]) -> str:
    """Return what a piece of work takes, in words."""
    return f"{spread([seconds(work) * 1e3 for _ in range(ROUNDS)], '.3f')} ms"


def measure_spaces(view: str) -> None:
    """Print what encoding and decoding the spaces of a MORPHEUS world takes, data alone and with YAML."""
    env = load("environments", "morpheus/world")(task_view=view)
    both = [env.observation_space, env.action_space]
    data = [space_to_dict(space) for space in both]
    text = dump_yaml(data)
    print(f"spaces of {view}: {len(text):,} bytes of YAML")
    print(f"  encode: {rounds(lambda: [space_to_dict(one) for one in both])}")
    print(f"  decode: {rounds(lambda: [space_from_dict(one) for one in data])}")
    print(f"  write YAML: {rounds(lambda: dump_yaml(data))}")
    print(f"  read YAML: {rounds(lambda: parse_yaml(text, 'benchmark'))}")
    print(f"  json of the same data, both ways: {rounds(lambda: json.loads(json.dumps(data)))}")


def copied(source: Path, target: Path) -> None:
    """Copy a file and wait for the disk, as an export does."""
    shutil.copyfile(source, target)
    with target.open("rb") as file:
        os.fsync(file.fileno())


def checked(bundle: Path) -> None:
    """Find a bundle's weights and compare them with their digests, as a load does first."""
    found = Bundle.load(bundle)
    path = found.checkpoint_path(bundle)
    assert path is not None
    check_files(path, found.policy.files, pickles=False)


def measure_checkpoint(folder: Path, megabytes: int) -> None:
    """Print export and check of a checkpoint, and both as ratios to a copy that waits for the disk."""
    source, target, bundle = folder / "source.bin", folder / "copy.bin", folder / "bundle"
    source.write_bytes(os.urandom(1 << 20) * megabytes)
    exports, checks, copies = [], [], []
    for _ in range(ROUNDS):
        copies.append(seconds(partial(copied, source, target)))
        exports.append(seconds(partial(export_bundle, bundle, env=Still(), algorithm=Copier(source))))
        checks.append(seconds(partial(checked, bundle)))
        target.unlink()
        shutil.rmtree(bundle)
    source.unlink()
    print(f"checkpoint of {megabytes} MiB:")
    print(f"  copy to disk: {spread([taken * 1e3 for taken in copies], '.1f')} ms")
    for name, taken in (("export", exports), ("find and check", checks)):
        ratios = [one / copy for one, copy in zip(taken, copies, strict=True)]
        print(f"  {name}: {spread([one * 1e3 for one in taken], '.1f')} ms; {spread(ratios, '.2f')} copies")


def collect(steps: int, path: Path) -> float:
    """Return the seconds a session and a collector take for the same world without serving around them."""
    parts = build(parse_config(CONFIG, source="benchmark"))
    with TraceWriter(path) as trace:
        clock = RegimeClock(parts.provider, parts.capabilities)
        session = Session(parts.fanout, clock, trace, seeds=parts.seeds, auto_reset=False, persistent=True)
        session.open()
        collector = Collector(session, parts.policy, session.starts, parts.task_view)
        started = time.perf_counter()
        for _ in range(steps // 64):
            collector.collect(64, lambda: False)
        session.close("completed")
        taken = time.perf_counter() - started
    parts.close()
    path.unlink()
    return taken


def served(bundle: Path, steps: int, path: Path) -> tuple[float, float]:
    """Serve a bundle and return when its first action was asked for, and when it was over."""
    asked: list[float] = []

    def never() -> bool:
        if not asked:
            asked.append(time.perf_counter())
        return False

    serve(bundle, steps=steps, trace_path=path, stop=never)
    return asked[0], time.perf_counter()


def measure_serving(folder: Path, steps: int) -> None:
    """Print the served loop as a ratio to the bare collector, and what opening a bundle takes before it."""
    from skyfall_crl.train.run import run

    bundle = run(parse_config(CONFIG, source="benchmark"), folder / "run").directory / "bundle"
    ratios, openings = [], []
    for number in range(ROUNDS):
        floor = collect(steps, folder / "bare.jsonl")
        started = time.perf_counter()
        first, ended = served(bundle, steps, folder / f"{number}.jsonl")
        ratios.append((ended - first) / floor)
        openings.append((first - started) * 1e3)
    print(f"serve loop / bare collector, {steps} steps: {spread(ratios, '.3f')} x")
    print(f"from a bundle to its first action: {spread(openings, '.0f')} ms")


def main() -> None:
    """Print every figure as median and range of rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--steps", type=int, default=1920, help="steps of a served round (default: %(default)s)"
    )
    parser.add_argument(
        "--megabytes", type=int, nargs="*", default=[1, 500], help="sizes of checkpoints (default: 1 500)"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for view in VIEWS:
            measure_spaces(view)
        for megabytes in arguments.megabytes:
            measure_checkpoint(folder, megabytes)
        measure_serving(folder, arguments.steps)


if __name__ == "__main__":
    main()
