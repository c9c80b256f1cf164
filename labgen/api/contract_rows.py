"""List the rows of the HTTP contract (docs/reference/contract.md) for a site: requests, expected responses.

The preview, the tests and `labgen verify` all use the same rows.
"""

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from urllib.parse import quote

from labgen.api.http_contract import (
    ALLOW,
    BROWSER,
    COMMON_FIELDS,
    CORS_HEADERS,
    EMBEDDED,
    IMMUTABLE,
    JSON_TYPE,
    MEDIA_TYPES,
    METHODS,
    MOVED,
    NOT_ALLOWED,
    NOT_FOUND,
    NOT_MODIFIED,
    OK,
    PAGE_TYPE,
    REVALIDATED,
    VARY,
    Expected,
    Field,
    Level,
    Request,
    Row,
)
from labgen.model.site_paths import JSON_FILE, PAGE_FILE, file_of

ELSEWHERE = ("Origin", "https://labgen.invalid")
"""The header field that browsers send with the request of a script of another site."""
REFUSED = frozenset({400, 403, 404, 414})
"""The statuses that a host may send for an invalid or malicious request target; never 5xx."""


def rows_for(path_in_site: str, base_path: str = "") -> Iterator[Row]:
    """Yield the rows for the path of a document; `path_in_site` is relative to the base path."""
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
    """Yield the rows that test header fields alone, independently of media type and body."""
    document, api = Request("GET", path), Request("GET", path + "?format=api")
    bare, file = Request("GET", path.rstrip("/")), Request("GET", path + JSON_FILE)
    yield Row("vary", Level.MUST, document, Expected(OK, fields=(VARY,)))
    yield Row("vary-on-page", Level.MUST, api, Expected(OK, fields=(VARY,)))
    yield Row("allow", Level.MUST, document, Expected(OK, fields=(ALLOW,)))
    yield Row("allow-on-page", Level.MUST, api, Expected(OK, fields=(ALLOW,)))
    yield Row("headers", Level.MUST, document, Expected(OK, fields=COMMON_FIELDS))
    script = Request("GET", path, (ELSEWHERE,))
    yield Row("headers-for-scripts", Level.MUST, script, Expected(OK, fields=COMMON_FIELDS))
    yield Row("headers-on-page", Level.MUST, api, Expected(OK, fields=COMMON_FIELDS))
    yield Row("headers-on-file", Level.MUST, file, Expected(OK, fields=COMMON_FIELDS))
    yield Row("headers-on-redirect", Level.MUST, bare, Expected(MOVED, fields=COMMON_FIELDS))
    yield Row(
        "headers-on-repeat", Level.MUST, document, Expected(NOT_MODIFIED, fields=COMMON_FIELDS), document
    )
    yield Row(
        "headers-on-405", Level.MUST, Request("POST", path), Expected(NOT_ALLOWED, fields=COMMON_FIELDS)
    )


def _caching(path: str) -> Iterator[Row]:
    revalidated = Expected(OK, fields=(Field("Cache-Control", REVALIDATED, is_part=True),))
    yield Row("revalidate", Level.MUST, Request("GET", path), revalidated)
    yield Row("revalidate-page", Level.MUST, Request("GET", path + "?format=api"), revalidated)


def _compressed(target: str, plain: Expected) -> Iterator[Row]:
    """Yield the rows for requests that accept a compressed response."""
    for name, encoding, level in (("gzip", "gzip", Level.SHOULD), ("brotli", "br", Level.OPTIONAL)):
        request = Request("GET", target, (("Accept-Encoding", encoding),))
        yield Row(name, level, request, Expected(OK, plain.media_type, plain.file, encoding=encoding))


def rows_for_file(file: str, base_path: str = "") -> Iterator[Row]:
    """Yield the rows for a file with a digest in its path, such as a picture."""
    media_type = MEDIA_TYPES.get(PurePosixPath(file).suffix)
    request = Request("GET", f"{base_path}/{quote(file)}")
    fields = (Field("Cache-Control", IMMUTABLE, is_part=True),)
    yield Row("immutable", Level.MUST, request, Expected(OK, media_type, file, fields))
    yield Row("headers-on-picture", Level.MUST, request, Expected(OK, fields=(*COMMON_FIELDS, EMBEDDED)))


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
    """Yield the rows that each site has once: for its pages, missing paths and malicious requests."""
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
        moved = Expected(MOVED, fields=(*COMMON_FIELDS, Field("Location", f"{base_path}/?x=1")))
        yield Row("slash-of-site", Level.MUST, Request("GET", f"{base_path}?x=1"), moved)
    yield from rows_for_page("/reference/", base_path, "reference")
    openapi = Expected(OK, JSON_TYPE, "openapi.json")
    yield Row("openapi", should, Request("GET", f"{base_path}/openapi.json"), openapi)
    yield from _compressed(f"{base_path}/openapi.json", openapi)
    compressed = Request("GET", f"{base_path}/openapi.json", (("Accept-Encoding", "gzip"),))
    same = Expected(NOT_MODIFIED, file="", encoding="gzip")
    yield Row("not-modified-compressed", should, compressed, same, compressed)


def rows_for_page(path: str, base_path: str, name: str = "search") -> Iterator[Row]:
    """Yield the rows for a page that does not belong to a document, such as the search page."""
    page = Expected(OK, PAGE_TYPE, file_of(path, "index.html"))
    yield Row(f"{name}-page", Level.SHOULD, Request("GET", base_path + path), page)
    moved = Expected(MOVED, fields=(*COMMON_FIELDS, Field("Location", f"{base_path}{path}?x=1")))
    yield Row(f"slash-of-{name}", Level.SHOULD, Request("GET", f"{base_path}{path.rstrip('/')}?x=1"), moved)


def _unknown(base_path: str) -> Iterator[Row]:
    """Yield the rows for paths and files that do not exist."""
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
    yield Row("headers-on-404", must, Request("GET", unknown), Expected(NOT_FOUND, fields=COMMON_FIELDS))
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
    methods = Field("Access-Control-Allow-Methods", METHODS, is_part=True)
    headers = Field("Access-Control-Allow-Headers", CORS_HEADERS, is_part=True)
    return Expected(frozenset({200, 204}), fields=(*COMMON_FIELDS, ALLOW, methods, headers))


def all_rows(
    paths: Iterable[str], base_path: str = "", files: Iterable[str] = (), pages: Iterable[str] = ()
) -> Iterator[Row]:
    """Yield the rows for these paths of documents, files and pages, and those that each site has once.

    `files` are names under out/ with a digest in their path, `pages` are paths of search pages.
    """
    for path in paths:
        yield from rows_for(path, base_path)
    for file in files:
        yield from rows_for_file(file, base_path)
    for path in pages:
        yield from rows_for_page(path, base_path)
    yield from rows_for_site(base_path)
