"""`labgen sync` and `labgen verify` take bodies as streams: however large files are, memory stays small."""

import hashlib
import itertools
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from conftest import ALPHA, Project

from labgen.contract.content_codings import content_of
from labgen.output.published_manifest import INDEX, hex_digest
from labgen.serve.answer import Site

MIB = 1 << 20
BOUND = 110 * MIB
"""What a command may take: Python and labgen take some 45 MiB."""


class Body(NamedTuple):
    """A body in parts, of a size that the host announces, or None."""

    size: int | None
    parts: Callable[[], Iterable[bytes]]


def test_a_body_is_the_same_content_in_whatever_parts_it_arrives():
    body = b'{"detail":"Nicht gefunden."}'
    for size in range(1, len(body)):
        assert content_of(body[at : at + size] for at in range(0, len(body), size)) == content_of([body])


def noise(seed: int) -> bytes:
    return hashlib.shake_256(str(seed).encode()).digest(64 * 1024)


def large(mebibytes: int, seed: int = 0) -> Body:
    """Return a body of whole mebibytes, which is never in memory as a whole."""
    return Body(mebibytes * MIB, lambda: itertools.repeat(noise(seed), mebibytes * 16))


def digest_of(body: Body) -> str:
    digest = hashlib.sha256()
    for part in body.parts():
        digest.update(part)
    return digest.hexdigest()[:32]


@contextmanager
def hosting(bodies: Callable[[str, dict[str, str]], tuple[int, dict[str, str], Body]]) -> Iterator[str]:
    """Serve bodies in parts; the address ends with the block."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            status, fields, body = bodies(self.path, {key.lower(): one for key, one in self.headers.items()})
            self.send_response(status)
            length = {} if body.size is None else {"Content-Length": str(body.size)}
            for name, value in (fields | length).items():
                self.send_header(name, value)
            self.close_connection |= body.size is None
            self.end_headers()
            try:
                for part in body.parts() if self.command != "HEAD" else ():
                    self.wfile.write(part)
            except OSError:
                self.close_connection = True

        do_HEAD = do_OPTIONS = do_POST = do_PUT = do_PATCH = do_DELETE = do_GET  # noqa: N815

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def site_of(files: dict[str, Body], **listed: str) -> dict[str, Body]:
    """Return files with a manifest that lists them; `listed` are digests of other files."""
    digests = {name: digest_of(body) for name, body in files.items()} | listed
    part = json.dumps({"": digests}).encode()
    head = {
        "format": 1,
        "digest": "sha-256/128",
        "base_path": "",
        "parts": {"manifest/0000.json": hex_digest(part)},
    }
    return files | {INDEX: small(json.dumps(head).encode()), "manifest/0000.json": small(part)}


def small(data: bytes) -> Body:
    return Body(len(data), lambda: [data])


def from_files(files: dict[str, Body]) -> Callable[..., tuple[int, dict[str, str], Body]]:
    def answer(path: str, _fields: dict[str, str]) -> tuple[int, dict[str, str], Body]:
        body = files.get(path.lstrip("/"))
        return (200, {}, body) if body else (404, {}, small(b""))

    return answer


class Ended(NamedTuple):
    """How a command ended: its exit code, what it printed, and the most memory that it took."""

    code: int
    printed: str
    peak: int


MEASURED = """
import atexit, re
from pathlib import Path
from labgen.cli import main
status = Path("/proc/self/status")
atexit.register(lambda: print("\\npeak", int(re.search(r"VmHWM:\\s+(\\d+)", status.read_text())[1]) * 1024))
main(prog_name="labgen")
"""
"""The command, which prints at the end how much memory it took at most."""


def labgen(*arguments: str | Path) -> Ended:
    """Run the command, and measure its memory."""
    command = [sys.executable, "-c", MEASURED, *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    printed, _, peak = done.stdout.rpartition("\npeak ")
    return Ended(done.returncode, printed, int(peak))


def test_a_sync_of_large_files_takes_little_memory(tmp_path):
    files = {f"{number}.jsonl": large(24, number) for number in range(8)} | {"laboratories.jsonl": large(80)}
    with hosting(from_files(site_of(files))) as url:
        done = labgen("sync", url, tmp_path)
    assert done.code == 0, done.printed
    assert {name: (tmp_path / name).stat().st_size for name in files} == {
        name: one.size for name, one in files.items()
    }
    assert done.peak < BOUND
    assert not [one.name for one in tmp_path.iterdir() if one.name.startswith(".labgen-mirror.new")]


def test_all_bytes_of_large_files_are_compared_with_little_memory(tmp_path):
    files = site_of({"laboratories.jsonl": large(120)})
    with hosting(from_files(files)) as url:
        assert labgen("sync", url, tmp_path).code == 0
        with (tmp_path / "laboratories.jsonl").open("r+b") as file:
            file.seek(70 * MIB)
            file.write(b"damage")
        done = labgen("sync", url, tmp_path, "--check")
    assert (done.code, "1 fetched" in done.printed) == (0, True), done.printed
    assert done.peak < BOUND


def test_a_body_without_an_end_is_cut_off_at_the_limit_and_leaves_nothing(tmp_path):
    endless = Body(None, lambda: itertools.repeat(noise(1)))
    files = site_of({}, a=hex_digest(b"a")) | {"a": endless}
    with hosting(from_files(files)) as url:
        done = labgen("sync", url, tmp_path, "--max-bytes", str(3 * MIB))
    assert (done.code, "more than 3,145,728 bytes were fetched" in done.printed) == (1, True), done.printed
    assert done.peak < BOUND
    assert sorted(one.name for one in tmp_path.iterdir()) == [".labgen-mirror.json"]


def test_a_large_file_may_take_longer_than_a_response_but_not_stand_still(tmp_path):
    def slowly() -> Iterator[bytes]:
        for number in range(5 * 16):
            time.sleep(0.5 if number % 16 == 0 else 0)
            yield noise(number)

    def stalling() -> Iterator[bytes]:
        yield noise(1)
        time.sleep(2)

    slow = Body(5 * MIB, slowly)
    with hosting(from_files(site_of({"a": slow}))) as url:
        assert labgen("sync", url, tmp_path / "slow", "--timeout", "1").code == 0
    stalls = site_of({}, a=hex_digest(b"a")) | {"a": Body(MIB, stalling)}
    with hosting(from_files(stalls)) as url:
        done = labgen("sync", url, tmp_path / "stalls", "--timeout", "1")
    assert (done.code, "comes too slowly" in done.printed) == (1, True), done.printed


def host_of(
    site: Project, change: Callable[[str, Body], Body]
) -> Callable[..., tuple[int, dict[str, str], Body]]:
    """Return a host that does all of the contract, like the preview, with other bodies of files."""
    right = Site(site.out).answer

    def answer(path: str, fields: dict[str, str]) -> tuple[int, dict[str, str], Body]:
        one = right("GET", path, fields)
        return one.status, dict(one.fields), change(path, small(one.body))

    return answer


@pytest.fixture
def bulky(site: Project) -> Project:
    """A site that publishes a file of 70 MiB, which grew after the build, because that is quicker."""
    site.write(laboratories=[ALPHA]).file("templates/static/tiles.woff2", b"").build()
    (tiles,) = site.out.glob("static/tiles.*")
    tiles.write_bytes(noise(0) * 70 * 16)
    return site


def test_a_file_above_64_mebibytes_is_verified(bulky):
    with hosting(host_of(bulky, lambda _path, body: body)) as url:
        right = labgen("verify", url, "-C", bulky.root, "--slow", "60")
    assert "tiles" not in right.printed
    assert right.peak < BOUND

    def damaged(path: str, body: Body) -> Body:
        tail = lambda: (part[:-1] + b"x" for part in body.parts())  # noqa: E731
        return Body(body.size, tail) if "tiles" in path else body

    with hosting(host_of(bulky, damaged)) as url:
        wrong = labgen("verify", url, "-C", bulky.root)
    assert (wrong.code, "tiles" in wrong.printed, "stale-file" in wrong.printed) == (1, True, True)


def test_bodies_that_are_longer_than_files_are_cut_off(site):
    site.write(laboratories=[ALPHA]).build()
    longer = lambda _path, body: Body(None, lambda: itertools.chain(body.parts(), itertools.repeat(noise(1))))  # noqa: E731
    with hosting(host_of(site, longer)) as url:
        done = labgen("verify", url, "-C", site.root)
    assert (done.code, "stale-file" in done.printed) == (1, True), done.printed
    assert done.peak < BOUND


def test_a_host_that_stops_in_the_middle_of_its_answers_is_one_fault_and_no_question_of_its_configuration(
    site,
):
    """The first half of an answer has a second to come: busy machines are slow."""
    site.build(hosts=("nginx",))
    count = itertools.count(1)
    is_over = threading.Event()

    def stopping(_path: str, body: Body) -> Body:
        def half() -> Iterator[bytes]:
            data = b"".join(body.parts())
            yield data[: len(data) // 2]
            is_over.wait(10)

        return body if next(count) < 5 else Body(body.size, half)

    with hosting(host_of(site, stopping)) as url:
        done = labgen("verify", url, "-C", site.root, "--watch", "--timeout", "1")
        is_over.set()
    assert done.code == 1
    assert done.printed.count("error[no-answer]: ") == 1, done.printed
    assert (
        "error[no-answer]: there is no answer: the answer stopped in the middle, or comes too slowly ("
        in done.printed
    )
    assert "as the contract says" not in done.printed
