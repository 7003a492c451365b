"""Does an environment keep what its tier promises."""

from gymnasium import spaces
from gymnasium.wrappers import OrderEnforcing, TimeLimit

from skyfall_crl.ports.environment import (
    INFO_OUTCOME,
    INFO_REGIME_ID,
    INFO_WORLD_TIME,
    attribute,
    capabilities,
    offers,
)
from skyfall_crl.ports.task_view import TaskView
from skyfall_crl.ports.tools import ActionOutcome
from skyfall_crl.regime import Regime
from skyfall_crl.testing.rollout import EnvironmentSource, Play, built, play, reset
from skyfall_crl.testing.shifting import check_declarations, check_reward_terms, check_shifts
from skyfall_crl.testing.snapshot import check_snapshots
from skyfall_crl.testing.step_result import Environment
from skyfall_crl.testing.verdict import broken, shown, typed

TIER2 = ("describe", "reward_spec", "reward_signals", "regime_id", "apply_regime")
SNAPSHOTS = ("snapshot", "restore", "fork", "commit", "digest")
LONGEST = 4
"""How many times `steps` a persistent world is stepped at most until a truncation has been stepped over."""


def check_environment(
    source: EnvironmentSource, *, steps: int = 50, regime: Regime | None = None, tier: int = 1
) -> None:
    """Check an environment, or what a factory without arguments builds; raises `ConformanceError`.

    Everything the environment offers is checked. `tier` is the least it has to be found as. `regime` is a
    configuration it can be put under; without one each axis is tried with 0, 1 and 0.5. Choose `steps` so that an
    episode ends within them. With a factory more can be checked: that equal seeds build equal worlds that persist,
    and that a snapshot can be put back in a new process. An environment that is handed in is stepped and reset, and
    left open.
    """
    env = built(source)
    try:
        check_spaces(env)
        _check_offers(env, tier)
        played = play(env, reset(env), steps, longest=LONGEST * steps)
        check_course(env, played)
        check_repeats(source, env, played)
        check_wrapped(env, played)
        found = capabilities(env)
        if found.tier > 1:
            check_declarations(env)
            check_reward_terms(env, played)
        if found.regime_owner == "environment":
            check_labels(played)
        elif found.shifts:
            reset(env)
            check_shifts(env, regime, rewinds=is_repeatable(env) and not found.persistent)
        check_view(env)
        if found.snapshots:
            check_snapshots(source, steps=min(steps, 20))
    finally:
        if env is not source:
            env.close()


def check_spaces(env: Environment) -> None:
    """Check that there are two spaces, and that the marks in the metadata are booleans."""
    for name in ("observation_space", "action_space"):
        space = getattr(env, name, None)
        if not isinstance(space, spaces.Space):
            cause = f"set self.{name} to one of gymnasium.spaces in __init__"
            raise broken(name, rule="expected a Gymnasium space", found=typed(space), cause=cause)
    metadata = env.unwrapped.metadata or {}
    for mark in ("in_process", "nondeterministic"):
        if not isinstance(metadata.get(mark, False), bool):
            found = typed(metadata[mark])
            raise broken(
                f"metadata[{mark!r}]", rule="expected a boolean", found=found, cause="write True or False"
            )


def _check_offers(env: Environment, tier: int) -> None:
    found = capabilities(env).tier
    if found < tier:
        lacking = [name for name in (*TIER2, "owns_world") if not offers(env, name)]
        cause = f"it lacks {', '.join(lacking)}; one that is misspelt counts as absent"
        raise broken("tier", rule=f"expected at least {tier}", found=str(found), cause=cause)
    absent = [name for name in SNAPSHOTS if not offers(env, name)]
    if absent and offers(env, "snapshot") and offers(env, "restore"):
        cause = (
            f"without {', '.join(absent)} runs in this world can be neither resumed nor evaluated in forks"
        )
        raise broken("snapshots", rule="expected all five methods", found="only some", cause=cause)


def check_course(env: Environment, played: Play) -> None:
    """Check that time goes forward, in a persistent world over truncations as well, and that nothing resets itself."""
    persistent = capabilities(env).persistent
    latest: float | None = None
    for number, (row, info) in enumerate(zip(played.transitions, played.infos, strict=True)):
        where = f"step {number}"
        for key in ("final_observation", "final_obs", "final_info"):
            if key in info:
                cause = "leave the reset to whoever steps the environment; don't wrap it in Autoreset"
                rule = "expected step not to reset by itself"
                raise broken(where, rule=rule, found=f"{key!r} in info", cause=cause)
        time = row.info.get(INFO_WORLD_TIME)
        time = None if isinstance(time, str) else time
        if time is not None and latest is not None and time < latest:
            cause = (
                "truncation ends an episode, not the world; don't reset it there"
                if persistent
                else "count up"
            )
            rule = "expected info['world_time'] never to go back"
            raise broken(where, rule=rule, found=f"{time} after {latest}", cause=cause)
        ended = row.terminated or (row.truncated and not persistent)
        latest = None if ended else time if time is not None else latest


def check_repeats(source: EnvironmentSource, env: Environment, played: Play) -> None:
    """Check that an equal seed and equal actions give equal rows, where the environment promises it.

    A persistent world is compared with a second one of the factory, since a reset doesn't start it over.
    """
    persistent = capabilities(env).persistent
    if not is_repeatable(env) or (persistent and source is env):
        return
    other = built(source) if persistent else env
    try:
        start = reset(other, "reset with the same seed")
        again = play(other, start, len(played.actions), actions=played.actions, where="repeated step")
    finally:
        if other is not env:
            other.close()
    if (found := played.unlike(again)) is not None:
        rule = "expected equal rows from an equal seed and equal actions"
        cause = (
            "draw only from self.np_random, which super().reset(seed=seed) sets, and leave nothing over from the "
            "episode before; metadata['nondeterministic'] = True takes the promise back"
        )
        raise broken("repeatability", rule=rule, found=found, cause=cause)


def is_repeatable(env: Environment) -> bool:
    """Tell whether equal seeds promise equal worlds: as the metadata says, else its spec, else `in_process`."""
    metadata = env.unwrapped.metadata or {}
    if "nondeterministic" in metadata:
        return not metadata["nondeterministic"]
    if env.spec is not None:
        return not env.spec.nondeterministic
    return bool(metadata.get("in_process", False))


def check_wrapped(env: Environment, played: Play) -> None:
    """Check that an environment works under Gymnasium's usual wrappers, and as it does without them."""
    wrapped = OrderEnforcing(TimeLimit(env, len(played.actions) + 1))
    start = reset(wrapped, "reset under wrappers")
    again = play(wrapped, start, len(played.actions), actions=played.actions, where="step under wrappers")
    if (
        is_repeatable(env)
        and not capabilities(env).persistent
        and (found := played.unlike(again)) is not None
    ):
        rule, cause = "expected the same under TimeLimit and OrderEnforcing", "don't look at who calls"
        raise broken("wrapped", rule=rule, found=found, cause=cause)


def check_labels(played: Play) -> None:
    """Check that an environment that keeps its own regime says which one is in force."""
    for number, info in enumerate(played.infos):
        if info.get(INFO_REGIME_ID) is None:
            rule = "expected info['regime_id'] beside regime_owner = 'environment'"
            cause = "rows take the regime from there; say it each step, or leave the regime to the session"
            raise broken(f"step {number}", rule=rule, found="none", cause=cause)


def check_view(env: Environment) -> None:
    """Check that an environment has the spaces of its task view and always takes the view's `no_action`."""
    view = attribute(env, "task_view", None)
    if view is None:
        return
    if not isinstance(view, TaskView):
        cause = "derive it from skyfall_crl.ports.TaskView"
        raise broken("task_view", rule="expected a TaskView or None", found=typed(view), cause=cause)
    for name in ("action_space", "observation_space"):
        wanted = getattr(view, name)
        if wanted is not None and getattr(env, name) != wanted:
            found, cause = shown(getattr(env, name)), f"take {name} from the view, which has {shown(wanted)}"
            raise broken(
                f"task_view.{name}", rule="expected it to be the environment's", found=found, cause=cause
            )
    start = reset(env)
    # Several in a row: an operation of more than one step may have to finish before.
    done = play(env, start, 3, actions=[view.no_action] * 3, where="task_view.no_action, step")
    outcome = done.infos[-1].get(INFO_OUTCOME)
    row = outcome.to_row() if isinstance(outcome, ActionOutcome) else outcome
    if row is not None and not row["accepted"]:
        cause = "it stands for an answer that can't be parsed, and only lets a step pass"
        raise broken("task_view.no_action", rule="expected it to be accepted", found=shown(row), cause=cause)
