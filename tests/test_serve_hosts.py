"""The preview answers for the hosts that it knows, and is not to be stopped by malformed or idle clients."""

import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from conftest import Project
from servers import PATHS, answering, ask

from labgen.contract.contract_rows import ELSEWHERE
from labgen.contract.http_contract import Request
from labgen.serve.answer import Site
from labgen.serve.known_hosts import known_hosts
from labgen.serve.server import PATIENCE, open_server

PAGE = PATHS[0]


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Project:
    project = Project(tmp_path_factory.mktemp("built")).sound()
    project.build()
    return project


@pytest.fixture(scope="module")
def port(built) -> Iterator[int]:
    server = open_server(18200, Site(built.out).answer)
    with answering(server):
        yield server.server_port


def raw(port: int, data: bytes) -> bytes:
    """Send bytes, and return all that is answered until the preview ends the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=15) as connection:
        connection.sendall(data)
        answer = b""
        while part := connection.recv(65536):
            answer += part
        return answer


def head(*lines: str, first: str = f"GET {PAGE} HTTP/1.1") -> bytes:
    return "\r\n".join([first, *lines, "Connection: close", "", ""]).encode("latin-1")


def status(answer: bytes) -> int:
    return int(answer.split()[1])


KNOWN = ["localhost", "LOCALHOST:80", "localhost.", "a.b.localhost:8000", "127.0.0.1", "127.8.9.1:1", "[::1]", "[::1]:8000"]  # fmt: skip
UNKNOWN = [
    "evil.example", "evil.example:8000", "localhost.evil.example", "notlocalhost", "127.0.0.1.nip.io", "1.2.3.4", "[::2]", "2130706433",
    "0.0.0.0", "[::]", "localhost@evil.example", "evil.example#localhost", "localhost:80:80", "localhost/x", "127.1", "ev\xfcl.example", "", "..",
]  # fmt: skip


@pytest.mark.parametrize("host", KNOWN)
def test_the_preview_answers_for_names_of_this_machine(port, host):
    assert status(raw(port, head(f"Host: {host}"))) == 200


@pytest.mark.parametrize("host", UNKNOWN)
def test_a_name_that_leads_here_from_elsewhere_reads_nothing_of_the_preview(port, host):
    answer = raw(port, head(f"Host: {host}"))
    assert status(answer) == 421
    assert b"Access-Control-Allow-Origin" not in answer
    assert b"--allow-host" in answer


def test_the_refusal_says_how_to_allow_the_name(port):
    answer = raw(port, head("Host: studio.test:8000"))
    assert b"labgen serve --allow-host studio.test\n" in answer
    assert b"<script>" not in raw(port, head("Host: <script>"))


@pytest.mark.parametrize("method", ["POST", "OPTIONS", "HEAD"])
@pytest.mark.parametrize("path", [PAGE, "/.labgen/version.js", "/nothing"])
def test_all_methods_and_paths_are_refused_alike(port, method, path):
    assert status(raw(port, head("Host: evil.example", first=f"{method} {path} HTTP/1.1"))) == 421


def test_a_page_of_another_site_cannot_read_the_preview_in_a_browser(port):
    foreign = ("Origin: https://evil.example", "Sec-Fetch-Site: cross-site")
    assert status(raw(port, head("Host: localhost", *foreign))) == 421
    assert status(raw(port, head("Host: localhost", "Origin: null", foreign[1]))) == 421
    beside = ("Origin: http://localhost:3000", "Sec-Fetch-Site: cross-site")
    assert status(raw(port, head("Host: 127.0.0.1", *beside))) == 200
    assert status(raw(port, head("Host: localhost", "Sec-Fetch-Site: cross-site"))) == 200  # a link


def test_the_site_that_labgen_verify_asks_as_may_read_the_preview_for_it_cannot_exist(port):
    assert (
        status(raw(port, head("Host: localhost", ": ".join(ELSEWHERE), "Sec-Fetch-Site: cross-site"))) == 200
    )
    near = "Origin: https://www.labgen.invalid"
    assert status(raw(port, head("Host: localhost", near, "Sec-Fetch-Site: cross-site"))) == 421


def test_further_names_are_answered_for_where_they_are_allowed():
    hosts = known_hosts(("Studio.test", "192.0.2.7"), "127.0.0.1")
    assert [hosts.knows(one) for one in ("studio.TEST:1", "192.0.2.7", "x.studio.test", "192.0.2.8")] == [
        True,
        True,
        False,
        False,
    ]


def test_a_preview_for_other_machines_answers_for_addresses_but_not_for_names():
    hosts = known_hosts((), "0.0.0.0")
    known = ["192.0.2.8:8000", "[2001:db8::1]", "localhost", "evil.example"]
    assert [hosts.knows(one) for one in known] == [True, True, True, False]


MALFORMED = {
    "a length of 5,000 digits": head("Host: localhost", "Content-Length: " + "9" * 5000),
    "zeros": head("Host: localhost", "Content-Length: " + "0" * 5000),
    "no number": head("Host: localhost", "Content-Length: 1e3"),
    "a sign": head("Host: localhost", "Content-Length: +3"),
    "foreign digits": head("Host: localhost", "Content-Length: \xb2"),
    "two lengths": head("Host: localhost", "Content-Length: 3", "Content-Length: 4"),
    "an unknown coding": head("Host: localhost", "Transfer-Encoding: \x0bgarbage"),
    "chunked, but not last": head("Host: localhost", "Transfer-Encoding: chunked, identity"),
    "no host": head(),
    "two hosts": head("Host: localhost", "Host: evil.example"),
    "a line without a colon": head("garbage", "Host: localhost"),
    "a line that goes on from nothing": head(" Host: localhost"),
    "a field of a megabyte": head("Host: localhost", "X: " + "x" * (1 << 20)),
    "ten thousand fields": head("Host: localhost", *["X: y"] * 10_000),
    "a path of a megabyte": head("Host: localhost", first=f"GET /{'x' * (1 << 20)} HTTP/1.1"),
    "no version": head(first="GET / X"),
    "four words": head(first="GET / / HTTP/1.1"),
    "a version of superscripts": head(first="GET / HTTP/1.\xb9"),
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\r\n" * 40,
}


@pytest.mark.parametrize("data", MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_request_is_answered(port, data, capfd):
    found = status(raw(port, data))
    assert found in (200, 400, 413, 414, 431, 505)
    assert ask(port, Request("GET", PAGE)).status == 200
    assert "Traceback" not in capfd.readouterr().err


def test_a_head_that_is_cut_off_or_drips_is_not_waited_for_for_long(port):
    with ExitStack() as stack:
        connections = [stack.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(300)]
        for number, connection in enumerate(connections):
            connection.sendall(
                (
                    b"",
                    b"GET",
                    head("Host: x")[:-2],
                    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n1",
                )[number % 4]
            )
        started = time.monotonic()
        assert ask(port, Request("GET", PAGE)).status == 200
        assert time.monotonic() - started < PATIENCE


def test_three_thousand_idle_connections_do_not_delay_the_next_request(port):
    with ExitStack() as stack:
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(8000, most), most))
        for _ in range(3000):
            stack.enter_context(socket.create_connection(("127.0.0.1", port)))
        started = time.monotonic()
        assert ask(port, Request("GET", PAGE)).status == 200
        assert time.monotonic() - started < PATIENCE


def test_the_command_listens_where_it_is_told_and_says_what_that_means(site):
    command = [
        sys.executable,
        "-m",
        "labgen",
        "serve",
        "-C",
        str(site.root),
        "--port",
        "18300",
        "--host",
        "0.0.0.0",
    ]
    process = subprocess.Popen(
        [*command, "--allow-host", "studio.test"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout
    assert process.stderr
    try:
        address = next(line for line in process.stdout if line.startswith("Preview: http://127.0.0.1:"))
        port = int(address.split(":")[3].split("/")[0])
        assert f"http://127.0.0.1:{port}/ " in address  # the front page
        assert status(raw(port, head("Host: studio.test"))) == 200
        assert status(raw(port, head("Host: other.test"))) == 421
    finally:
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=20)
    assert "note: the preview listens on 0.0.0.0: other machines can read it" in told


@pytest.mark.parametrize(
    "option",
    [
        ("--host", "labs.example"),
        ("--host", "1.2.3"),
        ("--allow-host", "http://a.example"),
        ("--allow-host", "a:1"),
    ],
)
def test_what_is_no_address_or_no_name_is_told(run, option):
    result = run("serve", *option)
    assert result.exit_code == 2
    assert "Traceback" not in result.output
