"""Text, token by token, drawn with a generator of its own; and how likely given tokens were."""

from collections.abc import Sequence
from typing import Any

from skyfall_crl.serve.language.libraries import libraries


def generate(
    model: Any, prompt: Sequence[int], *, most: int, temperature: float, ends: frozenset[int], generator: Any
) -> tuple[list[int], float]:
    """Return up to `most` tokens that follow a prompt, an end among them, and their log-probability together.

    With temperature 0 the likeliest token is taken each time, and the log-probability is that at temperature 1.
    """
    torch, _ = libraries()
    chosen: list[int] = []
    log_prob = 0.0
    cache, ids = None, torch.tensor([list(prompt)], device=model.device)
    with torch.inference_mode():
        while len(chosen) < most:
            found = model(input_ids=ids, past_key_values=cache, use_cache=True)
            cache = found.past_key_values
            log_probs = torch.log_softmax(found.logits[0, -1].float() / (temperature or 1.0), dim=-1)
            token = int(log_probs.argmax()) if not temperature else _drawn(torch, log_probs, generator)
            log_prob += float(log_probs[token])
            chosen.append(token)
            if token in ends:
                break
            ids = torch.tensor([[token]], device=model.device)
    return chosen, log_prob


def log_likelihood(model: Any, prompt: Sequence[int], chosen: Sequence[int], temperature: float) -> Any:
    """Return the log-probability of tokens after a prompt as a scalar tensor that gradients flow through."""
    torch, _ = libraries()
    ids = torch.tensor([[*prompt, *chosen]], device=model.device)
    logits = model(input_ids=ids).logits[0, len(prompt) - 1 : -1].float() / (temperature or 1.0)
    targets = torch.tensor(list(chosen), device=model.device)
    return torch.log_softmax(logits, dim=-1).gather(1, targets[:, None]).sum()


def _drawn(torch: Any, log_probs: Any, generator: Any) -> int:
    return int(torch.multinomial(log_probs.exp().cpu(), 1, generator=generator))
