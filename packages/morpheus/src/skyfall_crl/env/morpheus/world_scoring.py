"""What a step earned: the spec that scores a world, and where its signals come from."""

from collections.abc import Mapping
from typing import Any

from skyfall_crl.env.morpheus.ports import (
    BackendError,
    MorpheusBackend,
    RewardConfigBackend,
    SignallingBackend,
)
from skyfall_crl.env.morpheus.reward_specs import REWARD_SIGNALS
from skyfall_crl.env.morpheus.wire_reward import WireReward
from skyfall_crl.env.morpheus.world_action import WorldActions
from skyfall_crl.env.morpheus.world_senses import Sensed
from skyfall_crl.ports.environment import INFO_REWARD_MISSING, INFO_REWARD_TAINTED, INFO_REWARD_TERMS
from skyfall_crl.ports.errors import ConfigError, EnvironmentFailure
from skyfall_crl.ports.plain import EMPTY
from skyfall_crl.reward import RewardSpec

INFO_ECONOMICS = "economics"


class WorldScoring:
    """Scores the steps of one world; without signals from the backend it works them out from the wire."""

    def __init__(self, backend: MorpheusBackend, layout: str) -> None:
        self._backend = backend
        self._layout = layout
        self._from_wire = not isinstance(backend, SignallingBackend)
        self._wire: WireReward | None = None

    @property
    def reads_economics(self) -> bool:
        """Whether the signals are worked out from money and units."""
        return self._wire is not None

    def begin(self, spec: RewardSpec | None) -> None:
        """Start in a world that `spec` scores; raises `ConfigError` for terms and parameters that can't work."""
        if spec is not None:
            spec.check(REWARD_SIGNALS)
        self._wire = WireReward(self._layout, spec) if spec is not None and self._from_wire else None

    def begin_inline(self, world_id: str) -> RewardSpec | None:
        """Start in a world under the spec it carries itself and return that, None where it carries none.

        Raises `EnvironmentFailure` when it can't be read or makes no sense: a run must not go on unscored unawares.
        """
        spec = None
        if isinstance(self._backend, RewardConfigBackend):
            try:
                document = self._backend.reward_config(world_id)
                spec = None if document is None else RewardSpec.from_mapping(document)
                self.begin(spec)
            except (BackendError, ConfigError) as error:
                raise EnvironmentFailure(
                    f"reward config of world {world_id}: {error}; correct it, or give the environment a reward_spec"
                ) from error
        return spec

    def score(
        self, spec: RewardSpec, sensed: Sensed, actions: WorldActions, step: int, info: dict[str, Any]
    ) -> float:
        """Return the reward of a step and put into `info` what it is made of."""
        signals: Mapping[str, float | None] = EMPTY
        tainted = 0
        if self._wire is not None:
            if actions.written is not None:
                self._wire.wrote(*actions.written)
            signals, tainted = self._wire.signals(sensed, step)
        elif sensed.signals is not None:
            signals, tainted = sensed.signals.signals, sensed.signals.tainted
        reward, info[INFO_REWARD_TERMS], missing = spec.score(signals)
        if missing:
            info[INFO_REWARD_MISSING] = missing
        if tainted:
            info[INFO_REWARD_TAINTED] = tainted
        return reward

    def look_around(self, sensed: Sensed, step: int) -> None:
        """Take a world as it stands before the first step: what is there now earns nothing later."""
        if self._wire is not None:
            self._wire.signals(sensed, step)
