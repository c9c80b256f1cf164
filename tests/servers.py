"""Real servers on loopback: each is started on a free port, asked, and ended by its own process id."""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

import pytest
from conftest import EXHAUSTIVE

from labgen.api.proposed import whole_laboratory
from labgen.api.sections import PER_LABORATORY, PER_SITE
from labgen.contract import http_answers
from labgen.contract.content_codings import content_of
from labgen.contract.contract_asks import Ask, asks_of
from labgen.contract.contract_asks import again as repeated
from labgen.contract.contract_rows import all_rows
from labgen.contract.http_answers import Received
from labgen.contract.http_contract import DIGEST_FOLDERS, Expected, Request, Row
from labgen.hosts import PROFILES
from labgen.hosts.companions import COMPRESSORS
from labgen.hosts.profile import RESULTS, results
from labgen.model.site_paths import DIRECTORY_PATH
from labgen.serve.known_hosts import KnownHosts
from labgen.serve.server import PreviewServer, Respond, open_server

PATHS = [
    *(one.path_for("00001") for one in PER_LABORATORY if not one.is_optional),
    *(one.path for one in PER_SITE if not one.is_optional),
    whole_laboratory(DIRECTORY_PATH, ()).path_for("00001"),
    f"{DIRECTORY_PATH}materials/",
]
"""The paths of documents that each project with a laboratory 00001 has."""
TRIED = PATHS if EXHAUSTIVE else [PATHS[0], PATHS[1], PATHS[3], PATHS[-3], PATHS[-2]]
"""Those that are asked for by all rows: all, or an object, a list, an envelope, one that no laboratory is in, and one that labgen proposes."""

QUERIES = [
    "?format=json&format=api", "?format=api&format=json", "?format=api&format=x", "?format=api&format", "?format=", "?format=api&format=&a",
    "?%66ormat=a%70i", "?form%61t=%6Aso%6e", "?format=api&%66orma%74=json", "?format=%78ml", "?format%3Dapi", "?format=api%26format=json",
    "?xformat=api", "?Format=api", "?formats=api", "?format=apis", "?format=x,api", "?format=constructor", "?a&&format=api&", "?format=api&a=format",
]  # fmt: skip
"""Queries that are easily taken for others."""


def require(program: str) -> str:
    """Return where a program is; skip the test where there is none, or fail where all must be.

    `.ci/run` installs them, and sets LABGEN_ALL_HOSTS.
    """
    found = shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if found is None:
        missing(program)
    return found


def missing(program: str) -> NoReturn:
    """Skip the test because something is not installed, or fail where all must be."""
    message = f"{program} is not installed"
    if os.environ.get("LABGEN_ALL_HOSTS"):
        pytest.fail(message)
    pytest.skip(message)


ANY_HOST = KnownHosts(frozenset({"labs.invalid"}), is_open=True)
"""The hosts that stand-ins answer for: a proxy answers for a name that is not its own."""


@contextmanager
def served(respond: Respond, port: int = 18500) -> Iterator[str]:
    """Serve answers that a function gives, from the next free port on; give the address."""
    server = open_server(port, respond, hosts=ANY_HOST)
    with answering(server):
        yield f"http://127.0.0.1:{server.server_port}"


@contextmanager
def answering(server: PreviewServer) -> Iterator[None]:
    """Let a server answer in a thread until the block ends, which the thread notices at once."""
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


VERSIONS = {"nginx": ["nginx", "-v"], "caddy": ["caddy", "version"], "apache": ["apache2", "-v"], "lighttpd": ["lighttpd", "-v"]}  # fmt: skip


def version(host: str) -> str:
    """Return the name of a server with its version."""
    program, *arguments = VERSIONS[host]
    done = subprocess.run([require(program), *arguments], capture_output=True, text=True, check=True)
    number = re.search(r"\d+(\.\d+)+", done.stdout + done.stderr)
    return f"{host} {number[0] if number else ''}".strip()


def complaints(expected: Expected, received: Received, body: bytes | None) -> list[str]:
    """Return in what an answer differs from what is expected, a clause each."""
    content = None if body is None else content_of([body])
    return [one.text for one in http_answers.differences(expected, received, content)]


def free_port() -> int:
    """Return a port that nobody listens on now."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


@contextmanager
def running(
    command: Sequence[str],
    port: int,
    log: Path,
    environment: Mapping[str, str] | None = None,
    wait: float = 20,
) -> Iterator[int]:
    """Run a server until the block ends; it has a process group of its own, which ends with it."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            stdout=output,
            stderr=output,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, **(environment or {})},
            cwd=log.parent,
        )
    try:
        latest = time.monotonic() + wait
        while True:
            if process.poll() is not None or time.monotonic() > latest:
                pytest.fail(f"{command[0]} does not listen: {log.read_text(errors='replace')[-2000:]}")
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            time.sleep(0.05)
        yield port
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(10)


def exchange(port: int, request: Request, timeout: float = 10) -> tuple[int, list[tuple[str, str]], bytes]:
    """Send a request just as it is written, and return status, header fields in their order, and body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    connection.putrequest(request.method, request.target, skip_accept_encoding=True)
    for name, value in request.headers:
        connection.putheader(name, value)
    if request.method in ("POST", "PUT", "PATCH"):
        connection.putheader("Content-Length", "0")
    connection.endheaders()
    answer = connection.getresponse()
    found = answer.status, answer.getheaders(), answer.read()
    connection.close()
    return found


def ask(port: int, request: Request, timeout: float = 10) -> Received:
    """Send a request just as it is written, and return the answer, its header fields by name."""
    status, sent, body = exchange(port, request, timeout)
    fields: dict[str, str] = {}
    for name, value in sent:
        key = name.lower()
        fields[key] = f"{fields[key]}, {value}" if key in fields else value
    return Received(status, fields, body)


def tried(port: int, row: Row | Ask) -> Received:
    """Send a row's request, with the ETag of the first one where it is about that."""
    return tried_twice(port, row)[0]


def tried_twice(port: int, row: Row | Ask) -> tuple[Received, Received | None]:
    """Send a row's request, after its first one if it has one; return both answers."""
    if not row.first:
        return ask(port, row.request), None
    first = ask(port, row.first)
    request = repeated(row.request, first.fields) or row.request
    return ask(port, request), first


def replaced(file: Path, *pairs: tuple[str, str]) -> str:
    """Return a configuration with patterns replaced; each must occur."""
    text = file.read_text(encoding="utf-8")
    for pattern, new in pairs:
        assert re.search(pattern, text), pattern
        text = re.sub(pattern, new.replace("\\", "\\\\"), text)
    return text


def addressed(out: Path) -> list[str]:
    """Return the files of a built site that have a digest in their address, without compressed copies."""
    found = (path for folder in DIGEST_FOLDERS for path in (out / folder).rglob("*") if path.is_file())
    return [path.relative_to(out).as_posix() for path in found if path.suffix not in COMPRESSORS]


def failures(port: int, out: Path, rows: Iterable[Row]) -> dict[str, list[str]]:
    """Return what is wrong with a server's answers, by the names of rows, each asked as a browser asks, too."""
    wrong: dict[str, list[str]] = {}
    for one in asks_of(rows):
        received, first = tried_twice(port, one)
        for row in one.rows_for(received.status):
            body = (out / row.expected.content).read_bytes() if row.expected.content else None
            found = complaints(row.expected, received, body)
            if first and row.expected.statuses == {UNCHANGED} == {received.status}:
                found += [each.text for each in http_answers.changed_fields(first, received)]
            if found:
                wrong.setdefault(row.name, []).append(f"{row.request}: {'; '.join(found)}")
    return wrong


UNCHANGED = 304


SEARCH_PAGES = ["/suche/", "/suche/country/de/"]


def rows_of(out: Path, base_path: str = "") -> list[Row]:
    """Return the rows of a built site."""
    pages = [page for page in SEARCH_PAGES if (out / page.strip("/") / "index.html").exists()]
    files = [name for name in STABLE if (out / name).exists()]
    return list(all_rows(TRIED, base_path, [*addressed(out), *files], pages))


STABLE = ["labgen.js", "manifest/index.json", "openapi.json", "search/index.json"]
"""Files without a digest in their address, whose bytes change."""


def differences(
    host: str, proof: str, port: int, out: Path, rows: Sequence[Row]
) -> tuple[dict[str, list[str]], set[str]]:
    """Return which rows fail that the results do not name, and which of those that they name do not.

    `make hosts` (LABGEN_RECORD) writes the results first, but not without a proof: on what they were tried.
    """
    wrong, names = failures(port, out, rows), {row.name for row in rows}
    if proof and os.environ.get("LABGEN_RECORD"):
        record(host, proof, names, set(wrong))
    missed = PROFILES[host].failed_rows & names
    return {name: texts for name, texts in wrong.items() if name not in missed}, set(missed - wrong.keys())


def record(host: str, proof: str, names: set[str], wrong: set[str]) -> None:
    """Write what a host did with these rows, beside what it did with others in this run of the tests."""
    known = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    every = {row.name for row in all_rows(PATHS[:1], "/base", ["static/file", *STABLE], SEARCH_PAGES)}
    before = known[host] if host in RECORDED else {"failed": [], "untried": every}
    RECORDED.add(host)
    failed, untried = wrong | set(before["failed"]), set(before["untried"]) - names
    known[host] = {"proof": proof, "failed": sorted(failed), "untried": sorted(untried)}
    RESULTS.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    results.cache_clear()


RECORDED: set[str] = set()
"""The hosts whose results were written anew."""
