"""A project's own templates: what is wrong in them is a problem at its place, and nothing is written."""

import re

import jinja2
import pytest
from conftest import ALPHA, BETA, SITE, codes, lines
from hypothesis import given, settings
from hypothesis import strategies as st

from labgen.render.content_policy import blocked, tags_in

PAGE = "templates/page.html"
VIEW = "templates/view-laboratory.html"
FAILING = [
    # files that are no text in UTF-8
    ({VIEW: "<p>Prüfung".encode("cp1252")}, f"not-utf-8 {VIEW}:1:6 \ufffd"),
    ({VIEW: "<p>Prüfung".encode("utf-16")}, f"not-utf-8 {VIEW}"),
    ({VIEW: "<p>Prüfung".encode("utf-16-le")}, f"not-utf-8 {VIEW}"),
    ({VIEW: "\ufeff<p>Prüfung"}, f"byte-order-mark {VIEW}:1:1 <"),
    ({PAGE: " \n"}, f"empty-file {PAGE}:1:1"),
    ({VIEW: "x\n<<<<<<< HEAD\nb"}, f"merge-conflict {VIEW}:2:1 <<<<<<<"),
    ({VIEW: '{% include "parts/a.txt" %}', "templates/parts/a.txt": b"x\n\xe4"}, "not-utf-8 templates/parts/a.txt:2:1 \ufffd"),
    # characters that no page may hold
    ({VIEW: "<p>\n<b>\x0b</b>"}, f"control-character {VIEW}:2:4"),
    ({VIEW: "\n{{ 'a\x00b' }}"}, f"control-character {VIEW}:2:6 \x00"),
    ({VIEW: '\n{{ "a\\x0bb" }}'}, f"control-character {VIEW}:2:1 {{"),
    ({VIEW: '\n{{ "a\\ud800b" }}'}, f"control-character {VIEW}:2:1 {{"),
    ({VIEW: '{% filter replace("x", "\\x00") %}x{% endfilter %}'}, f"control-character {VIEW}"),
    ({PAGE: '\n{{ page.title ~ "\\x1b" }}'}, f"control-character {PAGE}:2:1 {{"),
    # what fails when it is compiled, or rendered
    ({VIEW: "\n{{ document.name|uper }}"}, f"template-error {VIEW}:2:1 {{"),
    ({VIEW: "\n{% if document %}{{ document.name|uper }}{% endif %}"}, f"template-error {VIEW}:2:1 {{"),
    ({VIEW: "\n{{ 1 // 0 }}"}, f"template-error {VIEW}:2:1 {{"),
    ({VIEW: '\n{% include "view-laboratory.html" %}'}, f"template-error {VIEW}:2:1 {{"),
    ({VIEW: "{% macro m() %}\n{{ m() }}{% endmacro %}{{ m() }}"}, f"template-error {VIEW}:2:1 {{"),
    ({PAGE: '{% extends "page.html" %}'}, f"template-error {PAGE}:1:1 {{"),
    ({PAGE: "\n{% set t %}{{ page.title }}{% endset %}{{ t[0] // 1 }}"}, f"template-error {PAGE}:2:1 {{"),
    ({VIEW: '\n{% include "parts/a.txt" %}', "templates/parts/a.txt": "x\n{{ nothing }}"}, "template-error templates/parts/a.txt:2:1 {"),
    # values that are no text
    ({VIEW: "\n{{ document.name.upper }}"}, f"template-error {VIEW}:2:1 {{"),
    ({VIEW: "\n{{ [document.name]|map('upper') }}"}, f"template-error {VIEW}:2:1 {{"),
    ({VIEW: "\n{{ [[document.name]|map('upper')] }}"}, f"template-error {VIEW}:2:1 {{"),
    ({VIEW: "{% macro m() %}{% include 'parts/a.txt' without context %}{% endmacro %}\n{{ m() }}", "templates/parts/a.txt": "x"}, f"template-error {VIEW}:2:1 {{"),
    ({VIEW: "\n{{ site.static }}"}, f"template-error {VIEW}:2:1 {{"),
    ({VIEW: "\n{{ joiner('x') }}"}, f"template-error {VIEW}:2:1 {{"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "expected"), FAILING, ids=lambda value: str(value)[:80])
def test_a_template_that_fails_is_one_problem_at_its_place_and_nothing_is_written(site, files, expected):
    for name, content in files.items():
        site.file(name, content)
    assert lines(site.check())[:1] == [expected]
    outcome = site.build()
    assert (lines(outcome), outcome.written, site.tree()) == ([expected], None, {})


def test_texts_of_the_data_with_odd_characters_pass_a_template_unchanged(site):
    name = "Labor\x85\u2028\ufeff\U0001f9ea"
    site.file(PAGE, "{% set t = page.title ~ '' %}{{ t }}").write(laboratories=[ALPHA | {"name": name}, BETA])
    assert not site.build().errors
    assert site.read("api/v1/laboratory/laboratories/00001", "api.html").decode() == name


@pytest.mark.parametrize(
    "value", ["cycler('odd', 'even')", "namespace(n=0)", "joiner(', ')", "['a']|map('upper')"]
)
def test_what_changes_from_page_to_page_cannot_be_shared_by_an_import(site, value):
    site.file("templates/parts.html", f"{{% set state = {value} %}}")
    site.file(PAGE, "\n{% from 'parts.html' import state %}")
    assert lines(site.check()) == [f"template-error {PAGE}:2:1 {{"]
    site.file(PAGE, "{% from 'parts.html' import state with context %}")
    assert codes(site.check()) == []


@pytest.mark.parametrize("use", ["site.texts.update(api='x')", "site.static_files.clear()"])
def test_a_template_cannot_change_what_all_pages_share(site, use):
    assert lines(site.file(PAGE, f"{{{{ {use} }}}}").check()) == [f"template-error {PAGE}:1:1 {{"]


def test_what_a_template_does_to_its_document_reaches_no_other_file(site):
    review = {"id": 1, "rating": 4, "created_on": "2024-05-01"}
    site.write(laboratories=[ALPHA | {"reviews": [review]}, BETA]).build()
    before = site.tree()
    site.file("templates/view-reviews.html", "{{ document.clear() or '' }}").build()
    assert [name for name, data in site.tree().items() if before[name] != data and "labor/" not in name] == [
        ".labgen-site.json",
        "manifest/0000.json",
        "manifest/index.json",
    ]


def test_a_contact_in_a_template_below_a_folder_is_found(site):
    site.write(laboratories=[ALPHA | {"contact_person": {"email": "labor@alpha.example"}}, BETA])
    assert lines(site.file("templates/parts/a.txt", "labor@alpha.example").check()) == [
        "contact-in-text templates/parts/a.txt"
    ]


EXTENDS = '{% extends "built-in/page.html" %}\n'
FRAME, IN_FRAME = "templates/frame.html", '{% extends "built-in/frame.html" %}\n'
SLIPS = [
    ({"templates/view-laboratry.html": "x"}, "unused-template templates/view-laboratry.html", "did you mean `view-laboratory.html`?"),
    ({"templates/Page.html": "x"}, "unused-template templates/Page.html", "did you mean `page.html`?"),
    ({"templates/page.htm": "x"}, "unused-template templates/page.htm", "did you mean `page.html`?"),
    ({"templates/teil.html": "x"}, "unused-template templates/teil.html", ""),
    ({"templates/view-new.html": "x"}, "unused-template templates/view-new.html", "public pages are made of the documents of laboratories"),
    ({PAGE: EXTENDS + "{% block mian %}x{% endblock %}"}, f"unused-block {PAGE}:2:1 {{", "did you mean `main`?"),
    ({PAGE: EXTENDS + "{% if page %}{% block a %}{% block b %}{% endblock %}{% endblock %}{% endif %}"}, f"unused-block {PAGE}:2:1 {{", ""),
    ({FRAME: IN_FRAME + "{% block main %}x{% endblock %}"}, f"unused-block {FRAME}:2:1 {{", "write it into their templates"),
    ({PAGE: EXTENDS + "{% block main %}x{% endblock %}\n{% block heading %}y{% endblock %}"}, f"unused-block {PAGE}:3:1 {{", "move it there, or write {{ super() }} there"),
    ({FRAME: IN_FRAME + "{% block main %}x{% endblock %}", PAGE: EXTENDS + "{% block head %}x{% endblock %}"}, f"unused-block {FRAME}:2:1 {{", "write it into their templates"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "expected", "hint"), SLIPS, ids=lambda value: str(value)[:80])
def test_a_slip_in_the_name_of_a_template_or_a_block_is_a_warning(site, files, expected, hint):
    for name, content in files.items():
        site.file(name, content)
    outcome = site.check()
    assert (lines(outcome), outcome.problems[0].problem.hint, outcome.errors) == ([expected], hint, 0)


SHOWN = [
    {FRAME: IN_FRAME + "{% block head %}x{% endblock %}{% block footer %}{{ super() }}{% endblock %}"},
    {FRAME: IN_FRAME + "{% block main %}x{% endblock %}", PAGE: EXTENDS + "{% block main %}{{ super.super() }}{{ super() }}{% endblock %}"},
    {FRAME: IN_FRAME + "{% block main %}x{% endblock %}", PAGE: '{% extends "frame.html" %}'},
    {PAGE: EXTENDS + "{% block main %}{{ super() }}{% endblock %}{% block heading %}x{% endblock %}"},
    {PAGE: EXTENDS + "{% block main %}{% block heading %}x{% endblock %}{% endblock %}"},
    {PAGE: EXTENDS + "{% block main %}{{ self.mine() }}{% endblock %}{% block mine %}x{% endblock %}"},
    {FRAME: "<title>{% block title %}x{% endblock %}</title><main>{% block main %}y{% endblock %}</main>"},
    {PAGE: '{% set frame = "frame.html" %}{% extends frame %}{% block what %}x{% endblock %}'},
]  # fmt: skip


@pytest.mark.parametrize("files", SHOWN, ids=str)
def test_a_block_that_a_page_shows_is_no_problem(site, files):
    for name, content in files.items():
        site.file(name, content)
    assert lines(site.check()) == []


def test_what_the_frame_of_a_project_puts_into_the_head_and_the_policy_is_on_all_pages(site):
    head = (
        "{% block head %}<meta name='mine'>{% endblock %}{% block policy %}; media-src 'self'{% endblock %}"
    )
    site.write(laboratories=[ALPHA | {"materials": [12]}, BETA])
    assert site.file(FRAME, IN_FRAME + head).build().found == []
    pages = {name: data for name, data in site.tree().items() if name.endswith(".html")}
    assert {"index.html", "404.html", "reference/index.html", "suche/index.html", "suche/materials/index.html"} < pages.keys()  # fmt: skip
    lacking = [name for name, data in pages.items() if b"<meta name='mine'>" not in data or b"; media-src 'self'" not in data]  # fmt: skip
    assert lacking == []


def test_a_slip_in_the_name_that_a_template_refers_to_is_explained(site):
    (problem,) = site.file(PAGE, '{% extends "frme.html" %}').check().problems
    assert (problem.problem.message[:46], problem.problem.hint) == (
        "the template fails: there is no template `frme",
        "did you mean `frame.html`?",
    )


@pytest.mark.parametrize("extended", ["page.html", "builtin/page.html"])
def test_a_template_that_means_to_extend_the_one_it_overrides_is_told_its_name(site, extended):
    (problem,) = site.file(PAGE, f'{{% extends "{extended}" %}}').check().found
    assert "`built-in/page.html`" in problem.hint


LEFT_OUT = ["id_rsa", "x.bak", "a.css~", "x.php", "#a.css#", "a.css.swp", "app.js.map", "dump.sql", "backup.zip", "secrets.env", "config.yaml", "style.css.orig", "notes.md", "Makefile"]  # fmt: skip
HIDDEN = [".env", ".DS_Store", ".htpasswd", ".a.css.swp", "Thumbs.db", "desktop.ini"]
FOR_BROWSERS = ["a.css", "A.CSS", "b.min.js", "c.svg", "d.PNG", "e.woff2", "f.pdf", "g.webmanifest", "h.json"]


def static_names(site) -> set[str]:
    """Return the names of the static files that are published, without their digests."""
    return {re.sub(r"\.[0-9a-f]{12}", "", path.name, count=1) for path in (site.out / "static").iterdir()}


def test_only_static_files_for_browsers_are_published_and_others_are_warned_of(site):
    for name in (*LEFT_OUT, *HIDDEN, *FOR_BROWSERS):
        site.file(f"templates/static/{name}", "")
    outcome = site.build()
    assert set(FOR_BROWSERS) <= static_names(site)
    assert not static_names(site).intersection([*LEFT_OUT, *HIDDEN])
    assert lines(outcome) == [f"unpublished-file templates/static/{name}" for name in sorted(LEFT_OUT)]


@pytest.mark.parametrize("names", [["x.php", "app.js.map"], ["*.php", "*.map"], ["*"]])
def test_other_static_files_are_published_where_a_setting_names_them(site, names):
    for name in ("x.php", "app.js.map", ".env"):
        site.file(f"templates/static/{name}", "")
    outcome = site.file("data/site.toml", f"static_files = {names}\n{SITE}").build()
    assert lines(outcome) == []
    assert {"x.php", "app.js.map"} <= static_names(site)
    assert ".env" not in static_names(site)


def test_a_logo_is_published_whatever_its_name_is(site):
    site.file("templates/static/logo.jxl", "").file("data/site.toml", f'{SITE}[looks]\nlogo = "logo.jxl"\n')
    assert lines(site.build()) == []
    assert "logo.jxl" in static_names(site)


@pytest.mark.parametrize(
    "name",
    [
        "/media/x.php",
        "/media/.env",
        "/media/.a.png",
        "/media/a.png~",
        "/media/id_rsa",
        "/media/../a.png",
        "/media/a.svgz",
    ],
)
def test_pictures_that_are_published_as_they_are_have_the_names_of_pictures(site, name):
    site.file(f"data/media/published/{name.removeprefix('/media/')}", "")
    outcome = site.write(laboratories=[ALPHA | {"logo": name}, BETA]).build()
    assert outcome.errors
    assert not site.out.exists()


def test_a_slip_in_the_name_of_a_static_file_is_explained(site):
    (problem,) = site.file(PAGE, "{{ site.static('styl.css') }}").check().found
    assert problem.message.startswith(
        "the template fails: there is no static file `styl.css`: did you mean `style.css`?"
    )


def test_what_an_editor_leaves_among_templates_is_passed_over(site):
    site.file("templates/._page.html", b"\x00\xff").file("templates/~page.html", "{{")
    (site.root / "templates/.#page.html").symlink_to("nobody@nowhere")
    assert lines(site.check()) == []


@pytest.mark.parametrize("name", ["templates", "templates/static", "templates/parts"])
def test_a_folder_of_templates_that_may_not_be_read_is_a_problem(open_site, name):
    open_site.file("templates/page.html", '{% include "parts/a.html" ignore missing %}').file(
        f"{name}/a.html", "x"
    )
    (open_site.root / name).chmod(0)
    try:
        assert lines(open_site.check())[0].startswith(f"unreadable-file {name}")
        assert open_site.build().written is None
    finally:
        (open_site.root / name).chmod(0o755)


BLOCKED = [
    "<style>b { color: red }</style>", '<b style="color: red">', "<script>go()</script>", '<script type="module">go()</script>', '<p onclick="go()">', '<a href="javascript:go()">',
    '<img src="https://x.example/a.png">', '<img src="//x.example/a.png">', '<img src="data:image/png;base64,AA">', '<img srcset="/a.png 1x, https://x.example/b.png 2x">',
    '<script src="https://x.example/a.js"></script>', '<link rel="stylesheet" href="https://x.example/a.css">', '<iframe src="/a.html"></iframe>', '<video src="/a.webm"></video>',
    '<form action="https://x.example/"></form>', '<base href="/">', '<img\nsrc="https://{{ site.name }}/a.png">', '<b style="{{ site.name }}">',
]  # fmt: skip


@pytest.mark.parametrize("markup", BLOCKED)
def test_what_the_policy_of_the_page_blocks_is_a_warning(site, markup):
    outcome = site.file(VIEW, "<p>\n{% if document %}\n" + markup + "{% endif %}").check()
    assert [one.rstrip("<b") for one in lines(outcome)] == [f"blocked-content {VIEW}:3:1 "]
    assert outcome.errors == 0


@pytest.mark.parametrize(
    "files",
    [
        {VIEW: '{% include "teil.html" %}', "templates/teil.html": "x"},
        {VIEW: "{% include document.name ~ '.html' ignore missing %}", "templates/teil.html": "x"},
        {"templates/LIESMICH.md": "x", "templates/parts/x.html": "x"},
        {"templates/view-materials.html": "x", "templates/view-materials.txt": "x"},
        {PAGE: EXTENDS + "{% block main %}{% block more %}{% endblock %}{% endblock %}"},
        {PAGE: EXTENDS + "{% block more %}x{% endblock %}{% block main %}{{ self.more() }}{% endblock %}"},
        {PAGE: "{% extends page.title and 'built-in/page.html' %}{% block more %}{% endblock %}"},
        {VIEW: '<img src="{{ document.logo_url }}" alt="<b style=x>"><script type="application/ld+json">{}</script><a href="https://x.example/">'},
        {VIEW: '<img src="{{ site.static(\'icon.svg\') }}"><link rel="icon" href="/x.svg"><form></form><![x[ <b style="a">'},
        {VIEW: '<b style="a"><img src="https://a.x.example/">', "templates/frame.html": "<meta http-equiv=Content-Security-Policy content=\"style-src 'unsafe-inline'; img-src *.x.example\">{% block main %}{% endblock %}"},
        {VIEW: '<b style="a"><img src="http://[">', "templates/frame.html": "{% block main %}{% endblock %}"},
    ],
    ids=str,
)  # fmt: skip
def test_what_is_right_in_templates_is_no_problem(site, files):
    for name, content in files.items():
        site.file(name, content)
    assert lines(site.check()) == []


PIECES = ["<", ">", "<!", "<![", "[", "]", "--", "<?", "</", "<style", "<script", " src=", " style=", " onx=", "=", '"', "'", "//", "http:", "x", " ", "\n", "&"]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES)).map("".join))
@settings(deadline=None)
def test_whatever_markup_stands_in_a_template_is_read_to_its_end(markup):
    tags = tags_in(jinja2.Environment(), markup)
    assert all(one.line <= markup.count("\n") + 1 for one in blocked(tags, {"default-src": ("'none'",)}))
