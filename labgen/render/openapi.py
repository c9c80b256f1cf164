"""The contract for machines: OpenAPI 3.1, made from the registry and the types of documents."""

import re
from collections.abc import Mapping
from typing import Any

import orjson

from labgen.contract import ANYWHERE, JSON_TYPE, METHODS
from labgen.directory import Directory
from labgen.registry import Endpoint
from labgen.render.documents import escape_line_separators
from labgen.render.schema import Schema, Schemas
from labgen.render.texts import TEXTS
from labgen.sections import ENDPOINTS

FILE = "openapi.json"
PROPOSED = {"x-labgen-proposed": True}
"""Marks what the specification does not show, and labgen adds of its own (decisions, first paragraph)."""

EXAMPLE_ITEMS = 2
"""Entries of a list that an example shows."""

Examples = Mapping[str, Any]
"""Documents of the site, by the names of their endpoints."""

PAGE = "text/html"


def render_openapi(directory: Directory, examples: Examples) -> bytes:
    """Return the document, of some 60 KB whatever the size of the site."""
    schemas = Schemas()
    site = directory.site
    address = f"{site.base_url}{site.base_path}"
    document = {
        "openapi": "3.1.1",
        "info": {"title": site.name, "version": "1", "description": _ABOUT},
        **({"servers": [{"url": address}]} if address else {}),
        "paths": {one.template: _path_item(one, schemas, examples.get(one.name)) for one in ENDPOINTS},
        "components": {
            "schemas": dict(sorted(schemas.named.items())) | {"Error": _ERROR},
            "parameters": {name: one for name, one in _PARAMETERS.items() if _is_used(name)},
            "headers": _HEADERS,
            "responses": _responses(directory),
        },
    }
    return escape_line_separators(orjson.dumps(document, option=orjson.OPT_INDENT_2))


_ABOUT = (
    "A read-only directory of testing laboratories. Each path is answered with a JSON document, or with a "
    "page that shows it: `format=json` and `format=api` choose, else the page is sent where `Accept` names "
    "`text/html` and not `application/json`. Texts are in the language of the site. A path without its final "
    "slash is answered with 301. What is marked `x-labgen-proposed` is not shown in the specification of the "
    "API; labgen adds it."
)
_TEXT: Schema = {"type": "string"}
_ERROR: Schema = {
    "type": "object",
    "description": "Why there is no document.",
    "properties": {"detail": {"type": "string", "description": "A sentence in the language of the site."}},
    "required": ["detail"],
    "additionalProperties": False,
    **PROPOSED,
}
_PARAMETERS: dict[str, dict[str, Any]] = {
    "display_id": {
        "name": "display_id",
        "in": "path",
        "required": True,
        "description": "The laboratory's identifier: digits, leading zeros kept.",
        "schema": {"type": "string", "pattern": "^[0-9]{1,64}$"},
    },
    "page": {
        "name": "page",
        "in": "path",
        "required": True,
        "description": "The number of a page of a list, from 2.",
        "schema": {"type": "integer", "minimum": 2},
        **PROPOSED,
    },
    "format": {
        "name": "format",
        "in": "query",
        "description": "`json`, or `api` for the page; all else is answered with 404. It wins over `Accept`.",
        "schema": {"type": "string", "enum": ["json", "api"]},
    },
    "if_none_match": {
        "name": "If-None-Match",
        "in": "header",
        "description": "An ETag that was sent before.",
        "schema": _TEXT,
        **PROPOSED,
    },
}


def path_parameters(endpoint: Endpoint) -> list[str]:
    """Return the names of the parameters in an endpoint's path."""
    return re.findall(r"\{(\w+)\}", endpoint.template)


def parameters_of(endpoint: Endpoint) -> list[dict[str, Any]]:
    """Return what can be said in a request for an endpoint's document, besides its method."""
    return [_PARAMETERS[name] for name in (*path_parameters(endpoint), "format", "if_none_match")]


def _is_used(parameter: str) -> bool:
    definition = _PARAMETERS[parameter]
    return definition["in"] != "path" or any(parameter in path_parameters(one) for one in ENDPOINTS)


def _header(example: str, description: str, *, is_shown: bool = False) -> dict[str, Any]:
    extra = {} if is_shown else PROPOSED
    return {"description": description, "schema": _TEXT, "example": example, **extra}


_HEADERS = {
    "Allow": _header(METHODS, "The methods of the path.", is_shown=True),
    "Vary": _header("Accept", "Accept; a host that compresses adds Accept-Encoding.", is_shown=True),
    "ETag": _header(
        '"6f1c2a"', "Sent back as If-None-Match, it is answered with 304 while nothing has changed."
    ),
    "Location": _header("gallery/", "The path with its slash; never on another host. The query is kept."),
} | {
    one.name: _header(one.value, what)
    for one, what in zip(
        ANYWHERE,
        ("Any web page may read the answer.", "The answer is of the type that it says."),
        strict=True,
    )
}
_EVERYWHERE = tuple(one.name for one in ANYWHERE)


def _headers(*names: str) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in (*names, *_EVERYWHERE)}


def _path_item(endpoint: Endpoint, schemas: Schemas, example: Any) -> dict[str, Any]:
    """Return what can be asked of a path."""
    keys = (*path_parameters(endpoint), "format", "if_none_match")
    title, own = endpoint.titles["en"], {} if endpoint.shown_in else PROPOSED
    content: dict[str, Any] = {"schema": schemas.of(endpoint.document)}
    if example is not None:
        content["example"] = shortened(example)
    head = {"description": endpoint.about["en"], "headers": _headers("Allow", "Vary", "ETag")}
    found = head | {"content": {JSON_TYPE: content, PAGE: {"schema": _TEXT}}}
    others = {
        "301": _response("Moved"),
        "304": _response("NotModified"),
        "404": _response("NotFound"),
        "405": _response("MethodNotAllowed"),
    }
    clause = f"Specification, {endpoint.shown_in}." if endpoint.shown_in else "Proposed by labgen."
    return {
        "parameters": [{"$ref": f"#/components/parameters/{name}"} for name in keys],
        "get": {
            "operationId": endpoint.name,
            "summary": title,
            "description": f"{endpoint.about['en']} {clause}",
            "responses": {"200": found, **others},
            **own,
        },
        "head": {
            "operationId": f"{endpoint.name}_head",
            "summary": f"{title}: the header fields alone",
            "responses": {
                "200": head,
                "301": others["301"],
                "304": others["304"],
                "404": {"description": "There is no such document.", "headers": _headers(), **PROPOSED},
            },
            **own,
        },
        "options": {
            "operationId": f"{endpoint.name}_options",
            "summary": f"{title}: the methods, and what other sites' pages may ask",
            "responses": {
                "200": {"description": "Some hosts answer so.", "headers": _headers("Allow"), **PROPOSED},
                "204": {"description": "No content.", "headers": _headers("Allow"), **PROPOSED},
            },
            **own,
        },
    }


def _response(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/responses/{name}"}


def _responses(directory: Directory) -> dict[str, Any]:
    """Return the answers that are the same for all paths."""
    texts = TEXTS[directory.site.language]
    refused = texts["this_method_not_allowed"].format(method="POST")
    missing = _error("There is no such document, or no such format.", texts["not_found"])
    missing["content"][PAGE] = {"schema": _TEXT}
    return {
        "Moved": {
            "description": "The path was asked for without its final slash.",
            "headers": _headers("Location"),
            **PROPOSED,
        },
        "NotModified": {
            "description": "The document is what it was when its ETag was sent.",
            "headers": _headers("ETag"),
            **PROPOSED,
        },
        "NotFound": missing,
        "MethodNotAllowed": _error("The path can be read only.", refused, "Allow"),
    }


def _error(description: str, detail: str, *headers: str) -> dict[str, Any]:
    content = {"schema": {"$ref": "#/components/schemas/Error"}, "example": {"detail": detail}}
    return {
        "description": description,
        "headers": _headers(*headers),
        "content": {JSON_TYPE: content},
        **PROPOSED,
    }


def shortened(value: Any) -> Any:
    """Return an example of a document: its lists cut, whatever they are in."""
    if isinstance(value, list):
        return [shortened(one) for one in value[:EXAMPLE_ITEMS]]
    if isinstance(value, dict):
        return {key: shortened(one) for key, one in value.items()}
    return value
