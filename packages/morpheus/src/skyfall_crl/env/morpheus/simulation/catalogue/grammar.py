"""Reads the notation of the catalogue's tables: kinds of values, named kinds and operations.

A kind is `text`, `number`, `integer`, `count` (1 to 99999), `offset` (from 0), `flag`, `moment`, `day`, `object`,
`any` or `none`; words joined by `|` or one in quotes; `[kind]`; `{*name kind, name kind = default}` where `*` means
required; kinds joined by `/` for alternatives; a name that a table declares; any of these with `?` for null too.
"""

import re
from collections.abc import Callable

from skyfall_crl.env.morpheus.simulation.catalogue import kinds
from skyfall_crl.env.morpheus.simulation.catalogue.kinds import Kind
from skyfall_crl.env.morpheus.simulation.catalogue.records import Either, Field, Named, Nullable, Record

_PLAIN: dict[str, Kind] = {
    "text": kinds.Text(),
    "number": kinds.Number(),
    "integer": kinds.Number(whole=True),
    "count": kinds.Number(whole=True, least=1, most=99_999),
    "offset": kinds.Number(whole=True, least=0),
    "flag": kinds.Flag(),
    "moment": kinds.Instant(day=False),
    "day": kinds.Instant(day=True),
    "object": kinds.Free(keyed=True),
    "any": kinds.Free(keyed=False),
    "none": Nullable(kinds.Choice(())),
}
_TOKENS = re.compile(r'"[\w-]+"|[\w.-]+(?:\|[\w-]+)*|[*?,=/{}\[\]]')

LookUp = Callable[[str], Kind]


def entries(table: str, indent: int) -> list[str]:
    """Return a table's entries, each on one line: a line indented by that much or more continues the one before."""
    joined = re.sub(rf"\|\n {{{indent},}}", "|", table.strip())
    return re.sub(rf"\n {{{indent},}}", " ", joined).splitlines()


def kind(text: str, look_up: LookUp) -> Kind:
    """Return the kind a text describes; raises `ValueError` for anything that isn't one."""
    tokens = _TOKENS.findall(text)
    parsed, rest = _alternatives(tokens, 0, look_up)
    if rest != len(tokens):
        raise ValueError(f"a kind's text: expected its end, found {' '.join(tokens[rest:])} in {text}")
    return parsed


def _alternatives(tokens: list[str], at: int, look_up: LookUp) -> tuple[Kind, int]:
    first, at = _one(tokens, at, look_up)
    options = [first]
    while at < len(tokens) and tokens[at] == "/":
        another, at = _one(tokens, at + 1, look_up)
        options.append(another)
    return (first if len(options) == 1 else Either(tuple(options))), at


def _one(tokens: list[str], at: int, look_up: LookUp) -> tuple[Kind, int]:
    word = tokens[at]
    parsed: Kind
    if word == "{":
        parsed, at = _record(tokens, at + 1, look_up)
    elif word == "[":
        item, at = _alternatives(tokens, at + 1, look_up)
        parsed, at = kinds.Listed(item), at + 1
    else:
        parsed, at = _word(word, look_up), at + 1
    if at < len(tokens) and tokens[at] == "?":
        return Nullable(parsed), at + 1
    return parsed, at


def _word(word: str, look_up: LookUp) -> Kind:
    if word in _PLAIN:
        return _PLAIN[word]
    if word.startswith('"'):
        return kinds.Choice((word.strip('"'),))
    if "|" in word:
        return kinds.Choice(tuple(word.split("|")))
    if word[:1].isupper():
        return Named(word, look_up)
    raise ValueError(f"a kind's text: expected a kind, found {word}")


def _record(tokens: list[str], at: int, look_up: LookUp) -> tuple[Record, int]:
    fields: list[Field] = []
    while tokens[at] != "}":
        required = tokens[at] == "*"
        at += required
        name = tokens[at]
        parsed, at = _alternatives(tokens, at + 1, look_up)
        default = None
        if tokens[at] == "=":
            default, at = parsed.read(tokens[at + 1]), at + 2
        fields.append(Field(name, parsed, required, default))
        at += tokens[at] == ","
    return Record(tuple(fields)), at + 1
