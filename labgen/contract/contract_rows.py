"""List the rows of the HTTP contract (docs/reference/contract.md) for a site: requests, expected responses.

The preview, the tests and `labgen verify` all use the same rows.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from urllib.parse import quote

from labgen.contract.http_contract import (
    ALLOW,
    BROWSER,
    COMMON_FIELDS,
    CORS_HEADERS,
    DIGEST_FOLDERS,
    FIELDS,
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
    PART,
    PARTIAL,
    VARY,
    AnswerKind,
    Expected,
    Field,
    Level,
    Request,
    Row,
)
from labgen.model.site_paths import DIRECTORY_PATH, JSON_FILE, PAGE_FILE, file_of

ELSEWHERE = ("Origin", "https://labgen.invalid")
"""The header field that browsers send with the request of a script of another site."""
REFUSED = frozenset({400, 403, 404, 414})
"""The statuses that a host may send for an invalid or malicious request target; never 5xx."""


def rows_for(path_in_site: str, base_path: str = "") -> Iterator[Row]:
    """Yield the rows for the path of a document; `path_in_site` is relative to the base path."""
    path = base_path + path_in_site
    json = Expected(OK, JSON_TYPE, file_of(path_in_site, JSON_FILE), kind=AnswerKind.JSON)
    page = Expected(OK, PAGE_TYPE, file_of(path_in_site, PAGE_FILE), kind=AnswerKind.PAGE)
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
    yield from _preflights(path)
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        yield row(f"no-{method.lower()}", must, "", "", _not_allowed(), method)
    yield from _redirects(path)
    yield from _repeats(path, json, page)
    yield Row("json-file", must, Request("GET", path + JSON_FILE), replace(json, kind=AnswerKind.FILE))
    yield Row("page-file", must, Request("GET", path + PAGE_FILE), replace(page, kind=AnswerKind.FILE))
    yield from _headers(path)
    yield from _compressed(path, json)


def _headers(path: str) -> Iterator[Row]:
    """Yield the rows that test header fields alone, independently of media type and body."""
    document, api = Request("GET", path), Request("GET", path + "?format=api")
    yield from _of_kind(AnswerKind.JSON, document)
    yield from _of_kind(AnswerKind.PAGE, api)
    script = Request("GET", path, (ELSEWHERE,))
    for_scripts = Expected(OK, fields=COMMON_FIELDS, kind=AnswerKind.JSON)
    yield Row("headers-for-scripts", Level.MUST, script, for_scripts)
    yield from _of_kind(AnswerKind.FILE, Request("GET", path + JSON_FILE))
    yield from _of_kind(AnswerKind.MOVED, Request("GET", path.rstrip("/")), MOVED)
    yield from _of_kind(AnswerKind.UNCHANGED, document, NOT_MODIFIED, document)
    yield from _of_kind(AnswerKind.REFUSED, Request("POST", path), NOT_ALLOWED)


def _of_kind(
    kind: AnswerKind, request: Request, statuses: frozenset[int] = OK, first: Request | None = None
) -> Iterator[Row]:
    """Yield the rows that test the header fields of a kind of answer."""
    for one in FIELDS[kind]:
        yield Row(one.name, one.level, request, Expected(statuses, fields=one.fields, kind=kind), first)


def _compressed(target: str, plain: Expected) -> Iterator[Row]:
    """Yield the rows for requests that accept a compressed response."""
    for name, encoding, level in (("gzip", "gzip", Level.SHOULD), ("brotli", "br", Level.OPTIONAL)):
        request = Request("GET", target, (("Accept-Encoding", encoding),))
        yield Row(name, level, request, replace(plain, codings=(encoding,), is_compressed=True))


def rows_for_file(file: str, base_path: str = "", other: str = "") -> Iterator[Row]:
    """Yield the rows for a file that is asked for by its name; `other` is another such file, if there is one.

    A file with a digest in its path, such as a picture, is the same for ever, and so may its ETag be.
    """
    media_type = MEDIA_TYPES.get(PurePosixPath(file).suffix)
    request = _by_name(file, base_path)
    is_kept = file.startswith(DIGEST_FOLDERS)
    kind = AnswerKind.ADDRESSED if is_kept else AnswerKind.FILE
    fields = (Field("Cache-Control", IMMUTABLE, is_part=True),) if is_kept else ()
    expected = Expected(OK, media_type, file, fields, kind=kind)
    yield Row("immutable" if is_kept else "file", Level.MUST, request, expected)
    yield Row("head-file", Level.MUST, request._replace(method="HEAD"), _without_body(expected))
    yield from _of_kind(kind, request)
    yield Row("not-modified-file", Level.MUST, request, _SAME, request)
    yield Row("modified-file", Level.MUST, request._replace(headers=(_OLDER,)), replace(expected, fields=()))
    part = Expected(OK | PARTIAL, file=file, fields=COMMON_FIELDS)
    yield Row("part-of-file", Level.SHOULD, request._replace(headers=(("Range", PART),)), part)
    if not is_kept:  # what pages show needs no preflight, and edge functions leave it to their host
        yield _preflight_of_file(request.target, "options-of-file", Level.SHOULD)
        yield Row("no-post-to-file", Level.SHOULD, request._replace(method="POST"), _not_allowed())
    if other and not is_kept:
        first = _by_name(other, base_path)
        yield Row("file-is-not-another-unmodified", Level.MUST, request, expected, first)


def _by_name(file: str, base_path: str) -> Request:
    return Request("GET", f"{base_path}/{quote(file)}")


_SAME = Expected(NOT_MODIFIED, file="", kind=AnswerKind.UNCHANGED)
_OLDER = ("If-None-Match", '"an-older-version"')


def _redirects(path: str) -> Iterator[Row]:
    bare = path.rstrip("/")
    moved = Expected(MOVED, fields=(Field("Location", path),), kind=AnswerKind.MOVED)
    yield Row("slash", Level.MUST, Request("GET", bare), moved)
    yield Row("slash-for-head", Level.SHOULD, Request("HEAD", bare), moved)
    kept = Expected(MOVED, fields=(Field("Location", path + "?format=api"),), kind=AnswerKind.MOVED)
    yield Row("slash-keeps-query", Level.MUST, Request("GET", bare + "?format=api"), kept)


def _repeats(path: str, json: Expected, page: Expected) -> Iterator[Row]:
    yield Row("not-modified", Level.MUST, Request("GET", path), _SAME, Request("GET", path))
    api = Request("GET", path + "?format=api")
    yield Row("not-modified-page", Level.MUST, api, _SAME, api)
    yield Row("modified", Level.MUST, Request("GET", path, (_OLDER,)), json)
    yield Row("page-is-not-json-unmodified", Level.MUST, api, page, Request("GET", path))


def rows_for_site(base_path: str, directory_path: str = DIRECTORY_PATH) -> Iterator[Row]:
    """Yield the rows that each site has once: for its pages, missing paths and malicious requests."""
    yield from _pages(base_path)
    yield from _unknown(base_path)
    if directory_path:
        yield from _unknown_in_directory(base_path + directory_path)
    yield from _unlisted(base_path)
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
    yield from rows_for_page("/", base_path, "front", should)
    yield from _of_kind(AnswerKind.FRONT, Request("GET", f"{base_path}/"))
    if base_path:
        moved = _moved(f"{base_path}/?x=1")
        yield Row("slash-of-site", Level.MUST, Request("GET", f"{base_path}?x=1"), moved)
    yield from rows_for_page("/reference/", base_path, "reference", should)
    openapi = Expected(OK, JSON_TYPE, "openapi.json", kind=AnswerKind.FILE)
    yield Row("openapi", should, Request("GET", f"{base_path}/openapi.json"), openapi)
    yield from _compressed(f"{base_path}/openapi.json", openapi)
    compressed = Request("GET", f"{base_path}/openapi.json", (("Accept-Encoding", "gzip"),))
    same = replace(_SAME, codings=("gzip",))
    yield Row("not-modified-compressed", should, compressed, same, compressed)


def rows_for_page(
    path: str, base_path: str, name: str = "search", level: Level = Level.MUST
) -> Iterator[Row]:
    """Yield the rows for a page that does not belong to a document, such as the search page.

    `level` is that of the page itself: at the front page and the reference, a website may have its own.
    """
    should, request = Level.SHOULD, Request("GET", base_path + path)
    page = Expected(OK, PAGE_TYPE, file_of(path, "index.html"), kind=AnswerKind.FRONT)
    yield Row(f"{name}-page", level, request, page)
    yield Row("modified-front", level, request._replace(headers=(_OLDER,)), page)
    yield Row("head-front", should, request._replace(method="HEAD"), _without_body(page))
    yield Row("not-modified-front", should, request, _SAME, request)
    if path != "/":
        moved = _moved(f"{base_path}{path}?x=1")
        yield Row(f"slash-of-{name}", should, Request("GET", f"{base_path}{path.rstrip('/')}?x=1"), moved)


def _list(base_path: str) -> Iterator[Row]:
    """Yield the rows for queries of the list that no search finds anything by, with a function or without."""
    path, should = f"{base_path}/api/v1/laboratory/laboratories/", Level.SHOULD
    invalid = Expected(frozenset({400}), JSON_TYPE, fields=(*COMMON_FIELDS, VARY))
    yield Row("search-of-list", should, Request("GET", f"{path}?is_verified=labgen"), invalid)
    page = replace(_missing(), file=None, has_detail=True)
    yield Row("turn-of-list", should, Request("GET", f"{path}?page=999999999"), page)


def _moved(location: str) -> Expected:
    return Expected(MOVED, fields=(*COMMON_FIELDS, Field("Location", location)), kind=AnswerKind.MOVED)


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
    yield from _of_kind(AnswerKind.MISSING, Request("GET", unknown), NOT_FOUND)
    no_page = Expected(NOT_FOUND, PAGE_TYPE, "404.html", kind=AnswerKind.MISSING)
    yield Row("unknown-page", Level.OPTIONAL, Request("GET", unknown + "?format=api"), no_page)
    picture = Request("GET", f"{base_path}/media/0000000000000000/nothing.webp")
    kept = Field("Cache-Control", "immutable", is_banned=True)
    yield Row(
        "unknown-picture", should, picture, Expected(NOT_FOUND, fields=(kept,), kind=AnswerKind.MISSING)
    )
    yield from _unknown_outside_api(f"{base_path}/nothing/")


def _unknown_outside_api(outside: str) -> Iterator[Row]:
    should = Level.SHOULD
    anyone = Expected(NOT_FOUND, JSON_TYPE, "404.json", (VARY,), kind=AnswerKind.MISSING)
    yield Row("unknown-outside-api", should, Request("GET", outside), anyone)
    browser = Expected(NOT_FOUND, PAGE_TYPE, "404.html", (VARY,), kind=AnswerKind.MISSING)
    request = Request("GET", outside, (("Accept", BROWSER),))
    yield Row("unknown-outside-api-for-browsers", should, request, browser)


def _unknown_in_directory(directory: str) -> Iterator[Row]:
    """Yield the rows for what does not exist among the documents that labgen proposes."""
    unknown = f"{directory}laboratories/0/"
    for name, headers in (("", ()), ("-for-browsers", (("Accept", BROWSER),))):
        request = Request("GET", unknown, headers)
        yield Row(f"unknown-path-in-directory{name}", Level.MUST, request, _missing())
    folder = Request("GET", directory)
    yield Row("folder-directory", Level.MUST, folder, Expected(REFUSED))


def _without_body(expected: Expected) -> Expected:
    return replace(expected, file="", whole=expected.file or "")


def _missing() -> Expected:
    return Expected(NOT_FOUND, JSON_TYPE, "404.json", kind=AnswerKind.MISSING)


def _not_allowed() -> Expected:
    return Expected(NOT_ALLOWED, JSON_TYPE, None, (ALLOW,), has_detail=True, kind=AnswerKind.REFUSED)


def _preflights(path: str) -> Iterator[Row]:
    """Yield the rows for OPTIONS, alone and as the preflights of scripts of other sites."""
    names = ",".join(sorted({*CORS_HEADERS.lower().split(", ")} - {"accept"}))  # for which nobody asks
    for name, fields in (
        ("options", ()),
        ("options-as-preflight", _preflight("GET", names)),
        ("options-as-preflight-of-head", _preflight("HEAD", "if-none-match")),
    ):
        yield Row(name, Level.MUST, Request("OPTIONS", path, fields), _ALLOWED)
    yield _preflight_of_file(path + JSON_FILE)


_ALLOWED = Expected(
    frozenset({200, 204}),
    fields=(
        *COMMON_FIELDS,
        ALLOW,
        Field("Access-Control-Allow-Methods", METHODS, is_part=True),
        Field("Access-Control-Allow-Headers", CORS_HEADERS, is_part=True),
    ),
)


def _preflight_of_file(
    target: str, name: str = "options-as-preflight-of-file", level: Level = Level.MUST
) -> Row:
    request = Request("OPTIONS", target, _preflight("GET", "if-none-match"))
    return Row(name, level, request, _ALLOWED)


def _preflight(method: str, names: str) -> tuple[tuple[str, str], ...]:
    asked = ("Access-Control-Request-Method", method), ("Access-Control-Request-Headers", names)
    return (ELSEWHERE, *asked)


def _unlisted(base_path: str) -> Iterator[Row]:
    """Yield the rows for folders without a document or a page, and for files that hosts should not serve."""
    for folder in ("api/", "api/v1/", *DIGEST_FOLDERS, "search/", "manifest/", "laboratories-export/"):
        request = Request("GET", f"{base_path}/{folder}")
        yield Row(f"folder-{folder.rstrip('/').replace('/', '-')}", Level.MUST, request, Expected(REFUSED))
    for file in (".git/config", ".git/HEAD", ".env", ".htpasswd", ".svn/entries", ".DS_Store"):
        yield Row("hidden", Level.MUST, Request("GET", f"{base_path}/{file}"), Expected(REFUSED))


def all_rows(
    paths: Iterable[str],
    base_path: str = "",
    files: Sequence[str] = (),
    pages: Collection[str] = (),
    directory_path: str = DIRECTORY_PATH,
) -> Iterator[Row]:
    """Yield the rows for these paths of documents, files and pages, and those that each site has once.

    `files` are names under out/, each of another size than the one before: an ETag may be made of the size.
    `pages` are paths of search pages, if there is a search, and `directory_path` is where documents lie that
    labgen proposes, if anywhere.
    """
    for path in paths:
        yield from rows_for(path, base_path)
    for file, other in zip(files, (*files[-1:], *files[:-1]), strict=True):
        yield from rows_for_file(file, base_path, other if other != file else "")
    for path in pages:
        yield from rows_for_page(path, base_path)
    for kind in sorted({"search", *(path.split("/")[1] for path in pages)} if pages else ()):
        yield from _unknown_outside_api(f"{base_path}/{kind}/nothing/")
    if pages:
        yield from _list(base_path)
    yield from rows_for_site(base_path, directory_path)
