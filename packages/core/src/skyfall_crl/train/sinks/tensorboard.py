"""The sink `tensorboard`: event files that TensorBoard reads."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from skyfall_crl.train.sinks.tracker import folder, library
from skyfall_crl.train.sinks.window_summary import window_scalars, window_step


class TensorBoardSink:
    """Writes a point for each window into `directory`, by default the folder `tensorboard` of the run's."""

    def __init__(self, directory: str | None = None) -> None:
        self._library = library("tensorboardX", "tensorboard")
        self._directory = directory
        self._writer: Any = None

    def open(self, run: Mapping[str, Any]) -> None:
        """Start an event file with the run's config as text."""
        self._writer = self._library.SummaryWriter(str(folder(self._directory, run, "tensorboard")))
        config = msgspec.json.format(
            msgspec.json.encode(dict(run.get("config") or {}), enc_hook=str)
        ).decode()
        self._writer.add_text("config", f"```json\n{config}\n```", 0)

    def rows(self, batch: Sequence[Mapping[str, Any]]) -> None:
        """Write the means of a window at its last step."""
        step = window_step(batch)
        if step is not None:
            for name, value in window_scalars(batch).items():
                self._writer.add_scalar(name, value, step)

    def close(self, status: str) -> None:
        """Write how the run ended and close the file."""
        self._writer.add_text("status", status, 0)
        self._writer.close()
