"""Environment tiers, found out by what an environment offers and never by what it inherits."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

import gymnasium

from skyfall_crl.ports.plain import EMPTY

INFO_OUTCOME = "outcome"
INFO_REWARD_TERMS = "reward_terms"
INFO_REWARD_MISSING = "reward_missing"
INFO_REWARD_TAINTED = "reward_tainted"
INFO_WORLD_TIME = "world_time"
INFO_REGIME_ID = "regime_id"
INFO_REGIME_READ_BACK = "regime_read_back"
INFO_ACTION_MASK = "action_mask"


@dataclass(frozen=True, slots=True)
class EnvSpec:
    """An environment as plain data that any process can build: a registered id and its arguments."""

    id: str
    kwargs: Mapping[str, Any] = field(default_factory=lambda: EMPTY)


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of a regime that was handed to an environment.

    `selected` are the axes it took, `excluded` the ones it can't be told; `read_back` is what the world then
    reported for the selected ones, or None when that arrives later in `info["regime_read_back"]`. `rebuilt` says that
    another world has taken the place of the one before.
    """

    selected: Mapping[str, Any]
    excluded: tuple[str, ...] = ()
    read_back: Mapping[str, Any] | None = None
    rebuilt: bool = False


@runtime_checkable
class ShiftedEnvironment(Protocol):
    """Tier 2: an environment that says what it is and can be shifted.

    `regime` arguments are `skyfall_crl.regime.Regime`. Optional beside these: `regime_axes` (the axes it can be
    told), `announce_regime(regime, progress)`, `regime_owner`, `task_view`, `references(regime)`, which returns
    known mean rewards by the name of the reference policy, and `reattach`, the factory arguments that lead to the same
    world again, for worlds that outlive a process.
    """

    def describe(self) -> Mapping[str, Any]:
        """Return what this environment is configured with, as plain data."""
        ...

    @property
    def reward_spec(self) -> Any:
        """The `RewardSpec` that scores steps, or None."""
        ...

    @property
    def reward_signals(self) -> Sequence[str]:
        """The signals this environment gives each step, each in [0, 1]."""
        ...

    @property
    def regime_id(self) -> str | None:
        """The active configuration's id, for logs."""
        ...

    def apply_regime(self, regime: Any, progress: float | None) -> Applied:
        """Make a configuration current; `progress` is that of a drift, None outside one."""
        ...


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What an environment was found to offer; stored in the trace header."""

    tier: Literal[1, 2, 3]
    describes: bool
    shifts: bool
    announces: bool
    persistent: bool
    snapshots: bool
    outlives: bool
    in_process: bool
    references: bool
    regime_owner: Literal["session", "environment"]
    regime_axes: tuple[str, ...] | None

    def to_row(self) -> dict[str, Any]:
        """Return the header form."""
        return asdict(self)


_TIER2 = ("describe", "reward_spec", "reward_signals", "regime_id", "apply_regime")
_SNAPSHOTS = ("snapshot", "restore", "fork", "commit", "digest")


def capabilities(env: gymnasium.Env[Any, Any]) -> Capabilities:
    """Find out what an environment offers, through any number of wrappers; builds and steps nothing."""
    describes = offers(env, "describe")
    tier2 = all(offers(env, name) for name in _TIER2)
    persistent = tier2 and offers(env, "owns_world")
    axes = attribute(env, "regime_axes", None)
    owner: Literal["session", "environment"] = "session"
    if attribute(env, "regime_owner", "session") == "environment":
        owner = "environment"
    return Capabilities(
        tier=3 if persistent else 2 if tier2 else 1,
        describes=describes,
        shifts=offers(env, "apply_regime"),
        announces=offers(env, "announce_regime"),
        persistent=persistent,
        snapshots=all(offers(env, name) for name in _SNAPSHOTS),
        outlives=offers(env, "reattach"),
        in_process=bool((env.unwrapped.metadata or {}).get("in_process", False)),
        references=offers(env, "references"),
        regime_owner=owner,
        regime_axes=None if axes is None else tuple(axes),
    )


def offers(env: gymnasium.Env[Any, Any], name: str) -> bool:
    """Tell whether the environment or one of its wrappers has the attribute."""
    return env.has_wrapper_attr(name) or hasattr(env.unwrapped, name)


def attribute(env: gymnasium.Env[Any, Any], name: str, default: Any) -> Any:
    """Return an attribute of the environment or of the nearest wrapper that has it."""
    if env.has_wrapper_attr(name):
        return env.get_wrapper_attr(name)
    return getattr(env.unwrapped, name, default)
