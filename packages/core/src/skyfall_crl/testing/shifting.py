"""Does an environment that can be shifted say what it is, take what it is told, and keep it from the agent."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from skyfall_crl.ports.environment import (
    INFO_REGIME_READ_BACK,
    INFO_REWARD_MISSING,
    INFO_REWARD_TERMS,
    Applied,
    attribute,
    capabilities,
)
from skyfall_crl.ports.errors import CrlError
from skyfall_crl.regime import Regime
from skyfall_crl.reward import RewardSpec
from skyfall_crl.testing.comparison import TOLERANCE, difference, mentions
from skyfall_crl.testing.rollout import Play, play, reset
from skyfall_crl.testing.step_result import Environment
from skyfall_crl.testing.verdict import broken, plain_mapping, shown, surviving, typed

UNKNOWN_AXIS = "conformance_unknown_axis"
CANDIDATES = (0, 1, 0.5)
"""What an axis is tried with when nobody says which values it takes."""

_IDS = ("conformance-one", "conformance-another")
_STEPS = 10


def check_declarations(env: Environment) -> None:
    """Check that an environment describes itself in plain data, and that its reward spec reads its own signals."""
    with surviving("describe", rule="expected describe() to return", cause="it works right after a reset"):
        first, second = attribute(env, "describe", None)(), attribute(env, "describe", None)()
    plain_mapping("describe", first)
    if (found := difference(first, second)) is not None:
        cause = "it is the configuration, so leave counters and clocks out"
        raise broken("describe", rule="expected equal answers to equal questions", found=found, cause=cause)
    signals = attribute(env, "reward_signals", ())
    named = isinstance(signals, Sequence) and not isinstance(signals, str)
    if (
        not named
        or not all(isinstance(signal, str) for signal in signals)
        or len(set(signals)) < len(signals)
    ):
        cause = "write ('throughput',), with the comma"
        rule = "expected a tuple of different names"
        raise broken("reward_signals", rule=rule, found=typed(signals), cause=cause)
    spec = attribute(env, "reward_spec", None)
    if spec is None:
        return
    if not isinstance(spec, RewardSpec):
        cause = "build one with RewardSpec.from_mapping"
        raise broken("reward_spec", rule="expected a RewardSpec or None", found=typed(spec), cause=cause)
    with surviving("reward_spec", rule="expected terms that are signals", cause="name it in reward_signals"):
        spec.check(signals)


def check_reward_terms(env: Environment, played: Play) -> None:
    """Check that every step reports the spec's terms, and that they and the weights give its reward."""
    spec: RewardSpec | None = attribute(env, "reward_spec", None)
    if spec is None or capabilities(env).regime_owner == "environment":
        return
    names = [term.name for term in spec.terms]
    for number, row in enumerate(played.transitions):
        where = f"step {number}, info['{INFO_REWARD_TERMS}']"
        terms = row.info.get(INFO_REWARD_TERMS)
        if terms is None or sorted(terms) != sorted(names):
            rule, cause = (
                f"expected the terms {', '.join(names)}",
                "give what reward_spec.score(signals) returns",
            )
            raise broken(where, rule=rule, found=shown(terms), cause=cause)
        missing = row.info.get(INFO_REWARD_MISSING) or ()
        if unknown := [name for name in missing if name not in names]:
            cause = "it lists terms without a usable signal, as score does"
            raise broken(
                where, rule="expected only terms in reward_missing", found=shown(unknown), cause=cause
            )
        with surviving(where, rule="expected each term in [0, 1]", cause="scale the signal, not the weight"):
            scored = spec.score({name: float(value) for name, value in terms.items()}).reward
        if difference(scored, row.reward, tolerance=TOLERANCE) is not None:
            rule = "expected the reward to be the weighted mean of the terms"
            found = f"reward {shown(row.reward)} where they give {shown(scored)}"
            raise broken(where, rule=rule, found=found, cause="return score(signals).reward, without a bonus")


def check_shifts(env: Environment, regime: Regime | None, *, rewinds: bool) -> None:
    """Check that regimes are taken, read back and refused as they should be; the environment was just reset.

    `rewinds` tells that a reset starts the same world over.
    """
    check_applied(env, Regime("conformance-plain"))
    _check_unknown_axis(env)
    known = regime or _known_regime(env)
    for progress in (None, 0.5):
        check_applied(env, known, progress)
    if capabilities(env).announces:
        _check_announced(env, known)
    _check_hidden(env, known, rewinds)


def check_applied(env: Environment, regime: Regime, progress: float | None = None) -> Applied:
    """Check one hand-over: all axes selected, read back as they were set, and the id reported."""
    where = f"apply_regime({regime.regime_id!r}, {progress})"
    applied = _apply(env, regime, progress, where)
    if difference(dict(regime.axes), dict(applied.selected)) is not None or applied.excluded:
        rule = f"expected every axis in `selected`, {shown(dict(regime.axes))}"
        found = f"{shown(dict(applied.selected))} and excluded {shown(applied.excluded)}"
        raise broken(where, rule=rule, found=found, cause="fill it by regime.select(self.regime_axes)")
    if applied.read_back is None:
        rule, cause = (
            "expected read_back at once",
            "only what announce_regime was told before may be confirmed later",
        )
        raise broken(where, rule=rule, found="None", cause=cause)
    _check_read_back(where, regime, applied.read_back)
    return applied


def _apply(env: Environment, regime: Regime, progress: float | None, where: str) -> Applied:
    cause = "an axis it doesn't know belongs in `excluded`, and a regime may set none at all"
    with surviving(where, rule="expected apply_regime to return", cause=cause):
        applied = attribute(env, "apply_regime", None)(regime, progress)
    if not isinstance(applied, Applied) or not isinstance(applied.selected, Mapping):
        cause = "return Applied(selected, excluded, read_back)"
        raise broken(where, rule="expected an Applied", found=typed(applied), cause=cause)
    if not isinstance(applied.excluded, tuple):
        rule, cause = "expected `excluded` to be a tuple of axis names", "write tuple(regime.exclude(...))"
        raise broken(where, rule=rule, found=typed(applied.excluded), cause=cause)
    reported = attribute(env, "regime_id", regime.regime_id)
    if reported != regime.regime_id:
        cause = "set it in apply_regime"
        rule = f"expected regime_id to become {regime.regime_id!r}"
        raise broken(where, rule=rule, found=shown(reported), cause=cause)
    return applied


def _check_read_back(where: str, regime: Regime, read_back: Mapping[str, Any]) -> None:
    wanted = dict(regime.axes)
    found = {name: read_back[name] for name in wanted if name in read_back}
    if (different := difference(wanted, found, tolerance=TOLERANCE)) is not None:
        rule = "expected read_back to hold what was set"
        cause = (
            "read the world, don't repeat the input; clip and round nothing, but refuse it by an exception"
        )
        raise broken(where, rule=rule, found=different, cause=cause)


def _check_unknown_axis(env: Environment) -> None:
    where = f"apply_regime with the axis {UNKNOWN_AXIS!r}"
    applied = _apply(env, Regime("conformance-unknown", axes={UNKNOWN_AXIS: 1}), None, where)
    if UNKNOWN_AXIS in applied.selected or UNKNOWN_AXIS not in applied.excluded:
        found = f"selected {shown(dict(applied.selected))}, excluded {shown(applied.excluded)}"
        cause = "fill it by regime.exclude(self.regime_axes)"
        raise broken(where, rule="expected it in `excluded` alone", found=found, cause=cause)


def _known_regime(env: Environment) -> Regime:
    """Return a configuration that sets every axis for which one of the candidates is taken."""
    axes = capabilities(env).regime_axes or ()
    taken: dict[str, Any] = {}
    for axis in axes:
        for value in CANDIDATES:
            try:
                attribute(env, "apply_regime", None)(Regime("conformance-probe", axes={axis: value}), None)
            except (CrlError, TypeError, ValueError):
                continue
            taken[axis] = value
            break
    if axes and not taken:
        rule = f"expected an axis that takes one of {', '.join(map(str, CANDIDATES))}"
        cause = "hand in a configuration it can be put under as `regime`"
        raise broken("regime_axes", rule=rule, found=f"none among {', '.join(axes)}", cause=cause)
    return Regime("conformance-known", axes=taken)


def _check_announced(env: Environment, regime: Regime) -> None:
    where = f"announce_regime({regime.regime_id!r}, None)"
    start = reset(env)
    with surviving(where, rule="expected announce_regime to return", cause="it pushes in the next step"):
        attribute(env, "announce_regime", None)(regime, None)
    first = play(env, start, 1)
    applied = _apply(env, regime, None, where)
    if applied.read_back is not None:
        rule = "expected apply_regime after it to send nothing and leave read_back None"
        cause = "the value arrives with the step that follows"
        raise broken(where, rule=rule, found=shown(applied.read_back), cause=cause)
    then = play(env, (first.transitions[0].observation, first.infos[0]), 1)
    read_back = then.infos[0].get(INFO_REGIME_READ_BACK)
    if not isinstance(read_back, Mapping):
        rule = f"expected info['{INFO_REGIME_READ_BACK}'] in the step after apply_regime"
        raise broken(where, rule=rule, found=shown(read_back), cause="read back what was pushed ahead")
    _check_read_back(where, regime, read_back)


def _check_hidden(env: Environment, known: Regime, rewinds: bool) -> None:
    """Check that no observation holds the id, and that two ids of one configuration look alike."""
    rewind = _rewinder(env, rewinds)
    plays: list[Play] = []
    for regime_id in _IDS:
        start = rewind()
        check_applied(env, Regime(regime_id, axes=known.axes))
        played = play(env, start, _STEPS, actions=plays[0].actions if plays else None)
        plays.append(played)
        for number, row in enumerate(played.transitions):
            if mentions(row.observation, regime_id):
                rule = "expected observations that don't say which regime is in force"
                cause = "regime.notify tells a policy where that is wanted; info['regime_id'] is for rows"
                found = f"{regime_id!r} in {shown(row.observation)}"
                raise broken(f"step {number}", rule=rule, found=found, cause=cause)
    unlike = _unlike(*plays) if rewinds or capabilities(env).snapshots else None
    if unlike is not None:
        rule = "expected equal observations under two ids of the same configuration"
        cause = "something that follows from the regime's id, such as its number, reaches the observation"
        raise broken("apply_regime", rule=rule, found=unlike, cause=cause)


def _rewinder(env: Environment, rewinds: bool) -> Callable[[], tuple[Any, Mapping[str, Any]]]:
    if not capabilities(env).snapshots or rewinds:
        return lambda: reset(env)
    reset(env)
    snapshot = attribute(env, "snapshot", None)()
    return lambda: attribute(env, "restore", None)(snapshot)


def _unlike(one: Play, other: Play) -> str | None:
    for number, (mine, theirs) in enumerate(zip(one.transitions, other.transitions, strict=True)):
        if (found := difference(mine.observation, theirs.observation, path="observation")) is not None:
            return f"step {number}, {found}"
    return None
