"""From a bundle back to its environment and its schedule, with what the caller lays over them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import gymnasium
from pydantic import ValidationError

from skyfall_crl.config.schema import EnvSection, RegimeSection, Section
from skyfall_crl.config.secret import refuse_clear_secrets
from skyfall_crl.ports.fields import describe
from skyfall_crl.ports.plain import EMPTY
from skyfall_crl.regime import RegimeProvider, RegimeSchedule, ScheduledRegime
from skyfall_crl.registry import resolve
from skyfall_crl.serve.bundle import Bundle
from skyfall_crl.serve.errors import BundleError
from skyfall_crl.serve.trust import check_arguments_asked, check_no_imports
from skyfall_crl.train.arguments import build_part, check_arguments
from skyfall_crl.train.build import environment_factory, factory_of

Environment = gymnasium.Env[Any, Any]
Known = TypeVar("Known", bound=Section)


def environment_section(bundle: Bundle, overrides: Mapping[str, Any], *, trust: bool) -> EnvSection:
    """Return the recorded section with arguments laid over; without trust, what is left of the bundle's is checked."""
    section = known_keys(EnvSection, bundle.env, "env")
    if not trust:
        kept = {name: value for name, value in section.kwargs.items() if name not in overrides}
        check_arguments_asked(kept, "env.kwargs")
    refuse_clear_secrets(dict(overrides), "env_kwargs")
    return section.model_copy(update={"kwargs": {**section.kwargs, **overrides}})


def regime_section(bundle: Bundle, *, trust: bool) -> RegimeSection:
    """Return the recorded section; an empty one says that the run was stationary."""
    section = known_keys(RegimeSection, bundle.regime, "regime")
    if not trust:
        check_arguments_asked(section.params, "regime.params")
        if isinstance(section.params.get("schedule"), str):
            raise BundleError(
                "regime.params.schedule: expected the schedule itself, found the path of a file"
            )
    return section


def build_provider(section: RegimeSection) -> RegimeProvider:
    """Build what says which regime is in force."""
    factory = factory_of(resolve("regime_providers", section.provider))
    provider: RegimeProvider = build_part(factory, section.params, "regime.params")
    return provider


def given_provider(regime: Any) -> RegimeProvider:
    """Return the provider behind a caller's override: itself, a section, a schedule, or the path of one."""
    if isinstance(regime, Mapping) and "provider" in regime:
        return build_provider(known_keys(RegimeSection, regime, "regime"))
    if isinstance(regime, RegimeSchedule | Mapping | str | Path):
        return ScheduledRegime(regime)
    provider: RegimeProvider = regime
    return provider


def make_environment(
    section: EnvSection, regime: RegimeSection, schedule: RegimeSchedule | None, *, trust: bool
) -> Environment:
    """Build one world as the run did, axes mapping and notification included."""
    resolved = resolve("environments", section.id)
    factory = factory_of(resolved)
    if resolved.gymnasium and not trust:
        check_no_imports(section.kwargs, "env.kwargs")
        check_no_imports(regime.params if section.axes else EMPTY, "regime.params")
    check_arguments(factory, section.kwargs, "env.kwargs")
    return environment_factory(section, regime.notify, factory, schedule)()


def known_keys(model: type[Known], data: Mapping[str, Any], at: str) -> Known:
    """Return a section of what a manifest says under `at`, without the keys this version doesn't know."""
    try:
        return model.model_validate({key: data[key] for key in model.model_fields if key in data})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join([at, *map(str, first["loc"])])
        if first["type"] == "missing":
            raise BundleError(f"{place}: expected a value, found none; it was exported without one") from None
        expected = first["msg"].removeprefix("Input should be ")
        raise BundleError(f"{place}: expected {expected}, found {describe(first['input'])}") from None
