"""Sessions for the whole repository; each package is built, installed and tested on its own."""

import os
import re
import shlex
import shutil
import sys
import tomllib
from pathlib import Path
from typing import Any

import nox

ROOT = Path(__file__).parent
DIST = ROOT / "dist"
PYTHONS = ["3.11", "3.12", "3.13"]
FLOOR = PYTHONS[0]
PACKAGES = sorted(path.parent.name for path in ROOT.glob("packages/*/pyproject.toml"))
SOURCES = os.pathsep.join(str(ROOT / "packages" / package / "src") for package in PACKAGES)

nox.needs_version = ">=2026.1"
nox.options.default_venv_backend = "uv"
nox.options.reuse_venv = "yes"
nox.options.error_on_missing_interpreters = bool(os.environ.get("CI"))
nox.options.sessions = [
    "build",
    "lint",
    "types",
    "docs",
    "alone",
    "quickstart",
    "tests",
    "slow",
    "trackers",
    "integration",
]


def prepare_environment() -> None:
    """Make every interpreter and our own uv reachable, and keep source folders off the path."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    found = [str(path) for python in PYTHONS for path in sorted(pyenv.glob(f"{python}.*/bin"))]
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), *found, os.environ["PATH"]])
    os.environ["UV_PYTHON_DOWNLOADS"] = "never"
    os.environ.pop("PYTHONPATH", None)


prepare_environment()


def metadata(package: str) -> dict[str, Any]:
    """Return a package's whole pyproject table."""
    return tomllib.loads((ROOT / "packages" / package / "pyproject.toml").read_text(encoding="utf-8"))


def requirement_name(requirement: str) -> str:
    """Return the normalised distribution name of a requirement."""
    found = re.match(r"[\w.-]+", requirement)
    assert found, requirement
    return re.sub(r"[-_.]+", "-", found[0]).lower()


DISTRIBUTIONS = {requirement_name(metadata(package)["project"]["name"]): package for package in PACKAGES}


def with_first_party(package: str) -> list[str]:
    """Return the package and those of ours that it depends on, however deeply."""
    chosen: list[str] = []
    waiting = [package]
    while waiting:
        current = waiting.pop()
        if current not in chosen:
            chosen.append(current)
            needed = map(requirement_name, metadata(current)["project"].get("dependencies", []))
            waiting += [DISTRIBUTIONS[name] for name in needed if name in DISTRIBUTIONS]
    return chosen


def group(*names: str) -> tuple[str, ...]:
    """Return the requirements of some of the root's dependency groups."""
    return nox.project.dependency_groups(nox.project.load_toml("pyproject.toml"), *names)


def install(session: nox.Session, packages: list[str], *others: str) -> None:
    """Install built wheels, replacing what a reused environment holds of them."""
    arguments: list[str] = []
    for package in packages:
        name = metadata(package)["project"]["name"]
        (wheel,) = DIST.glob(f"{name.replace('-', '_')}-[0-9]*.whl")
        arguments += [str(wheel), "--reinstall-package", name]
    session.install(*arguments, *others)


def tested_extras(*packages: str) -> list[str]:
    """Return what those extras need that a package's own tests use: `tested-extras` under [tool.skyfall-crl]."""
    tables = [metadata(package) for package in packages]
    return [
        need
        for table in tables
        for extra in table.get("tool", {}).get("skyfall-crl", {}).get("tested-extras", [])
        for need in table["project"]["optional-dependencies"][extra]
    ]


def run_pytest(session: nox.Session, *arguments: str, **env: str) -> None:
    """Run pytest and leave its counts where the CI gate adds them up."""
    name = re.sub(r"[^\w.]+", "-", session.name).strip("-")
    report = session.cache_dir / "results" / f"{name}.xml"
    session.run(
        "pytest", "-rs", *arguments, "--timeout=300", f"--junit-xml={report}", *session.posargs, env=env
    )


@nox.session(python=False)
def build(session: nox.Session) -> None:
    """Build every sdist, and every wheel from its sdist, into dist/."""
    session.run("uv", "build", "--all-packages", "--clear", "--quiet", external=True)


@nox.session(python=FLOOR)
def lint(session: nox.Session) -> None:
    """Check style, format and import directions."""
    session.install(*group("lint"))
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("lint-imports", env={"PYTHONPATH": SOURCES})


@nox.session(python=FLOOR)
def types(session: nox.Session) -> None:
    """Check the types of every portion."""
    declared = [need for package in PACKAGES for need in metadata(package)["project"]["dependencies"]]
    external = [need for need in declared if requirement_name(need) not in DISTRIBUTIONS]
    session.install(*group("types"), *external, "nox")
    folders = sorted(ROOT.glob("packages/*/src"))
    session.run("mypy", *map(str, folders), "noxfile.py", env={"MYPYPATH": SOURCES})


@nox.session(python=FLOOR)
def docs(session: nox.Session) -> None:
    """Build the documentation into site/; any warning is an error."""
    session.install(*group("docs"))
    session.run(
        *("mkdocs", "build", "--strict", "--config-file", "docs/mkdocs.yml"),
        *("--site-dir", str(ROOT / "site")),
        env={"NO_MKDOCS_2_WARNING": "1"},
    )


@nox.session(python=FLOOR, reuse_venv=False, requires=["build"])
@nox.parametrize("package", PACKAGES, ids=PACKAGES)
def alone(session: nox.Session, package: str) -> None:
    """Install one wheel into an empty environment and use what it ships."""
    install(session, with_first_party(package))
    session.run("uv", "pip", "check", external=True)
    table = metadata(package)
    for module in table["project"]["import-names"]:
        session.run("python", "-I", "-c", f"import {module}")
    session.run("skyfall-crl", "plugins", "list")
    for plugin in table["project"]["entry-points"]["skyfall_crl"]:
        session.run("skyfall-crl", "plugins", "check", plugin)
    with session.chdir(session.create_tmp()):
        for command in table.get("tool", {}).get("skyfall-crl", {}).get("alone", []):
            session.run(*shlex.split(command.format(examples=ROOT / "docs" / "examples")))


@nox.session(python=FLOOR, reuse_venv=False, requires=["build"])
def quickstart(session: nox.Session) -> None:
    """Run the line of the README's first command on wheels, in a folder that holds only the examples."""
    block = re.search(r"<!-- quickstart -->\n+```\w*\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert block, "README.md has no block marked <!-- quickstart -->"
    (command,) = re.findall(r"skyfall-crl run [^&\n]+", block[1])
    install(session, re.findall(r"\./packages/([\w-]+)", block[1]))
    folder = Path(session.create_tmp())
    shutil.copytree(ROOT / "docs" / "examples", folder / "docs" / "examples", dirs_exist_ok=True)
    with session.chdir(folder):
        session.run(*shlex.split(command))


@nox.session(python=PYTHONS, requires=["build"])
@nox.parametrize("package", PACKAGES, ids=PACKAGES)
def tests(session: nox.Session, package: str) -> None:
    """Run one package's tests against its wheel, with nothing else of ours than it depends on."""
    install(session, with_first_party(package), *group("test"), *tested_extras(package))
    left_out = ["slow", "soak", *(["floor"] if session.python != FLOOR else [])]
    chosen = " and ".join(f"not {marker}" for marker in left_out)
    run_pytest(session, f"packages/{package}/tests", "--numprocesses=auto", "-m", chosen)


@nox.session(python=FLOOR, requires=["build"])
def slow(session: nox.Session) -> None:
    """Run the tests of all packages that take more than ten seconds, on one Python."""
    install(session, PACKAGES, *group("test"), *tested_extras(*PACKAGES))
    folders = [f"packages/{package}/tests" for package in PACKAGES]
    run_pytest(session, *folders, "--numprocesses=auto", "-m", "slow")


@nox.session(python=FLOOR, requires=["build"])
def soak(session: nox.Session) -> None:
    """Run the tests of all packages that take minutes."""
    install(session, PACKAGES, *group("test"), *tested_extras(*PACKAGES))
    folders = [f"packages/{package}/tests" for package in PACKAGES]
    run_pytest(session, *folders, "--numprocesses=auto", "-m", "soak")


@nox.session(python=FLOOR, requires=["build"])
def integration(session: nox.Session) -> None:
    """Run what only shows with all wheels installed together."""
    install(session, PACKAGES, *group("test", "lint"), *tested_extras(*PACKAGES))
    run_pytest(session, "tests-integration", SKYFALL_CRL_WHEELS=str(DIST))


@nox.session(python=FLOOR, requires=["build"])
def crosscheck(session: nox.Session) -> None:
    """Compare metrics and statistics with those of other programs, in an environment pinned to what they run on."""
    folder = ROOT / "tests-integration" / "crosscheck"
    install(session, ["core"], "--requirement", str(folder / "requirements.txt"))
    for script in ("lifelong", "precipice"):
        session.run("python", str(folder / f"{script}.py"))


@nox.session(python=FLOOR, requires=["build"])
def trackers(session: nox.Session) -> None:
    """Test what runs are followed in and exported to beside the peers' own libraries."""
    extras = ("tensorboard", "wandb", "mlflow", "minari")
    optional = metadata("core")["project"]["optional-dependencies"]
    needs = [need for extra in extras for need in optional[extra]]
    install(session, with_first_party("core"), *group("test"), *needs, "tensorboard")
    run_pytest(session, "packages/core/tests/train/trackers")


def run_with_torch(session: nox.Session, package: str, extra: str, folder: str) -> None:
    """Run the tests of an extra that needs torch, one release of which pip installs with the wheels."""
    names = [metadata(name)["project"]["name"].replace("-", "_") for name in with_first_party(package)]
    wheels = [str(wheel) for name in names for wheel in DIST.glob(f"{name}-[0-9]*.whl")]
    needs = metadata(package)["project"]["optional-dependencies"][extra]
    session.install(*wheels, *group("test"), *needs, "torch==2.13.0")
    session.install("--force-reinstall", "--no-deps", *wheels)
    run_pytest(session, folder)


@nox.session(python=FLOOR, venv_backend="venv", requires=["build"], default=False)
def sb3(session: nox.Session) -> None:
    """Test the learners of Stable-Baselines3."""
    run_with_torch(session, "core", "sb3", "packages/core/tests/train/sb3")


@nox.session(python=FLOOR, venv_backend="venv", requires=["build"], default=False)
def language(session: nox.Session) -> None:
    """Test the language model that is trained in a run."""
    run_with_torch(session, "serve", "language", "packages/serve/tests/language")


@nox.session(python=FLOOR, requires=["build"])
def schemathesis(session: nox.Session) -> None:
    """Hold a served world against its own OpenAPI document; words after `--` are schemathesis's own."""
    install(session, with_first_party("morpheus"), *tested_extras("morpheus"), "schemathesis>=4.30")
    session.run("python", "tests-integration/schemathesis_served_world.py", *session.posargs)


@nox.session(python=FLOOR, requires=["build"])
def benchmarks(session: nox.Session) -> None:
    """Run every benchmark, or those named after `--`, and print their ratios."""
    install(session, PACKAGES, *group("test"), *tested_extras(*PACKAGES))
    scripts = sorted((ROOT / "tests-integration" / "benchmarks").glob("[!_]*.py"))
    for script in scripts:
        if not session.posargs or script.stem in session.posargs:
            session.run("python", str(script))
