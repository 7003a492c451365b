"""Networks of Stable-Baselines3 as policies: built by the library, seeded, bound and stored as ours are."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces

from skyfall_crl.ports.errors import PolicyError
from skyfall_crl.ports.plain import EMPTY
from skyfall_crl.ports.policy import Decision
from skyfall_crl.ports.task_view import TaskView
from skyfall_crl.train.policies.action_spaces import actions_of
from skyfall_crl.train.policies.actor_critic import Evaluation
from skyfall_crl.train.policies.arguments import check_count, check_flag
from skyfall_crl.train.policies.arrays import Matrix, Vector
from skyfall_crl.train.policies.distribution import Actions
from skyfall_crl.train.policies.features import FeatureEncoder
from skyfall_crl.train.policies.sb3_extra import require

if TYPE_CHECKING:
    from skyfall_crl.train.policies.sb3_networks import Network, States


class Sb3Policy:
    """Stable-Baselines3's `ActorCriticPolicy`: separate tanh layers of `hidden` units for actor and critic, two each.

    Observations become features, and outputs become actions, as in the policies that need only numpy; masks are
    obeyed. `greedy` takes the likeliest action instead of drawing one. Needs the extra `sb3`.
    """

    recurrent = False

    def __init__(self, *, hidden: int = 64, greedy: bool = False) -> None:
        require()
        self._hidden = check_count("hidden", hidden)
        self._greedy = check_flag("greedy", greedy)
        self._generators: tuple[np.random.Generator, np.random.Generator] | None = None

    encoder: FeatureEncoder
    actions: Actions
    network: "Network"

    def seed(self, initial: np.random.Generator, sampling: np.random.Generator) -> None:
        """Take the generators for first weights and for sampling actions."""
        self._generators = (initial, sampling)

    def bind(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        task_view: TaskView | None = None,
    ) -> None:
        """Take the spaces of one world and draw first weights; raises `PolicyError` for unfit spaces."""
        from skyfall_crl.train.policies.sb3_networks import Network

        if self._generators is None:
            raise PolicyError(f"{type(self).__name__}: seed(initial, sampling) has to come before bind")
        initial, self._sampling = self._generators
        self.encoder, self.actions = FeatureEncoder(observation_space), actions_of(action_space)
        self.network = Network(
            self.encoder.size,
            action_space,
            hidden=self._hidden,
            recurrent=self.recurrent,
            seed=int(initial.integers(2**63)),
        )

    def act(self, batch: Sequence[Any], infos: Sequence[Mapping[str, Any]]) -> list[Decision]:
        """Return an action, its log-probability and the value estimate for each of N observations."""
        if len(batch) == 0:
            return []
        outputs, values = self._look(self.encoder.encode(batch))
        if not np.isfinite(outputs).all() or not np.isfinite(values).all():
            raise PolicyError(
                f"{type(self).__name__}: an observation or a weight is not finite, no action follows"
            )
        mask = self.actions.mask(infos)
        drawn = self.actions.draw(outputs, mask, None if self._greedy else self._sampling)
        extras = drawn.extras or [EMPTY] * len(batch)
        rows = zip(drawn.actions, drawn.log_probs, values.tolist(), extras, strict=True)
        return [Decision(action, None, log_prob, value, extra) for action, log_prob, value, extra in rows]

    def evaluate(self, features: Matrix) -> Evaluation:
        """Return logits and values of features (N, D); there is no hidden layer to hand on."""
        outputs, values, _ = self.network.step(features, None)
        return Evaluation(outputs, values, features)

    def save_weights(self, directory: Path) -> None:
        """Write the state dict to `weights.safetensors` and what it is of to `weights.json`; never pickle."""
        self.network.save(directory)

    def load_weights(self, directory: Path) -> None:
        """Take them back; raises `CheckpointError`, and changes nothing, if they don't fit."""
        self.network.load(directory)

    def _look(self, features: Matrix) -> tuple[Matrix, Vector]:
        outputs, values, _ = self.network.step(features, None)
        return outputs, values


class Sb3RecurrentPolicy(Sb3Policy):
    """sb3-contrib's `RecurrentActorCriticPolicy`: as `Sb3Policy`, behind an LSTM of `hidden` units each.

    What it remembers goes on through ends of episodes, which a policy isn't told of, and starts at zero when the
    number of worlds changes.
    """

    recurrent = True

    def __init__(self, *, hidden: int = 64, greedy: bool = False) -> None:
        super().__init__(hidden=hidden, greedy=greedy)
        self.memory: States | None = None

    def state(self) -> Mapping[str, Any]:
        """Return what is remembered of every world."""
        memory = self.memory
        return {"memory": None if memory is None else [array.tolist() for array in memory.arrays()]}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take back what `state` returned."""
        from skyfall_crl.train.policies.sb3_networks import States

        stored = state["memory"]
        self.memory = None if stored is None else States.of([np.array(part, np.float32) for part in stored])

    def _look(self, features: Matrix) -> tuple[Matrix, Vector]:
        if self.memory is None or self.memory.worlds != len(features):
            self.memory = self.network.nothing(len(features))
        outputs, values, self.memory = self.network.step(features, self.memory)
        return outputs, values
