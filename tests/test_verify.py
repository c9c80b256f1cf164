"""`labgen verify` finds what is wrong in a folder and on a live host, names it, and says what mends it."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner, Result
from conftest import ALPHA, BETA, SITE, Project, laboratory

from labgen.cli import main
from labgen.contract import TOPICS, all_rows
from labgen.registry import LABORATORIES
from labgen.sections import PER_LABORATORY
from labgen.serve.answer import Answer, Site
from labgen.serve.server import open_server
from labgen.verify.folder import manifest_of
from labgen.verify.site import sample

Respond = Callable[[str, str, dict[str, str]], Answer]
ALPHA_PATH = f"{LABORATORIES}00001/"


def verify(site: Project, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["verify", "-C", str(site.root), *arguments])


def verified(site: Project, *arguments: str) -> tuple[int, dict[str, list[str]]]:
    """Return the exit code, and what failed by its name."""
    result = verify(site, *arguments, "--format", "json")
    failed: dict[str, list[str]] = {}
    for one in json.loads(result.stdout)["checks"]:
        if one["result"] == "failed":
            failed.setdefault(one["name"], []).append("; ".join(one["complaints"]))
    return result.exit_code, failed


@contextmanager
def hosted(respond: Respond) -> Iterator[str]:
    """Serve answers on a free port, and yield the address."""
    server = open_server(18500, respond)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def built(site):
    assert site.build().written
    return site


# In a folder.


def test_a_site_that_was_just_built_is_proved(built):
    result = verify(built, str(built.out))
    assert result.exit_code == 0
    assert result.stdout.endswith("all passed\n")
    assert result.stderr == ""


def test_without_the_data_the_files_the_documents_and_the_links_are_still_proved(built, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (built.out / "api/v1/laboratory/laboratories/00001/gallery/index.json").write_bytes(b"[ ]")
    result = CliRunner().invoke(main, ["verify", "-C", str(elsewhere), str(built.out)])
    assert result.exit_code == 1
    assert "its JSON is not compact" in result.stderr


GALLERY = "api/v1/laboratory/laboratories/00001/gallery/index.json"
SIMILAR = "api/v1/laboratory/laboratories/00001/similar_labs/index.json"
PAGE = "api/v1/laboratory/laboratories/00001/api.html"


@pytest.mark.parametrize(
    ("file", "content", "name", "complaint"),
    [
        (GALLERY, b'[{"preview_url":"/media/x.png"}]', "document", "large_url: Field required"),
        (GALLERY, b"[", "document", "it is no JSON"),
        (GALLERY, b'[{"large_url":"/media/x.png","preview_url":"/media/x.png"}]', "document", "order of the contract"),
        (GALLERY, b'[{"preview_url":"/media/x.png","large_url":"/media/x.png"}]', "document", "/media/x.png leads nowhere"),
        (SIMILAR, b'[{"a":1}]', "document", "Field required"),
        (PAGE, b'<a href="../00009/api.html">', "links", "../00009/api.html leads nowhere"),
        (PAGE, b"changed", "bytes", "not those that the data makes"),
        (GALLERY, None, "listed", "it is not there"),
        ("api/v1/laboratory/index.html", b"<html>", "foreign", "labgen did not write it"),
        ("api/v1/laboratory/laboratories/00001/index.html", b"<html>", "foreign", "labgen did not write it"),
    ],
)  # fmt: skip
def test_what_was_changed_in_a_folder_is_found_and_named(built, file, content, name, complaint):
    if content is None:
        built.without(f"out/{file}")
    else:
        built.file(f"out/{file}", content)
    code, failed = verified(built, str(built.out))
    assert code == 1
    assert any(complaint in text for text in failed[name]), failed


def test_a_folder_that_is_older_than_the_data_is_found(built):
    built.write(laboratories=[ALPHA | {"name": "Alpha Neu"}, laboratory("00003")])
    code, failed = verified(built, str(built.out))
    assert code == 1
    assert failed["bytes"]
    assert failed["orphan"]


def test_verifying_changes_nothing(built):
    built.file(f"out/{PAGE}", "changed")
    before = built.tree()
    verify(built, str(built.out))
    assert built.tree() == before


def test_data_with_errors_and_folders_without_a_site_are_said_to_be_so(built, tmp_path):
    built.file("data/site.toml", "x")
    result = verify(built, str(built.out))
    assert (result.exit_code, "nothing was verified" in result.stderr) == (1, True)
    (tmp_path / "empty").mkdir()
    result = verify(built, str(tmp_path / "empty"))
    assert (result.exit_code, "holds no site that labgen built" in result.stderr) == (1, True)
    assert verify(built, str(tmp_path / "nothing")).exit_code == 2


# On a live host.


def test_a_host_that_does_as_the_contract_says_passes(built):
    with hosted(Site(built.out).answer) as address:
        result = verify(built, address, "--all")
    assert result.exit_code == 0, result.output
    assert result.stdout.endswith("all passed\n")


def altered(site: Project, alter: Callable[[str, str, dict[str, str], Answer], Answer]) -> Respond:
    right = Site(site.out).answer

    def respond(method: str, target: str, fields: dict[str, str]) -> Answer:
        return alter(method, target, fields, right(method, target, fields))

    return respond


def without_field(name: str) -> Callable[..., Answer]:
    return lambda _m, _t, _f, answer: answer._replace(
        fields=tuple(one for one in answer.fields if one[0] != name)
    )


def with_status(old: int, new: int) -> Callable[..., Answer]:
    return lambda _m, _t, _f, answer: answer._replace(status=new) if answer.status == old else answer


def index_html(method: str, target: str, _fields: dict[str, str], answer: Answer) -> Answer:
    if method == "GET" and target == ALPHA_PATH:
        return answer._replace(fields=(("Content-Type", "text/html"),), body=b"<!doctype html>")
    return answer


def old_bytes(_method: str, target: str, _fields: dict[str, str], answer: Answer) -> Answer:
    return answer._replace(body=b"{}") if target == ALPHA_PATH and answer.body else answer


def absolute(_method: str, _target: str, _fields: dict[str, str], answer: Answer) -> Answer:
    moved = [(n, f"http://internal:8080{v}" if n == "Location" else v) for n, v in answer.fields]
    return answer._replace(fields=tuple(moved))


def always_unmodified(_method: str, _target: str, fields: dict[str, str], answer: Answer) -> Answer:
    return answer._replace(status=304, body=b"") if "if-none-match" in fields else answer


@pytest.mark.parametrize(
    ("alter", "row", "complaint"),
    [
        (without_field("Access-Control-Allow-Origin"), "headers", "Access-Control-Allow-Origin is missing, not *"),
        (without_field("X-Content-Type-Options"), "headers-on-404", "X-Content-Type-Options is missing"),
        (without_field("Vary"), "vary", "Vary is missing, not Accept"),
        (without_field("Allow"), "no-post", "Allow is missing"),
        (without_field("ETag"), "not-modified", "the first answer has no ETag"),
        (with_status(404, 200), "unknown-path", "the status is 200, not 404"),
        (with_status(405, 200), "no-delete", "the status is 200, not 405"),
        (with_status(301, 302), "slash", "the status is 302, not 301"),
        (with_status(200, 304), "json", "the status is 304, not 200"),
        (always_unmodified, "modified", "the status is 304, not 200"),
        (absolute, "slash", "Location is http://internal:8080"),
        (index_html, "json", "the Content-Type is text/html, not application/json"),
        (old_bytes, "json", "the body is not what was built"),
    ],
)  # fmt: skip
def test_what_a_host_does_wrong_is_found_and_named(built, alter, row, complaint):
    with hosted(altered(built, alter)) as address:
        code, failed = verified(built, address, "--sample", "1")
    assert code == 1
    assert any(complaint in text for text in failed[row]), failed


def test_what_mends_a_row_is_a_line_of_the_hosts_configuration(site):
    assert site.build(hosts=("nginx",)).written
    with hosted(altered(site, with_status(301, 404))) as address:
        result = verify(site, address)
    assert "help: .hosts/nginx/server.conf:" in result.stderr
    assert "return 301" in result.stderr
    with hosted(altered(site, index_html)) as address:
        assert "is there an index.html in the folder?" in verify(site, address).stderr


def test_where_no_host_is_known_what_mends_a_row_is_a_sentence(built):
    with hosted(altered(built, with_status(404, 200))) as address:
        assert f"help: the host must {TOPICS['missing']}" in verify(built, address).stderr


def test_what_a_host_is_known_not_to_do_is_no_failure(site):
    assert site.build(hosts=("nginx",)).written
    with hosted(altered(site, with_status(301, 404))) as address:
        assert verify(site, address, "--sample", "1").exit_code == 1
        result = verify(site, address, "--sample", "1", "--host", "cloudflare-assets", "--format", "json")
    results = {one["name"]: one["result"] for one in json.loads(result.stdout)["checks"]}
    assert (result.exit_code, results["slash"]) == (0, "excused")


def test_every_row_is_about_a_topic():
    assert {row.topic for row in all_rows([ALPHA_PATH])} <= TOPICS.keys()


def test_a_redirect_is_never_followed(built):
    asked: list[str] = []

    def respond(_method: str, target: str, _fields: dict[str, str]) -> Answer:
        asked.append(target)
        return Answer(302, (("Location", "http://127.0.0.1:1/elsewhere"),))

    with hosted(respond) as address:
        assert verify(built, address, "--sample", "1").exit_code == 1
    assert not any("elsewhere" in target for target in asked)


def test_a_host_that_is_not_there_is_said_to_be_so_and_soon(built):
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{sock.getsockname()[1]}"
    started = time.monotonic()
    result = verify(built, address, "--sample", "0", "--limit", "4")
    assert result.exit_code == 1
    assert "there is no answer" in result.stderr
    assert time.monotonic() - started < 20


def test_a_host_that_sends_drop_by_drop_is_given_up(built):
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen(64)
        held: list[socket.socket] = []

        def accept() -> None:
            while True:
                try:
                    held.append(sock.accept()[0])
                except OSError:
                    return

        threading.Thread(target=accept, daemon=True).start()
        address = f"http://127.0.0.1:{sock.getsockname()[1]}"
        started = time.monotonic()
        result = verify(built, address, "--timeout", "0.3", "--limit", "2", "--sample", "0")
        for one in held:
            one.close()
    assert result.exit_code == 1
    assert "checks were not made: the time is over" in result.stderr
    assert time.monotonic() - started < 20


def test_an_answer_that_comes_after_a_pause_is_waited_for(built):
    times: list[str] = []

    def respond(method: str, target: str, fields: dict[str, str]) -> Answer:
        times.append(target)
        if times.count(target) == 1 and len(times) < 4:
            return Answer(503, (("Retry-After", "0"),))
        return Site(built.out).answer(method, target, fields)

    with hosted(respond) as address:
        assert verify(built, address, "--sample", "0").exit_code == 0


def test_a_host_is_reached_through_a_proxy(built, monkeypatch):
    """The proxy here answers in the host's place, which has a name that no resolver knows."""
    asked: list[str] = []

    def respond(method: str, target: str, fields: dict[str, str]) -> Answer:
        asked.append(target)
        return Site(built.out).answer(method, target.removeprefix("http://labs.invalid"), fields)

    with hosted(respond) as address:
        monkeypatch.setenv("http_proxy", address)
        monkeypatch.setenv("no_proxy", "")
        assert verify(built, "http://labs.invalid", "--sample", "1").exit_code == 0
    assert all(target.startswith("http://labs.invalid/") for target in asked)


def test_a_name_and_a_password_in_the_address_are_not_shown(built):
    with hosted(Site(built.out).answer) as address:
        result = verify(built, address.replace("//", "//me:secret@"), "--format", "json")
    assert "secret" not in result.output


@pytest.mark.parametrize("address", ["http://", "https://:0/", "http://x:99999/", "http://example.org/?a"])
def test_what_is_no_address_is_refused(built, address):
    result = verify(built, address)
    assert (result.exit_code, "is not the address of a site" in result.stderr) == (2, True)


def test_a_site_below_a_base_path_is_verified_there(site):
    site.file("data/site.toml", f'base_path = "/verzeichnis"\n{SITE}').build()
    assert verify(site, str(site.out)).exit_code == 0
    with hosted(Site(site.out, "/verzeichnis").answer) as address:
        assert verify(site, address).exit_code == 0
        assert verify(site, f"{address}/verzeichnis/").exit_code == 0
        assert verify(site, f"{address}/anderswo").exit_code == 2


def test_the_sample_is_spread_over_all_laboratories(site):
    site.write(laboratories=[laboratory(f"{number:05}") for number in range(1, 101)]).build()
    manifest = manifest_of(site.out)
    paths = [path for path in sample(manifest, 3) if path.startswith(LABORATORIES)]
    assert [path.split("/")[5] for path in paths[:: len(PER_LABORATORY)]] == ["00001", "00051", "00100"]
    assert len(sample(manifest, None)) == len(PER_LABORATORY) * 100 + 1


def test_junit_is_well_formed_and_counts_what_failed(built):
    built.file(f"out/{PAGE}", b"\x1b[31m<&")
    result = verify(built, str(built.out), "--format", "junit")
    suites = ET.fromstring(result.stdout)
    assert sum(int(suite.attrib["failures"]) for suite in suites) == len(suites.findall(".//failure")) > 0
    assert BETA["display_id"] in result.stdout
