"""Generate `openapi.json` (OpenAPI 3.1) from the endpoints and the types of documents."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from labgen.api.endpoint import LABORATORIES, Endpoint
from labgen.api.http_contract import COMMON_FIELDS, JSON_TYPE, METHODS
from labgen.api.list_query import list_parameters
from labgen.api.sections import endpoints_of
from labgen.model.directory import Directory
from labgen.model.language import english
from labgen.model.settings import SiteRecord
from labgen.render.encode_json import escape_line_separators
from labgen.render.json_schema import COMPONENTS, Schema, Schemas, open_for_later_fields

OPENAPI_FILE = "openapi.json"
PROPOSED = {"x-labgen-proposed": True}
"""Marks what the specification does not show and labgen adds (docs/reference/decisions.md)."""

EXAMPLE_ITEMS = 2
"""The number of entries that an example shows of a list."""

Examples = Mapping[str, Any]
"""Documents of the site, by the names of their endpoints."""

PAGE = "text/html"


def render_openapi(directory: Directory, examples: Examples, lab: str | None) -> bytes:
    """Return `openapi.json`; the examples are documents of the laboratory `lab`.

    It has some 80 KB for a site of any size.
    """
    schemas = Schemas()
    site, words, endpoints = directory.site, directory.language.words, endpoints_of(directory)
    paths = {
        template: _path_item(one, template, words, schemas, examples.get(one.name))
        for one in endpoints
        for template in one.path_templates
    }
    for method in ("get", "head"):
        paths[LABORATORIES][method]["parameters"] += _search_parameters(directory)
    document = {
        "openapi": "3.1.1",
        "info": {"title": site.name, "version": "1", "description": _ABOUT} | _license(site) | _contact(site),
        "servers": [{"url": f"{site.base_url}{site.base_path}" or "/"}],
        "security": [],
        "paths": paths,
        "components": {
            "schemas": _marked(endpoints, schemas) | {"Error": _ERROR},
            "parameters": _parameters(endpoints, lab),
            "headers": _HEADERS,
            "responses": {one.name: _answer(one, words) for one in OTHERS},
        },
    }
    return escape_line_separators(orjson.dumps(document, option=orjson.OPT_INDENT_2))


def _search_parameters(directory: Directory) -> list[dict[str, Any]]:
    """Return the query parameters of the list of laboratories, if the site has a search."""
    parameters = (
        {one.name: one for one in list_parameters(directory)} if directory.site.search.enabled else {}
    )
    return [
        {
            "name": name,
            "in": "query",
            "description": f"{_ENGLISH[one.about].replace('{what}', one.what)} {_WHERE}",
            "schema": _TEXT,
            **PROPOSED,
        }
        for name, one in parameters.items()
    ]


_WHERE = "Answered by hosts with a function and by the preview, ignored by others."


def _license(site: SiteRecord) -> dict[str, dict[str, str]]:
    """Return the licence of the data, if the settings have one."""
    return {"license": site.license.model_dump(exclude_none=True)} if site.license else {}


def _contact(site: SiteRecord) -> dict[str, dict[str, str]]:
    """Return the URL for reporting faults, if the settings have one that is not only a path."""
    return {"contact": {"url": site.report_to}} if site.report_to and ":" in site.report_to else {}


def _marked(endpoints: Sequence[Endpoint], schemas: Schemas) -> dict[str, Schema]:
    """Return the schemas of objects by name; those in no document of the specification are marked."""
    shown = Schemas()
    for one in endpoints:
        if one.spec_section:
            shown.of(one.document)
    return {
        name: open_for_later_fields(schema) | ({} if name in shown.named else PROPOSED)
        for name, schema in sorted(schemas.named.items())
    }


_ABOUT = (
    "A read-only directory of testing laboratories. Each path is answered with a JSON document, or with a "
    "page that shows it: `format=json` and `format=api` choose, else the page is sent where `Accept` names "
    "`text/html` and not `application/json`. Texts are in the language of the site. A path without its final "
    "slash is answered with 301. What is marked `x-labgen-proposed` is not shown in the specification of the "
    "API; labgen adds it."
)
_ENGLISH = english().words
_TEXT: Schema = {"type": "string"}
_ERROR: Schema = {
    "type": "object",
    "description": "Why there is no document.",
    "properties": {"detail": {"type": "string", "description": "A sentence in the language of the site."}},
    "required": ["detail"],
    **PROPOSED,
}
_PARAMETERS: dict[str, dict[str, Any]] = {
    "display_id": {
        "name": "display_id",
        "in": "path",
        "required": True,
        "description": _ENGLISH["parameter_display_id"],
        "schema": {"type": "string", "pattern": "^[0-9]{1,64}$"},
    },
    "page": {
        "name": "page",
        "in": "path",
        "required": True,
        "description": _ENGLISH["parameter_page"],
        "schema": {"type": "integer", "minimum": 2},
        **PROPOSED,
    },
    "format": {
        "name": "format",
        "in": "query",
        "description": _ENGLISH["parameter_format"],
        "schema": {"type": "string", "enum": ["json", "api"]},
    },
    "if_none_match": {
        "name": "If-None-Match",
        "in": "header",
        "description": _ENGLISH["parameter_if_none_match"],
        "schema": _TEXT,
        **PROPOSED,
    },
}


def path_parameters(*templates: str) -> list[str]:
    """Return the names of the parameters in paths."""
    return re.findall(r"\{(\w+)\}", "".join(templates))


def parameters_of(endpoint: Endpoint) -> list[dict[str, Any]]:
    """Return the parameters of requests for an endpoint's document."""
    own = [_PARAMETERS[name] for name in path_parameters(*endpoint.path_templates)]
    return own + shared_parameters()


def shared_parameters() -> list[dict[str, Any]]:
    """Return the parameters of requests for any document."""
    return [_PARAMETERS["format"], _PARAMETERS["if_none_match"]]


def _parameters(endpoints: Iterable[Endpoint], lab: str | None) -> dict[str, Any]:
    """Return the parameters that operations have, by name."""
    used = {one["name"] for endpoint in endpoints for one in parameters_of(endpoint)}
    found = {name: one for name, one in _PARAMETERS.items() if one["name"] in used}
    return found if lab is None else found | {"display_id": found["display_id"] | {"example": lab}}


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
        COMMON_FIELDS,
        (
            "Any web page may read the answer.",
            "The header fields that any web page may read.",
            "The answer is of the type that it says.",
        ),
        strict=True,
    )
}


class Answer(NamedTuple):
    """A response: its status, its name in OpenAPI, its meaning (a word of the languages), its header fields.

    `detail` is the word for the text in its body.
    """

    status: str
    name: str
    text: str
    headers: tuple[str, ...]
    detail: str | None = None

    @property
    def all_headers(self) -> tuple[str, ...]:
        """Return the names of its header fields, with those that every response has."""
        return (*self.headers, *(one.name for one in COMMON_FIELDS))

    def body(self, words: Mapping[str, str]) -> dict[str, str]:
        """Return an example of the body."""
        return {"detail": words[self.detail or ""].format(method="POST")}


FOUND = Answer("200", "Found", "answer_found", ("Allow", "Vary", "ETag"))
MISSING = Answer("404", "NotFound", "answer_missing", (), "not_found")
OTHERS = (
    Answer("301", "Moved", "answer_moved", ("Location",)),
    Answer("304", "NotModified", "answer_not_modified", ("ETag",)),
    MISSING,
    Answer("405", "MethodNotAllowed", "answer_not_allowed", ("Allow",), "this_method_not_allowed"),
)
METHODS_ALONE = Answer("204", "Options", "answer_methods", ("Allow",))


def _headers(answer: Answer) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in answer.all_headers}


_OPERATION_NAMES = {"new": "new_labs"}
"""Endpoints named by a reserved word of programming languages, and their names in the specification."""


def _path_item(
    endpoint: Endpoint, template: str, words: Mapping[str, str], schemas: Schemas, example: Any
) -> dict[str, Any]:
    """Return the operations of a path."""
    in_path = path_parameters(template)
    first, *_ = endpoint.path_templates
    name = _OPERATION_NAMES.get(endpoint.name, endpoint.name)
    name = name if template == first else f"{name}_{in_path[-1]}"
    reading = [{"$ref": f"#/components/parameters/{name}"} for name in (*in_path, "format", "if_none_match")]
    title, own = endpoint.title, {} if endpoint.spec_section else PROPOSED
    content: dict[str, Any] = {"schema": schemas.of(endpoint.document)}
    if example is not None:
        content["example"] = shortened(example)
    head = {"description": endpoint.about, "headers": _headers(FOUND)}
    found = head | {"content": {JSON_TYPE: content, PAGE: {"schema": _TEXT}}}
    others = {one.status: {"$ref": f"#/components/responses/{one.name}"} for one in OTHERS}
    clause = f"Specification, {endpoint.spec_section}." if endpoint.spec_section else "Proposed by labgen."
    return {
        "get": {
            "operationId": name,
            "summary": title,
            "description": f"{endpoint.about} {clause}",
            "parameters": reading,
            "responses": {"200": found, **others},
            **own,
        },
        "head": {
            "operationId": f"{name}_head",
            "summary": f"{title}: the header fields alone",
            "parameters": [*reading],
            "responses": {
                "200": head,
                "301": others["301"],
                "304": others["304"],
                "404": {key: value for key, value in _answer(MISSING, words).items() if key != "content"},
            },
            **own,
        },
        "options": {
            "operationId": f"{name}_options",
            "summary": f"{title}: the methods, and what other sites' pages may ask",
            "description": "Answered whether there is such a document or not.",
            "parameters": [_PARAMETERS[name] | {"schema": _TEXT} for name in in_path],
            "responses": {
                "200": _answer(METHODS_ALONE, words),
                "204": _answer(METHODS_ALONE, words),
            },
            **own,
        },
    }


def _answer(answer: Answer, words: Mapping[str, str]) -> dict[str, Any]:
    """Return a response that is the same for all paths."""
    described: dict[str, Any] = {"description": _ENGLISH[answer.text], "headers": _headers(answer)}
    if answer.detail:
        schema = {"$ref": f"{COMPONENTS}Error"}
        described["content"] = {JSON_TYPE: {"schema": schema, "example": answer.body(words)}}
        if answer is MISSING:
            described["content"][PAGE] = {"schema": _TEXT}
    return described | PROPOSED


def shortened(value: Any) -> Any:
    """Return an example of a document, with all of its lists cut, at any depth."""
    if isinstance(value, list):
        return [shortened(one) for one in value[:EXAMPLE_ITEMS]]
    if isinstance(value, dict):
        return {key: shortened(one) for key, one in value.items()}
    return value
