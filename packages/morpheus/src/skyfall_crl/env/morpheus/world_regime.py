"""The configuration a world runs under: pushed to the backend, read back, and laid over the reward."""

from collections.abc import Mapping
from typing import Any

from skyfall_crl.env.morpheus.ports import BackendError, MorpheusBackend
from skyfall_crl.env.morpheus.simulation.layouts import layout_named
from skyfall_crl.ports.environment import Applied
from skyfall_crl.ports.errors import ConfigError, EnvironmentFailure
from skyfall_crl.regime import Regime, RegimePosition, RegimeProvider, has_to_be_told
from skyfall_crl.reward import RewardSpec

WEIGHTS_AXIS = "reward_weights"


class WorldRegime:
    """What one world was last told to be, and the spec that scores it meanwhile.

    `axes` are what it can be told: those of its layout, and `reward_weights` where there is a spec to weigh.
    """

    def __init__(self, layout: str, spec: RewardSpec | None, provider: RegimeProvider | None) -> None:
        try:
            self._world_axes = layout_named(layout).regime_axes
        except ConfigError:
            self._world_axes = ()
        self.axes: tuple[str, ...] = self._world_axes if spec is None else (*self._world_axes, WEIGHTS_AXIS)
        self.spec = spec
        self.scoring = spec
        self.current: Regime | None = None
        self.progress: float | None = None
        self.provider = provider
        self.position: RegimePosition | None = None

    def apply(
        self, backend: MorpheusBackend, world_id: str, regime: Regime, progress: float | None
    ) -> Applied:
        """Make a regime current; axes it does not set go back to the layout's defaults.

        Raises `EnvironmentFailure` when the backend refuses the values.
        """
        selected = regime.select(self.axes)
        pushed = {name: value for name, value in selected.items() if name != WEIGHTS_AXIS}
        scoring = None if self.spec is None else self.spec.at(selected)
        read_back: dict[str, Any] = {}
        if self._world_axes:
            try:
                answer = backend.set_chaos(world_id, {"simulation": {"axes": pushed}})
            except BackendError as error:
                raise EnvironmentFailure(f"regime {regime.regime_id!r}: {error}") from error
            found = _axes(answer)
            read_back = {name: found[name] for name in pushed if name in found}
        if WEIGHTS_AXIS in selected and scoring is not None:
            weights = {term.name: term.weight for term in scoring.terms}
            read_back[WEIGHTS_AXIS] = {name: weights[name] for name in selected[WEIGHTS_AXIS]}
        self.current, self.progress, self.scoring = regime, progress, scoring
        return Applied(selected, tuple(regime.exclude(self.axes)), read_back)

    def renew(self, backend: MorpheusBackend, world_id: str) -> None:
        """Tell a world that was just provisioned what its predecessor had been told."""
        self.position = None
        if self.current is not None:
            self.apply(backend, world_id, self.current, self.progress)

    def adopt(self, regime: Regime | None, progress: float | None, steps: int) -> None:
        """Take over a regime that the world itself has been under for its last of `steps` steps."""
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


def _axes(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    simulation = answer.get("simulation")
    axes = simulation.get("axes") if isinstance(simulation, Mapping) else None
    return axes if isinstance(axes, Mapping) else {}
