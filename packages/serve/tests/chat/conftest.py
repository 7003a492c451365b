"""A chat endpoint on a loopback socket that answers what it is told to, and a small world with a text view."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

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
        word = text.rpartition("ACTION:")[2].strip()
        return int(word) if word in ("0", "1", "2") else None

    def render(self, observation):
        return f"The bell shows {int(observation[0])}. Answer ACTION: 0, 1 or 2."


class Bell(gymnasium.Env):
    """Shows how often it was rung; ringing it with 1 earns 1."""

    observation_space = gymnasium.spaces.Box(0, 1000, (1,), np.int64)
    action_space = gymnasium.spaces.Discrete(3)

    def __init__(self):
        self.task_view, self.rung = BellView(), 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.array([self.rung]), {}

    def step(self, action):
        self.rung += 1
        return np.array([self.rung]), float(action == 1), False, False, {"outcome": {"accepted": action != 2}}
'''


class Model(ThreadingHTTPServer):
    """Answers each request by `answer(body, number)`: a status and a document, bytes or text for a completion."""

    daemon_threads = False

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.answer: Callable[[dict[str, Any], int], Any] = lambda body, number: "ACTION: 1"
        self.headers: dict[str, str] = {}
        self._lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/v1"

    def note(self, body: dict[str, Any], key: str | None) -> int:
        with self._lock:
            self.asked.append(body)
            self.keys.append(key)
            return len(self.asked)


class _Handler(BaseHTTPRequestHandler):
    server: Model

    def log_message(self, *args: Any) -> None:
        """Keep quiet."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        number = self.server.note(body, self.headers.get("authorization"))
        answer = self.server.answer(body, number) if self.path.endswith("/chat/completions") else (404, {})
        status, content = (200, completion(answer)) if isinstance(answer, str) else answer
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in {**self.server.headers, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


def completion(text: str) -> dict[str, Any]:
    return {
        "model": "small-1",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }


@pytest.fixture
def model() -> Iterator[Model]:
    """A running endpoint; every thread of it has ended after the test."""
    server = Model()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def bell(site: Path) -> Any:
    """The module with the world."""
    (site / "bell.py").write_text(BELL)
    import bell  # type: ignore[import-not-found]

    return bell


@pytest.fixture
def make_policy(model: Model, bell: Any) -> Callable[..., Any]:
    """Build policies that ask the endpoint and are bound to the world."""
    from skyfall_crl.serve.chat import ChatPolicy

    def make(**settings: Any) -> Any:
        env = bell.Bell()
        policy = ChatPolicy(settings.pop("base_url", model.url), "small", **settings)
        policy.bind(env.observation_space, env.action_space, env.task_view)
        return policy

    return make


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait less between two attempts than a user would want to."""
    monkeypatch.setattr("skyfall_crl.serve.chat.endpoint._FIRST_PAUSE", 0.01)
