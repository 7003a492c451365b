"""What continual learners do on the contextual bandit: the facts that hold for every seed tried, as one table.

Three regimes that want different actions everywhere, in turn, three times round or more; four worlds, so 1,000 steps
are 4,000 rows. Guessing earns .25, knowing 1.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pytest
from gymnasium import spaces

from skyfall_crl.ports.algorithm import Algorithm, Window
from skyfall_crl.regime import Regime
from skyfall_crl.registry import load
from skyfall_crl.train.environments.contextual_bandit import ContextualBandit

pytestmark = pytest.mark.soak

WORLDS, VISIT, WINDOW, ENDS = 4, 1000, 16, 100
REGIMES = [Regime(name, axes={"labels": number}) for number, name in enumerate("ABC")]
PPO = {"learning_rate": 3e-3, "discount": 0.0, "gae_lambda": 0.0, "entropy": 0.05}
METHODS: Mapping[str, tuple[str, str, dict[str, float]]] = {
    "ppo": ("ppo", "mlp", {}),
    "scratch": ("scratch", "scratch", {}),
    "latent": ("latent-context", "heads", {}),
    "replay": ("replay", "mlp", {}),
    "ewc": ("ewc", "mlp", {"strength": 1.0}),
    "heavy ewc": ("ewc", "mlp", {"strength": 1000.0}),
    "l2-init": ("l2-init", "mlp", {}),
    "shrink-perturb": ("shrink-perturb", "mlp", {}),
    "continual-backprop": ("continual-backprop", "mlp", {}),
}


class Outcome(NamedTuple):
    """Reward per step, what was lost of a regime at its next visit's first steps, and reward in each cycle."""

    reward: float
    forgotten: float
    cycles: np.ndarray


class Lifetime:
    """One learner's life in four bandits; with a cue it sees which regime is in force."""

    def __init__(self, method: str, seed: int, *, cue: bool) -> None:
        algorithm, policy, arguments = METHODS[method]
        self.envs = [ContextualBandit() for _ in range(WORLDS)]
        self.cue = cue
        self.policy = load("policies", policy)()
        self.policy.seed(*(np.random.default_rng([seed, number]) for number in (0, 1)))
        if hasattr(self.policy, "attach"):
            self.policy.attach(self.envs[0])
        size = 8 + 3 * cue
        self.policy.bind(spaces.Box(-np.inf, np.inf, (size,), np.float32), self.envs[0].action_space)
        self.algorithm: Algorithm = load("algorithms", algorithm)(self.policy, **PPO, **arguments)
        self.algorithm.seed(np.random.default_rng([seed, 2]))  # type: ignore[attr-defined]
        self.step, self.regime = 0, 0
        self.seen = [env.reset(seed=100 * seed + number)[0] for number, env in enumerate(self.envs)]

    def live(self, steps: int) -> np.ndarray:
        """Return the mean reward of the worlds in each step."""
        rewards = []
        while self.step < steps:
            window = self._window(min(WINDOW, steps - self.step))
            self.algorithm.update(window)
            rewards.append(window.rewards.mean(1))
        return np.concatenate(rewards)

    def _look(self) -> list[np.ndarray]:
        shown = np.eye(3, dtype=np.float32)[self.regime]
        return [np.concatenate([seen, shown]) if self.cue else seen for seen in self.seen]

    def _window(self, steps: int) -> Window:
        observations, decisions, rewards = [], [], np.zeros((steps, WORLDS))
        for step in range(steps):
            self.regime = self.step // VISIT % 3
            if self.step % VISIT == 0:
                for env in self.envs:
                    env.apply_regime(REGIMES[self.regime], None)
            observations.append(self._look())
            decisions.append(self.policy.act(observations[-1], [{}] * WORLDS))
            taken = [env.step(made.action) for env, made in zip(self.envs, decisions[-1], strict=True)]
            self.seen = [result[0] for result in taken]
            rewards[step] = [result[1] for result in taken]
            self.step += 1
        return Window(
            observations=observations,
            infos=[[{}] * WORLDS] * steps,
            decisions=decisions,
            rewards=rewards,
            valid=np.ones((steps, WORLDS), np.bool_),
            terminated=np.zeros((steps, WORLDS), np.bool_),
            truncated=np.zeros((steps, WORLDS), np.bool_),
            last_observations=self._look(),
            last_infos=[{}] * WORLDS,
            final_observations={},
        )


def outcome(method: str, seed: int, *, cue: bool, cycles: int) -> Outcome:
    visits = Lifetime(method, seed, cue=cue).live(3 * cycles * VISIT).reshape(-1, VISIT)
    losses = visits[:-3, -ENDS:].mean(1) - visits[3:, :ENDS].mean(1)
    return Outcome(visits.mean(), losses.mean(), visits.reshape(cycles, -1).mean(1))


def table(seeds: int, *, cue: bool, cycles: int, methods: Mapping[str, Any] = METHODS) -> dict[str, Outcome]:
    """Return each method's outcome as means over seeds."""
    means = {}
    for method in methods:
        outcomes = [outcome(method, seed, cue=cue, cycles=cycles) for seed in range(seeds)]
        means[method] = Outcome(*(np.mean(column, axis=0) for column in zip(*outcomes, strict=True)))
    return means


@pytest.fixture(scope="module")
def hidden() -> dict[str, Outcome]:
    """Two seeds of every method, nothing told of the regime."""
    return table(2, cue=False, cycles=3)


@pytest.fixture(scope="module")
def cued() -> dict[str, Outcome]:
    """Two seeds of the methods that can tell regimes apart once they see them."""
    return table(2, cue=True, cycles=3, methods=dict.fromkeys(("ppo", "replay", "ewc")))


@pytest.mark.timeout(1800)
def test_with_a_cue_replay_and_elastic_weights_forget_far_less_than_ppo(cued: dict[str, Outcome]) -> None:
    assert cued["replay"].forgotten < cued["ppo"].forgotten / 2
    assert cued["ewc"].forgotten < cued["ppo"].forgotten / 2


@pytest.mark.timeout(1800)
def test_with_a_cue_replay_earns_more_than_ppo(cued: dict[str, Outcome]) -> None:
    assert cued["replay"].reward > cued["ppo"].reward


@pytest.mark.timeout(1800)
def test_telling_contexts_apart_earns_most_where_they_are_hidden(hidden: dict[str, Outcome]) -> None:
    latent = hidden["latent"].reward
    assert latent >= hidden["scratch"].reward
    assert all(latent > other.reward for name, other in hidden.items() if name not in ("latent", "scratch"))


@pytest.mark.timeout(1800)
def test_heavy_elastic_weights_neither_learn_nor_forget(hidden: dict[str, Outcome]) -> None:
    assert hidden["heavy ewc"].reward < 0.4
    assert abs(hidden["heavy ewc"].forgotten) < 0.05


@pytest.mark.timeout(1800)
def test_scratch_beats_every_single_network_and_stays_flat(hidden: dict[str, Outcome]) -> None:
    scratch = hidden["scratch"]
    singles = [other.reward for name, other in hidden.items() if name not in ("latent", "scratch")]
    assert scratch.reward > max(singles)
    assert np.ptp(scratch.cycles) < 0.05


@pytest.mark.timeout(1800)
def test_ppo_declines_over_cycles_and_plasticity_helps_in_the_last(hidden: dict[str, Outcome]) -> None:
    ppo = hidden["ppo"].cycles
    assert ppo[-1] < ppo[0] - 0.05
    assert hidden["shrink-perturb"].cycles[-1] > ppo[-1]
    assert hidden["l2-init"].cycles[-1] > ppo[-1]
