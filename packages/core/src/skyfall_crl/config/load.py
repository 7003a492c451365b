"""From a YAML file and overrides to a validated `RunConfig`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from skyfall_crl.config.override import apply_overrides
from skyfall_crl.config.schema import CORE_SECTIONS, RunConfig
from skyfall_crl.config.secret import refuse_clear_secrets
from skyfall_crl.ports.document import read_yaml
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.ports.fields import describe, inside, nearest

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_EXPECTED = {
    "missing": "a value",
    "bool_type": "true or false",
    "dict_type": "a mapping",
    "float_type": "a number",
    "float_parsing": "a number",
    "int_type": "a whole number",
    "list_type": "a list",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "string_type": "text",
    "string_too_short": "text that is not empty",
}


def load_config(path: str | Path, overrides: Sequence[str] = ()) -> RunConfig:
    """Read a run document; raises `ConfigError` in one line with file, key path, expected and found."""
    document = read_yaml(Path(path))
    return parse_config(document, source=str(path), overrides=overrides, folder=Path(path).parent)


def parse_config(
    document: object, *, source: str, overrides: Sequence[str] = (), folder: Path | None = None
) -> RunConfig:
    """Validate a run document that is already plain data; `folder` is where relative paths in it start."""
    if not isinstance(document, dict):
        raise ConfigError(f"{source}: expected a mapping of sections, found {describe(document)}")
    try:
        apply_overrides(document, overrides)
        _inline_schedule(document, folder)
        for name, section in document.items():
            refuse_clear_secrets(section, str(name))
        plugin_sections = _plugin_sections(document)
        core = {name: section for name, section in document.items() if name in CORE_SECTIONS}
        config: RunConfig = validate(RunConfig, core, "")
        _check_schedule(config)
        return config.model_copy(update={"plugin_sections": plugin_sections})
    except ConfigError as error:
        raise ConfigError(f"{source}: {error}") from error.__cause__


def _plugin_sections(document: Mapping[str, Any]) -> dict[str, Any]:
    """Validate the top-level sections that plugins offer; an unknown one names what to install."""
    unknown = [name for name in document if name not in CORE_SECTIONS]
    if not unknown:
        return {}
    from skyfall_crl.registry import config_sections, distribution_for_section

    offered = config_sections()
    sections: dict[str, Any] = {}
    for name in unknown:
        if name not in offered:
            install = distribution_for_section(name)
            hint = (
                f"; install {install}, which offers it"
                if install
                else nearest(name, [*CORE_SECTIONS, *offered])
            )
            raise ConfigError(f"{name}: unknown section{hint}")
        sections[name] = validate(offered[name].load(), document[name], name)
    return sections


def validate(model: type[BaseModel], data: object, at: str = "") -> Any:
    """Return `data` as a model; raises `ConfigError` in one line with key path, expected and found."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        details = sorted(
            error.errors(include_url=False), key=lambda detail: detail["type"] != "extra_forbidden"
        )
        raise ConfigError(_describe(details[0], model, at)) from None


def _describe(detail: "ErrorDetails", model: type[BaseModel], at: str) -> str:
    """Turn pydantic's first complaint into one line: key path, expected, found."""
    location = detail["loc"]
    path = at
    for part in location:
        path = f"{path}[{part}]" if isinstance(part, int) else f"{path}.{part}" if path else part
    kind = detail["type"]
    if kind == "extra_forbidden":
        known = _keys_beside(model, location)
        return f"{path}: unknown key{nearest(str(location[-1]), known)}"
    if kind == "missing":
        return f"{path}: expected a value, found nothing"
    message = detail["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    expected = _EXPECTED.get(kind, message)
    return f"{path}: expected {expected}, found {describe(detail['input'])}"


def _keys_beside(model: type[BaseModel], location: Sequence[int | str]) -> list[str]:
    """Return the keys that would have been right where an unknown one stands."""
    current: Any = model
    for part in location[:-1]:
        if isinstance(part, int):
            continue
        field = current.model_fields.get(part) if _is_model(current) else None
        current = _inner_model(field.annotation) if field else None
    return list(current.model_fields) if _is_model(current) else []


def _inner_model(annotation: Any) -> Any:
    if _is_model(annotation):
        return annotation
    for argument in getattr(annotation, "__args__", ()):
        if (inner := _inner_model(argument)) is not None:
            return inner
    return None


def _is_model(candidate: Any) -> bool:
    return isinstance(candidate, type) and issubclass(candidate, BaseModel)


def _inline_schedule(document: dict[str, Any], folder: Path | None) -> None:
    """Put a schedule that is given as a file into the document, so that a run directory needs no other file."""
    regime = document.get("regime")
    params = regime.get("params") if isinstance(regime, dict) else None
    schedule = params.get("schedule") if isinstance(params, dict) else None
    if isinstance(schedule, str) and isinstance(params, dict):
        path = Path(schedule)
        params["schedule"] = read_yaml(path if path.is_absolute() or folder is None else folder / path)


def _check_schedule(config: RunConfig) -> None:
    """Build the schedule once, so that a mistake in it is found while the file is read."""
    schedule = config.regime.params.get("schedule")
    if isinstance(schedule, dict):
        from skyfall_crl.regime import RegimeSchedule

        with inside("regime.params.schedule"):
            RegimeSchedule.from_mapping(schedule)
