"""A reservoir of sequences: of all that was ever seen, each kept with equal chance, in an array of fixed size."""

from dataclasses import dataclass

import numpy as np

from skyfall_crl.ports.algorithm import Window
from skyfall_crl.train.algorithms.experience import read_choices
from skyfall_crl.train.algorithms.returns import continues, next_observations
from skyfall_crl.train.algorithms.scale import ReturnScale
from skyfall_crl.train.policies.actor_critic import ActorCritic
from skyfall_crl.train.policies.arrays import Choices, Mask, Matrix, Vector
from skyfall_crl.train.policies.categorical import FORBIDDEN, forbid


@dataclass(slots=True)
class Sequences:
    """S sequences of L steps: `features` and `following` (S, L, D), `logits` and `mask` (S * L, A), `choices` (S * L).

    All else has shape (S, L). `following` are the features after each step; `logits` and `values` are what the policy
    put out when the sequence was stored. Rows that aren't `valid` fill up short sequences.
    """

    features: Matrix
    following: Matrix
    logits: Matrix
    choices: Choices
    mask: Mask | None
    log_probs: Matrix
    rewards: Matrix
    values: Matrix
    valid: Mask
    terminated: Mask
    goes_on: Mask


class Reservoir:
    """Keeps up to `capacity` sequences of `length` steps for a bound policy; `filled` of them are there."""

    def __init__(self, capacity: int, length: int, policy: ActorCritic) -> None:
        actions = policy.actions
        widths = {"features": policy.encoder.size, "following": policy.encoder.size}
        widths |= {"logits": actions.columns, "choices": max(int(np.prod(actions.choice_shape)), 1)}
        names = ("log_probs", "rewards", "values", "valid", "terminated", "goes_on")
        widths |= dict.fromkeys(names, 1)
        stops = np.cumsum(list(widths.values())).tolist()
        self._columns = {
            name: slice(stop - width, stop) for (name, width), stop in zip(widths.items(), stops, strict=True)
        }
        self._rows = np.zeros((capacity, length, stops[-1]))
        self._seen = 0
        self._discrete, self._choice_shape = actions.discrete, actions.choice_shape

    @property
    def filled(self) -> int:
        """How many sequences there are to draw from."""
        return min(self._seen, len(self._rows))

    def take(
        self, window: Window, policy: ActorCritic, scale: ReturnScale, generator: np.random.Generator
    ) -> None:
        """Cut a window into sequences and let chance decide which to keep, and in whose place."""
        steps, worlds = window.rewards.shape
        length, width = self._rows.shape[1:]
        padded = np.zeros((-(-steps // length) * length, worlds, width))
        padded[:steps] = self._laid_out(window, policy, scale)
        sequences = padded.reshape(-1, length, worlds, width).swapaxes(1, 2).reshape(-1, length, width)
        for sequence in sequences[sequences[..., self._columns["valid"]].any((1, 2))]:
            place = self._seen if self._seen < len(self._rows) else int(generator.integers(self._seen + 1))
            if place < len(self._rows):
                self._rows[place] = sequence
            self._seen += 1

    def draw(self, count: int, generator: np.random.Generator) -> Sequences:
        """Return `count` sequences, each drawn from all."""
        rows = self._rows[generator.integers(self.filled, size=count)]
        part = {name: rows[..., columns] for name, columns in self._columns.items()}
        logits = part["logits"].reshape(-1, part["logits"].shape[-1])
        mask = logits > FORBIDDEN / 2
        choices = part["choices"].reshape(-1, *self._choice_shape)
        flags = {name: part[name][..., 0] > 0 for name in ("valid", "terminated", "goes_on")}
        return Sequences(
            part["features"],
            part["following"],
            logits,
            choices.astype(np.intp) if self._discrete else choices,
            None if mask.all() else mask,
            part["log_probs"][..., 0],
            part["rewards"][..., 0],
            part["values"][..., 0],
            **flags,
        )

    def _laid_out(self, window: Window, policy: ActorCritic, scale: ReturnScale) -> Matrix:
        """Return the rows of a window as they are stored, shape (T, N, width)."""
        shape = window.rewards.shape
        rows = np.zeros((window.rewards.size, self._rows.shape[2]))
        valid = np.flatnonzero(window.valid)
        features = policy.encoder.encode([seen for row in window.observations for seen in row])
        decisions = [decision for row in window.decisions for decision in row]
        infos = [info for row in window.infos for info in row]
        logits, values, _ = policy.evaluate(features)
        choices, log_probs = read_choices([decisions[row] for row in valid], policy)
        columns = self._columns
        rows[:, columns["features"]] = features
        rows[:, columns["following"]] = policy.encoder.encode(next_observations(window))
        rows[:, columns["logits"]] = forbid(logits, policy.actions.mask(infos))
        rows[valid, columns["choices"]] = choices.reshape(len(valid), -1)
        rows[valid, columns["log_probs"]] = log_probs[:, None]
        rows[:, columns["values"]] = (scale.mean + scale.spread * values)[:, None]
        for name, array in (
            ("rewards", window.rewards),
            ("valid", window.valid),
            ("terminated", window.terminated),
            ("goes_on", continues(window)),
        ):
            rows[:, columns[name]] = array.reshape(-1, 1)
        return rows.reshape(*shape, -1)

    @property
    def state(self) -> Vector:
        """How many sequences were seen, then all that are kept."""
        return np.concatenate([[float(self._seen)], self._rows.ravel()])

    @state.setter
    def state(self, vector: Vector) -> None:
        self._seen = int(vector[0])
        self._rows[:] = vector[1:].reshape(self._rows.shape)
