"""The client in JavaScript that sites publish: what it reads, in node and on pages of other sites, and its types."""

import gzip
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from browsers import serving
from conftest import ALPHA, BETA, MATERIALS, SITE, Project
from servers import require, served
from test_clients import node_module

from labgen.serve.answer import Answer, Site

PERSON = {"first_name": "Eva", "last_name": "Öhl", "position": "", "email": "eva@a.example", "phone": "+49 1"}
ALL = "/api/v1/laboratory/laboratories/"


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Project:
    """A site below a base path, in pages of one laboratory, on a host that does everything."""
    site = Project(tmp_path_factory.mktemp("kit")).sound()
    site.file("data/site.toml", f"hosts = ['nginx']\nbase_path = '/labore'\n{SITE}[limits]\npage_size = 1\n")
    site.write(
        materials=MATERIALS, laboratories=[ALPHA | {"contact_person": PERSON, "materials": [12]}, BETA]
    ).build()
    return site


class Host:
    """Answers as the preview does; the first answers to each address may be failures."""

    def __init__(self, out: Path, failures: int = 0, status: int = 503) -> None:
        self.site = Site(out, "/labore")
        self.failures, self.status = failures, status
        self.asked: list[str] = []

    def __call__(self, method: str, target: str, fields: Any) -> Answer:
        self.asked.append(target)
        if self.asked.count(target) <= self.failures:
            return Answer(self.status, (("Access-Control-Allow-Origin", "*"),), b"<p>not now</p>")
        return self.site.answer(method, target, fields)


@contextmanager
def hosting(built: Project, failures: int = 0, status: int = 503) -> Iterator[tuple[str, Host]]:
    host = Host(built.out, failures, status)
    with served(host) as address:
        yield f"{address}/labore", host


def run(built: Project, folder: Path, address: str, code: str) -> Any:
    """Run a program that has the directory as `labs`; return what it gives to `show`, as values."""
    (folder / "labgen.mjs").write_bytes((built.out / "labgen.js").read_bytes())
    head = (
        'import * as kit from "./labgen.mjs";\nconst show = one => console.log(JSON.stringify(one));\n'
        f"const labs = kit.directory({json.dumps(address)}, {{ wait: 1 }});\n"
    )
    (folder / "program.mjs").write_text(head + code, encoding="utf-8")
    done = subprocess.run(
        [require("node"), "program.mjs"], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def document(built: Project, path: str) -> Any:
    return json.loads((built.out / path.lstrip("/") / "index.json").read_bytes())


def test_the_list_is_read_page_by_page_as_far_as_a_program_goes(built, tmp_path):
    with hosting(built) as (address, host):
        every = run(built, tmp_path, address, "for await (const one of labs.laboratories()) show(one);")
        assert every == [*document(built, ALL)["results"], *document(built, f"{ALL}page/2/")["results"]]
        host.asked.clear()
        run(built, tmp_path, address, "for await (const one of labs.laboratories()) break;")
        assert host.asked == [f"/labore{ALL}"]


def test_a_laboratory_is_read_with_all_its_sections_under_their_names(built, tmp_path):
    code = (
        'show(await labs.all("00001")); show(kit.SECTIONS); show(await labs.section("00001", "materials"));'
    )
    with hosting(built) as (address, _):
        whole, sections, materials = run(built, tmp_path, address, code)
    folder = built.out / ALL.strip("/") / "00001"
    assert set(sections) == {one.parent.name for one in folder.glob("*/index.json")}
    assert [*whole] == ["laboratory", *sections]
    assert whole["laboratory"] == document(built, f"{ALL}00001/")
    assert {name: whole[name] for name in sections} == {
        name: document(built, f"{ALL}00001/{name}/") for name in sections
    }
    assert materials == whole["materials"]


WHOLE = "directory/v1/laboratories/00001/"


def test_a_laboratory_with_all_its_sections_is_one_request(built, tmp_path):
    with hosting(built) as (address, host):
        (whole,) = run(built, tmp_path, address, 'show(await labs.all("00001"));')
    assert host.asked == [f"/labore/{WHOLE}"]
    assert whole == document(built, WHOLE)


@pytest.mark.parametrize("is_own_client", [True, False], ids=["its own client", "the client of another site"])
def test_a_site_without_whole_laboratories_and_catalogues_is_read_by_its_sections_and_its_search(
    built, tmp_path, is_own_client
):
    bare = Project(tmp_path / "bare")
    shutil.copytree(built.root / "data", bare.root / "data")
    settings = (bare.root / "data/site.toml").read_text(encoding="utf-8")
    bare.file("data/site.toml", f'directory_path = ""\n{settings}').build()
    with hosting(bare) as (address, host):
        code = 'show(await labs.all("00001")); show(await labs.catalogue("materials"));'
        whole, entries = run(bare if is_own_client else built, tmp_path, address, code)
    assert entries == [{"search_val": "12", "title": "Stahl", "count": 1}]
    assert whole == document(built, WHOLE)
    assert (f"/labore/{WHOLE}" in host.asked) is not is_own_client


def test_a_copy_learns_which_laboratories_have_changed(built, tmp_path):
    code = """
const first = await labs.changes();
show([first.changed, first.gone]);
const again = await labs.changes(JSON.parse(JSON.stringify(first.now)));
show([again.changed, again.gone]);
for (const part of Object.values(first.now)) Object.assign(part, { digest: "", laboratories: { ...part.laboratories, "00002": "", "00009": "" } });
const { changed, gone } = await labs.changes(first.now);
show([changed, gone]);
"""
    with hosting(built) as (address, host):
        assert run(built, tmp_path, address, code) == [
            [["00001", "00002"], []],
            [[], []],
            [["00002"], ["00009"]],
        ]
    assert host.asked.count("/labore/directory/v1/changes/") == 3
    assert host.asked.count("/labore/directory/v1/changes/part/0/") == 2


def test_contacts_and_pictures_are_as_a_page_needs_them(built, tmp_path):
    code = """
const { laboratory } = await labs.all("00001");
show(kit.decode(laboratory.contact_person.encoded_email)); show(kit.decode("")); show(kit.decode("128512"));
show(labs.srcset(laboratory)); show(labs.srcset({ preview_url: "/a b.webp", large_url: "https://m.example/c.webp" }));
"""
    with hosting(built) as (address, _):
        email, nothing, smile, logo, picture = run(built, tmp_path, address, code)
    assert (email, nothing, smile) == ("eva@a.example", "", "😀")
    origin, shown = address.removesuffix("/labore"), document(built, f"{ALL}00001/")
    assert logo == f"{origin}{shown['logo_url']} 1x, {origin}{shown['logo2x_url']} 2x"
    assert picture == f"{origin}/a%20b.webp 160w, https://m.example/c.webp 1600w"


def test_ids_of_a_search_are_looked_up_and_searched_for(built, tmp_path):
    code = """
const [one] = await labs.catalogue("materials");
show(one);
const found = await labs.search({ materials__in: [one.search_val, 999], facets: "country" });
show([found.count, found.results[0].display_id, found.facets[0].name]);
show((await labs.search(`materials__in=${one.search_val}`)).count);
show((await labs.search(new URLSearchParams({ q: "beta" }))).results[0].name);
show((await labs.catalogue("deal_status")).map(one => one.title));
show(await labs.suggest("alpha stah", { country: "de" }, { only: "materials" }));
"""
    with hosting(built) as (address, _):
        entry, found, count, name, tiers, suggested = run(built, tmp_path, address, code)
    title = next(one["title"] for one in MATERIALS if one["id"] == 12)
    assert entry == {"id": 12, "search_val": "12", "title": title, "summary": "", "count": 1}
    assert (found, count, name, tiers) == ([1, "00001", "country"], 1, "Beta", ["Premium"])
    assert [(one["search_val"], one["marked"], one["count"], one["rest"]) for one in suggested] == [
        ("12", ["", "Stah", "l"], 1, "alpha")
    ]


def test_what_is_no_document_is_an_error_with_its_status_and_its_reason(built, tmp_path):
    code = """
const failure = async task => { try { await task(); } catch (error) { show([error.name, error.status ?? 0, error.detail ?? error.message]); } };
await failure(() => labs.laboratory("404"));
await failure(() => labs.search("page=9"));
await failure(() => labs.catalogue("nothing"));
await failure(() => labs.search("is_verified=perhaps&page=0"));
await failure(() => labs.laboratory(1));
await failure(() => labs.laboratory("../1"));
await failure(() => labs.section("00001", ""));
await failure(() => kit.directory("http://127.0.0.1:9/", { wait: 1 }).laboratory("1"));
"""
    with hosting(built) as (address, _):
        failures = run(built, tmp_path, address, code)
    assert failures[:3] == [
        ["DirectoryError", 404, "Nicht gefunden."],
        ["DirectoryError", 404, "Ungültige Seite."],
        ["DirectoryError", 404, 'the site has no catalogue "nothing"'],
    ]
    assert failures[3] == ["DirectoryError", 400, "is_verified: „perhaps“ ist kein gültiger Wert."]
    assert [name for name, *_ in failures[4:]] == ["TypeError"] * 4
    assert failures[4][2] == '1 is not a display_id, a text of digits such as "00123"'


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_host_that_fails_is_asked_again_and_not_for_ever(built, tmp_path, status):
    code = """
show((await labs.laboratory("00001")).name);
show((await labs.search("q=alpha")).count);
let answered = false;
try { await kit.directory(labs.address("/labore"), { attempts: 2, wait: 1 }).laboratory("00002"); } catch (error) { show([error.status, error.detail]); }
"""
    with hosting(built, failures=2, status=status) as (address, host):
        name, count, failure = run(built, tmp_path, address, code)
    assert (name, count, failure) == ("Alpha", 1, [status, ""])
    assert host.asked.count(f"/labore{ALL}00001/") == 3
    assert host.asked.count(f"/labore{ALL}00002/") == 2


def test_an_answer_of_404_is_not_asked_for_again(built, tmp_path):
    with hosting(built) as (address, host):
        run(built, tmp_path, address, 'try { await labs.laboratory("9"); } catch {}')
    assert host.asked == [f"/labore{ALL}9/"]


def test_a_laboratory_that_is_not_there_is_two_requests(built, tmp_path):
    code = 'try { await labs.all("99"); } catch (error) { show(error.url); }'
    with hosting(built) as (address, host):
        (url,) = run(built, tmp_path, address, code)
    own = f"/labore{ALL}99/"
    assert url.endswith(own)
    assert host.asked == ["/labore/directory/v1/laboratories/99/", own]


def test_a_search_that_nobody_waits_for_reads_no_further_file(built, tmp_path):
    code = """
const fetching = async (...some) => { const answer = await fetch(...some); controller.abort(new Error("enough")); return answer; };
const slow = kit.directory(labs.address("/labore"), { fetch: (...some) => some[0].endsWith(".js") ? fetch(...some) : fetching(...some) });
let controller = new AbortController();
try { await slow.search("q=alpha&facets=materials", controller); } catch (error) { show(error.message); }
await new Promise(done => setTimeout(done, 100));
controller = new AbortController();
show((await slow.search("q=alpha&facets=materials")).count);
"""
    with hosting(built) as (address, host):
        before = run(built, tmp_path, address, code.partition("controller = new AbortController();\nshow")[0])
        read = [one for one in host.asked if one.endswith(".json")]
        assert (before, len(read)) == (["enough"], 1)
        assert run(built, tmp_path, address, code) == ["enough", 1]


def test_a_signal_that_was_there_before_a_search_is_its_only_error(built, tmp_path):
    code = """
const signal = AbortSignal.abort(new Error("mine"));
for (const ask of [() => labs.search("q=stahl", { signal }), () => labs.suggest("st", "", { signal })])
  await ask().then(show, error => show(error.message));
await new Promise(resolve => setTimeout(resolve, 100));
show("still here");
"""
    with hosting(built) as (address, _):
        assert run(built, tmp_path, address, code) == ["mine", "mine", "still here"]


def test_a_signal_ends_what_is_read_and_what_is_waited_for(built, tmp_path):
    code = """
const slow = kit.directory(labs.address("/labore"), { wait: 60_000 });
const controller = new AbortController();
setTimeout(() => controller.abort(new Error("enough")), 50);
const tasks = [slow.laboratory("00001", controller), slow.search("q=alpha", controller), slow.all("00001", controller)];
for (const one of await Promise.allSettled(tasks)) show(one.reason?.message);
process.exit();
"""
    with hosting(built, failures=9) as (address, _):
        assert run(built, tmp_path, address, code) == ["enough"] * 3


def test_a_platform_without_imports_at_run_time_is_given_the_searcher(built, tmp_path):
    (tmp_path / "client.mjs").write_bytes((built.out / "search/client.js").read_bytes())
    code = """
import { searcher } from "./client.mjs";
show((await kit.directory(labs.address("/labore"), { searcher }).search("q=alpha")).count);
"""
    with hosting(built) as (address, host):
        assert run(built, tmp_path, address, code) == [1]
    assert "/labore/search/client.js" not in host.asked


WORKER = """
import { directory } from "./labgen.js";
import { searcher } from "./client.js";
export default {
  async fetch() {
    const labs = directory(SITE, { searcher }), names = [];
    for await (const one of labs.laboratories()) names.push(one.name);
    const whole = await labs.all("00001"), found = await labs.search("q=alpha");
    const reason = await directory(SITE).search("q=alpha").catch(error => error.message);
    return Response.json([names, whole.materials.items.length, found.count, reason]);
  },
};
"""
IN_WORKERD = """
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
const { Miniflare } = createRequire(process.argv[2])(process.argv[2]);
const modules = ["worker.js", "labgen.js", "client.js"].map(path => ({ type: "ESModule", path, contents: readFileSync(path, "utf8") }));
const workerd = new Miniflare({ modules, compatibilityDate: "2025-01-01", host: "127.0.0.1", port: 0 });
console.log(await (await workerd.dispatchFetch("http://localhost/")).text());
await workerd.dispose();
"""


def test_a_worker_reads_a_site_and_is_told_what_its_search_needs(built, tmp_path):
    miniflare = node_module("miniflare/dist/src/index.js")
    for file in (built.out / "labgen.js", built.out / "search/client.js"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "run.mjs").write_text(IN_WORKERD, encoding="utf-8")
    with hosting(built) as (address, _):
        (tmp_path / "worker.js").write_text(WORKER.replace("SITE", json.dumps(address)), encoding="utf-8")
        command = [require("node"), "run.mjs", str(miniflare)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    names, materials, count, reason = json.loads(done.stdout)
    assert (names, materials, count) == (["Alpha", "Beta"], 1, 1)
    assert reason.endswith("cannot be imported here: save it, and give its `searcher` to directory()")


def test_a_site_for_files_alone_is_read_by_its_files(site, tmp_path):
    site.build()
    with serving(site.out) as address:
        names = run(site, tmp_path, address, "for await (const one of labs.laboratories()) show(one.name);")
    assert names == ["Alpha", "Beta"]
    assert 'DOCUMENT = "index.json"' in (site.out / "labgen.js").read_text(encoding="utf-8")


def test_bundlers_are_told_what_is_resolved_at_run_time(built):
    text = (built.out / "labgen.js").read_text(encoding="utf-8")
    at_run_time = re.findall(r"\bimport\(.*|new URL\(.*import\.meta\.url", text)
    assert len(at_run_time) == 2
    assert all("@vite-ignore" in one for one in at_run_time)


def test_the_client_is_small(built):
    assert len(gzip.compress((built.out / "labgen.js").read_bytes())) < 6_000


def test_words_that_are_given_as_a_query_are_refused_with_what_they_should_be(built, tmp_path):
    code = """
for (const query of ["stahl", "stahl 1.4301", "?q=stahl", "https://a.example/search/", "", "q=stahl"])
  show(await labs.search(query).then(found => found.count, error => `${error.name}: ${error.message}`));
"""
    with hosting(built) as (address, _):
        refused, second, *counts = run(built, tmp_path, address, code)
    assert refused == 'TypeError: "stahl" has no parameter; words are { q: "stahl" }'
    assert second == 'TypeError: "stahl 1.4301" has no parameter; words are { q: "stahl 1.4301" }'
    assert counts == [1, 2, 2, 1]


@pytest.mark.both_browsers
def test_pages_of_other_sites_import_it_from_the_site_and_need_no_address(built, window, opened):
    code = """async address => {
  const { directory, DirectoryError } = await import(address + "/labgen.js");
  const labs = directory(), names = [];
  for await (const one of labs.laboratories()) names.push(one.name);
  const whole = await labs.all("00001"), found = await labs.search({ q: "alpha" });
  const reason = await labs.laboratory("404").catch(error => error instanceof DirectoryError && error.detail);
  return [names, whole.materials.items.length, found.count, (await labs.catalogue("materials")).length, reason];
}"""
    blank = Answer(200, (("Content-Type", "text/html"),), b"<!doctype html><title>Another site</title>")
    with hosting(built) as (address, host), served(lambda *_: blank) as elsewhere:
        found = opened(elsewhere).evaluate(code, address)
        assert found == [["Alpha", "Beta"], 1, 1, 1, "Nicht gefunden."]
        assert f"/labore/{WHOLE}" in host.asked
    window.complaints[:] = [one for one in window.complaints if "404" not in one]


USE = """
import { directory, decode, SECTIONS, DirectoryError, type Found, type Sections, type Suggestion, type WholeLaboratory } from "./labgen.js";
import type { Page, Suggestion as Offer } from "./client.js";
const labs = directory("https://labs.example", { attempts: 2, fetch });
for await (const one of labs.laboratories({ signal: AbortSignal.timeout(1) })) { const name: string = one.name; }
const whole: WholeLaboratory = await labs.all("00001");
const typed: [Page, Offer] = [await labs.search(), (await labs.suggest("stah"))[0]!], back: [Found, Suggestion] = typed;
const titles: string[] = whole.materials.items.map(one => one.title);
const gallery: Sections["gallery"] = await labs.section("00001", "gallery");
const sets: string[] = [labs.srcset(whole.laboratory), ...gallery.map(labs.srcset)];
const email: string = decode(whole.laboratory.contact_person.encoded_email);
const found = await labs.search({ materials__in: [1, "2"], q: "x" });
const first: string | undefined = (await labs.suggest("stah", "", { only: "materials" }))[0]?.title;
const more = found.next && await labs.search(found.next);
if (whole.laboratory.deal_status.id === "premium") console.log(titles, email, sets, more, SECTIONS[0]);
try { await labs.catalogue("materials"); } catch (error) { if (error instanceof DirectoryError) console.log(error.status, error.detail); }
// @ts-expect-error
await labs.section("00001", "galery");
// @ts-expect-error
await labs.laboratory(1);
// @ts-expect-error
whole.laboratory.nam;
// @ts-expect-error
const website: string = whole.laboratory.website;
// @ts-expect-error
await labs.catalogue("material");
// @ts-expect-error
await labs.search({ q: "x", material__in: [1] });
const ofForm: Record<string, string> = {};
await labs.search(ofForm);
"""


def test_its_types_are_checked_by_typescript_and_refuse_slips(built, tmp_path):
    tsc = node_module("typescript/bin/tsc")
    for name in ("labgen.js", "labgen.d.ts", "search/client.js", "search/client.d.ts"):
        (tmp_path / Path(name).name).write_bytes((built.out / name).read_bytes())
    documents = [
        f"const d{number}: Sections[{json.dumps(file.parent.name)}] = {file.read_text(encoding='utf-8')};"
        for number, file in enumerate(sorted((built.out / ALL.strip("/")).glob("0*/*/index.json")))
    ]
    (tmp_path / "use.ts").write_text("\n".join([USE, *documents]), encoding="utf-8")
    options = ["--strict", "--noEmit", "--target", "es2022", "--module", "esnext"]
    options += ["--moduleResolution", "bundler", "--lib", "es2022,dom,esnext.disposable,dom.asynciterable"]
    done = subprocess.run(
        ["node", tsc, *options, "use.ts"],
        cwd=tmp_path, capture_output=True, text=True, check=False, env=os.environ,
    )  # fmt: skip
    assert (done.returncode, done.stdout[-3000:]) == (0, "")


def test_its_types_name_what_it_has(built, tmp_path):
    code = "show(Object.keys(kit)); show(Object.keys(labs));"
    names, functions = run(built, tmp_path, "http://127.0.0.1:9", code)
    types = (built.out / "labgen.d.ts").read_text(encoding="utf-8")
    exported = re.findall(r"^export (?:function|const|class) (\w+)", types, re.MULTILINE)
    assert sorted(exported) == sorted(names)
    own = types.partition("export interface Directory {")[2].partition("\n}")[0]
    assert sorted(re.findall(r"^  (\w+)[(<]", own, re.MULTILINE)) == sorted(functions)
