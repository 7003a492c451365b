"""What a server says of itself: the page, the list of operations, the mesh and the OpenAPI document."""

from functools import cache
from html import escape
from typing import Any

from skyfall_crl.env.morpheus.server import openapi, page, surface
from skyfall_crl.env.morpheus.server.replies import Headers, Refusal, Reply, bare
from skyfall_crl.env.morpheus.server.requests import Request
from skyfall_crl.env.morpheus.simulation.catalogue import Operation, find_root

_CLOSED: Headers = (
    (b"cache-control", b"no-store"),
    (b"referrer-policy", b"no-referrer"),
    (
        b"content-security-policy",
        (
            b"default-src 'none'; style-src 'self'; img-src data:; script-src 'self'; connect-src 'self'; "
            b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        ),
    ),
)


class Documents:
    """Answers `/` and `/docs`."""

    def reply(self, request: Request) -> Reply | None:
        """Return the answer, or None where there is no such document; raises `Refusal`."""
        if request.method != "GET":
            return None
        match request.segments:
            case ("",):
                return Reply(200, page.content("page.html"), page.HTML, _CLOSED)
            case ("docs",):
                return Reply(200, operations_page(), page.HTML, _CLOSED)
            case ("docs", name) if name in page.KINDS:
                return Reply(200, page.content(name), page.KINDS[name], _CLOSED)
            case ("docs", "swagger.json"):
                return Reply(200, openapi.document())
            case ("docs", "mesh"):
                return _mesh(request.query())
        return None


def _mesh(query: dict[str, Any]) -> Reply:
    match = find_root("GET", "/docs/mesh")
    problem = None if match is None else match.operation.check_query(query)
    if problem is not None:
        raise Refusal(400, problem)
    return bare(surface.mesh(query["service"], query.get("action"), query.get("method")))


@cache
def operations_page() -> bytes:
    """Return the page that lists every operation and says which are not simulated."""
    parts = ["<!doctype html><html lang=en><meta charset=utf-8><title>Operations</title>"]
    parts.append("<link rel=icon href=data:,><link rel=stylesheet href=/docs/page.css>")
    parts.append(
        "<main><h1>Operations</h1><p>What is struck through is part of the deployment's wire, is not "
    )
    parts.append(
        "simulated, and answers 501. <a href=/docs/swagger.json>OpenAPI</a> · <a href=/>Worlds</a></p>"
    )
    missing = {each.key for each in surface.unanswered()}
    services: dict[str, list[Operation]] = {}
    for operation in (*surface.answered(), *surface.unanswered()):
        services.setdefault(operation.service, []).append(operation)
    for service, listed in sorted(services.items()):
        rows = "".join(_row(each, each.key in missing) for each in sorted(listed, key=lambda each: each.path))
        parts.append(f"<h2>{escape(service)}</h2><ul class=operations>{rows}</ul>")
    return "".join([*parts, "</main></html>"]).encode()


def _row(operation: Operation, missing: bool) -> str:
    text = f"<code>{escape(operation.method)} {escape(operation.path)}</code>"
    return f"<li>{f'<s>{text}</s>' if missing else text} {escape(operation.summary)}</li>"
