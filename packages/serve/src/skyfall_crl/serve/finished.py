"""At the end of a run: its policy into a bundle, while policy and environment are alive."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from skyfall_crl.serve.bundle import Bundle, export_bundle

BUNDLE_DIRNAME = "bundle"
_RUN_FACTS = ("run_id", "created", "status", "step", "revision")


def export_run(run: Mapping[str, Any], environment: Any, algorithm: Any) -> Bundle | None:
    """Write the bundle of a run that is over, if its config asks for one; `run` is what `run_finished` hears.

    A run that was interrupted or failed leaves one as well, which says so; resuming the run replaces it.
    """
    facts = _thawed(run)
    config = facts["config"]
    export = config.get("export") or {}
    if not export.get("bundle"):
        return None
    section = dict(config["run"])
    if section.get("auto_reset") is None:
        section["auto_reset"] = facts["capabilities"]["tier"] != 3
    told = {name: facts[name] for name in _RUN_FACTS if facts.get(name) is not None}
    return export_bundle(
        Path(facts["directory"]) / BUNDLE_DIRNAME,
        env=environment,
        algorithm=algorithm,
        policy_id=config["policy"]["id"],
        policy_kwargs=config["policy"]["kwargs"],
        env_id=config["env"]["id"],
        env_kwargs=config["env"]["kwargs"],
        env_axes=config["env"].get("axes"),
        regime=config["regime"],
        run={**section, **told, "algorithm": config.get("algorithm")},
        external_checkpoint=export.get("external_checkpoint"),
    )


def _thawed(value: Any) -> Any:
    """Return frozen plain data as dicts and lists."""
    if isinstance(value, Mapping):
        return {key: _thawed(item) for key, item in value.items()}
    return [_thawed(item) for item in value] if isinstance(value, tuple) else value
