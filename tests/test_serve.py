"""The preview answers every row of the table as the contract says, and is not to be harmed."""

import gc
import http.client
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest
from conftest import ALPHA, BETA, SITE, Project
from servers import PATHS, ask, complaints, tried

from labgen.api.endpoint import LABORATORIES
from labgen.contract.contract_rows import all_rows, rows_for
from labgen.contract.http_contract import BROWSER, JSON_TYPE, Level, Request, Row
from labgen.serve.answer import Site, parse_target
from labgen.serve.preview import Preview, changes
from labgen.serve.server import PATIENCE, PreviewServer, open_server


def rows(base_path: str = "") -> list[Row]:
    """Return the rows that the preview answers: it does not compress."""
    return [row for row in all_rows(PATHS, base_path) if row.topic != "compression"]


ROWS = rows()


def previewed(project: Project) -> Preview:
    preview = Preview(
        project.root, 1, lambda outcome: "\n".join(one.problem.message for one in outcome.problems)
    )
    preview.build()
    return preview


def serving(preview: Preview) -> PreviewServer:
    server = open_server(18000, preview.respond)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    return server


@pytest.fixture(scope="module")
def served(tmp_path_factory) -> Project:
    """A project whose preview is served to all tests that ask for it."""
    return Project(tmp_path_factory.mktemp("served")).sound()


@pytest.fixture(scope="module")
def port(served) -> Iterator[int]:
    server = serving(previewed(served))
    yield server.server_port
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.name} {row.request.target[-40:]}")
def test_the_preview_answers_as_the_table_says(port, served, row):
    built = served.root / ".labgen/preview"
    body = (built / row.expected.content).read_bytes() if row.expected.content else None
    assert complaints(row.expected, tried(port, row), body) == []


def test_every_path_of_the_registry_has_all_levels_of_rows():
    for path in PATHS:
        assert {row.level for row in rows_for(path)} == set(Level)


def test_a_site_below_a_base_path_answers_there_and_nowhere_else(site):
    site.file("data/site.toml", f'base_path = "/verzeichnis"\n{SITE}')
    preview = previewed(site)
    server = serving(preview)
    try:
        for row in rows("/verzeichnis"):
            assert complaints(row.expected, tried(server.server_port, row), None) == [], row
        assert ask(server.server_port, Request("GET", PATHS[0])).status == 404
        assert ask(server.server_port, Request("GET", "/verzeichnis/")).status == 200
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("sent", "path"),
    [
        ("/a/b/", "a/b/"), ("/a//b", "a/b"), ("//evil.example/a", "evil.example/a"), ("/a/./b/../c", "a/c"),
        ("/a/..", ""), ("/%61", "a"), ("/a%2fb", "a/b"), ("/", ""), ("/a/.", "a/"),
        ("/../a", None), ("/a/../../b", None), ("/%2e%2e/a", None), ("/..%2fa", None), ("/a%00", None), ("http://x/", None), ("*", None),
    ],
)  # fmt: skip
def test_a_target_is_resolved_inside_the_site_or_not_at_all(sent, path):
    target = parse_target(sent)
    assert (target and target.path) == path


def test_a_redirect_never_leaves_the_site(port):
    for target in (
        "//evil.example/..//api/v1/laboratory/upgrade-options",
        "/\\evil.example/",
        "/http://evil.example",
    ):
        received = ask(port, Request("GET", target))
        assert not received.fields.get("location", "/x").startswith(("//", "/\\", "http")), target


def test_the_front_page_is_served_at_the_root(site):
    site.build()
    answer = Site(site.out).answer("GET", "/", {"accept": "*/*"})
    assert (answer.status, answer.body) == (200, site.read("/", "index.html"))
    assert ("Content-Type", "text/html; charset=utf-8") in answer.fields


@pytest.mark.parametrize("base_path", ["", "/verzeichnis"])
@pytest.mark.parametrize(
    "target", ["/labor/00009/alpha/", "/labor/00009/alpha", "/nothing.html", "/reference/nothing/"]
)
def test_a_browser_is_helped_on_where_nothing_is_outside_of_the_api(site, base_path, target):
    site.file("data/site.toml", f'base_path = "{base_path}"\n{SITE}').build()
    served = Site(site.out, base_path)
    for accept, file in (
        (BROWSER, "404.html"),
        ("*/*", "404.json"),
        ("", "404.json"),
        (f"text/html, {JSON_TYPE}", "404.json"),
    ):
        answer = served.answer("GET", base_path + target, {"accept": accept})
        assert (answer.status, answer.body) == (404, site.read("/", file))
        assert ("Vary", "Accept") in answer.fields
    assert served.answer("GET", f"{base_path}{target}?format=json", {"accept": BROWSER}).body == site.read(
        "/", "404.json"
    )
    page = site.read("/", "404.html").decode()
    for file in ("index.html", "reference/index.html", "api/v1/laboratory/laboratories/api.html"):
        assert f'href="{base_path}/{file}"' in page


@pytest.mark.parametrize("base_path", ["", "/verzeichnis"])
@pytest.mark.parametrize("old", ["alt/", "alt", "alt/index.html"])
def test_another_name_of_a_laboratory_leads_to_its_page(site, base_path, old):
    site.file("data/site.toml", f'base_path = "{base_path}"\n{SITE}').build()
    served = Site(site.out, base_path)
    answer = served.answer("GET", f"{base_path}/labor/00001/{old}", {"accept": BROWSER})
    assert (answer.status, dict(answer.fields)["Location"]) == (301, f"{base_path}/labor/00001/alpha/")
    for path in ("/labor/00001/", "/land/00001/alt/", "/labor/00001/alt/mehr/"):
        assert served.answer("GET", base_path + path, {"accept": BROWSER}).status == 404


def test_a_browser_gets_json_where_nothing_is_in_the_api_but_for_a_page(site):
    site.build()
    for query, file in (("", "404.json"), ("?format=api", "404.html")):
        for path in (f"{LABORATORIES}0/", f"{LABORATORIES}0", "/api/"):
            assert Site(site.out).answer("GET", path + query, {"accept": BROWSER}).body == site.read(
                "/", file
            )


@pytest.mark.parametrize("base_path", ["", "/verzeichnis"])
def test_the_reference_is_found_without_its_slash(site, base_path):
    site.file("data/site.toml", f'base_path = "{base_path}"\n{SITE}').build()
    answer = Site(site.out, base_path).answer("GET", f"{base_path}/reference?x=1", {"accept": BROWSER})
    assert (answer.status, dict(answer.fields)["Location"]) == (301, f"{base_path}/reference/?x=1")


def test_what_is_not_the_sites_is_not_served(site):
    site.build()
    outside = site.file("secret.json", "{}").root / "secret.json"
    (site.out / "link.json").symlink_to(outside)
    served = Site(site.out)
    for target in (
        "/.labgen-site.json",
        "/.labgen-site/site.json",
        "/link.json",
        "/.labgen/x",
        "/%2elabgen-site.json",
    ):
        assert served.answer("GET", target, {}).status == 404, target


def test_the_method_is_named_in_the_answer_and_nothing_else_that_was_sent(port):
    assert json.loads(ask(port, Request("PATCH", PATHS[0])).body) == {
        "detail": 'Methode "PATCH" nicht erlaubt.'
    }
    assert json.loads(ask(port, Request('X"Y', PATHS[0])).body) == {"detail": "Methode nicht erlaubt."}


def test_the_method_is_named_in_the_language_of_the_site(site):
    preview = previewed(site.file("data/site.toml", f'language = "en"\n{SITE}'))
    body = preview.respond("DELETE", PATHS[0], {}).body
    assert json.loads(body) == {"detail": 'Method "DELETE" not allowed.'}


def raw(port: int, data: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=15) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while part := connection.recv(65536):
            answer += part
        return answer


@pytest.mark.parametrize(
    "data",
    [
        b"", b"\r\n\r\n", b"garbage\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x00\xa5\x01\x00", b"\x00" * 5000,
        b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 500 + b"\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n", b"POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\nx", b"GET \xff\xfe HTTP/1.1\r\n\r\n",
    ],
)  # fmt: skip
def test_garbage_is_answered_or_dropped_and_the_next_request_is_answered(port, data):
    assert b" 5" not in raw(port, data)[:13].replace(b" 505", b"")
    assert ask(port, Request("GET", PATHS[0])).status == 200


@pytest.mark.parametrize("letter", ["ü", "%C3%BC"])
def test_an_umlaut_in_a_query_is_understood_encoded_or_not(site, letter):
    server = serving(previewed(site.write(laboratories=[ALPHA | {"name": "Müller"}, BETA])))
    request = f"GET {LABORATORIES}?q=m{letter}ller HTTP/1.0\r\n\r\n"
    assert b'{"count":1,' in raw(server.server_port, request.encode())
    server.shutdown()
    server.server_close()


def test_a_connection_that_goes_on_is_answered_in_order(port):
    request = f"GET {PATHS[0]} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    posted = f"POST {PATHS[0]} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc".encode()
    last = f"GET {PATHS[0]} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
    answer = raw(port, request + posted + last)
    assert [part[:3] for part in answer.split(b"HTTP/1.1 ")[1:]] == [b"200", b"405", b"200"]


def test_slow_readers_do_not_keep_others_from_being_answered(port):
    slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(60)]
    for connection in slow:
        connection.sendall(b"GET / HT")
    started = time.monotonic()
    assert ask(port, Request("GET", PATHS[0])).status == 200
    assert time.monotonic() - started < PATIENCE
    for connection in slow:
        connection.close()


def test_ten_thousand_requests_are_answered(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    for number in range(10_000):
        connection.request("GET" if number % 2 else "HEAD", PATHS[number % len(PATHS)])
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200
    connection.close()


def test_the_next_free_port_is_taken(port, site):
    server = open_server(port, previewed(site).respond)
    assert server.server_port > port
    server.server_close()


def test_with_bad_data_the_last_good_site_stays_and_the_page_says_what_is_wrong(site):
    preview = previewed(site)
    somebody = {"accept": "text/html", "sec-fetch-dest": "document"}
    good = preview.respond("GET", PATHS[0], {})
    site.file("data/laboratories/00002.json", "{ <b>")
    preview.build()
    assert preview.respond("GET", PATHS[0], {}) == good
    page = preview.respond("GET", PATHS[0], somebody).body.decode()
    assert 'role="alert"' in page
    assert "keys stand in double quotes" in page or "a key in double quotes is missing here" in page
    assert "<title>1 error – Alpha" in page
    site.write(laboratories=[ALPHA | {"name": "Neu"}, BETA])
    preview.build()
    page = preview.respond("GET", PATHS[0], somebody).body.decode()
    assert ('role="alert"' in page, "Neu" in page) == (False, True)


def test_only_a_browser_that_opens_a_page_gets_the_script_that_reloads_it(site):
    preview = previewed(site)
    plain = preview.respond("GET", PATHS[0] + "?format=api", {})
    opened = preview.respond("GET", PATHS[0] + "?format=api", {"sec-fetch-dest": "document"})
    assert b"/.labgen/reload.js" in opened.body
    assert b"/.labgen/reload.js" not in plain.body
    before = preview.respond("GET", "/.labgen/version.js?1", {}).body
    preview.build()
    assert preview.respond("GET", "/.labgen/version.js?2", {}).body != before


def test_a_project_that_was_never_good_shows_what_is_wrong(empty):
    preview = Preview(empty.file("data/site.toml", "x").root, 1, lambda _: "wrong")
    preview.build()
    answer = preview.respond("GET", "/", {"sec-fetch-dest": "document"})
    assert b"<title>3 errors \xe2\x80\x93 labgen</title>" in answer.body
    assert b"3 errors: nothing was built yet" in answer.body
    assert b"<pre>wrong</pre>" in answer.body
    assert preview.respond("GET", "/", {}).status == 404


def test_the_preview_does_not_touch_out(site):
    site.build()
    before = site.tree()
    site.write(laboratories=[ALPHA | {"name": "Neu"}, BETA])
    previewed(site)
    assert site.tree() == before


@pytest.mark.parametrize("has_watchfiles", [True, False])
def test_changes_are_seen(site, has_watchfiles, monkeypatch):
    if not has_watchfiles:
        monkeypatch.setitem(sys.modules, "watchfiles", None)
    is_over, seen = threading.Event(), threading.Event()

    def watch() -> None:
        for _ in changes(site.root, is_over):
            seen.set()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    deadline = time.monotonic() + 20
    number = 0
    while not seen.is_set() and time.monotonic() < deadline:
        number += 1
        site.file("templates/404.html", f"<p>{number}</p>")
        seen.wait(1)
    is_over.set()
    thread.join(timeout=20)
    assert seen.is_set()


def test_many_rebuilds_leave_no_more_objects_than_few(site):
    preview = previewed(site)

    def objects_after_rebuilds() -> int:
        for name in "ABCDEFGH":
            site.file("templates/404.html", name).write(laboratories=[ALPHA | {"name": name}, BETA])
            preview.build()
        gc.collect()
        return len(gc.get_objects())

    objects_after_rebuilds()
    few = objects_after_rebuilds()
    assert objects_after_rebuilds() < few + 100


COLLECTING = "import atexit, gc; from labgen.__main__ import run; atexit.register(lambda: print(gc.isenabled())); run()"


@pytest.mark.parametrize(("name", "is_on"), [("serve", "True"), ("check", "True"), ("build", "False")])
def test_only_a_build_that_ends_soon_leaves_garbage_alone(site, name, is_on):
    command = [sys.executable, "-u", "-c", COLLECTING, name, "-C", str(site.root)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    if name == "serve":
        assert "built" in process.stdout.readline()
        assert "Preview" in process.stdout.readline()
        process.send_signal(2)
    assert process.communicate(timeout=60)[0].split()[-1] == is_on


def test_the_command_prints_the_address_builds_again_and_ends_by_ctrl_c(site):
    command = [sys.executable, "-m", "labgen", "serve", "-C", str(site.root), "--port", "18400"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | {"PYTHONUNBUFFERED": "1"})  # fmt: skip
    assert process.stdout
    first, second = process.stdout.readline(), process.stdout.readline()
    assert "built: " in first
    address = second.split()[1]
    assert address.startswith("http://127.0.0.1:18")
    time.sleep(1)
    site.write(laboratories=[ALPHA | {"name": "Neu"}, BETA])
    assert "built: " in process.stdout.readline()
    port = int(address.split(":")[2].split("/")[0])
    assert b"Neu" in ask(port, Request("GET", PATHS[0])).body
    process.send_signal(2)
    process.communicate(timeout=20)
    assert process.returncode == 0
