"""The plugin names things and imports nothing heavy; what it names is there."""

import os
import subprocess
import sys

import pytest

from skyfall_crl.env.morpheus import plugin
from skyfall_crl.registry import KINDS, Ref

HEAVY = ("numpy", "gymnasium", "httpx", "pydantic", "msgspec")
NAMED = {
    kind: getattr(plugin, f"skyfall_crl_{kind}")() for kind in KINDS if hasattr(plugin, f"skyfall_crl_{kind}")
}
NEEDS_ARGUMENTS = {("backends", "http"), ("backends", "recorded")}
REFS = [
    pytest.param(kind, name, ref, id=f"{kind}/{name}")
    for kind, refs in NAMED.items()
    for name, ref in refs.items()
]


def fresh(code: str) -> str:
    """Run code in an interpreter that has imported nothing, and return what it prints."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True, timeout=60
    )
    return done.stdout.strip()


@pytest.mark.parametrize("module", ["skyfall_crl.env.morpheus.plugin", "skyfall_crl.env.morpheus"])
def test_importing_it_imports_nothing_heavy(module: str) -> None:
    code = f"import sys, {module}; print([name for name in {HEAVY!r} if name in sys.modules])"
    assert fresh(code) == "[]"


def test_asking_it_what_it_offers_imports_nothing_heavy() -> None:
    hooks = [f"skyfall_crl_{kind}" for kind in NAMED]
    code = (
        f"import sys; from skyfall_crl.env.morpheus import plugin; [getattr(plugin, hook)() for hook in {hooks!r}]; "
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    assert fresh(code) == "[]"


def test_it_offers_what_configs_name() -> None:
    assert {kind: sorted(refs) for kind, refs in NAMED.items()} == {
        "environments": ["live", "world"],
        "backends": ["http", "recorded", "simulated"],
        "task_views": ["resource-allocation", "scheduling-under-drift", "tool-call"],
        "reward_specs": ["paper"],
        "policies": [
            "counting-rule",
            "do-nothing",
            "hand-rule",
            "informed",
            "look-then-fix",
            "sighted",
            "trait-counting-rule",
        ],
        "commands": ["morpheus"],
    }


@pytest.mark.parametrize(("kind", "name", "ref"), REFS)
def test_everything_it_names_is_there_and_keeps_its_port(kind: str, name: str, ref: Ref) -> None:
    found = ref.load()
    assert len(ref.description) < 80
    if ref.port is None or (kind, name) in NEEDS_ARGUMENTS:
        assert callable(found)
        return
    port = Ref(ref.port, "").load()
    built = found() if isinstance(found, type) else found
    assert isinstance(built, port)


def test_only_policies_that_look_inside_the_world_are_privileged() -> None:
    privileged = {name for refs in NAMED.values() for name, ref in refs.items() if ref.privileged}
    assert privileged == {"informed", "sighted"}


def test_every_name_the_package_exports_is_there() -> None:
    import skyfall_crl.env.morpheus as package

    assert sorted(package.__all__) == sorted(package._HOMES)
    for name in package.__all__:
        assert getattr(package, name) is not None
    with pytest.raises(AttributeError, match="nonsense"):
        _ = package.nonsense


def test_importing_one_name_of_the_package_imports_its_module_alone() -> None:
    code = (
        "import sys; from skyfall_crl.env.morpheus import ActionScope; "
        "print([name for name in ('numpy', 'gymnasium') if name in sys.modules])"
    )
    assert fresh(code) == "[]"


def test_the_gymnasium_id_is_registered_by_importing_its_module() -> None:
    code = (
        "import gymnasium; "
        "env = gymnasium.make('skyfall_crl.env.morpheus.registration:skyfall_crl/Morpheus-v0', max_steps=3); "
        "print(type(env.unwrapped).__name__, env.spec.nondeterministic, env.reset(seed=1)[0].shape)"
    )
    assert fresh(code) == "MorpheusEnv True (81,)"
