"""Top-level keys of the run document that plugins add."""

from collections.abc import Callable

import pytest

from skyfall_crl.registry import (
    AmbiguousIdError,
    UnknownIdError,
    config_sections,
    distribution_for_section,
    resolve,
)


def section(key: str) -> str:
    """Return a plugin's source that offers one key."""
    refs = f"{{'{key}': Ref('collections:deque', 'x')}}"
    return f"@hookimpl\ndef skyfall_crl_config_sections():\n    return {refs}"


@pytest.mark.usefixtures("here")
def test_every_plugin_adds_its_keys(install_plugin: Callable[..., None]) -> None:
    """A broken plugin adds none and takes none away."""
    install_plugin("acme", section("telemetry"))
    install_plugin("broken", "raise RuntimeError")
    found = config_sections()
    assert found["telemetry"].plugin == "acme"
    assert found["telemetry"].load().__name__ == "deque"


@pytest.mark.usefixtures("here")
def test_a_key_of_two_plugins_belongs_to_neither(install_plugin: Callable[..., None]) -> None:
    """The other keys are still there, and asking for this one names both."""
    install_plugin("acme", section("telemetry"))
    install_plugin("other", section("telemetry"))
    assert "telemetry" not in config_sections()
    with pytest.raises(AmbiguousIdError, match="say 'acme/telemetry' or 'other/telemetry'"):
        resolve("config_sections", "telemetry")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("key", "distribution"),
    [("export", "skyfall-crl-serve"), ("harness", "skyfall-crl-harness"), ("rollout", "skyfall-crl-harness")],
)
def test_a_key_of_ours_names_what_to_install(
    key: str, distribution: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A config written for another installation says what is missing in this one."""
    monkeypatch.setattr("skyfall_crl.registry.discovery.entry_points", lambda group: [])
    assert distribution_for_section(key) == distribution
    with pytest.raises(UnknownIdError, match=f"`pip install {distribution}`"):
        resolve("config_sections", key)


def test_a_key_nobody_knows_has_no_distribution() -> None:
    """Nothing is invented."""
    assert distribution_for_section("telemetry") is None
