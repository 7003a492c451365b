"""Text, token by token, drawn with a generator of its own; and how likely given tokens were."""

from collections.abc import Sequence
from typing import Any

from skyfall_crl.serve.language.libraries import libraries


def generate(
    model: Any, prompt: Sequence[int], *, most: int, temperature: float, end: int | None, seed: int
) -> tuple[list[int], float]:
    """Return up to `most` tokens that follow a prompt, `end` among them, and their log-probability together.

    With temperature 0 the likeliest token is taken each time. Nothing but `seed` decides what is drawn, and the
    process-wide generator is left as it was.
    """
    torch, transformers = libraries()
    ids = torch.tensor([list(prompt)], device=model.device)
    drawing = {"do_sample": True, "temperature": temperature, "top_k": 0, "top_p": 1.0}
    settings = transformers.GenerationConfig(
        max_new_tokens=most,
        eos_token_id=end,
        pad_token_id=0 if end is None else end,
        return_dict_in_generate=True,
        output_scores=True,
        **(drawing if temperature else {"do_sample": False}),
    )
    devices = [model.device] if model.device.type == "cuda" else []
    with torch.inference_mode(), torch.random.fork_rng(devices):
        torch.manual_seed(seed)
        found = model.generate(ids, attention_mask=torch.ones_like(ids), generation_config=settings)
    chosen: list[int] = found.sequences[0, len(prompt) :].tolist()
    log_prob = 0.0
    for scores, token in zip(found.scores, chosen, strict=True):
        log_prob += float(torch.log_softmax(scores[0].float(), dim=-1)[token])
    return chosen, log_prob


def log_likelihood(model: Any, prompt: Sequence[int], chosen: Sequence[int], temperature: float) -> Any:
    """Return the log-probability of tokens after a prompt as a scalar tensor that gradients flow through."""
    torch, _ = libraries()
    ids = torch.tensor([[*prompt, *chosen]], device=model.device)
    logits = model(input_ids=ids).logits[0, len(prompt) - 1 : -1].float() / (temperature or 1.0)
    targets = torch.tensor(list(chosen), device=model.device)
    return torch.log_softmax(logits, dim=-1).gather(1, targets[:, None]).sum()
