"""What labgen writes for each host, on the real programs: every row of the table, and what each must miss."""

import gzip
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import zstandard
from click.testing import CliRunner
from conftest import ALPHA, BETA, SITE, Project
from servers import (
    PATHS,
    QUERIES,
    addressed,
    answering,
    ask,
    differences,
    exchange,
    free_port,
    missing,
    replaced,
    require,
    rows_of,
    running,
    tried,
    version,
)

from labgen.api.endpoint import LABORATORIES
from labgen.cli import main
from labgen.contract.contract_rows import all_rows
from labgen.contract.http_answers import Received
from labgen.contract.http_contract import BROWSER, MEDIA_TYPES, REVALIDATED, Request
from labgen.hosts import PROFILES
from labgen.hosts.companions import COMPRESSORS
from labgen.serve.answer import Site
from labgen.serve.server import open_server

AS_ROOT = "user root;\n" if os.geteuid() == 0 else ""
"""The folders of tests are their user's alone."""


def nginx(root: Path, own: Path, folder: Path) -> AbstractContextManager[int]:
    port = free_port()
    config = folder / "nginx.conf"
    config.write_text(
        AS_ROOT
        + replaced(
            own / "nginx.conf",
            (r"/tmp/", f"{folder}/"),
            (r"127\.0\.0\.1:8080", f"127.0.0.1:{port}"),
            (r"root \.;", f"root {root};"),
            (r"include http\.conf", f"include {own}/http.conf"),
            (r"include server\.conf", f"include {own}/server.conf"),
        )
    )
    return running([require("nginx"), "-p", str(folder), "-c", str(config)], port, folder / "nginx.log")


def caddy(root: Path, own: Path, folder: Path) -> AbstractContextManager[int]:
    port = free_port()
    config = folder / "Caddyfile"
    config.write_text(
        replaced(
            own / "Caddyfile",
            (r":8080", f":{port}"),
            (r"root \* \.", f"root * {root}"),
            (r"import site\.caddy", f"import {own}/site.caddy"),
        )
    )
    command = [require("caddy"), "run", "--config", str(config), "--adapter", "caddyfile"]
    return running(command, port, folder / "caddy.log", {"HOME": str(folder)})


@contextmanager
def apache(root: Path, own: Path, folder: Path) -> Iterator[int]:
    port = free_port()
    with TemporaryDirectory() as name:
        opened = Path(name)
        opened.chmod(0o755)  # Apache reads as another user, also where root starts it
        shutil.copytree(root, opened / "out")
        config = folder / "httpd.conf"
        config.write_text(
            ("User nobody\nGroup nogroup\n" if os.geteuid() == 0 else "")
            + replaced(
                own / "httpd.conf",
                (r"/tmp\b", str(folder)),
                (r"127\.0\.0\.1:8080", f"127.0.0.1:{port}"),
                (r'"\."', f'"{opened}/out"'),
            )
        )
        command = [require("apache2"), "-d", f"{opened}/out", "-f", str(config), "-D", "FOREGROUND"]
        with running(command, port, folder / "apache.log"):
            yield port


def lighttpd(root: Path, own: Path, folder: Path) -> AbstractContextManager[int]:
    port = free_port()
    config = folder / "lighttpd.conf"
    config.write_text(
        replaced(
            own / "lighttpd.conf",
            (r"8080", str(port)),
            (r"var\.CWD", f'"{root}"'),
            (r'include "site\.conf"', f'include "{own}/site.conf"'),
        )
    )
    return running([require("lighttpd"), "-D", "-f", str(config)], port, folder / "lighttpd.log")


SERVERS = {"nginx": nginx, "caddy": caddy, "apache": apache, "lighttpd": lighttpd}


BASE = "/verzeichnis"
ALPHA_PATH = f"{LABORATORIES}00001/"
PAGE_OF_A_VALUE = "suche/materials/ac-10~a1632d8e/"
"""The path of a page of the search whose value cannot be a name, below the site."""


@pytest.fixture(scope="module", params=SERVERS)
def host(request) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def hosted(host, tmp_path_factory) -> Project:
    """A project that is built for a host, with a text that is worth compressing."""
    project = compressed(Project(tmp_path_factory.mktemp("hosted")).sound(), host)
    for suffix in MEDIA_TYPES:
        (project.out / f"kind{suffix}").write_bytes(b"{}")
    page = project.out / f"{PAGE_OF_A_VALUE}index.html"
    page.parent.mkdir(parents=True)
    page.write_text("<!doctype html>")
    return project


def compressed(project: Project, host: str, settings: str = "") -> Project:
    """Build a project for a host, with all copies that the host serves and a text that is worth compressing."""
    if host == "nginx" and not Path("/usr/lib/nginx/modules/ngx_http_brotli_static_module.so").exists():
        missing("nginx's module ngx_brotli")
    copies = [suffix.removeprefix(".") for suffix in sorted(PROFILES[host].copies)]
    more = 'exports = ["jsonl", "csv"]'
    project.file("data/site.toml", f"copies = {json.dumps(copies)}\n{settings}\n{more}\n{SITE}")
    dated = BETA | {"published_on": "2024-05-01"}
    project.write(laboratories=[ALPHA | {"about": "Wir prüfen Stahl. " * 100}, dated])
    assert project.build(hosts=(host,)).written
    return project


@pytest.fixture(scope="module")
def port(host, hosted, tmp_path_factory) -> Iterator[int]:
    own, folder = hosted.out / ".hosts" / host, tmp_path_factory.mktemp("server")
    with SERVERS[host](hosted.out, own, folder) as port:
        yield port


def test_a_host_passes_all_rows_but_those_that_its_profile_names(host, hosted, port):
    proof = f"{version(host)}, the program itself"
    assert differences(host, proof, port, hosted.out, rows_of(hosted.out)) == ({}, set())


def test_a_site_below_a_base_path_passes_the_same_rows(host, tmp_path):
    project = compressed(Project(tmp_path / "project").sound(), host, f'base_path = "{BASE}"')
    root, proof = tmp_path / "root", f"{version(host)}, the program itself"
    shutil.copytree(project.out, root / BASE[1:])
    with SERVERS[host](root, project.out / ".hosts" / host, tmp_path) as port:
        assert differences(host, proof, port, project.out, rows_of(project.out, BASE)) == ({}, set())


OPENERS = {
    "gzip": gzip.decompress,
    "br": import_module("brotli").decompress,
    "zstd": lambda data: zstandard.ZstdDecompressor().decompressobj().decompress(data),
}


@pytest.mark.parametrize("encoding", OPENERS)
@pytest.mark.parametrize("query", ["", "?format=api"])
def test_a_compressed_answer_is_the_same_document_under_the_same_headers(host, hosted, port, encoding, query):
    if (host, encoding) == ("nginx", "zstd"):
        pytest.skip("nginx has no module for Zstandard")
    file = f"{ALPHA_PATH[1:]}{'api.html' if query else 'index.json'}"
    plain = ask(port, Request("GET", ALPHA_PATH + query))
    packed = ask(port, Request("GET", ALPHA_PATH + query, (("Accept-Encoding", encoding),)))
    assert packed.fields["content-encoding"] == encoding
    assert OPENERS[encoding](packed.body) == plain.body == (hosted.out / file).read_bytes()
    assert packed.fields["content-type"] == plain.fields["content-type"]
    assert {"accept", "accept-encoding"} <= members(packed.fields["vary"])


@pytest.mark.parametrize(
    ("file", "media_type"),
    [
        ("manifest/index.json", "application/json"),
        ("manifest/0000.json", "application/json"),
        ("laboratories.atom", "application/atom+xml"),
        ("laboratories-export/laboratories.jsonl", "application/jsonl"),
        ("laboratories-export/laboratories.csv", "text/csv; charset=utf-8"),
    ],
)
@pytest.mark.parametrize("encoding", ["identity", "gzip"])
def test_files_for_programs_have_their_types_and_are_revalidated(hosted, port, file, media_type, encoding):
    received = ask(port, Request("GET", f"/{file}", (("Accept-Encoding", encoding),)))
    body = gzip.decompress(received.body) if "content-encoding" in received.fields else received.body
    assert (received.status, body) == (200, (hosted.out / file).read_bytes())
    assert received.fields["content-type"] == media_type
    assert received.fields["cache-control"] == REVALIDATED
    assert received.fields["access-control-allow-origin"] == "*"


@pytest.mark.parametrize("encoding", OPENERS)
def test_a_compressed_answer_is_not_sent_again_while_it_is_the_same(host, port, encoding):
    request = Request("GET", ALPHA_PATH, (("Accept-Encoding", encoding),))
    etag = ask(port, request).fields["etag"]
    again = ask(port, request._replace(headers=(*request.headers, ("If-None-Match", etag))))
    assert (again.status, again.body) == (304, b"")
    assert "accept" in members(again.fields["vary"])


def test_a_header_field_is_sent_once(hosted, port):
    for row in all_rows(PATHS[:1], files=addressed(hosted.out)):
        names = [name.lower() for name, _ in exchange(port, row.request)[1] if name.lower() != "vary"]
        assert len(names) == len(set(names)), row


@pytest.mark.parametrize("suffix", MEDIA_TYPES)
def test_each_kind_of_file_has_its_type(port, suffix):
    received = ask(port, Request("GET", f"/kind{suffix}"))
    assert (received.status, received.fields["content-type"]) == (200, MEDIA_TYPES[suffix])


def test_every_file_of_a_site_is_of_a_kind_that_hosts_know(hosted):
    names = [name for name in hosted.tree() if not name.startswith(".")]
    endings = {Path(name).suffix for name in names if not name.endswith(TYPES)} - COMPRESSORS.keys()
    assert endings <= set(MEDIA_TYPES)


TYPES = (".d.ts", *(f".d.ts{suffix}" for suffix in COMPRESSORS))
"""Types of clients are read by compilers, whatever a host calls them; browsers never ask for them."""


def test_a_redirect_has_no_body(port):
    for path in (ALPHA_PATH.rstrip("/"), "/reference", f"/{PAGE_OF_A_VALUE.rstrip('/')}"):
        status, _, body = exchange(port, Request("GET", path))
        assert (status, body) == (301, b""), path


def members(value: str) -> set[str]:
    return {one.strip().lower() for one in value.split(",")}


@pytest.mark.parametrize(
    "target",
    [
        "/.labgen-site.json", "/.labgen-site/", "/.labgen-site/site.json", "/.hosts/", "/.hosts/nginx/server.conf", "/%2elabgen-site.json", "/api/../.labgen-site.json",
        "/.htaccess", "/x/.git/config",
    ],
)  # fmt: skip
def test_what_is_not_the_sites_is_not_published(port, target):
    assert ask(port, Request("GET", target)).status in (400, 403, 404)


@pytest.mark.parametrize("below", ["index.json/x", "api.html/x", "gallery/index.json/x/"])
@pytest.mark.parametrize("encoding", ["identity", "gzip"])
def test_below_a_file_there_is_nothing(hosted, port, below, encoding):
    received = ask(port, Request("GET", ALPHA_PATH + below, (("Accept-Encoding", encoding),)))
    assert (received.status, received.body) == (404, (hosted.out / "404.json").read_bytes())


@pytest.mark.parametrize("folder", ["/manifest", "/search", "/media"])
def test_outside_of_api_a_folder_without_a_page_is_not_there(host, port, folder):
    bare, slashed = (ask(port, Request("GET", target)).status for target in (folder, f"{folder}/"))
    adds_slash = host == "lighttpd"  # to the name of any folder
    assert (bare, slashed) == (301 if adds_slash else 404, 404)


@pytest.mark.parametrize(
    "target",
    [
        "//evil.example/..//api/v1/laboratory/upgrade-options", "//evil.example/api/v1/laboratory/upgrade-options",
        "/%2fevil.example/..%2f..%2fapi/v1/laboratory/upgrade-options", "/\\evil.example", "/%5cevil.example/",
        "/api/v1/laboratory/upgrade-options%0d%0aX-Injected:%20yes", "/api/v1/laboratory/upgrade-options%0aX-Injected:1",
    ],
)  # fmt: skip
def test_no_request_leads_off_the_site_or_into_the_headers(port, target):
    received = ask(port, Request("GET", target))
    location = received.fields.get("location", "/x")
    assert location.startswith("/")
    assert not location.startswith(("//", "/\\"))
    assert "x-injected" not in received.fields
    assert received.status < 500


@pytest.mark.parametrize("field", [("If-None-Match", "*"), ("If-Modified-Since", "Sat, 01 Jan 2050 00:00:00 GMT"), ("Range", "bytes=0-1")])  # fmt: skip
def test_what_is_not_there_is_not_there_whatever_is_asked_with_it(hosted, port, field):
    received = ask(port, Request("GET", f"{LABORATORIES}0/", (field,)))
    assert (received.status, received.body) == (404, (hosted.out / "404.json").read_bytes())


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("accept", ["*/*", BROWSER])
def test_every_query_is_understood_as_in_the_preview(hosted, port, query, accept):
    preview = Site(hosted.out).answer("GET", ALPHA_PATH + query, {"accept": accept})
    received = ask(port, Request("GET", ALPHA_PATH + query, (("Accept", accept),)))
    assert (received.status, received.body) == (preview.status, preview.body)


def deploy(project: Project, folder: Path) -> None:
    """Publish a site as the guide says, to a folder of this machine."""
    require("rsync")
    done = CliRunner().invoke(main, ["publish", str(folder), "-C", str(project.root)])
    assert done.exit_code == 0, done.output


def test_a_site_that_was_built_anew_elsewhere_keeps_its_etags(host, tmp_path):
    targets, etags = (ALPHA_PATH, f"{ALPHA_PATH}?format=api", "/openapi.json"), []
    for number in range(2):
        project = compressed(Project(tmp_path / f"checkout-{number}").sound(), host)
        for path in project.out.rglob("*"):
            os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))
        deploy(project, tmp_path / "srv")
        root = shutil.copytree(tmp_path / "srv", tmp_path / f"server-{number}")
        with SERVERS[host](root, root / ".hosts" / host, tmp_path) as port:
            etags.append([opaque(ask(port, Request("GET", target))) for target in targets])
    assert etags[0] == etags[1]


def opaque(received: Received) -> str:
    """Return an ETag without its weakness: for a second, Apache calls that of a new file weak."""
    return received.fields["etag"].removeprefix("W/")


UNEQUAL = {"date", "server", "connection", "keep-alive", "last-modified", "accept-ranges", "etag"}
"""What tells of the program and not of the site. An ETag is any text that changes with the bytes."""


def comparable(received: Received) -> tuple[int, dict[str, str], bytes]:
    fields = {name: value for name, value in received.fields.items() if name not in UNEQUAL}
    vary = {one.strip().lower() for one in fields.pop("vary", "").split(",")} - {"accept-encoding", ""}
    return received.status, fields | {"vary": ",".join(sorted(vary))}, received.body


def test_the_preview_and_nginx_give_the_same_status_headers_and_bytes(tmp_path):
    project = Project(tmp_path / "project").sound()
    project.build(hosts=("nginx",))
    server = open_server(18700, Site(project.out).answer)
    with answering(server), nginx(project.out, project.out / ".hosts/nginx", tmp_path) as port:
        for row in all_rows(PATHS, files=addressed(project.out)):
            if row.expected.codings:
                continue  # the preview does not compress
            ours, theirs = (comparable(tried(one, row)) for one in (server.server_port, port))
            assert ours == theirs, row


@pytest.fixture(scope="module")
def listed(host, tmp_path_factory) -> Iterator[tuple[int, Path]]:
    """A host with a list of two pages: its port, and the folder of the site."""
    settings = "[limits]\npage_size = 1\n"
    project = Project(tmp_path_factory.mktemp("listed")).sound()
    project.file("data/site.toml", f"{SITE}{settings}").write(laboratories=[ALPHA, BETA])
    assert project.build(hosts=(host,)).written
    with SERVERS[host](project.out, project.out / ".hosts" / host, tmp_path_factory.mktemp("server")) as port:
        yield port, project.out


SEARCHES = ["q=stahl", "materials__in=12", "country=de&page=2", "x=1&is_verified=true", "deal_status=a", "verification_status=a", "facets=country",
            "q=%3Cscript%3E", "page=1&q=stahl&format=json", "materials__in=12&materials__in=", "tests__in=1"]  # fmt: skip


@pytest.mark.parametrize("query", SEARCHES)
def test_a_host_of_files_refuses_a_search_of_the_list_and_names_where_it_is(host, listed, query):
    port, out = listed
    for fields in ((), (("Accept", "*/*"),), (("If-None-Match", "*"),), (("Range", "bytes=0-3"),)):
        received = ask(port, Request("GET", f"{LABORATORIES}?{query}", fields))
        assert (received.status, received.body) == (400, (out / "400.json").read_bytes()), fields
        assert received.fields["content-type"] == "application/json"
        assert received.fields["access-control-allow-origin"] == "*"
    assert json.loads(received.body)["search"] == "/search/index.json"
    assert ask(port, Request("HEAD", f"{LABORATORIES}?{query}")).status == 400


@pytest.mark.parametrize(
    "query", ["", "x=1", "q=", "materials__in=&country=", "page=1", "page=", "page=01&x=1", "sequel=1", "xq=1", "limit=3", "format=json", "Q=1"]
)  # fmt: skip
def test_a_host_of_files_answers_the_list_where_nothing_is_searched_for(listed, query):
    port, out = listed
    received = ask(port, Request("GET", f"{LABORATORIES}?{query}"))
    assert (received.status, received.body) == (200, (out / LABORATORIES[1:] / "index.json").read_bytes())


@pytest.mark.parametrize(
    "query", ["format=api", "q=stahl&format=api", "page=2&format=api", "format=api&materials__in=1"]
)
def test_the_page_of_the_list_is_never_filtered(listed, query):
    port, out = listed
    page = (out / LABORATORIES[1:] / "api.html").read_bytes()
    assert ask(port, Request("GET", f"{LABORATORIES}?{query}")).body == page
    browser = (("Accept", BROWSER),)
    assert ask(port, Request("GET", f"{LABORATORIES}?q=stahl&page=2", browser)).body == page


@pytest.mark.parametrize(
    ("query", "location"),
    [("page=2", "page/2/"), ("page=02", "page/2/"), ("page=1&page=2", "page/2/?page=1&page=2"), ("page=2&format=json", "page/2/?page=2&format=json"),
     ("x=1&page=2", "page/2/?x=1&page=2")],
)  # fmt: skip
def test_a_page_of_the_list_that_is_asked_for_by_its_number_is_that_at_its_path(
    host, listed, query, location
):
    port, out = listed
    page = ask(port, Request("GET", f"{LABORATORIES}?{query}"))
    assert page.fields["access-control-allow-origin"] == "*"
    if host != "lighttpd":  # its redirects have no header fields, so it answers itself
        assert (page.status, page.fields["location"]) == (301, LABORATORIES + location)
        page = ask(port, Request("GET", page.fields["location"]))
    assert page.body == (out / LABORATORIES[1:] / "page/2/index.json").read_bytes()


@pytest.mark.parametrize(
    "query",
    [
        "page=999",
        "page=3",
        "page=0",
        "page=x",
        "page=2x",
        "page=-1",
        "page=..",
        "page=2&page=9",
        "page=1.5",
        "x=1&page=%2e",
    ],
)
def test_a_page_of_the_list_that_does_not_exist_is_404(listed, query):
    port, out = listed
    received = ask(port, Request("GET", f"{LABORATORIES}?{query}"))
    assert (received.status, received.body) == (404, (out / "404.json").read_bytes())


def test_only_the_list_is_searched(listed):
    port, out = listed
    for query in ("q=stahl", "page=2"):
        received = ask(port, Request("GET", f"{ALPHA_PATH}?{query}"))
        assert (received.status, received.body) == (200, (out / ALPHA_PATH[1:] / "index.json").read_bytes())
        assert ask(port, Request("GET", f"/?{query}")).status == 200
