"""What a bundle holds and what it lacks, in lines, and whether it is whole; nothing it names is imported."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from skyfall_crl.config.schema import EnvSection, RegimeSection
from skyfall_crl.ports.errors import CrlError
from skyfall_crl.ports.fields import finite
from skyfall_crl.registry import resolve
from skyfall_crl.registry.errors import BlockedError
from skyfall_crl.serve.bundle import Bundle
from skyfall_crl.serve.checkpoint_folder import check_files
from skyfall_crl.serve.environment import known_keys
from skyfall_crl.serve.trust import check_arguments_asked, restricted

_WIDTH = 100


def summary(bundle: Bundle) -> Iterator[tuple[str, str]]:
    """Yield a label and a line for each thing a bundle records, `not recorded` for each that it doesn't."""
    policy = bundle.policy
    yield "policy", _told(policy.id, policy.kwargs)
    yield "weights", _weights(bundle)
    yield "trained by", policy.trained_by or "nothing"
    for name, space in (("observation", bundle.observation), ("action", bundle.action)):
        yield name, _attempt(space)
    reward = bundle.reward_spec
    yield "reward", f"{reward.get('name')} version {reward.get('version')}" if reward else "not recorded"
    yield "environment", _told(bundle.env.get("id"), bundle.env.get("kwargs"))
    yield "says of itself", _said(bundle.provenance.get("describe"))
    yield "regime", _told(bundle.regime.get("provider"), bundle.regime.get("params"))
    yield (
        "run",
        ", ".join(f"{key} {value}" for key, value in bundle.run.items() if _short(value)) or "not recorded",
    )
    yield "exported", str(bundle.provenance.get("created", "not recorded"))


def examine(bundle: Bundle, directory: Path) -> Iterator[tuple[str, str | None]]:
    """Check a bundle part by part; yields what was checked and the problem found, None where there is none."""
    policy = bundle.policy
    yield "observation space", _problem(bundle.observation)
    yield "action space", _problem(bundle.action)
    yield "reward spec", _problem(bundle.reward)
    yield "weights", _problem(lambda: _check_weights(bundle, directory))
    with restricted(False):
        for kind, identifier in (
            ("policies", policy.id),
            ("environments", bundle.env.get("id")),
            ("regime_providers", bundle.regime.get("provider", "constant")),
        ):
            yield f"{kind} id {identifier}", _problem(lambda k=kind, i=identifier: _check_id(k, i))  # type: ignore[misc]
    for at, arguments in _arguments(bundle):
        yield at, _problem(lambda a=arguments, p=at: check_arguments_asked(a, p))  # type: ignore[misc]


def _arguments(bundle: Bundle) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield "policy.kwargs", bundle.policy.kwargs
    yield "env.kwargs", known_keys(EnvSection, {"id": "none", **bundle.env}, "env").kwargs
    yield "regime.params", known_keys(RegimeSection, bundle.regime, "regime").params


def _check_id(kind: str, identifier: object) -> None:
    if not isinstance(identifier, str):
        raise CrlError("expected an id, found none recorded")
    try:
        resolve(kind, identifier)
    except BlockedError as error:
        raise CrlError(f"{error}; serve --trust allows it") from None


def _check_weights(bundle: Bundle, directory: Path) -> None:
    folder = bundle.checkpoint_path(directory)
    if folder is not None:
        check_files(folder, bundle.policy.files, pickles=False)
    elif bundle.policy.trained_by is not None:
        raise CrlError(f"expected weights, found none recorded; {bundle.policy.trained_by} can't checkpoint")


def _problem(check: Callable[[], object]) -> str | None:
    try:
        check()
    except (CrlError, OSError) as error:
        return str(error)
    return None


def _weights(bundle: Bundle) -> str:
    policy = bundle.policy
    if policy.checkpoint is None:
        return "not recorded"
    sizes = [facts.get("bytes") for facts in (policy.files or {}).values()]
    size = f", {sum(size for size in sizes if finite(size)):,} bytes" if policy.files else ""  # type: ignore[misc]
    place = f"outside the bundle, in {policy.checkpoint}" if policy.external else "in the bundle"
    return f"{place}, format {policy.format.value if policy.format else 'not recorded'}{size}"


def _told(identifier: object, arguments: object) -> str:
    if identifier is None:
        return "not recorded"
    return f"{identifier} {arguments}" if arguments else str(identifier)


def _said(described: object) -> str:
    if not isinstance(described, Mapping) or described.get("reported") is False:
        return "not recorded"
    return str(dict(described))


def _short(value: object) -> bool:
    return isinstance(value, str | int | float | bool)


def _attempt(space: Callable[[], object]) -> str:
    try:
        found = space()
    except CrlError as error:
        return f"unreadable: {error}"
    return "not recorded" if found is None else str(found)


def shortened(text: str) -> str:
    """Return a line that fits a terminal and can't command it: what a stranger wrote may hold control characters."""
    line = "".join(one if one.isprintable() else "?" for one in " ".join(text.split()))
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 3]}..."
