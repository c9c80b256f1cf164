"""The page of a path: its block is the document, its links are made from values, and it is safe."""

import gzip
import html
import json
import re
from dataclasses import fields
from html.parser import HTMLParser
from itertools import cycle, product
from pathlib import Path
from typing import Any

import pytest
from conftest import ALPHA, BETA, DRAWN, SITE, laboratories_of, laboratory, loaded, picture
from draw_records import Drawer
from hypothesis import example, given
from hypothesis import strategies as st

from labgen.api.document_parts import LeadsTo
from labgen.api.endpoint import keeper_links, link_fields
from labgen.api.sections import ENDPOINTS, PAGED, PER_LABORATORY, PER_SITE, SECTION_NAMES
from labgen.contract.host_abilities import HostAbilities
from labgen.memory.remembered_laboratories import cards, display_ids, places
from labgen.model.catalogues import CATALOGUES, LINKS
from labgen.model.directory import Directory, Laboratory, Neighbours
from labgen.model.records import PlainRecord
from labgen.render.block import fill_list, render_block, render_item
from labgen.render.encode_json import render_json
from labgen.render.items import ItemRenderer, Rendered, View
from labgen.render.links import NO_LINKS, LinkContext, Links
from labgen.render.list_pages import ListPages
from labgen.render.pages import LaboratoryPages, LaboratoryValues, Page, Variant
from labgen.render.site_files import LaboratoryRenderer, render_document
from labgen.render.site_values import SiteValues, site_values
from labgen.render.templates import load_templates

SPELLED = st.lists(
    st.sampled_from(['"', ",", "\\", ":", " ", "a", ";;", "'", "<sub>", "</sub>", "\n", "\u2028"])
).map("".join)
"""Texts of what JSON, HTML and the pages give a meaning to."""
TEXTS = SPELLED | st.text(
    st.characters(
        exclude_categories=["Cs"],
        exclude_characters="".join(map(chr, [*range(9), 11, 12, *range(14, 32), 127])),
    )
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
HOSTILE = [
    "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", '" onmouseover="alert(1)', "' x='",
    "&amp; &lt;b&gt;", "]]>", "<!--", "a\u2028\u2029", "{{ site }}", "{% raw %}", "مختبر", "a\r\nb\tc", "</pre>",
]  # fmt: skip


IMPLIED_ENDS = {
    "li": ("li",), "td": ("td", "th"), "th": ("td", "th"), "tr": ("td", "th", "tr"), "tbody": ("td", "th", "tr", "tbody"),
}  # fmt: skip
"""The elements that HTML takes for ended where another begins."""


class Reader(HTMLParser):
    """Reads a page: the text of each element, the links, and the tags with their attributes."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.block = ""
        self.blocks = 0
        self.ids: list[str] = []
        self.headings: list[str] = []
        self.links: list[tuple[str, str]] = []
        self._open: list[str] = []
        self.feed(page.decode())

    def handle_starttag(self, tag, attrs):
        while self._open and self._open[-1] in IMPLIED_ENDS.get(tag, ()):
            self._open.pop()
        self.tags.append((tag, dict(attrs)))
        identifier = dict(attrs).get("id")
        self.blocks += identifier == "json"
        self.ids += [identifier] if identifier else []
        if tag not in {"meta", "link", "br", "img", "input", "wbr"}:
            self._open.append("block" if identifier == "json" else tag)
        if tag == "a":
            self.links.append((dict(attrs)["href"] or "", ""))

    def handle_endtag(self, tag):
        if tag in {"ol", "ul"} and self._open[-1] == "li":
            self._open.pop()
        assert self._open.pop() in {tag, "block"}

    def handle_data(self, data):
        if "block" in self._open:
            self.block += data
        if self._open and self._open[-1] == "h1":
            self.headings.append(data)
        if self._open and self._open[-1] == "a":
            self.links[-1] = (self.links[-1][0], self.links[-1][1] + data)


class HostileDrawer(Drawer):
    def line(self, number):
        return self.text(number).replace("\r\n", " ").replace("\t", " ")

    def text(self, number):
        return HOSTILE[number % len(HOSTILE)]


@pytest.fixture
def hostile(site):
    """A site whose every text tries to break out of its page."""
    publish = f"publish = {json.dumps(SECTION_NAMES)}\n"  # those for which nothing is drawn, too
    site.file("data/site.toml", publish + SITE.replace('"Verzeichnis"', json.dumps("V </title><b>")))
    catalogue = [{"id": number, "title": text} for number, text in enumerate(HOSTILE)]
    numbers, website = list(range(len(HOSTILE))), "https://a.example/?a=1&b=''"
    lines = [text.replace("\r\n", " ").replace("\t", " ") for text in HOSTILE]
    catalogues = {one.stem: catalogue for one in CATALOGUES if issubclass(one.record, PlainRecord)}
    others = HostileDrawer(DRAWN, countries=["de"], **dict.fromkeys(catalogues, numbers)).optional()
    site.write(
        **catalogues,
        laboratories=[
            others | laboratory(
                f"{number:05}", name=line, about=text, website=website, published_on="2024-05-01", rating=4, materials=numbers,
                test_categories=numbers, equipments=numbers, material_categories=numbers,
                resources=[{"id": 1, "title": line, "summary": text, "url": website}],
                landings_links=[{"title": line, "link": "/a?b='&c"}],
                job_listings=[{"id": 1, "title": line, "locality": line, "published_on": "2024-05-01", "url": website}],
                reviews=[{"id": 1, "title": line, "text": text, "author": line, "rating": 4, "created_on": "2024-05-01"}],
            )
            for number, (text, line) in enumerate(zip(HOSTILE, lines, strict=True))
        ],
    )  # fmt: skip
    assert not site.build().errors
    return site


def test_the_text_of_every_block_is_its_document(hostile):
    pages = list(hostile.out.rglob("api.html"))
    own = [path for path in pages if path.is_relative_to(hostile.out / "api")]
    assert len(own) == len(HOSTILE) * len(PER_LABORATORY) + len(PER_SITE) + 1
    assert len(pages) > len(own) + len(HOSTILE)
    wholes = hostile.out / "directory/v1/laboratories"
    for path in pages:
        if path.is_relative_to(wholes):
            continue  # these lead to the pages of the sections
        reader = Reader(path.read_bytes())
        assert reader.blocks == 1
        assert json.loads(reader.block) == json.loads((path.parent / "index.json").read_bytes())


SCRIPTS = (
    ["public"],
    ["embedded", "public"],
    ["script"],
    ["script", "reference"],
    ["search", "embedded"],
)
"""The scripts of a page: those of public pages, that of the others, and those of the reference and the search."""


def test_no_text_becomes_markup_and_nothing_runs(hostile):
    allowed = {
        "html", "head", "meta", "title", "link", "script", "body", "header", "main", "div", "nav", "section", "article",
        "h1", "h2", "h3", "p", "pre", "ol", "ul", "li", "dl", "dt", "dd", "table", "thead", "tbody", "tr", "th", "td",
        "a", "b", "bdi", "br", "button", "code", "em", "i", "img", "input", "label", "noscript", "output", "s", "small", "span", "strong", "sub",
        "sup", "time", "u", "wbr", "footer", "aside", "address", "details", "summary", "fieldset", "legend", "form", "h4",
        "select", "option",
    }  # fmt: skip
    for path in hostile.out.rglob("*.html"):
        tags = Reader(path.read_bytes()).tags
        assert {tag for tag, _ in tags} <= allowed
        scripts = [attributes for tag, attributes in tags if tag == "script"]
        own = [(one["src"] or "").rpartition("/")[2].partition(".")[0] for one in scripts]
        assert own in SCRIPTS
        for _, attributes in tags:
            assert not {name for name in attributes if name.startswith("on") or name == "style"}
            for name in ("href", "src"):
                assert not re.match(r"\s*(javascript|data|//)", attributes.get(name) or "", re.IGNORECASE)


def test_a_page_asks_no_other_site_for_anything(hostile):
    for path in hostile.out.rglob("*.html"):
        for tag, attributes in Reader(path.read_bytes()).tags:
            if tag == "link":
                target = attributes["href"] or ""
                folder = hostile.out if target.startswith("/") else path.parent
                assert (folder / target.lstrip("/")).resolve().is_file()
            if tag == "meta" and attributes.get("http-equiv"):
                assert (attributes["content"] or "").startswith("default-src 'none'; style-src 'self'")


@given(VALUES)
def test_a_block_parses_to_the_value_that_it_shows(value):
    block = render_block(
        value, Links({"url": LeadsTo.ITSELF, "link": LeadsTo.LABORATORY}, LinkContext())
    ).decode()
    assert json.loads(text_of(block)) == value


def text_of(markup: str) -> str:
    """Return the text of HTML."""
    return html.unescape(re.sub(r"<[^<>]*>", "", markup))


@pytest.mark.parametrize("count", [1, 50, 51, 100, 101])
def test_a_list_is_made_of_its_items_or_at_once(count):
    items = [{"id": number, "more": [1, 2], "of": {"b": None}} for number in range(count)]
    block = render_block(items, NO_LINKS)
    assert fill_list([render_item(item, NO_LINKS) for item in items]) == block
    assert json.loads(text_of(block.decode())) == items


def test_a_block_is_indented_by_two_spaces():
    document = {"a": [1, {"b": None}], "c": [], "d": {}, "e": "ä\n"}
    assert text_of(render_block(document, NO_LINKS).decode()) == json.dumps(
        document, indent=2, ensure_ascii=False
    )


def test_addresses_are_links_made_from_the_value_and_texts_that_look_like_addresses_are_not(site):
    record = ALPHA | {
        "website": "https://a.example/?a=1&b=2",
        "about": "https://b.example/",
        "locality": "/labor/",
    }
    site.write(laboratories=[record, BETA]).build()
    reader = Reader(site.read("api/v1/laboratory/laboratories/00001/", "api.html"))
    logos = [site.document("laboratories/00001")[key] for key in ("logo_url", "logo2x_url")]
    assert {(href, json.loads(text)) for href, text in reader.links if text.startswith('"')} == {
        ("../00001/api.html", "00001"),
        *((value, value) for value in ("https://a.example/?a=1&b=2", *logos)),
        *((f"{value}index.html", value) for value in ("/labor/00001/alpha/", "/land/deutschland/")),
    }


def test_the_fields_that_are_addresses_are_known_from_the_types():
    known = {endpoint.name: link_fields(endpoint.document) for endpoint in ENDPOINTS}
    assert known["laboratory"] == {"link", "logo_url", "logo2x_url", "url", "website"}
    assert known["gallery"] == {"preview_url", "large_url"}
    assert known["similar_labs"] == {"image_url", "link", "url"}
    assert known["resources"] == known["job_listings"] - {"link"} == {"url"}
    assert known["landings_links"] == {"link"}
    assert known["materials"] == known["upgrade_options"] == known["reviews"] == frozenset()


def test_links_of_records_that_may_lead_into_the_site_are_those_of_the_documents():
    published = {one.name: keeper_links(one.document) for one in ENDPOINTS if keeper_links(one.document)}
    assert published == {path[0]: {path[-1]} for path in LINKS}


def test_a_page_shows_where_it_is_and_what_was_asked_and_answered(site):
    site.build(hosts=("nginx",))
    page = site.read("api/v1/laboratory/laboratories/00001/materials/", "api.html").decode()
    text = re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", page)))
    assert "API Labore Alpha Materialien" in text
    assert "GET /api/v1/laboratory/laboratories/00001/materials/" in text
    assert "HTTP 200 OK Allow: GET, HEAD, OPTIONS Content-Type: application/json Vary: Accept" in text
    assert Reader(page.encode()).headings == ["Materialien – Alpha"]
    assert '<html lang="de">' in page


def with_all_shown(root: Path) -> tuple[Directory, list[Laboratory]]:
    """Return a project's directory, and its laboratories, each shown with all others."""
    with loaded(root) as (source, memory):
        at = places(memory, "display_id", display_ids(memory))
        shown = tuple(cards(memory, at).values())
        return source.shared.directory, source.laboratories(list(at.values()), [shown] * len(at))


@pytest.mark.parametrize("endpoint", PER_LABORATORY, ids=lambda one: one.name)
def test_built_in_pages_are_filled_frames_and_equal_full_renderings(hostile, endpoint):
    directory, laboratories = with_all_shown(hostile.root)
    templates, _ = load_templates(hostile.root)
    assert templates
    pages, in_full = (
        LaboratoryPages(endpoint, directory, templates, HostAbilities()),
        LaboratoryPages(endpoint, directory, templates, HostAbilities()),
    )
    in_full.has_frames = False
    renderer = LaboratoryRenderer(directory, templates, HostAbilities())
    for lab, neighbours in zip(laboratories, cycle(NEIGHBOURS), strict=False):
        _, block, _ = renderer.document(endpoint, lab)
        values = LaboratoryValues(lab, neighbours, renderer.endpoints, directory.language.words)
        assert pages.render(lab, block, values) == in_full.render(lab, block, values)
    for variant in (Variant(*flags) for flags in product([True, False], repeat=3)):
        assert pages.frame(variant) is not None


NEIGHBOURS = [Neighbours("00001", "00003"), Neighbours(None, "00003"), Neighbours("00001"), Neighbours()]


@pytest.mark.parametrize(
    ("use", "shown"),
    [
        ("{% if 'Wasserlabor' in title %}ja{% endif %}", "ja"), ("{{ title[:3] }}", "Was"), ("{{ title.upper() }}", "WASSERLABOR"), ("{{ title|length }}", "11"),
    ],
)  # fmt: skip
def test_a_template_may_look_into_text_that_it_captured(site, use, shown):
    site.file("templates/page.html", "{% set title %}{{ page.title }}{% endset %}" + use)
    site.write(laboratories=[ALPHA | {"name": "Wasserlabor"}, BETA]).build()
    assert site.read("api/v1/laboratory/laboratories/00001", "api.html").decode() == shown


@pytest.mark.parametrize("endpoint", PER_LABORATORY, ids=lambda one: one.name)
def test_what_is_made_of_shared_parts_equals_what_is_made_at_once(endpoint):
    root = Path(__file__).resolve().parent.parent
    directory, laboratories = with_all_shown(root)
    templates, _ = load_templates(root)
    assert templates
    renderer = LaboratoryRenderer(directory, templates, HostAbilities())
    for lab in laboratories:
        document = endpoint.make(lab, directory)
        at_once = render_document(document, renderer.links[endpoint.name])
        made = renderer.document(endpoint, lab)
        assert made.json == at_once.json
        assert re.sub(b"</?code>", b"", made.block) == re.sub(b"</?code>", b"", at_once.block)


@pytest.mark.parametrize("is_deep", [True, False])
def test_objects_made_of_shapes_equal_those_that_are_made_at_once(hostile, is_deep):
    templates, _ = load_templates(hostile.root)
    assert templates
    site = site_values(with_all_shown(hostile.root)[0], templates, HostAbilities())
    kinds = {
        "display_id": LeadsTo.LABORATORY,
        "url": LeadsTo.WEBSITE,
        "image_url": LeadsTo.ITSELF,
        "link": LeadsTo.ANY,
    }
    links = Links(kinds, LinkContext("", "https://www.example.org", "../"))
    view = View(templates, "card.html", {"site": site})
    renderer = ItemRenderer(links, view, depth=2, is_deep=is_deep)
    country = st.fixed_dictionaries({"name": TEXTS, "link": TEXTS | st.none()})
    items = st.fixed_dictionaries(
        {"display_id": TEXTS, "name": TEXTS, "image_url": TEXTS | st.none(), "locality": TEXTS}
        | {"country": country, "url": TEXTS | st.sampled_from(HOSTILE), "flag": st.booleans(), "more": VALUES}
    )

    ends = dict.fromkeys(["display_id", "name", "image_url", "locality", "url"], 'Labor "X",')

    @given(items)
    @example(ends | {"country": {"name": '",', "link": '",'}, "flag": True, "more": None})
    def check(item: dict[str, Any]) -> None:
        at_once = Rendered(render_json(item), render_item(item, links, 2), view.render(item, "/"))
        assert renderer.render(item, "/") == at_once

    check()
    shapes = renderer.shapes.values()
    assert sum(shape is not None for shape in shapes) > len(shapes) / 2
    assert all(shape.view for shape in shapes if shape)


EXTENDED = '{% extends "built-in/page.html" %}{% block main %}{{ super() }}<p>Fragen?</p>{% endblock %}'


@pytest.mark.parametrize("page", [None, EXTENDED])
def test_pages_of_laboratories_and_lists_and_views_of_objects_are_frames(hostile, page):
    if page:
        hostile.file("templates/page.html", page)
    directory, laboratories = with_all_shown(hostile.root)
    templates, _ = load_templates(hostile.root)
    assert templates
    renderer = LaboratoryRenderer(directory, templates, HostAbilities())
    renderer.files([(lab, Neighbours()) for lab in laboratories])
    views = [one for one in renderer.objects.values() if one.view]
    assert views
    assert all(shape and shape.view for one in views for shape in one.shapes.values())
    frames = [one.frame for one in renderer.pages.values()]
    frames += [ListPages(one, directory, templates, HostAbilities()).frame for one in PAGED]
    variants = [Variant(*flags) for flags in product([True, False], repeat=3)]
    assert all(frame(variant) for frame in frames for variant in variants)


def test_a_template_that_looks_into_items_gets_them_whole(hostile):
    hostile.file(
        "templates/card.html", "{{ item.name|upper }}{% if item.locality %}!{% endif %}{{ item.url }}"
    )
    assert not hostile.build().errors
    page = hostile.read("/", "index.html").decode()
    assert "&lt;/SCRIPT&gt;&lt;SCRIPT&gt;ALERT(1)&lt;/SCRIPT&gt;/labor/" in page


def test_every_link_between_pages_leads_to_a_file(site):
    site.build()
    for path in site.out.rglob("*.html"):
        reader = Reader(path.read_bytes())
        for href, _ in reader.links:
            if href.startswith("#"):
                assert href[1:] in reader.ids, (path, href)
            elif not href.startswith("https://"):
                folder = site.out if href.startswith("/") else path.parent
                name = re.split("[?#]", href)[0].lstrip("/")
                name += "index.html" if name.endswith("/") else ""
                assert (folder / name).resolve().is_file(), (path, href)


def test_a_project_overrides_templates_and_static_files_one_by_one(site):
    site.file(
        "templates/page.html",
        '{% extends "frame.html" %}{% block main %}<b>{{ document|length }}</b>{% endblock %}',
    )
    site.file("templates/static/style.css", "b { color: red }").build()
    page = site.read("api/v1/laboratory/laboratories/00001/gallery/", "api.html").decode()
    assert "<b>0</b>" in page
    (style,) = site.out.glob("static/style.*.css")
    assert style.read_text() == "b { color: red }"
    assert style.name in page
    assert len(list(site.out.glob("static/icon.*.svg"))) == 1


def test_a_template_that_fails_is_reported_once_with_its_line_and_path_and_nothing_is_written(site):
    before = site.build() and site.tree()
    site.file("templates/page.html", "<p>\n{{ document.display_id }}</p>")
    (problem,) = site.build().problems
    assert problem.problem.message == (
        "the template fails: 'dict object' has no attribute 'display_id' "
        "(rendering /api/v1/laboratory/upgrade-options/)"
    )
    assert (problem.problem.place.file, problem.span and problem.span.line) == ("templates/page.html", 2)
    assert site.tree() == before


def test_the_address_of_an_entry_is_its_id_and_a_link_or_else_its_place(site):
    review = {"id": 7, "title": "Gut", "rating": 4, "created_on": "2024-05-01"}
    alpha = ALPHA | {"materials": [12, 471], "similar_labs": ["00002"], "reviews": [review]}
    site.write(laboratories=[alpha, BETA]).build()
    for path, ids in (
        ("laboratories/", ["00001", "00002"]),
        ("laboratories/00001/similar_labs/", ["00002"]),
        ("laboratories/00001/materials/", ["12", "471"]),
        ("laboratories/00001/reviews/", ["7"]),
        ("upgrade-options/", ["1", "2"]),
    ):
        page = Reader(site.read(f"api/v1/laboratory/{path}", "api.html"))
        assert sorted(one for one in page.ids if one.isdigit()) == ids
        linked = {href.removeprefix("#") for href, _ in page.links if href.startswith("#")}
        assert linked >= set(ids) or not path.endswith(("materials/", "reviews/"))


def test_a_page_counts_the_entries_of_its_siblings(site):
    site.write(laboratories=[ALPHA | {"materials": [12, 471]}, BETA]).build()
    page = site.read("api/v1/laboratory/laboratories/00001/gallery/", "api.html").decode()
    assert "Materialien <small>2</small>" in page
    assert "Galerie <small>0</small>" in page


def test_who_comes_or_goes_reaches_the_laboratories_on_both_sides_and_no_other(site):
    four = [laboratory(f"0000{number}") for number in (1, 3, 5, 7)]
    site.write(laboratories=four).build()
    came = site.write(laboratories=[*four, laboratory("00004")]).build()
    assert laboratories_of(came.written.written) == {
        "00003",
        "00004",
        "00005",
    }
    gone = site.write(laboratories=four).build()
    assert laboratories_of(gone.written.written) == {
        "00003",
        "00005",
    }


def test_a_page_leads_to_the_laboratories_before_and_after_it(site):
    site.write(laboratories=[ALPHA, BETA, laboratory("00003")]).build()
    page = Reader(site.read("api/v1/laboratory/laboratories/00002/gallery/", "api.html"))
    assert [href for href, _ in page.links if "/gallery/" in href and href.startswith("../../")] == [
        "../../00001/gallery/api.html",
        "../../00003/gallery/api.html",
    ]
    first = site.read("api/v1/laboratory/laboratories/00001/", "api.html")
    last = site.read("api/v1/laboratory/laboratories/00003/", "api.html")
    assert (b'rel="prev"' in first, b'rel="next"' in first) == (False, True)
    assert (b'rel="prev"' in last, b'rel="next"' in last) == (True, False)


def test_the_front_page_counts_and_leads_to_values_countries_and_the_newest(site):
    labs = [
        ALPHA | {"materials": [12], "locality": "Köln", "published_on": "2024-05-01"},
        BETA | {"materials": [12, 471]},
    ]
    site.write(laboratories=labs).build()
    page = site.read("/", "index.html").decode()
    for href in (
        "suche/materials/12/index.html",
        "/labor/00001/alpha/index.html",
        "land/deutschland/index.html",
        "land/deutschland/index.html#town-koeln",
    ):
        assert f'href="{href}"' in page
    assert "2 Prüflabore in einem Land: Akkreditierungen, Prüfverfahren und Normen." in page
    for href in ("reference/index.html", "openapi.json", "api/v1/laboratory/laboratories/api.html"):
        assert f'href="{href}"' in page


@pytest.mark.parametrize(
    ("language", "one", "plurals"),
    [
        ("de", "1 Prüflabor in einem Land", "Prüflabore|Labore|Ländern?|Bewertungen|Orten?|Prüfverfahren|Normen"),
        ("en", "1 testing laboratory in one country", "(?:testing )?laboratories|countries|reviews|places"),
        ("fr", "1 laboratoire d’essais dans un pays", "laboratoires|localités|méthodes|normes"),
        ("it", "1 laboratorio di prova in un paese", "laboratori|paesi|recensioni|metodi|norme"),
    ],
)  # fmt: skip
def test_one_of_a_kind_is_written_in_the_singular(site, language, one, plurals):
    review = {"id": 1, "title": "Gut", "rating": 4, "created_on": "2024-05-06"}
    lab = ALPHA | {"locality": "Köln", "materials": [12], "standards": [3001], "reviews": [review]}
    site.file("data/site.toml", f'language = "{language}"\nnoindex = false\n{SITE}')
    site.write(standards=[{"id": 3001, "search_val": "a", "title": "ISO 1"}], laboratories=[lab]).build()
    pages = {name: data.decode() for name, data in site.tree().items() if name.endswith("index.html")}
    assert pages["index.html"].count(one) == 3, "description, Open Graph and text"
    for name, page in pages.items():
        heads = re.findall('<title>[^<]*|content="[^"]*', page)
        lines = re.sub("</?(?:a|b|bdi|small|span)\\b[^>]*>", "", page.partition("<body>")[2]).split("<")
        assert not re.findall(rf"(?i)(?<![\d.,])1\s+(?:{plurals})\b", "<".join(heads + lines)), name


@pytest.mark.parametrize("language", ["de", "en"])
def test_pages_are_in_the_language_of_the_site(site, language):
    site.file("data/site.toml", f'language = "{language}"\n{SITE}').build()
    for name in site.tree():
        if name.endswith(".html"):
            assert f'<html lang="{language}">' in (site.out / name).read_text(encoding="utf-8")


def test_search_engines_are_asked_to_leave_pages_out_unless_the_settings_say_otherwise(site):
    robots = b'<meta name="robots" content="noindex">'
    site.build()
    assert all(robots in data for name, data in site.tree().items() if name.endswith(".html"))
    site.file("data/site.toml", f"noindex = false\n{SITE}").build()
    whole = (f"directory/v1/laboratories/{one}/api.html" for one in ("00001", "00002"))
    assert {name for name, data in site.tree().items() if robots in data} == {"404.html", *whole}


def test_a_view_for_people_is_one_template_that_a_project_may_override_or_add(site):
    site.file("templates/view-laboratory.html", "<p>Steckbrief von {{ document.name }}</p>{{ similar }}")
    site.file("templates/view-similar_labs.html", "<p>Karte von {{ item.name }}</p>")
    site.write(laboratories=[ALPHA | {"similar_labs": ["00002"]}, BETA]).build()
    page = site.read("labor/00001/alpha/", "index.html").decode()
    assert "<p>Steckbrief von Alpha</p>" in page
    assert "<p>Karte von Beta</p>" in page


def test_a_view_that_fails_is_reported_once_with_its_file_line_and_path(site):
    site.file("templates/view-gallery.html", "<p>\n\n{{ document.name }}")
    site.file("data/media/a.png", picture()).write(laboratories=[ALPHA | {"gallery": ["a.png"]}, BETA])
    (problem,) = site.build().problems
    assert (problem.problem.place.file, problem.span and problem.span.line) == (
        "templates/view-gallery.html",
        3,
    )
    assert "(rendering /api/v1/laboratory/laboratories/00001/gallery/)" in problem.problem.message


def test_the_variables_that_templates_receive_are_those_that_the_guide_names():
    guide = (Path(__file__).resolve().parent.parent / "docs/guides/templates.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(site|page)` \| (.*) \|$", guide, re.MULTILINE))
    for name, kind in (("site", SiteValues), ("page", Page)):
        known = {field.name for field in fields(kind)} | (
            {"front_page", "static", "number", "date", "rating"} if kind is SiteValues else set()
        )
        assert known - {"static_files", "looks_files", "looks_style", "documents"} <= set(
            re.findall(r"`(\w+)", rows[name])
        ), name


def test_a_page_of_1200_standards_is_little_more_than_twice_its_json_and_a_public_one_has_4_elements_an_entry(
    site,
):
    lines = (Path(__file__).parent.parent / "data/standards.jsonl").read_bytes().splitlines()[:1200]
    standards = [json.loads(line) for line in lines]
    record = ALPHA | {"standards": [one["id"] for one in standards]}
    site.write(standards=standards, laboratories=[record, BETA]).build()
    page = site.read("api/v1/laboratory/laboratories/00001/standards/", "api.html")
    document = site.read("api/v1/laboratory/laboratories/00001/standards/")
    assert len(page) <= 2.2 * len(document)
    assert len(Reader(page).tags) <= 12 * len(standards)
    public = site.read("labor/00001/alpha/", "index.html")
    assert len(Reader(public).tags) <= 4 * len(standards)
    assert len(gzip.compress(public)) <= 60 * 1024
    static = [
        data
        for name, data in site.tree().items()
        if name.startswith("static/") and name.endswith(("css", "js")) and name.encode() in page
    ]
    assert len(static) == 3
    assert sum(len(gzip.compress(data)) for data in static) <= 24 * 1024
