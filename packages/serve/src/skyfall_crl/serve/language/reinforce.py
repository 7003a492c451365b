"""The algorithm `serve/language-reinforce`: a policy gradient on whole answers, each held against its group."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from skyfall_crl.ports.algorithm import WeightsFormat, Window
from skyfall_crl.ports.errors import CheckpointError, ConfigError
from skyfall_crl.serve.language.generation import log_likelihood
from skyfall_crl.serve.language.libraries import libraries
from skyfall_crl.serve.language.model_folder import write_model
from skyfall_crl.serve.language.policy import LanguagePolicy, SpokenDecision

_OPTIMISER = "optimiser.safetensors"
_LEAST_SPREAD = 1e-6


class LanguageReinforce:
    """REINFORCE (Williams 1992) with the advantages of a group instead of a value head (GRPO, Shao et al. 2024).

    The return of an answer is the discounted reward of its world to the window's end. With `group: step` it is held
    against the mean of all worlds at the same step, which needs at least two; with `group: window` against that of the
    whole window. Advantages are divided by their spread, an answer's likelihood by its number of tokens, and the norm
    of a gradient is cut at `max_norm`. One AdamW step of `learning_rate` is taken for every `batch` answers.
    """

    def __init__(
        self,
        policy: LanguagePolicy,
        *,
        learning_rate: float = 1e-5,
        discount: float = 0.9,
        group: Literal["step", "window"] = "window",
        batch: int = 32,
        max_norm: float = 1.0,
    ) -> None:
        if not isinstance(policy, LanguagePolicy):
            raise ConfigError(f"policy: expected serve/language, found {type(policy).__name__}")
        if group not in ("step", "window"):
            raise ConfigError(f"group: expected step or window, found {group!r}")
        torch, _ = libraries()
        self.policy = policy
        self._discount, self._group, self._batch, self._max_norm = discount, group, batch, max_norm
        self._optimiser = torch.optim.AdamW(policy.model.parameters(), lr=learning_rate)

    def update(self, window: Window) -> Mapping[str, float]:
        """Learn from a window and return its loss and how many answers were used."""
        torch, _ = libraries()
        advantages = self._advantages(window)
        answers = [
            (decision, float(advantages[step, world]))
            for step, decisions in enumerate(window.decisions)
            for world, decision in enumerate(decisions)
            if window.valid[step, world] and isinstance(decision, SpokenDecision) and decision.chosen
        ]
        model, total = self.policy.model, 0.0
        model.train()
        for start in range(0, len(answers), self._batch):
            part = answers[start : start + self._batch]
            self._optimiser.zero_grad(set_to_none=True)
            for decision, advantage in part:
                likelihood = log_likelihood(model, decision.prompt, decision.chosen, self.policy.temperature)
                loss = -advantage * likelihood / (len(decision.chosen) * len(part))
                loss.backward()
                total += float(loss.detach()) * len(part)
            torch.nn.utils.clip_grad_norm_(model.parameters(), self._max_norm)
            self._optimiser.step()
        return {"loss": total / max(len(answers), 1), "answers": float(len(answers))}

    def checkpoint(self, directory: Path) -> WeightsFormat:
        """Write the model and its tokenizer, from which the policy is rebuilt."""
        write_model(directory, self.policy.model, self.policy.tokenizer)
        return WeightsFormat.CHECKPOINT

    def save_state(self, directory: Path) -> None:
        """Write the optimiser's moments, by the place of their parameter."""
        from safetensors.torch import save_file

        moments = self._optimiser.state_dict()["state"]
        tensors = {f"{place}.{name}": value for place, row in moments.items() for name, value in row.items()}
        save_file(tensors, str(directory / _OPTIMISER))

    def load_state(self, directory: Path) -> None:
        """Take them back; raises `CheckpointError` when they don't fit."""
        from safetensors import SafetensorError
        from safetensors.torch import load_file

        document = self._optimiser.state_dict()
        try:
            state: dict[int, dict[str, Any]] = {}
            for key, value in load_file(str(directory / _OPTIMISER)).items():
                place, _, name = key.partition(".")
                state.setdefault(int(place), {})[name] = value
            self._optimiser.load_state_dict({**document, "state": state})
        except (OSError, ValueError, KeyError, SafetensorError) as error:
            raise CheckpointError(
                f"{directory / _OPTIMISER}: expected the moments of this model's optimiser, found {error}"
            ) from error

    def _advantages(self, window: Window) -> NDArray[np.float64]:
        """Return how much better each answer did than its group, shape (T, N), spread 1."""
        returns = np.zeros_like(window.rewards)
        following = np.zeros(window.rewards.shape[1])
        for step in reversed(range(len(returns))):
            ends = window.terminated[step].copy()
            ends |= np.array([(step, world) in window.final_observations for world in range(len(ends))])
            returns[step] = window.rewards[step] + self._discount * np.where(ends, 0.0, following)
            following = returns[step]
        valid = window.valid
        if not valid.any():
            return returns
        if self._group == "step":
            counts = np.maximum(valid.sum(axis=1, keepdims=True), 1)
            returns = returns - np.where(valid, returns, 0.0).sum(axis=1, keepdims=True) / counts
        else:
            returns = returns - returns[valid].mean()
        advantages: NDArray[np.float64] = returns / max(float(returns[valid].std()), _LEAST_SPREAD)
        return advantages
