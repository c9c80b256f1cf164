"""`labgen verify` finds what is wrong in a folder and on a live host, names it, and says what mends it."""

import gettext
import gzip
import json
import re
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner, Result
from conftest import ALPHA, BETA, SITE, Project, laboratory
from servers import served

from labgen.api.endpoint import LABORATORIES
from labgen.api.sections import PER_LABORATORY
from labgen.cli import main
from labgen.contract.content_codings import PACKAGES
from labgen.contract.contract_rows import all_rows
from labgen.contract.http_contract import TOPICS
from labgen.fetch.client import BY_CODE
from labgen.model.site_paths import DIRECTORY_PATH
from labgen.problems.codes import CODES, VERIFY_CODES
from labgen.report.translate import use
from labgen.serve.answer import Answer, Site
from labgen.verify.folder import CODES as FOLDER_CODES
from labgen.verify.folder import built_site_of
from labgen.verify.remedies import REMEDIES
from labgen.verify.requests import RequestSample, read_site

Respond = Callable[[str, str, dict[str, str]], Answer]
ALPHA_PATH = f"{LABORATORIES}00001/"


def verify(site: Project, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["verify", "-C", str(site.root), *arguments])


def verified(site: Project, *arguments: str) -> tuple[int, dict[str, list[str]]]:
    """Return the exit code, and what failed by its name: the code and the message of each fault."""
    result = verify(site, *arguments, "--format", "json")
    failed: dict[str, list[str]] = {}
    for one in json.loads(result.stdout)["checks"]:
        if one["result"] == "failed":
            faults = [f"{fault['code']}: {fault['message']}" for fault in one["faults"]]
            failed.setdefault(one["name"], []).append("; ".join(faults))
    return result.exit_code, failed


def full_host(site: Project, base_path: str = "") -> Respond:
    """Return a host that does all of the contract: the preview, compressing what it is asked to compress."""
    right = Site(site.out, base_path).answer

    def respond(method: str, target: str, fields: dict[str, str]) -> Answer:
        answer = right(method, target, fields)
        if "gzip" not in fields.get("accept-encoding", "") or not answer.body or answer.status != 200:
            return answer
        more = (("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding"))
        return answer._replace(fields=(*answer.fields, *more), body=gzip.compress(answer.body, mtime=0))

    return respond


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
        (GALLERY, b'[{"preview_url":"/media/x.png"}]', "document", "`large_url` is missing"),
        (GALLERY, b"[", "document", "it is no JSON"),
        (GALLERY, b'[{"large_url":"/media/x.png","preview_url":"/media/x.png"}]', "document", "order of the contract"),
        (GALLERY, b'[{"preview_url":"/media/x.png","large_url":"/media/x.png"}]', "links", "/media/x.png leads nowhere"),
        (SIMILAR, b'[{"a":1}]', "document", "`display_id` is missing"),
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


def test_a_file_that_is_not_there_is_one_fault(built):
    built.without(f"out/{GALLERY}")
    assert verified(built, str(built.out)) == (1, {"listed": ["lost-file: it is not there"]})


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
    with served(full_host(built)) as address:
        result = verify(built, address, "--all")
    assert result.exit_code == 0, result.output
    assert result.stdout.endswith("all passed\n")


def altered(site: Project, alter: Callable[[str, str, dict[str, str], Answer], Answer]) -> Respond:
    right = full_host(site)

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


def unmodified_there(_method: str, target: str, _fields: dict[str, str], answer: Answer) -> Answer:
    """Say of one path alone what nobody asked: after each 304, `labgen verify` waits for what may follow."""
    return answer._replace(status=304, body=b"") if target == ALPHA_PATH else answer


def always_unmodified(_method: str, _target: str, fields: dict[str, str], answer: Answer) -> Answer:
    return answer._replace(status=304, body=b"") if "if-none-match" in fields else answer


def unmodified_without(name: str) -> Callable[..., Answer]:
    """Leave a header field away in each 304."""
    without = without_field(name)
    return lambda *asked: without(*asked) if asked[-1].status == 304 else asked[-1]


def with_field(status: int, name: str, value: str, part: str = "") -> Callable[..., Answer]:
    """Send a header field with the answers of a status whose media type has this part."""

    def alter(_method: str, _target: str, _fields: dict[str, str], answer: Answer) -> Answer:
        if answer.status != status or part not in dict(answer.fields).get("Content-Type", ""):
            return answer
        return answer._replace(fields=(*(one for one in answer.fields if one[0] != name), (name, value)))

    return alter


def one_origin(_method: str, _target: str, fields: dict[str, str], answer: Answer) -> Answer:
    """Let the scripts of one other site read the answers, where the request says which site it is from."""
    if "origin" not in fields:
        return answer
    return with_field(200, "Access-Control-Allow-Origin", "https://www.example.org")("", "", {}, answer)


def renamed_when_compressed(_method: str, _target: str, fields: dict[str, str], answer: Answer) -> Answer:
    """Send an ETag with compressed answers that is not known when it comes back."""
    if "gzip" not in fields.get("accept-encoding", ""):
        return answer
    return answer._replace(
        fields=tuple((n, f'{v[:-1]}-gzip"' if n == "ETag" else v) for n, v in answer.fields)
    )


@pytest.mark.parametrize(
    ("alter", "row", "complaint"),
    [
        (without_field("Access-Control-Allow-Origin"), "headers", "Access-Control-Allow-Origin is missing, not *"),
        (without_field("Access-Control-Expose-Headers"), "headers", "Access-Control-Expose-Headers is missing, not ETag"),
        (with_field(304, "Access-Control-Expose-Headers", "ETag"), "headers-on-repeat", "Access-Control-Expose-Headers is ETag"),
        (with_field(204, "Access-Control-Allow-Headers", "Accept, Content-Type, If-None-Match"), "options", "If-Modified-Since"),
        (without_field("X-Content-Type-Options"), "headers-on-404", "X-Content-Type-Options is missing"),
        (without_field("Vary"), "vary", "Vary is missing, not Accept"),
        (without_field("Allow"), "no-post", "Allow is missing"),
        (without_field("ETag"), "not-modified", "ETag is missing"),
        (unmodified_without("ETag"), "not-modified", "a 304 has no ETag"),
        (unmodified_without("Vary"), "not-modified-page", "a 304 has no Vary"),
        (unmodified_without("Cache-Control"), "not-modified", "a 304 has no Cache-Control"),
        (with_status(404, 200), "unknown-path", "the status is 200, not 404"),
        (with_status(405, 200), "no-delete", "the status is 200, not 405"),
        (with_status(301, 302), "slash", "the status is 302, not 301"),
        (unmodified_there, "json", "the status is 304, not 200"),
        (always_unmodified, "modified", "the status is 304, not 200"),
        (absolute, "slash", "Location names a scheme or a host"),
        (index_html, "json", "the Content-Type is text/html, not application/json"),
        (old_bytes, "json", "the body is not that of index.json"),
        (with_field(404, "Cache-Control", "public, max-age=86400"), "gone", "may keep it for 86,400 seconds"),
        (with_field(200, "Content-Disposition", "attachment", "html"), "page-for-browsers", "is saved to a file"),
        (with_field(200, "Cross-Origin-Resource-Policy", "same-origin"), "headers-on-picture", "must not have same-"),
        (one_origin, "headers-for-scripts", "Access-Control-Allow-Origin is https://www.example.org, not *"),
    ],
)  # fmt: skip
def test_what_a_host_does_wrong_is_found_and_named(built, alter, row, complaint):
    with served(altered(built, alter)) as address:
        code, failed = verified(built, address, "--sample", "0")
    assert code == 1
    assert any(complaint in text for text in failed[row]), failed


def test_what_is_wrong_with_each_path_is_shown_once_with_what_was_sent(built):
    with served(altered(built, absolute)) as address:
        shown = verify(built, address).stderr
    assert shown.count("error[slash]: Location names a scheme or a host") == 1
    assert "Location: http://internal:8080" in shown
    assert "more; --show-all shows every one" in shown


@pytest.mark.parametrize("page", ["/suche/", "/labor/00001/alpha/", "/land/deutschland/"])
def test_a_page_of_each_kind_is_asked_for(built, page):
    def unknown(_method: str, target: str, _fields: dict[str, str], answer: Answer) -> Answer:
        return answer._replace(status=404) if target == page else answer

    with served(altered(built, unknown)) as address:
        code, failed = verified(built, address, "--sample", "1")
    assert code == 1
    assert "search-page" in failed


@pytest.mark.parametrize("folder", ["directory", "directory/v1/laboratories", "search/files/facets"])
def test_a_folder_that_is_listed_is_found_among_many(built, folder):
    links = "".join(f'<a href="{one.name}/">' for one in built.out.joinpath(folder).iterdir()).encode()

    def listed(_method: str, target: str, _fields: dict[str, str], answer: Answer) -> Answer:
        return answer if target != f"/{folder}/" else Answer(200, (("Content-Type", "text/html"),), links)

    with served(altered(built, listed)) as address:
        code, failed = verified(built, address, "--sample", "0")
    assert (code, {*failed}) == (1, {"folder"}), failed


def test_an_etag_that_is_not_known_again_where_answers_are_compressed_is_shown(built):
    with served(altered(built, renamed_when_compressed)) as address:
        code, failed = verified(built, address, "--sample", "1")
    assert (code, {*failed}) == (0, {"not-modified-compressed"})
    assert {*failed["not-modified-compressed"]} == {"repeat: the status is 200, not 304"}


@pytest.mark.parametrize(
    ("noindex", "sent", "is_found"),
    [
        ("false", "noindex", True),
        ("false", "nofollow, NOINDEX", True),
        ("false", "none", True),
        ("false", "max-image-preview:none", False),
        ("false", "otherbot: noindex", False),
        ("true", "noindex", False),
    ],
)
def test_a_host_that_hides_pages_from_search_engines_is_warned_of_where_the_site_does_not(
    site, noindex, sent, is_found
):
    """It is no error: some hosts do this to the addresses of previews."""
    assert site.file("data/site.toml", f"noindex = {noindex}\n{SITE}").build().written
    with served(hiding(full_host(site), sent)) as address:
        code, failed = verified(site, address, "--sample", "0")
    codes = {one.partition(":")[0] for faults in failed.values() for one in faults}
    assert (code, codes) == (0, {"hidden-from-search"} if is_found else set())


def test_a_page_that_is_hidden_and_never_asked_for_again_is_an_error(built):
    def cached(_method: str, target: str, _fields: dict[str, str], answer: Answer) -> Answer:
        if not target.endswith("00001/api.html"):
            return answer
        kept = tuple(one for one in answer.fields if one[0] != "Cache-Control")
        return answer._replace(fields=(*kept, ("Cache-Control", "immutable"), ("X-Robots-Tag", "none")))

    assert built.file("data/site.toml", f"noindex = false\n{SITE}").build().written
    with served(altered(built, cached)) as address:
        result = verify(built, address, "--sample", "1", "--format", "json")
    page = next(
        one for one in json.loads(result.stdout)["checks"] if one["name"] == "page-file" and one["faults"]
    )
    assert {fault["code"] for fault in page["faults"]} == {"caching", "hidden-from-search"}
    assert page["level"] == "must"


def hiding(right: Respond, sent: str) -> Respond:
    def respond(method: str, target: str, fields: dict[str, str]) -> Answer:
        answer = right(method, target, fields)
        return answer._replace(fields=(*answer.fields, ("X-Robots-Tag", sent)))

    return respond


def test_a_page_that_cannot_be_read_is_not_said_to_be_hidden_against_its_will(site, monkeypatch):
    assert site.file("data/site.toml", f"noindex = true\n{SITE}").build().written
    right = hiding(Site(site.out).answer, "noindex")

    def respond(method: str, target: str, fields: dict[str, str]) -> Answer:
        answer = right(method, target, fields)
        if answer.status != 200 or "br" not in fields.get("accept-encoding", ""):
            return answer
        packed = import_module("brotli").compress(answer.body, quality=1)
        sent = ("Content-Encoding", "br"), ("Vary", "Accept-Encoding")
        return answer._replace(fields=(*answer.fields, *sent), body=packed)

    monkeypatch.setitem(PACKAGES, "br", "no_such_package")
    with served(respond) as address:
        _, failed = verified(site, address, "--sample", "0")
    assert not [one for faults in failed.values() for one in faults if "X-Robots-Tag" in one]


@pytest.mark.parametrize("content", ["", "x"])
def test_a_file_without_the_part_that_is_asked_for_is_no_fault(site, content):
    """RFC 9110, 15.5.17: the answer is 416."""
    assert site.file("templates/static/a.css", content).build().written

    def in_parts(method: str, _target: str, fields: dict[str, str], answer: Answer) -> Answer:
        if (method, answer.status) != ("GET", 200) or "range" not in fields:
            return answer
        if len(answer.body) < 2:
            return Answer(416, answer.fields)
        span = ("Content-Range", f"bytes 1-{min(15, len(answer.body) - 1)}/{len(answer.body)}")
        return Answer(206, (*answer.fields, span), answer.body[1:16])

    with served(altered(site, in_parts)) as address:
        assert verified(site, address, "--sample", "0") == (0, {})


def test_below_a_base_path_a_website_may_answer_what_leads_out_of_the_site(site):
    assert site.file("data/site.toml", f'base_path = "/verzeichnis"\n{SITE}').build().written
    right = full_host(site, "/verzeichnis")

    def respond(method: str, target: str, fields: dict[str, str]) -> Answer:
        if target.endswith("passwd"):
            return Answer(200, (("Content-Type", "text/html"),), b"<!doctype html>")
        return right(method, target, fields)

    with served(respond) as address:
        assert verified(site, f"{address}/verzeichnis", "--sample", "1")[0] == 0


def test_what_mends_a_row_is_a_line_of_the_hosts_configuration(site):
    assert site.build(hosts=("nginx",)).written
    with served(altered(site, with_status(301, 404))) as address:
        result = verify(site, address, "--sample", "0")
    assert ".hosts/nginx/server.conf:" in result.stderr
    assert "return 301" in result.stderr
    with served(altered(site, index_html)) as address:
        assert "is there an index.html in the folder?" in verify(site, address, "--sample", "0").stderr


def test_where_no_host_is_known_what_mends_a_row_is_a_sentence(built):
    with served(altered(built, with_status(404, 200))) as address:
        result = verify(built, address, "--sample", "0")
    assert f"help: the host must {TOPICS['missing']}" in result.stderr


@pytest.fixture
def german(monkeypatch) -> Iterator[None]:
    for name in ("gettext", "ngettext"):
        monkeypatch.setattr(gettext, name, getattr(gettext, name))
    use("de")
    yield
    use("en")


def test_what_mends_a_fault_is_said_in_the_language_of_the_reader(built, german):
    def helps(target: str, *arguments: str) -> set[str]:
        return set(re.findall(r"= Hilfe: (.*)", verify(built, target, *arguments).stderr))

    with served(altered(built, index_html)) as address:
        some = helps(address, "--sample", "0")
    (built.out / "openapi.json").write_bytes(b"{}")
    assert helps(str(built.out)) == {
        "Erstellen und veröffentlichen Sie noch einmal; hilft das nicht, löschen Sie zuerst .labgen/"
    }
    assert "Liegt im Ordner eine index.html?" in some
    assert any(one.startswith("Der Server muss") for one in some)


def test_what_a_host_is_known_not_to_do_is_no_failure(site):
    assert site.build(hosts=("nginx",)).written
    with served(altered(site, with_status(301, 404))) as address:
        assert verify(site, address, "--sample", "1").exit_code == 1
        result = verify(site, address, "--sample", "1", "--host", "cloudflare-assets", "--format", "json")
    results = {one["name"]: one["result"] for one in json.loads(result.stdout)["checks"]}
    assert (result.exit_code, results["slash"]) == (0, "excused")


def test_a_host_without_paths_is_not_told_to_have_them_where_it_compresses(site):
    def without_paths(_method: str, target: str, _fields: dict[str, str], answer: Answer) -> Answer:
        return Answer(404, ()) if target.partition("?")[0].endswith("/") else answer

    assert site.build(hosts=("files",)).written
    with served(altered(site, without_paths)) as address:
        assert verified(site, address, "--sample", "1") == (0, {})


def test_every_code_that_verify_prints_is_explained():
    at_the_door = {"overloaded", "needs-password", "moved-site", *(code for code, _ in BY_CODE.values())}
    of_tls = {"untrusted-certificate", "tls-refused", "ending-certificate"}
    of_folders = {"foreign-file", *FOLDER_CODES.values()}
    printed = TOPICS.keys() | REMEDIES.keys() | at_the_door | of_tls | of_folders | {"not-verified"}
    assert printed == VERIFY_CODES.keys() | {"dead-link"}
    assert CODES.keys() & VERIFY_CODES.keys() == set()


def test_every_row_is_about_a_topic():
    assert {row.topic for row in all_rows([ALPHA_PATH])} <= TOPICS.keys()


def test_a_redirect_is_never_followed(built):
    asked: list[str] = []

    def respond(_method: str, target: str, _fields: dict[str, str]) -> Answer:
        asked.append(target)
        return Answer(302, (("Location", "http://127.0.0.1:1/elsewhere"),))

    with served(respond) as address:
        assert verify(built, address, "--sample", "0").exit_code == 1
    assert not any("elsewhere" in target for target in asked)


@pytest.mark.parametrize(
    "answer",
    [
        Answer(302, (("Location", "/login"),)),
        Answer(200, (("Content-Type", "text/html"),), b"<h1>Are you human?</h1>"),
    ],
    ids=["login", "question"],
)
def test_a_host_that_stops_everybody_is_not_told_to_configure_paths(built, answer):
    with served(lambda *_: answer) as address:
        result = verify(built, address, "--sample", "0")
    assert result.exit_code == 1
    assert "something answers in place of the site: a login, a firewall, or another site" in result.stderr


def test_a_host_that_is_not_there_is_said_to_be_so(built):
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{sock.getsockname()[1]}"
    result = verify(built, address, "--sample", "0", "--limit", "4")
    assert result.exit_code == 1
    assert "nobody answers at" in result.stderr


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
        result = verify(built, address, "--timeout", "0.3", "--limit", "2", "--sample", "0")
        for one in held:
            one.close()
    assert result.exit_code == 1
    assert "nobody answers at" in result.stderr


def test_what_is_not_tried_when_the_time_is_over_is_counted_and_fails(built):
    def respond(method: str, target: str, fields: dict[str, str]) -> Answer:
        time.sleep(0.1)
        return full_host(built)(method, target, fields)

    with served(respond) as address:
        result = verify(built, address, "--limit", "1")
    assert result.exit_code == 1
    assert "checks were not made: the time is over" in result.stderr


def test_a_host_that_falls_silent_is_given_up(built):
    asked: list[str] = []

    def answer(head: bytes) -> bytes:
        asked.append("")
        return lying(built, lambda _head, right: right)(head) if len(asked) < 20 else b""

    with raw_host(answer) as address:
        result = verify(built, address, "--limit", "60")
    assert result.exit_code == 1
    assert "checks were not made: the host does not answer any more" in result.stderr


def test_an_answer_that_comes_after_a_pause_is_waited_for(built):
    times: list[str] = []

    def respond(method: str, target: str, fields: dict[str, str]) -> Answer:
        times.append(target)
        if times.count(target) == 1 and len(times) < 4:
            return Answer(503, (("Retry-After", "0"),))
        return full_host(built)(method, target, fields)

    with served(respond) as address:
        assert verify(built, address, "--sample", "0").exit_code == 0


def test_a_host_is_reached_through_a_proxy(built, monkeypatch):
    """The proxy here answers in the host's place, which has a name that no resolver knows."""
    asked: list[str] = []

    def respond(method: str, target: str, fields: dict[str, str]) -> Answer:
        asked.append(target)
        return Site(built.out).answer(method, target.removeprefix("http://labs.invalid"), fields)

    with served(respond) as address:
        monkeypatch.setenv("http_proxy", address)
        monkeypatch.setenv("no_proxy", "")
        assert verify(built, "http://labs.invalid", "--sample", "1").exit_code == 0
    assert all(target.startswith("http://labs.invalid/") for target in asked)


def test_a_name_and_a_password_in_the_address_are_not_shown(built):
    with served(full_host(built)) as address:
        result = verify(built, address.replace("//", "//me:secret@"), "--format", "json")
    assert "secret" not in result.output


@pytest.mark.parametrize("address", ["http://", "https://:0/", "http://x:99999/", "http://example.org/?a"])
def test_what_is_no_address_is_refused(built, address):
    result = verify(built, address)
    assert (result.exit_code, "is not the address of a site" in result.stderr) == (2, True)


def test_a_site_below_a_base_path_is_verified_there(site):
    site.file("data/site.toml", f'base_path = "/verzeichnis"\n{SITE}').build()
    assert verify(site, str(site.out)).exit_code == 0
    with served(full_host(site, "/verzeichnis")) as address:
        assert verify(site, address, "--sample", "1").exit_code == 0
        assert verify(site, f"{address}/verzeichnis/", "--sample", "1").exit_code == 0
        assert verify(site, f"{address}/anderswo").exit_code == 2


def paths_tried(site: Project, sample: RequestSample) -> Sequence[str]:
    return read_site(site.out, built_site_of(site.out), sample).paths


def test_the_sample_is_spread_over_all_laboratories(site):
    site.write(laboratories=[laboratory(f"{number:05}") for number in range(1, 101)]).build()
    paths = paths_tried(site, RequestSample())
    each = sum(not one.is_optional for one in PER_LABORATORY)
    assert [path.split("/")[5] for path in paths if path.startswith(f"{LABORATORIES}0")][::each] == [
        "00001",
        "00051",
        "00100",
    ]
    every = paths_tried(site, RequestSample(None))
    assert len([path for path in every if path.startswith("/api/")]) == each * 100 + 2
    assert len([path for path in every if path.startswith(f"{DIRECTORY_PATH}laboratories/")]) == 100
    assert f"{DIRECTORY_PATH}materials/" in every


def test_junit_is_well_formed_and_counts_what_failed(built):
    built.file(f"out/{PAGE}", b"\x1b[31m<&")
    result = verify(built, str(built.out), "--format", "junit")
    suites = ET.fromstring(result.stdout)
    assert sum(int(suite.attrib["failures"]) for suite in suites) == len(suites.findall(".//failure")) > 0
    assert BETA["display_id"] in result.stdout


# Hosts that lie, or do not behave.


@contextmanager
def raw_host(answer: Callable[[bytes], bytes]) -> Iterator[str]:
    """Serve bytes as they are made from the head of a request, and close the connection."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen(64)

        def serve() -> None:
            while True:
                try:
                    connection = sock.accept()[0]
                except OSError:
                    return
                with connection, suppress(OSError):
                    head = b""
                    while b"\r\n\r\n" not in head and (part := connection.recv(65536)):
                        head += part
                    connection.sendall(answer(head))

        for _ in range(4):
            threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{sock.getsockname()[1]}"


def written(answer: Answer, *, is_head: bool) -> bytes:
    """Return an answer as a host writes it."""
    fields = [f"{name}: {value}" for name, value in answer.fields]
    head = "\r\n".join(
        [f"HTTP/1.1 {answer.status} x", *fields, f"Content-Length: {len(answer.body)}", "", ""]
    )
    return head.encode() + (b"" if is_head else answer.body)


def lying(site: Project, lie: Callable[[bytes, bytes], bytes]) -> Callable[[bytes], bytes]:
    """Return what answers rightly, and then what a lie makes of the request's head and the answer."""
    right = Site(site.out)

    def answer(head: bytes) -> bytes:
        lines = head.decode().split("\r\n")
        method, target, _ = lines[0].split(" ")
        fields = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
        found = right.answer(method, target, {name.lower(): value for name, value in fields.items()})
        if found.status == 304:
            found = found._replace(body=b"")
        return lie(head, written(found, is_head=method == "HEAD"))

    return answer


def cut_short(_head: bytes, answer: bytes) -> bytes:
    return answer.replace(b"Content-Length: ", b"Content-Length: 1")


def with_body(head: bytes, answer: bytes) -> bytes:
    return answer + b"x" if head.startswith(b"HEAD") else answer


def after_hints(_head: bytes, answer: bytes) -> bytes:
    return b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + answer


def unasked(_head: bytes, answer: bytes) -> bytes:
    return answer.replace(b"\r\n", b"\r\nContent-Encoding: gzip\r\n", 1)


@pytest.mark.parametrize(
    ("lie", "row", "complaint"),
    [
        (cut_short, "json", "the answer ends before it is whole"),
        (with_body, "head-json", "there is a body where none should be"),
        (unasked, "json", "it is sent as gzip, though nobody asked for that"),
    ],
)  # fmt: skip
def test_a_host_that_lies_in_its_bytes_is_found(built, lie, row, complaint):
    with raw_host(lying(built, lie)) as address:
        if lie is cut_short:
            result = verify(built, address, "--sample", "0")
            assert (result.exit_code, complaint in result.stderr) == (1, True)
            return
        code, failed = verified(built, address, "--sample", "0")
    assert code == 1
    assert any(complaint in text for text in failed[row]), failed


def test_what_is_sent_before_an_answer_is_passed_over(built):
    with raw_host(lying(built, after_hints)) as address:
        assert verify(built, address, "--sample", "0").exit_code == 0


@pytest.mark.parametrize(
    "drops",
    [b"X-Drop: 1\r\n", b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 Early Hints\r\n\r\n"],
)
def test_header_fields_that_never_end_are_given_up_in_time(built, drops):
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen(64)
        is_over = threading.Event()

        def drip(connection: socket.socket) -> None:
            with connection, suppress(OSError):
                connection.sendall(b"HTTP/1.1 200 OK\r\n" if drops.startswith(b"X") else b"")
                while not is_over.wait(0.05):
                    connection.sendall(drops)

        def accept() -> None:
            with suppress(OSError):
                while True:
                    threading.Thread(target=drip, args=(sock.accept()[0],), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        address = f"http://127.0.0.1:{sock.getsockname()[1]}"
        result = verify(built, address, "--timeout", "0.5", "--limit", "1", "--sample", "0")
        is_over.set()
    assert result.exit_code == 1


@pytest.mark.parametrize("proxy", ["http://127.0.0.1:bad", "socks5://127.0.0.1:1080"])
def test_a_proxy_that_is_none_is_refused(built, monkeypatch, proxy):
    monkeypatch.setenv("http_proxy", proxy)
    result = verify(built, "http://labs.invalid")
    assert (result.exit_code, "is not the address of an HTTP proxy" in result.stderr) == (2, True)


def test_unknown_paths_that_are_found_are_named_with_what_mends_them(site):
    site.build(hosts=("nginx",))
    with served(altered(site, with_status(404, 200))) as address:
        result = verify(site, address, "--sample", "0")
    groups = result.stderr.split("\n\n")
    unknown = next(text for text in groups if "error[missing]" in text and "unknown" not in text)
    assert "error_page" in unknown


def test_errors_of_the_data_are_said_in_every_format(built):
    built.write(laboratories=[ALPHA | {"materials": [7]}])
    report = json.loads(verify(built, str(built.out), "--format", "json").stdout)
    assert report["checks"][0]["name"] == "unknown-reference"
    assert report["note"] == "the data has errors: nothing was verified"
    junit = ET.fromstring(verify(built, str(built.out), "--format", "junit").stdout)
    assert junit.findall(".//failure")


def test_names_that_xml_cannot_hold_do_not_break_the_report(built):
    built.file("out/api/v1/\uffff\x01.json", "{}")
    junit = ET.fromstring(verify(built, str(built.out), "--format", "junit").stdout)
    assert junit.findall(".//failure")


def test_a_site_without_its_data_is_verified_below_its_base_path(site, tmp_path_factory):
    site.file("data/site.toml", f'base_path = "/verzeichnis"\n{SITE}').build()
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    arguments = ["verify", "-C", str(elsewhere), "-o", str(site.out)]
    with served(full_host(site, "/verzeichnis")) as address:
        assert CliRunner().invoke(main, [*arguments, f"{address}/verzeichnis"]).exit_code == 0
    page = site.out / PAGE
    page.write_bytes(page.read_bytes().replace(b"/verzeichnis/media", b"/verzeichnis/media/dead"))
    assert CliRunner().invoke(main, [*arguments, str(site.out)]).exit_code == 1


def test_a_file_below_api_that_is_not_the_sites_is_found_without_the_data(built, tmp_path_factory):
    built.file("out/api/v1/x/index.json", "{}")
    result = CliRunner().invoke(
        main, ["verify", "-C", str(tmp_path_factory.mktemp("elsewhere")), str(built.out)]
    )
    assert (result.exit_code, "labgen did not write it" in result.stderr) == (1, True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[]", "no OpenAPI document"), (b'{"paths":{},"components":{"schemas":[1]}}', "no OpenAPI document"), (b"{", "no OpenAPI document"),
        (b'{"paths":{},"components":{"schemas":{"Country":[]}}}', "is missing"), (b'{"paths":{},"components":{"schemas":null}}', "no OpenAPI document"),
        (b'{"paths":{},"components":{"schemas":{}}}', "is missing, or is no path of the site"),
        (b'{"paths":{},"components":{"schemas":{}}}', "is not the schema that documents have"),
    ],
)  # fmt: skip
def test_a_contract_that_is_not_that_of_the_documents_is_found_without_the_data(
    built, tmp_path_factory, content, message
):
    out = tmp_path_factory.mktemp("alone") / "out"
    shutil.copytree(built.out, out)
    (out / "openapi.json").write_bytes(content)
    result = verify(Project(out.parent), str(out))
    assert result.exit_code == 1
    assert message in result.output


def test_dead_links_of_the_keeper_are_advice_and_are_all_counted(site):
    links = [{"title": "x", "link": f"/api/v1/laboratory/laboratories/{one}/"} for one in range(90, 115)]
    site.write(laboratories=[laboratory("00001", landings_links=links)]).build()
    result = verify(site, str(site.out))
    assert result.exit_code == 0
    assert "landings_links/index.json#/19/link" in result.output
    assert "5 more of that kind" in result.output


def test_addresses_that_lack_the_base_path_lead_nowhere(site):
    site.file("data/site.toml", f'base_path = "/v"\n{SITE}[limits]\npage_size = 1\n').build()
    page = site.out / "api/v1/laboratory/laboratories/index.json"
    page.write_bytes(page.read_bytes().replace(b'"next":"/v/api', b'"next":"/api'))
    assert "index.json#/next" in verify(site, str(site.out)).output


def test_the_help_for_a_file_that_was_edited_by_hand_leads_to_the_right_bytes(site):
    site.build()
    file = site.out / "openapi.json"
    right = file.read_bytes()
    file.write_bytes(right + b"x")
    assert "if that changes nothing, delete .labgen/ first" in verify(site, str(site.out)).stderr
    shutil.rmtree(site.root / ".labgen")
    site.build()
    assert file.read_bytes() == right
