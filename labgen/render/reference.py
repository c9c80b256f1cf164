"""Render the API reference for people, from the same data as `openapi.json`."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import orjson

from labgen.api.endpoint import Endpoint, PerLaboratory
from labgen.api.host_abilities import HostAbilities
from labgen.api.http_contract import ANYWHERE
from labgen.api.sections import endpoints_of
from labgen.model.directory import Directory
from labgen.model.language import Language
from labgen.render.encode_json import render_json
from labgen.render.json_schema import COMPONENTS, Schema, Schemas
from labgen.render.metadata import Metadata
from labgen.render.openapi import FILE as OPENAPI_FILE
from labgen.render.openapi import FOUND, METHODS_ALONE, MISSING, OTHERS, Examples, parameters_of, shortened
from labgen.render.pages import NavigationLink
from labgen.render.site_frame import FRONT_PAGE, REFERENCE_PAGE, site_frame
from labgen.render.templates import Templates

TEMPLATE = "reference.html"
PATH = f"/{REFERENCE_PAGE.removesuffix(FRONT_PAGE)}"


class Meaning(NamedTuple):
    """A sentence, and its language where it is not that of the page."""

    text: str
    language: str | None = None


class Field(NamedTuple):
    """A field of a document: its name with the way to it, its types as JSON names them, its shape or ""."""

    name: str
    types: tuple[str, ...]
    shape: str
    meaning: Meaning


class Parameter(NamedTuple):
    """A parameter of a request: `place` is `path`, `query` or `header`; `shape` a pattern, or the values."""

    name: str
    place: str
    shape: str
    meaning: Meaning


class AnswerRow(NamedTuple):
    """An answer of the hosts: its status, its header fields, what it means, and its body or ""."""

    status: str
    headers: tuple[str, ...]
    meaning: str
    body: str


class Operation(NamedTuple):
    """An endpoint as the reference shows it; `example` is JSON, None where there is no laboratory."""

    name: str
    title: str
    about: str
    paths: tuple[str, ...]
    clause: str | None
    parameters: tuple[Parameter, ...]
    fields: tuple[Field, ...]
    example: str | None
    example_path: str


def render_reference(
    directory: Directory, templates: Templates, hosts: HostAbilities, examples: Examples, lab: str | None
) -> bytes:
    """Return the page; `lab` is the laboratory whose documents the examples are."""
    site = site_frame(directory, templates, hosts, PATH)
    schemas = Schemas()
    operations = [
        _operation(one, directory, hosts, schemas, examples.get(one.name), lab)
        for one in endpoints_of(directory)
    ]
    trail = (
        NavigationLink(site.texts["api"], site.front_page),
        NavigationLink(site.texts["reference"], is_current=True),
    )
    return templates.render(
        TEMPLATE,
        PATH,
        site=site,
        meta=Metadata(site.texts["reference"], site.texts["reference_about"], PATH),
        breadcrumbs=trail,
        operations=operations,
        answers_about=_answers_about(site.texts, hosts),
        answers=_answers(site.texts, hosts),
        openapi_href=f"../{OPENAPI_FILE}",
    )


def _answers_about(texts: Mapping[str, str], hosts: HostAbilities) -> str:
    """Return what is to be said of all answers."""
    sentences = (
        (True, "answers_about"),
        (hosts.has_method_errors, "answers_methods"),
        (hosts.has_accept, "answers_accept"),
        (not hosts.has_page_query, "answers_page"),
    )
    return " ".join(texts[name] for is_true, name in sentences if is_true)


def _answers(texts: Mapping[str, str], hosts: HostAbilities) -> list[AnswerRow]:
    """Return the answers that the hosts give, each as far as all of them do."""
    given = {
        "301": hosts.has_redirect,
        "304": hosts.has_not_modified,
        "405": hosts.has_method_errors,
        "204": hosts.has_options,
    }
    sent = {"Allow": hosts.sends_allow, "Vary": hosts.sends_vary, "ETag": hosts.has_not_modified}
    sent |= {one.name: hosts.sends_common for one in ANYWHERE}
    rows = []
    for one in (FOUND, *OTHERS, METHODS_ALONE):
        if given.get(one.status, True):
            has_body = one.detail and (hosts.has_json_errors or one is not MISSING)
            is_file = one is MISSING and not hosts.has_page_query
            headers = tuple(name for name in one.all_headers if sent.get(name, True))
            body = render_json(one.body(texts)).decode() if has_body else ""
            rows.append(
                AnswerRow(one.status, headers, texts["answer_missing_file" if is_file else one.text], body)
            )
    return rows


def _operation(
    endpoint: Endpoint,
    directory: Directory,
    hosts: HostAbilities,
    schemas: Schemas,
    example: Any,
    lab: str | None,
) -> Operation:
    language = directory.language
    is_known = {"format": hosts.has_page_query, "If-None-Match": hosts.has_not_modified}
    parameters = [one for one in parameters_of(endpoint) if is_known.get(one["name"], True)]
    has_path = isinstance(endpoint, PerLaboratory) and lab is not None
    path, *_ = endpoint.shown_paths
    return Operation(
        endpoint.name,
        endpoint.title_in(directory),
        endpoint.about_in(directory),
        endpoint.shown_paths,
        endpoint.shown_in,
        tuple(_parameter(one, language) for one in parameters),
        tuple(_fields("", schemas.of(endpoint.document), schemas.named, language)),
        None if example is None else _json(shortened(example)),
        path.replace("<display_id>", lab) if has_path and lab else path,
    )


def _json(document: Any) -> str:
    return orjson.dumps(document, option=orjson.OPT_INDENT_2).decode()


def _parameter(definition: Mapping[str, Any], language: Language) -> Parameter:
    schema = definition["schema"]
    key = "parameter_" + definition["name"].lower().replace("-", "_")
    shape = " | ".join(schema.get("enum", ())) or _shape(schema)
    return Parameter(definition["name"], definition["in"], shape, Meaning(language.words[key]))


def _fields(name: str, schema: Schema, named: Mapping[str, Schema], language: Language) -> Iterator[Field]:
    """Yield what a schema describes, from outside to inside: lists as `name[]`, keys of any name as `.*`."""
    inner = _resolved(schema, named)
    if name:
        yield Field(name, _types(schema, named), _shape(inner), _meaning(schema, language))
    for part in schema.get("anyOf", ()):
        yield from _parts(name, _resolved(part, named), named, language)
    yield from _parts(name, inner, named, language)


def _parts(name: str, schema: Schema, named: Mapping[str, Schema], language: Language) -> Iterator[Field]:
    """Yield what is inside a list or an object."""
    if "items" in schema:
        item = _resolved(schema["items"], named)
        yield from _parts(f"{name}[]", item, named, language)
    for key, one in schema.get("properties", {}).items():
        yield from _fields(f"{name}.{key}".lstrip("."), one, named, language)
    if isinstance(more := schema.get("additionalProperties"), dict):
        yield from _parts(f"{name}.*", _resolved(more, named), named, language)


def _resolved(schema: Schema, named: Mapping[str, Schema]) -> Schema:
    return named[schema["$ref"].removeprefix(COMPONENTS)] if "$ref" in schema else schema


def _types(schema: Schema, named: Mapping[str, Schema]) -> tuple[str, ...]:
    if "anyOf" in schema:
        return tuple(kind for part in schema["anyOf"] for kind in _types(part, named))
    kinds = _resolved(schema, named).get("type", "string")
    return tuple(kinds) if isinstance(kinds, list) else (kinds,)


def _shape(schema: Schema) -> str:
    """Return the format, the pattern or the limit of a value, "" where there is none."""
    if "minimum" in schema:
        return f"≥ {schema['minimum']}"
    return str(schema.get("pattern") or schema.get("format") or "")


def _meaning(schema: Schema, language: Language) -> Meaning:
    """Return a field's description, in the language of the page where there is a translation."""
    english = schema.get("description", "")
    if english in language.descriptions:
        return Meaning(language.descriptions[english])
    return Meaning(english, None if not english or language.code.startswith("en") else "en")
