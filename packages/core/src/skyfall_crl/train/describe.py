"""What an environment reports of itself, or the fact that it reports nothing."""

from typing import Any

import gymnasium

from skyfall_crl.ports.environment import attribute, offers


def describe_run(env: gymnasium.Env[Any, Any]) -> dict[str, Any]:
    """Return `describe()` of the environment, or `{"reported": False}`: absence is recorded, never filled in."""
    if not offers(env, "describe"):
        return {"reported": False}
    return dict(attribute(env, "describe", None)())
