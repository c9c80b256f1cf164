"""Run a small HTTP server, on the loopback interface by default, bounded against hostile clients."""

import contextlib
import re
import socket
import string
import sys
import threading
import time
from collections.abc import Callable, Iterator
from email.errors import FirstHeaderLineIsContinuationDefect, MissingHeaderBodySeparatorDefect
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any
from urllib.parse import quote

from labgen.contract.http_contract import JSON_TYPE
from labgen.problems.text import say
from labgen.serve.answer import ANYWHERE, Answer
from labgen.serve.known_hosts import LOOPBACK, KnownHosts

ADDRESS = "127.0.0.1"
TRIES = 100
"""The number of ports that are tried, one after the other."""
PATIENCE = 10.0
"""Seconds to wait for data from a client, or for a free place."""
AT_ONCE = 128
"""The maximum number of simultaneous connections: a new one ends the one that waits longest."""
LONGEST_BODY = 1 << 20
"""The maximum size of a request's body in bytes, which is discarded; longer ones end the connection."""
LINGER = 1.0
"""Seconds in which the rest of a refused request is discarded, so that its sender can read the answer."""
MISDIRECTED = 421

Respond = Callable[[str, str, dict[str, str]], Answer]
"""A function that responds to a method, a target and the header fields by lower-case name."""


class PreviewServer(ThreadingHTTPServer):
    """An HTTP server that sends the responses of a function, for the hosts that it knows.

    `waiting` are the connections that wait for their clients, the longest one first.
    """

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 1024

    def __init__(self, port: int, respond: Respond, address: str, hosts: KnownHosts) -> None:
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        super().__init__((address, port), _Handler)
        self.respond = respond
        self.hosts = hosts
        self.places = threading.BoundedSemaphore(AT_ONCE)
        self.waiting: dict[socket.socket, None] = {}
        self.lock = threading.Lock()

    def server_bind(self) -> None:
        """Bind to the address; the base class would also ask for its name, which can take long."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a separate thread, if one of the `AT_ONCE` places is or becomes free in time."""
        if not self.places.acquire(blocking=False):
            self._end_longest_waiting()
            if not self.places.acquire(timeout=PATIENCE):
                self.shutdown_request(request)
                return
        self.wait_for(request)
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, and release the place."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.wait_no_more(request)
            self.places.release()

    def wait_for(self, connection: socket.socket) -> None:
        """Note that a connection waits for its client from now on."""
        with self.lock:
            self.waiting.pop(connection, None)
            self.waiting[connection] = None

    def wait_no_more(self, connection: socket.socket) -> None:
        """Note that a connection does not wait for its client."""
        with self.lock:
            self.waiting.pop(connection, None)

    def _end_longest_waiting(self) -> None:
        """End the connection that waits longest for its client, if there is one."""
        with self.lock:
            longest = next(iter(self.waiting), None)
            if longest is not None:
                del self.waiting[longest]
                with contextlib.suppress(OSError):
                    longest.shutdown(socket.SHUT_RDWR)  # its thread notices, and ends

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnected; report any other error, which is a bug of labgen."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


def open_server(
    port: int, respond: Respond, address: str = ADDRESS, hosts: KnownHosts = LOOPBACK
) -> PreviewServer:
    """Return a server on a port, or on the next one that is free. Raises OSError if there is none."""
    for tried in range(port, min(port + TRIES, 65536)):
        try:
            return PreviewServer(tried, respond, address, hosts)
        except OSError:
            if tried == min(port + TRIES, 65536) - 1:
                raise
    raise OSError


class _Handler(BaseHTTPRequestHandler):
    """Reads requests and writes responses (RFC 9112)."""

    server: PreviewServer
    protocol_version = "HTTP/1.1"
    server_version = "labgen"
    sys_version = ""
    timeout = PATIENCE
    has_rest = False

    def setup(self) -> None:
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):  # http.server looks up this name for any method of a request
            return self._answer
        raise AttributeError(name)

    def _answer(self) -> None:
        if self._is_malformed():
            self.send_error(BAD_REQUEST)
            return
        fields: dict[str, str] = {}
        for name, value in self.headers.items():  # lines with the same name form one list (RFC 9110, 5.3)
            key = name.lower()
            fields[key] = f"{fields[key]}, {value}" if key in fields else value
        self._read_body(fields)
        target = quote(self.path.encode("latin-1"), safe=string.punctuation)  # as hosts see a bare umlaut
        if host := self.server.hosts.refuses(fields):
            self._send(_misdirected(host))
            return
        with self._computing():
            answer = self.server.respond(self.command, target, fields)
        self._send(answer)

    def _is_malformed(self) -> bool:
        """Return whether the head of a request cannot be relied on (RFC 9112, 3.2, 5.1 and 6.3)."""
        hosts, lengths = self.headers.get_all("Host", []), self.headers.get_all("Content-Length", [])
        codings = ",".join(self.headers.get_all("Transfer-Encoding", []))
        is_modern = self.request_version >= "HTTP/1.1"
        return (
            len(hosts) > 1
            or (is_modern and not hosts)
            or any(not _NUMBER.fullmatch(one) for one in lengths)
            or len(set(lengths)) > 1
            or (codings != "" and codings.split(",")[-1].strip().lower() != "chunked")
            or any(isinstance(one, _BROKEN_LINES) for one in self.headers.defects)
        )

    @contextlib.contextmanager
    def _computing(self) -> Iterator[None]:
        """Note that the connection does not wait for its client in the meantime."""
        self.server.wait_no_more(self.connection)
        try:
            yield
        finally:
            self.server.wait_for(self.connection)

    def _read_body(self, fields: dict[str, str]) -> None:
        """Read and discard the body of a request, so that the connection can be reused."""
        length = fields.get("content-length", "0").partition(",")[0].lstrip("0") or "0"
        is_long = len(length) > len(str(LONGEST_BODY)) or int(length) > LONGEST_BODY
        if "transfer-encoding" in fields or is_long:
            self.close_connection = self.has_rest = True
        elif int(length):
            self.rfile.read(int(length))

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        for name, value in answer.fields:
            self.send_header(name, value)
        if answer.status not in (204, 304):
            self.send_header("Content-Length", str(len(answer.body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)

    def send_error(self, code: int, _message: str | None = None, _explain: str | None = None) -> None:
        """Answer an invalid request with a status, which is also the only detail in the body."""
        self.close_connection = self.has_rest = True
        if not hasattr(self, "headers"):
            self.command, self.request_version = "", self.protocol_version
        self._send(Answer(code, (*ANYWHERE, ("Content-Type", JSON_TYPE)), b'{"detail":"%d"}' % code))

    def finish(self) -> None:
        """End the connection; what the client still sends is discarded, lest it lose the answer."""
        super().finish()
        if self.has_rest:
            with contextlib.suppress(OSError):
                self._discard_rest()

    def _discard_rest(self) -> None:
        self.connection.shutdown(socket.SHUT_WR)
        latest = time.monotonic() + LINGER
        while (left := latest - time.monotonic()) > 0:
            self.connection.settimeout(left)
            if not self.connection.recv(LONGEST_BODY):
                return

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name that http.server uses
        """Log nothing: the terminal is for problems."""


BAD_REQUEST = 400
_BROKEN_LINES = (FirstHeaderLineIsContinuationDefect, MissingHeaderBodySeparatorDefect)
_NUMBER = re.compile("[0-9]+")
_SHOWN = re.compile(r"[\w.:/\[\]-]{1,260}", re.ASCII)


def _misdirected(host: str) -> Answer:
    """Return the answer to a request for a host that is not known, or from a page of one."""
    shown = host if _SHOWN.fullmatch(host) else say("of this request")
    name = re.sub(r"^\w+://|:\d*$", "", shown)
    text = say(
        "the preview does not answer for the host {shown}, so that other sites "
        "cannot read it\nif it is yours: labgen serve --allow-host {name}\n",
        shown=shown,
        name=name if shown == host else "NAME",
    )
    fields = (("Content-Type", "text/plain; charset=utf-8"), ("X-Content-Type-Options", "nosniff"))
    return Answer(MISDIRECTED, fields, text.encode())
