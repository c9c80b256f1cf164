"""Send single requests to one host: limited in time and size, without following redirects."""

import base64
import http.client
import io
import math
import socket
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, Protocol
from urllib.parse import SplitResult, unquote

from labgen.contract.http_answers import Received
from labgen.contract.http_contract import Request
from labgen.fetch.urls import without_credentials
from labgen.problems.text import say, text_of

MAX_BODY = 64 * 1024 * 1024
"""The size of the largest body that is kept in memory."""
CHUNK = 64 * 1024
PACE = 1024 * 1024
"""Bytes of a body for which a host has the time that it has for a response."""
AGENT = "labgen"
PAUSE = 0.3
"""Seconds to wait for data that a host wrongly sends after a response without a body."""
WITHOUT_BODY = frozenset({204, 304})


class Route(NamedTuple):
    """How to reach a host: the host and port of an HTTP proxy, and the TLS context that defines trust."""

    proxy: tuple[str, int] | None = None
    trust: ssl.SSLContext | None = None


STRAIGHT = Route()


class NoAnswerError(Exception):
    """Raised if there is no valid HTTP response; `code` is the reason, as a code of `labgen explain`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Sink(Protocol):
    """Takes the body of one response as it arrives."""

    def write(self, part: bytes, /) -> bool:
        """Take the next part; return whether more is wanted: if not, the rest is not read."""
        ...

    def kept(self) -> bytes:
        """Return what a caller gets as the body of the response."""
        ...


Opener = Callable[[int, Mapping[str, str]], Sink]
"""Opens a sink for a response with a status and header fields: a new one for each attempt."""


class InMemory:
    """Keeps the body of a response, up to `MAX_BODY`."""

    def __init__(self, _status: int, _fields: Mapping[str, str]) -> None:
        self.parts: list[bytes] = []
        self.size = 0

    def write(self, part: bytes) -> bool:
        """Keep a part. Raises `HTTPException` if the body is too large."""
        self.parts.append(part)
        self.size += len(part)
        if self.size > MAX_BODY:
            raise http.client.HTTPException(
                say("the body is larger than {max_body:,} bytes", max_body=MAX_BODY)
            )
        return True

    def kept(self) -> bytes:
        """Return the body."""
        return b"".join(self.parts)


class Beginning(InMemory):
    """Keeps the beginning of a body; the rest is not read."""

    def write(self, part: bytes) -> bool:
        """Keep a part; return whether more is wanted."""
        return super().write(part) and self.size < CHUNK


@dataclass(slots=True)
class Client:
    """Sends requests to one host without retries, and reuses connections until it is closed.

    `deadline` is when all requests have to end, on the clock of `time.monotonic`. `is_strict` tests whether a
    host sends data after a response without a body, which takes a moment and ends the connection.
    `certificate_end` is when the certificate of the host ends, in seconds since 1970, if it has sent one.
    """

    url: SplitResult
    timeout: float
    route: Route = STRAIGHT
    deadline: float = math.inf
    is_strict: bool = True
    certificate_end: float = math.inf
    _kept: list[http.client.HTTPConnection] = field(default_factory=list)

    def close(self) -> None:
        """Close the kept connections."""
        while self._kept:
            self._kept.pop().close()

    def send(self, request: Request, opener: Opener = InMemory) -> Received:
        """Send a request exactly as given, and return the response. Raises `NoAnswerError`."""
        try:
            with suppress(IndexError, ConnectionError, ssl.SSLEOFError):  # no connection, or closed meanwhile
                return self._exchange(self._kept.pop(), request, opener)
            return self._exchange(self._connection(), request, opener)
        except http.client.IncompleteRead:
            raise NoAnswerError("cut-short", say("the answer ends before it is whole")) from None
        except ssl.SSLError as error:
            raise NoAnswerError(*_tls_fault(error, self.url.hostname or "")) from None
        except TimeoutError:
            raise NoAnswerError("no-answer", say("the answer takes too long")) from None
        except (OSError, http.client.HTTPException) as error:
            raise NoAnswerError("no-answer", _reason(error, self.url.hostname or "")) from None

    def _exchange(self, connection: http.client.HTTPConnection, request: Request, opener: Opener) -> Received:
        """Send a request, and return the response; keep the connection if both sides allow it."""
        with self._limited(connection) as limit:
            connection.response_class = partial(_Response, limit)  # type: ignore[assignment]
            is_last = self.is_strict and _ends_connection(request)
            connection.putrequest(
                request.method, self._prefix() + request.target, skip_host=True, skip_accept_encoding=True
            )
            for name, value in self._fields(request, is_last=is_last):
                connection.putheader(name, value)
            connection.endheaders()
            with connection.getresponse() as answer:
                is_empty = request.method == "HEAD" or answer.status in WITHOUT_BODY
                is_looked_behind = is_empty and self.is_strict
                fields = _joined(answer.getheaders())
                sink = opener(answer.status, fields)
                is_whole = True
                if is_looked_behind:
                    sink.write(_rest(answer, limit))
                else:
                    is_whole = self._read(answer, sink, limit)
            if is_last or is_looked_behind or answer.will_close or not is_whole:
                connection.close()
            else:
                self._kept.append(connection)
        return Received(answer.status, fields, sink.kept())

    def _read(self, answer: http.client.HTTPResponse, sink: Sink, limit: "_Limit") -> bool:
        """Give a body to a sink; return whether it wanted all. Raises `HTTPException` if it ends early.

        A host has the time for a response again after each `PACE` bytes: a large body may take longer.
        """
        size = 0
        while part := self._part(answer, size):
            if not sink.write(part):
                return False
            if (size + len(part)) // PACE > size // PACE:
                limit.latest = min(time.monotonic() + self.timeout, self.deadline)
            size += len(part)
        if answer.length:
            raise http.client.IncompleteRead(b"", answer.length)
        return True

    def _part(self, answer: http.client.HTTPResponse, size: int) -> bytes:
        """Return the next part of a body, b"" at its end; `size` bytes came. Raises `NoAnswerError`."""
        try:
            return answer.read1(CHUNK)
        except TimeoutError:
            if not size:
                raise
            message = say("the answer stopped in the middle, or comes too slowly")
            raise NoAnswerError("no-answer", message) from None

    @contextmanager
    def _limited(self, connection: http.client.HTTPConnection) -> Iterator["_Limit"]:
        """Limit the time of an exchange; close a connection that is slow or fails. Raises `TimeoutError`."""
        seconds = max(min(self.timeout, self.deadline - time.monotonic()), 0)
        limit = _Limit(time.monotonic() + seconds)
        try:
            if connection.sock is None:
                connection.connect()
                self.certificate_end = min(self.certificate_end, _end_of(connection.sock))
            connection.sock.settimeout(seconds)
            yield limit
        except (OSError, http.client.HTTPException):
            connection.close()
            if time.monotonic() >= limit.latest:
                raise TimeoutError from None
            raise
        except BaseException:  # the sink cannot take the body, or the user stops
            connection.close()
            raise

    def _fields(self, request: Request, *, is_last: bool) -> Iterator[tuple[str, str]]:
        credentials, _, host = self.url.netloc.rpartition("@")
        yield "Host", host
        yield "User-Agent", AGENT
        if credentials:
            yield "Authorization", f"Basic {base64.b64encode(unquote(credentials).encode()).decode()}"
        yield from request.headers
        if request.method in ("POST", "PUT", "PATCH"):
            yield "Content-Length", "0"
        if is_last:
            yield "Connection", "close"

    def _prefix(self) -> str:
        """Return the prefix of the target in a plain HTTP request to a proxy; "" for other requests."""
        is_plain = self.url.scheme == "http"
        return f"http://{without_credentials(self.url).netloc}" if self.route.proxy and is_plain else ""

    def _connection(self) -> http.client.HTTPConnection:
        host, is_safe = self.url.hostname or "", self.url.scheme == "https"
        port = self.url.port or (443 if is_safe else 80)
        first, timeout = self.route.proxy or (host, port), self.timeout
        if not is_safe:
            return http.client.HTTPConnection(*first, timeout=timeout)
        connection = http.client.HTTPSConnection(*first, timeout=timeout, context=self.route.trust)
        if self.route.proxy:
            connection.set_tunnel(host, port)
        return connection


def _end_of(sock: socket.socket | None) -> float:
    """Return when the certificate of a host ends, in seconds since 1970; infinite without TLS."""
    end = (sock.getpeercert() or {}).get("notAfter") if isinstance(sock, ssl.SSLSocket) else None
    return ssl.cert_time_to_seconds(end) if isinstance(end, str) else math.inf


def _ends_connection(request: Request) -> bool:
    """Return whether to close the connection, to detect data after a response without a body."""
    is_conditional = any(name == "If-None-Match" for name, _ in request.headers)
    return request.method != "GET" or is_conditional


BY_CODE = {
    9: ("expired-certificate", say("is not valid yet")),
    10: ("expired-certificate", say("has expired")),
    62: ("wrong-certificate", say("is not for this name")),
    64: ("wrong-certificate", say("is not for this address")),
}
"""Verification errors of X.509 by their numbers (OpenSSL, X509_STORE_CTX_get_error)."""
UNTRUSTED = (
    "untrusted-certificate",
    say("is not trusted (SSL_CERT_FILE=authority.pem trusts an authority of your own)"),
)


def _reason(error: OSError | http.client.HTTPException, host: str) -> str:
    """Return the reason why there is no response, without the error number."""
    if isinstance(error, socket.gaierror):
        return say("the name {host} cannot be resolved", host=host)
    if isinstance(error, ConnectionRefusedError):
        return say("the connection is refused")
    text = error.strerror if isinstance(error, OSError) else text_of(error)
    return text or type(error).__name__


def _tls_fault(error: ssl.SSLError, host: str) -> tuple[str, str]:
    """Return the code and the message for a TLS failure."""
    if isinstance(error, ssl.SSLCertVerificationError):
        code, what = BY_CODE.get(error.verify_code, UNTRUSTED)
        return code, say(
            "the certificate of {host} {what}: {verify_message}",
            host=host,
            what=what,
            verify_message=error.verify_message.rstrip("."),
        )
    reason = (error.reason or str(error)).replace("_", " ").lower()
    return "tls-refused", say("{host} and labgen did not agree on TLS: {reason}", host=host, reason=reason)


def _joined(fields: list[tuple[str, str]]) -> dict[str, str]:
    """Return header fields by lower-case name; values of the same name are joined (RFC 9110, 5.3)."""
    found: dict[str, str] = {}
    for name, value in fields:
        key = name.lower()
        found[key] = f"{found[key]}, {value}" if key in found else value
    return found


def _rest(answer: http.client.HTTPResponse, limit: "_Limit") -> bytes:
    """Return the data that follows a response without a body: b"" from a correct host."""
    limit.latest = min(limit.latest, time.monotonic() + PAUSE)
    try:
        return answer.fp.read(1024) if answer.fp else b""
    except OSError:
        return b""


@dataclass(slots=True)
class _Limit:
    """The time by which a response must have been read."""

    latest: float

    def seconds(self) -> float:
        """Return the remaining seconds. Raises `TimeoutError` if there are none."""
        seconds = self.latest - time.monotonic()
        if seconds <= 0:
            raise TimeoutError
        return seconds


class _LimitedReader(io.RawIOBase):
    """Reads from a socket within a time limit for the whole response, however small its pieces are."""

    def __init__(self, sock: socket.socket, limit: _Limit) -> None:
        self.sock, self.limit = sock, limit
        self.inner = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self.sock.settimeout(self.limit.seconds())
        return self.inner.readinto(buffer)

    def close(self) -> None:
        self.inner.close()
        super().close()


class _Response(http.client.HTTPResponse):
    """A response read within a time limit; interim responses (1xx, RFC 9110, section 15.2) are skipped."""

    def __init__(self, limit: _Limit, sock: socket.socket, **how: Any) -> None:
        super().__init__(sock, **how)
        self.fp.close()
        self.fp = io.BufferedReader(_LimitedReader(sock, limit))

    def begin(self) -> None:
        super().begin()
        while 100 < self.status < 200:  # noqa: PLR2004
            self.headers = None  # type: ignore[assignment] # so that the next head is read
            super().begin()
