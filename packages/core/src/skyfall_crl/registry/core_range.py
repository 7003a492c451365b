"""Whether a plugin's own requirement on the core allows the core that is running."""

import re
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from itertools import zip_longest

CORE = "skyfall-crl"
_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9._-]+)\s*(?:\[[^\]]*\])?\s*\(?([^;()]*)\)?\s*(;.*)?")
_CLAUSE = re.compile(r"\s*(~=|==|!=|<=|>=|<|>)\s*v?(\d+(?:\.\d+)*)(\.\*)?\s*")


@cache
def core_version() -> str | None:
    """Return the installed core's version, or None where it has no metadata."""
    try:
        return version(CORE)
    except PackageNotFoundError:
        return None


def unmet_range(requires: Iterable[str], running: str | None) -> str | None:
    """Return the first range on the core that `running` lies outside of, or None.

    Only plain release clauses are judged; conditions and other spellings are left to the installer.
    """
    if running is None:
        return None
    for requirement in requires:
        match = _REQUIREMENT.fullmatch(requirement)
        if match is None or match[3] or re.sub(r"[-_.]+", "-", match[1]).lower() != CORE:
            continue
        clauses = match[2].strip()
        if not all(_holds(clause, running) for clause in clauses.split(",")):
            return f"{CORE}{clauses}"
    return None


def _holds(clause: str, running: str) -> bool:
    match = _CLAUSE.fullmatch(clause)
    if match is None:
        return True
    operator, wanted, wildcard = match[1], _release(match[2]), match[3]
    prefix = wanted if wildcard else wanted[:-1]
    order = _compare(_release(running), wanted)
    if wildcard:
        order = 0 if _starts_with(_release(running), prefix) else 1
    return {
        "==": order == 0,
        "!=": order != 0,
        "<=": order <= 0,
        ">=": order >= 0,
        "<": order < 0,
        ">": order > 0,
        "~=": order >= 0 and _starts_with(_release(running), prefix),
    }[operator]


def _release(text: str) -> tuple[int, ...]:
    match = re.match(r"\d+(?:\.\d+)*", text)
    return tuple(int(part) for part in match[0].split(".")) if match else ()


def _compare(left: tuple[int, ...], right: tuple[int, ...]) -> int:
    for a, b in zip_longest(left, right, fillvalue=0):
        if a != b:
            return -1 if a < b else 1
    return 0


def _starts_with(release: tuple[int, ...], prefix: tuple[int, ...]) -> bool:
    padded = release + (0,) * (len(prefix) - len(release))
    return padded[: len(prefix)] == prefix
