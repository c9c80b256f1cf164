"""Read the documents of a site with this API over HTTP, search it, and decode what it encodes."""

import json
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from http.client import HTTPException
from typing import Any, NamedTuple, NotRequired, Self, TypedDict, cast
from urllib.parse import urlencode, urljoin, urlsplit

from labgen.client.documents import (
    FoundLaboratories,
    GalleryImage,
    LaboratoryDocument,
    LaboratoryList,
    SectionReader,
    SimilarLab,
    Suggestion,
    UpgradeOptions,
    WholeLaboratory,
)
from labgen.search import Search, web_reader
from labgen.search.foldings import foldings

API = "api/v1/laboratory/"
LABORATORIES = f"{API}laboratories/"
OK, NOT_FOUND, TOO_MANY, FAILED = 200, 404, 429, 500


class DirectoryError(OSError):
    """An answer that is no document: its URL, its status, its reason in the language of the site or ""."""

    def __init__(self, url: str, status: int, detail: str) -> None:
        super().__init__(f"{url}: HTTP {status}{detail and f', {detail}'}")
        self.url, self.status, self.detail = url, status, detail


class CatalogueEntry(TypedDict):
    """An entry of a catalogue: what a search looks for, its title, and how many laboratories have it.

    `id` and `summary` are absent where the site has no catalogues.
    """

    id: NotRequired[int | None]
    search_val: str
    title: str
    summary: NotRequired[str]
    count: int


class PartOfDigests(TypedDict):
    """The digest of a part of the laboratories, and the digests of these by display_id."""

    digest: str
    laboratories: dict[str, str]


Digests = dict[str, PartOfDigests]
"""What a copy has of the laboratories, by the paths of the parts; it can be stored as JSON."""


class Changes(NamedTuple):
    """What is different from before: laboratories that are new or have changed, and those that are gone.

    `now` is kept until the changes are asked for again.
    """

    now: Digests
    changed: list[str]
    gone: list[str]


class Found(LaboratoryList, FoundLaboratories):
    """What a search finds, one page of it; the facets are those that were asked for."""


def decode(codes: str) -> str:
    """Return the e-mail address or telephone number in `encoded_email` or `encoded_phone`; "" if none."""
    return "".join([chr(int(code)) for code in codes.split(",") if code])


class Directory:
    """A directory at a URL, read over one connection, which `close` or the end of a `with` block closes.

    A document is asked for up to `attempts` times where the host fails; the second time after `wait` seconds,
    then after twice as long. `document` is the name of documents on hosts of files alone: `index.json`.
    """

    def __init__(
        self, url: str, *, timeout: float = 10.0, attempts: int = 3, wait: float = 0.2, document: str = ""
    ) -> None:
        self.reader = web_reader(url, timeout)
        self.root = f"{url.rstrip('/')}/"
        self.attempts, self.wait, self.document = attempts, wait, document
        self.section = cast("SectionReader", self._section)
        self._search = Search(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self.reader.close()

    def laboratories(self) -> Iterator[SimilarLab]:
        """Yield all laboratories in the order of their numbers; pages are read as they are needed."""
        yield from self._listed(LABORATORIES)

    def _listed(self, path: str | None) -> Iterator[Any]:
        """Yield the entries of a list in pages."""
        while path is not None:
            page = self._document(path)
            yield from page["results"]
            path = page["next"]

    def laboratory(self, display_id: str) -> LaboratoryDocument:
        """Return the record of a laboratory."""
        found: LaboratoryDocument = self._document(_path_of(display_id))
        return found

    def _section(self, display_id: str, name: str) -> Any:
        """Return a section of a laboratory."""
        return self._document(f"{_path_of(display_id)}{_named(name, 'the name of a section')}/")

    def all(self, display_id: str) -> WholeLaboratory:
        """Return a laboratory with all sections that the site has, each under its name.

        That is one document where the site has it.
        """
        if path := self._paths.get("getWholeLaboratory"):
            whole: WholeLaboratory = self._document(
                path.lstrip("/").replace("{display_id}", _number(display_id))
            )
            return whole
        found: dict[str, Any] = {"laboratory": self.laboratory(display_id)}
        found |= {name: self._section(display_id, name) for name in self.sections()}
        return cast("WholeLaboratory", found)

    @cached_property
    def _paths(self) -> dict[str, str]:
        """The paths of all documents, by the names of their operations, from `openapi.json`."""
        paths = self._json("openapi.json")["paths"]
        return {one["get"]["operationId"]: path for path, one in paths.items()}

    def sections(self) -> tuple[str, ...]:
        """Return the names of the sections that the site has; they are read once, from `openapi.json`."""
        start = f"/{LABORATORIES}{{display_id}}/"
        found = (path.removeprefix(start) for path in self._paths.values() if path.startswith(start))
        return tuple(path.rstrip("/") for path in found if path)

    def new_laboratories(self) -> list[SimilarLab]:
        """Return the newest laboratories."""
        found: list[SimilarLab] = self._document(f"{LABORATORIES}new/")
        return found

    def upgrade_options(self) -> UpgradeOptions:
        """Return the paid plans."""
        found: UpgradeOptions = self._document(f"{API}upgrade-options/")
        return found

    def catalogue(self, name: str) -> list[CatalogueEntry]:
        """Return the entries that laboratories have of a section, a country or a status, by title.

        Needs the catalogues or the search of the site.
        """
        own = _named(name, "the name of a catalogue")
        if path := self._paths.get("listCatalogue"):
            found = self._listed(path.lstrip("/").replace("{catalogue}", own))
            return [one for one in found if one["count"]]
        with self._searching():
            entries = cast("list[CatalogueEntry] | None", self._search.values(own))
        if entries is None:
            raise DirectoryError(f"{self.root}search/", NOT_FOUND, f'the site has no catalogue "{own}"')
        return sorted(entries, key=lambda one: (foldings(one["title"])[0], one["title"]))

    def changes(self, before: Digests | None = None) -> Changes:
        """Return which laboratories have changed since `before`, the `now` of an earlier call.

        Needs the whole laboratories of the site.
        """
        had, now = before or {}, Digests()
        path = self._paths.get("getChanges", "/directory/v1/changes/")
        for part in self._document(path.lstrip("/"))["parts"]:
            path, digest = part["path"], part["digest"]
            if path in had and had[path]["digest"] == digest:
                now[path] = had[path]
            else:
                some = self._document(path)["laboratories"]
                found = {one["display_id"]: one["digest"] for one in some}
                now[path] = PartOfDigests(digest=digest, laboratories=found)
        was, has = _laboratories_in(had), _laboratories_in(now)
        changed = [one for one in has if has[one] != was.get(one)]
        return Changes(now, sorted(changed), sorted(was.keys() - has.keys()))

    def search(self, query: str | Mapping[str, Any] = "") -> Found:
        """Return what a query finds: its parameters, or an address such as `next` of what was found before.

        Needs the search of the site. Raises ValueError for words alone: they are the parameter `q`.
        """
        with self._searching():
            answer = self._search(_query(query))
        if answer.status != OK:
            raise DirectoryError(f"{self.root}search/", answer.status, _reason(answer.document))
        return cast("Found", answer.document)

    def suggest(self, text: str, query: str | Mapping[str, Any] = "", only: str = "") -> list[Suggestion]:
        """Return at most eight entries that a text may mean; of one section only, if `only` names it.

        Their numbers are of the laboratories that match a query, too. Needs the search of the site.
        """
        with self._searching():
            return cast("list[Suggestion]", self._search.suggest(text, _query(query), only)["suggestions"])

    @contextmanager
    def _searching(self) -> Iterator[None]:
        """Raise DirectoryError where the site has no search."""
        try:
            yield
        except LookupError as error:
            raise DirectoryError(f"{self.root}search/", NOT_FOUND, str(error)) from error

    def url(self, path: str) -> str:
        """Return the URL of a path in a document, such as `logo_url` or `url`."""
        return urljoin(self.root, path)

    def srcset(self, picture: LaboratoryDocument | GalleryImage) -> str:
        """Return the attribute `srcset` for the logo of a laboratory, or for a picture of its gallery."""
        sizes = {"logo_url": "1x", "logo2x_url": "2x", "preview_url": "160w", "large_url": "1600w"}
        fields = cast("dict[str, str]", picture)
        return ", ".join(f"{self.url(fields[name])} {size}" for name, size in sizes.items() if name in fields)

    def _document(self, path: str) -> Any:
        """Return a document by its path: below the site, or as documents have it."""
        inside = path.removeprefix(urlsplit(self.root).path) if path.startswith("/") else path
        return self._json(inside + self.document)

    def _json(self, name: str) -> Any:
        status, body = self._answer(name)
        if status != OK:
            raise DirectoryError(self.root + name, status, _detail_in(body))
        try:
            return json.loads(body)
        except ValueError as error:
            raise DirectoryError(self.root + name, status, "the answer is not JSON") from error

    def _file(self, name: str) -> bytes | None:
        """Return a file of the search, None if there is none."""
        status, body = self._answer(name)
        if status not in (OK, NOT_FOUND):
            raise DirectoryError(self.root + name, status, _detail_in(body))
        return body if status == OK else None

    def _answer(self, name: str) -> tuple[int, bytes]:
        """Return the status and the body of an answer; ask again where the host fails or is not there."""
        for attempt in range(1, self.attempts):
            try:
                status, body = self.reader.answer(name)
                if status != TOO_MANY and status < FAILED:
                    return status, body
            except (OSError, HTTPException):
                self.reader.close()
            time.sleep(self.wait * 2 ** (attempt - 1))
        return self.reader.answer(name)


def _laboratories_in(digests: Digests) -> dict[str, str]:
    return {one: digest for part in digests.values() for one, digest in part["laboratories"].items()}


def _path_of(display_id: str) -> str:
    return f"{LABORATORIES}{_number(display_id)}/"


def _number(display_id: str) -> str:
    return _named(display_id, 'a display_id, a text of digits such as "00123"', "[0-9]+")


def _named(name: str, what: str, pattern: str = "[a-z_]+") -> str:
    """Return a segment of a path. Raises ValueError for what would be another path."""
    if isinstance(name, str) and re.fullmatch(pattern, name, re.ASCII):
        return name
    raise ValueError(f"{name!r} is not {what}")


def _query(query: str | Mapping[str, Any]) -> str:
    """Return a query as text; raise ValueError if it is words."""
    if not isinstance(query, str):
        return urlencode({key: _joined(query[key]) for key in query})
    if query and not re.search(r"[=?/]", query):
        raise ValueError(f'"{query}" has no parameter; words are {{"q": "{query}"}}')
    return query


def _joined(value: Any) -> str:
    """Return the value of a parameter; several are joined by commas."""
    some = value if isinstance(value, list | tuple | set | frozenset) else [value]
    return ",".join(str(one).lower() if isinstance(one, bool) else str(one) for one in some)


def _detail_in(body: bytes) -> str:
    """Return the reason that an error document gives, "" if it is none."""
    try:
        return _reason(json.loads(body))
    except ValueError:
        return ""


def _reason(document: Any) -> str:
    """Return the reason in an error document: `{detail}`, or texts by the names of arguments."""
    if not isinstance(document, dict):
        return ""
    if "detail" in document:
        return str(document["detail"])
    return "; ".join(f"{name}: {_joined(texts)}" for name, texts in document.items())
