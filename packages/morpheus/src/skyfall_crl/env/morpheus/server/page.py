"""The files of the page at `/`, which shows the worlds live to whoever wonders what the agent is doing."""

from functools import cache
from importlib.resources import files

HTML = b"text/html; charset=utf-8"
KINDS = {"page.css": b"text/css; charset=utf-8", "page.js": b"text/javascript; charset=utf-8"}


@cache
def content(name: str) -> bytes:
    """Return one of the page's files: `page.html`, `page.css` or `page.js`."""
    return files(__package__).joinpath("static", name).read_bytes()
