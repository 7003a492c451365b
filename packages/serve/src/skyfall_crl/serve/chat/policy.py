"""The policy `serve/chat`: a language model behind an OpenAI-compatible endpoint picks each action."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from gymnasium import spaces

from skyfall_crl.ports.errors import ConfigError, PolicyError
from skyfall_crl.ports.fields import whole
from skyfall_crl.ports.policy import Decision
from skyfall_crl.ports.task_view import TaskView
from skyfall_crl.serve.chat.answer import Reply
from skyfall_crl.serve.chat.conversation import SYSTEM, Conversation
from skyfall_crl.serve.chat.endpoint import PASSING, ChatEndpoint, ChatFailure

_PER = 1_000_000
_PRICES = frozenset({"input", "output"})


class ChatPolicy:
    """Shows each world to a model as the task view renders it, and takes the action from the model's text.

    `base_url` is what comes before `/chat/completions`. `memory` is how many earlier turns of its world a model is
    shown again. `timeout` bounds one decision with all `attempts` at it, in seconds; asking again sends nothing to the
    world, which waits for the decision. `parameters` go into every request as they are. `prices` are charges for a
    million `input` and `output` tokens, where the endpoint names no cost. Up to `concurrency` worlds are asked at once.

    Each row gets `chat`: model, tokens, cost, attempts, and `failed` where no answer came; the action is then the
    view's `no_action`, as it is for a text without an action. What no waiting mends (a wrong key, an unknown model)
    raises `PolicyError` as long as no answer ever came.
    """

    secret_kwargs = ("api_key", "headers")
    needs_task_view = True

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        headers: Mapping[str, str] | None = None,
        system: str = SYSTEM,
        memory: int = 4,
        timeout: float = 120.0,
        attempts: int = 4,
        concurrency: int = 8,
        parameters: Mapping[str, Any] | None = None,
        prices: Mapping[str, float] | None = None,
    ) -> None:
        whole("memory", memory, 0)
        whole("attempts", attempts, 1)
        whole("concurrency", concurrency, 1)
        if prices is not None and set(prices) != _PRICES:
            raise ConfigError(
                f"prices: expected input and output per million tokens, found {', '.join(prices) or 'nothing'}"
            )
        self._endpoint = ChatEndpoint(
            base_url,
            model,
            api_key=api_key,
            headers=headers,
            timeout=timeout,
            attempts=attempts,
            parameters=parameters,
        )
        self._system, self._memory, self._prices = system, memory, prices
        self._concurrency = concurrency
        self._view: TaskView | None = None
        self._conversations: list[Conversation] = []
        self._answered = False

    def bind(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        task_view: TaskView | None = None,
    ) -> None:
        """Take the view that renders observations and reads actions; raises `PolicyError` without one."""
        if task_view is None:
            raise PolicyError("serve/chat: expected an environment with a task view, found none")
        self._view = task_view

    def act(self, batch: Sequence[Any], infos: Sequence[Mapping[str, Any]]) -> list[Decision]:
        """Return one decision a world, in order; worlds are asked about side by side."""
        while len(self._conversations) < len(batch):
            self._conversations.append(Conversation(self._system, self._memory))
        worlds = range(len(batch))
        if len(batch) <= 1:
            return [self._decide(world, batch[world], infos[world]) for world in worlds]
        with ThreadPoolExecutor(min(self._concurrency, len(batch)), thread_name_prefix="chat") as pool:
            return list(pool.map(self._decide, worlds, batch, infos))

    def state(self) -> Mapping[str, Any]:
        """Return the turns remembered of each world."""
        return {"turns": [conversation.state() for conversation in self._conversations]}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take back what `state` returned."""
        self._conversations = [Conversation(self._system, self._memory) for _ in state["turns"]]
        for conversation, turns in zip(self._conversations, state["turns"], strict=True):
            conversation.restore(turns)

    def _decide(self, world: int, observation: Any, info: Mapping[str, Any]) -> Decision:
        if self._view is None:
            raise PolicyError("serve/chat: bind has to come before act")
        conversation = self._conversations[world]
        shown = self._view.render(observation)
        messages = conversation.messages(shown, info)
        try:
            reply = self._endpoint.ask(messages)
        except ChatFailure as failure:
            if not self._answered and failure.status is not None and failure.status not in PASSING:
                raise PolicyError(f"serve/chat: {failure}") from None
            return Decision(None, text="", extras={"chat": {"failed": failure.reason, "error": str(failure)}})
        self._answered = True
        conversation.remember(messages[-1]["content"], reply.text)
        return Decision(None, text=reply.text, extras={"chat": self._spent(reply)})

    def _spent(self, reply: Reply) -> dict[str, Any]:
        cost = reply.cost
        if cost is None and self._prices is not None and reply.input_tokens is not None:
            charged = reply.input_tokens * self._prices["input"]
            cost = (charged + (reply.output_tokens or 0) * self._prices["output"]) / _PER
        found = {
            "model": reply.model,
            "input_tokens": reply.input_tokens,
            "output_tokens": reply.output_tokens,
            "cost": cost,
            "finish": reply.finish,
            "attempts": reply.attempts,
        }
        return {name: value for name, value in found.items() if value is not None}
