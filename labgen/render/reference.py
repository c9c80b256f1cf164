"""Render the HTML reference of the API, from the same data as `openapi.json`."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import orjson
from markupsafe import Markup, escape

from labgen.api.endpoint import Endpoint, Paged, PerLaboratory
from labgen.api.proposed import all_endpoints
from labgen.api.search_answer import FoundLaboratories
from labgen.contract.host_abilities import HostAbilities
from labgen.contract.http_contract import COMMON_FIELDS
from labgen.model.directory import Directory
from labgen.model.site_paths import PAGE_FILE
from labgen.render.encode_json import render_json
from labgen.render.guide import Guide, search_term_in
from labgen.render.metadata import Metadata
from labgen.render.openapi import OPENAPI_FILE, Examples, shortened
from labgen.render.operation_parts import FOUND, METHODS_ALONE, MISSING, OTHERS, parameters_of
from labgen.render.pages import NavigationLink
from labgen.render.reference_fields import Document, Field, FieldTree
from labgen.render.reference_parameters import (
    Parameter,
    parameters_of_all,
    search_parameters,
    shown_parameter,
)
from labgen.render.sample_texts import GET
from labgen.render.samples import LANGUAGES, CodeSample, sample
from labgen.render.site_values import FRONT_PAGE, REFERENCE_PAGE, site_values
from labgen.render.templates import Templates

TEMPLATE = "reference.html"
PATH = f"/{REFERENCE_PAGE.removesuffix(FRONT_PAGE)}"


class AnswerRow(NamedTuple):
    """A response of the hosts: its status, its header fields, its meaning, and its body or ""."""

    status: str
    headers: tuple[str, ...]
    meaning: str
    body: str


class Operation(NamedTuple):
    """An endpoint as the reference shows it.

    `example` is JSON as HTML, None if there is no laboratory; `live` is the URL of a page that shows it.
    """

    name: str
    title: str
    about: str
    paths: tuple[str, ...]
    clause: str | None
    parameters: tuple[Parameter, ...]
    document: Document
    sample: CodeSample
    example: Markup | None
    live: str

    @property
    def words(self) -> str:
        """The words by which readers can find it in the navigation, beside its title."""
        return " ".join([self.name, self.about, *_names(self.document.fields)])

    @property
    def is_of_laboratory(self) -> bool:
        """Whether it belongs to a laboratory."""
        return any("<display_id>" in path for path in self.paths)


def _names(fields: Iterable[Field]) -> Iterator[str]:
    """Yield the names of fields, at any depth."""
    for one in fields:
        yield one.name
        yield from _names(one.parts)


def render_reference(
    directory: Directory, templates: Templates, hosts: HostAbilities, examples: Examples, lab: str | None
) -> bytes:
    """Return the reference; the examples are documents of the laboratory `lab`."""
    site = site_values(directory, templates, hosts, PATH)
    endpoints = all_endpoints(directory)
    tree = FieldTree(endpoints, directory.language)
    operations = [
        _operation(
            one,
            directory,
            hosts,
            tree.document(one, FoundLaboratories if _is_searched(one, directory, hosts) else None),
            examples.get(one.name),
            lab,
        )
        for one in endpoints
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
        topics=tuple(Guide(directory, hosts, lab, search_term_in(examples)).topics()),
        operations=operations,
        shared=tuple(tree.shared_objects(endpoints)),
        parameters=tuple(parameters_of_all(directory.language, hosts)),
        languages=LANGUAGES,
        answers_about=_answers_about(site.texts, hosts),
        answers=_answers(site.texts, hosts),
        openapi_href=f"../{OPENAPI_FILE}",
    )


def _answers_about(texts: Mapping[str, str], hosts: HostAbilities) -> str:
    """Return the sentences that describe all responses."""
    sentences = (
        (True, "answers_about"),
        (hosts.has_method_errors, "answers_methods"),
        (hosts.has_accept, "answers_accept"),
        (not hosts.has_page_query, "answers_page"),
    )
    return " ".join(texts[name] for is_true, name in sentences if is_true)


def _answers(texts: Mapping[str, str], hosts: HostAbilities) -> list[AnswerRow]:
    """Return the responses that the reference documents: only those that all hosts send."""
    given = {
        "301": hosts.has_redirect,
        "304": hosts.has_not_modified,
        "405": hosts.has_method_errors,
        "204": hosts.has_options,
    }
    sent = {"Allow": hosts.sends_allow, "Vary": hosts.sends_vary, "ETag": hosts.has_not_modified}
    sent |= {one.name: hosts.sends_common for one in COMMON_FIELDS}
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
    document: Document,
    example: Any,
    lab: str | None,
) -> Operation:
    site, language = directory.site, directory.language
    path = endpoint.shown_path.replace("<display_id>", lab or "<display_id>")
    address = site.base_path + path + hosts.document_name
    title = endpoint.title_in(directory)
    return Operation(
        endpoint.name,
        title,
        endpoint.about_in(directory),
        endpoint.spec_paths,
        endpoint.spec_section,
        (
            *(shown_parameter(one, language, lab or "") for one in parameters_of(endpoint)),
            *_query_of(endpoint, directory, hosts),
        ),
        document,
        sample(endpoint.name, title, site.base_url, GET, path=address),
        None if example is None else highlighted(shortened(example)),
        f"..{path}{PAGE_FILE}" if lab or not isinstance(endpoint, PerLaboratory) else "",
    )


def _is_searched(endpoint: Endpoint, directory: Directory, hosts: HostAbilities) -> bool:
    """Return whether an endpoint is the list of laboratories, and can be searched on these hosts."""
    return isinstance(endpoint, Paged) and hosts.has_search and directory.site.search.enabled


def _query_of(endpoint: Endpoint, directory: Directory, hosts: HostAbilities) -> Iterator[Parameter]:
    """Yield the query parameters of the list of laboratories, if it can be searched."""
    if _is_searched(endpoint, directory, hosts):
        yield from search_parameters(directory)


_JSON_PART = re.compile(r'("(?:[^"\\]|\\.)*")(:)?|(-?[0-9][0-9.eE+-]*|true|false|null)')


_KEY, _TEXT, _VALUE = Markup("<i>{}</i>:"), Markup("<b>{}</b>"), Markup("<u>{}</u>")


def highlighted(document: Any) -> Markup:
    """Return a document as indented JSON in HTML; its keys, texts and other values are elements."""
    text = orjson.dumps(document, option=orjson.OPT_INDENT_2).decode()
    parts, end = [], 0
    for found in _JSON_PART.finditer(text):
        element = _VALUE if found[3] else _KEY if found[2] else _TEXT
        parts += [escape(text[end : found.start()]), element.format(found[3] or found[1])]
        end = found.end()
    return Markup("").join([*parts, escape(text[end:])])
