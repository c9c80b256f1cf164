"""Define the HTTP contract (docs/reference/contract.md) as data: requests and expected answers.

A row is one request with the expected answer, and `all_rows` gives the rows of a site. The preview, the tests
and `labgen verify` all use the same rows; `http_answers` compares answers with them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import quote

from labgen.model.site_paths import JSON_FILE, PAGE_FILE, file_of

JSON_TYPE = "application/json"
PAGE_TYPE = "text/html; charset=utf-8"
METHODS = "GET, HEAD, OPTIONS"
CORS_HEADERS = "Accept, Content-Type, If-None-Match"
"""The header fields that scripts of other sites may send."""
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
"""What browsers send as `Accept` when somebody opens an address."""

IMMUTABLE = "public, max-age=31536000, immutable"
"""The `Cache-Control` of files that have a digest of their bytes in their address."""
REVALIDATED = "public, max-age=0, must-revalidate"
"""The `Cache-Control` of all other files."""
DIGEST_FOLDERS = ("media/", "static/")
"""The folders under out/ whose files have a digest in their address."""
MEDIA_TYPES = {
    ".json": JSON_TYPE,
    ".html": PAGE_TYPE,
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".xml": "application/xml",
    ".atom": "application/atom+xml",
    ".csv": "text/csv; charset=utf-8",
    ".jsonl": "application/jsonl",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".ico": "image/x-icon",
    ".webp": "image/webp",
    ".avif": "image/avif",
}
"""The media types of files, by the suffixes of their names."""


class Level(StrEnum):
    """How much a row matters: every full host does it; most do; some can."""

    MUST = "must"
    SHOULD = "should"
    OPTIONAL = "optional"


class Request(NamedTuple):
    """A method, a target (path and query, as they are sent), and header fields."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...] = ()


class Field(NamedTuple):
    """A header field of an answer: its value, or the members that its list must have, or must not have."""

    name: str
    value: str
    is_part: bool = False
    is_banned: bool = False


@dataclass(frozen=True, slots=True)
class Expected:
    """What an answer must be: one of the statuses, with a media type, header fields and a body.

    `file` is the file under out/ whose bytes are the body, "" for an empty body, None for any. A media type
    of None is not looked at. `encoding` is the content coding that the request accepts, if any. `whole` is
    the file whose size the Content-Length of an answer without a body is. With `has_detail`, the body is
    JSON that says in `detail` what is wrong.
    """

    statuses: frozenset[int]
    media_type: str | None = None
    file: str | None = None
    fields: tuple[Field, ...] = ()
    encoding: str = ""
    whole: str = ""
    has_detail: bool = False

    @property
    def content(self) -> str:
        """The file that the answer is compared with, "" if there is none."""
        return self.file or self.whole


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: its name, how much it matters, what is asked, and what is expected.

    `first` is a request whose answer's ETag this one sends back, where that is what is asked about.
    """

    name: str
    level: Level
    request: Request
    expected: Expected
    first: Request | None = None

    @property
    def topic(self) -> str:
        """What the row is about: a key of `TOPICS`, which configurations name in brackets."""
        return next(topic for start, topic in _STARTS if self.name.startswith(start))


TOPICS = {
    "json": "answer a path with its index.json, as application/json, and with no index.html",
    "page": "answer with api.html where ?format=api or a browser asks for it",
    "format": "answer 404 where ?format= is neither json nor api",
    "methods": "answer other methods than GET, HEAD and OPTIONS with 405 and 405.json",
    "options": "answer OPTIONS with 204, Allow and the headers of CORS",
    "slash": "answer a path without its slash with 301, a relative Location and the query",
    "repeat": "send an ETag, and 304 only where it is sent back unchanged",
    "missing": "answer what is not there with 404 and 404.json, never with 200 or 5xx",
    "headers": "send these header fields on every answer, redirects and errors included",
    "files": "serve index.json, api.html and openapi.json under their own names",
    "front": "answer a path outside of api/ that ends in a slash with the index.html there",
    "caching": "let caches keep what has a digest in its address, and revalidate everything else",
    "compression": "compress answers for clients that accept it, with Vary: Accept-Encoding",
}
"""What rows are about, and what mends each."""

_STARTS = (
    ("front-page", "front"),
    ("reference-page", "front"),
    ("search-page", "front"),
    ("openapi", "files"),
    ("json-file", "files"),
    ("page-file", "files"),
    ("file", "files"),
    ("page-is-not-json-unmodified", "repeat"),
    ("json", "json"),
    ("head-json", "json"),
    ("page", "page"),
    ("head-page", "page"),
    ("unknown-format", "format"),
    ("no-post-to-unknown", "missing"),
    ("no-", "methods"),
    ("options", "options"),
    ("slash", "slash"),
    ("not-modified", "repeat"),
    ("modified", "repeat"),
    ("unknown", "missing"),
    ("gone", "missing"),
    ("hidden", "missing"),
    ("refuse", "missing"),
    ("headers", "headers"),
    ("vary", "headers"),
    ("allow", "headers"),
    ("revalidate", "caching"),
    ("immutable", "caching"),
    ("gzip", "compression"),
    ("brotli", "compression"),
    ("zstd", "compression"),
)

ANYWHERE = (Field("Access-Control-Allow-Origin", "*"), Field("X-Content-Type-Options", "nosniff"))
"""On every answer."""
VARY = Field("Vary", "Accept", is_part=True)
VARY_ENCODING = Field("Vary", "Accept-Encoding", is_part=True)
ALLOW = Field("Allow", METHODS, is_part=True)
OK, MOVED, NOT_MODIFIED, NOT_FOUND, NOT_ALLOWED = (
    frozenset({status}) for status in (200, 301, 304, 404, 405)
)
REFUSED = frozenset({400, 403, 404, 414})
"""What a host may say to a target that is no path at all; never 5xx."""


def rows_for(path_in_site: str, base_path: str = "") -> Iterator[Row]:
    """Yield the rows of a path that has a document; the site lies below the base path."""
    path = base_path + path_in_site
    json = Expected(OK, JSON_TYPE, file_of(path_in_site, JSON_FILE))
    page = Expected(OK, PAGE_TYPE, file_of(path_in_site, PAGE_FILE))
    must, should = Level.MUST, Level.SHOULD

    def row(name: str, level: Level, query: str, accept: str, expected: Expected, method: str = "GET") -> Row:
        headers = (("Accept", accept),) if accept else ()
        return Row(name, level, Request(method, path + query, headers), expected)

    yield row("json", must, "", "", json)
    yield row("json-for-anything", must, "", "*/*", json)
    yield row("json-by-accept", must, "", JSON_TYPE, json)
    yield row("json-before-page-by-accept", must, "", f"text/html, {JSON_TYPE}", json)
    yield row("json-by-query", must, "?format=json", "", json)
    yield row("json-by-query-for-browsers", must, "?format=json", BROWSER, json)
    yield row("page-by-query", must, "?format=api", "", page)
    yield row("page-by-query-before-accept", must, "?format=api", JSON_TYPE, page)
    yield row("page-for-browsers", must, "", BROWSER, page)
    yield row("page-with-other-query", should, "?limit=3&format=api&x=1", "", page)
    yield row("json-with-other-query", should, "?limit=3", "", json)
    yield row("unknown-format", must, "?format=xml", "", _missing())
    yield row("json-by-empty-query", must, "?format=", "", json)
    yield row("page-by-empty-query-for-browsers", must, "?format=", BROWSER, page)
    yield row("page-by-encoded-query", must, "?%66ormat=%61pi", "", page)
    yield row("head-json", must, "", "", _without_body(json), "HEAD")
    yield row("head-page", must, "?format=api", "", _without_body(page), "HEAD")
    yield Row("options", must, Request("OPTIONS", path), _preflight())
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        yield row(f"no-{method.lower()}", must, "", "", _not_allowed(), method)
    yield from _redirects(path)
    yield from _repeats(path, json.file or "", page.file or "")
    yield Row("json-file", must, Request("GET", path + JSON_FILE), json)
    yield Row("page-file", must, Request("GET", path + PAGE_FILE), page)
    yield from _headers(path)
    yield from _caching(path)
    yield from _compressed(path, json)


def _headers(path: str) -> Iterator[Row]:
    """Yield what is asked of header fields alone, whatever else is right or wrong."""
    document, api = Request("GET", path), Request("GET", path + "?format=api")
    bare, file = Request("GET", path.rstrip("/")), Request("GET", path + JSON_FILE)
    yield Row("vary", Level.MUST, document, Expected(OK, fields=(VARY,)))
    yield Row("vary-on-page", Level.MUST, api, Expected(OK, fields=(VARY,)))
    yield Row("allow", Level.MUST, document, Expected(OK, fields=(ALLOW,)))
    yield Row("allow-on-page", Level.MUST, api, Expected(OK, fields=(ALLOW,)))
    yield Row("headers", Level.MUST, document, Expected(OK, fields=ANYWHERE))
    yield Row("headers-on-page", Level.MUST, api, Expected(OK, fields=ANYWHERE))
    yield Row("headers-on-file", Level.MUST, file, Expected(OK, fields=ANYWHERE))
    yield Row("headers-on-redirect", Level.MUST, bare, Expected(MOVED, fields=ANYWHERE))
    yield Row("headers-on-repeat", Level.MUST, document, Expected(NOT_MODIFIED, fields=ANYWHERE), document)
    yield Row("headers-on-405", Level.MUST, Request("POST", path), Expected(NOT_ALLOWED, fields=ANYWHERE))


def _caching(path: str) -> Iterator[Row]:
    revalidated = Expected(OK, fields=(Field("Cache-Control", REVALIDATED, is_part=True),))
    yield Row("revalidate", Level.MUST, Request("GET", path), revalidated)
    yield Row("revalidate-page", Level.MUST, Request("GET", path + "?format=api"), revalidated)


def _compressed(target: str, plain: Expected) -> Iterator[Row]:
    """Yield the rows of an answer for clients that accept it compressed."""
    for name, encoding, level in (("gzip", "gzip", Level.SHOULD), ("brotli", "br", Level.OPTIONAL)):
        request = Request("GET", target, (("Accept-Encoding", encoding),))
        yield Row(name, level, request, Expected(OK, plain.media_type, plain.file, encoding=encoding))


def rows_for_file(file: str, base_path: str = "") -> Iterator[Row]:
    """Yield the rows of a file that has a digest in its address, such as a picture."""
    media_type = MEDIA_TYPES.get(PurePosixPath(file).suffix)
    request = Request("GET", f"{base_path}/{quote(file)}")
    fields = (Field("Cache-Control", IMMUTABLE, is_part=True),)
    yield Row("immutable", Level.MUST, request, Expected(OK, media_type, file, fields))
    yield Row("headers-on-picture", Level.MUST, request, Expected(OK, fields=ANYWHERE))


def _redirects(path: str) -> Iterator[Row]:
    bare = path.rstrip("/")
    moved = Expected(MOVED, fields=(Field("Location", path),))
    yield Row("slash", Level.MUST, Request("GET", bare), moved)
    yield Row("slash-for-head", Level.SHOULD, Request("HEAD", bare), moved)
    kept = Expected(MOVED, fields=(Field("Location", path + "?format=api"),))
    yield Row("slash-keeps-query", Level.MUST, Request("GET", bare + "?format=api"), kept)


def _repeats(path: str, json: str, page: str) -> Iterator[Row]:
    same = Expected(NOT_MODIFIED, file="")
    yield Row("not-modified", Level.MUST, Request("GET", path), same, Request("GET", path))
    api = Request("GET", path + "?format=api")
    yield Row("not-modified-page", Level.MUST, api, same, api)
    other = Expected(OK, PAGE_TYPE, page)
    older = Request("GET", path, (("If-None-Match", '"an-older-version"'),))
    yield Row("modified", Level.MUST, older, Expected(OK, JSON_TYPE, json))
    yield Row("page-is-not-json-unmodified", Level.MUST, api, other, Request("GET", path))


def rows_for_site(base_path: str) -> Iterator[Row]:
    """Yield the rows of what a site has once, of what is not there, and of what nobody should ask."""
    yield from _pages(base_path)
    yield from _unknown(base_path)
    api = f"{base_path}/api/v1/laboratory/"
    for name, target in (
        ("up", f"{api}../../../../../etc/passwd"),
        ("up-encoded", f"{api}%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd"),
        ("up-by-slash", f"{api}..%2f..%2f..%2f..%2fetc%2fpasswd"),
        ("nul", f"{api}%00/"),
        ("not-utf-8", f"{api}%ff/"),
        ("long", f"{api}{'x' * 300}/"),
    ):
        yield Row(f"refuse-{name}", Level.MUST, Request("GET", target), Expected(REFUSED))


def _pages(base_path: str) -> Iterator[Row]:
    """Yield the rows of the front page, the reference and openapi.json."""
    should = Level.SHOULD
    front = Expected(OK, PAGE_TYPE, "index.html")
    yield Row("front-page", should, Request("GET", f"{base_path}/"), front)
    if base_path:
        moved = Expected(MOVED, fields=(*ANYWHERE, Field("Location", f"{base_path}/?x=1")))
        yield Row("slash-of-site", Level.MUST, Request("GET", f"{base_path}?x=1"), moved)
    yield from rows_for_page("/reference/", base_path, "reference")
    openapi = Expected(OK, JSON_TYPE, "openapi.json")
    yield Row("openapi", should, Request("GET", f"{base_path}/openapi.json"), openapi)
    yield from _compressed(f"{base_path}/openapi.json", openapi)


def rows_for_page(path: str, base_path: str, name: str = "search") -> Iterator[Row]:
    """Yield the rows of a page that is no document's."""
    page = Expected(OK, PAGE_TYPE, file_of(path, "index.html"))
    yield Row(f"{name}-page", Level.SHOULD, Request("GET", base_path + path), page)
    moved = Expected(MOVED, fields=(*ANYWHERE, Field("Location", f"{base_path}{path}?x=1")))
    yield Row(f"slash-of-{name}", Level.SHOULD, Request("GET", f"{base_path}{path.rstrip('/')}?x=1"), moved)


def _unknown(base_path: str) -> Iterator[Row]:
    """Yield the rows of what is not there."""
    api = f"{base_path}/api/v1/laboratory/"
    must, should = Level.MUST, Level.SHOULD
    for name, target, level in (
        ("unknown-path", f"{api}laboratories/0/", must),
        ("unknown-path-without-slash", f"{api}laboratories/0", must),
        ("unknown-section", f"{api}nothing/", must),
        ("unknown-file", f"{api}nothing.txt", must),
        ("unknown-version", f"{base_path}/api/v9/", should),
        ("unknown-path-with-encoded-slash", f"{api}laboratories%2F0/", should),
    ):
        yield Row(name, level, Request("GET", target), _missing())
    unknown = f"{api}laboratories/0/"
    yield Row("unknown-path-for-browsers", must, Request("GET", unknown, (("Accept", BROWSER),)), _missing())
    yield Row("unknown-path-by-head", should, Request("HEAD", unknown), _without_body(_missing()))
    yield Row(
        "no-post-to-unknown",
        should,
        Request("POST", unknown),
        Expected(NOT_FOUND | NOT_ALLOWED, JSON_TYPE, has_detail=True),
    )
    yield Row("headers-on-404", must, Request("GET", unknown), Expected(NOT_FOUND, fields=ANYWHERE))
    no_page = Expected(NOT_FOUND, PAGE_TYPE, "404.html")
    yield Row("unknown-page", Level.OPTIONAL, Request("GET", unknown + "?format=api"), no_page)
    picture = Request("GET", f"{base_path}/media/0000000000000000/nothing.webp")
    kept = Field("Cache-Control", "immutable", is_banned=True)
    yield Row("unknown-picture", should, picture, Expected(NOT_FOUND, fields=(kept,)))
    outside = f"{base_path}/nothing/"
    anyone = Expected(NOT_FOUND, JSON_TYPE, "404.json", (VARY,))
    yield Row("unknown-outside-api", should, Request("GET", outside), anyone)
    browser = Expected(NOT_FOUND, PAGE_TYPE, "404.html", (VARY,))
    request = Request("GET", outside, (("Accept", BROWSER),))
    yield Row("unknown-outside-api-for-browsers", should, request, browser)


def _without_body(expected: Expected) -> Expected:
    return Expected(expected.statuses, expected.media_type, "", expected.fields, whole=expected.file or "")


def _missing() -> Expected:
    return Expected(NOT_FOUND, JSON_TYPE, "404.json")


def _not_allowed() -> Expected:
    return Expected(NOT_ALLOWED, JSON_TYPE, None, (ALLOW,), has_detail=True)


def _preflight() -> Expected:
    cors = Field("Access-Control-Allow-Methods", METHODS, is_part=True)
    return Expected(frozenset({200, 204}), fields=(*ANYWHERE, ALLOW, cors))


def all_rows(
    paths: Iterable[str], base_path: str = "", files: Iterable[str] = (), pages: Iterable[str] = ()
) -> Iterator[Row]:
    """Yield the rows of these paths of documents, of these files, and those that every site has once.

    `files` are names under out/ that have a digest in their address, `pages` paths of pages of the search.
    """
    for path in paths:
        yield from rows_for(path, base_path)
    for file in files:
        yield from rows_for_file(file, base_path)
    for path in pages:
        yield from rows_for_page(path, base_path)
    yield from rows_for_site(base_path)
