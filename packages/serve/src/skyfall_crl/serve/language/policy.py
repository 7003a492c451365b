"""The policy `serve/language`: a causal language model reads the view's text and writes its action."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces

from skyfall_crl.ports.errors import ConfigError, PolicyError
from skyfall_crl.ports.fields import not_negative, whole
from skyfall_crl.ports.policy import Decision
from skyfall_crl.ports.task_view import TaskView
from skyfall_crl.serve.chat.conversation import SYSTEM, question
from skyfall_crl.serve.language.generation import generate
from skyfall_crl.serve.language.model_folder import fill_model, read_model


@dataclass(slots=True)
class SpokenDecision(Decision):
    """A decision with the tokens a learner needs again: those asked and those chosen."""

    prompt: Sequence[int] = ()
    chosen: Sequence[int] = ()


class LanguagePolicy:
    """Writes up to `max_new_tokens` tokens after each prompt; the view reads the action out of their text.

    A prompt is what the view renders, after what became of the last action, in the tokenizer's chat form where it has
    one; beyond `max_prompt_tokens` its beginning is cut off. Rows get `tokens`: how many were read and written.
    """

    needs_task_view = True

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        system: str,
        max_new_tokens: int,
        max_prompt_tokens: int,
        temperature: float,
    ) -> None:
        self.model, self.tokenizer, self.temperature = model, tokenizer, temperature
        self._system, self._most, self._most_prompt = system, max_new_tokens, max_prompt_tokens
        self._view: TaskView | None = None
        self._sampling: np.random.Generator | None = None

    def seed(self, initial: np.random.Generator, sampling: np.random.Generator) -> None:
        """Take the generator for drawing tokens; first weights come with the model."""
        self._sampling = sampling

    def bind(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        task_view: TaskView | None = None,
    ) -> None:
        """Take the view that renders observations and reads actions; raises `PolicyError` without one."""
        if task_view is None:
            raise PolicyError("serve/language: expected an environment with a task view, found none")
        self._view = task_view

    def load_weights(self, directory: Path) -> None:
        """Fill every weight from a folder; raises `CheckpointError` rather than filling a part."""
        fill_model(directory, self.model)

    def act(self, batch: Sequence[Any], infos: Sequence[Mapping[str, Any]]) -> list[Decision]:
        """Return one decision for each observation, in order."""
        if self._view is None or (self._sampling is None and self.temperature):
            raise PolicyError("serve/language: seed and bind have to come before act")
        self.model.eval()
        return [self._decide(observation, info) for observation, info in zip(batch, infos, strict=True)]

    def _decide(self, observation: Any, info: Mapping[str, Any]) -> Decision:
        assert self._view is not None
        prompt = self._prompt(question(self._view.render(observation), info))
        seed = 0 if self._sampling is None else int(self._sampling.integers(1 << 62))
        chosen, log_prob = generate(
            self.model,
            prompt,
            most=self._most,
            temperature=self.temperature,
            end=self.tokenizer.eos_token_id,
            seed=seed,
        )
        text = self.tokenizer.decode(chosen, skip_special_tokens=True)
        took = {"tokens": {"read": len(prompt), "written": len(chosen)}}
        return SpokenDecision(None, text, log_prob, extras=took, prompt=prompt, chosen=chosen)

    def _prompt(self, shown: str) -> list[int]:
        if self.tokenizer.chat_template is None:
            text = f"{self._system}\n\n{shown}\n" if self._system else f"{shown}\n"
        else:
            messages = [{"role": "system", "content": self._system}] if self._system else []
            messages.append({"role": "user", "content": shown})
            text = self.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        ids: list[int] = self.tokenizer(text, add_special_tokens=self.tokenizer.chat_template is None)[
            "input_ids"
        ]
        if not ids:
            raise PolicyError("serve/language: expected a prompt of at least one token, found none")
        return ids[-self._most_prompt :]


def language_policy(
    checkpoint_dir: str | Path | None = None,
    *,
    model: str | None = None,
    device: str = "cpu",
    system: str = SYSTEM,
    max_new_tokens: int = 64,
    max_prompt_tokens: int = 2048,
    temperature: float = 1.0,
) -> LanguagePolicy:
    """Return the policy of a checkpoint, or before there is one of a base model.

    `model` is a folder or a hub's name of a causal language model in safetensors; it is left aside where
    `checkpoint_dir` is given, since a checkpoint is the whole model. `temperature` 0 takes the likeliest token.
    Raises `ConfigError` for neither of them, `CheckpointError` for a folder that holds no such model.
    """
    whole("max_new_tokens", max_new_tokens, 1)
    whole("max_prompt_tokens", max_prompt_tokens, 1)
    not_negative("temperature", temperature)
    if checkpoint_dir is None and model is None:
        raise ConfigError("model: expected a folder or a name of a language model, found none")
    if checkpoint_dir is None:
        assert model is not None
        found, tokenizer = read_model(model, local=Path(model).is_dir())
    else:
        found, tokenizer = read_model(str(checkpoint_dir), local=True)
    return LanguagePolicy(
        found.to(device),
        tokenizer,
        system=system,
        max_new_tokens=max_new_tokens,
        max_prompt_tokens=max_prompt_tokens,
        temperature=temperature,
    )
