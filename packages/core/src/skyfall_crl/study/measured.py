"""From finished runs of two reference policies to stored bounds."""

import hashlib
import inspect
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from skyfall_crl.config import RunConfig
from skyfall_crl.config.schema import PartSection
from skyfall_crl.metrics.statistics import mean_interval
from skyfall_crl.metrics.stored_bounds import BOUNDS_VERSION, Level, Reference, StoredBounds, world_digest
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.registry import UnknownIdError, resolve
from skyfall_crl.study.traces import stored_trace, trace_digest
from skyfall_crl.train.directory import RunDirectory
from skyfall_crl.train.provenance import versions

UPPER_NAME = "informed"
LOWER_ID = "builtin/random"


class _Score(msgspec.Struct):
    value: float | None = None


class _Identity(msgspec.Struct):
    scores: dict[str, _Score]


class _Metrics(msgspec.Struct):
    identities: dict[str, _Identity]


def measured_bounds(
    config: RunConfig, upper: Sequence[Path], lower: Sequence[Path], seeds: Sequence[int]
) -> StoredBounds:
    """Return the bounds two sets of finished runs give; the runs are in the order of `seeds`."""
    return StoredBounds(
        version=BOUNDS_VERSION,
        world=world_digest(config.to_document()),
        seeds=list(seeds),
        steps=config.run.steps,
        num_envs=config.run.num_envs,
        upper=_reference(upper, seeds),
        lower=_reference(lower, seeds),
        versions=versions(),
    )


def reference_policies(
    config: RunConfig, upper: str | None = None, lower: str | None = None
) -> tuple[PartSection, PartSection]:
    """Return the policies that bound the worlds of a config.

    What isn't named is what the config's `metrics` section says; failing that, the lower one is
    `builtin/random` and the upper one the policy that the environment's plugin calls `informed`. Arguments that
    such a policy shares with the environment, like a layout, are handed on. Raises `ConfigError` where nobody
    names an upper one.
    """
    asked = config.metrics
    if upper is not None:
        above = PartSection(id=upper, kwargs=_shared_arguments(config, upper))
    elif asked.upper is not None:
        above = asked.upper
    else:
        named = _informed(config)
        above = PartSection(id=named, kwargs=_shared_arguments(config, named))
    if lower is not None:
        below = PartSection(id=lower, kwargs=_shared_arguments(config, lower))
    else:
        below = asked.lower or PartSection(id=LOWER_ID)
    return above, below


def _informed(config: RunConfig) -> str:
    """Return the id under which the environment's plugin offers its upper reference."""
    plugin = resolve("environments", config.env.id).plugin
    if plugin is not None:
        try:
            return f"{plugin}/{resolve('policies', f'{plugin}/{UPPER_NAME}').name}"
        except UnknownIdError:
            pass
    raise ConfigError(
        f"bounds: expected a policy to take as upper bound, found none that comes with {config.env.id}; "
        "name one with --upper ID or under metrics.upper"
    )


def _shared_arguments(config: RunConfig, policy: str) -> dict[str, Any]:
    try:
        takes: Iterable[str] = inspect.signature(resolve("policies", policy).load()).parameters
    except (TypeError, ValueError):
        return {}
    return {name: value for name, value in config.env.kwargs.items() if name in takes}


def _reference(runs: Sequence[Path], seeds: Sequence[int]) -> Reference:
    means: dict[str, dict[int, float]] = {}
    digests = []
    for path, seed in zip(runs, seeds, strict=True):
        directory = RunDirectory(path)
        scored = msgspec.json.decode(directory.metrics.read_bytes(), type=_Metrics)
        for identity, found in scored.identities.items():
            value = found.scores["reward_mean"].value
            if value is not None:
                means.setdefault(identity, {})[seed] = value
        trace = stored_trace(path)
        digests.append("" if trace is None else trace_digest(trace))
    policy = (RunDirectory(runs[0]).read_provenance().get("config") or {}).get("policy") or {}
    return Reference(
        policy=policy.get("id", "unknown"),
        kwargs=policy.get("kwargs") or {},
        levels={identity: _level(by_seed) for identity, by_seed in means.items()},
        digest=hashlib.sha256("\n".join(digests).encode()).hexdigest(),
    )


def _level(by_seed: Mapping[int, float]) -> Level:
    found = mean_interval(by_seed)
    assert found.value is not None
    return Level(
        found.value, found.low, found.high, found.method, {str(seed): v for seed, v in by_seed.items()}
    )
