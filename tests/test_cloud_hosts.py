"""What labgen writes for hosts in the cloud, on stand-ins: every row of the table, and what each must miss."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from conftest import EXHAUSTIVE, SITE, Project
from servers import PATHS, ask, differences, require, rows_of
from stand_ins import (
    Asked,
    Function,
    Host,
    cloudfront,
    firebase,
    firebase_emulator,
    github_pages,
    gitlab_pages,
    in_node,
    netlify_edge,
    netlify_rules,
    plain_files,
    s3_website,
    serving,
    vercel,
)

from labgen.contract.http_contract import JSON_TYPE, Request
from labgen.hosts.edge import COPY_WITHOUT_PACKED
from labgen.model.site_paths import JSON_FILE

IN_PYTHON = {
    "files": plain_files,
    "s3-website": s3_website,
    "github-pages": github_pages,
    "gitlab-pages": gitlab_pages,
}


@contextmanager
def on_cloudfront(out: Path, *, shows_changed_request: bool) -> Iterator[int]:
    function = Function(out / ".hosts/cloudfront/function.js")
    try:
        with serving(cloudfront(out, function, shows_changed_request=shows_changed_request)) as port:
            yield port
    finally:
        function.end()


def on_firebase(case: str, out: Path, base_path: str, folder: Path) -> AbstractContextManager[int]:
    """Publish what the commands of the deployment copy."""
    public = folder / "public"
    shutil.copytree(out, public / base_path.lstrip("/"))
    shutil.copy(out / "404.json", public / "404.html")
    shutil.copy(out / ".hosts/firebase/firebase.json", folder)
    if case == "firebase":
        return serving(firebase(folder))
    modules = Path(os.environ.get("LABGEN_NODE_MODULES", "none"))
    if not (modules / "superstatic").is_dir():
        pytest.skip("LABGEN_NODE_MODULES names no folder with superstatic")
    return firebase_emulator(modules, folder)


def on_netlify_by_rules(out: Path, base_path: str, folder: Path) -> AbstractContextManager[int]:
    """Publish what the commands of the deployment copy."""
    public = folder / "public"
    shutil.copytree(out, public / base_path.lstrip("/"))
    for file in ("_redirects", "_headers", "404.html"):
        shutil.copy(out / file, public / file)
    return serving(netlify_rules(public))


def without_packed(out: Path) -> Path:
    """Copy what is deployed of a site in packs."""
    require("rsync")
    subprocess.run(["sh", "-c", COPY_WITHOUT_PACKED], cwd=out.parent, check=True)
    public = out.parent / "public"
    assert not [*public.glob("api/v1/laboratory/laboratories/[0-9]*"), *public.glob("media")]
    return public


def standing_in(case: str, out: Path, base_path: str, folder: Path) -> AbstractContextManager[int]:
    if case.startswith("firebase"):
        return on_firebase(case, out, base_path, folder)
    if case == "netlify-rules":
        return on_netlify_by_rules(out, base_path, folder)
    if case == "netlify":
        return netlify_edge(out, folder)
    if case.endswith(IN_PACKS):
        public = without_packed(out)
        if case.startswith("netlify"):
            return netlify_edge(public, folder)
        return in_node(out / ".hosts/vercel/middleware.js", vercel(public, by_file=False), folder)
    if case.startswith("cloudfront"):
        return on_cloudfront(out, shows_changed_request=case == "cloudfront")
    if case.startswith("vercel"):
        return serving(vercel(out, by_file=case != "vercel"))
    host: Host = IN_PYTHON[case](out, base_path)
    return serving(host)


IN_PACKS = ": in packs"
CASES = [
    *IN_PYTHON,
    "vercel",
    "vercel: later phases by the path of the file",
    "firebase",
    "firebase: its emulator's server",
    "netlify-rules",
    "netlify",
    f"netlify{IN_PACKS}",
    f"vercel{IN_PACKS}",
    "cloudfront",
    "cloudfront: shown the viewer's request",
]
BASES = {"": "at the root", "/verzeichnis": "below a path"}
PLACES = [(case, base) for case in CASES for base in BASES if EXHAUSTIVE or base or ":" not in case]
"""Each case at the root and below a path; of those that differ from another in one thing, the latter alone."""


@pytest.fixture(scope="module", params=PLACES, ids=[f"{case}-{BASES[base]}" for case, base in PLACES])
def place(request) -> tuple[str, str]:
    case, base_path = request.param
    return case, base_path


@pytest.fixture(scope="module")
def base_path(place) -> str:
    return str(place[1])


@pytest.fixture(scope="module")
def case(place) -> str:
    return str(place[0])


@pytest.fixture(scope="module")
def name(case) -> str:
    return str(case).partition(":")[0]


@pytest.fixture(scope="module")
def hosted(case, name, base_path, tmp_path_factory) -> Project:
    """A project that is built for a host."""
    project = Project(tmp_path_factory.mktemp("hosted")).sound()
    packs = 'packs = ["laboratories", "pictures"]\n' if case.endswith(IN_PACKS) else ""
    project.file("data/site.toml", f'{packs}base_path = "{base_path}"\n{SITE}')
    assert project.build(hosts=(name,)).written
    return project


@pytest.fixture(scope="module")
def port(case, hosted, base_path, tmp_path_factory) -> Iterator[int]:
    with standing_in(case, hosted.out, base_path, tmp_path_factory.mktemp("server")) as port:
        yield port


def test_a_stand_in_passes_all_rows_but_those_that_the_profile_names(case, name, hosted, base_path, port):
    """Only whether a host compresses is not looked at: a stand-in could not tell."""
    proof = f"a stand-in{'; its function in node' if name in ('netlify', 'cloudfront') else ''}"
    rows = [row for row in rows_of(hosted.out, base_path) if row.topic != "compression"]
    if case == f"vercel{IN_PACKS}":  # node, before the routes here, resolves dots itself
        rows = [row for row in rows if not row.name.startswith("refuse-up")]
    if case.startswith("vercel") and not case.endswith(
        IN_PACKS
    ):  # its middleware, which searches, does not run
        rows = [row for row in rows if row.topic != "search"]
    recorded = proof if case == name else ""
    assert differences(name, recorded, port, hosted.out, rows) == ({}, set())


def test_the_file_of_a_document_is_json_everywhere(name, hosted, base_path, port):
    for path in PATHS:
        answer = ask(port, Request("GET", base_path + path + JSON_FILE))
        assert answer.status == 200
        assert answer.fields["content-type"].startswith(JSON_TYPE)
        assert answer.body == hosted.read(path)


def test_a_path_is_json_wherever_paths_have_answers(name, hosted, base_path, port):
    for path in PATHS:
        answer = ask(port, Request("GET", base_path + path))
        if name == "files":
            assert answer.status == 404
        else:
            assert answer.status == 200
            assert answer.fields["content-type"].startswith(JSON_TYPE)
            assert answer.body == hosted.read(path)


def test_cloudfront_lets_every_origin_read_a_404(tmp_path):
    project = Project(tmp_path).sound()
    project.build(hosts=("cloudfront",))
    unknown = Request("GET", f"{PATHS[0]}nothing/", (("Origin", "https://example.org"),))
    with on_cloudfront(project.out, shows_changed_request=True) as port:
        answer = ask(port, unknown)
    assert answer.status == 404
    assert answer.fields["access-control-allow-origin"] == "*"
    assert answer.body == (project.out / "404.json").read_bytes()


def test_the_template_of_cloudfront_has_the_function_for_all_methods_and_the_error_pages(tmp_path):
    project = Project(tmp_path).sound()
    project.build(hosts=("cloudfront",))
    folder = project.out / ".hosts/cloudfront"
    resources = json.loads((folder / "template.json").read_text())["Resources"]
    assert resources["Function"]["Properties"]["FunctionCode"] == (folder / "function.js").read_text()
    distribution = resources["Distribution"]["Properties"]["DistributionConfig"]
    behavior = distribution["DefaultCacheBehavior"]
    assert {one["EventType"] for one in behavior["FunctionAssociations"]} == {
        "viewer-request",
        "viewer-response",
    }
    assert {"GET", "OPTIONS", "POST", "DELETE"} < set(behavior["AllowedMethods"])
    assert {one["ErrorCode"]: one["ResponseCode"] for one in distribution["CustomErrorResponses"]} == {
        403: 404,
        404: 404,
    }
    assert "Quantity" not in json.dumps(resources)
    assert len((folder / "template.json").read_bytes()) < 51_200  # what CloudFormation takes without a bucket


@pytest.mark.parametrize("shows_changed_request", [True, False])
def test_cloudfront_redirects_to_no_other_host(tmp_path, shows_changed_request):
    project = Project(tmp_path).sound()
    project.build(hosts=("cloudfront",))
    function = Function(project.out / ".hosts/cloudfront/function.js")
    try:
        host = cloudfront(project.out, function, shows_changed_request=shows_changed_request)
        answer = host(Asked("GET", f"/{PATHS[0].rstrip('/')}", "", {}))
    finally:
        function.end()
    assert answer.status == 301
    assert answer.fields["location"] == PATHS[0]


def test_netlify_looks_for_an_unknown_file_once_and_for_a_document_below_it(tmp_path):
    project = Project(tmp_path).sound()
    project.build(hosts=("netlify",))
    seen: list[str] = []
    with netlify_edge(project.out, tmp_path, seen) as port:
        assert ask(port, Request("GET", "/api/v1/nothing")).status == 404
        assert seen == ["/api/v1/nothing", "/api/v1/nothing/index.json"]
        seen.clear()
        assert ask(port, Request("GET", "/api/v1/nothing/")).status == 404
        assert seen == ["/api/v1/nothing/index.json"]


ROUTES = """
const { normalizeRoutes } = require(process.argv[1] + "/@vercel/routing-utils");
const { routes } = JSON.parse(require("fs").readFileSync(process.argv[2]));
console.log(JSON.stringify([normalizeRoutes(routes), routes]));
"""


@pytest.mark.parametrize("base_path", ["", "/labore-2.neu"])
def test_the_routes_are_such_that_vercels_own_package_takes_them_as_they_are(tmp_path, base_path):
    modules = os.environ.get("LABGEN_NODE_MODULES", "none")
    if not Path(modules, "@vercel/routing-utils").is_dir():
        pytest.skip("LABGEN_NODE_MODULES names no folder with @vercel/routing-utils")
    project = Project(tmp_path).sound()
    project.file("data/site.toml", f'base_path = "{base_path}"\n{SITE}').build(hosts=("vercel",))
    command = [require("node"), "-e", ROUTES, modules, str(project.out / ".hosts/vercel/vercel.json")]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    normal, routes = json.loads(run.stdout)
    assert normal == {"error": None, "routes": routes}


@pytest.mark.parametrize("base_path", ["", "/labore-2.neu"])
def test_vercel_asks_the_middleware_before_a_route_chooses_a_file(tmp_path, base_path):
    """`vercel build` appends a route for the middleware, which no request for the list would come to."""
    project = Project(tmp_path).sound()
    project.file("data/site.toml", f'base_path = "{base_path}"\n{SITE}').build(hosts=("vercel",))
    routes = json.loads((project.out / ".hosts/vercel/vercel.json").read_bytes())["routes"]
    names = [
        "middleware"
        if "middlewarePath" in one
        else "file"
        if one.get("dest", "").endswith("index.json")
        else ""
        for one in routes
        if re.search(one.get("src", "^$"), f"{base_path}/api/v1/laboratory/laboratories/")
    ]
    assert [one for one in names if one][:2] == ["middleware", "file"]


def test_vercel_publishes_the_site_from_a_folder_of_its_own(tmp_path):
    """In the folder of a project, Vercel takes api/ for functions, and publishes nothing of it."""
    project = Project(tmp_path).sound()
    project.build(hosts=("vercel",))
    settings = json.loads((project.out / ".hosts/vercel/vercel.json").read_bytes())
    assert settings["outputDirectory"] == "public"
    assert settings["framework"] is settings["buildCommand"] is settings["installCommand"] is None
    assert not (project.out / "vercel.json").exists()


def own_files(project: Project) -> list[Path]:
    """Return what was written for the host alone."""
    names = ("_redirects", "_headers")
    found = [path for path in (project.out / ".hosts").rglob("*") if path.is_file()]
    return found + [project.out / one for one in names if (project.out / one).exists()]


def test_a_configuration_in_json_is_json_and_nothing_is_left_to_fill_in(hosted):
    for file in own_files(hosted):
        text = file.read_text()
        assert not re.search("@[A-Z_]+@", text)
        assert file.suffix != ".json" or json.loads(text)


def test_a_host_takes_what_it_has_to_read(name, hosted):
    """CloudFront takes 10 KB of function, Vercel 2,048 routes, GitLab 1,000 rules."""
    out = hosted.out
    if name == "cloudfront":
        assert len((out / ".hosts/cloudfront/function.js").read_bytes()) < 10_240
    if name == "vercel":
        assert len(json.loads((out / ".hosts/vercel/vercel.json").read_bytes())["routes"]) < 2_048
    if name == "gitlab-pages":
        assert len((out / "_redirects").read_text().splitlines()) < 1_000
