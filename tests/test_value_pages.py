"""The pages of values, which lead to laboratories without script, and what else of the search has no document."""

import random
import re
import shutil
from xml.etree import ElementTree as ET

import pytest
from conftest import ALPHA, BETA, EXHAUSTIVE, SITE, directory_of, laboratory, lines

from labgen.contract.host_abilities import HostAbilities
from labgen.render import search_pages
from labgen.render.search_pages import PreviewCounts, PreviewValue, SearchPages
from labgen.render.templates import load_templates

STEEL = "suche/materials/12/index.html"
HREF = re.compile(r'<li><a href="([^"]*)"[^>]*>([^<]*)</a> <small>(?:<bdi>)?(.*?)</small>')


def entries(site, file):
    """Return the lines of a page: titles, and what stands beside them; each leads to a file."""
    found = HREF.findall((site.out / file).read_text())
    for href, _, _ in found:
        folder = site.out if href.startswith("/") else (site.out / file).parent
        assert (folder / href.lstrip("/")).is_file()
    return [(title, note.replace("</bdi>", "")) for _, title, note in found]


def with_steel(*laboratories):
    return [one | {"materials": [12]} for one in laboratories]


def written(outcome):
    """Return the pages of the search that a build wrote."""
    return [name for name in outcome.written.written if name.startswith("suche/")]


def test_values_are_pages_with_their_laboratories(site):
    site.write(
        laboratories=[ALPHA | {"materials": [12], "locality": "Köln"}, BETA | {"materials": [12, 471]}]
    )
    site.build()
    assert entries(site, "suche/materials/index.html") == [("Stahl", "2 Labore"), ("Edelstahl", "1 Labor")]
    assert entries(site, STEEL) == [("Alpha", "Köln, Deutschland"), ("Beta", "Deutschland")]
    assert [name for name, _ in entries(site, "suche/country/index.html")] == ["Deutschland"]
    assert 'href="/labor/00001/alpha/index.html"' in (site.out / STEEL).read_text()


def test_a_value_says_where_its_laboratories_are(site):
    towns = ["Ulm", "Köln", "Köln", "Zug", "Aachen", "Bonn", "", "Essen", "Trier"]
    some = [laboratory(f"{at:05}", name=f"L{at}", locality=town) for at, town in enumerate(towns, 1)]
    site.write(laboratories=with_steel(*some)).build()
    page = (site.out / STEEL).read_text()
    assert (
        "<p>Orte: <bdi>Köln</bdi> (2), <bdi>Aachen</bdi>, <bdi>Bonn</bdi>, <bdi>Essen</bdi>, <bdi>Trier</bdi> und 2 weitere</p>"
        in page
    )
    assert (
        '<meta name="description" content="9 Labore. Orte: Köln (2), Aachen, Bonn, Essen, Trier und 2 weitere">'
        in page
    )
    site.write(laboratories=with_steel(*some[:7])).build(are_removals_allowed=True)
    page = (site.out / STEEL).read_text()
    assert (
        "<p>Orte: <bdi>Köln</bdi> (2), <bdi>Aachen</bdi>, <bdi>Bonn</bdi>, <bdi>Ulm</bdi>, <bdi>Zug</bdi></p>"
        in page
    )
    site.write(laboratories=with_steel(ALPHA)).build(are_removals_allowed=True, are_changes_allowed=True)
    assert "Orte" not in (site.out / STEEL).read_text()


def related(site, value):
    """Return the values that a page of a material names as related; each leads to a page."""
    file = site.out / f"suche/materials/{value}/index.html"
    said = re.search("<p>Oft zusammen mit: (.*)</p>", file.read_text())
    found = re.findall('<a href="([^"]*)" dir="auto">([^<]*)</a>', said[1]) if said else []
    assert all((file.parent / href).is_file() for href, _ in found)
    return [title for _, title in found]


def test_a_value_names_others_that_its_laboratories_have(site):
    materials = [{"id": number, "title": f"M{number}"} for number in range(1, 8)]
    some = [[1, 2, 3], [1, 3], [1, 3, 4, 5, 6], [2, 7]]
    labs = [laboratory(f"{at:05}", materials=held) for at, held in enumerate(some, 1)]
    site.write(materials=materials, laboratories=labs).build()
    assert related(site, 1) == ["M3", "M2", "M4", "M5"]
    assert related(site, 7) == ["M2"]
    site.write(materials=materials, laboratories=[*labs[:3], laboratory("00004", materials=[7])]).build()
    assert related(site, 7) == []
    assert related(site, 2) == ["M1", "M3"]
    assert "Oft zusammen" not in (site.out / "suche/country/de/index.html").read_text()


@pytest.mark.parametrize("seed", range(2) if EXHAUSTIVE else [0])
def test_related_values_are_those_of_a_build_from_scratch_after_any_edit(site, monkeypatch, seed):
    monkeypatch.setattr("labgen.pipeline.value_pages.MOST_VALUES", 4)
    rng = random.Random(seed)
    titles = {number: f"M{number}" for number in range(1, 8)}
    held = {at: rng.sample(range(1, 8), rng.randrange(5)) for at in range(1, 7)}
    for _ in range(12):
        if rng.random() < 0.2:
            titles[rng.randrange(1, 8)] = f"N{rng.randrange(100)}"
        held[rng.randrange(1, 7)] = rng.sample(range(1, 8), rng.randrange(5))
        gone = rng.randrange(1, 7) if rng.random() < 0.3 else 0
        site.write(
            materials=[{"id": number, "title": title} for number, title in titles.items()],
            laboratories=[laboratory(f"{at:05}", materials=some) for at, some in held.items() if at != gone],
        )
        site.build(are_removals_allowed=True, are_changes_allowed=True)
        warm = {path: path.read_bytes() for path in (site.out / "suche").rglob("*.html")}
        shutil.rmtree(site.root / ".labgen")
        shutil.rmtree(site.out)
        site.build()
        assert {path: path.read_bytes() for path in (site.out / "suche").rglob("*.html")} == warm


def test_what_is_beyond_the_bounds_is_said(site, monkeypatch):
    for name, most in (("PER_PAGE", 2), ("MOST_PAGES", 2), ("MOST_LABORATORIES", 4)):
        monkeypatch.setattr(search_pages, name, most)
    monkeypatch.setattr("labgen.pipeline.value_pages.MOST_LABORATORIES", 4)
    monkeypatch.setattr("labgen.pipeline.value_pages.MOST_VALUES", 1)
    some = with_steel(*(laboratory(f"0000{number}", name=f"L{number}") for number in range(1, 7)))
    site.write(laboratories=[*some, BETA | {"display_id": "00009", "materials": [471]}]).build()
    second = (site.out / "suche/materials/12/page-2.html").read_text()
    assert [name for name, _ in entries(site, "suche/materials/12/page-2.html")] == ["L3", "L4"]
    assert "Weitere Labore in der Suche: 2." in second
    assert 'rel="next"' not in second
    assert "Weitere Werte in der Suche: 1." in (site.out / "suche/materials/index.html").read_text()
    assert not (site.out / "suche/materials/471").exists()


def test_an_edit_rewrites_only_the_pages_that_show_it(site):
    site.write(laboratories=[*with_steel(ALPHA, BETA), laboratory("00003", materials=[471])]).build()
    alpha, beta = with_steel(ALPHA, BETA)
    third = laboratory("00003", materials=[471])
    assert written(site.write(laboratories=[alpha | {"about": "Neu."}, beta, third]).build()) == []
    renamed = written(site.write(laboratories=[alpha | {"name": "Alphalabor"}, beta, third]).build())
    assert STEEL in renamed
    assert not [name for name in renamed if "471" in name]
    moved = site.write(laboratories=[alpha | {"name": "Alphalabor"}, BETA, third]).build()
    assert written(moved) == ["suche/index.html", STEEL, "suche/materials/index.html"]
    gone = site.write(laboratories=[ALPHA | {"name": "Alphalabor"}, BETA, third]).build()
    assert STEEL in gone.written.removed


def test_a_new_slug_reaches_the_pages_that_link_the_laboratory(site):
    alpha, beta = with_steel(ALPHA, BETA)
    site.write(laboratories=[alpha, beta]).build()
    changed = written(site.write(laboratories=[alpha | {"slug": "neu"}, beta]).build())
    assert STEEL in changed
    assert "/labor/00001/neu/index.html" in (site.out / STEEL).read_text()


def test_a_page_that_was_deleted_comes_back(site):
    site.write(laboratories=with_steel(ALPHA, BETA)).build()
    (site.out / STEEL).unlink()
    (site.out / STEEL).parent.rmdir()
    assert STEEL in written(site.file("data/notes.txt", "").write(laboratories=with_steel(ALPHA)).build())


def test_the_search_can_be_turned_off(site):
    site.write(laboratories=with_steel(ALPHA, BETA)).build()
    site.file("data/site.toml", f"{SITE}[search]\nenabled = false\n").build()
    assert not (site.out / "suche").exists()
    pages = [path.read_text() for path in site.out.rglob("*.html")]
    assert not [page for page in pages if "suche/" in page]


def test_browsers_get_a_description_where_the_address_of_the_site_is_known(site):
    site.build()
    assert not (site.out / "suche/opensearch.xml").exists()
    site.file("data/site.toml", f'base_url = "https://labs.example"\nbase_path = "/v"\n{SITE}').build()
    tree = ET.parse(site.out / "suche/opensearch.xml")
    assert [one.get("template") for one in tree.getroot() if one.get("template")] == [
        "https://labs.example/v/suche/?q={searchTerms}"
    ]
    assert (site.out / "index.html").read_text().count('href="suche/opensearch.xml"') == 1


def test_templates_of_the_search_are_tried_and_overridden(site):
    site.file("templates/search-entry.html", "<li>{{ entry.title|upper }}</li>\n")
    site.file("templates/search.html", "<p>{{ search.nothing }}</p>")
    assert lines(site.check()) == ["template-error templates/search.html:1:1 <"]
    site.file("templates/search.html", "<p>{{ search.heading }}</p>")
    site.write(laboratories=with_steel(ALPHA, BETA)).build()
    assert "<li>ALPHA</li>\n<li>BETA</li>" in (site.out / STEEL).read_text()
    assert (site.out / "suche/index.html").read_text() == "<p>2 Labore</p>"


@pytest.mark.parametrize("name", ["suche", "materials"])
def test_only_the_page_that_searches_may_connect(site, name):
    site.write(laboratories=with_steel(ALPHA, BETA)).build()
    policy = (
        "; connect-src 'self'" in (site.out / "suche" / name.replace("suche", "") / "index.html").read_text()
    )
    assert policy is (name == "suche")


def test_the_order_of_ratings_is_offered_where_there_are_ratings(site):
    rated = '<option value="-rating">'
    site.write(laboratories=[ALPHA | {"rating": "0.00"}, BETA | {"rating": "0"}]).build()
    assert rated not in (site.out / "suche/index.html").read_text()
    site.write(laboratories=[ALPHA | {"rating": "0.01"}, BETA]).build()
    assert rated in (site.out / "suche/index.html").read_text()
    site.write(laboratories=[ALPHA, BETA]).build()
    assert rated not in (site.out / "suche/index.html").read_text()


def test_counts_are_written_as_the_language_does(site):
    templates, _ = load_templates(site.root)
    assert templates
    pages = SearchPages(directory_of(site), templates, HostAbilities())
    values = [PreviewValue(str(number), f"Stahl {number}", 1340) for number in range(9)]
    facets = [PreviewCounts("materials", "materials__in", "Materialien", values, 1349)]
    files = pages.page_files(facets, 1340, are_rated=True)
    start, facet = (data.decode() for data in files.values())
    assert "1.340 Labore" in start
    assert "<small>1.340</small>" in start
    assert "<small>1.340 Labore</small>" in facet
    assert "Weitere Werte in der Suche: 1.340." in facet
