"""Run a small HTTP server on the loopback interface, bounded against hostile clients."""

import socket
import string
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import quote

from labgen.api.http_contract import JSON_TYPE
from labgen.serve.answer import ANYWHERE, Answer

ADDRESS = "127.0.0.1"
TRIES = 100
"""The number of ports that are tried, one after the other."""
PATIENCE = 10.0
"""Seconds to wait for data from a client, or for a free place."""
AT_ONCE = 128
"""The maximum number of simultaneous connections; others wait, at most `PATIENCE` seconds."""
LONGEST_BODY = 1 << 20
"""The maximum size of a request's body in bytes, which is discarded; longer ones end the connection."""

Respond = Callable[[str, str, dict[str, str]], Answer]
"""A function that responds to a method, a target and the header fields by lower-case name."""


class PreviewServer(ThreadingHTTPServer):
    """An HTTP server that sends the responses of a function."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, port: int, respond: Respond) -> None:
        super().__init__((ADDRESS, port), _Handler)
        self.respond = respond
        self.places = threading.BoundedSemaphore(AT_ONCE)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a separate thread, if one of the `AT_ONCE` places becomes free in time."""
        if not self.places.acquire(timeout=PATIENCE):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, and release the place."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnected; report any other error, which is a bug of labgen."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


def open_server(port: int, respond: Respond) -> PreviewServer:
    """Return a server on a port, or on the next one that is free. Raises OSError if there is none."""
    for tried in range(port, min(port + TRIES, 65536)):
        try:
            return PreviewServer(tried, respond)
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

    def setup(self) -> None:
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):  # http.server looks up this name for any method of a request
            return self._answer
        raise AttributeError(name)

    def _answer(self) -> None:
        fields: dict[str, str] = {}
        for name, value in self.headers.items():  # lines with the same name form one list (RFC 9110, 5.3)
            key = name.lower()
            fields[key] = f"{fields[key]}, {value}" if key in fields else value
        self._read_body(fields)
        target = quote(self.path.encode("latin-1"), safe=string.punctuation)  # as hosts see a bare umlaut
        self._send(self.server.respond(self.command, target, fields))

    def _read_body(self, fields: dict[str, str]) -> None:
        """Read and discard the body of a request, so that the connection can be reused."""
        length = fields.get("content-length", "0")
        if "transfer-encoding" in fields or not length.isdecimal() or int(length) > LONGEST_BODY:
            self.close_connection = True
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
        self.close_connection = True
        if not hasattr(self, "headers"):
            self.command, self.request_version = "", self.protocol_version
        self._send(Answer(code, (*ANYWHERE, ("Content-Type", JSON_TYPE)), b'{"detail":"%d"}' % code))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name that http.server uses
        """Log nothing: the terminal is for problems."""
