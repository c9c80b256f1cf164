"""Clients: `labgen serve` is asked by clients that send garbage, half a request, too much, or nothing.

A good request is answered within a second or so all the while, and the server ends when it is told to.
"""

import os
import random
import re
import signal
import socket
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from torture.common import copy, start, wait

STEPS = 40
PATIENCE = 5.0
PIECES = [
    b"GET / HTTP/1.1\r\n", b"Host: x\r\n", b"\r\n", b"POST /api/v1/ HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"GET /%00 HTTP/1.1\r\n\r\n", b"GET /../../etc/passwd HTTP/1.1\r\n\r\n", b"GET " + b"/a" * 40_000 + b" HTTP/1.1\r\n\r\n", b"X: " + b"y" * 70_000 + b"\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET /api/v1/laboratory/laboratories/?q=" + b"%FF" * 3000 + b" HTTP/1.1\r\n\r\n",
    b"GET /api/v1/laboratory/laboratories/?" + b"page=1&materials__in=1,2&" * 500 + b" HTTP/1.1\r\nHost: x\r\n\r\n", b"HEAD / HTTP/1.0\r\n\r\n", b"Expect: 100-continue\r\n",
    b"If-None-Match: " + b'"a",' * 5000 + b"\r\n", b"Range: bytes=" + b"0-1," * 5000 + b"\r\n", b"\x00" * 1000, b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
]  # fmt: skip


def run(seed: int, steps: Sequence[int], folder: Path) -> str:
    """Serve a project; a step is a client."""
    project = copy(seed, folder).root
    with tempfile.TemporaryFile() as output:
        child = start(["serve", "-C", str(project), "-p", str(20_000 + seed % 20_000)], output.fileno())
        try:
            port, path = _address_of(output)
            return _ask(seed, steps, port, path) if port else "the preview does not start"
        finally:
            os.kill(child, signal.SIGINT)
            code = wait(child, 20)
            output.seek(0)
            text = output.read().decode(errors="replace")
            if "Traceback" in text or code not in (0, 130):
                return f"traceback or exit code {code}\n{text}"  # noqa: B012 - it says more than what came before


def _address_of(output: IO[bytes]) -> tuple[int, str]:
    """Wait for the line that says where the preview is; return its port and the path of a page, or 0."""
    for _ in range(1000):
        output.seek(0)
        if found := re.search(rb"127\.0\.0\.1:([0-9]+)(/\S*) ", output.read()):
            return int(found[1]), found[2].decode()
        time.sleep(0.02)
    return 0, ""


def _ask(seed: int, steps: Sequence[int], port: int, path: str) -> str:
    """Send what the steps say, over connections that stay open, and a good request after each few of them."""
    idle = []
    for number, step in enumerate(steps):
        rng = random.Random(f"{seed}/{step}")
        with suppress(OSError):
            client = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
            client.sendall(b"".join(rng.choices(PIECES, k=rng.randint(1, 4)))[: rng.choice([5, 100, 10**6])])
            if rng.random() < 0.5:
                idle.append(client)
            else:
                client.close()
        if number % 10 == 9 and not _is_answered(port, path):
            return "a good request is not answered"
    for client in idle:
        client.close()
    return "" if _is_answered(port, path) else "a good request is not answered"


def _is_answered(port: int, path: str) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        return client.recv(15).startswith(b"HTTP/1.1 200")
    return False
