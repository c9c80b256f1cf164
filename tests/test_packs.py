"""Laboratories in packs: the same answers as from files, and packs that hold what the files do.

To run what needs workerd, see test_cloudflare.py.
"""

import json
import os
import re
import subprocess
import sys
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import pytest
from click.testing import CliRunner
from conftest import EXHAUSTIVE, SITE, Project, codes, laboratories_of, laboratory, picture
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from searching import LABORATORIES as SEARCHED
from searching import searchable
from servers import PATHS, QUERIES, SEARCH_PAGES, addressed, exchange, failures, require
from test_cloudflare import served
from test_incremental import tree_of

from labgen.cli import main
from labgen.contract.contract_rows import all_rows
from labgen.contract.http_contract import BROWSER, Request
from labgen.hosts import PROFILES
from labgen.hosts.capacity import WAYS, Counts, capacity, count_by_kind
from labgen.hosts.edge import COPY_WITHOUT_PACKED
from labgen.hosts.profile import HostSite, Limit, Measure, fill
from labgen.output.pack_files import render_pack
from labgen.output.packs import KINDS, PICTURES
from labgen.output.packs import LABORATORIES as LABS
from labgen.output.published_manifest import hex_digest
from labgen.pipeline.build import build
from labgen.pipeline.build_options import Options
from labgen.serve.answer import Site

LABORATORIES = "api/v1/laboratory/laboratories"
PACKS = 'packs = ["laboratories", "pictures"]\n'
SOME = [
    laboratory(f"{number:05}", name=f"Labor {number}", logo=f"{number}.png" if number < 9 else None)
    for number in range(1, 18)
]


@pytest.fixture
def packed(site: Project) -> Project:
    """A project for Cloudflare with 17 laboratories in 8 packs, and pictures in 4."""
    for number in range(1, 9):
        site.file(f"data/media/{number}.png", picture(size=(200 + number, 160)))
    site.file("data/site.toml", f'hosts = ["cloudflare"]\n{PACKS}{SITE}').write(laboratories=SOME).build()
    return site


def packs_of(project: Project) -> dict[str, bytes]:
    """Return the packs of a site by name."""
    return {name: data for name, data in project.tree().items() if name.startswith("api/packs/")}


def laboratory_packs(project: Project) -> dict[str, bytes]:
    return {
        name: data for name, data in packs_of(project).items() if name.startswith("api/packs/laboratories/")
    }


def packed_files(project: Project) -> dict[str, bytes]:
    """Return the documents, pages and pictures of a site."""
    below = re.compile(f"{LABORATORIES}/[0-9]+/.*|directory/v1/laboratories/.*|labor/[0-9]+/.*|media/.*")
    return {name: data for name, data in project.tree().items() if below.fullmatch(name)}


def files_in(pack: bytes) -> dict[str, tuple[bytes, str]]:
    """Return the bytes and the digests of the files in a pack, as docs/reference/packs.md says it."""
    head, _, body = pack.partition(b"\n")
    return {
        name: (body[start : start + size], digest) for name, (start, size, digest) in json.loads(head).items()
    }


# What packs hold.


def test_packs_hold_all_documents_pages_and_pictures_with_the_digests_of_the_manifest(packed):
    folders = {
        "laboratories": LABORATORIES,
        "whole-laboratories": "directory/v1/laboratories",
        "public-pages": "labor",
        "pictures": "media",
    }
    found = {
        f"{folders[name.split('/')[2]]}/{file}": one
        for name, pack in packs_of(packed).items()
        for file, one in files_in(pack).items()
    }
    assert {name: data for name, (data, _) in found.items()} == packed_files(packed)
    manifest = packed.tree()["manifest/0000.json"].decode()
    assert all(digest in manifest for _, digest in found.values())
    assert "api/packs" not in manifest


def test_the_pack_of_a_file_follows_from_its_name(packed):
    packs = {"laboratories": 8, "pictures": 4, "whole-laboratories": 1, "public-pages": 1}
    for name, data in packs_of(packed).items():
        kind = name.split("/")[2]
        for file in files_in(data):
            key = file.partition("/")[0] if kind != "pictures" else file
            number = f"{zlib.crc32(key.encode()) % packs[kind]:04x}"
            assert name == f"api/packs/{kind}/{number[-3:]}/{number}.pack"
    assert len(packs_of(packed)) == 14


@pytest.mark.parametrize(
    ("laboratories", "packs"),
    [(0, (1, 1)), (4, (1, 1)), (9, (4, 2)), (20_000, (8192, 4096)), (100_000, (32_768, 16_384))],
)
def test_there_are_as_many_packs_as_keep_four_laboratories_in_one_or_the_pictures_of_eight(
    laboratories, packs
):
    assert tuple(kind.count(laboratories) for kind in KINDS.values()) == packs


def test_an_edit_writes_the_packs_of_the_laboratories_that_it_changes_and_reads_no_others(packed):
    unread = laboratory_packs(packed).keys() - {LABS.pack_of("00003", 8)}
    others = [one for one in SOME if LABS.pack_of(one["display_id"], 8) in unread]
    for one in others:
        page = packed.out / LABORATORIES / one["display_id"] / "gallery/api.html"
        page.write_bytes(bytes(page.stat().st_size))
    assert len(others) > 12
    outcome = packed.write(
        laboratories=[one | {"about": "Neu"} if one["display_id"] == "00003" else one for one in SOME]
    ).build()
    assert outcome.written
    changed = laboratories_of(outcome.written.written)
    assert [one for one in outcome.written.written if one.startswith("api/packs/laboratories/")] == sorted(
        {LABS.pack_of(one, 8) for one in changed}
    )


ALIKE = [
    laboratory(str(number), name=f"Labor {number}", materials=[12, 471]) for number in (1, 2, 3, 12, 471)
]
"""Laboratories whose ids are also those of materials, and numbers of pages."""


@pytest.mark.parametrize("hash_seed", range(8) if EXHAUSTIVE else (0, 1, 2))
def test_packs_follow_laboratories_whose_ids_are_spelled_like_other_things(site, hash_seed):
    own = f'hosts = ["cloudflare"]\n{PACKS}{SITE}[limits]\npage_size = 1\n'
    site.file("data/site.toml", own).write(laboratories=ALIKE).build()
    site.write(laboratories=[one | {"name": "Neu"} if one["display_id"] == "12" else one for one in ALIKE])
    command = [sys.executable, "-m", "labgen", "build", "-q", "-C", str(site.root)]
    subprocess.run(command, check=True, env=os.environ | {"PYTHONHASHSEED": str(hash_seed)})
    held = {
        f"{LABORATORIES}/{file}": one
        for data in laboratory_packs(site).values()
        for file, (one, _) in files_in(data).items()
    }
    assert held == {name: data for name, data in packed_files(site).items() if name.startswith(LABORATORIES)}


@pytest.mark.parametrize(
    "file",
    [
        f"{LABORATORIES}/{{}}/index.json",
        f"{LABORATORIES}/{{}}/gallery/api.html",
        "directory/v1/laboratories/{}/index.json",
        "labor/{}/labor-*/index.html",
        "media/*/{}-100x80.webp",
        "api/packs/laboratories/*/*.pack",
    ],
)
def test_a_file_that_changed_on_the_disk_is_not_taken_into_a_pack_that_an_edit_makes(packed, tmp_path, file):
    """Its size is the same, and it is in one pack with what the edit changes, or is such a pack."""
    for one in SOME[1:]:
        number = one["display_id"]
        for path in packed.out.glob(file.format(number if "media" not in file else int(number))):
            path.write_bytes(b"<changed>" + path.read_bytes()[9:])
    edited = SOME[0] | {"about": "Neu", "logo": "2.png"}
    outcome = packed.without("data/media/1.png").write(laboratories=[edited, *SOME[1:]]).build()
    build(packed.root, tmp_path / "cold", Options())
    cold = tree_of(tmp_path / "cold")
    assert outcome.written
    assert LABS.pack_of("00001", 8) in outcome.written.written
    assert [name for name, data in packs_of(packed).items() if cold[name] != data] == []


def test_a_laboratory_that_goes_is_in_no_pack_and_fewer_laboratories_have_fewer_packs(packed):
    packed.write(laboratories=SOME[1:]).build()
    assert not [
        name for data in packs_of(packed).values() for name in files_in(data) if name.startswith("00001/")
    ]
    assert len(laboratory_packs(packed)) == 4
    packed.write(laboratories=SOME[:3]).build(are_removals_allowed=True)
    assert len(laboratory_packs(packed)) == 1


def test_a_picture_that_comes_or_goes_writes_its_pack(packed):
    before = set(packed_files(packed))
    without = [one | {"logo": None} if one["display_id"] == "00003" else one for one in SOME]
    outcome = packed.without("data/media/3.png").write(laboratories=without).build()
    assert outcome.written
    changed = {PICTURES.key_of(name) for name in before ^ set(packed_files(packed))}
    written = {name for name in outcome.written.written if name.startswith("api/packs/pictures/")}
    assert written == {PICTURES.pack_of(key, 4) for key in changed}
    assert [name for name in changed if name.endswith("/3-100x80.webp")]
    held = {
        f"media/{file}"
        for name in packs_of(packed)
        if "/pictures/" in name
        for file in files_in(packs_of(packed)[name])
    }
    assert held == {name for name in packed.tree() if name.startswith("media/")}


def test_packs_go_when_the_setting_or_the_host_goes(packed):
    assert codes(packed.build(hosts=("nginx",))) == ["unused-packs"]
    assert packs_of(packed) == {}
    packed.build()
    assert len(packs_of(packed)) == 14
    packed.file("data/site.toml", f'hosts = ["cloudflare"]\n{SITE}').build()
    assert not (packed.out / "api/packs").exists()


def test_a_site_in_packs_is_whole_and_verified_as_a_folder(packed, run):
    result = run("verify", "out")
    assert result.exit_code == 0, result.output


def test_the_preview_shows_no_packs(packed):
    preview = Site(packed.out)
    assert preview.answer("GET", f"/{LABS.pack_of('00001', 8)}", {}).status == 404
    assert preview.answer("GET", PATHS[0], {}).status == 200


# How many laboratories fit.


def test_the_files_of_a_site_are_counted_as_they_are_deployed(packed):
    names = [name for name in packed.tree() if not name.startswith(".labgen-site")]
    counts = count_by_kind(names)
    assert (counts.laboratories, counts.own, counts.pictures) == (17, 17 * 16, 16)
    files = [name for name in names if not name.startswith("api/packs/")]
    for _, kinds in WAYS:
        deployed = [name for name in files if not any(kind.key_of(name) for kind in kinds)]
        assert counts.files(17, kinds) == len(deployed) + sum(kind.count(17) for kind in kinds)


@pytest.mark.parametrize(
    ("counts", "limit", "expected"),
    [
        (Counts(10, 160, 0, 0, 0, 0), Limit(Measure.FILES, 20_000, ""), [1_245, 65_536, 32_768]),
        (Counts(10, 160, 20, 0, 0, 10), Limit(Measure.FILES, 20_000, ""), [1_104, 8_192, 32_768]),
        (Counts(10, 160, 30, 0, 0, 0), Limit(Measure.FOLDER_FILES, 54_000, ""), [18_000, 18_000, 1_000_000]),
        (Counts(10, 160, 0, 0, 0, 0), Limit(Measure.FILE_SIZE, 9, ""), [None] * 3),
        (Counts(0, 0, 0, 0, 0, 9), Limit(Measure.FILES, 9, ""), [None] * 3),
    ],
)
def test_as_many_laboratories_fit_as_a_host_takes_files(counts, limit, expected):
    assert [capacity(counts, limit, limit.most, kinds) for _, kinds in WAYS] == expected


def test_the_hosts_are_listed_with_what_fits_by_the_files_of_the_built_site(packed, run):
    rows = [line.split() for line in run("hosts").output.splitlines() if line.startswith("cloudflare  ")]
    assert [row[1] for row in rows[1:]] == ["20,000", "100,000"]
    of_one = [one for one in packed.tree() if "/00001/" in one and not one.startswith((".", "api/packs/"))]
    assert f"each with {len(of_one)} documents and pages" in run("hosts").output
    packed.without("out/.labgen-site.json")
    assert "estimated" not in run("hosts").output


def test_a_site_beyond_a_limit_fits_in_packs_and_is_told_so(packed, run, monkeypatch):
    files = next(one for one in PROFILES["cloudflare"].limits if one.of is Measure.FILES)
    small = replace(PROFILES["cloudflare"], limits=(files._replace(most=200, paid=0),))
    monkeypatch.setitem(PROFILES, "cloudflare", small)
    assert run("build").exit_code == 0
    packed.file("data/site.toml", f'hosts = ["cloudflare"]\n{SITE}')
    result = run("build")
    assert result.exit_code == 1
    assert re.search(
        r"fit \(setting `packs`\): \d+ as files, \d+ in packs, \d+ with pictures in packs; "
        + re.escape(files.help),
        result.stderr,
    )


# The function that cuts.

CUT = """
const { pack, names, known } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const answered = async ([name, method]) => {
  const request = { method, headers: new Headers(known ? { "If-None-Match": known } : {}) };
  const headers = { "Content-Length": "9", "X-Host": "kept" };
  const found = await cut(request, new Response(Buffer.from(pack, "base64"), { headers }), name);
  const place = packed(PACKS[0].path + name);
  const body = Buffer.from(await found.arrayBuffer()).toString("base64");
  return [found.status, body, Object.fromEntries(found.headers), place && place.pack];
};
Promise.all(names.map(answered)).then((all) => console.log(JSON.stringify(all)));
"""


def cut(
    folder: Path, pack: bytes, names: list[tuple[str, str]], known: str = ""
) -> list[tuple[int, bytes, dict[str, str], str]]:
    """Return what the function answers to names and methods: status, body, header fields and the pack it asks for."""
    program = folder / "cut.cjs"
    site = HostSite("", "", b"", b"", packs=((LABS, 64), (PICTURES, 64)))
    program.write_bytes(b'const BASE = "";\n' + fill("packs.js", site) + CUT.encode())
    asked = json.dumps({"pack": b64encode(pack).decode(), "names": names, "known": known})
    run = subprocess.run([require("node"), program], input=asked, capture_output=True, text=True, check=True)
    return [(status, b64decode(body), *rest) for status, body, *rest in json.loads(run.stdout)]


NAMES = st.from_regex(r"\A[0-9]{1,20}/(?:[a-z_]{1,9}/)?(?:index\.json|api\.html)\Z")


@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=st.dictionaries(NAMES, st.binary(max_size=99), min_size=1))
def test_what_was_packed_is_cut(tmp_path, files):
    found = cut(tmp_path, render_pack(files), [(name, "GET") for name in files])
    for (name, data), (status, body, fields, pack) in zip(files.items(), found, strict=True):
        assert (status, body, pack.lstrip("/")) == (200, data, LABS.pack_of(name.partition("/")[0], 64))
        assert fields["etag"] == f'"{hex_digest(data)}"'
        assert fields["content-type"] == (
            "application/json" if name.endswith(".json") else "text/html; charset=utf-8"
        )
        assert (fields["x-host"], "content-length" in fields) == ("kept", False)


def test_what_no_pack_has_is_not_found_and_what_is_known_is_not_sent(tmp_path):
    name, data = "00001/index.json", b"{}"
    pack, etag = render_pack({name: data}), f'"{hex_digest(data)}"'
    other = "00001/api.html"
    assert [one[:2] for one in cut(tmp_path, pack, [(other, "GET"), (name, "HEAD")])] == [
        (404, b""),
        (200, b""),
    ]
    for known in (etag, f"W/{etag}", f'"older", {etag}', "*"):
        assert [one[:2] for one in cut(tmp_path, pack, [(name, "GET"), (name, "HEAD")], known)] == [
            (304, b"")
        ] * 2
    assert cut(tmp_path, pack, [(name, "GET")], '"older"')[0][:2] == (200, data)


# The answers of Cloudflare's own runtime.


class Hosted(NamedTuple):
    """A site on a host: its folder, its host, and the ports of two servers that have it as files and in packs."""

    out: Path
    base_path: str
    files: int
    packs: int


PLACES = [("cloudflare", "/verzeichnis"), ("cloudflare-pages", "")]


@pytest.fixture(scope="module", params=PLACES, ids=lambda one: one[0])
def hosted(request, tmp_path_factory) -> Iterator[Hosted]:
    """A site that is built twice, and deployed as the guide says."""
    host, base_path = request.param
    sites = [Project(tmp_path_factory.mktemp(name)) for name in ("files", "packs")]
    for site, own in zip(sites, ("", PACKS), strict=True):
        searchable(site.sound(), f'{own}base_path = "{base_path}"\n').file("data/media/a.png", picture())
        first = SEARCHED[0] | {"logo": "a.png", "gallery": ["a.png"]}
        assert site.write(laboratories=[first, *SEARCHED[1:]]).build(hosts=(host,)).written
    deployed = sites[1].out
    if host == "cloudflare-pages":
        require("rsync")
        subprocess.run(["sh", "-c", COPY_WITHOUT_PACKED], cwd=sites[1].root, check=True)
        deployed = sites[1].root / "public"
    with ExitStack() as stack, ThreadPoolExecutor() as pool:
        starts = [
            served(host, out, base_path, Path(tmp_path_factory.mktemp("server")))
            for out in (sites[0].out, deployed)
        ]
        ports = list(pool.map(stack.enter_context, starts))
        yield Hosted(sites[1].out, base_path, *ports)


def answer(port: int, request: Request) -> tuple[int, dict[str, str], bytes]:
    """Return an answer without what the network and caches say of it, and without the value of its ETag.

    A picture in a pack, which a Worker has to answer, has a `Vary` that it does not need.
    """
    status, fields, body = exchange(port, request)
    framing = [
        "content-length",
        "transfer-encoding",
        "date",
        "cf-cache-status",
        *(["vary"] if "/media/" in request.target else []),
    ]
    kept = {
        name.lower(): re.sub("[0-9a-f]{32}", "", value)
        for name, value in fields
        if name.lower() not in framing
    }
    return status, kept, body


def targets(out: Path) -> Iterator[str]:
    """Yield the addresses of files and folders, with and without their slash, and some that are nothing."""
    own = {path.relative_to(out).as_posix() for path in out.rglob("*")}
    passed = ("search/", "suche/", ".", f"{LABORATORIES}/00002/", f"{LABORATORIES}/00003/")
    for name in sorted(one for one in own if not one.startswith(passed)):
        yield from (f"/{name}", f"/{name}/")
    yield from ("/", "/api/packs/", "/api/packs/000/0000.pack", "/api//packs/000/0000.pack")
    for display_id in (
        "00009",
        "1",
        "000010",
        "%30%30%30%30%31",
        "x",
        "0" * 300,
        "constructor",
        "00001%2Fgallery",
        "\u0661",
    ):
        target = quote(f"/{LABORATORIES}/{display_id}", safe="/%")
        yield from (
            target,
            f"{target}/",
            f"{target}/index.json",
            f"{target}/gallery",
            f"{target}/nothing/",
            f"{target}//gallery/",
        )


def requests(out: Path) -> Iterator[Request]:
    """Yield requests for everything, and all kinds of requests for some documents."""
    for target in targets(out):
        yield Request("GET", target)
    for accept in ("*/*", BROWSER):
        yield from (Request("GET", PATHS[0] + query, (("Accept", accept),)) for query in QUERIES)
    for path in (f"{PATHS[0]}gallery/", f"/{LABORATORIES}/00009/"):
        yield from (Request(method, path) for method in ("HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"))
        for name in ("", "index.json", "api.html", "?format=api"):
            yield Request("HEAD", path + name)
            yield from (
                Request("GET", path + name, (("Accept-Encoding", one),)) for one in ("gzip", "br, gzip")
            )
            yield Request("GET", path + name, (("Range", "bytes=0-9"),))
            yield Request("GET", path + name, (("If-None-Match", '"older"'),))


def test_every_answer_is_the_same_from_files_and_from_packs(hosted):
    asked = [one._replace(target=hosted.base_path + one.target) for one in requests(hosted.out)]
    with ThreadPoolExecutor(4) as pool:
        files, packs = (list(pool.map(partial(answer, port), asked)) for port in (hosted.files, hosted.packs))
    assert len(asked) > 200
    for request, plain, cut_out in zip(asked, files, packs, strict=True):
        assert plain == cut_out, request


ASSETS = "export default { fetch(request, env) { return env.ASSETS.fetch(request); } };"


def test_what_lies_in_packs_is_not_deployed_to_a_worker_as_files(packed, tmp_path):
    """Here the Worker answers with what was deployed."""
    (packed.out / ".hosts/cloudflare/worker.js").write_text(ASSETS)
    tree = packed.tree()
    with served("cloudflare", packed.out, "", tmp_path / "server") as port:
        asked = [name for name in tree if name.startswith(("api/", "directory/", "labor/", "media/"))]
        found = {name: exchange(port, Request("GET", f"/{name}"))[0] for name in asked}
    assert {name for name, status in found.items() if status == 404} == set(packed_files(packed))
    assert set(found.values()) == {200, 404}


def test_all_rows_of_the_contract_hold_in_packs(hosted):
    rows = all_rows(PATHS[:2], hosted.base_path, addressed(hosted.out), SEARCH_PAGES)
    assert failures(hosted.packs, hosted.out, rows) == {}


@pytest.mark.parametrize(
    "hosted", PLACES if EXHAUSTIVE else PLACES[:1], indirect=True, ids=lambda one: one[0]
)
def test_a_live_site_in_packs_is_verified(hosted):
    address = f"http://127.0.0.1:{hosted.packs}"
    result = CliRunner().invoke(
        main, ["verify", address, "-C", str(hosted.out.parent), "--sample", "0", "--files", "20"]
    )
    assert result.exit_code == 0, result.output
