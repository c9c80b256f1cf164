"""Send the requests of the HTTP contract's rows to a host, and return the answers."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from labgen.api.http_answers import Received
from labgen.api.http_contract import Row
from labgen.fetch.ask import Asker, ask_for_all
from labgen.fetch.client import NoAnswerError


class Tried(NamedTuple):
    """A row, and what the host sent, or None and why there is nothing.

    `first` is the answer to the row's first request, where it has one.
    """

    row: Row
    received: Received | None
    failure: NoAnswerError | None = None
    first: Received | None = None


def try_rows(asker: Asker, rows: Iterable[Row]) -> Iterator[Tried]:
    """Yield the rows with the answers, in order. Raises `GivenUpError` when the host is given up."""
    for _, tried in ask_for_all(asker, lambda row: _attempt(asker, row), rows):
        yield tried


def _attempt(asker: Asker, row: Row) -> Tried:
    """Send the request of a row. Raises `GivenUpError`."""
    first = None
    try:
        request = row.request
        if row.first:
            first = asker.ask(row.first)
            if not (etag := first.fields.get("etag", "")):
                return Tried(row, None, first=first)
            request = request._replace(headers=(*request.headers, ("If-None-Match", etag)))
        return Tried(row, asker.ask(request), first=first)
    except NoAnswerError as error:
        return Tried(row, None, error, first)
