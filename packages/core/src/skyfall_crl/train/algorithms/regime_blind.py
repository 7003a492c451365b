"""Regime-blind PPO: what the best policy that ignores regimes earns, as two runs made from one."""

from collections.abc import Mapping
from typing import Any

from skyfall_crl.config.schema import PartSection, RunConfig
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.regime import ScheduledRegime
from skyfall_crl.train.arguments import build_part

EVERY = 64
"""Steps after which the regime switches in training: too few to adapt to, so that PPO learns what does on average."""


def blind_training(config: RunConfig, *, seed: int, every: int = EVERY) -> RunConfig:
    """Return the run that trains the regime-blind policy for a scheduled run: the regime switches every `every` steps.

    Each configuration of the schedule comes once a cycle; `seed`, of other worlds than those it is measured in,
    replaces the run's. Raises `ConfigError` for a run without a schedule.
    """
    if config.regime.provider.removeprefix("builtin/") != "scheduled":
        raise ConfigError(f"regime.provider: expected scheduled, found {config.regime.provider}")
    provider: ScheduledRegime = build_part(ScheduledRegime, config.regime.params, "regime.params")
    regimes: dict[str, Mapping[str, Any]] = {
        regime.identity: {"regime_id": regime.identity, "duration_steps": every, "axes": dict(regime.axes)}
        for regime in provider.schedule.regimes
    }
    schedule = {"shift_mode": "cyclic", "regimes": list(regimes.values())}
    return config.model_copy(
        update={
            "regime": config.regime.model_copy(update={"params": {"schedule": schedule}}),
            "run": config.run.model_copy(update={"seed": seed}),
            "evaluate": None,
        }
    )


def blind(config: RunConfig, checkpoint: str) -> RunConfig:
    """Return the run that measures the policy in `checkpoint`, a `checkpoints/final` folder, without learning."""
    return config.model_copy(
        update={"algorithm": PartSection(id="builtin/frozen", kwargs={"checkpoint": checkpoint})}
    )
