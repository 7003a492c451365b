"""Every way a server might read a request path, so that a scope judges where it leads, not its spelling."""

import re
from urllib.parse import unquote

MAX_PATH_LENGTH = 2048
_DECODINGS = 3
_UNREADABLE = re.compile(r"[{}<>]|(?:^|[/\\]):|(?:^|[/\\])\.{3,}(?:[/\\;]|$)")


def readings(path: str) -> list[list[str]] | None:
    """Return the segment lists a server could take `path` for, or None when no server should be asked.

    A reading differs from another by how often it was percent-decoded and by whether dot segments were
    resolved; backslashes count as slashes, empty segments and `;parameters` don't count. Absolute and
    scheme-relative addresses, fragments, control characters, anything outside ASCII, encoded `?` and `#`, segments
    of more than two dots, placeholders, and paths that are still encoded after three decodings have no reading.
    """
    if len(path) > MAX_PATH_LENGTH or "#" in path or path[:1] != "/" or path[1:2] in ("/", "\\"):
        return None
    text, _, query = path.partition("?")
    if any(character < " " or character == "\x7f" for character in query) or not _is_plain_text(text):
        return None
    found: list[list[str]] = []
    for _ in range(_DECODINGS + 1):
        if _UNREADABLE.search(text):
            return None
        found.extend(_segments(text))
        decoded = unquote(text)
        if decoded == text:
            return found
        if "?" in decoded or "#" in decoded or not _is_plain_text(decoded):
            return None
        text = decoded
    return None


def _is_plain_text(text: str) -> bool:
    return text.isascii() and all("!" <= character <= "~" for character in text)


def _segments(text: str) -> tuple[list[str], list[str]]:
    written: list[str] = []
    resolved: list[str] = []
    for raw in text.replace("\\", "/").split("/"):
        segment = raw.partition(";")[0]
        if segment in ("", "."):
            continue
        written.append(segment)
        if segment != "..":
            resolved.append(segment)
        elif resolved:
            resolved.pop()
    return written, resolved
