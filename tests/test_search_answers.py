"""Searches of a built site: the same bytes from its files, from the preview, and from the functions of hosts."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

import pytest
from click.testing import CliRunner
from conftest import ALPHA, BETA, COUNTRIES, SITE, Project, laboratory
from searching import (
    LABORATORIES,
    LIST,
    SEARCHES,
    answered,
    answers_of_client_js,
    asked,
    run_in_node,
    searchable,
)
from servers import require
from stand_ins import netlify_edge
from test_hosts import nginx

from labgen.cli import main
from labgen.hosts.profile import HostSite
from labgen.search import Search, folder_reader, web_reader
from labgen.search.index_files import VERSION
from labgen.serve.answer import Site

FOLDERS = {
    "cards",
    "counts",
    "designations",
    "ends",
    "entries",
    "facets",
    "near",
    "numbers",
    "orders",
    "owned",
    "texts",
    "words",
}


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Project:
    project = searchable(Project(tmp_path_factory.mktemp("searched")).sound())
    assert project.build(hosts=("nginx", "netlify", "vercel")).written
    return project


@pytest.mark.parametrize("query", SEARCHES)
def test_the_preview_answers_a_search_as_the_files_do(built, query):
    answer = Site(built.out).answer("GET", f"{LIST}?{query}", {})
    assert (answer.status, answer.body) == answered(built.out, query)


def test_a_search_finds_laboratories_in_the_envelope_of_the_list(built):
    document = json.loads(Site(built.out).answer("GET", f"{LIST}?materials__in=12", {}).body)
    assert [one["display_id"] for one in document["results"]] == ["00001"]
    assert (document["count"], document["next"]) == (2, f"{LIST}?materials__in=12&page=2")


def test_an_unchanged_answer_is_not_sent_again(built):
    site = Site(built.out)
    etag = dict(site.answer("GET", f"{LIST}?q=stahl", {}).fields)["ETag"]
    assert site.answer("GET", f"{LIST}?q=stahl", {"if-none-match": etag}).status == 304


@pytest.mark.parametrize("query", ["", "unknown=1", "format=json", "format=", "Q=stahl"])
def test_without_a_parameter_of_the_search_the_list_is_answered(built, query):
    assert Site(built.out).answer("GET", f"{LIST}?{query}", {}).body == built.read(LIST)


@pytest.mark.parametrize("query", ["q=stahl&format=api", "format=api&page=9"])
def test_the_page_is_never_filtered(built, query):
    assert Site(built.out).answer("GET", f"{LIST}?{query}", {}).body == built.read(LIST, "api.html")


def test_nginx_gives_the_files_from_which_the_client_answers(built, tmp_path):
    own = built.out / ".hosts/nginx"
    with nginx(built.out, own, tmp_path) as port, web_reader(f"http://127.0.0.1:{port}") as read:
        search = Search(read)
        for query in SEARCHES:
            answer = search(query)
            assert (answer.status, answer.body()) == answered(built.out, query), query


def test_the_edge_function_of_netlify_gives_the_same_bytes(built, tmp_path):
    with netlify_edge(built.out, tmp_path) as port:
        for query in SEARCHES:
            assert asked(port, query) == answered(built.out, query), query
        assert asked(port, "unknown=1") == (200, built.read(LIST))


VERCEL = """
import { readFileSync } from "node:fs";
import middleware, { config } from "./middleware.mjs";
const [base, out, queries] = process.argv.slice(2);
globalThis.fetch = async (address) => {
  const path = decodeURIComponent(new URL(address).pathname);
  try { return new Response(readFileSync(out + path.slice(base.length))); } catch { return new Response("", { status: 404 }); }
};
const answers = [];
for (const query of JSON.parse(queries)) {
  const answer = await middleware(new Request("https://a.example" + config.matcher[0] + "?" + query));
  answers.push(answer ? [answer.status, await answer.text()] : null);
}
console.log(JSON.stringify(answers));
"""


@pytest.mark.parametrize("base_path", ["", "/labs"])
def test_the_middleware_of_vercel_gives_the_same_bytes(built, tmp_path, base_path):
    if base_path:
        built = searchable(Project(tmp_path / "below").sound(), f'base_path = "{base_path}"\n')
        built.build(hosts=("vercel",))
    (tmp_path / "middleware.mjs").write_bytes((built.out / ".hosts/vercel/middleware.js").read_bytes())
    (tmp_path / "run.mjs").write_text(VERCEL, encoding="utf-8")
    queries = [*SEARCHES, "unknown=1", "q=stahl&format=api"]
    command = [require("node"), "run.mjs", base_path, str(built.out), json.dumps(queries)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    found = [one and (one[0], one[1].encode()) for one in json.loads(done.stdout)]
    assert found == [*(answered(built.out, one) for one in SEARCHES), None, None]


def test_the_command_says_which_hosts_answer_searches():
    text = CliRunner().invoke(main, ["hosts"]).output
    assert (
        "searches of the list are answered by: cloudflare, cloudflare-pages, vercel, netlify; others refuse them"
        in text
    )


def test_nothing_of_a_contact_is_in_the_index(built):
    files = {name: data for name, data in built.tree().items() if name.startswith("search/")}
    contact = LABORATORIES[0]["contact_person"]
    for secret in (
        contact["email"],
        contact["phone"],
        "quitte",
        "23125",
        ",".join(str(ord(one)) for one in contact["email"]),
    ):
        assert [name for name, data in files.items() if secret.encode() in data.lower()] == []


@pytest.mark.parametrize("value", ["1", "maybe", "true,yes"])
def test_a_value_that_can_never_be_valid_is_400_with_the_name_of_the_argument(built, tmp_path, value):
    shutil.copytree(built.out / "search", tmp_path / "search")
    query = f"is_verified={value}"
    status, body = answered(built.out, query)
    wrong = value.removeprefix("true,")
    assert (status, json.loads(body)) == (400, {"is_verified": [f"„{wrong}“ ist kein gültiger Wert."]})
    assert answers_of_client_js(tmp_path, [query]) == [(400, body.decode())]
    answer = Site(built.out).answer("GET", f"{LIST}?{query}", {})
    assert (answer.status, answer.body) == (400, body)


@pytest.mark.parametrize(
    ("query", "unknown"),
    [
        ("materials__in=12,99", {"materials__in": ["99"]}),
        ("country=xx&deal_status=gold", {"country": ["xx"], "deal_status": ["gold"]}),
        ("tests__in=,%20,nothing", {"tests__in": ["nothing"]}),
        ("materials__in=12", None),
    ],
)
def test_values_that_no_laboratory_has_are_named(built, tmp_path, query, unknown):
    shutil.copytree(built.out / "search", tmp_path / "search")
    status, body = answered(built.out, query)
    assert (status, json.loads(body).get("unknown")) == (200, unknown)
    assert answers_of_client_js(tmp_path, [query]) == [(200, body.decode())]


TYPED = """
import { searcher, toJson } from "./client.js";
const search = searcher(async name => (await fetch("https://labs.example.org/" + name)).text());
const answer = await search("q=stahl&facets=country");
if (answer?.status === 200) console.log(answer.document.results[0]?.country.name, answer.document.unknown, toJson(answer.document));
if (answer?.status === 404) console.log(answer.document.detail);
// @ts-expect-error: there is no such field
console.log(answer.document.nothing);
"""


def test_the_client_has_types_that_a_compiler_accepts(built, tmp_path):
    compiler = Path(os.environ.get("LABGEN_NODE_MODULES", "/nothing"), "typescript/bin/tsc")
    if not compiler.exists():
        pytest.skip("LABGEN_NODE_MODULES names no folder with typescript")
    for name in ("client.js", "client.d.ts"):
        shutil.copy(built.out / "search" / name, tmp_path)
    (tmp_path / "use.mts").write_text(TYPED, encoding="utf-8")
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    options = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom"]
    done = subprocess.run(
        [require("node"), str(compiler), *options, "use.mts"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_the_types_name_what_the_client_exports(built):
    """Where no compiler is at hand, the names agree at least."""
    script, types = (
        (built.out / "search" / name).read_text(encoding="utf-8") for name in ("client.js", "client.d.ts")
    )
    exported = re.findall(r"^export (?:const|function) (\w+)", script, re.MULTILINE)
    assert sorted(exported) == sorted(re.findall(r"^export function (\w+)", types, re.MULTILINE))
    assert "README.md beside" not in script


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("tests__in=28,52 Kongenere", ["00001"]),
        ("tests__in=x-1,28,52 Kongenere", ["00001", "00002"]),
        ("tests__in=28%2C52+Kongenere", ["00001"]),
        ("tests__in=28", ["00002"]),
        ("tests__in=52 Kongenere", []),
        ("tests__in=a, b, c,x-1", ["00001", "00002"]),
    ],
)
def test_a_value_with_commas_is_found_as_it_is_written(site, tmp_path, query, found):
    titles = ["28,52 Kongenere", "28", "x-1", "a, b, c"]
    standards = [{"id": 70 + at, "search_val": one, "title": f"Norm {at}"} for at, one in enumerate(titles)]
    laboratories = [laboratory("00001", standards=[70, 73]), laboratory("00002", standards=[71, 72])]
    site.write(laboratories=laboratories, standards=standards).build()
    _, body = answered(site.out, query)
    assert [one["display_id"] for one in json.loads(body)["results"]] == found
    shutil.copytree(site.out / "search", tmp_path / "copy/search")
    assert answers_of_client_js(tmp_path / "copy", [query]) == [(200, body.decode())]


@pytest.mark.parametrize(
    ("query", "found"),
    [("Prüfung 9001 X-4", ["00001"]), ("9001X", []), ("Härte A 4-2", ["00001"]), ("Härte A4", [])],
)
def test_a_designation_does_not_go_from_one_field_of_an_entry_to_the_next(site, query, found):
    standards = [
        {"id": 70, "search_val": "X-4", "title": "Prüfung nach 9001"},
        {"id": 71, "search_val": "4-2", "title": "Härte A"},
    ]
    site.write(laboratories=[laboratory("00001", standards=[70, 71])], standards=standards).build()
    _, body = answered(site.out, f"q={query}")
    assert [one["display_id"] for one in json.loads(body)["results"]] == found


def test_hosts_know_each_folder_of_the_index(built):
    """On a server that has a website, only the paths of the site are the site's."""
    pattern = re.compile(HostSite("", "", b"", b"", search_path="/suche/").own_paths_pattern)
    names = [name for name in built.published() if name.startswith("search/")]
    assert [name for name in names if not pattern.search(f"/{name}")] == []


def test_a_site_without_a_search_has_no_index_and_answers_the_list(site):
    searchable(site).build()
    assert {one.split("/")[2] for one in site.tree() if one.startswith("search/files/")} == FOLDERS
    site.file("data/site.toml", f"{SITE}[search]\nenabled = false\n").build(hosts=("vercel",))
    assert [one for one in site.tree() if one.startswith("search/") or one.endswith("/middleware.js")] == []
    assert Site(site.out).answer("GET", f"{LIST}?q=stahl", {}).body == site.read(LIST)


def test_an_edit_writes_the_files_of_the_index_that_it_changes_and_no_others(site):
    searchable(site).build()
    before = site.published()
    names = [one | {"about": "Härteprüfung"} if one["display_id"] == "00001" else one for one in LABORATORIES]
    written = site.write(laboratories=names).build().written
    files = {name for name in written.written if name.startswith("search/")}
    assert files == {
        name
        for name, data in site.published().items()
        if name.startswith("search/") and before.get(name) != data
    }
    assert {name.split("/")[1:3][-1] for name in files} == {"texts", "index.json"}


def test_an_index_that_is_broken_is_made_anew(site):
    searchable(site).build()
    sound = site.published()
    (root,) = (site.out / "search/files/entries").glob("root-*.json")
    root.write_bytes(b"[")
    site.write(laboratories=[*LABORATORIES[:2], LABORATORIES[2] | {"name": "Neu"}]).build()
    site.write(laboratories=LABORATORIES).build()
    assert site.published() == sound


@pytest.mark.parametrize("query", ["country=de&facets=country", "q=stahl", "materials__in=12", "q=labor"])
def test_a_client_that_is_open_while_the_site_is_built_again_begins_again(site, query):
    searchable(site).build()
    search = Search(folder_reader(site.out))
    search("q=zugpr%C3%BCfung")
    before = answered(site.out, query)
    site.write(
        laboratories=[*LABORATORIES, laboratory("1234567890", name="Stahllabor", materials=[12])]
    ).build()
    search("page=1")
    answer = search(query)
    assert (answer.status, answer.body()) in (before, answered(site.out, query))


OPEN = """
import { searcher, toJson } from "./client.mjs";
import { readFileSync } from "node:fs";
let fails = 0, root = "before/";
const read = name => { if (fails > 0) { fails--; throw new Error("no connection"); }
  try { return readFileSync(root + name, "utf8"); } catch { return null; } };
const search = searcher(read), said = [];
for (const [kind, query] of JSON.parse(readFileSync("steps.json", "utf8"))) {
  if (kind === "fail") fails = 1000;
  if (kind === "now") root = "now/";
  try { said.push(toJson((await search(query)).document)); } catch (error) { said.push(error.message); }
  fails = 0;
}
console.log(JSON.stringify(said));
"""


def test_the_client_of_browsers_begins_again_too_and_reads_again_what_failed(site, tmp_path):
    searchable(site).build()
    shutil.copytree(site.out / "search", tmp_path / "before/search")
    site.write(
        laboratories=[*LABORATORIES, laboratory("1234567890", name="Stahllabor", materials=[12])]
    ).build()
    shutil.copytree(site.out / "search", tmp_path / "now/search")
    steps = [
        ("fail", "q=stahl"),
        ("", "q=zugpr%C3%BCfung"),
        ("fail", "q=stahl"),
        ("", "q=stahl"),
        ("now", "country=de"),
        ("", "q=stahl"),
    ]
    (tmp_path / "steps.json").write_text(json.dumps(steps), encoding="utf-8")
    said = run_in_node(tmp_path, (site.out / "search/client.js").read_bytes(), OPEN)
    assert said[0] == said[2] == "no connection"
    before, now = (
        [answered(tmp_path / one, query)[1].decode() for query in ("q=stahl", "country=de")]
        for one in ("before", "now")
    )
    assert said[3] == before[0]
    assert said[4:] == [now[1], now[0]]


def test_free_texts_can_be_left_out_of_the_index(site):
    settings = (site.root / "data/site.toml").read_text(encoding="utf-8")
    searchable(site).build()
    assert answered(site.out, "q=zugpr%C3%BCfung")[1].startswith(b'{"count":1,')
    site.file("data/site.toml", f"{settings}[search]\ntexts = false\n").build()
    assert answered(site.out, "q=zugpr%C3%BCfung")[1].startswith(b'{"count":0,')
    assert not (site.out / "search/files/texts").exists()


@pytest.mark.parametrize(
    "query", ["q=00002", "q=0000", "q=50667", "q=Zugpr%C3%BCfung+Deutschland", "q=Liechtenstein", "q=li"]
)
def test_what_a_card_shows_is_found(site, query):
    searchable(site)
    laboratories = [LABORATORIES[0] | {"postal_code": "50667"}, *LABORATORIES[1:]]
    site.write(laboratories=laboratories).build()
    assert json.loads(answered(site.out, query)[1])["count"] > 0


@pytest.mark.parametrize(
    "query",
    ["DAkkS", "DAkkS (D-PL-17043-01-00)", "D-PL-17043-01-00 (Kat. III)", "D-PL-17043-01-00 (Kat. III) DAkkS"],
)
def test_a_certificate_is_found_as_the_page_shows_it(site, query):
    certificate = {
        "id": 1,
        "accreditation_standard": 1,
        "accreditation_body": "DAkkS",
        "number": "D-PL-17043-01-00 (Kat. III)",
    }
    searchable(site).write(laboratories=[ALPHA | {"accreditations": [certificate]}, BETA]).build()
    document = json.loads(answered(site.out, "q=" + quote_plus(query))[1])
    assert [one["display_id"] for one in document["results"]] == ["00001"]


@pytest.mark.parametrize(
    "number",
    [
        "SCS STS 0123/2",
        "UKAS TL1234",
        "Reg. Nr. RTL28142 (Kat. III)",
        "TC-28366/4",
        "DAkkS-PL-11203-01",
        "0045-TEC-MR",
        "DAP-PL-3712.00",
        "D-PL-14.2/3.01",
    ],
)
def test_no_beginning_of_the_number_of_a_certificate_finds_nothing(site, number):
    own, shorter = (
        {"id": at, "accreditation_standard": 1, "accreditation_body": "SAS", "number": one}
        for at, one in enumerate((number, number.partition("/")[0]), 1)
    )
    searchable(site).write(
        laboratories=[ALPHA | {"accreditations": [own]}, BETA | {"accreditations": [shorter]}]
    ).build()
    for end in range(1, len(number) + 1):
        found = json.loads(answered(site.out, "q=" + quote_plus(number[:end]))[1])["results"]
        assert "00001" in [one["display_id"] for one in found], number[:end]


def test_another_number_of_a_certificate_finds_no_postal_code(site):
    number = {
        "id": 1,
        "accreditation_standard": 1,
        "accreditation_body": "DAkkS",
        "number": "D-PL-17043-01-00",
    }
    searchable(site)
    site.write(laboratories=[ALPHA | {"accreditations": [number], "postal_code": "50667"}, BETA]).build()
    assert [json.loads(answered(site.out, "q=D-PL-" + one)[1])["count"] for one in ("17043", "50667")] == [
        1,
        0,
    ]


def test_a_country_that_gets_another_name_is_found_by_it(site):
    searchable(site).build()
    renamed = [one | {"name": one["name"].replace("Liechtenstein", "Fürstentum")} for one in COUNTRIES]
    site.write(countries=renamed).build()
    warm = site.published()
    assert json.loads(answered(site.out, "q=F%C3%BCrstentum")[1])["count"] == 1
    assert json.loads(answered(site.out, "q=Liechtenstein")[1])["count"] == 0
    shutil.rmtree(site.root / ".labgen")
    shutil.rmtree(site.out)
    site.build()
    assert site.published() == warm


@pytest.mark.parametrize(("before", "now"), [(5, 7), (7, 5)])
def test_a_search_val_that_becomes_another_entrys_finds_the_laboratories_of_that_one(site, before, now):
    def entry(number):
        return {"id": number, "search_val": "stahlguss", "title": f"Stahlguss {number}", "standard": "EN 1"}

    searchable(site)
    for number in (before, now):
        own = {"id": 1, "accreditation_standard": number, "accreditation_body": "SAS", "number": "STS 1"}
        laboratories = [ALPHA | {"accreditations": [own]}, BETA]
        site.write(laboratories=laboratories, accreditation_standards=[entry(number)]).build()
    warm = site.published()
    for query in ("accreditation_standards__in=stahlguss", "q=stahlguss"):
        assert json.loads(answered(site.out, query)[1])["count"] == 1, query
    shutil.rmtree(site.root / ".labgen")
    shutil.rmtree(site.out)
    site.build()
    assert site.published() == warm


@pytest.mark.parametrize("largest", [2**53 - 1, 17])
def test_entries_with_the_largest_ids_are_kept_apart(site, tmp_path, largest):
    materials = [{"id": largest - at, "title": f"Stahl {at}x"} for at in range(9)]
    certifications = [{"id": largest - at, "title": f"Stahl {at}y"} for at in range(9)]
    laboratories = [
        laboratory(f"0000{at}", materials=[largest - at], certifications=[largest - (at + 4) % 9])
        for at in range(9)
    ]
    site.write(laboratories=laboratories, materials=materials, certifications=certifications).build()
    queries = ["q=stahl&matches=true", "q=stahl+4x&matches=true", "q=stahl+4y&matches=true"]
    expected = [answered(site.out, one) for one in queries]
    assert all(one["entries"] for one in json.loads(expected[0][1])["matches"])
    shutil.copytree(site.out / "search", tmp_path / "copy/search")
    assert answers_of_client_js(tmp_path / "copy", queries) == [(200, body.decode()) for _, body in expected]


def test_clients_refuse_an_index_of_another_version(built, tmp_path):
    shutil.copytree(built.out / "search", tmp_path / "search")
    index = tmp_path / "search/index.json"
    document = json.loads(index.read_bytes())
    index.write_text(json.dumps(document | {"version": VERSION + 1}), encoding="utf-8")
    message = f"the search index has version {VERSION + 1}; this client reads version {VERSION}"
    with pytest.raises(LookupError, match=message):
        answered(tmp_path, "q=stahl")
    with pytest.raises(AssertionError, match=message):
        answers_of_client_js(tmp_path, ["q=stahl"])


def said_by_client(project: Project, folder: Path, script: str, *arguments: str) -> Any:
    """Run a script with the published client in a folder that has the index of a project."""
    shutil.copytree(project.out / "search", folder / "search")
    return run_in_node(folder, (project.out / "search/client.js").read_bytes(), script, *arguments)


FAILING_FROM = """
import { searcher } from "./client.mjs";
import { readFileSync } from "node:fs";
const unhandled = new Set();
process.on("unhandledRejection", error => unhandled.add(String(error)));
for (const query of ["q=ISO+6892-1", "q=stahl+zug", "q=Stahll+Berlin", "country=de&facets=materials", "q=zug&matches=true"])
  for (let first = 1; first < 30; first++) for (const late of [false, true]) {
    let count = 0;
    const read = async name => {
      const own = ++count;
      if (late) await new Promise(resolve => setTimeout(resolve, own % 3));
      if (own >= first) throw new Error("no connection");
      return readFileSync(name, "utf8");
    };
    await searcher(read)(query).catch(() => null);
  }
console.log(JSON.stringify([...unhandled]));
"""


def test_reads_that_fail_are_errors_of_the_search_alone(built, tmp_path):
    """A rejection that nobody handles ends a program in node."""
    assert said_by_client(built, tmp_path, FAILING_FROM) == []


FAILING_ONCE = """
import { searcher } from "./client.mjs";
import { readFileSync } from "node:fs";
const failed = new Set();
const read = async name => {
  if (!failed.has(name)) { failed.add(name); throw new Error(`no connection: ${name}`); }
  try { return readFileSync(name, "utf8"); } catch { return null; }
};
const search = searcher(read);
let found = null, failures = 0;
while (!found && failures < 200) try { found = await search("q=stahl"); } catch { failures++; }
console.log(JSON.stringify([failed.size > 5, found.document.count]));
"""


def test_a_file_that_could_not_be_read_is_asked_for_again(built, tmp_path):
    count = json.loads(answered(built.out, "q=stahl")[1])["count"]
    assert said_by_client(built, tmp_path, FAILING_ONCE) == [True, count]


PAUSING = """
import { searcher, toJson } from "./client.mjs";
import { readFileSync } from "node:fs";
let pauses = 0, reads = 0, most = 0;
const read = name => { most = Math.max(most, ++reads); try { return readFileSync(name, "utf8"); } catch { return null; } };
const pause = () => new Promise(resolve => { pauses++; setTimeout(() => { reads = 0; resolve(); }); });
const search = searcher(read, pause), said = [];
for (const query of JSON.parse(readFileSync("queries.json", "utf8"))) {
  pauses = most = 0;
  said.push([toJson((await search(query)).document), pauses, most]);
}
console.log(JSON.stringify(said));
"""


def test_a_page_draws_frames_between_two_files_and_what_it_asks_after_a_search_is_not_searched_for_again(
    built, tmp_path
):
    first, matches, facets = "q=stahl", "q=stahl&matches=true", "q=stahl&facets=materials,country"
    queries = [first, matches, facets, "q=stahl&country=de", matches, "q=stahl&country=de", facets]
    (tmp_path / "queries.json").write_text(json.dumps(queries), encoding="utf-8")
    documents, pauses, most_reads = zip(*said_by_client(built, tmp_path, PAUSING), strict=True)
    assert list(documents) == [answered(built.out, query)[1].decode() for query in queries]
    assert max(most_reads) == 1
    assert pauses[1] < pauses[4]
    assert pauses[2] < pauses[6]


MOST_BEFORE_A_CARD = 18_000
"""Bytes of a small index that may be read before the first card."""
IN_ROUNDS = """
import { searcher } from "./client.mjs";
import { readFileSync } from "node:fs";
let asked = [], held = [];
const rounds = [], soon = [];
const answer = ({ name, resolve }) => { try { resolve(readFileSync(name, "utf8")); } catch { resolve(null); } };
const read = name => new Promise(resolve => {
  if (!asked.length) setTimeout(() => {
    rounds.push(asked.map(one => one.name));
    const cards = asked.filter(one => /cards\\/[0-9]/.test(one.name));
    held.push(...cards.slice(1)); // of the files of cards, the first one comes alone
    for (const one of asked) if (!held.includes(one)) answer(one);
    asked = [];
  }, 20);
  asked.push({ name, resolve });
});
const told = document => {
  soon.push([document.count, document.results.map(one => one.display_id), rounds.length]);
  for (const one of held.splice(0)) answer(one);
};
const { document } = await searcher(read)(process.argv[2], told);
console.log(JSON.stringify({ rounds, soon, results: document.results.map(one => one.display_id) }));
"""


@pytest.mark.parametrize("query", ["q=stahl", "q=ISO+17025"])
def test_the_first_card_is_there_after_three_rounds_and_the_others_are_not_waited_for(site, tmp_path, query):
    names = ["Stahl ISO 17025", *["Labor"] * 11]  # more than a page, far from one another
    site.write(
        laboratories=[laboratory(f"{at:05}", name=names[at % len(names)]) for at in range(1, 300)]
    ).build()
    said = said_by_client(site, tmp_path, IN_ROUNDS, query)
    assert said["soon"][:2] == [[24, [], 2], [24, said["results"][:1], 3]]
    assert said["soon"][-1] == [24, said["results"], 3]
    index, leaves, cards = said["rounds"]
    assert (index, len(leaves) <= 7) == (["search/index.json"], True)
    assert all(name.startswith("search/files/cards/") for name in cards)
    assert sum((tmp_path / name).stat().st_size for name in [*index, *leaves, cards[0]]) < MOST_BEFORE_A_CARD


ENDED = """
import { searcher } from "./client.mjs";
import { readFileSync } from "node:fs";
const names = [], read = name => { names.push(name); return readFileSync(name, "utf8"); };
const search = searcher(read), failed = await search("q=labor", () => { throw new Error("not wanted"); }).catch(error => error.message);
const before = [...names], { document } = await search("q=labor");
console.log(JSON.stringify([failed, before, document.count, names.slice(before.length)]));
"""


def test_a_search_that_nobody_waits_for_ends_before_it_reads_cards_and_can_be_made_again(built, tmp_path):
    failed, before, count, after = said_by_client(built, tmp_path, ENDED)
    assert (failed, count) == ("not wanted", json.loads(answered(built.out, "q=labor")[1])["count"])
    assert [name for name in before if re.search("/cards/[0-9]", name)] == []
    assert len(after) == 1


def test_laboratories_are_filtered_by_town_and_by_the_first_digits_of_the_postal_code(site):
    places = [("Köln", "50667"), ("Köln", "51105"), ("", "BS-4001")]
    somewhere = [
        one | {"locality": town, "postal_code": code}
        for one, (town, code) in zip(LABORATORIES, places, strict=True)
    ]
    searchable(site).write(laboratories=[somewhere[0], LABORATORIES[1], somewhere[2]]).build()
    site.write(laboratories=somewhere).build()
    warm = site.published()
    document = json.loads(answered(site.out, "locality=K%C3%B6ln&facets=postal_area,locality")[1])
    assert document["count"] == 2
    assert [[(one["title"], one["count"]) for one in facet["items"]] for facet in document["facets"]] == [
        [("Köln", 2)],
        [("50…", 1), ("51…", 1)],
    ]
    assert json.loads(answered(site.out, "postal_area=50")[1])["count"] == 1
    shutil.rmtree(site.root / ".labgen")
    shutil.rmtree(site.out)
    site.build()
    assert site.published() == warm
