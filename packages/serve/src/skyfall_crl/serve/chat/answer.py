"""What a chat completion says: its text, and what it took."""

from dataclasses import dataclass
from typing import Any

import msgspec


class _Message(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None


class _Completion(msgspec.Struct):
    choices: list[_Choice]
    model: str | None = None
    usage: _Usage | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer of a model.

    `input_tokens` and `output_tokens` are None where the endpoint doesn't count; `cost` is what it says it charged,
    in its own currency; `finish` is why it stopped (`length` where it ran out of tokens); `attempts` counts requests.
    """

    text: str
    model: str | None = None
    finish: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    attempts: int = 1


def reply_in(body: bytes, attempts: int) -> Reply:
    """Return the first choice of a completion; raises `ValueError` for a body that is none."""
    completion = msgspec.json.decode(body, type=_Completion)
    if not completion.choices:
        raise ValueError("a completion without choices")
    usage, choice = completion.usage or _Usage(), completion.choices[0]
    return Reply(
        choice.message.content or "",
        completion.model,
        choice.finish_reason,
        usage.prompt_tokens,
        usage.completion_tokens,
        usage.cost,
        attempts,
    )


def error_in(body: bytes) -> str:
    """Return the message of an error body, or the start of whatever it is."""
    try:
        document: Any = msgspec.json.decode(body)
        error = document.get("error", document)
        message = error.get("message") if isinstance(error, dict) else error
    except (ValueError, AttributeError):
        message = None
    text = message if isinstance(message, str) else body[:200].decode("utf-8", "replace")
    return " ".join(text.split())[:200]
