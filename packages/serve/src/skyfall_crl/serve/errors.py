"""What can be wrong with a bundle, and with a space that leaves the process."""

from skyfall_crl.ports.errors import CheckpointError, ConfigError, CrlError


class BundleError(ConfigError):
    """A bundle can't be read, says what can't be used, or asks for what it isn't trusted with."""

    boundary = "bundle"


class MissingCheckpoint(CheckpointError, FileNotFoundError):
    """A bundle names weights that are not where it says they are."""


class UnsupportedSpace(CrlError, TypeError):
    """A space that can't be recorded faithfully, or an encoding that can't be read."""

    boundary = "space"
