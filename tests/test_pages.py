"""The page of a path: its block is the document, its links are made from values, and it is safe."""

import html
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from conftest import ALPHA, BETA, SITE, laboratory
from hypothesis import given
from hypothesis import strategies as st

from labgen.directory import Directory, Laboratory
from labgen.inputs import find_inputs
from labgen.registry import link_fields
from labgen.render.block import render_block
from labgen.render.frames import html as html_of
from labgen.render.pages import LaboratoryPages
from labgen.render.site import LaboratoryRenderer, render_document
from labgen.render.templates import load_templates
from labgen.sections import ENDPOINTS, PER_LABORATORY
from labgen.source.load import load

TEXTS = st.text(
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


class Reader(HTMLParser):
    """Reads a page: the text of each element, the links, and the tags with their attributes."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.block = ""
        self.blocks = 0
        self.headings: list[str] = []
        self.links: list[tuple[str, str]] = []
        self._open: list[str] = []
        self.feed(page.decode())

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.blocks += tag == "pre"
        if tag not in {"meta", "link", "br"}:
            self._open.append(tag)
        if tag == "a":
            self.links.append((dict(attrs)["href"] or "", ""))

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        if "pre" in self._open:
            self.block += data
        if self._open and self._open[-1] == "h1":
            self.headings.append(data)
        if self._open and self._open[-1] == "a":
            self.links[-1] = (self.links[-1][0], self.links[-1][1] + data)


@pytest.fixture
def hostile(site):
    """A site whose every text tries to break out of its page."""
    site.file("data/site.toml", SITE.replace('"Verzeichnis"', json.dumps("V </title><b>")))
    site.write(
        materials=[{"id": number, "title": text} for number, text in enumerate(HOSTILE)],
        laboratories=[
            laboratory(f"{number:05}", name=text.replace("\r\n", " ").replace("\t", " "), about=text,
                       materials=list(range(len(HOSTILE))), website="https://a.example/?a=1&b='<'".replace("<", ""))
            for number, text in enumerate(HOSTILE)
        ],
    )  # fmt: skip
    assert not site.build().errors
    return site


def test_the_text_of_every_block_is_its_document(hostile):
    pages = list(hostile.out.rglob("api.html"))
    assert len(pages) == len(HOSTILE) * len(PER_LABORATORY) + 1
    for path in pages:
        reader = Reader(path.read_bytes())
        assert reader.blocks == 1
        assert json.loads(reader.block) == json.loads((path.parent / "index.json").read_bytes())


def test_no_text_becomes_markup_and_nothing_runs(hostile):
    allowed = {
        "html", "head", "meta", "title", "link", "body", "header", "main", "nav", "ol", "ul", "li", "a", "span", "h1", "p",
        "b", "br", "section", "pre",
    }  # fmt: skip
    for path in hostile.out.rglob("*.html"):
        tags = Reader(path.read_bytes()).tags
        assert {tag for tag, _ in tags} <= allowed
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
    block = render_block(value, frozenset({"url", "link"})).decode()
    assert json.loads(html.unescape(re.sub(r"</?a\b[^<>]*>", "", block))) == value


def test_a_block_is_indented_by_two_spaces():
    document = {"a": [1, {"b": None}], "c": [], "d": {}, "e": "ä\n"}
    assert html.unescape(render_block(document, frozenset()).decode()) == json.dumps(
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
    assert {(href, json.loads(text)) for href, text in reader.links if text.startswith('"')} == {
        (value, value)
        for value in [
            "/land/deutschland/", "/labor/00001/alpha/", "https://a.example/?a=1&b=2",
            *(site.document("laboratories/00001")[key] for key in ("logo_url", "logo2x_url")),
        ]
    }  # fmt: skip


def test_the_fields_that_are_addresses_are_known_from_the_types():
    known = {endpoint.name: link_fields(endpoint.document) for endpoint in ENDPOINTS}
    assert known["laboratory"] == {"link", "logo_url", "logo2x_url", "url", "website"}
    assert known["gallery"] == {"preview_url", "large_url"}
    assert known["similar_labs"] == {"image_url", "link", "url"}
    assert known["materials"] == known["upgrade_options"] == frozenset()


def test_a_page_shows_where_it_is_and_what_was_asked_and_answered(site):
    site.build()
    page = site.read("api/v1/laboratory/laboratories/00001/materials/", "api.html").decode()
    text = re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", page)))
    assert "API Labore Alpha Materialien" in text
    assert "GET /api/v1/laboratory/laboratories/00001/materials/" in text
    assert "HTTP 200 OK Allow: GET, HEAD, OPTIONS Content-Type: application/json Vary: Accept" in text
    assert Reader(page.encode()).headings == ["Materialien – Alpha"]
    assert '<html lang="de">' in page


def loaded(root: Path) -> tuple[Directory, list[Laboratory]]:
    """Return a project's directory, and its laboratories, each shown with all others."""
    source = load(root, find_inputs(root))
    cards = tuple(one.card for one in source.summaries.values())
    return source.shared.directory, [source.laboratory(one, cards) for one in source.summaries]


@pytest.mark.parametrize("endpoint", PER_LABORATORY, ids=lambda one: one.name)
def test_built_in_pages_are_filled_frames_and_equal_full_renderings(hostile, endpoint):
    directory, laboratories = loaded(hostile.root)
    templates, _ = load_templates(hostile.root)
    assert templates
    pages = LaboratoryPages(endpoint, directory, templates)
    filled, pages_in_full = pages.frame, LaboratoryPages(endpoint, directory, templates)
    pages_in_full.frame = None
    assert filled is not None
    for lab in laboratories:
        block = render_block(endpoint.make(lab, directory), link_fields(endpoint.document))
        name = html_of(lab.record.name)
        assert pages.render(lab, block, name) == pages_in_full.render(lab, block, name)


@pytest.mark.parametrize(
    "use",
    [
        "{% if page.title %}x{% endif %}", "{{ page.title|upper }}", "{{ page.title is none }}", "{{ page.title|length }}",
        "{{ page.title|safe }}", "{{ page.title == 'x' }}", "{{ page.title[0] }}", "{{ page.title.upper() }}", "{{ document }}",
        "{% filter upper %}{{ page.title }}{% endfilter %}", "{% set x %}{{ page.title }}{% endset %}{{ x|length }}",
        "{{ page.title|default('x') }}", "{% autoescape false %}{{ page.title }}{% endautoescape %}", "{{ 'x' in page.title }}",
        "{% for char in page.title %}{{ char }}{% endfor %}", "{{ page.title ~ '!' }}", "{{ page.title }}{{ page.title }}",
        "{{ '%s' % page.title }}", "{{ page.title + '' }}", "{{ page.breadcrumbs|map(attribute='title')|join }}",
        "{% if document is mapping %}m{% else %}l{% endif %}", "{% macro m(x) %}{{ x }}{% endmacro %}{{ m(page.title) }}",
    ],
)  # fmt: skip
def test_whatever_a_template_does_with_a_value_a_page_is_what_jinja_makes_of_it(hostile, use):
    (endpoint, *_) = PER_LABORATORY
    hostile.file("templates/page.html", use)
    directory, laboratories = loaded(hostile.root)
    templates, problems = load_templates(hostile.root)
    assert templates, problems
    pages, in_full = (
        LaboratoryPages(endpoint, directory, templates),
        LaboratoryPages(endpoint, directory, templates),
    )
    in_full.frame = None
    for lab in laboratories:
        name = html_of(lab.record.name)
        assert pages.render(lab, b"{}", name) == in_full.render(lab, b"{}", name)


@pytest.mark.parametrize("endpoint", PER_LABORATORY, ids=lambda one: one.name)
def test_what_is_made_of_shared_parts_equals_what_is_made_at_once(endpoint):
    root = Path(__file__).resolve().parent.parent
    directory, laboratories = loaded(root)
    templates, _ = load_templates(root)
    assert templates
    renderer = LaboratoryRenderer(directory, templates)
    for lab in laboratories:
        document = endpoint.make(lab, directory)
        assert renderer.document(endpoint, lab) == render_document(document, endpoint.document)


def test_every_link_between_pages_leads_to_a_file(site):
    site.build()
    for path in site.out.rglob("api.html"):
        for href, text in Reader(path.read_bytes()).links:
            if not text.startswith('"'):
                assert (path.parent / href).resolve().is_file(), (path, href)


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
