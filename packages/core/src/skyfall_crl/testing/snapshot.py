"""Can a world be put back: snapshot, restore, fork, commit and digest of an environment."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import msgspec

from skyfall_crl.ports.environment import attribute, offers
from skyfall_crl.ports.snapshot import Snapshot, Snapshottable
from skyfall_crl.testing.comparison import difference, renamed
from skyfall_crl.testing.rollout import EnvironmentSource, Play, built, play, reset
from skyfall_crl.testing.step_result import RECORDED, Environment, checked_reset
from skyfall_crl.testing.verdict import broken, plain_mapping, shown, surviving, typed

NO_RESET = "it is stepped without a reset, which wrappers such as TimeLimit and OrderEnforcing would ask for"

METHODS = ("snapshot", "restore", "fork", "commit", "digest")

Observed = tuple[Any, Mapping[str, Any]]


@dataclass(slots=True)
class _Mark:
    """A world at one instant, and what the actions after it led to."""

    snapshot: Snapshot
    stored: bytes
    digest: str
    seen: Observed
    after: Play
    world_id: Any

    def here(self, env: Environment, value: Any) -> Any:
        """Return what another world reported as the marked one would, whose id may stand in texts."""
        world_id = attribute(env, "world_id", None)
        both = isinstance(world_id, str) and isinstance(self.world_id, str)
        return renamed(value, world_id, self.world_id) if both and world_id else value


def check_snapshots(source: EnvironmentSource, *, steps: int = 20) -> None:
    """Check an environment that can be put back, or what a factory builds; raises `ConformanceError`.

    The world is stepped `steps` times, marked, stepped as often again, and from there put back, forked and
    committed. With a factory the snapshot is also put back in a second environment, as a resumed run does.
    """
    env = built(source)
    try:
        for name in METHODS:
            if not offers(env, name):
                cause = "set them where the backend can store worlds, and none where it can't"
                raise broken(
                    name, rule="expected all five snapshot methods", found="none of this name", cause=cause
                )
        before = play(env, reset(env), steps)
        check_digest(env)
        mark = _mark(env, before, steps)
        check_moved(env, mark)
        check_kept(mark)
        check_restored(env, mark, "restore")
        check_forks(env, mark)
        if env is not source:
            _check_second(source, mark)
    finally:
        if env is not source:
            env.close()


def _mark(env: Environment, before: Play, steps: int) -> _Mark:
    """Take a snapshot, store it as JSON, and play on."""
    world = _world(env)
    digest = world.digest()
    with surviving("snapshot", rule="expected snapshot() to return", cause="it may be called after any step"):
        taken: Any = world.snapshot()
    if not isinstance(taken, Snapshot):
        cause = "return skyfall_crl.ports.Snapshot(kind, version, state)"
        raise broken("snapshot", rule="expected a Snapshot", found=typed(taken), cause=cause)
    plain_mapping("snapshot.state", taken.state)
    cause = "convert numpy scalars by .item() or .tolist(), and text with lone surrogates"
    with surviving("snapshot.state", rule="expected JSON to hold it without loss", cause=cause):
        stored = msgspec.json.encode(taken)
    if world.digest() != digest:
        cause = "copy what is stored, and draw no random number on the way"
        raise broken("snapshot", rule="expected it to change nothing", found="another digest", cause=cause)
    seen = (before.transitions[-1].observation, before.infos[-1])
    after = play(env, seen, steps)
    return _Mark(taken, stored, digest, seen, after, attribute(env, "world_id", None))


def check_digest(env: Environment) -> None:
    """Check that a digest is text, and the same for the same world."""
    first: Any
    with surviving("digest", rule="expected digest() to return", cause="it may be called after any step"):
        first, second = _world(env).digest(), _world(env).digest()
    if not isinstance(first, str) or first != second:
        rule = "expected text that is equal exactly when the worlds are"
        cause = "take it from the whole state in one order, without clocks, object ids and Python's hash()"
        raise broken("digest", rule=rule, found=f"{shown(first)}, then {shown(second)}", cause=cause)


def check_moved(env: Environment, mark: _Mark) -> None:
    """Check that the digest is another one after some steps."""
    if _world(env).digest() == mark.digest:
        rule, cause = (
            "expected another one in another world",
            "take in the whole state, counters and generators too",
        )
        found = f"the same after {len(mark.after.actions)} steps"
        raise broken("digest", rule=rule, found=found, cause=cause)


def check_kept(mark: _Mark) -> None:
    """Check that stepping on leaves a snapshot alone."""
    if msgspec.json.encode(mark.snapshot) != mark.stored:
        cause = "copy lists and mappings into the snapshot instead of handing out the live ones"
        found = "another content after the world was stepped"
        raise broken("snapshot", rule="expected it to stay as taken", found=found, cause=cause)


def check_restored(env: Environment, mark: _Mark, where: str) -> None:
    """Check that restore leads to the marked world: same observation, digest, and rows for equal actions."""
    seen = _restored(env, mark, where)
    if (found := difference(_visible(mark.seen), mark.here(env, _visible(seen)))) is not None:
        rule = "expected the observation and the info that were current then"
        raise broken(where, rule=rule, found=found, cause="return them in the form that step does")
    _check_onward(env, mark, seen, where)


def _check_onward(env: Environment, mark: _Mark, seen: Observed, where: str) -> None:
    """Check that a world is the marked one: the same digest, and equal rows for equal actions."""
    if (digest := _world(env).digest()) != mark.digest:
        rule = "expected the digest of the snapshot's world"
        cause = "something the digest takes in isn't stored, or isn't put back"
        raise broken(where, rule=rule, found=f"{shown(digest)}, not {shown(mark.digest)}", cause=cause)
    actions = mark.after.actions
    again = play(env, seen, len(actions), actions=actions, where=f"step after {where},", cause=NO_RESET)
    expected = [transition.as_row() for transition in mark.after.transitions]
    rows = [transition.as_row() for transition in again.transitions]
    if (found := difference(expected, mark.here(env, rows))) is not None:
        rule = "expected equal rows for equal actions"
        cause = "store the generators, the counters, and what the task view remembers as well"
        raise broken(where, rule=rule, found=found, cause=cause)


def check_forks(env: Environment, mark: _Mark) -> None:
    """Check that a fork starts as the world stands, goes its own way, and can be committed."""
    _restored(env, mark, "restore")
    with surviving(
        "fork", rule="expected fork() to return", cause="build an environment over a copy of the world"
    ):
        fork = _world(env).fork()
    try:
        _check_onward(fork, mark, mark.seen, "fork")
        if (digest := _world(env).digest()) != mark.digest:
            found = f"{shown(digest)} after the fork was stepped"
            cause = "they share an object; build the fork from a copy"
            raise broken("fork", rule="expected the original to stay as it was", found=found, cause=cause)
        reached = _world(fork).digest()
        play(env, mark.seen, 1, where="step beside a fork")
        if _world(fork).digest() != reached:
            rule, cause = (
                "expected the fork to stay as it was",
                "they share an object; build the fork from a copy",
            )
            raise broken(
                "fork", rule=rule, found="another digest after the original was stepped", cause=cause
            )
        check_commit(env, fork)
    finally:
        with surviving("fork", rule="expected close() of a fork to return", cause="release what it owns"):
            fork.close()
    play(env, mark.seen, 1, where="step after a fork was closed")


def check_commit(env: Environment, fork: Environment) -> None:
    """Check that commit takes over the fork's world and leaves the fork alone."""
    reached = _world(fork).digest()
    with surviving("commit", rule="expected commit(fork) to return", cause="take over the fork's state"):
        _world(env).commit(fork)
    for name, digest in (("environment", _world(env).digest()), ("fork", _world(fork).digest())):
        if digest != reached:
            rule = "expected the fork's digest in both afterwards"
            cause = "copy the fork's whole state, and leave the fork as it is"
            raise broken("commit", rule=rule, found=f"another one in the {name}", cause=cause)


def _check_second(source: EnvironmentSource, mark: _Mark) -> None:
    second = built(source)
    try:
        check_restored(second, mark, "restore in a second environment")
    finally:
        second.close()


def _restored(env: Environment, mark: _Mark, where: str) -> Observed:
    cause = "it takes what JSON gives back, lists in place of tuples, and needs no reset before it"
    with surviving(where, rule="expected restore(snapshot) to return", cause=cause):
        result = _world(env).restore(msgspec.json.decode(mark.stored, type=Snapshot))
    return checked_reset(env, result, where)


def _visible(seen: Observed) -> list[Any]:
    observation, info = seen
    return [observation, {key: info[key] for key in RECORDED if info.get(key) is not None}]


def _world(env: Environment) -> Snapshottable:
    """Return an object with the snapshot methods, wherever between wrapper and environment they are."""
    return cast("Snapshottable", _Methods(env))


class _Methods:
    """Looks attributes up through wrappers."""

    def __init__(self, env: Environment) -> None:
        self._env = env

    def __getattr__(self, name: str) -> Any:
        return attribute(self._env, name, None)
