"""A live host, asked politely: few connections, a limit of time for an answer and for all, no redirects."""

import http.client
import math
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple
from urllib.parse import SplitResult

from labgen.api.http_answers import Received
from labgen.api.http_contract import Request, Row

RETRIED = frozenset({429, 502, 503, 504})
"""Answers after which it is worth to ask again."""
LONGEST_WAIT = 5.0
MAX_BODY = 64 * 1024 * 1024
AGENT = "labgen-verify"


class Politeness(NamedTuple):
    """How a host is asked: connections at a time, seconds for an answer, tries, seconds in all."""

    connections: int = 4
    timeout: float = 10.0
    tries: int = 3
    limit: float = 600.0


class Route(NamedTuple):
    """How a host is reached: through the HTTP proxy at this address and port, and whom TLS trusts."""

    proxy: tuple[str, int] | None = None
    trust: ssl.SSLContext | None = None


STRAIGHT = Route()


class NoAnswerError(Exception):
    """The host did not answer, or not in HTTP."""


@dataclass(slots=True)
class Client:
    """Sends requests to one host, straight or through a proxy.

    `deadline` is when all of it has to end, on the clock of `time.monotonic`. A host that did not answer the
    last request is asked the next one only once.
    """

    url: SplitResult
    politeness: Politeness
    route: Route = STRAIGHT
    deadline: float = math.inf
    is_silent: bool = False

    def ask(self, request: Request) -> Received:
        """Send a request just as it is written, and again where that helps. Raises `NoAnswerError`."""
        problem = ""
        tries = 1 if self.is_silent else self.politeness.tries
        for number in range(tries):
            if number:
                time.sleep(min(0.25 * 2**number, LONGEST_WAIT))
            if time.monotonic() > self.deadline:
                break
            try:
                received = self._send(request)
            except http.client.InvalidURL as error:
                raise NoAnswerError(str(error)) from None
            except (OSError, http.client.HTTPException) as error:
                problem = str(error) or type(error).__name__
                continue
            self.is_silent = False
            if received.status not in RETRIED or number + 1 == tries:
                return received
            time.sleep(_wait(received))
        self.is_silent = True
        raise NoAnswerError(problem)

    def _send(self, request: Request) -> Received:
        connection, prefix = self._connection()
        connection.response_class = _Response
        seconds = min(self.politeness.timeout, self.deadline - time.monotonic())
        latest = time.monotonic() + seconds
        connection.connect()
        timer = threading.Timer(max(seconds, 0), _cut, (connection,))
        timer.start()
        try:
            connection.putrequest(
                request.method, prefix + request.target, skip_host=True, skip_accept_encoding=True
            )
            connection.putheader("Host", self.url.netloc.rpartition("@")[2])
            connection.putheader("User-Agent", AGENT)
            for name, value in request.headers:
                connection.putheader(name, value)
            if request.method in ("POST", "PUT", "PATCH"):
                connection.putheader("Content-Length", "0")
            connection.putheader("Connection", "close")
            connection.endheaders()
            answer = connection.getresponse()
            is_empty = request.method == "HEAD" or answer.status in WITHOUT_BODY
            body = _rest(answer, connection) if is_empty else _read(answer, latest)
        except (OSError, http.client.HTTPException):
            if time.monotonic() >= latest:
                raise TimeoutError("the answer takes too long") from None
            raise
        finally:
            timer.cancel()
            connection.close()
        fields: dict[str, str] = {}
        for name, value in answer.getheaders():
            key = name.lower()
            fields[key] = f"{fields[key]}, {value}" if key in fields else value
        return Received(answer.status, fields, body)

    def _connection(self) -> tuple[http.client.HTTPConnection, str]:
        """Return a connection, and what stands before a target where a proxy is asked for it."""
        host, is_safe = self.url.hostname or "", self.url.scheme == "https"
        port, timeout = self.url.port or (443 if is_safe else 80), self.politeness.timeout
        proxy, trust = self.route
        if not is_safe:
            prefix = f"http://{self.url.netloc}" if proxy else ""
            return http.client.HTTPConnection(*(proxy or (host, port)), timeout=timeout), prefix
        connection = http.client.HTTPSConnection(*(proxy or (host, port)), timeout=timeout, context=trust)
        if proxy:
            connection.set_tunnel(host, port)
        return connection, ""


def _cut(connection: http.client.HTTPConnection) -> None:
    """End a connection that somebody else waits for."""
    with suppress(OSError, AttributeError):
        connection.sock.shutdown(socket.SHUT_RDWR)


def _read(answer: http.client.HTTPResponse, latest: float) -> bytes:
    """Return the body; a host that sends it drop by drop, or without end, is given up."""
    parts: list[bytes] = []
    size = 0
    while part := answer.read1(65536):
        parts.append(part)
        size += len(part)
        if size > MAX_BODY:
            raise http.client.HTTPException(f"the body is larger than {MAX_BODY:,} bytes")
        if time.monotonic() > latest:
            raise TimeoutError("the answer takes too long")
    if answer.length:
        raise http.client.IncompleteRead(b"".join(parts), answer.length)
    return b"".join(parts)


def _rest(answer: http.client.HTTPResponse, connection: http.client.HTTPConnection) -> bytes:
    """Return what follows an answer that has no body: nothing, if all is well."""
    if connection.sock:
        connection.sock.settimeout(PAUSE)
    try:
        return answer.fp.read(1024) if answer.fp else b""
    except OSError:
        return b""


PAUSE = 0.3
"""Seconds in which a host that should have closed the connection may send more."""
WITHOUT_BODY = frozenset({204, 304})


class _Response(http.client.HTTPResponse):
    """An answer; what is sent before it (1xx, RFC 9110, section 15.2) is passed over."""

    def begin(self) -> None:
        super().begin()
        while 100 < self.status < 200:  # noqa: PLR2004
            self.headers = None  # type: ignore[assignment] # so that the next head is read
            super().begin()


def _wait(received: Received) -> float:
    asked = received.fields.get("retry-after", "")
    return min(float(asked), LONGEST_WAIT) if asked.isdecimal() else 0.0


class Tried(NamedTuple):
    """A row, and what the host sent, or None and why there is nothing."""

    row: Row
    received: Received | None
    problem: str = ""
    is_silent: bool = False


def try_rows(
    client: Client, rows: Iterable[Row], progress: Callable[[int], None] = lambda _: None
) -> Iterator[Tried]:
    """Yield the rows with the answers, in order, until the time is over or nobody answers any more."""
    client.deadline = time.monotonic() + client.politeness.limit
    is_over = threading.Event()
    silent = 0

    def attempt(row: Row) -> Tried | None:
        if is_over.is_set() or time.monotonic() > client.deadline:
            return None
        try:
            request = row.request
            if row.first:
                etag = client.ask(row.first).fields.get("etag", "")
                if not etag:
                    return Tried(row, None, "the first answer has no ETag")
                request = request._replace(headers=(*request.headers, ("If-None-Match", etag)))
            return Tried(row, client.ask(request))
        except NoAnswerError as error:
            return Tried(row, None, f"there is no answer: {error}", is_silent=True)

    waiting, done = iter(rows), 0
    with ThreadPoolExecutor(client.politeness.connections) as pool:
        try:
            while batch := list(islice(waiting, AT_ONCE)):
                for tried in pool.map(attempt, batch):
                    done += 1
                    progress(done)
                    if tried is None:
                        continue
                    yield tried
                    silent = 0 if tried.received or not tried.is_silent else silent + 1
                    if silent == MOST_SILENT:
                        is_over.set()
        finally:
            is_over.set()


MOST_SILENT = 20
"""Requests in a row without an answer, after which a host is given up."""
AT_ONCE = 256
"""Rows that wait for a connection."""
