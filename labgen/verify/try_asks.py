"""Send the requests of the HTTP contract to a host, and return the responses."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from labgen.contract.contract_asks import Ask, again
from labgen.contract.http_answers import Received
from labgen.contract.http_contract import Request
from labgen.fetch.ask import PoliteClient, ask_for_all
from labgen.fetch.client import NoAnswerError
from labgen.verify.arriving_body import ask_for_rows


class Tried(NamedTuple):
    """What was asked, with the host's response, or None and why there is no response.

    `first` is the response to the first request, if there is one. If that has no ETag, the second request is
    not sent, and there is no failure.
    """

    ask: Ask
    received: Received | None
    failure: NoAnswerError | None = None
    first: Received | None = None


def try_asks(asker: PoliteClient, asks: Iterable[Ask], out: Path) -> Iterator[Tried]:
    """Yield what is asked with the responses, in order. Raises `GivenUpError` when the host is given up."""
    for _, tried in ask_for_all(asker, lambda one: _attempt(asker, one, out), asks):
        yield tried


def _attempt(asker: PoliteClient, one: Ask, out: Path) -> Tried:
    """Send a request, after the first one if there is one. Raises `GivenUpError`."""
    first = None
    try:
        request: Request | None = one.request
        if one.first:
            first = ask_for_rows(asker, one.rows, one.first, out)
            request = again(one.request, first.fields)
        received = ask_for_rows(asker, one.rows, request, out) if request else None
        return Tried(one, received, first=first)
    except NoAnswerError as error:
        return Tried(one, None, error, first)
