"""What an environment says of itself, for logs and for recording beside a policy."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from skyfall_crl.env.morpheus.morpheus_env import MorpheusEnv


def describe(env: "MorpheusEnv") -> Mapping[str, Any]:
    """Return an environment's configuration as plain data.

    `signals_from` is `backend` where the world keeps a book of obligations, else `nowhere`; `seed` is null
    where nobody chose one.
    """
    scope = env.actions.scope
    return {
        "environment": "morpheus",
        "backend": type(env.backend).__name__,
        "in_process": env.metadata["in_process"],
        "layout": env.layout,
        "world_id": env.world_id,
        "owns_world": env.owns_world,
        "seed": env.lease.seed,
        "max_steps": env.max_steps,
        "task_view": type(env.task_view).__name__,
        "reward_spec": None if env.reward_spec is None else env.reward_spec.name,
        "signals_from": env.signals_from,
        "scope": {"domains": list(scope.domains), "methods": list(scope.methods)},
        "regime_axes": list(env.regime_axes),
        "regime_owner": env.regime_owner,
    }
