"""Windows for tests of algorithms: a policy acts in small real worlds, as it does in a run."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from skyfall_crl.ports.algorithm import Window
from skyfall_crl.ports.policy import POLICY_INFO_KEYS, Policy
from skyfall_crl.testing.doubles import SwitchingBandit
from skyfall_crl.testing.step_result import Environment
from skyfall_crl.testing.verdict import broken, typed


def small_world() -> SwitchingBandit:
    """Return a persistent world whose episodes have seven steps."""
    return SwitchingBandit(max_steps=7)


def collect_window(
    policy: Policy,
    environment: Callable[[], Environment] = small_world,
    *,
    steps: int = 32,
    worlds: int = 2,
    auto_reset: bool = False,
) -> Window:
    """Let a bound policy act for `steps` steps in `worlds` environments, seeded by their number.

    With `auto_reset` an ended episode is reset at once and its last observation goes into `final_observations`;
    without it every world steps on. The last row of each window isn't valid, as if its reward had been missing.
    """
    environments = [environment() for _ in range(worlds)]
    try:
        starts = [env.reset(seed=number) for number, env in enumerate(environments)]
        return _collect(policy, environments, starts, steps, auto_reset)
    finally:
        for env in environments:
            env.close()


def _collect(
    policy: Policy,
    environments: list[Environment],
    starts: list[tuple[Any, dict[str, Any]]],
    steps: int,
    auto_reset: bool,
) -> Window:
    shape = (steps, len(environments))
    finals: dict[tuple[int, int], Any] = {}
    observations = [start[0] for start in starts]
    infos: list[Mapping[str, Any]] = [_visible(start[1]) for start in starts]
    window = Window(
        observations=[],
        infos=[],
        decisions=[],
        rewards=np.zeros(shape),
        valid=np.ones(shape, np.bool_),
        terminated=np.zeros(shape, np.bool_),
        truncated=np.zeros(shape, np.bool_),
        last_observations=(),
        last_infos=(),
        final_observations=finals,
    )
    window.valid[-1] = False
    for step in range(steps):
        decisions = policy.act(observations, infos)
        window.observations.append(observations)
        window.infos.append(infos)
        window.decisions.append(decisions)
        observations, infos = list(observations), list(infos)
        for world, env in enumerate(environments):
            if decisions[world].action is None:
                cause = "hand in a policy that answers in actions, or windows of your own"
                raise broken("act", rule="expected an action", found=typed(decisions[world]), cause=cause)
            observation, reward, terminated, truncated, info = env.step(decisions[world].action)
            window.rewards[step, world] = reward if window.valid[step, world] else 0.0
            window.terminated[step, world], window.truncated[step, world] = terminated, truncated
            if auto_reset and (terminated or truncated):
                finals[step, world] = observation
                observation, info = env.reset()
            observations[world], infos[world] = observation, _visible(info)
    window.last_observations, window.last_infos = observations, infos
    return window


def _visible(info: Mapping[str, Any]) -> Mapping[str, Any]:
    return {key: info[key] for key in POLICY_INFO_KEYS if key in info}
