"""Does a plugin keep the rules: is it cheap to import, well named, and does every id lead somewhere."""

import re
import subprocess
import sys
from collections.abc import Iterator

from skyfall_crl.registry.errors import PluginError, UnknownIdError
from skyfall_crl.registry.hookspecs import PROJECT
from skyfall_crl.registry.lookup import resolve
from skyfall_crl.registry.plugins import Plugin, installed
from skyfall_crl.registry.reference import Ref, import_target

HEAVY = ("gymnasium", "httpx", "numpy", "pydantic")
"""What importing a plugin module must not bring in."""

_NAME = re.compile(r"[A-Za-z0-9]+([._-][A-Za-z0-9]+)*")
_IMPORT_SECONDS = 60
_PROBE = """
import sys
sys.path[:] = {path!r}
before = set(sys.modules)
__import__({module!r})
print(*sorted(set(sys.modules) - before), sep="\\n")
"""


class ConformanceError(AssertionError):
    """A rule that a plugin breaks, where, and what to do about it; one line."""


def check_plugin(name: str) -> None:
    """Check an installed plugin; raises `ConformanceError` at the first broken rule.

    Imports everything the plugin names, and runs the checker of every id whose `Ref` has one. Raises
    `UnknownIdError` where no such plugin is installed.
    """
    try:
        plugin = installed().get(name)
    except UnknownIdError:
        raise
    except PluginError as exc:
        raise ConformanceError(str(exc)) from exc
    (owner,) = installed().found[name]
    module = owner.entry_point.module
    _check_name(f"plugin {name!r}", name)
    _check_imports(name, module)
    _check_marked(plugin, module)
    for kind, key, ref in _refs(plugin):
        where = f"plugin {name!r}, {kind}, {key!r}"
        _check_name(where, key)
        _check_description(where, ref)
        _check_loads(where, "target", ref.target)
        for role, target in (("port", ref.port), ("check", ref.check)):
            if target is not None:
                _check_loads(where, role, target)
        if ref.check is not None:
            _check_object(where, ref)


def check(kind: str, identifier: str) -> None:
    """Run the checker that an id's `Ref` names on the object behind the id.

    Raises what the checker raises, and `ConformanceError` where the id has no checker.
    """
    resolved = resolve(kind, identifier)
    if resolved.ref is None or resolved.ref.check is None:
        raise ConformanceError(
            f"{kind} id {identifier!r} has no `check` in its Ref, so nothing can be run on it"
        )
    checker = import_target(resolved.ref.check)
    if not callable(checker):
        raise ConformanceError(f"{kind} id {identifier!r}: its check {resolved.ref.check} is not callable")
    checker(resolved.load())


def _refs(plugin: Plugin) -> Iterator[tuple[str, str, Ref]]:
    for kind, named in plugin.refs.items():
        for key, ref in named.items():
            yield kind, key, ref


def _check_name(where: str, name: str) -> None:
    if not _NAME.fullmatch(name):
        raise ConformanceError(
            f"{where}: a name must be letters and digits joined by single '-', '_' or '.', so that ids can "
            f"be told from paths and import strings; {name!r} is not"
        )


def _check_imports(name: str, module: str) -> None:
    probe = _PROBE.format(path=sys.path, module=module)
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-I", "-c", probe],
        capture_output=True,
        text=True,
        timeout=_IMPORT_SECONDS,
        check=False,
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it ended the interpreter"])[-1]
        raise ConformanceError(f"plugin {name!r}: importing {module} in a fresh interpreter failed: {last}")
    brought = done.stdout.split()
    heavy = [found for found in brought if found in HEAVY]
    if heavy:
        raise ConformanceError(
            f"plugin {name!r}: importing {module} brings in {', '.join(heavy)}; a plugin module only names "
            "things, and the packages above it must be lazy"
        )
    ours = [found for found in brought if found.startswith("skyfall_crl.") and not _allowed(found, module)]
    if ours:
        raise ConformanceError(
            f"plugin {name!r}: importing {module} brings in {', '.join(ours[:3])}; a plugin module may "
            "import only skyfall_crl.registry, and the packages above it must be lazy"
        )


def _allowed(found: str, module: str) -> bool:
    return f"{found}.".startswith("skyfall_crl.registry.") or f"{module}.".startswith(f"{found}.")


def _check_marked(plugin: Plugin, module: str) -> None:
    known = {
        caller.name for caller in plugin.manager.get_hookcallers(plugin.manager.get_plugin(plugin.name)) or ()
    }
    for name, value in vars(sys.modules[module]).items():
        if name.startswith(f"{PROJECT}_") and callable(value) and name not in known:
            raise ConformanceError(
                f"plugin {plugin.name!r}: {module}.{name} looks like a hook and is never called; mark it "
                "with @hookimpl, or give it another name"
            )


def _check_description(where: str, ref: Ref) -> None:
    if not ref.description.strip() or len(ref.description.splitlines()) != 1:
        raise ConformanceError(
            f"{where}: the description must be one line that is not empty, found {ref.description!r}"
        )


def _check_loads(where: str, role: str, target: str) -> None:
    try:
        import_target(target)
    except (Exception, SystemExit) as exc:
        line = " ".join(f"{type(exc).__name__}: {exc}".split())
        raise ConformanceError(f"{where}: {role} {target!r} can't be imported: {line}") from exc


def _check_object(where: str, ref: Ref) -> None:
    """Run the checker of an id on the object behind it."""
    checker = import_target(ref.check or "")
    if not callable(checker):
        raise ConformanceError(f"{where}: its check {ref.check} is not callable")
    try:
        checker(ref.load())
    except (Exception, SystemExit) as exc:
        said = str(exc) if isinstance(exc, AssertionError) else f"{type(exc).__name__}: {exc}"
        raise ConformanceError(" ".join(f"{where}: {said}".split())) from exc
