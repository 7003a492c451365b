"""Secrets by reference."""

from pathlib import Path

import pytest

from skyfall_crl.config import parse_config
from skyfall_crl.config.secret import refuse_clear_secrets, resolve_secrets
from skyfall_crl.ports.errors import ConfigError

CANARY = "canary-5b1e"


def document(**kwargs: object) -> dict:
    return {"env": {"id": "CartPole-v1", "kwargs": kwargs}, "policy": {"id": "random"}, "run": {"steps": 1}}


@pytest.mark.parametrize(
    "kwargs",
    [
        {"token": CANARY},
        {"api_key": CANARY},
        {"headers": {"Authorization": f"Bearer {CANARY}"}},
        {"nested": [{"Password": CANARY}]},
        {"headers": [CANARY]},
    ],
)
def test_a_secret_in_clear_is_refused_without_being_shown(kwargs: dict) -> None:
    with pytest.raises(ConfigError, match=r"\$\{env:NAME\}") as caught:
        parse_config(document(**kwargs), source="run.yaml")
    assert CANARY not in str(caught.value)


def test_a_referenced_secret_stays_a_reference_in_the_stored_document() -> None:
    config = parse_config(document(headers={"Authorization": "Bearer ${env:TOKEN}"}), source="run.yaml")
    assert config.to_document()["env"]["kwargs"]["headers"]["Authorization"] == "Bearer ${env:TOKEN}"


def test_references_are_resolved_from_environment_and_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CRL_TOKEN", "from-environment")
    secret = tmp_path / "key"
    secret.write_text("from-file\n", encoding="utf-8")
    given = {"token": "${env:CRL_TOKEN}", "deep": [f"x ${{file:{secret}}} y"], "plain": "$HOME", "n": 3}
    assert resolve_secrets(given, "env.kwargs") == {
        "token": "from-environment",
        "deep": ["x from-file y"],
        "plain": "$HOME",
        "n": 3,
    }


@pytest.mark.parametrize("reference", ["${env:CRL_NOT_SET}", "${file:/nowhere/at/all}"])
def test_a_reference_to_nothing_names_what_is_missing(reference: str) -> None:
    with pytest.raises(ConfigError, match=r"env\.kwargs\.token: expected .*(CRL_NOT_SET|nowhere)"):
        resolve_secrets({"token": reference}, "env.kwargs")


def test_names_a_factory_marks_are_refused_in_clear_too() -> None:
    refuse_clear_secrets({"pin": "1234"}, "env.kwargs")
    with pytest.raises(ConfigError, match="pin"):
        refuse_clear_secrets({"pin": "1234"}, "env.kwargs", frozenset({"pin"}))
