"""The OpenAPI document of a server, made of the catalogue."""

import re
from functools import cache
from typing import Any

import msgspec

from skyfall_crl.env.morpheus.server import surface
from skyfall_crl.env.morpheus.server.side_channel import HANDLERS
from skyfall_crl.env.morpheus.simulation.catalogue import Operation, entity, names, operations

_ERROR = {"$ref": "#/components/schemas/ErrorResponse"}
_EVERYWHERE = (400, 401, 404, 405, 413, 429, 503)


@cache
def document() -> bytes:
    """Return the document as JSON."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations():
        path = paths.setdefault(operation.path, {"parameters": _path_parameters(operation.path)})
        path[operation.method.lower()] = _operation(operation)
    for method, verb in HANDLERS:
        where = f"/sim/worlds/{{worldId}}/{verb}"
        path = paths.setdefault(where, {"parameters": _path_parameters(where)})
        path[method.lower()] = _side(method, verb)
    for where in ("/sim", "/sim/overview"):
        paths[where] = {"get": _side("GET", where.rpartition("/")[2])}
    return msgspec.json.encode(
        {
            "openapi": "3.1.0",
            "info": {"title": "A served MORPHEUS world", "version": "1"},
            "paths": paths,
            "components": {"schemas": {name: entity(name).kind.schema() for name in names()}},
        }
    )


def _operation(operation: Operation) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": re.sub(r"\W+", "_", operation.key).strip("_"),
        "summary": operation.summary,
        "tags": [operation.service],
        "parameters": [
            {
                "name": each.name,
                "in": "query",
                "required": each.required,
                "schema": each.kind.schema(),
            }
            for each in operation.query.fields
        ],
        "responses": _responses(operation),
    }
    if operation.body is not None:
        described["requestBody"] = {
            "required": operation.check_body(None) is not None,
            "content": {"application/json": {"schema": operation.body.schema()}},
        }
    return described


def _responses(operation: Operation) -> dict[str, Any]:
    errors = {str(code): _answer("Refused", _ERROR) for code in (*_EVERYWHERE, *operation.errors)}
    if not surface.is_answered(operation):
        return {**errors, "501": _answer("Not simulated", _ERROR)}
    if operation.path == "/docs":
        return {
            **errors,
            "200": {"description": "HTML", "content": {"text/html": {"schema": {"type": "string"}}}},
        }
    if operation.path == "/world/act":
        errors |= {str(code): _answer("The inner call was refused", {}) for code in (409, 422, 501)}
    if operation.service == "verification":
        failed = _answer("Not verified", {"type": "object", "required": ["error"]})
        errors |= {"400": failed, "404": failed}
    return {**errors, str(operation.status): _answer("Done", operation.answer.schema())}


def _side(method: str, verb: str) -> dict[str, Any]:
    errors = {str(code): _answer("Refused", _ERROR) for code in (*_EVERYWHERE, 409)}
    described: dict[str, Any] = {
        "operationId": f"{method}_sim_{verb}",
        "summary": f"What only a simulator offers: {verb}",
        "tags": ["sim"],
        "responses": {**errors, "200": _answer("Done", {"type": "object", "required": ["success", "data"]})},
    }
    field = {"restore": ("state", "object"), "commit": ("forkId", "string")}.get(verb)
    if field is not None:
        schema = {"type": "object", "required": [field[0]], "properties": {field[0]: {"type": field[1]}}}
        described["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    return described


def _answer(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _path_parameters(path: str) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in re.findall(r"\{(\w+)\}", path)
    ]
