"""Send the requests of the HTTP contract's rows to a host, and return the responses."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from labgen.api.http_answers import Received
from labgen.api.http_contract import Row
from labgen.fetch.ask import PoliteClient, ask_for_all
from labgen.fetch.client import NoAnswerError
from labgen.verify.arriving_body import ask_for_row


class Tried(NamedTuple):
    """A row with the host's response, or None and why there is no response.

    `first` is the response to the row's first request, if it has one. If that has no ETag, the second request
    is not sent, and there is no failure.
    """

    row: Row
    received: Received | None
    failure: NoAnswerError | None = None
    first: Received | None = None


def try_rows(asker: PoliteClient, rows: Iterable[Row], out: Path) -> Iterator[Tried]:
    """Yield the rows with the responses, in order. Raises `GivenUpError` when the host is given up."""
    for _, tried in ask_for_all(asker, lambda row: _attempt(asker, row, out), rows):
        yield tried


def _attempt(asker: PoliteClient, row: Row, out: Path) -> Tried:
    """Send the request of a row, after its first request if it has one. Raises `GivenUpError`."""
    first = None
    try:
        request = row.request
        if row.first:
            first = ask_for_row(asker, row, row.first, out)
            if not (etag := first.fields.get("etag", "")):
                return Tried(row, None, first=first)
            request = request._replace(headers=(*request.headers, ("If-None-Match", etag)))
        return Tried(row, ask_for_row(asker, row, request, out), first=first)
    except NoAnswerError as error:
        return Tried(row, None, error, first)
