"""Environments from plain values, so that a config document can name one: `morpheus/world` and `morpheus/live`."""

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

from skyfall_crl.env.morpheus import plugin
from skyfall_crl.env.morpheus.action import ActionScope
from skyfall_crl.env.morpheus.morpheus_env import DEFAULT_LAYOUT, DEFAULT_MAX_STEPS, MorpheusEnv
from skyfall_crl.env.morpheus.ports import BackendError, MorpheusBackend
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.ports.fields import FieldError, inside, items, mapping, nearest, unexpected
from skyfall_crl.ports.task_view import TaskView
from skyfall_crl.regime import RegimeProvider
from skyfall_crl.registry import load
from skyfall_crl.reward import RewardSpec

DEFAULT_BASE_URL = "http://localhost:8282"
DEFAULT_TIMEOUT = 30.0
DEFAULT_TASK_VIEW = "scheduling-under-drift"
DEFAULT_REWARD_SPEC = "paper"
_PLUGIN = "morpheus"


def world(
    *,
    backend: str | MorpheusBackend = "simulated",
    backend_kwargs: Mapping[str, Any] | None = None,
    layout: str = DEFAULT_LAYOUT,
    max_steps: int = DEFAULT_MAX_STEPS,
    world_id: str | None = None,
    task_view: str | TaskView = DEFAULT_TASK_VIEW,
    reward_spec: str | Mapping[str, Any] | RewardSpec | None = DEFAULT_REWARD_SPEC,
    action_scope: Mapping[str, Any] | ActionScope | None = None,
    regime: Mapping[str, Any] | RegimeProvider | None = None,
    seed: int | None = None,
    delete_on_close: bool = False,
    **unknown: Any,
) -> MorpheusEnv:
    """Return a `MorpheusEnv` configured by value.

    `backend`, `task_view` and `reward_spec` are ids of their kinds, a bare name meaning this plugin's first,
    or the objects themselves; `reward_spec` may also be a spec's mapping, or None for the world's own,
    which embedded worlds don't have.
    `action_scope` is `{domains, methods, limits, audit}`. `regime` is `{provider, params}` for an environment that
    shifts itself; leave it out where a run has a `regime` section. A task view that takes a `layout` is given
    this one. Raises `ConfigError`.
    """
    for name in unknown:
        raise _unknown_argument(name, "world", list(signature(world).parameters))
    return MorpheusEnv(
        _backend(backend, backend_kwargs),
        layout=layout,
        max_steps=max_steps,
        world_id=world_id,
        task_view=_task_view(task_view, layout),
        reward_spec=_reward_spec(reward_spec),
        action_scope=_action_scope(action_scope),
        regime=_regime(regime),
        seed=seed,
        delete_on_close=delete_on_close,
    )


def morpheus_world(
    *,
    base_url: str = DEFAULT_BASE_URL,
    timeout: float = DEFAULT_TIMEOUT,
    headers: Mapping[str, str] | None = None,
    layout: str = DEFAULT_LAYOUT,
    world_id: str | None = None,
    max_steps: int = DEFAULT_MAX_STEPS,
    **env_kwargs: Any,
) -> MorpheusEnv:
    """Return a `MorpheusEnv` over a live deployment, configured by value.

    `base_url`, `timeout` (seconds each call may take) and `headers` are how the deployment is reached; headers are
    secret. `layout` is what to provision; with `world_id` nothing is, and the environment is a guest that neither
    rebuilds nor deletes the world. `max_steps` is after how many steps it reports `truncated`.

    `env_kwargs` are the arguments of `MorpheusEnv`. `task_view`, `reward_spec`, `action_scope` and `regime` may be
    given by value, as `world` takes them; left out, they are the environment's own defaults: the whole tool surface,
    and the reward spec the world itself carries.

    What answers is asked once whether it is a served simulator, which also reports signals and stores worlds; where
    nothing answers yet, a deployment is assumed. Raises `ConfigError`.
    """
    for name in env_kwargs:
        if name not in _ENV_ARGUMENTS:
            raise _unknown_argument(name, "live", [*signature(morpheus_world).parameters, *_ENV_ARGUMENTS])
    return MorpheusEnv(
        _live_backend(base_url, timeout, headers),
        layout=layout,
        world_id=world_id,
        max_steps=max_steps,
        **{
            name: _BY_VALUE[name](value, layout) if name in _BY_VALUE else value
            for name, value in env_kwargs.items()
        },
    )


def _live_backend(base_url: str, timeout: float, headers: Mapping[str, str] | None) -> MorpheusBackend:
    # Imported here because embedded worlds need no HTTP client.
    from skyfall_crl.env.morpheus.http.stepped_backend import connect
    from skyfall_crl.env.morpheus.http_backend import HttpBackend

    try:
        return connect(base_url, timeout=timeout, headers=headers)
    except BackendError:
        return HttpBackend(base_url, timeout=timeout, headers=headers)


def _backend(backend: str | MorpheusBackend, kwargs: Mapping[str, Any] | None) -> MorpheusBackend:
    built: Any = backend
    if isinstance(backend, str):
        factory = _loaded("backends", backend)
        try:
            built = factory(**(kwargs or {}))
        except TypeError as error:
            raise ConfigError(f"backend_kwargs: {error}") from error
    elif kwargs is not None:
        raise unexpected("backend_kwargs", "none beside a backend that is built", dict(kwargs))
    if not isinstance(built, MorpheusBackend):
        raise unexpected("backend", "something that keeps MorpheusBackend", built)
    return built


def _task_view(task_view: str | TaskView, layout: str) -> TaskView:
    view: Any = task_view
    if isinstance(task_view, str):
        factory = _loaded("task_views", task_view)
        takes_layout = "layout" in signature(factory).parameters
        view = factory(layout=layout) if takes_layout else factory()
    if not isinstance(view, TaskView):
        raise unexpected("task_view", "a task view", view)
    return view


def _reward_spec(spec: str | Mapping[str, Any] | RewardSpec | None) -> RewardSpec | None:
    if spec is None or isinstance(spec, RewardSpec):
        return spec
    if not isinstance(spec, str):
        with inside("reward_spec"):
            return RewardSpec.from_mapping(spec)
    found = _loaded("reward_specs", spec)
    built = found if isinstance(found, RewardSpec) else found()
    if not isinstance(built, RewardSpec):
        raise unexpected("reward_spec", "a reward spec", built)
    return built


def _action_scope(scope: Mapping[str, Any] | ActionScope | None) -> ActionScope | None:
    if scope is None or isinstance(scope, ActionScope):
        return scope
    with inside("action_scope"):
        fields = dict(mapping(scope, "an action scope", (), ("domains", "methods", "limits", "audit")))
        for name in ("domains", "methods"):
            value = fields.get(name, ("any",))
            if isinstance(value, str) or not all(
                isinstance(word, str) for word in items(name, value, "word")
            ):
                raise unexpected(name, "a list of words", value)
        if not isinstance(fields.get("audit", ""), str):
            raise unexpected("audit", "the path of a file", fields["audit"])
        return ActionScope(**fields)


def _regime(regime: Mapping[str, Any] | RegimeProvider | None) -> RegimeProvider | None:
    if regime is None:
        return None
    provider: Any = regime
    with inside("regime"):
        if isinstance(regime, Mapping):
            fields = mapping(regime, "a regime provider", ("provider",), ("params",))
            provider = load("regime_providers", str(fields["provider"]))(**fields.get("params", {}))
        if not isinstance(provider, RegimeProvider):
            raise unexpected("", "something that keeps RegimeProvider", provider)
    return provider


def _loaded(kind: str, identifier: str) -> Any:
    """Return what an id names; a bare name, or one with this plugin's prefix, is looked up here first."""
    prefix, _, name = identifier.rpartition("/")
    own = getattr(plugin, f"skyfall_crl_{kind}")()
    if prefix in ("", _PLUGIN) and name in own:
        return own[name].load()
    return load(kind, identifier)


def _unknown_argument(name: str, factory: str, known: list[str]) -> ConfigError:
    names = [parameter for parameter in known if parameter not in ("unknown", "env_kwargs")]
    return FieldError(name, f"unknown argument of {_PLUGIN}/{factory}{nearest(name, names)}")


_BY_VALUE: dict[str, Callable[[Any, str], Any]] = {
    "task_view": lambda value, layout: None if value is None else _task_view(value, layout),
    "reward_spec": lambda value, _: _reward_spec(value),
    "action_scope": lambda value, _: _action_scope(value),
    "regime": lambda value, _: _regime(value),
}
_ENV_ARGUMENTS = tuple(
    name
    for name in signature(MorpheusEnv.__init__).parameters
    if name not in ("self", "backend", "layout", "world_id", "max_steps")
)
