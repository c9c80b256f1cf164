"""The contract for machines: OpenAPI 3.1, made from the registry and the types of documents."""

from collections.abc import Mapping
from typing import Any

import orjson

from labgen.contract import JSON_TYPE, METHODS, PAGE_TYPE
from labgen.directory import Directory
from labgen.registry import Endpoint, PerLaboratory, PerSite
from labgen.render.documents import escape_line_separators
from labgen.render.schema import Schemas
from labgen.render.texts import TEXTS
from labgen.sections import ENDPOINTS

FILE = "openapi.json"
EXAMPLE_ITEMS = 2
"""Entries of a list that an example shows."""

PROPOSED = "x-labgen-proposed"
"""Marks what the specification does not show (decisions, first paragraph)."""

_HEADERS = {
    "Allow": (METHODS, "The methods of the path."),
    "Vary": ("Accept", "The answer depends on `Accept`; a host that compresses adds `Accept-Encoding`."),
    "ETag": ('"6f1c2a"', "Sent back as `If-None-Match`, it is answered with 304 while nothing changed."),
    "Access-Control-Allow-Origin": ("*", "Any web page may read the answer."),
    "X-Content-Type-Options": ("nosniff", "The answer is of the type that it says."),
}


def render_openapi(directory: Directory, examples: Mapping[str, Any]) -> bytes:
    """Return the document; `examples` are documents of the site by the names of their endpoints."""
    schemas = Schemas()
    paths = {_path(one): _item(one, directory, schemas, examples.get(one.name)) for one in ENDPOINTS}
    site = directory.site
    document = {
        "openapi": "3.1.0",
        "info": {
            "title": site.name,
            "version": "1",
            "description": _ABOUT,
        },
        "servers": [{"url": f"{site.base_url}{site.base_path}" or "/"}],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.named.items())) | {"Error": _ERROR},
            "parameters": _PARAMETERS,
            "headers": {name: _header(*one) for name, one in _HEADERS.items()},
            "responses": _responses(directory),
        },
    }
    return escape_line_separators(orjson.dumps(document, option=orjson.OPT_INDENT_2))


_ABOUT = (
    "A read-only directory of testing laboratories. Every path can be fetched as JSON, and with `format=api` "
    "as a page for people. Texts are in the language of the site."
)
_ERROR = {
    "type": "object",
    "description": "Why there is no document.",
    "properties": {"detail": {"type": "string"}},
    "required": ["detail"],
    "additionalProperties": False,
}
_PARAMETERS = {
    "display_id": {
        "name": "display_id",
        "in": "path",
        "required": True,
        "description": "The laboratory's identifier: digits, leading zeros kept.",
        "schema": {"type": "string", "pattern": "^[0-9]{1,64}$"},
    },
    "format": {
        "name": "format",
        "in": "query",
        "description": "`json`, or `api` for the page; anything else is answered with 404. It wins over Accept.",
        "schema": {"enum": ["json", "api"]},
    },
    "if_none_match": {
        "name": "If-None-Match",
        "in": "header",
        "description": "An ETag that was sent before.",
        "schema": {"type": "string"},
    },
}


def _header(example: str, description: str) -> dict[str, Any]:
    return {"description": description, "schema": {"type": "string"}, "example": example}


def _reference(header: str) -> dict[str, str]:
    return {"$ref": f"#/components/headers/{header}"}


def _path(endpoint: Endpoint) -> str:
    if isinstance(endpoint, PerLaboratory):
        return endpoint.path_for("{display_id}")
    assert isinstance(endpoint, PerSite)  # noqa: S101 - there is no third kind
    return endpoint.path


def _item(endpoint: Endpoint, directory: Directory, schemas: Schemas, example: Any) -> dict[str, Any]:
    """Return what can be asked of a path."""
    names = ["format", "if_none_match"]
    if isinstance(endpoint, PerLaboratory):
        names.insert(0, "display_id")
    content: dict[str, Any] = {"schema": schemas.of(endpoint.document)}
    if example is not None:
        content["example"] = shortened(example)
    answer = {
        "description": endpoint.title(directory),
        "headers": {name: _reference(name) for name in _HEADERS},
        "content": {JSON_TYPE: content, PAGE_TYPE: {"schema": {"type": "string"}}},
    }
    errors = {
        "304": {"$ref": "#/components/responses/NotModified"},
        "404": {"$ref": "#/components/responses/NotFound"},
        "405": {"$ref": "#/components/responses/MethodNotAllowed"},
    }
    return {
        "parameters": [{"$ref": f"#/components/parameters/{name}"} for name in names],
        "get": {
            "operationId": endpoint.name,
            "summary": endpoint.title(directory),
            "description": _clause(endpoint),
            **({} if endpoint.shown_in else {PROPOSED: True}),
            "responses": {"200": answer, **errors},
        },
        "head": {
            "operationId": f"{endpoint.name}_head",
            "summary": f"{endpoint.title(directory)}: the header fields alone",
            **({} if endpoint.shown_in else {PROPOSED: True}),
            "responses": {
                "200": {key: value for key, value in answer.items() if key != "content"},
                "304": errors["304"],
                "404": {"description": "There is no such document."},
            },
        },
        "options": {
            "operationId": f"{endpoint.name}_options",
            "summary": "The methods of the path, and CORS",
            **({} if endpoint.shown_in else {PROPOSED: True}),
            "responses": {"204": {"description": "No content.", "headers": {"Allow": _reference("Allow")}}},
        },
    }


def _clause(endpoint: Endpoint) -> str:
    return f"Specification, {endpoint.shown_in}." if endpoint.shown_in else "Proposed by labgen."


def _responses(directory: Directory) -> dict[str, Any]:
    texts = TEXTS[directory.site.language]
    refused = texts["this_method_not_allowed"].format(method="POST")
    return {
        "NotModified": {"description": "The document is what it was when its ETag was sent."},
        "NotFound": _error("There is no such document.", texts["not_found"]),
        "MethodNotAllowed": _error("The path can be read only.", refused),
    }


def _error(description: str, detail: str) -> dict[str, Any]:
    content = {"schema": {"$ref": "#/components/schemas/Error"}, "example": {"detail": detail}}
    return {"description": description, "content": {JSON_TYPE: content}}


def shortened(value: Any) -> Any:
    """Return an example of a document: its lists cut, whatever they are in."""
    if isinstance(value, list):
        return [shortened(one) for one in value[:EXAMPLE_ITEMS]]
    if isinstance(value, dict):
        return {key: shortened(one) for key, one in value.items()}
    return value
