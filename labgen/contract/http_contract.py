"""Define the terms of the HTTP contract (docs/reference/contract.md): requests, expected responses, rows.

A row is a request with the expected response. `contract_rows` lists the rows of a site, `contract_asks` says
how they are asked, `http_answers` compares responses with rows.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

JSON_TYPE = "application/json"
PAGE_TYPE = "text/html; charset=utf-8"
METHODS = "GET, HEAD, OPTIONS"
CORS_HEADERS = "Accept, Content-Type, If-None-Match, If-Modified-Since"
"""The request header fields that scripts of other sites may send."""
EXPOSED = "ETag, Allow, Content-Length, Last-Modified, Link"
"""The response header fields that scripts of other sites may read, beside those that all may."""
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
"""The `Accept` header field that browsers send when a user opens a URL."""

IMMUTABLE = "public, max-age=31536000, immutable"
"""The `Cache-Control` of files that have a digest of their bytes in their path."""
REVALIDATED = "public, max-age=0, must-revalidate"
"""The `Cache-Control` of all other files."""
DIGEST_FOLDERS = ("media/", "static/", "search/files/")
"""The folders under out/ whose files have a digest in their path."""
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
    """How important a row is: all full hosts fulfil it (must), most hosts (should), or some (optional)."""

    MUST = "must"
    SHOULD = "should"
    OPTIONAL = "optional"


class AnswerKind(StrEnum):
    """What an answer is: its header fields depend on that, see `FIELDS`."""

    JSON = "the document of a path"
    PAGE = "the page of a path"
    FILE = "a file by its name"
    ADDRESSED = "a file with a digest in its path"
    FRONT = "a page that belongs to no document"
    MOVED = "301"
    UNCHANGED = "304"
    MISSING = "404"
    REFUSED = "405"
    OTHER = ""


class Request(NamedTuple):
    """A request: its method, its target (path and query, as they are sent), and its header fields."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...] = ()


class Field(NamedTuple):
    """An expected header field: its exact value ("" for any) or, with `is_part`, members of its list.

    With `is_banned`, its list must not contain these members.
    """

    name: str
    value: str
    is_part: bool = False
    is_banned: bool = False


@dataclass(frozen=True, slots=True)
class Expected:
    """An expected response: one of the statuses, with a media type, header fields and a body.

    `file` is the file under out/ whose bytes are the body, "" for an empty body, None for any body. A media
    type of None is not compared. `codings` are the content codings that the request accepts; with
    `is_compressed`, a large response should have one of them. `whole` is the file whose size is the
    Content-Length of a response without a body. With `has_detail`, the body is JSON that describes the error
    in `detail`. `kind` is what the response is.
    """

    statuses: frozenset[int]
    media_type: str | None = None
    file: str | None = None
    fields: tuple[Field, ...] = ()
    codings: tuple[str, ...] = ()
    is_compressed: bool = False
    whole: str = ""
    has_detail: bool = False
    kind: AnswerKind = AnswerKind.OTHER

    @property
    def content(self) -> str:
        """The file that the response is compared with, "" if there is none."""
        return self.file or self.whole


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the contract: its name, its level, a request, and the expected response.

    If `first` is given, that request is sent before, and the ETag of its response is sent with `request`.
    """

    name: str
    level: Level
    request: Request
    expected: Expected
    first: Request | None = None

    @property
    def topic(self) -> str:
        """The topic of the row: a key of `TOPICS`, which configurations of hosts name in brackets."""
        return next(topic for start, topic in _STARTS if self.name.startswith(start))


TOPICS = {
    "json": "answer a path with its index.json, as application/json, and with no index.html",
    "page": "answer with api.html where ?format=api or a browser asks for it",
    "format": "answer 404 where ?format= is neither json nor api",
    "methods": "answer other methods than GET, HEAD and OPTIONS with 405 and 405.json",
    "options": "answer OPTIONS with 204, Allow and the headers of CORS",
    "slash": "answer a path without its slash with 301, a relative Location and the query",
    "repeat": "send an ETag, and 304 only where it is sent back unchanged",
    "search": "refuse a search of the list with 400 where no function answers it; lead ?page= to its path",
    "missing": "answer what is not there with 404 and 404.json, never with 200 or 5xx",
    "headers": "send these header fields on every answer, redirects and errors included",
    "files": "serve index.json, api.html and openapi.json under their own names",
    "front": "answer a path where no documents lie, and that ends in a slash, with the index.html there",
    "caching": "let caches keep what has a digest in its address, and revalidate everything else",
    "compression": "compress answers for clients that accept it, with Vary: Accept-Encoding",
}
"""The topics of rows, each with the behaviour that fixes its rows."""

_STARTS = (
    ("front-page", "front"),
    ("reference-page", "front"),
    ("search-page", "front"),
    ("search-of-list", "search"),
    ("turn-of-list", "search"),
    ("openapi", "files"),
    ("json-file", "files"),
    ("page-file", "files"),
    ("file-is-not", "repeat"),
    ("file", "files"),
    ("part-of-file", "files"),
    ("page-is-not-json-unmodified", "repeat"),
    ("json", "json"),
    ("head-json", "json"),
    ("head-file", "files"),
    ("head-front", "front"),
    ("page", "page"),
    ("head-page", "page"),
    ("unknown-format", "format"),
    ("no-post-to-unknown", "missing"),
    ("no-", "methods"),
    ("options", "options"),
    ("slash", "slash"),
    ("not-modified", "repeat"),
    ("modified", "repeat"),
    ("etag", "repeat"),
    ("unknown", "missing"),
    ("gone", "missing"),
    ("hidden", "missing"),
    ("refuse", "missing"),
    ("folder", "missing"),
    ("headers", "headers"),
    ("vary", "headers"),
    ("allow", "headers"),
    ("revalidate", "caching"),
    ("immutable", "caching"),
    ("gzip", "compression"),
    ("brotli", "compression"),
    ("zstd", "compression"),
)

COMMON_FIELDS = (
    Field("Access-Control-Allow-Origin", "*"),
    Field("Access-Control-Expose-Headers", EXPOSED, is_part=True),
    Field("X-Content-Type-Options", "nosniff"),
)
"""The header fields of every response."""
EMBEDDED = Field("Cross-Origin-Resource-Policy", "same-origin, same-site", is_banned=True)
"""Pages of other sites may show a picture."""
VARY = Field("Vary", "Accept", is_part=True)
VARY_ENCODING = Field("Vary", "Accept-Encoding", is_part=True)
ALLOW = Field("Allow", METHODS, is_part=True)
FRESH = Field("Cache-Control", REVALIDATED, is_part=True)
ETAG = Field("ETag", "")


class About(NamedTuple):
    """A row about header fields: its name, the fields, and its level."""

    name: str
    fields: tuple[Field, ...]
    level: Level = Level.MUST


FIELDS: Mapping[AnswerKind, tuple[About, ...]] = {
    AnswerKind.JSON: (
        About("vary", (VARY,)),
        About("allow", (ALLOW,)),
        About("headers", COMMON_FIELDS),
        About("revalidate", (FRESH,)),
        About("etag", (ETAG,)),
    ),
    AnswerKind.PAGE: (
        About("vary-on-page", (VARY,)),
        About("allow-on-page", (ALLOW,)),
        About("headers-on-page", COMMON_FIELDS),
        About("revalidate-page", (FRESH,)),
        About("etag-on-page", (ETAG,)),
    ),
    AnswerKind.FILE: (
        About("headers-on-file", COMMON_FIELDS),
        About("revalidate-file", (FRESH,)),
        About("etag-on-file", (ETAG,)),
    ),
    AnswerKind.ADDRESSED: (
        About("headers-on-picture", (*COMMON_FIELDS, EMBEDDED)),
        About("etag-on-picture", (ETAG,)),
    ),
    AnswerKind.FRONT: (
        About("headers-on-front", COMMON_FIELDS, Level.SHOULD),
        About("revalidate-front", (FRESH,), Level.SHOULD),
        About("etag-on-front", (ETAG,), Level.SHOULD),
    ),
    AnswerKind.MOVED: (About("headers-on-redirect", COMMON_FIELDS),),
    AnswerKind.UNCHANGED: (About("headers-on-repeat", COMMON_FIELDS),),
    AnswerKind.MISSING: (
        About("headers-on-404", COMMON_FIELDS),
        About("vary-on-404", (VARY,), Level.SHOULD),
    ),
    AnswerKind.REFUSED: (About("headers-on-405", COMMON_FIELDS),),
}
"""The rows about the header fields of each kind of answer."""
OK, MOVED, NOT_MODIFIED, NOT_FOUND, NOT_ALLOWED = (
    frozenset({status}) for status in (200, 301, 304, 404, 405)
)
REDIRECTS = frozenset({301, 302, 303, 307, 308})
PARTIAL = frozenset({206})
PART = "bytes=1-15"
"""The part of a file that is asked for."""
