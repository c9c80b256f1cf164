"""Fetch from a live host politely: few connections, time limits, no redirects."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple, NoReturn

from labgen.api.http_answers import Received
from labgen.api.http_contract import Request, Row
from labgen.verify.client import Client, NoAnswerError

OVERLOADED = frozenset({429, 502, 503, 504})
"""Answers after which it is worth to ask again, later."""
LONGEST_WAIT = 30.0
"""Seconds that a host may ask labgen to wait (Retry-After)."""
MOST_OVERLOADED = 12
"""Answers in a row that say so, after which the host is given up."""
MOST_SILENT = 20
"""Requests in a row without an answer, after which the host is given up."""
AT_ONCE = 256
"""Rows that wait for a connection."""
STEP = 0.25
"""Seconds of the shortest pause before a request is sent again."""


class Politeness(NamedTuple):
    """How a host is asked: connections at a time, seconds for an answer, tries, seconds in all."""

    connections: int = 4
    timeout: float = 10.0
    tries: int = 3
    limit: float = 600.0


class GivenUpError(Exception):
    """The host is not asked any more; the message says why."""


class Tried(NamedTuple):
    """A row, and what the host sent, or None and why there is nothing.

    `first` is the answer to the row's first request, where it has one.
    """

    row: Row
    received: Received | None
    failure: NoAnswerError | None = None
    first: Received | None = None


@dataclass(slots=True)
class Asker:
    """Asks a host, from several threads, until the time is over or the host is to be given up.

    `known` is a request that the host has answered: it tells whether the whole host is overloaded. `reason`
    is why the host was given up.
    """

    client: Client
    politeness: Politeness
    known: Request
    overloaded: int = 0
    silent: int = 0
    paused_until: float = 0.0
    reason: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, request: Request) -> Received:
        """Send a request, and again where that helps. Raises `NoAnswerError` and `GivenUpError`."""
        tries = 1 if self.silent else self.politeness.tries
        failure = NoAnswerError("no-answer", "the time is over")
        for number in range(tries):
            self._wait(STEP * 2**number if number else 0)
            try:
                received = self.client.send(request)
            except NoAnswerError as error:
                if error.code != "no-answer":
                    raise
                failure = error
                continue
            self.silent = 0
            if received.status not in OVERLOADED:
                self.overloaded = 0
                return received
            self._note_overload(received)
            if number + 1 == tries:
                return received
        self._note_silence()
        raise failure

    def _wait(self, seconds: float) -> None:
        """Wait so long, or as long as the host has asked for. Raises `GivenUpError` when the time is over."""
        now = time.monotonic()
        time.sleep(max(0, min(max(seconds, self.paused_until - now), self.client.deadline - now)))
        if time.monotonic() >= self.client.deadline:
            self._give_up("the time is over")

    def _note_overload(self, received: Received) -> None:
        """Take note of an answer that says so. Raises `GivenUpError` where the host answers nothing else."""
        asked = received.fields.get("retry-after", "")
        seconds = float(asked) if asked.isdecimal() else 0.0
        with self.lock:
            self.overloaded += 1
            if seconds > LONGEST_WAIT:
                self._give_up(f"the host answers {received.status}, and asks to wait {seconds:,.0f} seconds")
            self.paused_until = max(self.paused_until, time.monotonic() + seconds)
            if self.overloaded >= MOST_OVERLOADED:
                if self._is_overloaded():
                    self._give_up(f"the host answered {received.status} {self.overloaded} times in a row")
                self.overloaded = 0

    def _is_overloaded(self) -> bool:
        """Ask for what the host has answered before: perhaps only some of its paths are overloaded."""
        try:
            return self.client.send(self.known).status in OVERLOADED
        except NoAnswerError:
            return True

    def _note_silence(self) -> None:
        with self.lock:
            self.silent += 1
        if self.silent >= MOST_SILENT:
            self._give_up("the host does not answer any more")

    def _give_up(self, reason: str) -> NoReturn:
        self.reason = self.reason or reason
        raise GivenUpError(self.reason)

    def attempt(self, row: Row) -> Tried:
        """Ask what a row asks. Raises `GivenUpError`."""
        if self.reason:
            raise GivenUpError(self.reason)
        first = None
        try:
            request = row.request
            if row.first:
                first = self.ask(row.first)
                if not (etag := first.fields.get("etag", "")):
                    return Tried(row, None, first=first)
                request = request._replace(headers=(*request.headers, ("If-None-Match", etag)))
            return Tried(row, self.ask(request), first=first)
        except NoAnswerError as error:
            return Tried(row, None, error, first)


def try_rows(
    asker: Asker, rows: Iterable[Row], progress: Callable[[], None] = lambda: None
) -> Iterator[Tried]:
    """Yield the rows with the answers, in order. Raises `GivenUpError` when the host is given up."""
    waiting = iter(rows)
    with ThreadPoolExecutor(asker.politeness.connections) as pool:
        while batch := list(islice(waiting, AT_ONCE)):
            for tried in pool.map(asker.attempt, batch):
                progress()
                yield tried
