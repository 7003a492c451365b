"""Exceptions, named after the boundary that was crossed."""

from typing import ClassVar


class CrlError(Exception):
    """A failure at one of the platform's boundaries; its text is one line a user can act on.

    `boundary` names the side that failed, `exit_code` is what the command line ends with.
    """

    boundary: ClassVar[str] = "run"
    exit_code: ClassVar[int] = 1

    def __str__(self) -> str:
        return " ".join(super().__str__().split())


class ConfigError(CrlError):
    """A document or an argument says something that can't be run; raised before anything starts."""

    boundary = "config"
    exit_code = 2


class EnvironmentFailure(CrlError):
    """An environment could not be built, reset or shifted."""

    boundary = "environment"


class PolicyError(CrlError):
    """A policy or an algorithm broke its contract."""

    boundary = "policy"


class CheckpointError(CrlError):
    """A checkpoint is missing, torn, or belongs to another run."""

    boundary = "checkpoint"


class TraceError(CrlError):
    """A trace can't be read or written."""

    boundary = "trace"
