"""Define the parts that operations share: parameters, and responses with their header fields."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from labgen.api.endpoint import Endpoint
from labgen.api.proposed import Catalogues
from labgen.contract.http_contract import COMMON_FIELDS, METHODS
from labgen.model.language import english
from labgen.render.json_schema import Schema

PROPOSED = {"x-labgen-proposed": True}
"""Marks what the specification does not show and labgen adds (docs/reference/decisions.md)."""

ENGLISH = english().words
TEXT: Schema = {"type": "string"}
PARAMETERS: dict[str, dict[str, Any]] = {
    "display_id": {
        "name": "display_id",
        "in": "path",
        "required": True,
        "description": ENGLISH["parameter_display_id"],
        "schema": {"type": "string", "pattern": "^[0-9]{1,64}$"},
    },
    "page": {
        "name": "page",
        "in": "path",
        "required": True,
        "description": ENGLISH["parameter_page"],
        "schema": {"type": "integer", "minimum": 2},
        **PROPOSED,
    },
    "catalogue": {
        "name": "catalogue",
        "in": "path",
        "required": True,
        "description": ENGLISH["parameter_catalogue"],
        "schema": {"type": "string"},
        **PROPOSED,
    },
    "part": {
        "name": "part",
        "in": "path",
        "required": True,
        "description": ENGLISH["parameter_part"],
        "schema": {"type": "integer", "minimum": 0},
        "example": 0,
        **PROPOSED,
    },
    "format": {
        "name": "format",
        "in": "query",
        "description": ENGLISH["parameter_format"],
        "schema": {"type": "string", "enum": ["json", "api"]},
    },
    "if_none_match": {
        "name": "If-None-Match",
        "in": "header",
        "description": ENGLISH["parameter_if_none_match"],
        "schema": TEXT,
        **PROPOSED,
    },
}


def path_parameters(*templates: str) -> list[str]:
    """Return the names of the parameters in paths."""
    return re.findall(r"\{(\w+)\}", "".join(templates))


def parameters_of(endpoint: Endpoint) -> list[dict[str, Any]]:
    """Return the parameters in the paths of an endpoint."""
    found = {name: PARAMETERS[name] for name in path_parameters(*endpoint.path_templates)}
    if isinstance(endpoint, Catalogues):
        names = {"schema": TEXT | {"enum": [*endpoint.names]}, "example": endpoint.names[0]}
        found["catalogue"] = found["catalogue"] | names
    return list(found.values())


def shared_parameters() -> list[dict[str, Any]]:
    """Return the parameters of requests for any document."""
    return [PARAMETERS["format"], PARAMETERS["if_none_match"]]


def _header(example: str, description: str, *, is_shown: bool = False) -> dict[str, Any]:
    extra = {} if is_shown else PROPOSED
    return {"description": description, "schema": TEXT, "example": example, **extra}


HEADERS = {
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


def header_fields(answer: Answer) -> dict[str, Any]:
    """Return references to the header fields of a response."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in answer.all_headers}
