"""The version that the command line prints, kept here because asking the package metadata takes too long."""

__version__ = "1.0.0"
