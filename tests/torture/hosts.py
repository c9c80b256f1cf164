"""Hosts: `verify`, and each command that fetches, asks a server that answers badly.

The command ends within its time and in a sentence, writes nothing outside of its folder, and never says that all is well.
"""

import random
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from labgen.cli import import_service_command, main
from torture.common import copy, labgen, tree

STEPS = 4
LIMIT = 20.0
Answering = Callable[[socket.socket, random.Random], None]


def garbage(connection: socket.socket, rng: random.Random) -> None:
    connection.sendall(rng.randbytes(rng.choice([1, 10, 1000])))


def nothing(connection: socket.socket, rng: random.Random) -> None:
    """Close at once."""


def half(connection: socket.socket, rng: random.Random) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nContent-Type: application/json\r\n\r\n{")


def endless_fields(connection: socket.socket, rng: random.Random) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    for number in range(3000):
        connection.sendall(b"X-%d: %s\r\n" % (number, b"x" * 500))


def endless_body(connection: socket.socket, rng: random.Random) -> None:
    connection.sendall(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\n"
    )
    for _ in range(4000):
        connection.sendall(b"2000\r\n" + b"[" * 0x2000 + b"\r\n")


def redirect(connection: socket.socket, rng: random.Random) -> None:
    to = rng.choice(
        [b"/", b"//evil.example/", b"file:///etc/passwd", b"http://127.0.0.1:1/", b"\xff", b"../../x", b"",
         b"http://[", b"/ \xc3\xbc?\x80#", b"http://a:b@c:d/", rng.randbytes(12).replace(b"\n", b"").replace(b"\r", b"")]
    )  # fmt: skip
    connection.sendall(b"HTTP/1.1 302 Found\r\nLocation: " + to + b"\r\nContent-Length: 0\r\n\r\n")


def status(connection: socket.socket, rng: random.Random) -> None:
    code = rng.choice(
        [100, 101, 199, 204, 205, 206, 304, 400, 401, 403, 404, 410, 418, 429, 451, 500, 502, 503, 599, 999]
    )
    wait = rng.choice([b"", b"Retry-After: 1\r\n", b"Retry-After: 99999999999\r\n", b"Retry-After: x\r\n"])
    connection.sendall(b"HTTP/1.1 %d X\r\n%sContent-Length: 0\r\n\r\n" % (code, wait))


def odd_json(connection: socket.socket, rng: random.Random) -> None:
    body = rng.choice(
        [b"null", b"[]", b"{}", b"[" * 100_000, b'{"count":-1,"next":"?page=1","previous":null,"results":[{}]}',
         b'{"count":1e400,"next":"http://evil.example/","results":[{"display_id":"../../x"}]}', b'"\\ud800"', b"\xff\xfe[]", b"<html>",
         b'{"info":{"title":1},"servers":[{"url":"http://["}],"paths":{"/api/v1/laboratory/laboratories/1/":[]}}',
         b'{"count":1,"next":"http://[","previous":null,"results":[{"display_id":"1","url":"//["}]}']
    )  # fmt: skip
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
    connection.sendall(head + body)


def wrong_coding(connection: socket.socket, rng: random.Random) -> None:
    coding, body = rng.choice([b"gzip", b"br", b"zstd", b"x"]), rng.randbytes(50)
    fields = b"Content-Encoding: %s\r\nContent-Length: %d\r\n\r\n" % (coding, len(body))
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" + fields + body)


def drops(connection: socket.socket, rng: random.Random) -> None:
    for byte in b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{}   ":
        connection.sendall(bytes([byte]))
        threading.Event().wait(0.1)


ANSWERS: list[Answering] = [
    garbage, nothing, half, endless_fields, endless_body, redirect, status, status, odd_json, odd_json, wrong_coding, drops
]  # fmt: skip


class Host:
    """A server on loopback that answers each connection in one of a few ways, until it is closed."""

    def __init__(self, seed: int, answers: Sequence[Answering]) -> None:
        self.rng, self.answers = random.Random(seed), answers
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self.socket.accept()
                threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with suppress(OSError), connection:
            connection.settimeout(LIMIT)
            connection.recv(65536)
            self.rng.choice(self.answers)(connection, self.rng)


def commands(project: Path, folder: Path, address: str) -> list[list[str]]:
    """Return the commands that fetch from an address, as far as this version has them."""
    known = [
        ["verify", address, "-C", str(project), "--timeout", "0.5", "--limit", "6"],
        ["import", address, str(folder / "imported"), "--timeout", "0.5"],
        ["sync", address, str(folder / "mirror"), "--timeout", "0.5"],
    ]
    return [one for one in known if one[0] in main.commands]


def without_pauses() -> None:
    """Do not wait for a service that goes away."""
    import_service_command.PAUSES = (0.1, 0.1)


def run(seed: int, steps: Sequence[int], folder: Path) -> str:
    """Ask a host that does what the steps say."""
    rng = random.Random(seed)
    project = copy(seed, folder / "project").root
    host = Host(seed, [random.Random(f"{seed}/{step}").choice(ANSWERS) for step in steps])
    try:
        command = rng.choice(commands(project, folder, f"http://127.0.0.1:{host.port}/"))
        before = tree(folder)
        ended = labgen(*command, seconds=LIMIT, before=without_pauses)
        fault = ended.fault(1, 2) or _outside(before, tree(folder), command)
        return f"{command[0]}: {fault}" if fault else ""
    finally:
        host.socket.close()


def _outside(before: dict[str, bytes], after: dict[str, bytes], command: Sequence[str]) -> str:
    """Return what a command changed that was not its own."""
    own = ("imported/", "mirror/", "project/.labgen/")
    changed = [name for name in after if not name.startswith(own) and before.get(name) != after[name]]
    return f"{changed[:5]} were changed" if changed else ""
