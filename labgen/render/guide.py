"""Write the introduction of the HTML reference, limited to what all chosen hosts support."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from markupsafe import Markup

from labgen.api.endpoint import LABORATORIES
from labgen.contract.host_abilities import HostAbilities
from labgen.contract.http_contract import CORS_HEADERS, EXPOSED, IMMUTABLE, REVALIDATED
from labgen.model.directory import Directory
from labgen.model.site_paths import JSON_FILE
from labgen.render.client_files import CLIENT_FILE, TYPES_FILE
from labgen.render.encode_json import render_json
from labgen.render.formats import inline
from labgen.render.reference_parameters import Parameter, search_parameters
from labgen.render.sample_texts import DECODE, KIT, LIST, MISSING, REPEAT, RESOLVE, SEARCH, SEARCH_FILES, WALK
from labgen.render.samples import CodeSample, sample

NOBODY = "0" * 20
"""A display_id that no laboratory has."""


class SearchTerm(NamedTuple):
    """The search term of the search sample: an entry of a section, and the query parameter for its value."""

    section: str
    argument: str
    value: str


def search_term_in(examples: Mapping[str, Any]) -> SearchTerm | None:
    """Return the search term for the first searchable entry of the example's laboratory, if there is one."""
    for name, document in examples.items():
        if isinstance(document, dict) and document.get("search_arg") and document["items"]:
            return SearchTerm(name, document["search_arg"], document["items"][0]["search_val"])
    return None


class Topic(NamedTuple):
    """A part of the guide: its id on the page, title, sentences, and a code sample if there is one.

    `files` are files of the site that it speaks of, `parameters` those of the requests.
    """

    id: str
    title: str
    sentences: tuple[Markup, ...]
    sample: CodeSample | None = None
    files: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()


class Guide:
    """Writes the topics of the guide; `lab` is the laboratory whose documents the samples request.

    `found` is the search term of the search sample: an entry of one of the laboratory's sections.
    """

    def __init__(
        self, directory: Directory, hosts: HostAbilities, lab: str | None, found: "SearchTerm | None"
    ) -> None:
        self.found = found
        self.directory = directory
        self.words = directory.language.words
        self.site = directory.site
        self.hosts = hosts
        self.file = hosts.document_name
        self.lab = lab
        self.list_path = f"{self.site.base_path}{LABORATORIES}{self.file}"
        self.lab_folder = f"{self.site.base_path}{LABORATORIES}{lab}/"
        self.lab_path = self.lab_folder + self.file if lab else ""

    def topics(self) -> Iterator[Topic]:
        """Yield the topics in their order."""
        yield self._topic("base", ("text", True), ("files", not self.hosts.has_paths))
        kit = self._topic("kit", ("text", True), sample=self._kit())
        yield kit._replace(files=(CLIENT_FILE, TYPES_FILE))
        yield self._topic("list", ("text", True), sample=self._list())
        yield self._topic("decode", ("text", True), sample=self._of_lab("decode", DECODE))
        if self.found:
            yield self._search(self.found)
        yield self._errors()
        yield self._cache()
        yield self._topic(
            "cors",
            ("text", self.hosts.sends_common),
            ("preflight", self.hosts.sends_common and self.hosts.has_options),
            ("none", not self.hosts.sends_common),
        )
        yield self._formats()
        yield self._topic(
            "paths",
            ("text", True),
            ("website", bool(self.site.website_url)),
            ("public", self.site.has_public_pages),
            ("elsewhere", not self.site.website_url and not self.site.has_public_pages),
            sample=self._of_lab("paths", RESOLVE),
        )
        yield self._topic("stability", ("text", True), ("proposed", True))

    def _topic(self, name: str, *sentences: tuple[str, bool], sample: CodeSample | None = None) -> Topic:
        """Return a topic with the sentences whose condition is true."""
        texts = tuple(self._said(f"guide_{name}_{key}") for key, is_true in sentences if is_true)
        return Topic(f"guide-{name}", self.words[f"guide_{name}"], texts, sample)

    def _said(self, word: str) -> Markup:
        values = {
            "size": str(self.site.limits.page_size),
            "documents": REVALIDATED,
            "files": IMMUTABLE,
            "headers": CORS_HEADERS,
            "exposed": EXPOSED,
            "website": self.site.website_url,
            "body": render_json({"detail": self.words["not_found"]}).decode(),
        }
        text = re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], found[0]), self.words[word])
        return inline(text)

    def _sample(self, key: str, codes: dict[str, str], path: str, **values: str) -> CodeSample:
        title = self.words[f"guide_{key}"]
        return sample(key, title, self.site.base_url, codes, path=path, **values)

    def _of_lab(self, key: str, codes: dict[str, str]) -> CodeSample | None:
        return self._sample(key, codes, self.lab_path) if self.lab_path else None

    def _kit(self) -> CodeSample | None:
        if not self.lab:
            return None
        return self._sample("kit", KIT, "", lab=self.lab, **self._of_client())

    def _of_client(self) -> dict[str, str]:
        """Return what samples give to the clients."""
        document = f', document="{self.file}"' if self.file else ""
        return {"base": self.site.base_path, "python_document": document}

    def _list(self) -> CodeSample:
        return self._sample("list", LIST, self.list_path, **self._after_next())

    def _after_next(self) -> dict[str, str]:
        """Return the code that samples append to the path of the next page."""
        if self.hosts.has_paths:
            return {"js_file": "", "python_file": "", "php_file": ""}
        return {
            "js_file": f' && next + "{JSON_FILE}"',
            "python_file": f' and page["next"] + "{JSON_FILE}"',
            "php_file": f' ? $page["next"] . "{JSON_FILE}" : null',
        }

    def _search(self, found: "SearchTerm") -> Topic:
        folder = f"{self.site.base_path}{LABORATORIES}"
        values = {"argument": found.argument, "value": found.value, "section": found.section}
        values |= self._of_client() | {
            "file": self.file,
            "folder": folder,
            "example": f"{self.lab_folder}{found.section}/{self.file}",
        }
        has_index = self.site.search.enabled
        has_search = has_index and self.hosts.has_search
        codes = SEARCH if has_search else SEARCH_FILES if has_index else WALK
        topic = self._topic(
            "search",
            ("text", True),
            ("host", has_search),
            ("index", has_index and not has_search),
            ("next", has_index and not has_search),
            ("walk", not has_index),
            ("facets", has_index),
            sample=self._sample("search", codes, self.list_path, **values, **self._after_next()),
        )
        parameters = search_parameters(self.directory) if has_index and not has_search else ()
        return topic._replace(parameters=tuple(parameters))

    def _errors(self) -> Topic:
        reasons = {
            "js_reason": "answer.url",
            "python_reason": "error.url",
            "php_reason": '"no such document"',
        }
        if self.hosts.has_json_errors:
            reasons = {
                "js_reason": "(await answer.json()).detail",
                "python_reason": 'json.load(error)["detail"]',
                "php_reason": "json_decode($answer)->detail",
            }
        path = f"{self.site.base_path}{LABORATORIES}{NOBODY}/{self.file}"
        return self._topic(
            "errors",
            ("text", True),
            ("json", self.hosts.has_json_errors),
            ("none", not self.hosts.has_json_errors),
            ("methods", self.hosts.has_method_errors),
            ("slash", self.hosts.has_redirect),
            sample=self._sample("errors", MISSING, path, **reasons),
        )

    def _cache(self) -> Topic:
        hosts = self.hosts
        return self._topic(
            "cache",
            ("text", hosts.has_revalidation),
            ("files", hosts.keeps_files),
            ("etag", hosts.has_not_modified),
            ("none", not (hosts.has_revalidation or hosts.keeps_files)),
            sample=self._of_lab("cache", REPEAT) if hosts.has_not_modified else None,
        )

    def _formats(self) -> Topic:
        said = (
            ("parameter_format", self.hosts.has_page_query),
            ("answers_accept", self.hosts.has_accept),
            ("answers_page", not self.hosts.has_page_query),
        )
        texts = [inline(self.words[word]) for word, is_true in said if is_true]
        if self.hosts.has_page_query:
            texts[0] = Markup("<code>?format=</code> ") + texts[0]
        return Topic("guide-formats", self.words["guide_formats"], tuple(texts))
