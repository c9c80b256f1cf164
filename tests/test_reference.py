"""The reference: what it describes, links that lead somewhere, and samples that run."""

import re
import shutil
import subprocess
import sys
from functools import partial
from html import unescape

import pytest
from browsers import expect, serving
from conftest import ALPHA, BETA, MATERIALS, SITE, Project, directory_of
from servers import require, served

from labgen.api.sections import ENDPOINTS
from labgen.contract.host_abilities import HostAbilities
from labgen.contract.http_contract import METHODS
from labgen.model.language import built_in_languages
from labgen.render.formats import inline
from labgen.render.json_schema import Schemas
from labgen.render.reference import render_reference
from labgen.render.samples import LANGUAGES
from labgen.render.templates import load_templates
from labgen.serve.answer import Answer

PERSON = {
    "first_name": "Eva",
    "last_name": "Öhl",
    "position": "Leitung",
    "email": "eva@a.example",
    "phone": "+49 1",
}


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Project:
    """A site with all sections, on a host that does everything, in pages of one laboratory."""
    site = Project(tmp_path_factory.mktemp("reference")).sound()
    names = [one.name for one in ENDPOINTS if one.is_optional]
    site.file("data/site.toml", f"publish = {names}\nhosts = ['nginx']\n{SITE}[limits]\npage_size = 1\n")
    site.write(
        materials=MATERIALS, laboratories=[ALPHA | {"contact_person": PERSON, "materials": [12]}, BETA]
    ).build()
    return site


@pytest.fixture(scope="module")
def page(built: Project) -> str:
    return built.read("/reference/", "index.html").decode()


def codes_in(page: str, address: str) -> dict[str, str]:
    """Return the samples of a page by their ids, as a reader copies them."""
    found = re.findall(r'<pre id="(sample-[^"]+)"[^>]*>(.*?)</pre>', page, re.DOTALL)
    origin = '<span class="origin here">https://api.example</span>'
    return {key: unescape(re.sub("<[^>]*>", "", code.replace(origin, address))) for key, code in found}


def test_each_field_of_each_document_has_an_address(page):
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    schemas = Schemas()
    for one in ENDPOINTS:
        schemas.of(one.document)
        assert one.name in ids
    names = {key for one in schemas.named.values() for key in one["properties"]}
    assert names <= {one.rpartition(".")[2] for one in ids if "." in one}


def test_each_link_of_the_reference_leads_to_a_part_of_it_or_to_a_file(built, page):
    ids = set(re.findall(r' id="([^"]+)"', page))
    for href in re.findall(r'href="([^"]+)"', page):
        if href.startswith("#"):
            assert href[1:] in ids
        elif not href.startswith("http"):
            assert (built.out / "reference" / href).is_file(), href


def test_shared_objects_are_described_once(page):
    assert page.count('id="country.iso_code"') == page.count(">iso_code</code>") == 1
    assert page.count(">hidden_count</code>") == 1
    assert page.count(">If-None-Match</code></a>") == 1


def test_a_request_can_be_sent_as_it_stands(page):
    forms = re.findall(r'<form class="ref-try".*?</form>', page, re.DOTALL)
    inputs = [re.findall(r'name="(\w+)" value="(.*?)"', one) for one in forms]
    assert [("catalogue", "materials"), ("page", "")] in inputs
    assert [("part", "0")] in inputs
    assert {one for form in inputs for one in form if not one[1]} == {("page", "")}


def test_the_parameters_of_a_search_by_clients_are_listed(page):
    text = page.partition('id="guide-search"')[2].partition("</section>")[0]
    assert {"materials__in", "tests__in", "locality", "q"} <= set(
        re.findall(r"<code>(\w+)</code> <span", text)
    )


def test_all_operations_have_the_same_samples_for_other_paths(page):
    codes = codes_in(page, "")
    alike = {
        language: {
            re.sub(r"/api/v1/[^\s'\"]+", "PATH", codes[f"sample-{one.name}-{language}"]) for one in ENDPOINTS
        }
        for language in LANGUAGES
    }
    assert {language: len(some) for language, some in alike.items()} == dict.fromkeys(LANGUAGES, 1)


COMMANDS = {
    "curl": ("bash", ["bash", "-c"]),
    "javascript": ("node", ["node", "--input-type=module", "-e"]),
    "python": (sys.executable, [sys.executable, "-c"]),
    "php": ("php", ["bash", "-c", 'printf %s "$0" | php']),
}
PRINTED = {
    "list": r"00001 Alpha\n00002 Beta\n",
    "decode": r"eva@a\.example\n(\+49 1\n)?",
    "search": r"(1\n)?00001 Alpha\n|\{.*",
    "errors": r"404( Nicht gefunden\.)?\n",
    "cache": r"(HTTP/1\.1 )?304( Not Modified)?\n",
    "paths": r"ADDRESS/media/.*\.svg\n",
    "laboratory": r"[{\s\S]*Alpha[\s\S]*",
}


def saved(code: str, address: str) -> str:
    """Return a sample that imports `labgen.js` from a file, as node needs it."""
    return code.replace(f'"{address}/labgen.js"', '"./labgen.mjs"')


@pytest.mark.parametrize("language", COMMANDS)
def test_samples_run_and_print_what_they_promise(built, page, language, tmp_path):
    program, command = COMMANDS[language]
    if shutil.which(program) is None or (language == "curl" and shutil.which("jq") is None):
        pytest.skip(f"{program} or jq is not installed")
    with serving(built.out) as address:
        codes = codes_in(page, address)
        (tmp_path / "labgen.mjs").write_bytes((built.out / "labgen.js").read_bytes())
        for name, printed in PRINTED.items():
            code = saved(codes[f"sample-{name}-{language}"], address)
            done = subprocess.run(
                [*command, code], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
            )
            assert done.returncode == 0, done.stderr
            if language != "curl" or name != "list":
                assert re.fullmatch(printed.replace("ADDRESS", address), done.stdout), (name, done.stdout)


RUN = """async code => {
  const printed = [];
  const print = (...values) => printed.push(values.map(one => one === Object(one) ? JSON.stringify(one) : one).join(" "));
  globalThis.print = print;
  await import(URL.createObjectURL(new Blob(["const console = { log: globalThis.print };\\n" + code], { type: "text/javascript" })));
  return printed.map(one => one + "\\n").join("");
}"""
"""Runs a sample as a module of the page, and returns what it prints."""


def test_samples_in_javascript_run_on_pages_of_other_sites_too(built, page, window, opened):
    blank = Answer(200, (("Content-Type", "text/html"),), b"<!doctype html><title>Another site</title>")
    with serving(built.out) as address, served(lambda *_: blank) as elsewhere:
        codes, tab = codes_in(page, address), opened(elsewhere)
        for name, printed in PRINTED.items():
            found = tab.evaluate(RUN, codes[f"sample-{name}-javascript"])
            assert re.fullmatch(printed.replace("ADDRESS", address), found), (name, found)
        assert tab.evaluate(RUN, codes["sample-kit-javascript"]) == WITH_CLIENT
    window.complaints[:] = [one for one in window.complaints if "404" not in one]


def test_pages_of_other_sites_read_the_header_fields_of_the_contract(built, opened):
    blank = Answer(200, (("Content-Type", "text/html"),), b"<!doctype html><title>Another site</title>")
    document = "/api/v1/laboratory/laboratories/00001/"
    with serving(built.out) as address, served(lambda *_: blank) as elsewhere:
        read = "async address => Object.fromEntries((await fetch(address)).headers)"
        tab = opened(elsewhere)
        for path in (document, f"{document}?format=api", document.rstrip("/"), "/openapi.json"):
            fields = tab.evaluate(read, address + path)
            assert {"etag", "content-length"} <= fields.keys()
            assert fields.get("allow", METHODS) == METHODS
        ask = "async ([address, headers]) => (await fetch(address, { headers })).status"
        for field in ({"If-None-Match": "W/x"}, {"If-Modified-Since": "Thu, 01 Jan 1970 00:00:00 GMT"}):
            assert tab.evaluate(ask, [address + document, field]) == 200


WITH_CLIENT = "00001 Alpha\n00002 Beta\nAlpha 0\neva@a.example\n"


def test_samples_with_the_clients_stand_first_and_run(built, page, tmp_path):
    with serving(built.out) as address:
        codes = codes_in(page, address)
        assert [*codes][:2] == ["sample-kit-javascript", "sample-kit-python"]
        (tmp_path / "labgen.mjs").write_bytes((built.out / "labgen.js").read_bytes())
        (tmp_path / "sample.mjs").write_text(saved(codes["sample-kit-javascript"], address))
        for command in [require("node"), "sample.mjs"], [sys.executable, "-c", codes["sample-kit-python"]]:
            done = subprocess.run(
                command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
            )
            assert (done.stdout, done.stderr) == (WITH_CLIENT, "")


@pytest.mark.parametrize("hosts", [(), ("nginx",)])
def test_samples_with_the_clients_run_on_any_host_that_serves_files(site, hosts, tmp_path):
    site.build(hosts=hosts)
    with serving(site.out) as address:
        code = codes_in(site.read("/reference/", "index.html").decode(), address)["sample-kit-python"]
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert (done.stdout.splitlines()[:2], done.stderr) == (["00001 Alpha", "00002 Beta"], "")
    assert ('document="index.json"' in code) is (not hosts)


@pytest.mark.parametrize("language", ["javascript", "python", "php"])
def test_where_a_host_answers_files_alone_the_samples_ask_for_files(site, language, tmp_path):
    program, command = COMMANDS[language]
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    site.file("data/site.toml", f"{SITE}[limits]\npage_size = 1\n").build()
    with serving(site.out) as address:
        code = codes_in(site.read("/reference/", "index.html").decode(), address)[f"sample-list-{language}"]
        assert code.count("index.json") == 2
        done = subprocess.run(
            [*command, code], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
        )
    assert done.stdout == "00001 Alpha\n00002 Beta\n"


@pytest.mark.parametrize("language", ["curl", "javascript", "python", "php"])
def test_where_the_host_answers_searches_the_sample_asks_it(site, language, tmp_path):
    program, command = COMMANDS[language]
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    site.write(materials=MATERIALS, laboratories=[ALPHA | {"materials": [12]}, BETA]).build(
        hosts=("netlify",)
    )
    with serving(site.out) as address:
        code = codes_in(site.read("/reference/", "index.html").decode(), address)[f"sample-search-{language}"]
        done = subprocess.run(
            [*command, code], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
        )
    assert (
        "?materials__in=12" in code
        or "URLSearchParams" in code
        or "urlencode" in code
        or "http_build_query" in code
    )
    assert re.fullmatch(r'1\n00001 Alpha\n|\{"count":1,.*Alpha.*\}', done.stdout), done.stdout + done.stderr


def test_the_guide_says_what_counts_values_and_that_some_hosts_ignore_a_search(site):
    site.write(materials=MATERIALS, laboratories=[ALPHA | {"materials": [12]}, BETA])
    words = directory_of(site).language.words
    texts = {name: inline(words[f"guide_search_{name}"]) for name in ("host", "index", "facets")}
    for hosts, said in (("netlify",), "host"), ((), "index"):
        site.build(hosts=hosts)
        page = site.read("/reference/", "index.html").decode()
        assert {name for name, text in texts.items() if text in page} == {said, "facets"}


@pytest.mark.parametrize("language", built_in_languages())
def test_for_files_alone_the_guide_says_what_the_host_decides_and_how_to_go_on_in_a_search(site, language):
    site.file("data/site.toml", f'language = "{language}"\n{SITE}')
    site.write(materials=MATERIALS, laboratories=[ALPHA | {"materials": [12]}, BETA])
    words = directory_of(site).language.words
    texts = [inline(words[f"guide_{name}"]) for name in ("search_next", "errors_none")]
    for hosts, is_said in ((), True), (("netlify",), False):
        site.build(hosts=hosts)
        page = site.read("/reference/", "index.html").decode()
        assert [text in page for text in texts] == [is_said] * 2


def test_the_php_samples_have_the_syntax_of_php(page, tmp_path):
    if shutil.which("php") is None:
        pytest.skip("php is not installed")
    for key, code in codes_in(page, "http://127.0.0.1").items():
        if key.endswith("-php"):
            (tmp_path / "a.php").write_text(code, encoding="utf-8")
            subprocess.run(["php", "-l", str(tmp_path / "a.php")], check=True, capture_output=True)


def test_where_a_host_searches_the_list_has_the_parameters_of_all_sections(site):
    directory, (templates, _) = directory_of(site), load_templates(site.root)
    assert templates
    render = partial(render_reference, directory, templates, examples={}, lab="00001")
    searching, plain = (
        render(hosts=HostAbilities(has_search=is_searching)).decode() for is_searching in (True, False)
    )
    for name in ("materials__in", "tests__in", "accreditation_standards__in", "country", "q"):
        assert f'<input name="{name}"' in searching
        assert f'<input name="{name}"' not in plain
    for field in ("facets.items.count", "facets.is_exact", "ignored", "instead"):
        assert f'id="laboratories.{field}"' in searching
        assert f'id="laboratories.{field}"' not in plain


def test_of_many_values_of_a_parameter_the_first_are_named_and_that_there_are_more(site):
    codes = ("at", "ch", "de", "fr", "li")
    countries = [{"iso_code": code, "slug": code, "name": code} for code in codes]
    site.write(countries=countries).build(hosts=("netlify",))
    page = site.read("/reference/", "index.html").decode()
    assert ">at | ch | de | fr | …<" in page
    assert ">true | false<" in page


def test_without_an_address_in_the_settings_samples_name_a_host_that_the_reader_replaces(page):
    codes = re.findall(r'<pre id="sample-[^"]+"[^>]*>(.*?)</pre>', page, re.DOTALL)
    bare = [code for code in codes if "https://api.example</span>" not in code]
    assert bare == []
    assert "Setzen Sie die Adresse dieses Hosts an die Stelle von https://api.example." in page


@pytest.mark.both_browsers
def test_a_reader_filters_chooses_a_language_and_tries_a_request(built, window, visited):
    with serving(built.out) as address:
        page = visited(f"{address}/reference/#laboratory.contact_person.position", width=1400, height=900)
        expect(page.locator('[id="laboratory.contact_person.position"]')).to_be_visible()
        page.locator("#ref-filter").fill("galerie")
        expect(page.locator(".ref-nav li:visible")).to_have_count(1)
        page.locator("#sample-list-curl").scroll_into_view_if_needed()
        page.locator('input[name="sample-list"][value="python"] + span').click()
        expect(page.locator("#sample-materials-python")).to_be_visible()
        expect(page.locator("#sample-materials-curl")).to_be_hidden()
        form = page.locator('section[aria-labelledby="laboratory"] .ref-try')
        form.locator("input").fill("00002")
        form.locator("button").click()
        expect(form.locator(".status")).to_have_text("200 OK")
        expect(form.locator("pre")).to_contain_text('"name": "Beta"')
        form.locator("input").fill("9")
        form.locator("button").click()
        expect(form.locator(".status")).to_contain_text("404")
        pages = page.locator('section[aria-labelledby="laboratories"] .ref-try')
        pages.locator("input").fill("2")
        pages.locator("button").click()
        expect(pages.locator("pre")).to_contain_text("Beta")
        window.complaints[:] = [one for one in window.complaints if "404" not in one]
