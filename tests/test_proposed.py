"""The documents that labgen proposes below a path of its own: whole laboratories, put together from their sections."""

import json
import re
from hashlib import sha256
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from conftest import (
    ALPHA,
    BETA,
    CATEGORIES,
    EXTRAS,
    MATERIALS,
    SITE,
    Project,
    codes,
    directory_of,
    laboratory,
    line,
)
from test_incremental import cold_tree

from labgen.api.sections import per_laboratory
from labgen.mirror.plan import by_rank
from labgen.pipeline import change_files
from labgen.pipeline.build_options import DEFAULTS
from labgen.render import pages
from labgen.render.pages import Page, render_page
from labgen.serve.answer import Site
from labgen.verify.verify import verify_folder

WHOLE = "/directory/v1/laboratories/"


def sections_of(site: Project, display_id: str) -> dict[str, bytes]:
    """Return the bytes of the documents of a laboratory, by the names of its endpoints, in their order."""
    some = per_laboratory(directory_of(site))
    return {one.name: site.read(one.path_for(display_id)) for one in some}


def joined(documents: dict[str, bytes]) -> bytes:
    return b"{" + b",".join(b'"%b":%b' % (name.encode(), data) for name, data in documents.items()) + b"}"


@pytest.fixture
def full(site: Project) -> Project:
    """A site with all sections."""
    alpha = ALPHA | EXTRAS | {"materials": [12, 471], "about": "Stahl & <Eisen>\r\n„so“"}
    return site.write(laboratories=[alpha, BETA], **CATEGORIES)


def test_a_whole_laboratory_has_the_bytes_of_all_its_sections_in_their_order(full):
    full.build()
    for display_id in ("00001", "00002"):
        documents = sections_of(full, display_id)
        assert len(documents) > 10
        assert full.read(f"{WHOLE}{display_id}/") == joined(documents)


def test_search_engines_leave_its_page_out(full):
    full.file("data/site.toml", f'noindex = false\nbase_url = "https://a.example"\n{SITE}').build()
    page = full.read(f"{WHOLE}00001/", "api.html").decode()
    assert '<meta name="robots" content="noindex' in page
    assert "/directory/" not in (full.out / "sitemap.xml").read_text(encoding="utf-8")


def test_its_page_leads_to_the_sections_and_to_the_laboratories_beside_it(full):
    full.build()
    page = full.read(f"{WHOLE}00001/", "api.html").decode()
    for address in re.findall(r'href="((?:\.\./)[^"#]*)', page):
        assert (full.out / f"{WHOLE.strip('/')}/00001" / address).resolve().is_file(), address
    assert 'rel="next" href="../00002/api.html"' in page
    assert 'href="../../../../api/v1/laboratory/laboratories/00001/materials/api.html"' in page


def test_the_pages_of_whole_laboratories_are_filled_into_one_frame(full, monkeypatch):
    rendered: list[str] = []

    def noting(templates: Any, site: Any, page: Page, *given: Any) -> bytes:
        rendered.append(page.endpoint)
        return render_page(templates, site, page, *given)

    monkeypatch.setattr(pages, "render_page", noting)
    full.build(jobs=1)
    assert "whole_laboratory" not in rendered
    assert rendered


@pytest.mark.parametrize("path", ["/verzeichnis/v2/", "/a-b_c/"])
def test_a_setting_moves_the_documents_and_nothing_stays_at_the_former_place(site, path, tmp_path_factory):
    site.build()
    settings = f'directory_path = "{path}"\n{SITE}'
    assert site.file("data/site.toml", settings).build().written
    assert site.read(f"{path}laboratories/00001/") == joined(sections_of(site, "00001"))
    assert not (site.out / "directory").exists()
    assert site.tree() == cold_tree(site, tmp_path_factory.mktemp("cold"))


def test_a_setting_switches_them_off_and_no_file_of_the_site_names_them(site):
    site.build()
    site.file("data/site.toml", f'directory_path = ""\n{SITE}').build()
    assert not (site.out / "directory").exists()
    assert [name for name, data in site.published().items() if b"directory/v1" in data] == []
    assert [one.faults for one in verify_folder(site.root, site.out, DEFAULTS).checks if one.faults] == []


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ('directory_path = "directory/v1/"', "must begin and end with /"),
        ('directory_path = "/directory/v1"', "must begin and end with /"),
        ('directory_path = "/../v1/"', "must begin and end with /"),
        ('directory_path = "/Verzeichnis/"', "must begin and end with /"),
        ('directory_path = "/api/v2/"', "the site has files there"),
        ('directory_path = "/media/"', "the site has files there"),
        ('directory_path = "/labor/v1/"', "`laboratory` below [words] is the same"),
    ],
)
def test_a_path_that_is_none_or_that_is_taken_is_an_error(site, setting, words):
    (found,) = site.file("data/site.toml", f"{setting}\n{SITE}").build().problems
    assert line(found).startswith(("invalid-path", "invalid-value"))
    assert words in found.problem.message
    assert found.problem.place.pointer == ("directory_path",)


def test_the_documents_of_the_specification_are_the_same_with_and_without_them(full):
    full.build()
    had = {name: data for name, data in full.published().items() if name.startswith("api/")}
    full.file("data/site.toml", f'directory_path = ""\n{SITE}').build()
    assert {name: data for name, data in full.published().items() if name.startswith("api/")} == had


@pytest.mark.parametrize(
    "edit",
    [
        {"materials": [{"id": 12, "title": "Stahl, rostfrei"}, MATERIALS[1]]},
        {"laboratories": [ALPHA | {"name": "Alpha Neu"}, BETA | {"similar_labs": ["00001"]}]},
        {"laboratories": [BETA | {"similar_labs": []}]},
        {"countries": [{"iso_code": "de", "slug": "de", "name": "Deutschland!"}]},
    ],
    ids=["an entry renamed", "a laboratory renamed", "a laboratory removed", "a country renamed"],
)
def test_an_edit_reaches_the_whole_laboratories_that_show_it(site, edit, tmp_path_factory):
    site.write(laboratories=[ALPHA | {"materials": [12]}, BETA | {"similar_labs": ["00001"]}]).build()
    assert site.write(**edit).build(are_removals_allowed=True).written
    assert site.tree() == cold_tree(site, tmp_path_factory.mktemp("cold"))


def test_a_whole_laboratory_that_is_lost_is_made_again(site):
    site.build()
    file = site.out / f"{WHOLE.strip('/')}/00002/index.json"
    had = file.read_bytes()
    file.unlink()
    outcome = site.build()
    assert outcome.written
    assert outcome.written.written == (f"{WHOLE[1:]}00002/index.json",)
    assert file.read_bytes() == had


def test_a_section_that_appears_is_in_each_whole_laboratory(site):
    site.build()
    site.file("data/site.toml", f'publish = ["reviews"]\n{SITE}').build()
    assert json.loads(site.read(f"{WHOLE}00002/"))["reviews"] == []


def test_openapi_describes_a_whole_laboratory_and_marks_it_as_proposed(full):
    full.build()
    api = json.loads((full.out / "openapi.json").read_bytes())
    operation = api["paths"][f"{WHOLE}{{display_id}}/"]["get"]
    assert (operation["operationId"], operation["x-labgen-proposed"]) == ("getWholeLaboratory", True)
    schema = api["components"]["schemas"]["WholeLaboratory"]
    assert schema["x-labgen-proposed"] is True
    assert [*schema["properties"]] == [*sections_of(full, "00001")]


def test_the_reference_shows_it(full):
    full.build()
    page = (full.out / "reference/index.html").read_text(encoding="utf-8")
    assert f"{WHOLE}&lt;display_id&gt;/" in page or f"{WHOLE}{{display_id}}/" in page


def test_verify_finds_a_whole_laboratory_that_differs_and_a_stranger_beside_it(site, run):
    site.build()
    folder = site.out / WHOLE.strip("/") / "00001"
    (folder / "index.json").write_bytes((folder / "index.json").read_bytes().replace(b"Alpha", b"Alphb"))
    (folder / "fremd.txt").write_bytes(b"x")
    text = run("verify", "out").output
    assert "its bytes are not those that the data makes" in text
    assert f"{WHOLE[1:]}00001/index.json" in text
    assert f"{WHOLE[1:]}00001/fremd.txt" in text


@pytest.mark.parametrize(
    ("path", "accept", "status", "kind"),
    [
        (f"{WHOLE}00001/", "", 200, "application/json"),
        (f"{WHOLE}00001/", "text/html", 200, "text/html; charset=utf-8"),
        (f"{WHOLE}00001/?format=xml", "", 404, "application/json"),
        (f"{WHOLE}00009/", "text/html", 404, "application/json"),
        ("/directory/v1/", "text/html", 404, "application/json"),
        ("/directory/v2/", "text/html", 404, "text/html; charset=utf-8"),
        (f"{WHOLE}00001", "", 301, ""),
    ],
)
def test_the_preview_answers_them_like_the_documents_of_the_specification(site, path, accept, status, kind):
    site.build()
    answer = Site(site.out).answer("GET", path, {"accept": accept})
    assert (answer.status, dict(answer.fields).get("Content-Type", "")) == (status, kind)


def test_packs_have_whole_laboratories_where_they_have_laboratories(site, tmp_path_factory):
    settings = f'hosts = ["cloudflare-pages"]\npacks = ["laboratories"]\n{SITE}'
    assert codes(site.file("data/site.toml", settings).build()) == []
    packs = b"".join(
        path.read_bytes() for path in (site.out / "api/packs").rglob("whole-laboratories/*/*.pack")
    )
    assert site.read(f"{WHOLE}00001/") in packs
    assert "/directory/v1/laboratories/[0-9]*/" in (site.out / ".hosts/packed").read_text(encoding="utf-8")
    site.write(laboratories=[ALPHA | {"about": "neu"}, BETA]).build()
    assert site.tree() == cold_tree(site, tmp_path_factory.mktemp("cold"))


def test_the_manifest_has_the_digest_of_each_whole_laboratory(site):
    site.build()
    parts = [json.loads(path.read_bytes()) for path in (site.out / "manifest").glob("0*.json")]
    assert any(f"{WHOLE[1:]}00001" in part for part in parts)


# Catalogues.

CATALOGUE = "/directory/v1/materials/"


def entries(site: Project, name: str) -> list[tuple[str, str, int]]:
    """Return the entries of a catalogue: their search_val, title and count."""
    found = json.loads(site.read(f"/directory/v1/{name}/"))["results"]
    return [(one["search_val"], one["title"], one["count"]) for one in found]


def test_a_catalogue_has_all_entries_in_german_order_with_the_number_of_their_laboratories(site):
    titles = ["Zinn", "Öl", "Ofen", "oel", "Straße", "Strasse"]
    materials = [{"id": number, "title": title} for number, title in enumerate(titles, 1)]
    site.write(
        materials=materials, laboratories=[ALPHA | {"materials": [1, 2]}, BETA | {"materials": [2]}]
    ).build()
    document = json.loads(site.read(CATALOGUE))
    assert {**document, "results": []} == {"count": 6, "next": None, "previous": None, "results": []}
    assert document["results"][0] == {
        "id": 4, "search_val": "4", "title": "oel", "summary": "", "count": 0
    }  # fmt: skip
    assert [one[1:] for one in entries(site, "materials")] == [
        ("oel", 0), ("Ofen", 0), ("Öl", 2), ("Strasse", 0), ("Straße", 0), ("Zinn", 1)
    ]  # fmt: skip


def test_countries_and_statuses_are_catalogues_too_and_standards_say_what_they_are(full):
    full.write(standards=[{"id": 7, "search_val": "din-1", "title": "DIN 1", "summary": "Stahl<sub>x</sub>"}])
    full.write(laboratories=[ALPHA | {"standards": [7]}, BETA | {"country": "li"}]).build()
    assert entries(full, "country") == [("de", "Deutschland", 1), ("li", "Liechtenstein", 1)]
    assert entries(full, "deal_status") == [("premium", "Premium", 2)]
    assert entries(full, "verification_status") == [("partner", "Partner", 2)]
    (standard,) = json.loads(full.read("/directory/v1/standards/"))["results"]
    assert standard == {
        "id": 7, "search_val": "din-1", "title": "DIN 1", "summary": "Stahl<sub>x</sub>", "count": 1
    }  # fmt: skip


def test_a_long_catalogue_has_pages_that_lead_to_one_another(site):
    site.file("data/site.toml", f'base_path = "/labore"\n{SITE}')
    materials = [{"id": number, "title": f"Stoff {number:04}"} for number in range(1, 2501)]
    site.write(materials=materials).build()
    path, numbers = f"/labore{CATALOGUE}", []
    while path:
        page = json.loads(site.read(path.removeprefix("/labore")))
        assert page["count"] == 2500
        numbers += [one["id"] for one in page["results"]]
        path = page["next"]
    assert numbers == [*range(1, 2501)]
    assert page["previous"] == f"/labore{CATALOGUE}page/2/"
    site.write(materials=materials[:900]).build()
    assert not (site.out / CATALOGUE.strip("/") / "page").exists()


def test_an_empty_catalogue_is_a_document_without_entries(site):
    site.build()
    assert json.loads(site.read("/directory/v1/standards/"))["results"] == []


def test_the_text_of_the_page_of_a_catalogue_is_the_document(site):
    site.build()
    page = site.read(CATALOGUE, "api.html").decode()
    (block,) = re.findall(r'<pre id="json"[^>]*>(.*?)</pre>', page, re.DOTALL)
    text = unescape(re.sub(r"<[^>]*>", "", block))
    assert json.loads(text) == json.loads(site.read(CATALOGUE))


ROUNDS = [
    {"laboratories": [ALPHA | {"materials": [12]}, BETA]},
    {"laboratories": [ALPHA | {"materials": [12], "about": "neu"}, BETA]},
    {"laboratories": [ALPHA | {"materials": [12]}, BETA | {"materials": [12, 471], "country": "li"}]},
    {"materials": [{"id": 12, "title": "Aluminium"}, MATERIALS[1], {"id": 3, "title": "Zink"}]},
    {"countries": [{"iso_code": "de", "slug": "", "name": "Z"}, {"iso_code": "li", "slug": "", "name": "A"}]},
    {"laboratories": [BETA]},
]


def test_after_each_edit_the_catalogues_of_a_warm_build_are_those_of_a_cold_one(site, tmp_path_factory):
    for edit in ROUNDS:
        assert site.write(**edit).build(are_removals_allowed=True).written
        assert site.tree() == cold_tree(site, tmp_path_factory.mktemp("cold")), edit


def test_an_edit_that_changes_no_count_writes_no_catalogue(site):
    site.write(laboratories=[ALPHA | {"materials": [12]}, BETA]).build()
    outcome = site.write(laboratories=[ALPHA | {"materials": [12], "about": "neu"}, BETA]).build()
    assert outcome.written
    assert not [name for name in outcome.written.written if name.startswith(CATALOGUE[1:])]
    outcome = site.write(laboratories=[ALPHA, BETA]).build()
    assert outcome.written
    assert f"{CATALOGUE[1:]}index.json" in outcome.written.written
    assert "directory/v1/country/index.json" not in outcome.written.written


def test_an_edit_that_changes_a_count_writes_the_page_of_its_entry_alone(site, tmp_path_factory):
    materials = [{"id": number, "title": f"Stoff {number:04}"} for number in range(2501)]
    site.write(materials=materials, laboratories=[ALPHA | {"materials": [0, 1500]}, BETA]).build()
    outcome = site.write(laboratories=[ALPHA | {"materials": [0]}, BETA]).build()
    assert outcome.written
    assert [name for name in outcome.written.written if name.startswith(CATALOGUE[1:])] == [
        f"{CATALOGUE[1:]}page/2/{name}" for name in ("api.html", "index.json")
    ]
    assert site.tree() == cold_tree(site, tmp_path_factory.mktemp("cold"))
    page = site.out / f"{CATALOGUE[1:]}page/3/index.json"
    page.write_bytes(b"{" * page.stat().st_size)
    site.write(laboratories=[ALPHA | {"materials": [0, 2400]}, BETA]).build()
    assert site.tree() == cold_tree(site, tmp_path_factory.mktemp("cold"))


def test_without_a_search_the_catalogues_of_sections_are_there(site):
    site.file("data/site.toml", f"{SITE}[search]\nenabled = false\n").build()
    assert entries(site, "materials") == [("471", "Edelstahl", 0), ("12", "Stahl", 0)]
    assert not (site.out / "directory/v1/country").exists()
    names = json.loads((site.out / "openapi.json").read_bytes())["components"]["parameters"]["catalogue"]
    assert "country" not in names["schema"]["enum"]


def test_a_lost_page_of_a_catalogue_is_made_again(site):
    site.build()
    (site.out / f"{CATALOGUE[1:]}api.html").unlink()
    outcome = site.build()
    assert outcome.written
    assert outcome.written.written == (f"{CATALOGUE[1:]}api.html",)


# What has changed.

CHANGES = "/directory/v1/changes/"


def digests(site: Project) -> dict[str, str]:
    """Return the digests of all laboratories, from all parts."""
    index = json.loads(site.read(CHANGES))
    parts = [(one["digest"], site.read(one["path"])) for one in index["parts"]]
    assert [digest for digest, _ in parts] == [sha256(data).hexdigest()[:32] for _, data in parts]
    found = [one for _, data in parts for one in json.loads(data)["laboratories"]]
    assert index["count"] == len(found)
    return {one["display_id"]: one["digest"] for one in found}


@pytest.mark.parametrize("manifest", ["true", "false"])
def test_each_laboratory_has_the_digest_of_its_whole_document(site, manifest):
    site.file("data/site.toml", f"manifest = {manifest}\n{SITE}").build()
    for edit in ({}, {"laboratories": [ALPHA | {"about": "neu"}, BETA]}):
        site.write(**edit).build()
        assert digests(site) == {
            one: sha256(site.read(f"{WHOLE}{one}/")).hexdigest()[:32] for one in ("00001", "00002")
        }


def some_laboratories(numbers: range) -> list[dict[str, Any]]:
    return [laboratory(f"{number:05}") for number in numbers]


@pytest.fixture
def few_in_a_part(monkeypatch) -> None:
    monkeypatch.setattr(change_files, "LABORATORIES_IN_PART", 4)


@pytest.mark.usefixtures("few_in_a_part")
def test_parts_come_and_go_with_the_number_of_laboratories(site, tmp_path_factory):
    for numbers in (range(1, 5), range(1, 10), range(1, 4), range(3, 9)):
        site.write(laboratories=some_laboratories(numbers)).build(are_removals_allowed=True)
        assert len(digests(site)) == len(numbers)
    assert site.tree() == cold_tree(site, tmp_path_factory.mktemp("cold"))


@pytest.mark.usefixtures("few_in_a_part")
def test_an_edit_changes_the_part_of_its_laboratory_alone(site):
    site.write(laboratories=some_laboratories(range(1, 12))).build()
    had = digests(site)
    edited = [
        one | {"about": "neu"} if one["display_id"] == "00003" else one
        for one in some_laboratories(range(1, 12))
    ]
    outcome = site.write(laboratories=edited).build()
    assert outcome.written
    parts = [
        name
        for name in outcome.written.written
        if name.startswith(CHANGES[1:]) and name.endswith("index.json")
    ]
    assert len(parts) == 2
    assert [one for one, digest in digests(site).items() if had[one] != digest] == ["00003"]


def test_a_part_that_somebody_broke_is_no_reason_to_say_something_wrong(site):
    site.build()
    file = site.out / f"{CHANGES[1:]}part/0/index.json"
    file.write_bytes(file.read_bytes()[:-1] + b" ")
    site.write(laboratories=[ALPHA | {"about": "neu"}, BETA]).build()
    assert set(digests(site)) == {"00001", "00002"}


def test_a_publication_sends_digests_after_the_laboratories_and_their_list_last(site):
    site.file("data/site.toml", f'directory_path = "/verzeichnis/v2/"\n{SITE}').build()
    stages = by_rank(name for name in site.published() if name.endswith(".json"))
    assert stages[-2:] == [
        ("verzeichnis/v2/changes/part/0/index.json",),
        ("verzeichnis/v2/changes/index.json",),
    ]
    sent = [name for some in stages for name in some]
    assert sent.index("verzeichnis/v2/laboratories/00002/index.json") < len(sent) - 2


def test_a_build_moves_the_parts_into_place_before_their_list(site, monkeypatch):
    site.build()
    moved: list[str] = []
    replace = Path.replace

    def noting(self: Path, to: str) -> Path:
        moved.append(str(to))
        return replace(self, to)

    monkeypatch.setattr(Path, "replace", noting)
    site.write(laboratories=[ALPHA | {"about": "neu"}, BETA]).build()
    names = [f"{WHOLE}00001/index.json", f"{CHANGES}part/0/index.json", f"{CHANGES}index.json"]
    places = [next(at for at, to in enumerate(moved) if to.endswith(name)) for name in names]
    assert places == sorted(places)
