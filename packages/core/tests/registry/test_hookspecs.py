"""The hooks themselves."""

import inspect

import pytest

from skyfall_crl.registry import KINDS, hookspecs


@pytest.mark.parametrize("name", [*(f"skyfall_crl_{kind}" for kind in KINDS), *hookspecs.LIFECYCLE])
def test_every_hook_is_declared_and_says_what_it_is_for(name: str) -> None:
    """The docstring is the plugin author's reference."""
    assert inspect.getdoc(getattr(hookspecs, name))


def test_nothing_is_declared_beside_the_kinds_and_the_life_of_a_run() -> None:
    """A hook that nobody calls would be a trap."""
    declared = {name for name in vars(hookspecs) if name.startswith("skyfall_crl_")}
    assert declared == {*(f"skyfall_crl_{kind}" for kind in KINDS), *hookspecs.LIFECYCLE}
