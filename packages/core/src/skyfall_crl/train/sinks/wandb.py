"""The sink `wandb`: a run of Weights & Biases, offline unless told otherwise."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.train.sinks.tracker import folder, library, run_name
from skyfall_crl.train.sinks.window_summary import flat_config, window_scalars, window_step


class WandbSink:
    """Logs a point for each window to `project`.

    With `mode: offline` (the default) files are kept in `directory`, by default the run's, and `wandb sync` sends them
    later; `online` sends them at once, with the key that `wandb login` or WANDB_API_KEY holds.
    """

    def __init__(
        self,
        project: str = "skyfall-crl",
        *,
        name: str | None = None,
        group: str | None = None,
        mode: Literal["offline", "online"] = "offline",
        directory: str | None = None,
    ) -> None:
        if mode not in ("offline", "online"):
            raise ConfigError(f"mode: expected offline or online, found {mode!r}")
        self._library = library("wandb", "wandb")
        self._settings = {"project": project, "group": group, "mode": mode}
        self._name, self._directory = name, directory
        self._run: Any = None

    def open(self, run: Mapping[str, Any]) -> None:
        """Start a run with the config as its parameters."""
        where = folder(self._directory, run, "")
        where.mkdir(parents=True, exist_ok=True)
        self._run = self._library.init(
            **self._settings,
            name=run_name(self._name, run),
            dir=str(where),
            config=flat_config(run),
            settings=self._library.Settings(console="off", silent=True, disable_git=True),
        )

    def rows(self, batch: Sequence[Mapping[str, Any]]) -> None:
        """Log the means of a window at its last step."""
        step = window_step(batch)
        if step is not None:
            self._run.log(window_scalars(batch), step=step)

    def close(self, status: str) -> None:
        """Finish the run; one that failed is marked so."""
        self._run.summary["status"] = status
        self._run.finish(exit_code=1 if status == "failed" else 0)
