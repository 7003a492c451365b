"""The local run executor: this process, one run after the other."""

from collections.abc import Sequence
from pathlib import Path

from skyfall_crl.config import load_config
from skyfall_crl.study.single import default_directory, run_once


class LocalExecutor:
    """Runs a config in this process."""

    def execute(self, config: Path, overrides: Sequence[str] = (), *, out: Path | None = None) -> Path:
        """Run `config` with `key=value` overrides and return the finished run directory."""
        return run_once(load_config(config, overrides), out or default_directory(config)).directory
