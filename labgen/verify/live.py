"""A live host, asked politely: few connections, a limit of time for an answer and for all, no redirects."""

import http.client
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

from labgen.contract import Received, Request, Row

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


class NoAnswerError(Exception):
    """The host did not answer, or not in HTTP."""


@dataclass(slots=True)
class Client:
    """Sends requests to one host, straight or through the proxy that the environment names."""

    url: SplitResult
    politeness: Politeness

    def ask(self, request: Request) -> Received:
        """Send a request just as it is written, and again where that helps. Raises `NoAnswerError`."""
        problem = ""
        for number in range(self.politeness.tries):
            if number:
                time.sleep(min(0.25 * 2**number, LONGEST_WAIT))
            try:
                received = self._send(request)
            except (OSError, http.client.HTTPException) as error:
                problem = str(error) or type(error).__name__
                continue
            if received.status not in RETRIED or number + 1 == self.politeness.tries:
                return received
            time.sleep(_wait(received))
        raise NoAnswerError(problem)

    def _send(self, request: Request) -> Received:
        connection, prefix = self._connection()
        latest = time.monotonic() + self.politeness.timeout
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
            body = _read(answer, latest)
        finally:
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
        proxy = None if proxy_bypass(host) else getproxies().get(self.url.scheme)
        if proxy is None:
            if is_safe:
                return http.client.HTTPSConnection(host, port, timeout=timeout, context=_context()), ""
            return http.client.HTTPConnection(host, port, timeout=timeout), ""
        via = urlsplit(proxy if "//" in proxy else f"//{proxy}")
        through = (via.hostname or "", via.port or 80)
        if not is_safe:
            return http.client.HTTPConnection(*through, timeout=timeout), f"http://{self.url.netloc}"
        tunnel = http.client.HTTPSConnection(*through, timeout=timeout, context=_context())
        tunnel.set_tunnel(host, port)
        return tunnel, ""


def _context() -> ssl.SSLContext:
    return ssl.create_default_context()


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
    return b"".join(parts)


def _wait(received: Received) -> float:
    asked = received.fields.get("retry-after", "")
    return min(float(asked), LONGEST_WAIT) if asked.isdecimal() else 0.0


class Tried(NamedTuple):
    """A row, and what the host sent, or None and why there is nothing."""

    row: Row
    received: Received | None
    problem: str = ""


def try_rows(
    client: Client, rows: Iterable[Row], progress: Callable[[int], None] = lambda _: None
) -> Iterator[Tried]:
    """Yield the rows with the answers, in order, until the time is over."""
    latest = time.monotonic() + client.politeness.limit
    is_over = threading.Event()

    def attempt(row: Row) -> Tried | None:
        if is_over.is_set() or time.monotonic() > latest:
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
            return Tried(row, None, f"there is no answer: {error}")

    waiting, done = iter(rows), 0
    with ThreadPoolExecutor(client.politeness.connections) as pool:
        try:
            while batch := list(islice(waiting, AT_ONCE)):
                for tried in pool.map(attempt, batch):
                    done += 1
                    progress(done)
                    if tried:
                        yield tried
        finally:
            is_over.set()


AT_ONCE = 256
"""Rows that wait for a connection."""
