"""The HTTP contract (docs/reference/contract.md): requests, and what is expected of the answers, as data.

A row is a request and what is expected of the answer. The rows are derived for as many paths of documents
as one likes, and compared with what a host sent.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from labgen.model.site_paths import JSON_FILE, PAGE_FILE, file_of

JSON_TYPE = "application/json"
PAGE_TYPE = "text/html; charset=utf-8"
METHODS = "GET, HEAD, OPTIONS"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
"""What browsers send as `Accept` when somebody opens an address."""


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
    """A header field of an answer: its value, or, with `is_part`, the members that its list must have."""

    name: str
    value: str
    is_part: bool = False


@dataclass(frozen=True, slots=True)
class Expected:
    """What an answer must be: one of the statuses, with a media type, header fields and a body.

    `file` is the file under out/ whose bytes are the body, "" for an empty body, None for any. A media type
    of None is not looked at.
    """

    statuses: frozenset[int]
    media_type: str | None = None
    file: str | None = None
    fields: tuple[Field, ...] = ()


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
    "front": "answer the root of the site with index.html, and reference/ with the one there",
}
"""What rows are about, and what mends each."""

_STARTS = (
    ("front-page", "front"),
    ("reference-page", "front"),
    ("openapi", "files"),
    ("json-file", "files"),
    ("page-file", "files"),
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
    ("refuse", "missing"),
    ("headers", "headers"),
    ("vary", "headers"),
    ("allow", "headers"),
)

ANYWHERE = (Field("Access-Control-Allow-Origin", "*"), Field("X-Content-Type-Options", "nosniff"))
"""On every answer."""
VARY = Field("Vary", "Accept", is_part=True)
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
    """Yield the rows of what is not there, and of what nobody should ask."""
    api = f"{base_path}/api/v1/laboratory/"
    must, should = Level.MUST, Level.SHOULD
    for name, target, level in (
        ("unknown-path", f"{api}laboratories/0/", must),
        ("unknown-path-without-slash", f"{api}laboratories/0", must),
        ("unknown-section", f"{api}nothing/", must),
        ("unknown-file", f"{api}nothing.txt", must),
        ("unknown-version", f"{base_path}/api/v9/", must),
    ):
        yield Row(name, level, Request("GET", target), _missing())
    front = Expected(OK, PAGE_TYPE, "index.html")
    yield Row("front-page", should, Request("GET", f"{base_path}/"), front)
    reference = Expected(OK, PAGE_TYPE, "reference/index.html")
    yield Row("reference-page", should, Request("GET", f"{base_path}/reference/"), reference)
    openapi = Expected(OK, JSON_TYPE, "openapi.json")
    yield Row("openapi", should, Request("GET", f"{base_path}/openapi.json"), openapi)
    unknown = f"{api}laboratories/0/"
    yield Row("unknown-path-for-browsers", must, Request("GET", unknown, (("Accept", BROWSER),)), _missing())
    yield Row("unknown-path-by-head", should, Request("HEAD", unknown), _without_body(_missing()))
    yield Row(
        "no-post-to-unknown", should, Request("POST", unknown), Expected(NOT_FOUND | NOT_ALLOWED, JSON_TYPE)
    )
    yield Row("headers-on-404", must, Request("GET", unknown), Expected(NOT_FOUND, fields=ANYWHERE))
    no_page = Expected(NOT_FOUND, PAGE_TYPE, "404.html")
    yield Row("unknown-page", Level.OPTIONAL, Request("GET", unknown + "?format=api"), no_page)
    for name, target in (
        ("up", f"{api}../../../../../etc/passwd"),
        ("up-encoded", f"{api}%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd"),
        ("up-by-slash", f"{api}..%2f..%2f..%2f..%2fetc%2fpasswd"),
        ("nul", f"{api}%00/"),
        ("not-utf-8", f"{api}%ff/"),
        ("long", f"{api}{'x' * 300}/"),
    ):
        yield Row(f"refuse-{name}", must, Request("GET", target), Expected(REFUSED))


def _without_body(expected: Expected) -> Expected:
    return Expected(expected.statuses, expected.media_type, "", expected.fields)


def _missing() -> Expected:
    return Expected(NOT_FOUND, JSON_TYPE, "404.json")


def _not_allowed() -> Expected:
    return Expected(NOT_ALLOWED, JSON_TYPE, None, (ALLOW,))


def _preflight() -> Expected:
    cors = Field("Access-Control-Allow-Methods", METHODS, is_part=True)
    return Expected(frozenset({200, 204}), fields=(*ANYWHERE, ALLOW, cors))


def all_rows(paths: Iterable[str], base_path: str = "") -> Iterator[Row]:
    """Yield the rows of these paths of documents, and those that every site has once."""
    for path in paths:
        yield from rows_for(path, base_path)
    yield from rows_for_site(base_path)


class Received(NamedTuple):
    """What a host sent: the status, the header fields by lower-case name, and the body."""

    status: int
    fields: Mapping[str, str]
    body: bytes


def complaints(expected: Expected, received: Received, body: bytes | None) -> list[str]:
    """Return what is wrong with an answer, a clause each; `body` is what the expected file holds, if any."""
    wrong = []
    if received.status not in expected.statuses:
        wanted = " or ".join(map(str, sorted(expected.statuses)))
        return [f"the status is {received.status}, not {wanted}"]
    if expected.media_type and not _is_type(received.fields.get("content-type", ""), expected.media_type):
        sent = received.fields.get("content-type", "nothing")
        wrong.append(f"the Content-Type is {sent}, not {expected.media_type}")
    if (encoding := received.fields.get("content-encoding", "identity")) != "identity":
        wrong.append(f"it is sent as {encoding}, though nobody asked for that")
    for one in expected.fields:
        sent = received.fields.get(one.name.lower(), "")
        is_there = _members(one.value) <= _members(sent) if one.is_part else sent == one.value
        if not is_there:
            wrong.append(f"{one.name} is {sent or 'missing'}, not {one.value}")
    if expected.file == "" and received.body:
        wrong.append("there is a body where none should be")
    if body is not None and received.body != body:
        wrong.append("the body is not what was built")
    return wrong


def _is_type(sent: str, wanted: str) -> bool:
    """Compare media types; the charset UTF-8 may be left out or added."""
    sent_type, _, sent_rest = sent.lower().partition(";")
    wanted_type = wanted.partition(";")[0]
    charset = sent_rest.strip().removeprefix("charset=").strip('"')
    return sent_type.strip() == wanted_type and charset in ("", "utf-8")


def _members(value: str) -> set[str]:
    return {member.strip().lower() for member in value.split(",") if member.strip()}
