"""Frozen-policy evaluation beside a run, in forks or fresh worlds, so that the training world stays as it is."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import gymnasium

from skyfall_crl.config.schema import EvaluateSection
from skyfall_crl.ports.environment import attribute
from skyfall_crl.ports.fanout import FanOut
from skyfall_crl.ports.policy import StatefulPolicy
from skyfall_crl.regime import ConstantRegime, Regime
from skyfall_crl.trace import TraceWriter
from skyfall_crl.train.build import Parts
from skyfall_crl.train.clock import RegimeClock
from skyfall_crl.train.collector import Collector
from skyfall_crl.train.generators import world_seed
from skyfall_crl.train.notification import NotifiedEnvironment
from skyfall_crl.train.session import Session, Start

Environment = gymnasium.Env[Any, Any]


class Evaluator:
    """Runs one block of `phase: eval` rows per identity at the beginning, every `every_steps` steps and at the end.

    World ids are `eval/<step>/<identity>`, so that no row shares a key with training. The policy draws from the
    run's sampling generator, which is put back afterwards: a run with evaluations trains like one without.
    """

    def __init__(self, section: EvaluateSection, parts: Parts, trace: TraceWriter, step: int = 0) -> None:
        self._section, self._parts, self._trace = section, parts, trace
        self._next = _following(step, section.every_steps) if step else 0
        self._met: dict[str, None] = {}
        self._met_until = 0

    def due(self, step: int) -> bool:
        """Tell whether an evaluation belongs at the window that ended after `step` steps; 0 is the beginning."""
        ended = step >= self._parts.config.run.steps
        return self._section.world != "none" and (step >= self._next or ended)

    def evaluate(self, step: int, starts: Sequence[Start], policy_version: int) -> None:
        """Run the blocks due at `step`; `starts` is where the training worlds stand."""
        self._next = _following(step, self._section.every_steps)
        parts = self._parts
        generators = parts.generators.state()
        state = parts.policy.state() if isinstance(parts.policy, StatefulPolicy) else None
        try:
            for regime in self._regimes(step):
                self._block(step, regime, starts[0], policy_version)
        finally:
            parts.generators.restore(generators)
            if isinstance(parts.policy, StatefulPolicy) and state is not None:
                parts.policy.restore(state)

    def _regimes(self, step: int) -> list[Regime]:
        schedule = self._parts.schedule
        if schedule is None:
            return [self._parts.provider.at(step).regime]
        for earlier in range(self._met_until, step):
            self._met[self._parts.provider.at(earlier).regime.identity] = None
        self._met_until = step
        chosen: dict[str, Regime] = {}
        for regime in schedule.regimes:
            if self._section.regimes == "all" or regime.identity in self._met:
                chosen.setdefault(regime.identity, Regime(regime.identity, axes=regime.axes))
        return list(chosen.values())

    def _block(self, step: int, regime: Regime, start: Start, policy_version: int) -> None:
        parts = self._parts
        fork = self._section.world == "fork"
        make: Callable[[], Environment] = parts.make_environment
        if fork:
            make = partial(fork_of, parts.fanout.environments[0])
        fanout = FanOut([make], max_workers=0)
        try:
            session = Session(
                fanout,
                RegimeClock(ConstantRegime(regime), parts.capabilities),
                self._trace,
                seeds=[world_seed(parts.config.run.seed, parts.config.run.num_envs)],
                auto_reset=parts.auto_reset,
                persistent=parts.capabilities.persistent,
                phase="eval",
                names=[f"eval/{step}/{regime.identity}"],
            )
            session.policy_version = policy_version
            starts = session.adopt([start]) if fork else session.open()
            Collector(session, parts.policy, starts, parts.task_view).collect(self._section.steps, _never)
        finally:
            fanout.close()


def fork_of(env: Environment) -> Environment:
    """Return a fork of an environment that tells the policy of the regime as the original does."""
    fork: Environment = attribute(env, "fork", None)()
    return env.around(fork) if isinstance(env, NotifiedEnvironment) else fork


def _never() -> bool:
    return False


def _following(step: int, every: int) -> int:
    """Return the first multiple of `every` behind `step`."""
    return (step // every + 1) * every
