"""YAML documents that somebody else may have written: read within bounds, into plain data only."""

import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.ports.yaml_events import FLOAT, MERGE, SCALARS, STR, DocumentBuilder

if TYPE_CHECKING:
    import yaml

MAX_BYTES = 1 << 20

_EXPONENT = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[eE][-+]?[0-9]+\Z")
_BREAKS = re.compile("[\x85\u2028\u2029]")  # line breaks to a YAML reader, unless they are escaped
_EXPONENT_STARTS = list("-+.0123456789")
_Loader: TypeAlias = "type[yaml.SafeLoader] | type[yaml.CSafeLoader]"


def read_yaml(path: str | Path) -> object:
    """Read a YAML file of at most `MAX_BYTES` in UTF-8; see `parse_yaml`. Raises `ConfigError`."""
    try:
        with Path(path).open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        text = content.decode("utf-8-sig") if len(content) <= MAX_BYTES else None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: expected UTF-8 text, found byte {error.start} that is not") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ConfigError(f"{path}: expected a readable YAML file, found: {reason.lower()}") from None
    if text is None:
        raise ConfigError(f"{path}: expected at most {MAX_BYTES} bytes of YAML, found more")
    return parse_yaml(text, str(path))


def parse_yaml(text: str, source: str) -> object:
    """Return one YAML document as dicts with text keys, lists, text, numbers, booleans and None.

    Scalars mean what PyYAML's safe loader takes them for, except that `1e-3` is a number and that dates and
    `1:30` stay text. `source` names the text in errors. Raises `ConfigError`, with line and column where
    there are any, for more than `MAX_BYTES`, `MAX_DEPTH` levels or `MAX_NODES` nodes (an alias counts as all
    it repeats), and for recursive anchors, other tags, repeated keys and keys that are not text.
    """
    import yaml

    size = len(text.encode("utf-8", "replace"))
    if size > MAX_BYTES:
        raise ConfigError(f"{source}: expected at most {MAX_BYTES} bytes of YAML, found {size}")
    try:
        loader = _plain_loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader))(text)
        try:
            return DocumentBuilder(loader, source).document()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{source}:{mark.line + 1}:{mark.column + 1}" if mark else source
        raise ConfigError(
            f"{place}: expected YAML, found: {str(error.problem or error.context)[:200]}"
        ) from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{source}: expected YAML, found: {error}") from None
    except (ValueError, LookupError, OverflowError):
        raise ConfigError(f"{source}: expected YAML, found characters or escapes that are no text") from None


def dump_yaml(data: object) -> str:
    """Return plain data as YAML that `parse_yaml` reads back as the same data, in the order given."""
    import yaml

    class Dumper(yaml.SafeDumper):
        def ignore_aliases(self, data: Any) -> bool:
            return True

    def represent_text(dumper: Dumper, text: str) -> yaml.ScalarNode:
        style = '"' if _BREAKS.search(text) else None
        return dumper.represent_scalar(STR, text, style=style)

    Dumper.add_representer(str, represent_text)
    Dumper.add_implicit_resolver(FLOAT, _EXPONENT, _EXPONENT_STARTS)
    return yaml.dump(data, Dumper=Dumper, sort_keys=False, allow_unicode=True)


@lru_cache
def _plain_loader(base: _Loader) -> _Loader:
    """Return the loader with the scalars of `parse_yaml`, and without the others."""
    resolvers = {
        first: [(tag, pattern) for tag, pattern in pairs if tag in SCALARS or tag == MERGE]
        for first, pairs in base.yaml_implicit_resolvers.items()
    }
    loader: _Loader = type("PlainLoader", (base,), {"yaml_implicit_resolvers": resolvers})
    loader.add_implicit_resolver(FLOAT, _EXPONENT, _EXPONENT_STARTS)
    return loader
