"""Generate `openapi.json` (OpenAPI 3.1) from the endpoints and the types of documents."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from labgen.api.endpoint import LABORATORIES, Endpoint, Paged
from labgen.api.list_query import list_parameters
from labgen.api.proposed import Catalogues, Whole, all_endpoints
from labgen.api.sections import laboratories, laboratory
from labgen.contract.host_abilities import HostAbilities
from labgen.contract.http_contract import COMMON_FIELDS, JSON_TYPE, METHODS
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


def render_openapi(directory: Directory, hosts: HostAbilities, examples: Examples, lab: str | None) -> bytes:
    """Return `openapi.json`; the examples are documents of the laboratory `lab`.

    It has some 80 KB for a site of any size.
    """
    schemas = Schemas()
    site, words, endpoints = directory.site, directory.language.words, all_endpoints(directory)
    paths = {
        template: _path_item(one, template, schemas, examples.get(one.name))
        for one in endpoints
        for template in one.path_templates
    }
    if hosts.has_search and site.search.enabled:
        paths[LABORATORIES]["get"]["parameters"] += _search_parameters(directory)
    _link_pages(paths)
    document = {
        "openapi": "3.1.1",
        "info": {"title": site.name, "version": "1", "description": _ABOUT} | _license(site) | _contact(site),
        "servers": [{"url": f"{site.base_url}{site.base_path}" or "/"}],
        "security": [],
        "tags": [{"name": name, "description": about} for name, about in TAGS.items()],
        "paths": paths,
        "components": {
            "schemas": published_schemas(endpoints, schemas, site) | {ERROR: _ERROR},
            "parameters": _parameters(endpoints, lab),
            "headers": _HEADERS,
            "responses": {one.name: _answer(one, words) for one in OTHERS},
        },
    }
    return escape_line_separators(orjson.dumps(document, option=orjson.OPT_INDENT_2))


def _search_parameters(directory: Directory) -> list[dict[str, Any]]:
    """Return the query parameters of the list of laboratories, where it can be searched."""
    parameters = {one.name: one for one in list_parameters(directory)}
    return [
        {
            "name": name,
            "in": "query",
            "description": _ENGLISH[one.about].replace("{what}", one.what),
            "schema": _TEXT,
            **PROPOSED,
        }
        for name, one in parameters.items()
    ]


def _license(site: SiteRecord) -> dict[str, dict[str, str]]:
    """Return the licence of the data, if the settings have one."""
    return {"license": site.license.model_dump(exclude_none=True)} if site.license else {}


def _contact(site: SiteRecord) -> dict[str, dict[str, str]]:
    """Return where faults are reported, if the settings say it and not only by a path."""
    scheme, colon, address = (site.report_to or "").partition(":")
    if not colon:
        return {}
    return {"contact": {"email": address} if scheme == "mailto" else {"url": f"{scheme}:{address}"}}


def published_schemas(endpoints: Sequence[Endpoint], schemas: Schemas, site: SiteRecord) -> dict[str, Schema]:
    """Return the schemas of objects by name; those in no document of the specification are marked."""
    keys = {"DealStatus": site.deal_statuses, "VerificationStatus": site.verification_statuses}
    shown = Schemas()
    for one in endpoints:
        if one.spec_section:
            shown.of(one.document)
    return {
        name: _with_known_ids(open_for_later_fields(schema), keys.get(name, ()))
        | ({} if name in shown.named else PROPOSED)
        for name, schema in sorted(schemas.named.items())
    }


def _with_known_ids(schema: Schema, known: Iterable[str]) -> Schema:
    """Return the schema of a status with the keys of the settings; a later version may have others."""
    if not (keys := list(known)):
        return schema
    about, text = schema["properties"]["id"]["description"], dict(_TEXT)
    ids = {"anyOf": [text | {"enum": keys} | PROPOSED, text], "description": about}
    return schema | {"properties": schema["properties"] | {"id": ids}}


def plain_schema(published: Any) -> Schema:
    """Return a published schema as the type of the document has it: without marks and known keys.

    Raises TypeError or ValueError for what is no object.
    """
    plain = {key: value for key, value in dict(published).items() if key not in PROPOSED}
    fields = plain.get("properties")
    opened = {name: _plain_field(one) for name, one in fields.items()} if isinstance(fields, dict) else fields
    return plain | ({"properties": opened} if fields else {})


def _plain_field(field: Any) -> Any:
    match field:
        case {"anyOf": [{"enum": _}, dict(text)], "description": about}:
            return {**text, "description": about}
    return field


_ABOUT = (
    "A read-only directory of testing laboratories. Each path is answered with a JSON document; texts are in "
    "the language of the site.\n\n"
    "The same paths have pages for people, as text/html: with `?format=api`, and where `Accept` names "
    "`text/html` and not `application/json`. `?format=json` asks for the document whatever `Accept` says; "
    "any other `format` is answered with 404.\n\n"
    "Each path also answers HEAD (as GET, without the body) and OPTIONS (204, or 200, with `Allow` and the "
    "header fields that other sites' pages ask for); these are not listed as operations. A path without its "
    "final slash is answered with 301.\n\n"
    "What is marked `x-labgen-proposed` is not shown in the specification of the API; labgen adds it."
)
TAGS = {
    "laboratories": "Which laboratories there are, and the record of each.",
    "sections": "What belongs to one laboratory: its pictures, materials, methods, certificates and so on.",
    "site": "What there is once, the catalogues, and what has changed.",
}
"""The groups of operations, and their descriptions."""
ERROR = "ErrorDocument"
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
    "catalogue": {
        "name": "catalogue",
        "in": "path",
        "required": True,
        "description": _ENGLISH["parameter_catalogue"],
        "schema": {"type": "string"},
        **PROPOSED,
    },
    "part": {
        "name": "part",
        "in": "path",
        "required": True,
        "description": _ENGLISH["parameter_part"],
        "schema": {"type": "integer", "minimum": 0},
        "example": 0,
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
    """Return the parameters in the paths of an endpoint."""
    found = {name: _PARAMETERS[name] for name in path_parameters(*endpoint.path_templates)}
    if isinstance(endpoint, Catalogues):
        names = {"schema": _TEXT | {"enum": [*endpoint.names]}, "example": endpoint.names[0]}
        found["catalogue"] = found["catalogue"] | names
    return list(found.values())


def shared_parameters() -> list[dict[str, Any]]:
    """Return the parameters of requests for any document."""
    return [_PARAMETERS["format"], _PARAMETERS["if_none_match"]]


def _parameters(endpoints: Sequence[Endpoint], lab: str | None) -> dict[str, Any]:
    """Return the parameters that operations have, by name."""
    used = {one["name"]: one for endpoint in endpoints for one in parameters_of(endpoint)}
    used["if_none_match"] = _PARAMETERS["if_none_match"]
    found = {name: used[name] for name in _PARAMETERS if name in used}
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


def _tag_of(endpoint: Endpoint) -> str:
    """Return the group of an endpoint's operations, by its path."""
    first, *_ = endpoint.path_templates
    if isinstance(endpoint, Whole):
        return "laboratories"
    if not first.startswith(LABORATORIES):
        return "site"
    return "sections" if "}/" in first.rstrip("/") else "laboratories"


def operation_id(endpoint: Endpoint, template: str) -> str:
    """Return the name of an operation, which generators make the name of a function of.

    `new` is named after what it lists, because there are several lists of what is new.
    """
    first, *_ = endpoint.path_templates
    noun = "new_laboratories" if endpoint.name == "new" else endpoint.name
    is_list = isinstance(endpoint, Paged | Catalogues)
    words = ["list" if is_list else "get", *noun.split("_")]
    words += [one for one in path_parameters(template) if one not in path_parameters(first)]
    return words[0] + "".join(word.title() for word in words[1:])


def _path_item(endpoint: Endpoint, template: str, schemas: Schemas, example: Any) -> dict[str, Any]:
    """Return the operation of a path."""
    parameters = (*path_parameters(template), "if_none_match")
    content: dict[str, Any] = {"schema": schemas.of(endpoint.document)}
    if example is not None:
        content["example"] = shortened(example)
    found = {"description": endpoint.about, "headers": _headers(FOUND), "content": {JSON_TYPE: content}}
    others = {one.status: {"$ref": f"#/components/responses/{one.name}"} for one in OTHERS}
    clause = f"Specification, {endpoint.spec_section}." if endpoint.spec_section else "Proposed by labgen."
    return {
        "get": {
            "operationId": operation_id(endpoint, template),
            "tags": [_tag_of(endpoint)],
            "summary": endpoint.title,
            "description": f"{endpoint.about} {clause}",
            "parameters": [{"$ref": f"#/components/parameters/{name}"} for name in parameters],
            "responses": {"200": found, **others},
            **({} if endpoint.spec_section else PROPOSED),
        }
    }


def _link_pages(paths: Mapping[str, Any]) -> None:
    """Say in the operations of the list how clients go on from an answer."""
    first, rest = laboratories.ENDPOINT.path_templates
    links = {
        name: {
            "operationId": operation_id(laboratories.ENDPOINT, rest),
            "description": _FOLLOW.format(name=name),
            **PROPOSED,
        }
        for name in ("next", "previous")
    }
    links["laboratory"] = {
        "operationId": operation_id(laboratory.ENDPOINT, *laboratory.ENDPOINT.path_templates),
        "parameters": {"display_id": "$response.body#/results/0/display_id"},
        "description": "The record of a laboratory in `results`, here of the first.",
        **PROPOSED,
    }
    for path in (first, rest):
        paths[path]["get"]["responses"]["200"]["links"] = links


_FOLLOW = (
    "`{name}` in the body is a path: request it as it stands, relative to the address of this answer, until "
    "it is null. The number before its last slash is the `page` of this operation."
)


def _answer(answer: Answer, words: Mapping[str, str]) -> dict[str, Any]:
    """Return a response that is the same for all paths."""
    described: dict[str, Any] = {"description": _ENGLISH[answer.text], "headers": _headers(answer)}
    if answer.detail:
        schema = {"$ref": f"{COMPONENTS}{ERROR}"}
        described["content"] = {JSON_TYPE: {"schema": schema, "example": answer.body(words)}}
    return described | PROPOSED


def shortened(value: Any) -> Any:
    """Return an example of a document, with all of its lists cut, at any depth."""
    if isinstance(value, list):
        return [shortened(one) for one in value[:EXAMPLE_ITEMS]]
    if isinstance(value, dict):
        return {key: shortened(one) for key, one in value.items()}
    return value
