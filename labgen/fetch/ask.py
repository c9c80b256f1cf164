"""Ask a host politely: few connections, a rate, time limits, and pauses where the host wants them."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from itertools import islice
from typing import NamedTuple, NoReturn, TypeVar

from labgen.api.http_answers import Received
from labgen.api.http_contract import Request
from labgen.fetch.client import Client, NoAnswerError

OVERLOADED = frozenset({429, 502, 503, 504})
"""Answers after which it is worth to ask again, later."""
MOST_OVERLOADED = 12
"""Answers in a row that say so, after which the host is given up."""
MOST_OUTAGES = 3
"""Times that a request is sent again because the host had gone away: it may be what makes it fail."""
MOST_SILENT = 20
"""Requests in a row without an answer, after which the host is given up."""
AT_ONCE = 256
"""Tasks that wait for a connection."""
STEP = 0.25
"""Seconds of the shortest pause before a request is sent again."""


class Politeness(NamedTuple):
    """The limits of requests to a host: connections, seconds for an answer, attempts, seconds in total.

    `rate` is the number of requests a second, 0 for no limit. `patience` is the number of seconds that the
    host may ask labgen to wait (Retry-After). `pauses` are the seconds between the requests that find out
    whether a host that has gone away is back; without them, it is not waited for.
    """

    connections: int = 4
    timeout: float = 10.0
    tries: int = 3
    limit: float = 600.0
    rate: float = 0.0
    patience: float = 30.0
    pauses: tuple[float, ...] = ()


class GivenUpError(Exception):
    """The host was given up, for the reason in the message."""


@dataclass(slots=True)
class Asker:
    """Sends requests to a host from several threads, until time runs out or the host is given up.

    `known` is a request that the host has answered: it tells whether the whole host is overloaded. `reason`
    is why the host was given up. `say` tells users that a host is waited for; `outages` counts how often.
    """

    client: Client
    politeness: Politeness
    known: Request
    say: Callable[[str], None] = lambda _: None
    overloaded: int = 0
    silent: int = 0
    paused_until: float = 0.0
    next_at: float = 0.0
    reason: str = ""
    answered: Request | None = None
    outages: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    outage: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, request: Request) -> Received:
        """Send a request, and again where that helps. Raises `NoAnswerError` and `GivenUpError`."""
        left = MOST_OUTAGES
        while True:
            outages, left = self.outages, left - 1
            try:
                received = self._try(request)
            except NoAnswerError as error:
                if error.code != "no-answer":
                    raise
                if left and self._comes_back(outages, str(error)):
                    continue
                self._note_silence()
                raise
            why = f"the host answers {received.status}"
            if received.status not in OVERLOADED or not left or not self._comes_back(outages, why):
                return received

    def _comes_back(self, outages: int, why: str) -> bool:
        """Wait for a host that has gone away, while others wait for this; return whether to ask it again.

        `outages` is their number when the request began. Raises `GivenUpError` where the host stays away.
        """
        if not self.politeness.pauses or not self.answered:
            return False
        with self.outage:
            if self.reason:
                raise GivenUpError(self.reason)
            if self.outages > outages:  # another thread has waited
                return True
            if self._is_up(self.answered):
                return False
            for seconds in self.politeness.pauses:
                self.say(f"{why}: labgen asks again in {seconds:g} s")
                self._wait(seconds)
                if self._is_up(self.answered):
                    break
            else:
                self._give_up(why)
            self.outages, self.silent, self.overloaded = self.outages + 1, 0, 0
            return True

    def _try(self, request: Request) -> Received:
        tries = 1 if self.silent else self.politeness.tries
        failure = NoAnswerError("no-answer", "the time is over")
        for number in range(tries):
            self._wait(max(STEP * 2**number if number else 0, self._turn()))
            try:
                received = self.client.send(request)
            except NoAnswerError as error:
                if error.code != "no-answer":
                    raise
                failure = error
                continue
            self.silent = 0
            if received.status not in OVERLOADED:
                self.overloaded, self.answered = 0, request
                return received
            self._note_overload(received)
            if number + 1 == tries:
                return received
        raise failure

    def _turn(self) -> float:
        """Return how many seconds to wait for this request's turn, so that the rate is kept."""
        if not self.politeness.rate:
            return 0
        with self.lock:
            now = time.monotonic()
            turn = max(self.next_at, now)
            self.next_at = turn + 1 / self.politeness.rate
        return turn - now

    def _wait(self, seconds: float) -> None:
        """Wait so long, or as long as the host has asked for. Raises `GivenUpError` when the time is over."""
        now = time.monotonic()
        pause = min(max(seconds, self.paused_until - now), self.client.deadline - now)
        if pause > 0:
            time.sleep(pause)
        if time.monotonic() >= self.client.deadline:
            self._give_up("the time is over")

    def _note_overload(self, received: Received) -> None:
        """Record an answer that reports overload. Raises `GivenUpError` if the host answers nothing else."""
        seconds = seconds_to_wait(received.fields)
        with self.lock:
            self.overloaded += 1
            if seconds > self.politeness.patience:
                self._give_up(f"the host answers {received.status}, and asks to wait {seconds:,.0f} seconds")
            self.paused_until = max(self.paused_until, time.monotonic() + seconds)
            if self.overloaded >= MOST_OVERLOADED:
                if not self.politeness.pauses and not self._is_up(self.known):
                    self._give_up(f"the host answered {received.status} {self.overloaded} times in a row")
                self.overloaded = 0

    def _is_up(self, known: Request) -> bool:
        """Ask for what the host has answered before: perhaps only some of its paths are overloaded."""
        try:
            return self.client.send(known).status not in OVERLOADED
        except NoAnswerError:
            return False

    def _note_silence(self) -> None:
        with self.lock:
            self.silent += 1
        if self.silent >= MOST_SILENT:
            self._give_up("the host does not answer any more")

    def _give_up(self, reason: str) -> NoReturn:
        self.reason = self.reason or reason
        raise GivenUpError(self.reason)


def seconds_to_wait(fields: Mapping[str, str]) -> float:
    """Return how long a host asks to wait: a number, or a date, which is compared with the answer's own."""
    asked = fields.get("retry-after", "")
    if asked.isascii() and asked.isdecimal():
        return float(asked[:LONGEST_NUMBER])
    try:
        until, now = (parsedate_to_datetime(text) for text in (asked, fields.get("date", "")))
        return max(0.0, (until - now).total_seconds())
    except (ValueError, TypeError):
        return 0.0


LONGEST_NUMBER = 9
"""Digits of a number of seconds that are read."""

Task = TypeVar("Task")
Result = TypeVar("Result")


def ask_for_all(
    asker: Asker, work: Callable[[Task], Result], tasks: Iterable[Task]
) -> Iterator[tuple[Task, Result]]:
    """Yield tasks with their results, in order; runs as many at a time as there are connections.

    Raises `GivenUpError` when the host is given up. Tasks are taken when there is room for them.
    """

    def attempt(task: Task) -> Result:
        if asker.reason:
            raise GivenUpError(asker.reason)
        return work(task)

    waiting = iter(tasks)
    with ThreadPoolExecutor(asker.politeness.connections) as pool:
        while batch := list(islice(waiting, AT_ONCE)):
            yield from zip(batch, pool.map(attempt, batch), strict=True)
