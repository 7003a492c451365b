"""The fields of a trace's lines, as models that check them where they come from outside."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

TRACE_VERSION = 1


class TraceRow(BaseModel):
    """One line of a trace after the first.

    Every field has the value an absent one is read as, so that lines of `step`, `regime_id`,
    `regime_identity` and `reward` alone are a valid trace; plugins may add fields of their own. Only `kind:
    step` rows carry rewards, one for each world and step. This model is never used on the write path.
    """

    model_config = ConfigDict(extra="allow")

    v: int = Field(default=0, ge=0, description="Version of this layout; 0 means a trace from elsewhere.")
    kind: str = Field(
        default="step",
        description="provenance, step, intent, shift, resume or note; readers skip kinds they don't know.",
    )
    step: int | None = Field(
        default=None, ge=0, description="0-based count of this world's steps in the run."
    )
    world: str = Field(default="w0", description="Name of the world: w0, w1, ...; evaluations use their own.")
    world_time: str | float | None = Field(
        default=None, description="Simulated time, null where not reported."
    )
    episode: int = Field(default=0, ge=0, description="0-based count of resets of this world.")
    phase: Literal["train", "eval", "serve", "harness"] = Field(
        default="train",
        description="Who acted: a learner, a frozen policy under evaluation, a server, an agent.",
    )
    regime_id: str | None = Field(default=None, description="Regime in force while the action took effect.")
    regime_identity: str | None = Field(default=None, description="Regime this one repeats, or its own id.")
    drift_progress: float | None = Field(
        default=None, ge=0, le=1, description="Share of a linear drift done; null outside linear_drift."
    )
    reward: float | None = Field(default=None, description="Reward of the step; null when it has none.")
    reward_invalid: Literal["nan", "inf"] | None = Field(
        default=None, description="What a null reward was when it was no finite number."
    )
    reward_terms: dict[str, float | None] | None = Field(
        default=None, description="Unweighted terms of the reward, each in [0, 1]."
    )
    terminated: bool = Field(default=False, description="The task ended; a persistent world never ends.")
    truncated: bool = Field(default=False, description="An episode was cut; a persistent world goes on.")
    action: Any = Field(default=None, description="What was sent, as plain data.")
    outcome: dict[str, Any] | str | None = Field(
        default=None, description="What became of the action, or `uncertain` when nobody knows."
    )
    policy_version: int | None = Field(default=None, ge=0, description="Number of updates behind the action.")
    wall_ms: float | None = Field(
        default=None, description="Wall-clock milliseconds of the step; a clock field."
    )


class Provenance(BaseModel):
    """The first line of a trace: where its rows come from. As a whole it counts as a clock field.

    Everything is optional, since a trace may come from another program.
    """

    model_config = ConfigDict(extra="allow")

    v: int = Field(default=TRACE_VERSION, ge=0, description="Version of the layout of all lines.")
    kind: Literal["provenance"] = "provenance"
    run_id: str | None = Field(default=None, description="Name of the run, unlike any other.")
    created: str | None = Field(default=None, description="UTC time of the first line, ISO 8601.")
    config: dict[str, Any] | None = Field(default=None, description="Resolved config, secrets by reference.")
    seed: int | None = Field(default=None, description="Root of every generator of the run.")
    steps: int | None = Field(default=None, ge=0, description="Steps asked for, for each world.")
    worlds: list[str] = Field(default_factory=list, description="Names of the worlds, in order.")
    world_seeds: list[int] = Field(default_factory=list, description="Seeds of the worlds, in order.")
    capabilities: dict[str, Any] | None = Field(default=None, description="What the environment can do.")
    environment: dict[str, Any] | None = Field(default=None, description="What the environment says it is.")
    spaces: dict[str, str] | None = Field(default=None, description="Observation and action space.")
    schedule: dict[str, Any] | None = Field(
        default=None,
        description="shift_mode and regimes in order, each with regime_id, identity and duration_steps.",
    )
    references: dict[str, dict[str, float]] = Field(
        default_factory=dict,
        description="Reward per step of reference policies: identity to name to value.",
    )
    reward_spec: dict[str, Any] | None = Field(default=None, description="What scored the rows.")
    privileged: bool | None = Field(
        default=None, description="Whether the policy could see what it shouldn't."
    )
    versions: dict[str, str] = Field(default_factory=dict, description="Distribution to version.")
    plugins: dict[str, str] = Field(
        default_factory=dict, description="Plugin to the distribution it is from."
    )
    platform: dict[str, Any] | str | None = Field(default=None, description="Interpreter, system, threads.")
    revision: str | None = Field(default=None, description="Source revision where there is one.")
    command: list[str] | None = Field(default=None, description="What was typed.")
