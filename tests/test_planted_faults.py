"""Hosts with one fault each: `labgen verify` finds it, names it by its cause, and says what mends it."""

import gzip
import itertools
import json
import re
import shutil
import ssl
import subprocess
import time
from collections.abc import Callable
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner, Result
from conftest import CATEGORIES, EXHAUSTIVE, EXTRAS, Project, laboratory, of_each, picture
from servers import answering, require, served

from labgen.api.endpoint import LABORATORIES
from labgen.cli import main
from labgen.contract.content_codings import PACKAGES
from labgen.contract.http_contract import FIELDS, IMMUTABLE, REVALIDATED
from labgen.model.site_paths import JSON_FILE, PAGE_FILE
from labgen.output.file_lists import MARKER
from labgen.problems.codes import CODES, VERIFY_CODES
from labgen.serve.answer import Answer, Site
from labgen.serve.server import open_server

LAB = f"{LABORATORIES}00002/"
MIDDLE = f"{LABORATORIES}00005/"
"""A laboratory that is not among those that are tried by the contract."""
Fields = dict[str, str]
Respond = Callable[[str, str, Fields], Answer]
Alter = Callable[[str, str, Fields, Answer], Answer]


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Project:
    """A site with pictures, two sections that not every site has, and compressed copies, built for nginx."""
    site = Project(tmp_path_factory.mktemp("planted")).sound()
    site.write(**CATEGORIES).file("data/media/halle.png", picture(size=(1600, 900)))
    records = [
        laboratory(f"0000{number}", about="Prüflabor. " * 90, gallery=["halle.png"])
        for number in (2, 3, 4, 5)
    ]
    records[0] |= {name: EXTRAS[name] for name in ("published_on", "resources")}
    site.write(laboratories=[*records, laboratory("00009")]).build(hosts=("nginx",))
    outcome = site.write(laboratories=[one for one in records if one["display_id"] != "00004"]).build(
        hosts=("nginx",)
    )
    assert outcome.written
    return site


def full_host(out: Path) -> Respond:
    """Return a host that does all of the contract: the preview of a folder, with its compressed copies."""
    site = Site(out)

    def respond(method: str, target: str, fields: Fields) -> Answer:
        answer = site.answer(method, target, fields)
        if answer.status != 200 or "gzip" not in fields.get("accept-encoding", ""):
            return answer
        name = target.lstrip("/").partition("?")[0]
        is_page = "text/html" in dict(answer.fields)["Content-Type"]
        index = (PAGE_FILE if name.startswith("api/") else "index.html") if is_page else JSON_FILE
        copy = site.read(f"{name}{index if name.endswith('/') or not name else ''}.gz")
        return answer if copy is None else added(answer._replace(body=copy), *ZIPPED)

    return respond


ZIPPED = (("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding"))


SAMPLE = "1" if EXHAUSTIVE else "0"
"""How many laboratories are tried by the whole contract, where nothing else is said: with one, a fault is named by twice as many requests."""


def verify(site: Project, address: str, *options: str) -> Result:
    """Verify by one connection: in one process, several cost twice as much time, for they wait for one another."""
    few = ["--sample", SAMPLE, "--connections", "1", "--slow", "60"]
    return CliRunner().invoke(main, ["verify", "-C", str(site.root), address, *few, *options])


def test_a_host_without_a_fault_passes_and_the_last_line_says_what_was_looked_at(built):
    with served(full_host(built.out)) as address:
        result = verify(built, address, "--sample", "1")
    assert (result.exit_code, result.stderr) == (0, "")
    assert " checks of all " in result.stdout
    assert "1 of 3 laboratories by the whole contract" in result.stdout
    assert result.stdout.endswith(": all passed\n")


class Plant(NamedTuple):
    """A fault: what it does to a copy of the site and to answers, and how it is to be named.

    `address` is a part of the request that is named first, `help` a part of what is said to mend it.
    """

    name: str
    code: str
    address: str
    help: str
    alter: Alter | None = None
    change: Callable[[Path], Any] | None = None
    is_warning: bool = False
    also: str = ""
    """The code of what follows from the fault."""
    sample: str = SAMPLE


# What a fault does to the files on the host.


def without(*patterns: str) -> Callable[[Path], None]:
    def change(out: Path) -> None:
        for path in [path for pattern in patterns for path in out.glob(pattern)]:
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    return change


def edited(
    pattern: str, edit: Callable[[bytes], bytes] = lambda data: data[:-1] + b"?"
) -> Callable[[Path], None]:
    """Change a file, and its copy with it."""

    def change(out: Path) -> None:
        path = min(out.glob(pattern))
        path.write_bytes(edit(path.read_bytes()))
        copy = path.with_name(f"{path.name}.gz")
        if copy.exists():
            copy.write_bytes(gzip.compress(path.read_bytes(), mtime=0))

    return change


def copied(source: str, target: str) -> Callable[[Path], Any]:
    return lambda out: shutil.copytree(out / source.strip("/"), out / target.strip("/"))


# What a fault does to answers.


def where(
    act: Callable[[Answer], Answer],
    part: str = "",
    *,
    method: str = "GET",
    status: int = 200,
    accepts: str = "",
    asked: str = "",
) -> Alter:
    """Return what acts on the answers to some requests: their target holds a part, or ends in it before `$`."""

    def alter(given: str, target: str, fields: Fields, answer: Answer) -> Answer:
        is_here = target.endswith(part[:-1]) if part.endswith("$") else part in target
        is_asked = accepts in fields.get("accept", "") and asked in fields.get("accept-encoding", "")
        return act(answer) if is_here and is_asked and (given, answer.status) == (method, status) else answer

    return alter


def for_browsers(act: Callable[[Answer], Answer], part: str = "") -> Alter:
    """Return what acts on answers to browsers alone: nobody else here accepts Zstandard."""
    return where(act, part, asked="zstd")


def preflight(act: Callable[[Answer], Answer], of: str = "") -> Alter:
    """Return what acts on the answers to preflights, or to those of a method."""
    return lambda method, _target, fields, answer: (
        act(answer)
        if method == "OPTIONS"
        and of in fields.get("access-control-request-method", "none" if of else of)
        and "access-control-request-method" in fields
        else answer
    )


def listed(folder: str) -> Callable[[Answer], Answer]:
    """Return what answers with a list of a folder, as servers write them in many ways."""

    def act(answer: Answer) -> Answer:
        inside = sorted(path.name for path in (OUT[0] / folder).iterdir())
        links = "".join(f'<a href="./{name}/">{name}</a>' for name in inside)
        return says(f"<html><h1>{folder}</h1>{links}</html>".encode(), "text/html", 200)(answer)

    return act


def rewritten(change: Callable[[bytes], bytes]) -> Callable[[Answer], Answer]:
    """Return what changes bytes, and those that are compressed as something else than the host would do it."""

    def act(answer: Answer) -> Answer:
        if "Content-Encoding" not in dict(answer.fields):
            return answer._replace(body=change(answer.body))
        return answer._replace(body=gzip.compress(change(gzip.decompress(answer.body)), 1, mtime=0))

    return act


OUT: list[Path] = []


def in_api(alter: Alter) -> Alter:
    return lambda method, target, fields, answer: (
        alter(method, target, fields, answer) if target.startswith("/api/") else answer
    )


def everywhere(act: Callable[[Answer], Answer]) -> Alter:
    return lambda _method, _target, _fields, answer: act(answer)


def field(name: str, value: str | None) -> Callable[[Answer], Answer]:
    """Return what gives a header field another value, or takes it away."""

    def act(answer: Answer) -> Answer:
        kept = tuple(one for one in answer.fields if one[0].lower() != name.lower())
        return answer._replace(fields=kept if value is None else (*kept, (name, value)))

    return act


def without_vary_of_copies(answer: Answer) -> Answer:
    """Leave away that the answer depends on Accept-Encoding."""
    return answer._replace(fields=tuple(one for one in answer.fields if one != ("Vary", "Accept-Encoding")))


def added(answer: Answer, *fields: tuple[str, str]) -> Answer:
    return answer._replace(fields=(*answer.fields, *fields))


def says(body: bytes, kind: str | None = None, status: int | None = None) -> Callable[[Answer], Answer]:
    """Return what answers with this instead."""

    def act(answer: Answer) -> Answer:
        changed = field("Content-Type", kind)(answer) if kind else answer
        return field("Content-Encoding", None)(changed)._replace(body=body, status=status or answer.status)

    return act


def body(change: Callable[[bytes], bytes]) -> Callable[[Answer], Answer]:
    return lambda answer: answer._replace(body=change(answer.body))


def head_of_nothing(method: str, _target: str, _fields: Fields, answer: Answer) -> Answer:
    return answer._replace(body=b"") if method == "HEAD" and answer.status == 200 else answer


def moved_to(change: Callable[[str], str]) -> Alter:
    def act(answer: Answer) -> Answer:
        return field("Location", change(dict(answer.fields)["Location"]))(answer)

    return where(act, status=301)


def conditional(method: str, _target: str, fields: Fields, answer: Answer) -> Answer:
    return answer._replace(status=304, body=b"") if "if-none-match" in fields and method == "GET" else answer


def one_etag(_method: str, _target: str, fields: Fields, answer: Answer) -> Answer:
    """Answer as if an ETag told nothing of the bytes: one for all files, known again."""
    is_known = answer.status == 200 and "if-none-match" in fields
    return field("ETag", '"1"')(answer._replace(status=304, body=b"") if is_known else answer)


def forgetful(method: str, target: str, fields: Fields, _answer: Answer) -> Answer:
    return HOSTS[0](method, target, {name: one for name, one in fields.items() if name != "if-none-match"})


def at(part: str, alter: Alter) -> Alter:
    return lambda method, target, fields, answer: (
        alter(method, target, fields, answer) if target.startswith(part) else answer
    )


def page_as_json(_method: str, target: str, fields: Fields, answer: Answer) -> Answer:
    is_page = "text/html" in fields.get("accept", "") and "json" not in fields.get("accept", "")
    return (
        HOSTS[0]("GET", target, {}) if is_page and answer.status == 200 and "format" not in target else answer
    )


def parts(act: Callable[[Answer], Answer]) -> Alter:
    """Return what sends the part of a file that was asked for, and acts on that."""

    def alter(method: str, _target: str, fields: Fields, answer: Answer) -> Answer:
        if method != "GET" or answer.status != 200 or "range" not in fields:
            return answer
        part = answer._replace(status=206, body=answer.body[1:16])
        return act(added(part, ("Content-Range", f"bytes 1-{len(part.body)}/{len(answer.body)}")))

    return alter


HOSTS: list[Respond] = []
HTML = b"<!doctype html><title>Willkommen</title>"
LISTING = b"<!doctype html><title>Index of /api/</title><h1>Directory listing for /api/</h1>"
ROUTES = ".hosts/nginx/"
AGAIN = "deploy again"
POLICY = "Content-Security-Policy"
STYLE, SCRIPT = "/static/style.", "/static/script."
GALLERY = f"{LAB}gallery/"

PLANTS = [
    # what was deployed
    Plant("a picture is missing", "lost-file", "/media/", AGAIN, change=without("media/*/halle-160x160.webp")),
    Plant("all pictures are missing", "lost-file", "/media/", AGAIN, change=without("media")),
    Plant("a picture is another", "stale-file", "/media/", AGAIN, change=edited("media/*/halle-1600x900.webp")),
    Plant("a picture is cut off", "stale-file", "/media/", AGAIN, change=edited("media/*/halle-160x160.webp", lambda data: data[:99])),
    Plant("the styles are missing", "lost-file", STYLE, AGAIN, change=without("static/style.*")),
    Plant("the styles are old", "stale-file", STYLE, AGAIN, change=edited("static/style.*.css")),
    Plant("the script is cut off", "stale-file", SCRIPT, AGAIN, change=edited("static/script.*.js", lambda data: data[:99])),
    Plant("the icon is missing", "lost-file", "/static/icon.", AGAIN, change=without("static/icon.*")),
    Plant("openapi.json is old", "stale-file", "/openapi.json", AGAIN, change=edited("openapi.json", lambda data: data.replace(b"GET", b"PUT"))),
    Plant("openapi.json is missing", "lost-file", "/openapi.json", AGAIN, change=without("openapi.json*")),
    Plant("the front page is old", "stale-file", "GET /", AGAIN, change=edited("index.html")),
    Plant("the reference is missing", "lost-file", "GET /reference/", AGAIN, change=without("reference"), also="slash"),
    Plant("a document is old", "stale-file", f"{MIDDLE}gallery/", AGAIN, change=edited(f"{MIDDLE[1:]}gallery/index.json")),
    Plant("a page for people is old", "stale-file", "/labor/00005/", AGAIN, change=edited("labor/00005/*/index.html")),
    Plant("a page is old", "stale-file", f"{MIDDLE}api.html", AGAIN, change=edited(f"{MIDDLE[1:]}api.html")),
    Plant("a laboratory is missing", "lost-file", MIDDLE, AGAIN, change=without(MIDDLE[1:])),
    Plant("a laboratory of the sample is missing", "lost-file", LAB, AGAIN, change=without(LAB[1:])),
    Plant("the list is old", "stale-file", LABORATORIES, AGAIN, change=edited(f"{LABORATORIES[1:]}index.json", lambda data: data.replace(b"00003", b"00004"))),
    Plant("a laboratory that builds removed is there", "left-over", f"{LABORATORIES}00009/", "rsync --delete-after", change=copied(LAB, f"{LABORATORIES}00009")),
    Plant("a laboratory that never was is there", "left-over", f"{LABORATORIES}00015/", "rsync --delete-after", change=copied(LAB, f"{LABORATORIES}00015")),
    Plant("a page of the list is there that is not of the site", "left-over", "/page/2/", "rsync --delete-after", change=copied(GALLERY, f"{LABORATORIES}page/2")),
    Plant("a section is there that the site does not have", "left-over", f"{LAB}reviews/", "rsync --delete-after", change=copied(GALLERY, f"{LAB}reviews"), sample="1"),
    Plant("the pages of a laboratory are missing", "lost-file", f"{LAB}api.html", AGAIN, change=without(f"{LAB[1:]}api.html*"), sample="1"),
    Plant("the documents of a laboratory are missing, its pages are not", "lost-file", f"{LAB}index.json", AGAIN, change=without(f"{LAB[1:]}index.json*"), sample="1"),
    Plant("a page is missing", "lost-file", f"{MIDDLE}gallery/api.html", AGAIN, change=without(f"{MIDDLE[1:]}gallery/api.html*")),
    Plant("a document is missing, its page is not", "lost-file", f"{MIDDLE}gallery/index.json", AGAIN, change=without(f"{MIDDLE[1:]}gallery/index.json*")),
    # compressed copies
    Plant("the copy of a document is damaged", "broken-copy", "Accept-Encoding: gzip", AGAIN, change=lambda out: (out / f"{MIDDLE[1:]}index.json.gz").write_bytes(b"\x1f\x8b" + b"x" * 50)),
    Plant("the copy of a document is cut off", "broken-copy", MIDDLE, AGAIN, change=lambda out: cut(out / f"{MIDDLE[1:]}index.json.gz")),
    Plant("the copy of a document is old", "broken-copy", MIDDLE, AGAIN, change=lambda out: (out / f"{MIDDLE[1:]}index.json.gz").write_bytes(gzip.compress(b"{}"))),
    Plant("the copy of the style is of the script", "broken-copy", STYLE, AGAIN, change=lambda out: swap(out / "static")),
    Plant("the last bytes of a copy are missing", "broken-copy", MIDDLE, AGAIN, where(body(lambda data: data[:-5]), f"{MIDDLE}index.json", asked="gzip")),
    Plant("copies are compressed twice", "broken-copy", "Accept-Encoding: gzip", AGAIN, where(body(gzip.compress), asked="gzip")),
    Plant("documents lie compressed on the host", "broken-copy", f"GET {MIDDLE}gallery/index.json", AGAIN, where(body(gzip.compress), f"{MIDDLE}gallery/index.json")),
    Plant("copies are sent without Vary", "copy-without-vary", "Accept-Encoding: gzip", ROUTES, where(without_vary_of_copies, asked="gzip")),
    Plant("copies are not used", "compression", "Accept-Encoding: gzip", ROUTES, lambda method, target, fields, _: HOSTS[0](method, target, fields | {"accept-encoding": ""}), is_warning=True),
    Plant("everything is compressed for everybody", "compression", "GET /", ROUTES, where(lambda answer: added(answer._replace(body=gzip.compress(answer.body)), *ZIPPED), MIDDLE)),
    # what answers carry
    Plant("no page of others may read it", "headers", "GET /", ROUTES, everywhere(field("Access-Control-Allow-Origin", None))),
    Plant("types are not to be believed", "headers", "GET /", ROUTES, everywhere(field("X-Content-Type-Options", None))),
    Plant("pictures lack a header field", "headers", "/media/", ROUTES, where(field("Access-Control-Allow-Origin", None), "/media/")),
    Plant("Vary is missing", "headers", "GET /", ROUTES, where(field("Vary", "Accept-Encoding"), "/$")),
    Plant("Allow is missing", "headers", "GET /", "add_header Allow ", where(field("Allow", None), "/$")),
    Plant("a cookie is set", "sends-cookie", "GET /", "cookies", everywhere(lambda answer: added(answer, ("Set-Cookie", "AWSALB=1; Path=/")))),
    Plant("a cookie is set with pictures", "sends-cookie", "/media/", "cookies", where(field("Set-Cookie", "a=b"), "/media/")),
    Plant("a policy forbids all", "blocked-page", "api.html", "policy", where(field(POLICY, "default-src 'none'"), "api.html")),
    Plant("a policy forbids scripts", "blocked-page", "format=api", "policy", where(field(POLICY, "script-src https://other.example"), "format=api")),
    Plant("a policy locks pages in", "blocked-page", "format=api", "policy", where(field(POLICY, "sandbox allow-forms"), "format=api")),
    Plant("documents are said never to change", "caching", "GET /", ROUTES, where(field("Cache-Control", IMMUTABLE), "index.json")),
    Plant("a CDN keeps documents for a day", "caching", "GET /", ROUTES, where(field("CDN-Cache-Control", "max-age=86400"), "index.json")),
    Plant("a cache before the host keeps documents for a day", "caching", "GET /", ROUTES, where(field("Surrogate-Control", "max-age=86400"), "index.json")),
    Plant("the pages for people are not answered", "front", "GET /labor/", ROUTES, at("/labor/", where(says(b"", status=404), "/$")), sample="1", also="page"),
    Plant("a page for people never changes", "repeat", "GET /labor/", ROUTES, at("/labor/", lambda method, _target, fields, answer: answer._replace(status=304, body=b"") if "if-none-match" in fields and method == "GET" else answer), sample="1"),
    Plant("an old page lies where no page is", "left-over", "GET /search/", "deploy again so that the host removes what out/ does not have", lambda method, target, fields, answer: HOSTS[0](method, "/suche/", fields) if target == "/search/" else answer),
    Plant("documents stay in caches for a day", "caching", "GET /", ROUTES, where(field("Cache-Control", "max-age=86400"), "index.json")),
    Plant("pictures are asked for again", "caching", "/media/", ROUTES, where(field("Cache-Control", REVALIDATED), "/media/")),
    Plant("pictures are octets", "content-type", "/media/", "image/webp                 webp;", where(field("Content-Type", "application/octet-stream"), ".webp$")),
    Plant("styles are text", "content-type", STYLE, "media types", where(field("Content-Type", "text/plain"), STYLE)),
    Plant("documents by name are text", "content-type", "index.json", "media types", where(field("Content-Type", "text/plain"), "index.json")),
    # how paths are answered
    Plant("a path lists its folder", "json", "GET /", "lists the folder", in_api(where(says(LISTING, "text/html"), "/$")), also="page"),
    Plant("there is an index.html", "json", GALLERY, "index.html in the folder", where(says(HTML, "text/html"), f"{GALLERY}$"), also="page", sample="1"),
    Plant("pages for browsers are JSON", "page", "as browsers ask", ROUTES, page_as_json),
    Plant("?format=api is not known", "page", "format=api", ROUTES, lambda method, target, fields, answer: HOSTS[0]("GET", target.partition("?")[0], fields) if (method, answer.status) == ("GET", 200) and "format=api" in target else answer, also="repeat"),
    Plant("?format=xml is JSON", "format", "?format=xml", ROUTES, where(says(b"{}", status=200), "format=xml", status=404)),
    Plant("POST is taken", "methods", "POST /", ROUTES, where(says(b"{}", status=200), method="POST", status=405)),
    Plant("POST to a file is taken", "methods", "POST /embed.js", ROUTES, where(says(b"{}", status=200), ".js$", method="POST", status=405), is_warning=True),
    Plant("what is not there among pages is a page", "missing", "GET /labor/nothing/", ROUTES, at("/labor/", where(says(HTML, "text/html", 200), "/labor/nothing/", status=404)), is_warning=True, sample="1"),
    Plant("405 is a page", "methods", "POST /", ROUTES, where(says(HTML), method="POST", status=405)),
    Plant("405 is a page that says so", "methods", "DELETE /", ROUTES, where(says(HTML, "text/html"), method="DELETE", status=405)),
    Plant("405 is empty", "methods", "PUT /", ROUTES, where(says(b""), method="PUT", status=405)),
    Plant("HEAD has a length of 0", "head-length", "HEAD /", "HEAD", head_of_nothing),
    Plant("OPTIONS is refused", "options", "OPTIONS /", ROUTES, where(says(b"", status=405), method="OPTIONS", status=204)),
    Plant("OPTIONS does not name the methods", "headers", "OPTIONS /", ROUTES, where(field("Access-Control-Allow-Methods", "GET"), method="OPTIONS", status=204)),
    Plant("a redirect is for now", "slash", "GET /", ROUTES, where(says(b"", status=302), status=301)),
    Plant("a redirect leads to another port", "slash", "GET /", ROUTES, moved_to(lambda there: f"http://127.0.0.1:8080{there}")),
    Plant("a redirect loses the query", "slash", "?format=api", ROUTES, moved_to(lambda there: there.partition("?")[0])),
    Plant("a path without its slash is not known", "slash", "GET /", ROUTES, where(says(b"", status=404), status=301)),
    Plant("there is no ETag", "repeat", "GET /", ROUTES, everywhere(field("ETag", None))),
    Plant("nothing ever changes", "repeat", "GET /", ROUTES, conditional),
    Plant("HEAD has no ETag", "repeat", "HEAD /", ROUTES, where(field("ETag", None), method="HEAD")),
    Plant("HEAD of a file lacks a header field", "headers", "HEAD /", ROUTES, where(field("Access-Control-Allow-Origin", None), ".js$", method="HEAD")),
    Plant("HEAD of pictures is refused", "refused-request", "HEAD /media/", "HEAD", where(says(b"", status=403), "/media/", method="HEAD")),
    Plant("HEAD of an export is not known", "refused-request", "HEAD /openapi.json", "HEAD", where(says(b"", status=405), "/openapi.json", method="HEAD")),
    Plant("HEAD of the front page fails", "server-error", "HEAD /", "log", where(says(b"", status=500), "/$", method="HEAD")),
    Plant("a picture has no ETag", "repeat", "/media/", ROUTES, where(field("ETag", None), "/media/")),
    Plant("a page for browsers has no ETag", "repeat", "as browsers ask", ROUTES, for_browsers(field("ETag", None), "format=api")),
    *(
        Plant(f"{file} {what}", "repeat", file, ROUTES, at(file, alter))
        for file in ("/openapi.json", "/labgen.js", "/embed.js", "/manifest/index.json", "/manifest/0000.json", "/search/index.json", "/search/client.js", "/static/")
        for what, alter in (
            ("has no ETag", everywhere(field("ETag", None))),
            ("never changes", conditional),
            ("has one ETag for ever", one_etag),
            ("is sent again whatever is known", forgetful),
        )
    ),
    Plant("what is not there is the front page", "missing", "GET /", ROUTES, where(says(HTML, "text/html", 200), status=404), also="format"),
    Plant("404 is a page", "missing", "GET /", ROUTES, where(says(HTML, "text/html"), status=404), also="format"),
    Plant("404 is another JSON", "missing", "GET /", ROUTES, where(says(b'{"error":404}'), "/api/", status=404), also="format"),
    # what browsers alone get
    Plant("an unchanged document is said never to change", "caching", "with its ETag", ROUTES, where(field("Cache-Control", IMMUTABLE), status=304)),
    Plant("an unchanged document is for one origin", "headers", "with its ETag", ROUTES, where(field("Access-Control-Allow-Origin", "https://a.example"), status=304)),
    Plant("an unchanged document has the type of a page", "headers", "with its ETag", ROUTES, where(field("Content-Type", "text/plain"), status=304)),
    Plant("an unchanged document has another ETag", "headers", "with its ETag", ROUTES, where(field("ETag", '"x"'), status=304)),
    Plant("an unchanged page for people is said never to change", "caching", "with its ETag", ROUTES, at("/labor/", where(field("Cache-Control", IMMUTABLE), status=304)), sample="1", is_warning=True),
    Plant("a page for people is sent again whatever is known", "repeat", "/labor/", ROUTES, at("/labor/", forgetful), sample="1", is_warning=True),
    Plant("compressed documents are text", "json", "as scripts in browsers ask", ROUTES, in_api(for_browsers(field("Content-Type", "text/plain"), "/$")), also="page"),
    Plant("compressed documents stay in caches", "caching", "as scripts in browsers ask", ROUTES, in_api(for_browsers(field("Cache-Control", IMMUTABLE), "/$"))),
    Plant("a part of a file is another", "wrong-part", "Range: bytes=1-15", "Range", parts(lambda answer: answer._replace(body=b"x" * 15))),
    Plant("a part of a file does not say which it is", "wrong-part", "Range: bytes=1-15", "Range", parts(field("Content-Range", None))),
    Plant("a part of a file is sent as all of it", "wrong-part", "Range: bytes=1-15", "Range", parts(lambda answer: answer._replace(status=200)), also="broken-copy"),
    Plant("no part of a file is sent", "wrong-part", "Range: bytes=1-15", "Range", parts(says(b"", status=416))),
    Plant("a part of a file is for one origin", "headers", "Range: bytes=1-15", ROUTES, parts(field("Access-Control-Allow-Origin", None)), is_warning=True),
    Plant("browsers are refused", "refused-request", "as scripts in browsers ask", "browsers", at("/search/", for_browsers(says(b"", status=403)))),
    Plant("browsers are sent elsewhere", "refused-request", "as browsers ask", "", at("/labor/", for_browsers(lambda answer: field("Location", "https://127.0.0.1/")(says(b"", status=301)(answer)))), also="front", sample="1"),
    Plant("browsers get old documents", "broken-copy", "as scripts in browsers ask", AGAIN, in_api(for_browsers(body(lambda _: gzip.compress(b"{}")), f"{MIDDLE}gallery/$"))),
    Plant("browsers get a page without its policy", "blocked-page", "as browsers ask", "policy", for_browsers(field(POLICY, "connect-src 'none'"), "format=api")),
    Plant("pages may ask for nothing", "blocked-page", "format=api", "policy", where(field(POLICY, "connect-src 'none'"), "format=api")),
    Plant("pages may send no form", "blocked-page", "format=api", "policy", where(field(POLICY, "form-action 'none'"), "format=api")),
    Plant("preflights are refused", "options", "Access-Control-Request-Method: GET", ROUTES, preflight(says(b"", status=403))),
    Plant("preflights are redirected", "options", "Access-Control-Request-Method: GET", ROUTES, preflight(says(b"", status=301))),
    Plant("preflights have no origin", "headers", "Access-Control-Request-Method: GET", ROUTES, preflight(field("Access-Control-Allow-Origin", None))),
    Plant("preflights allow no If-None-Match", "headers", "Access-Control-Request-Method: GET", ROUTES, preflight(field("Access-Control-Allow-Headers", "Accept, Content-Type"))),
    Plant("preflights of files are refused", "options", "OPTIONS /search/", ROUTES, at("/search/", preflight(says(b"", status=405))), is_warning=True),
    Plant("preflights of HEAD are refused", "options", "Access-Control-Request-Method: HEAD", ROUTES, preflight(says(b"", status=405), "HEAD")),
    Plant("a folder of pictures is listed", "listed-folder", "GET /media/", "lists the folder", where(listed("media"), "/media/$", status=404)),
    Plant("a folder of styles is listed", "listed-folder", "GET /static/", "lists the folder", where(listed("static"), "/static/$", status=404)),
    Plant("the folder api is listed", "listed-folder", "GET /api/", "lists the folder", where(listed("api"), "/api/$", status=404)),
    Plant("a folder below is listed", "listed-folder", "GET /media/", "lists the folder", lambda _method, target, _fields, answer: listed(target.strip("/"))(answer) if re.fullmatch("/media/[0-9a-f]+/", target) else answer),
    Plant("the history of the project is there", "hidden-file", "GET /.git/config", "dot", where(says(b"[core]\n", "text/plain", 200), "/.git/config", status=404)),
    # what is changed on the way
    Plant("pages are minified", "changed-on-the-way", "/api.html", "turn off", where(body(lambda data: re.sub(rb">\s+<", b"><", data).replace(b"</li>", b"")), "api.html")),
    Plant("pages are in another language", "stale-file", "/api.html", AGAIN, where(body(lambda data: data.replace(b'lang="de"', b'lang="en"')), "api.html")),
    Plant("a script is put into pages", "changed-on-the-way", "/api.html", "turn off", where(body(lambda data: data.replace(b"</head>", b"<script src=/cdn.js></script></head>")), "api.html")),
    Plant("a banner is put into pages for browsers", "changed-on-the-way", "as browsers ask", "turn off", for_browsers(rewritten(lambda data: data.replace(b"</body>", b"<div id=x>We use <b>cookies</b></div></body>")), "format=api")),
    Plant("documents are indented", "changed-on-the-way", "index.json", "turn off", where(rewritten(lambda data: json.dumps(json.loads(data), indent=1).encode()), f"{MIDDLE}gallery/index.json")),
    Plant("compressed documents are indented", "changed-on-the-way", "as scripts in browsers ask", "turn off", in_api(for_browsers(rewritten(lambda data: json.dumps(json.loads(data)).encode()), f"{MIDDLE}gallery/$"))),
    Plant("styles are minified", "changed-on-the-way", STYLE, "turn off", where(rewritten(lambda data: data.replace(b" {", b"{").replace(b"\n", b"")), STYLE)),
    Plant("a proxy compresses without Vary", "copy-without-vary", "Accept-Encoding: gzip", "before the host", where(lambda answer: without_vary_of_copies(rewritten(lambda data: data)(answer)), asked="gzip")),
    Plant("a cache takes Vary away", "headers", "GET /", "Via: 1.1 varnish", where(lambda answer: added(field("Vary", None)(answer), ("Via", "1.1 varnish")), "/$"), also="copy-without-vary"),
    Plant("a path fails", "server-error", GALLERY, "log of the host", where(says(b"", status=500), f"{GALLERY}$")),
]  # fmt: skip


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def swap(folder: Path) -> None:
    (script,) = folder.glob("script.*.js.gz")
    (style,) = folder.glob("style.*.css.gz")
    style.write_bytes(script.read_bytes())


def planted(site: Project, plant: Plant, folder: Path) -> Respond:
    """Return a host that serves the site with a fault; files are changed in a copy of it."""
    out = site.out
    if plant.change:
        out = shutil.copytree(site.out, folder)
        plant.change(out)
    right = full_host(out)
    HOSTS[:], OUT[:] = [right], [out]
    if plant.alter is None:
        return right
    alter = plant.alter
    return lambda method, target, fields: alter(method, target, fields, right(method, target, fields))


@pytest.mark.parametrize(
    "plant", of_each(PLANTS, lambda plant: (plant.code, plant.change is None)), ids=lambda plant: plant.name
)
def test_a_planted_fault_is_found_and_named_with_its_address_and_what_mends_it(built, tmp_path, plant):
    with served(planted(built, plant, tmp_path / "served")) as address:
        result = verify(built, address, "--format", "json", "--sample", plant.sample)
    failed = [one for one in json.loads(result.stdout)["checks"] if one["result"] == "failed"]
    named = {fault["code"] for one in failed for fault in one["faults"]}
    assert named == {plant.code, *plant.also.split()}, [
        (one["name"], one["subject"], one["faults"]) for one in failed
    ][:6]
    assert plant.address in failed[0]["subject"]
    assert plant.help in failed[0]["faults"][0]["help"], failed[0]
    assert result.exit_code == (0 if plant.is_warning else 1)
    assert named <= CODES.keys() | VERIFY_CODES.keys()


ROWS = [(one, named) for rows in FIELDS.values() for one in rows for named in one.fields]
# Without an ETag, nothing is asked again.
KINDS = [(named.is_banned, named.name == "ETag") for _, named in ROWS]
TOGETHER = [[one for one, kind in zip(ROWS, KINDS, strict=True) if kind == each] for each in sorted({*KINDS})]


@pytest.mark.parametrize("rows", [[one] for one in ROWS] if EXHAUSTIVE else TOGETHER)
def test_header_fields_that_browsers_alone_do_not_get_are_found_by_their_rows(built, rows):
    """Of those that are asked in each kind of answer: the table names them, and no test."""
    right = full_host(built.out)

    def respond(method: str, target: str, fields: Fields) -> Answer:
        answer = right(method, target, fields)
        for _, named in rows if "mozilla" in fields.get("user-agent", "").lower() else ():
            answer = field(named.name, "same-origin" if named.is_banned else None)(answer)
        return answer

    with served(respond) as address:
        result = verify(built, address, "--format", "json", "--files", "30")
    found = {one["name"]: one for one in json.loads(result.stdout)["checks"] if one["result"] == "failed"}
    for row, named in rows:
        assert row.name in found
        assert "browsers ask" in found[row.name]["subject"]
        faults = [fault["message"] for fault in found[row.name]["faults"]]
        assert any(named.name in message for message in (faults if len(rows) > 1 else faults[:1]))


def test_what_is_answered_only_when_it_is_asked_again_is_a_warning_with_numbers(built):
    numbered = itertools.count(1)
    right = full_host(built.out)

    def respond(method: str, target: str, fields: Fields) -> Answer:
        return right(method, target, fields) if next(numbered) % 50 else Answer(503, (("Retry-After", "0"),))

    with served(respond) as address:
        result = verify(built, address, *SIXTEEN)
        numbered = itertools.count(1)
        numbers = json.loads(verify(built, address, *SIXTEEN, "--format", "json").stdout)["traffic"]
    again = re.search(
        r"warning\[sent-again\]: (\d+) of ([\d,]+) requests had to be sent again", result.stderr
    )
    assert again
    assert int(again[1]) == int(again[2].replace(",", "")) // 50
    assert f"(HTTP 503: {again[1]} times)" in result.stderr
    assert result.exit_code == 0
    assert numbers["sent_again"] == numbers["requests"] // 50


def test_slow_answers_are_a_warning_with_numbers(built):
    with served(full_host(built.out)) as address:
        few = ("--files", "1", "--slow", "0")
        result, found = verify(built, address, *few), verify(built, address, *few, "--format", "json")
    numbers = json.loads(found.stdout)["traffic"]
    assert re.search(
        r"warning\[slow-answer\]: [\d,]+ answers took 0 s or longer, up to [\d.]+ s", result.stderr
    )
    assert 0 < numbers["slow"] <= numbers["requests"]
    assert result.exit_code == 0


def test_what_is_sent_in_a_coding_that_cannot_be_read_is_said(built, monkeypatch):
    right = full_host(built.out)

    def respond(method: str, target: str, fields: Fields) -> Answer:
        answer = right(method, target, fields)
        if "Content-Encoding" not in dict(answer.fields) or "br" not in fields["accept-encoding"]:
            return answer
        packed = import_module("brotli").compress(gzip.decompress(answer.body), quality=1)
        return field("Content-Encoding", "br")(answer)._replace(body=packed)

    with served(respond) as address:
        assert verify(built, address).stderr == ""
        monkeypatch.setitem(PACKAGES, "br", "no_such_package")
        result = verify(built, address)
    assert result.exit_code == 0
    assert re.search(
        r"note: the bodies of \d+ answers in br were not read: .*labgen\[brotli\]", result.stderr
    )


@pytest.mark.parametrize("name", [MARKER, ".hosts/nginx/server.conf"])
def test_what_is_not_for_the_public_is_found(built, name):
    content = (built.out / name).read_bytes()
    right = full_host(built.out)

    def respond(method: str, target: str, fields: Fields) -> Answer:
        return Answer(200, (), content) if target == f"/{name}" else right(method, target, fields)

    with served(respond) as address:
        result = verify(built, address)
    assert (
        f"error[hidden-file]: the host gives out a file that is not for the public\n  --> GET /{name}\n"
        in result.stderr
    )
    assert (result.exit_code, result.stderr.count("error[")) == (1, 1)


# Hosts that do not answer, or not with the site.


@pytest.mark.parametrize(
    ("wait", "reason"),
    [
        (None, "the host answers 503"),
        ("0", "the host answers 503"),
        ("3600", "and asks to wait 3,600 seconds"),
    ],
)
def test_a_host_that_is_overloaded_is_given_up_soon(built, wait, reason):
    asked: list[str] = []

    def respond(_method: str, target: str, _fields: Fields) -> Answer:
        asked.append(target)
        return Answer(503, (("Retry-After", wait),) if wait else ())

    with served(respond) as address:
        result = verify(built, address)
    assert result.exit_code == 1
    assert "error[overloaded]: the host answers 503" in result.stderr
    assert reason in result.stderr
    assert len(asked) < 4


FOUR, SIXTEEN = ("--connections", "4"), ("--connections", "16")
"""So that waiting takes less time."""


def test_a_host_that_becomes_overloaded_is_given_up_and_the_rest_is_counted(built):
    asked: list[str] = []
    right = full_host(built.out)

    def respond(method: str, target: str, fields: Fields) -> Answer:
        asked.append(target)
        return right(method, target, fields) if len(asked) < 100 else Answer(429, (("Retry-After", "0"),))

    with served(respond) as address:
        result = verify(built, address, *FOUR)
    assert result.exit_code == 1
    assert "checks were not made: the host answered 429 12 times in a row" in result.stderr
    assert len(asked) < 130


def test_a_host_of_which_some_paths_are_overloaded_is_not_given_up(built):
    right = full_host(built.out)

    def respond(method: str, target: str, fields: Fields) -> Answer:
        return Answer(503, (("Retry-After", "0"),)) if "/media/" in target else right(method, target, fields)

    with served(respond) as address:
        result = verify(built, address, *SIXTEEN)
    assert "error[server-error]: the status is 503, not 200" in result.stderr
    assert "note:" not in result.stderr


@pytest.mark.parametrize(
    ("answer", "code", "help_"),
    [
        (
            Answer(301, (("Location", "https://labs.example/x"),)),
            "moved-site",
            "labgen verify https://labs.example",
        ),
        (Answer(401, (("WWW-Authenticate", "Basic"),)), "needs-password", "name:password"),
    ],
)
def test_a_host_that_answers_nothing_at_this_address_is_one_error(built, answer, code, help_):
    with served(lambda _method, _target, _fields: answer) as address:
        result = verify(built, address)
    assert result.exit_code == 1
    assert result.stderr.count("error[") == 1
    assert f"error[{code}]" in result.stderr
    assert help_ in result.stderr
    assert "nothing was verified" in result.stderr


def test_a_name_and_a_password_are_sent_where_the_address_has_them(built):
    right = full_host(built.out)

    def respond(method: str, target: str, fields: Fields) -> Answer:
        is_known = fields.get("authorization") == "Basic bWU6c2VjcmV0IQ=="
        return right(method, target, fields) if is_known else Answer(401, (("WWW-Authenticate", "Basic"),))

    with served(respond) as address:
        result = verify(built, address.replace("//", "//me:secret%21@"))
    assert (result.exit_code, "secret" in result.output) == (0, False)


# Certificates.

AUTHORITY = """
[ca]
default_ca = own
[own]
new_certs_dir = .
database = index
serial = serial
default_md = sha256
policy = any
unique_subject = no
copy_extensions = copy
[any]
commonName = supplied
"""


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An authority, and two certificates of it for localhost: one is good until 2100, one has expired in 2001."""
    folder = tmp_path_factory.mktemp("tls")
    (folder / "authority.cnf").write_text(AUTHORITY)
    (folder / "index").touch()
    (folder / "serial").write_text("01")
    key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -batch"
    sign = "ca -batch -notext -config authority.cnf -cert ca.pem -keyfile ca.key -in host.csr"
    for arguments in (
        f"req -x509 {key} -keyout ca.key -out ca.pem -days 36500 -subj /CN=Authority",
        f"req {key} -keyout host.key -out host.csr -subj /CN=localhost -addext subjectAltName=DNS:localhost",
        f"{sign} -out good.pem -startdate 20000101000000Z -enddate 21000101000000Z",
        f"{sign} -out old.pem -startdate 20000101000000Z -enddate 20010101000000Z",
    ):
        subprocess.run([require("openssl"), *arguments.split()], cwd=folder, check=True, capture_output=True)
    return folder


class Tls(NamedTuple):
    """A certificate (none: no TLS at all), the name that the host is asked by, and whether its authority is known."""

    certificate: str
    name: str = "localhost"
    is_known: bool = True


@pytest.mark.parametrize(
    ("tls", "code"),
    [
        (Tls("good"), ""),
        (Tls("good", is_known=False), "untrusted-certificate"),
        (Tls("good", "127.0.0.1"), "wrong-certificate"),
        (Tls("old"), "expired-certificate"),
        (Tls(""), "tls-refused"),
    ],
)
def test_a_certificate_that_is_not_accepted_is_named_by_the_reason(
    built, certificates, monkeypatch, tls, code
):
    if tls.is_known:
        monkeypatch.setenv("SSL_CERT_FILE", str(certificates / "ca.pem"))
    with answering_with(built, certificates, tls.certificate) as port:
        result = verify(built, f"https://{tls.name}:{port}", "--sample", "0", "--files", "5")
    assert result.exit_code == (1 if code else 0)
    assert f"error[{code}]" in result.stderr if code else result.stderr == ""
    assert result.stderr.count("error[") == (1 if code else 0)
    assert ("SSL_CERT_FILE=" in result.stderr) == (code == "untrusted-certificate")


@contextmanager
def answering_with(built, certificates, certificate):
    """Let a server of the site answer with a certificate, or without TLS; yield its port."""
    server = open_server(19400, full_host(built.out))
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificates / f"{certificate}.pem", certificates / "host.key")
        server.socket = context.wrap_socket(server.socket, server_side=True)
    with answering(server):
        yield server.server_port


@pytest.mark.parametrize("command", ["sync {address} copy", "build --dry-run --against {address}"])
def test_whoever_reads_a_site_learns_how_an_authority_of_their_own_is_trusted(
    built, certificates, monkeypatch, command
):
    monkeypatch.chdir(built.root)
    with answering_with(built, certificates, "good") as port:
        address = f"https://localhost:{port}"
        result = CliRunner().invoke(main, command.format(address=address).split())
    assert (result.exit_code, "(SSL_CERT_FILE=authority.pem trusts" in result.stderr) == (1, True)


@pytest.mark.parametrize(("left", "options", "code"), [(10, (), 1), (10, ("--certificate-days", "9"), 0)])
def test_a_watch_fails_before_a_certificate_ends(built, certificates, monkeypatch, left, options, code):
    end = datetime.now(UTC) + timedelta(days=left, hours=1)
    sign = "ca -batch -notext -config authority.cnf -cert ca.pem -keyfile ca.key -in host.csr -out ending.pem"
    command = [require("openssl"), *sign.split(), "-startdate", "20000101000000Z"]
    subprocess.run(
        [*command, "-enddate", f"{end:%Y%m%d%H%M%SZ}"], cwd=certificates, check=True, capture_output=True
    )
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates / "ca.pem"))
    with answering_with(built, certificates, "ending") as port:
        address = f"https://localhost:{port}"
        result = verify(built, address, "--watch", "--format", "json", *options)
        whole = verify(built, address, "--files", "1", "--sample", "0", *options)
    content = json.loads(result.stdout)
    (row,) = (one for one in content["checks"] if one["name"] == "certificate")
    assert (result.exit_code, row["result"]) == (code, "failed" if code else "passed")
    assert content["traffic"]["certificate_days"] == left
    assert whole.exit_code == 0  # where it is no watch, it is a warning
    assert ("warning[ending-certificate]: the certificate ends in 10 days" in whole.stderr) == bool(code)


def test_a_watch_asks_for_little_and_fails_when_the_host_becomes_slow(built):
    right, pause = full_host(built.out), 0.01

    def respond(method: str, target: str, fields: Fields) -> Answer:
        time.sleep(pause)
        return right(method, target, fields)

    with served(respond) as address:
        watch = (address, "--watch", "--slow", "0.3", *FOUR)
        quick = verify(built, *watch, "--format", "json")
        pause = 0.35
        slow = verify(built, *watch)
    traffic = json.loads(quick.stdout)["traffic"]
    assert (quick.exit_code, slow.exit_code) == (0, 1)
    assert traffic["requests"] < 60
    assert 0.01 <= traffic["median"] <= traffic["slowest"]
    assert "error[slow-answer]: half of the answers took 0." in slow.stderr


@pytest.mark.parametrize("arguments", [["out", "--watch"], ["https://labs.example.org", "--watch", "--all"]])
def test_a_watch_is_of_an_address_and_asks_for_little(arguments):
    result = CliRunner().invoke(main, ["verify", *arguments])
    assert result.exit_code == 2
    assert "--watch takes an address, and no --all" in result.output


def test_a_watch_passes_a_host_that_fails_once_in_fifty_and_counts_it(built):
    right, count = full_host(built.out), itertools.count(1)

    def respond(method: str, target: str, fields: Fields) -> Answer:
        return Answer(503, ()) if next(count) % 50 == 20 else right(method, target, fields)

    with served(respond) as address:
        result = verify(built, address, "--watch", "--format", "json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["traffic"]["sent_again"] == 1


def test_a_large_site_is_looked_at_by_a_sample_that_the_last_line_states(tmp_path):
    site = Project(tmp_path).sound()
    site.write(laboratories=[laboratory(f"{number:05}") for number in range(1, 31)]).build(hosts=("nginx",))
    asked: list[str] = []
    right, few = full_host(site.out), ("--files", "20", "--sample", "1")

    def respond(method: str, target: str, fields: Fields) -> Answer:
        asked.append(target)
        return right(method, target, fields)

    with served(respond) as address:
        first, once = verify(site, address, *few), sorted(asked)
        asked.clear()
        second = verify(site, address, *few)
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert sorted(asked) == once
    assert re.search(
        r" checks of \d+ of \d+ files, .* of .* copies, .* of .* paths, 1 of 30 laboratories by the whole contract, .*: all passed",
        first.stdout,
    )
