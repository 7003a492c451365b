"""A tiny random model with a tokenizer made here; without the extra `language` these tests are not collected."""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

collect_ignore_glob = ["test_*.py"] if find_spec("torch") is None else []

WORDS = ("<end>", "<unknown>", "0", "1", "2", "The", "bell", "shows", "Answer", "ACTION:", "or", ".", ",")

BELL = '''
import gymnasium
import numpy as np

from skyfall_crl.ports.task_view import TaskView


class BellView(TaskView):
    action_space = gymnasium.spaces.Discrete(3)
    no_action = 0

    def to_tool_call(self, action, *, world_id, observation=None):
        return None

    def parse_action(self, text):
        word = text.strip()
        return int(word) if word in ("0", "1", "2") else None

    def render(self, observation):
        return "The bell shows 1 . Answer 0 , 1 or 2 ."


class Bell(gymnasium.Env):
    """Ringing it with 1 earns 1; nothing else does."""

    observation_space = gymnasium.spaces.Box(0, 1, (1,), np.int64)
    action_space = gymnasium.spaces.Discrete(3)

    def __init__(self):
        self.task_view = BellView()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.zeros(1, np.int64), {}

    def step(self, action):
        return np.zeros(1, np.int64), float(action == 1), False, False, {}
'''


@pytest.fixture(scope="session")
def base_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a random causal model of a few thousand weights, and its tokenizer."""
    import torch
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("base-model")
    tokenizer = Tokenizer(WordLevel({word: place for place, word in enumerate(WORDS)}, "<unknown>"))
    tokenizer.pre_tokenizer = Whitespace()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>", unk_token="<unknown>")
    fast.save_pretrained(str(folder))
    with torch.random.fork_rng():
        torch.manual_seed(0)
        config = GPT2Config(
            vocab_size=len(WORDS),
            n_positions=64,
            n_embd=16,
            n_layer=1,
            n_head=2,
            bos_token_id=0,
            eos_token_id=0,
            attn_pdrop=0.0,
            embd_pdrop=0.0,
            resid_pdrop=0.0,
        )
        GPT2LMHeadModel(config).save_pretrained(str(folder), safe_serialization=True)
    return folder


@pytest.fixture
def bell(site: Path) -> Any:
    """The module with the world."""
    (site / "bell.py").write_text(BELL)
    import bell  # type: ignore[import-not-found]

    return bell


@pytest.fixture
def spoken(train: Callable[..., Path], bell: Any, base_model: Path) -> Callable[..., Path]:
    """Train the model in two worlds and return the run's directory."""

    def run(name: str = "run", learning_rate: float = 0.02, **settings: Any) -> Path:
        return train(
            name,
            env={"id": "bell:Bell", "kwargs": {}},
            regime=None,
            policy={
                "id": "serve/language",
                "kwargs": {"model": str(base_model), "max_new_tokens": 1, "system": ""},
            },
            algorithm={
                "id": "serve/language-reinforce",
                "kwargs": {"learning_rate": learning_rate, "discount": 0.0, "batch": 8},
            },
            run={"steps": 64, "window_steps": 16, "num_envs": 2, "seed": 5, **settings},
        )

    return run
