"""Say how the rows of the HTTP contract are asked: as they are written, and as a browser asks.

An answer must fulfil all that the contract says of it, so one request tests all rows about its answer. Both
the requests of browsers and the rows about header fields are derived from the table, for each row of it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from labgen.contract.contract_rows import ELSEWHERE
from labgen.contract.http_contract import (
    BROWSER,
    FIELDS,
    NOT_MODIFIED,
    AnswerKind,
    Expected,
    Level,
    Request,
    Row,
)


class Ask(NamedTuple):
    """A request, with the one that is sent before it if there is one, and the rows that its answer tests.

    `rows` are those of the table with this request. `about_fields` are those about the header fields of such
    answers, which the table lists for another request; they say nothing of an answer with a wrong status.
    """

    request: Request
    first: Request | None
    rows: tuple[Row, ...]
    about_fields: tuple[Row, ...] = ()

    def rows_for(self, status: int) -> tuple[Row, ...]:
        """Return the rows that an answer with this status tests."""
        is_right = all(status in row.expected.statuses for row in self.rows)
        return (*self.rows, *self.about_fields) if is_right else self.rows


CODINGS = ("gzip", "deflate", "br", "zstd")
"""The content codings that browsers accept."""
ALWAYS = (
    ("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0 labgen"),
    ("Accept-Language", "de-DE,de;q=0.9,en;q=0.8"),
    ("Accept-Encoding", ", ".join(CODINGS)),
)
"""The header fields that browsers send with each request."""


def _fetched(accept: str, mode: str, what: str, site: str = "cross-site") -> tuple[tuple[str, str], ...]:
    return (
        ("Accept", accept),
        ("Sec-Fetch-Site", site),
        ("Sec-Fetch-Mode", mode),
        ("Sec-Fetch-Dest", what),
    )


SCRIPT = (*_fetched("*/*", "cors", "empty"), ELSEWHERE)
"""What browsers add to the request of a script of another site."""
NAVIGATION = (
    *_fetched(BROWSER, "navigate", "document", "none"),
    ("Sec-Fetch-User", "?1"),
    ("Upgrade-Insecure-Requests", "1"),
)
"""What browsers add when a user opens a URL."""
EMBEDDED = {
    ".css": _fetched("text/css,*/*;q=0.1", "no-cors", "style", "same-origin"),
    ".js": _fetched("*/*", "no-cors", "script", "same-origin"),
    **dict.fromkeys(
        (".png", ".jpg", ".jpeg", ".gif", ".ico", ".webp", ".avif", ".svg"),
        _fetched("image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5", "no-cors", "image"),
    ),
}
"""What browsers add when a page shows a file, by the suffixes of names."""


def again(request: Request, first: Mapping[str, str]) -> Request | None:
    """Return a request that names the version of a response to it, None if the response has no ETag.

    `first` are the response's header fields. Browsers name the time of the version, too.
    """
    if not (etag := first.get("etag", "")):
        return None
    is_browser = ALWAYS[0] in request.headers
    since = first.get("last-modified", "") if is_browser else ""
    fields = (("If-None-Match", etag), *((("If-Modified-Since", since),) if since else ()))
    return request._replace(headers=(*request.headers, *fields))


_OF_BROWSERS = frozenset(
    {*ALWAYS, *SCRIPT, *NAVIGATION, *(one for fields in EMBEDDED.values() for one in fields)}
)


def asks_of(rows: Iterable[Row]) -> list[Ask]:
    """Return the requests for rows: each as it is written, then each as a browser asks."""
    plain = list(rows)
    return [*plain_asks_of(plain), *browser_asks_of(plain)]


def plain_asks_of(rows: Iterable[Row]) -> list[Ask]:
    """Return the requests for rows as they are written, each once, with all rows about its answer."""
    return _merged(rows)


def browser_asks_of(rows: Iterable[Row]) -> list[Ask]:
    """Return the requests for rows as a browser asks, each once, with all rows about its answer.

    An ETag that is not known again where answers are compressed costs time, and is no wrong answer.
    """
    return [
        one._replace(rows=tuple(_of_compressed(row) for row in one.rows))
        for one in _merged(map(as_browser, rows))
    ]


def _of_compressed(row: Row) -> Row:
    is_repeat = row.expected.statuses == NOT_MODIFIED and not row.expected.fields
    return replace(row, name="not-modified-compressed", level=Level.SHOULD) if is_repeat else row


def as_browser(row: Row) -> Row:
    """Return a row as a browser asks it."""
    first = row.first and _as_browser(
        row.first, row.expected.kind if row.first == row.request else AnswerKind.JSON
    )
    asked = _as_browser(row.request, row.expected.kind)
    return replace(row, request=asked, first=first, expected=replace(row.expected, codings=CODINGS))


def is_of_browser(field: tuple[str, str]) -> bool:
    """Return whether a header field is one that browsers add to a request."""
    return field in _OF_BROWSERS


def _as_browser(request: Request, kind: AnswerKind) -> Request:
    own = {name: value for name, value in request.headers if name != "Accept-Encoding"}
    fields = {**dict(ALWAYS), **dict(_manner(request, own.get("Accept", ""), kind)), **own}
    return request._replace(headers=tuple(fields.items()))


def _manner(request: Request, accept: str, kind: AnswerKind) -> tuple[tuple[str, str], ...]:
    path = request.target.partition("?")[0]
    is_opened = not accept and (
        kind in (AnswerKind.PAGE, AnswerKind.FRONT) or request.target.endswith("format=api")
    )
    if accept == BROWSER or (is_opened and request.method == "GET"):
        return NAVIGATION
    return EMBEDDED.get(path[path.rfind(".") :], SCRIPT) if "." in path else SCRIPT


def _merged(rows: Iterable[Row]) -> list[Ask]:
    """Return each request once, with all rows that it tests."""
    found: dict[tuple[Request, Request | None], dict[Expected, Row]] = {}
    for row in rows:
        found.setdefault((row.request, row.first), {}).setdefault(row.expected, row)
    return [
        Ask(request, first, tuple(own.values()), tuple(_about_fields(own)))
        for (request, first), own in found.items()
    ]


def _about_fields(own: Mapping[Expected, Row]) -> Iterator[Row]:
    """Yield the rows about the header fields of answers of this kind that are not among a request's own.

    What need not be there need not have them either.
    """
    row = next(iter(own.values()))
    expected = row.expected
    for name, fields, level in FIELDS.get(expected.kind, ()):
        bare = Expected(expected.statuses, fields=fields, codings=expected.codings, kind=expected.kind)
        if bare not in own:
            weaker = max(level, row.level, key=[*Level].index)
            yield replace(row, name=name, level=weaker, expected=bare)
