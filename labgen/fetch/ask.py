"""Send requests without overloading a host: few connections, a rate limit, time limits, and pauses."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from itertools import islice
from typing import NamedTuple, NoReturn, TypeVar

from labgen.contract.http_answers import Received
from labgen.contract.http_contract import Request
from labgen.fetch.client import Beginning, Client, InMemory, NoAnswerError, Opener
from labgen.problems.text import say, text_of

OVERLOADED = frozenset({429, 502, 503, 504})
"""Status codes after which a request is worth repeating later."""
MOST_OVERLOADED = 12
"""Responses in a row with such a status, after which a test decides whether the host is given up."""
MOST_OUTAGES = 3
"""Attempts at a request when the host becomes unavailable: the request itself may be the cause."""
MOST_SILENT = 20
"""Requests in a row without a response, after which the host is given up."""
AT_ONCE = 256
"""The number of tasks in a batch."""
STEP = 0.25
"""Seconds; before the nth retry of a request, there is a pause of `STEP * 2**n`."""


class Politeness(NamedTuple):
    """The limits of requests to a host: connections, seconds for a response, attempts, seconds in total.

    `rate` is the number of requests per second, 0 for no limit. `patience` is the longest Retry-After that is
    accepted, in seconds. An answer that takes `slow` seconds or longer is recorded. `pauses` are the seconds
    before each test whether an unavailable host is available again; if there are none, labgen does not wait
    for it.
    """

    connections: int = 4
    timeout: float = 10.0
    tries: int = 3
    limit: float = 600.0
    rate: float = 0.0
    patience: float = 30.0
    pauses: tuple[float, ...] = ()
    slow: float = 2.0


@dataclass(slots=True)
class Traffic:
    """What is noteworthy about the requests that were sent, however they were answered in the end.

    `repeated` are requests that were sent again, each with the reasons; `slow` those whose answer took long,
    each with its seconds. `seconds` are those of all.
    """

    sent: int = 0
    repeated: dict[Request, list[str]] = field(default_factory=dict)
    slow: dict[Request, float] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)


class GivenUpError(Exception):
    """Raised when the host is given up; the message is the reason."""


@dataclass(slots=True)
class PoliteClient:
    """Sends requests to a host from several threads, until time runs out or the host is given up.

    `known` is a request that the host has answered: it tests whether the whole host is overloaded. `reason`
    is why the host was given up. `say` tells users that labgen waits for it; `outages` counts how often.
    """

    client: Client
    politeness: Politeness
    known: Request
    say: Callable[[str], None] = lambda _: None
    overload_count: int = 0
    silent_count: int = 0
    paused_until: float = 0.0
    next_at: float = 0.0
    reason: str = ""
    answered: Request | None = None
    outages: int = 0
    traffic: Traffic = field(default_factory=Traffic)
    lock: threading.Lock = field(default_factory=threading.Lock)
    outage: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, request: Request, opener: Opener = InMemory) -> Received:
        """Send a request, and repeat it if that may help. Raises `NoAnswerError` and `GivenUpError`."""
        left = MOST_OUTAGES
        while True:
            outages, left = self.outages, left - 1
            try:
                received = self._try(request, opener)
            except NoAnswerError as error:
                if error.code != "no-answer":
                    raise
                if left and self._comes_back(outages, text_of(error)):
                    continue
                self._note_silence()
                raise
            why = say("the host answers {status}", status=received.status)
            if received.status not in OVERLOADED or not left or not self._comes_back(outages, why):
                return received

    def _comes_back(self, outages: int, why: str) -> bool:
        """Wait until an unavailable host is available again; return whether to repeat the request.

        Other threads wait meanwhile. `outages` is the count when the request began. Raises `GivenUpError` if
        the host stays unavailable.
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
                self.say(say("{why}: labgen asks again in {seconds:g} s", why=why, seconds=seconds))
                self._wait(seconds)
                if self._is_up(self.answered):
                    break
            else:
                self._give_up(why)
            self.outages, self.silent_count, self.overload_count = self.outages + 1, 0, 0
            return True

    def _try(self, request: Request, opener: Opener) -> Received:
        tries = 1 if self.silent_count else self.politeness.tries
        failure = NoAnswerError("no-answer", say("the time is over"))
        for number in range(tries):
            self._wait(max(STEP * 2**number if number else 0, self._turn()))
            try:
                received = self._timed(request, opener)
            except NoAnswerError as error:
                if error.code != "no-answer":
                    raise
                failure = error
                self._note_repeat(request, text_of(error))
                continue
            self.silent_count = 0
            if received.status not in OVERLOADED:
                self.overload_count, self.answered = 0, request
                return received
            self._note_repeat(request, say("HTTP {status}", status=received.status))
            self._note_overload(received)
            if number + 1 == tries:
                return received
        raise failure

    def _timed(self, request: Request, opener: Opener) -> Received:
        started = time.monotonic()
        try:
            return self.client.send(request, opener)
        finally:
            seconds = time.monotonic() - started
            with self.lock:
                self.traffic.sent += 1
                self.traffic.seconds.append(seconds)
                if seconds >= self.politeness.slow:
                    self.traffic.slow[request] = max(self.traffic.slow.get(request, 0), seconds)

    def _note_repeat(self, request: Request, why: str) -> None:
        with self.lock:
            self.traffic.repeated.setdefault(request, []).append(why)

    def _turn(self) -> float:
        """Reserve a time for a request within the rate limit; return the seconds until then."""
        if not self.politeness.rate:
            return 0
        with self.lock:
            now = time.monotonic()
            turn = max(self.next_at, now)
            self.next_at = turn + 1 / self.politeness.rate
        return turn - now

    def _wait(self, seconds: float) -> None:
        """Wait some seconds, or longer if the host asked for it. Raises `GivenUpError` at the deadline."""
        now = time.monotonic()
        pause = min(max(seconds, self.paused_until - now), self.client.deadline - now)
        if pause > 0:
            time.sleep(pause)
        if time.monotonic() >= self.client.deadline:
            self._give_up(say("the time is over"))

    def _note_overload(self, received: Received) -> None:
        """Record an overload response. Raises `GivenUpError` after too many, or if the wait is too long."""
        seconds = seconds_to_wait(received.fields)
        with self.lock:
            self.overload_count += 1
            if seconds > self.politeness.patience:
                self._give_up(
                    say(
                        "the host answers {status}, and asks to wait {seconds:,.0f} seconds",
                        status=received.status,
                        seconds=seconds,
                    )
                )
            self.paused_until = max(self.paused_until, time.monotonic() + seconds)
            if self.overload_count >= MOST_OVERLOADED:
                if not self.politeness.pauses and not self._is_up(self.known):
                    self._give_up(
                        say(
                            "the host answered {status} {overload_count} times in a row",
                            status=received.status,
                            overload_count=self.overload_count,
                        )
                    )
                self.overload_count = 0

    def _is_up(self, known: Request) -> bool:
        """Repeat an answered request; return whether it succeeds: perhaps only some paths are overloaded."""
        try:
            return self.client.send(known, Beginning).status not in OVERLOADED
        except NoAnswerError:
            return False

    def _note_silence(self) -> None:
        with self.lock:
            self.silent_count += 1
        if self.silent_count >= MOST_SILENT:
            self._give_up(say("the host does not answer any more"))

    def _give_up(self, reason: str) -> NoReturn:
        self.reason = self.reason or reason
        raise GivenUpError(self.reason)


def seconds_to_wait(fields: Mapping[str, str]) -> float:
    """Return the seconds that Retry-After asks for: a number, or a date relative to that of the response."""
    asked = fields.get("retry-after", "")
    if asked.isascii() and asked.isdecimal():
        return float(asked[:LONGEST_NUMBER])
    try:
        until, now = (parsedate_to_datetime(text) for text in (asked, fields.get("date", "")))
        return max(0.0, (until - now).total_seconds())
    except (ValueError, TypeError):
        return 0.0


LONGEST_NUMBER = 9
"""Digits of a number of seconds that are read; further digits are ignored."""

Task = TypeVar("Task")
Result = TypeVar("Result")


def ask_for_all(
    asker: PoliteClient, work: Callable[[Task], Result], tasks: Iterable[Task]
) -> Iterator[tuple[Task, Result]]:
    """Do `work` for tasks in parallel, as many as there are connections; yield them with results, in order.

    Raises `GivenUpError` when the host is given up. Tasks are read in batches, when a batch is done.
    """

    def attempt(task: Task) -> Result:
        if asker.reason:
            raise GivenUpError(asker.reason)
        return work(task)

    waiting = iter(tasks)
    with ThreadPoolExecutor(asker.politeness.connections) as pool:
        while batch := list(islice(waiting, AT_ONCE)):
            yield from zip(batch, pool.map(attempt, batch), strict=True)
