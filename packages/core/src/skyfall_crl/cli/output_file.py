"""Refuse a file that can't be written before the work for it begins."""

from pathlib import Path


def check_output_file(option: str, path: Path | None) -> None:
    """Raise `ConfigError` where a file named by an option can't be made; None is a file nobody asked for."""
    from skyfall_crl.ports.errors import ConfigError

    if path is None:
        return
    if path.is_dir():
        raise ConfigError(f"{option} {path}: expected the name of a file, found a folder")
    if not path.parent.is_dir():
        raise ConfigError(
            f"{option} {path}: expected a file in a folder that exists, found none at {path.parent}"
        )
