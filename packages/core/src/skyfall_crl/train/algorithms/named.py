"""Learners by name: PPO with one hook each, so that an id says which method it is."""

from typing import Unpack

from skyfall_crl.ports.policy import Policy
from skyfall_crl.train.algorithms.anchors import L2Init, OnlineEwc
from skyfall_crl.train.algorithms.hook import Hook
from skyfall_crl.train.algorithms.plasticity import ContinualBackprop, ShrinkPerturb
from skyfall_crl.train.algorithms.ppo import PPO, PPOArguments
from skyfall_crl.train.algorithms.replay import Replay


def replay(
    policy: Policy,
    *,
    capacity: int = 1000,
    unroll: int = 8,
    ratio: float = 1.0,
    policy_cloning: float = 0.1,
    value_cloning: float = 0.005,
    **ppo: Unpack[PPOArguments],
) -> PPO:
    """Return PPO that learns from a reservoir of its past beside each window, as `Replay` says."""
    hook = Replay(
        capacity=capacity,
        unroll=unroll,
        ratio=ratio,
        policy_cloning=policy_cloning,
        value_cloning=value_cloning,
    )
    return _with(policy, hook, ppo)


def ewc(
    policy: Policy,
    *,
    strength: float = 0.1,
    decay: float = 0.99,
    every: int = 32,
    **ppo: Unpack[PPOArguments],
) -> PPO:
    """Return PPO that holds the weights its past depended on, as `OnlineEwc` says."""
    return _with(policy, OnlineEwc(strength=strength, decay=decay, every=every), ppo)


def l2_init(policy: Policy, *, strength: float = 1e-3, **ppo: Unpack[PPOArguments]) -> PPO:
    """Return PPO whose weights are pulled to where they started, as `L2Init` says."""
    return _with(policy, L2Init(strength=strength), ppo)


def shrink_perturb(
    policy: Policy, *, shrink: float = 3e-3, noise: float = 3e-3, **ppo: Unpack[PPOArguments]
) -> PPO:
    """Return PPO whose weights shrink and get noise at each step, as `ShrinkPerturb` says."""
    return _with(policy, ShrinkPerturb(shrink=shrink, noise=noise), ppo)


def continual_backprop(
    policy: Policy,
    *,
    replacement_rate: float = 1e-4,
    maturity: int = 1000,
    decay: float = 0.99,
    **ppo: Unpack[PPOArguments],
) -> PPO:
    """Return PPO that replaces hidden units of little use, as `ContinualBackprop` says."""
    hook = ContinualBackprop(replacement_rate=replacement_rate, maturity=maturity, decay=decay)
    return _with(policy, hook, ppo)


def _with(policy: Policy, hook: Hook, arguments: PPOArguments) -> PPO:
    merged: PPOArguments = {**arguments, "hooks": [hook, *arguments.get("hooks", ())]}
    return PPO(policy, **merged)
