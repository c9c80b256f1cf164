"""A project's own templates: what is wrong in them is a problem at its place, and nothing is written."""

import pytest
from conftest import ALPHA, BETA, codes, lines

PAGE = "templates/page.html"
VIEW = "templates/view-laboratory.html"
FAILING = [
    # files that are no text in UTF-8
    ({VIEW: "<p>Prüfung".encode("cp1252")}, f"not-utf-8 {VIEW}:1:6 \ufffd"),
    ({VIEW: "<p>Prüfung".encode("utf-16")}, f"not-utf-8 {VIEW}:1:1 \ufffd"),
    ({VIEW: "<p>Prüfung".encode("utf-16-le")}, f"not-utf-8 {VIEW}:1:1 <"),
    ({VIEW: "\ufeff<p>Prüfung"}, f"byte-order-mark {VIEW}:1:1 <"),
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
    site.write(laboratories=[ALPHA | {"published_on": "2024-05-01"}, BETA]).build()
    before = site.tree()
    site.file("templates/view-new.html", "{{ document.clear() or '' }}").build()
    assert [name for name, data in site.tree().items() if before[name] != data and "new" not in name] == [
        ".labgen-site.json"
    ]


def test_a_contact_in_a_template_below_a_folder_is_found(site):
    site.write(laboratories=[ALPHA | {"contact_person": {"email": "labor@alpha.example"}}, BETA])
    assert lines(site.file("templates/parts/a.txt", "labor@alpha.example").check()) == [
        "contact-in-text templates/parts/a.txt"
    ]
