"""How a host answers: the table of decisions, section HTTP, as data.

A row is a request and what is expected of the answer. The rows are derived for as many paths of documents
as one likes, and compared with what a host sent.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from labgen.paths import JSON_FILE, PAGE_FILE, file_of

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


ANYWHERE = (Field("Access-Control-Allow-Origin", "*"), Field("X-Content-Type-Options", "nosniff"))
"""On every answer."""
OF_DOCUMENTS = (*ANYWHERE, Field("Vary", "Accept", is_part=True), Field("Allow", METHODS, is_part=True))
"""On the answers of paths."""
OK, MOVED, NOT_MODIFIED, NOT_FOUND, NOT_ALLOWED = (
    frozenset({status}) for status in (200, 301, 304, 404, 405)
)
REFUSED = frozenset({400, 403, 404, 414})
"""What a host may say to a target that is no path at all; never 5xx."""


def rows_for(path_in_site: str, base_path: str = "") -> Iterator[Row]:
    """Yield the rows of a path that has a document; the site lies below the base path."""
    path = base_path + path_in_site
    json = Expected(OK, JSON_TYPE, file_of(path_in_site, JSON_FILE), OF_DOCUMENTS)
    page = Expected(OK, PAGE_TYPE, file_of(path_in_site, PAGE_FILE), OF_DOCUMENTS)
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
    yield from _repeats(path, page.file or "")
    yield Row(
        "json-file", must, Request("GET", path + JSON_FILE), Expected(OK, JSON_TYPE, json.file, ANYWHERE)
    )
    yield Row(
        "page-file", must, Request("GET", path + PAGE_FILE), Expected(OK, PAGE_TYPE, page.file, ANYWHERE)
    )


def _redirects(path: str) -> Iterator[Row]:
    bare = path.rstrip("/")
    moved = Expected(MOVED, fields=(*ANYWHERE, Field("Location", path)))
    yield Row("slash", Level.MUST, Request("GET", bare), moved)
    yield Row("slash-for-head", Level.SHOULD, Request("HEAD", bare), moved)
    kept = Expected(MOVED, fields=(*ANYWHERE, Field("Location", path + "?format=api")))
    yield Row("slash-keeps-query", Level.MUST, Request("GET", bare + "?format=api"), kept)


def _repeats(path: str, page: str) -> Iterator[Row]:
    same = Expected(NOT_MODIFIED, file="", fields=ANYWHERE)
    yield Row("not-modified", Level.MUST, Request("GET", path), same, Request("GET", path))
    api = Request("GET", path + "?format=api")
    yield Row("not-modified-page", Level.MUST, api, same, api)
    other = Expected(OK, PAGE_TYPE, page)
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
    unknown = f"{api}laboratories/0/"
    yield Row("unknown-path-for-browsers", must, Request("GET", unknown, (("Accept", BROWSER),)), _missing())
    yield Row("unknown-path-by-head", should, Request("HEAD", unknown), _without_body(_missing()))
    yield Row(
        "no-post-to-unknown", should, Request("POST", unknown), Expected(NOT_FOUND | NOT_ALLOWED, JSON_TYPE)
    )
    no_page = Expected(NOT_FOUND, PAGE_TYPE, "404.html", ANYWHERE)
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
    return Expected(NOT_FOUND, JSON_TYPE, "404.json", ANYWHERE)


def _not_allowed() -> Expected:
    return Expected(NOT_ALLOWED, JSON_TYPE, None, (*ANYWHERE, Field("Allow", METHODS, is_part=True)))


def _preflight() -> Expected:
    cors = Field("Access-Control-Allow-Methods", METHODS, is_part=True)
    return Expected(frozenset({200, 204}), fields=(*ANYWHERE, Field("Allow", METHODS, is_part=True), cors))


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
