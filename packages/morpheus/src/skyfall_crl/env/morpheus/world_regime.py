"""The configuration a world runs under: pushed to the backend, read back, and laid over the reward."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from skyfall_crl.env.morpheus.chaos_policy import POLICY_AXES, policy_axes, policy_document
from skyfall_crl.env.morpheus.ports import BackendError, ChaosBackend, MorpheusBackend
from skyfall_crl.env.morpheus.simulation.layouts import layout_named
from skyfall_crl.ports.environment import Applied
from skyfall_crl.ports.errors import ConfigError, EnvironmentFailure
from skyfall_crl.ports.plain import EMPTY
from skyfall_crl.regime import Regime, RegimePosition, RegimeProvider, has_to_be_told
from skyfall_crl.reward import RewardSpec

WEIGHTS_AXIS = "reward_weights"
PUSH, READ_BACK, BOTH = "push regime", "read regime back", "read regime back, then push"


@dataclass(slots=True)
class _Announced:
    """A regime that was told ahead: the axes pushed for it, and whether that was done."""

    regime: Regime
    progress: float | None
    axes: Mapping[str, Any]
    told: bool = False


class WorldRegime:
    """What one world was last told to be, and the spec that scores it meanwhile.

    `axes` are what it can be told: those of its layout, those of a deployment's chaos policy where the world may be
    `deployed`, and `reward_weights` where there is a spec to weigh.
    """

    def __init__(
        self, layout: str, spec: RewardSpec | None, provider: RegimeProvider | None, *, deployed: bool = False
    ) -> None:
        self._deployed = deployed
        self._policy: Mapping[str, Any] | None = None
        self._world_axes = _world_axes(layout, deployed)
        self.settle(spec)
        self.current: Regime | None = None
        self.progress: float | None = None
        self.provider = provider
        self.position: RegimePosition | None = None
        self.read_back: Mapping[str, Any] | None = None
        """What the last look read back of a regime that had been announced; None when there was none to confirm."""
        self._announced: _Announced | None = None
        self._unconfirmed: Mapping[str, Any] | None = None
        self._answered: Mapping[str, Any] | None = None

    def settle(self, spec: RewardSpec | None) -> None:
        """Take a spec as the one that scores this world."""
        self.spec = self.scoring = spec
        self.axes: tuple[str, ...] = self._world_axes if spec is None else (*self._world_axes, WEIGHTS_AXIS)

    def announce(self, regime: Regime, progress: float | None) -> None:
        """Have a regime pushed with the next look, so that making it current costs nothing; raises `ConfigError`."""
        selected = regime.select(self.axes)
        if self.spec is not None:
            self.spec.at(selected)
        self._announced = _Announced(
            regime, progress, _pushed(selected), told=not self._concerns_world(selected)
        )

    def errands(self, backend: MorpheusBackend, world_id: str) -> dict[str, Callable[[], Any]]:
        """Return what a look has to do for the regime, by name."""
        found: dict[str, Callable[[], Any]] = {}
        apart = backend if isinstance(backend, ChaosBackend) else None
        read = push = None
        if self._unconfirmed is not None and self._concerns_world(self._unconfirmed) and apart is not None:
            read = partial(apart.read_chaos, world_id)
        if self._announced is not None and not self._announced.told:
            push = partial(self._push, backend, world_id, self._announced.axes)
        if read is not None and push is not None:
            found[BOTH] = partial(_read_before, read, push)
        elif read is not None:
            found[READ_BACK] = read
        elif push is not None:
            found[PUSH] = push
        return found

    def returned(self, found: Mapping[str, Any]) -> None:
        """Take what became of the errands; one that failed is done again."""
        self.read_back = None
        done = {name: found[name] for name in (PUSH, READ_BACK, BOTH) if name in found}
        done = {name: answer for name, answer in done.items() if not isinstance(answer, BackendError)}
        if self._unconfirmed is not None:
            known = self._answered if self._concerns_world(self._unconfirmed) else EMPTY
            answer = done.get(READ_BACK, done.get(BOTH, known))
            if isinstance(answer, Mapping):
                self.read_back, self._unconfirmed = self._read(self._unconfirmed, answer), None
        if self._announced is not None and (PUSH in done or BOTH in done):
            self._announced.told, self._answered = True, done.get(PUSH)

    def apply(
        self, backend: MorpheusBackend, world_id: str, regime: Regime, progress: float | None
    ) -> Applied:
        """Make a regime current; axes it does not set go back to the layout's defaults.

        After an announcement that reached the world nothing is sent, `read_back` is None, and the value comes with
        the next look. Raises `EnvironmentFailure` when the backend refuses the values.
        """
        selected = regime.select(self.axes)
        excluded = tuple(regime.exclude(self.axes))
        scoring = None if self.spec is None else self.spec.at(selected)
        announced, self._announced = self._announced, None
        ahead = announced is not None and announced.told and announced.regime == regime
        if ahead and announced is not None and announced.progress == progress:
            self.current, self.progress, self.scoring = regime, progress, scoring
            self._unconfirmed = selected
            return Applied(selected, excluded, None)
        answer: Mapping[str, Any] = EMPTY
        if self._concerns_world(selected):
            try:
                answer = backend.set_chaos(world_id, self._document(backend, world_id, _pushed(selected)))
            except BackendError as error:
                raise EnvironmentFailure(f"regime {regime.regime_id!r}: {error}") from error
        self.current, self.progress, self.scoring = regime, progress, scoring
        self._unconfirmed = None
        return Applied(selected, excluded, self._read(selected, answer))

    def _concerns_world(self, selected: Mapping[str, Any]) -> bool:
        """Tell whether the world has to hear of a regime; of one that sets nothing only after another did."""
        if self._deployed and self._policy is None:
            return bool(_pushed(selected))
        return bool(self._world_axes)

    def _push(self, backend: MorpheusBackend, world_id: str, axes: Mapping[str, Any]) -> Any:
        document = self._document(backend, world_id, axes)
        if isinstance(backend, ChaosBackend):
            return backend.push_chaos(world_id, document)
        return backend.set_chaos(world_id, document)

    def _document(self, backend: MorpheusBackend, world_id: str, axes: Mapping[str, Any]) -> dict[str, Any]:
        """Return the chaos document for some axes; those a deployment's policy had before any regime stay its own."""
        if not self._deployed:
            return {"simulation": {"axes": dict(axes)}}
        if self._policy is None:
            self._policy = backend.read_chaos(world_id) if isinstance(backend, ChaosBackend) else EMPTY
        return policy_document(axes, self._policy)

    def _read(self, selected: Mapping[str, Any], answer: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a chaos document says of the selected axes, and the weights that score."""
        found = policy_axes(answer)
        read_back = {name: found[name] for name in _pushed(selected) if name in found}
        if WEIGHTS_AXIS in selected and self.scoring is not None:
            weights = {term.name: term.weight for term in self.scoring.terms}
            read_back[WEIGHTS_AXIS] = {name: weights[name] for name in selected[WEIGHTS_AXIS]}
        return read_back

    def renew(self, backend: MorpheusBackend, world_id: str) -> None:
        """Tell a world that was just provisioned what its predecessor had been told."""
        self.position = self._policy = None
        self.forget()
        if self.current is not None:
            self.apply(backend, world_id, self.current, self.progress)

    def forget(self) -> None:
        """Drop what was announced to a world that is no longer there."""
        self._announced = self._unconfirmed = self.read_back = None

    def adopt(self, regime: Regime | None, progress: float | None, steps: int) -> None:
        """Take over a regime that the world itself has been under for its last of `steps` steps."""
        self.forget()
        self.current, self.progress = regime, progress
        self.scoring = self.spec
        if regime is not None and self.spec is not None:
            self.scoring = self.spec.at(regime.select(self.axes))
        self.position = None if self.provider is None or steps == 0 else self.provider.at(steps - 1)

    def follow(self, backend: MorpheusBackend, world_id: str, step: int) -> None:
        """Ask the environment's own provider about a step and push what it answers where that changes anything."""
        if self.provider is None:
            return
        position = self.provider.at(step)
        before, self.position = self.position, position
        if not has_to_be_told(before, position):
            return
        applied = self.apply(backend, world_id, position.regime, position.drift_progress)
        if applied.excluded:
            raise EnvironmentFailure(
                f"regime {position.regime.regime_id!r}: this world can't be told {', '.join(applied.excluded)}; "
                f"expected axes among {', '.join(self.axes)}"
            )

    def foresee(self, step: int) -> None:
        """Announce what the environment's own provider says of a step that is still to come."""
        if self.provider is not None:
            position = self.provider.at(step)
            if has_to_be_told(self.position, position):
                self.announce(position.regime, position.drift_progress)

    def labels(self) -> dict[str, Any]:
        """Return what `info` says of a regime the environment keeps itself; empty when it keeps none."""
        if self.position is None:
            return {}
        regime = self.position.regime
        return {
            "regime_id": regime.regime_id,
            "regime_identity": regime.identity,
            "drift_progress": self.position.drift_progress,
        }


def _read_before(read: Callable[[], Any], push: Callable[[], Any]) -> Any:
    """Read one regime back before the next is pushed over it, and return what was read."""
    answer = read()
    push()
    return answer


def _pushed(selected: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in selected.items() if name != WEIGHTS_AXIS}


def _world_axes(layout: str, deployed: bool) -> tuple[str, ...]:
    try:
        axes = layout_named(layout).regime_axes
    except ConfigError:
        axes = ()
    return (*axes, *(name for name in POLICY_AXES if name not in axes)) if deployed else axes
