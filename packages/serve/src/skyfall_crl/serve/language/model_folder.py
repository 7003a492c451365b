"""A model and its tokenizer as a folder: written as safetensors, read without pickle and without a model's own code."""

from pathlib import Path
from typing import Any

from skyfall_crl.ports.errors import CheckpointError
from skyfall_crl.serve.language.libraries import libraries

WEIGHTS_NAME = "model.safetensors"


def read_model(source: str, *, local: bool) -> tuple[Any, Any]:
    """Return the model and the tokenizer in a folder, or unless `local` under a hub's name.

    Raises `CheckpointError` naming the folder for anything else than a causal model in safetensors with its tokenizer.
    """
    _, transformers = libraries()
    settings = {"local_files_only": local, "trust_remote_code": False}
    try:
        model = transformers.AutoModelForCausalLM.from_pretrained(source, use_safetensors=True, **settings)
        tokenizer = transformers.AutoTokenizer.from_pretrained(source, **settings)
    except (OSError, ValueError, KeyError) as error:
        text = " ".join(str(error).split())[:200]
        raise CheckpointError(
            f"{source}: expected a causal language model in safetensors with its tokenizer, found {text}"
        ) from error
    return model, tokenizer


def write_model(folder: Path, model: Any, tokenizer: Any) -> None:
    """Write the model and the tokenizer into a folder."""
    model.save_pretrained(str(folder), safe_serialization=True)
    tokenizer.save_pretrained(str(folder))


def fill_model(folder: Path, model: Any) -> None:
    """Take every weight out of a folder; raises `CheckpointError` rather than taking a part."""
    filled, _ = read_model(str(folder), local=True)
    weights, found = model.state_dict(), filled.state_dict()
    if weights.keys() != found.keys() or any(weights[name].shape != found[name].shape for name in weights):
        raise CheckpointError(f"{folder}: expected the weights of this very model, found another one's")
    model.load_state_dict(found)
