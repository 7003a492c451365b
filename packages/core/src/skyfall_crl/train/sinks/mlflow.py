"""The sink `mlflow`: a run of an MLflow experiment, in files unless a server is named."""

import os
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

from skyfall_crl.train.sinks.tracker import folder, library, run_name
from skyfall_crl.train.sinks.window_summary import flat_config, window_scalars, window_step

_ENDINGS = {"completed": "FINISHED", "interrupted": "KILLED", "failed": "FAILED"}
_NOT_IN_NAMES = re.compile(r"[^\w\-. /]", re.ASCII)
_LONGEST_PARAMETER = 500
_MOST_PARAMETERS = 100


class MlflowSink:
    """Logs a point for each window to `experiment`.

    `tracking_uri` is MLflow's own; by default a store of files in the folder `mlflow` of the run's directory.
    """

    def __init__(
        self, experiment: str = "skyfall-crl", *, tracking_uri: str | None = None, name: str | None = None
    ) -> None:
        self._entities = library("mlflow.entities", "mlflow")
        self._tracking = library("mlflow.tracking", "mlflow")
        self._experiment, self._uri, self._name = experiment, tracking_uri, name
        self._client: Any = None
        self._run_id = ""

    def open(self, run: Mapping[str, Any]) -> None:
        """Start a run with the config as its parameters."""
        uri = self._uri
        if uri is None:
            # MLflow 3 takes a store of files only from those who say that they want one.
            os.environ.setdefault("MLFLOW_ALLOW_FILE_STORE", "true")
            uri = folder(None, run, "mlflow").resolve().as_uri()
        self._client = self._tracking.MlflowClient(tracking_uri=uri)
        known = self._client.get_experiment_by_name(self._experiment)
        found = known.experiment_id if known is not None else self._client.create_experiment(self._experiment)
        self._run_id = self._client.create_run(found, run_name=run_name(self._name, run)).info.run_id
        parameters = [
            self._entities.Param(key, str(value)[:_LONGEST_PARAMETER])
            for key, value in flat_config(run).items()
        ]
        for start in range(0, len(parameters), _MOST_PARAMETERS):
            self._client.log_batch(self._run_id, params=parameters[start : start + _MOST_PARAMETERS])

    def rows(self, batch: Sequence[Mapping[str, Any]]) -> None:
        """Log the means of a window at its last step."""
        step, now = window_step(batch), int(time.time() * 1000)
        if step is not None:
            metrics = [
                self._entities.Metric(_NOT_IN_NAMES.sub("_", name), value, now, step)
                for name, value in window_scalars(batch).items()
            ]
            self._client.log_batch(self._run_id, metrics=metrics)

    def close(self, status: str) -> None:
        """End the run as it ended."""
        self._client.set_terminated(self._run_id, _ENDINGS.get(status, "FAILED"))
