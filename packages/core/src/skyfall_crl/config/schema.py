"""The sections of a run document, as pydantic models that refuse what they don't know."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, model_validator

Count = Annotated[StrictInt, Field(ge=1)]
MOST_WORLDS = 4096
"""More would be a mistake in a config: each is built before the first step."""
Arguments = dict[str, Any]


class Section(BaseModel):
    """Base of every section: unknown keys are errors, values are not coerced from other types."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class AxisTarget(Section):
    """What of a Tier 1 environment follows a regime axis: an attribute, or an argument it is built with.

    Either becomes the axis value, a number times `factor`. An argument that changes builds the environment anew.
    """

    attribute: str | None = Field(default=None, min_length=1)
    argument: str | None = Field(default=None, min_length=1)
    factor: float = 1.0

    @model_validator(mode="after")
    def _has_one_target(self) -> "AxisTarget":
        if (self.attribute is None) == (self.argument is None):
            raise ValueError("expected either attribute or argument")
        return self


class EnvSection(Section):
    """Which environment, built how, and what it has to be.

    `require` asserts a tier; `axes` maps regime axes to attributes and arguments of an environment that knows
    nothing of regimes.
    """

    id: str = Field(min_length=1)
    kwargs: Arguments = Field(default_factory=dict)
    require: Literal["tier1", "tier2", "tier3"] | None = None
    axes: dict[str, list[AxisTarget]] = Field(default_factory=dict)


class RegimeSection(Section):
    """Which configuration is active when, and what the policy is told of it.

    `notify`: nothing (`hidden`), that it changed (`signal`), or which one it is (`label`). `on_mismatch`: whether a
    configuration that could not be applied stops the run or is recorded.
    """

    provider: str = "constant"
    params: Arguments = Field(default_factory=dict)
    notify: Literal["hidden", "signal", "label"] = "hidden"
    on_mismatch: Literal["stop", "record"] = "stop"


class PartSection(Section):
    """A registered thing and its arguments."""

    id: str = Field(min_length=1)
    kwargs: Arguments = Field(default_factory=dict)


class RunSection(Section):
    """How long, how wide and from which seed.

    `steps` counts per world; `auto_reset` defaults to false for persistent worlds and to true for others;
    `checkpoint_steps` is rounded up to a window end, and by default follows the cost of a checkpoint.
    """

    steps: Count
    window_steps: Count = 64
    num_envs: Annotated[StrictInt, Field(ge=1, le=MOST_WORLDS)] = 1
    seed: Annotated[StrictInt, Field(ge=0)] = 0
    auto_reset: StrictBool | None = None
    checkpoint_steps: Count | None = None


class MetricsSection(Section):
    """How the finished run is scored; `bounds` are upper levels by identity.

    A level counts as reached once `sustain` windows in a row are there; forgetting skips the first `burn_in` steps of a
    revisit. `upper` and `lower` are the policies whose rewards `skyfall-crl bounds` measures as bounds.
    """

    ids: list[str] = Field(default_factory=list)
    window: Count | None = None
    rho: Annotated[float, Field(gt=0, le=1)] = 0.9
    sustain: Count = 1
    burn_in: Annotated[StrictInt, Field(ge=0)] = 0
    bounds: dict[str, float] = Field(default_factory=dict)
    upper: PartSection | None = None
    lower: PartSection | None = None


class EvaluateSection(Section):
    """Frozen-policy evaluations beside the run, which leave the training world as it was."""

    every_steps: Count
    steps: Count
    regimes: Literal["met", "all"] = "met"
    world: Literal["fork", "fresh", "none"] = "fork"


class RunConfig(Section):
    """A run document; sections that plugins offer are kept, validated, in `plugin_sections`."""

    env: EnvSection
    regime: RegimeSection = Field(default_factory=RegimeSection)
    policy: PartSection
    algorithm: PartSection | None = None
    run: RunSection
    sinks: list[PartSection] = Field(default_factory=list)
    metrics: MetricsSection = Field(default_factory=MetricsSection)
    evaluate: EvaluateSection | None = None
    plugin_sections: dict[str, Any] = Field(default_factory=dict, exclude=True)

    def to_document(self) -> dict[str, Any]:
        """Return the resolved document as plain data, secrets still by reference."""
        document = self.model_dump(mode="json", exclude_none=True)
        for name, section in self.plugin_sections.items():
            document[name] = section.model_dump(mode="json") if isinstance(section, BaseModel) else section
        return document


CORE_SECTIONS = tuple(name for name in RunConfig.model_fields if name != "plugin_sections")
