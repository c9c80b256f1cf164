"""Generate `openapi.json` (OpenAPI 3.1) from the endpoints and the types of documents."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from labgen.api.endpoint import LABORATORIES, Endpoint, Paged
from labgen.api.list_query import list_parameters
from labgen.api.proposed import CATALOGUE, CHANGES, CHANGES_PART, WHOLE, Catalogues, Whole, all_endpoints
from labgen.api.sections import laboratories, laboratory
from labgen.contract.host_abilities import HostAbilities
from labgen.contract.http_contract import JSON_TYPE
from labgen.model.directory import Directory
from labgen.model.settings import SiteRecord
from labgen.render.encode_json import escape_line_separators
from labgen.render.json_schema import COMPONENTS, Schema, Schemas, open_for_later_fields
from labgen.render.operation_parts import (
    ENGLISH,
    FOUND,
    HEADERS,
    OTHERS,
    PARAMETERS,
    PROPOSED,
    TEXT,
    Answer,
    header_fields,
    parameters_of,
    path_parameters,
)

OPENAPI_FILE = "openapi.json"
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
    _link(paths, endpoints)
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
            "headers": HEADERS,
            "responses": {one.name: _answer(one, words) for one in OTHERS},
        },
    }
    return escape_line_separators(orjson.dumps(document, option=orjson.OPT_INDENT_2))


def _search_parameters(directory: Directory) -> list[dict[str, Any]]:
    """Return the query parameters of the list of laboratories, where it can be searched."""
    return [
        {
            "name": one.name,
            "in": "query",
            "description": ENGLISH[one.about].replace("{what}", one.what),
            "schema": TEXT,
            **PROPOSED,
        }
        for one in list_parameters(directory)
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
    about, text = schema["properties"]["id"]["description"], dict(TEXT)
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
_ERROR: Schema = {
    "type": "object",
    "description": "Why there is no document.",
    "properties": {"detail": {"type": "string", "description": "A sentence in the language of the site."}},
    "required": ["detail"],
    **PROPOSED,
}


def _parameters(endpoints: Sequence[Endpoint], lab: str | None) -> dict[str, Any]:
    """Return the parameters that operations have, by name."""
    used = {one["name"]: one for endpoint in endpoints for one in parameters_of(endpoint)}
    used["if_none_match"] = PARAMETERS["if_none_match"]
    found = {name: used[name] for name in PARAMETERS if name in used}
    return found if lab is None else found | {"display_id": found["display_id"] | {"example": lab}}


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
    found = {"description": endpoint.about, "headers": header_fields(FOUND), "content": {JSON_TYPE: content}}
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


def _link(paths: Mapping[str, Any], endpoints: Sequence[Endpoint]) -> None:
    """Say in the operations how clients go on from a document to others."""
    ids = {one.name: operation_id(one, one.path_templates[-1]) for one in endpoints}
    for one in endpoints:
        if links := _LINKS.get(one.name):
            found = {name: {"operationId": ids[to]} | link | PROPOSED for name, (to, link) in links.items()}
            for template in one.path_templates:
                paths[template]["get"]["responses"]["200"]["links"] = found


_FOLLOW = (
    "{what} is a path: request it as it stands, relative to the address of this answer{end}. "
    "The number before its last slash is the `{number}` of this operation."
)


def _pages(name: str, **parameters: str) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return the links of a list in pages to the others."""
    return {
        field: (
            name,
            ({"parameters": parameters} if parameters else {})
            | {
                "description": _FOLLOW.format(
                    what=f"`{field}` in the body", end=", until it is null", number="page"
                )
            },
        )
        for field in ("next", "previous")
    }


def _laboratory(name: str, entries: str, what: str) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return the link from entries to the document of a laboratory."""
    parameters = {"display_id": f"$response.body#/{entries}/0/display_id"}
    about = f"{what} of a laboratory in `{entries}`, here of the first."
    return {"laboratory": (name, {"parameters": parameters, "description": about})}


_LINKS = {
    laboratories.ENDPOINT.name: _pages(laboratories.ENDPOINT.name)
    | _laboratory(laboratory.ENDPOINT.name, "results", "The record"),
    CATALOGUE: _pages(CATALOGUE, catalogue="$request.path.catalogue"),
    CHANGES: {
        "part": (
            CHANGES_PART,
            {"description": _FOLLOW.format(what="`path` of an entry in `parts`", end="", number="part")},
        )
    },
    CHANGES_PART: _laboratory(WHOLE, "laboratories", "The document with all sections"),
}
"""By the name of an endpoint, its links: the name of the endpoint that each leads to, and what it says."""


def _answer(answer: Answer, words: Mapping[str, str]) -> dict[str, Any]:
    """Return a response that is the same for all paths."""
    described: dict[str, Any] = {"description": ENGLISH[answer.text], "headers": header_fields(answer)}
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
