"""The core's own plugin."""

import pytest

from skyfall_crl.registry import resolve
from skyfall_crl.testing import check_plugin


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("policies", ["linear", "mlp", "random"]),
        ("algorithms", ["ppo", "reinforce"]),
        ("regime_providers", ["constant", "scheduled"]),
        ("metrics", ["matrix"]),
        ("run_executors", ["local"]),
    ],
)
@pytest.mark.usefixtures("here")
def test_the_core_offers_its_own_by_bare_name(kind: str, names: list[str]) -> None:
    """The prefix `builtin/` can be left off."""
    for name in names:
        assert resolve(kind, name) == resolve(kind, name)
        assert resolve(kind, name).target == resolve(kind, f"builtin/{name}").target


@pytest.mark.usefixtures("here")
def test_the_core_keeps_the_rules_it_puts_on_others() -> None:
    """The core's plugin passes the conformance kit."""
    check_plugin("builtin")
