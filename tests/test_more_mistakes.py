"""More slips of tired keepers: each message says what is wrong, and its hint what to write instead."""

import json
from typing import Any

from conftest import ALPHA, BETA, SITE, picture

LAB = "data/laboratories/00001.json"
HEAD = 'display_id: "00003"\ncountry: de\ndeal_status: premium\nverification_status: partner\n'

VALUES: list[tuple[dict[str, Any], str]] = [
    ({"name": "#" * 22}, "a formula failed where the table was made"),
    ({"job_listings": [{"id": 1, "title": "2024-05-01", "published_on": "2026-01-01"}]}, 'format the column as text ("Zellen formatieren", "Text"), and write it again'),
    ({"materials": [None]}, "write a number, or remove it"),
    ({"country": ""}, 'write its iso_code, such as "de"'),
    ({"country": "Deutschlnad"}, 'did you mean "de" (Deutschland)?'),
    ({"country": "Lichtenstein"}, 'did you mean "li" (Liechtenstein)?'),
    ({"id": "00001"}, "did you mean `display_id`?"),
    ({"contact_person": {"encoded_email": "97,64"}}, "did you mean `email`?"),
    ({"contact_person": {"encoded_phone": "49"}}, "did you mean `phone`?"),
    ({"Bemerkung": "ruft an"}, "did you mean `_note`?"),
    ({"_comment": "alt"}, "did you mean `_note`?"),
    ({"accreditations": [{"body": "DAkkS"}]}, "did you mean `accreditation_body`?"),
    ({"website": "info@alpha.example"}, "this is an e-mail address: write it as `email` of `contact_person`"),
    ({"display_id": "1" * 65}, ""),
    ({"website": ["https://a.example"]}, "take away the brackets [ ]"),
    ({"website": ["https://a.example", "https://b.example"]}, "write one of them, without brackets"),
    ({"contact_person": {"email": ["a@b.example", "c@d.example"]}}, "write one of them, without brackets"),
    ({"contact_person": {"email": "erika (at) muster.example"}}, "did you mean erika@muster.example?"),
    ({"contact_person": "Erika Mustermann"}, "write its fields in braces: { … }"),
    ({"accreditations": ["D-PL-12345-01-00"]}, "write its fields in braces: { … }"),
    ({"resources": [{"id": 1, "title": "x", "url": "blatt.pdf"}]}, "write the whole address, or a path from / on: /blatt.pdf"),
    ({"focus": [30, 50]}, 'name the picture: {"halle.jpg": [30, 50]}'),
    ({"rating": 4, "reviews": [{"id": 1, "rating": 5, "created_on": "2024-05-01"}]}, "write 5.00"),
    ({"reviews": [{"id": 1, "rating": 5, "created_on": "2024-05-01"}]}, "add `rating`, with 5.00"),
    ({"resources": [{"id": "1.000", "title": "x", "url": "/x"}]}, "write 1000, or 1"),
    ({"logo": "logo.pdf"}, "export it as a JPEG or PNG"),
    ({"image": "bild.tiff"}, "export it as a JPEG or PNG"),
    ({"image": "halle.jpg"}, 'did you mean "halle.jpeg"?'),
    ({"image": "hale.jpeg"}, 'did you mean "halle.jpeg"?'),
    ({"image": "halle"}, 'did you mean "halle.jpeg"?'),
    ({"gallery": ["hale"]}, ""),
    ({"gallery": ["notiz"]}, ""),
    ({"gallery": ["halle.jpeg "]}, "remove the space"),
    ({"gallery": [" halle.jpeg"]}, 'did you mean "halle.jpeg"?'),
    ({"gallery": ["halle.jpeg", "halle.jpeg"]}, "remove one of the two"),
]  # fmt: skip


def test_what_to_write_instead_is_told_for_values(site):
    site.file("data/media/halle.jpeg", picture(kind="JPEG")).file("data/media/notiz", "x")
    for fields, hint in VALUES:
        record = {key: one for key, one in ALPHA.items() if key != "display_id" or "id" not in fields}
        site.write(laboratories=[BETA]).file(LAB, json.dumps(record | fields))
        codes = ("missing-field", "missing-file", "unused-image")
        assert [one.hint for one in site.check().found if one.code not in codes] == [hint], fields


def test_a_status_is_found_by_a_title_with_a_slip(site):
    site.file("data/site.toml", SITE.replace('premium = "Premium"', 'premium = "Kostenpflichtig"'))
    site.write(laboratories=[ALPHA | {"deal_status": "Kostenpflichtg"}, BETA | {"deal_status": "premium"}])
    assert [one.hint for one in site.check().found] == ["did you mean `premium` (Kostenpflichtig)?"]


SYNTAX = [
    ("json", '{"name" = "Alpha"}', (1, 9), "= stands where a colon should be", "write :"),
    ("json", '{"materials": {2, 3}}', (1, 16), "a key in double quotes is missing here", "a list stands in [ ]"),
    ("yaml", HEAD + '"name": "Labor",\n', (5, 16), "a comma stands behind the text", "remove it"),
    ("yaml", HEAD + "name: - Labor\n", (5, 7), "a list begins on a line of its own", "write it below, or in brackets: [ … ]"),
    ("yaml", HEAD + "name: L\nmaterials: [2, 3\nstandards: [1]\n", (6, 12), "this bracket is not closed", "write ]"),
    ("yaml", HEAD + "name: L\ncontact_person: {email: a@b.example\n", (6, 17), "this bracket is not closed", "write }"),
]  # fmt: skip


def test_slips_in_the_syntax_are_told_at_their_place(site):
    for suffix, text, place, message, hint in SYNTAX:
        site.write(laboratories=[BETA]).file(f"data/laboratories/00003.{suffix}", text)
        (found,) = site.check().problems
        assert (found.span[:2], found.problem.message, found.problem.hint) == (place, message, hint), text


TEMPLATES = [
    ("{{ document.nam }}", "'dict object' has no attribute 'nam'", "did you mean `name`?"),
    ("{{ document.name | uper }}", "there is no filter `uper`", "did you mean `upper`?"),
    ("{{ laboratory.name }}", "there is no variable `laboratory`", "the document is `document`"),
    ("{% if document %}x", "`if` is not closed", "write {% endif %}"),
    ("{% for x in document %}{% endif %}", "`endif` stands where `for` is still open", "write {% endfor %} before it"),
]  # fmt: skip


def test_slips_in_a_template_are_told_with_what_was_meant(site):
    for text, message, hint in TEMPLATES:
        (found,) = site.file("templates/view-laboratory.html", text).check().found
        assert found.message.partition(" (rendering")[0] == f"the template fails: {message}", text
        assert found.hint == hint, text


def test_what_the_policy_blocks_in_a_stylesheet_is_told_at_its_line(site):
    css = (
        "/* url(https://a.example/no.png) */\nbody { background: url('https://a.example/a.png') }\n"
        "h1 { background: url(b.png) }\n@import url(//a.example/b.css);\n@font-face { src: url(https://a.example/c.woff2) }\n"
    )
    found = site.file("templates/static/own.css", css).check().problems
    assert [(one.problem.code, one.span.line) for one in found] == [
        ("blocked-content", line) for line in (2, 4, 5)
    ]


def test_a_misspelt_rating_is_not_missing_as_well(site):
    reviews = [{"id": 1, "rating": 4, "created_on": "2024-01-31"}]
    outcome = site.write(laboratories=[ALPHA | {"reviews": reviews, "ratng": "4.00"}, BETA]).check()
    assert [one.hint for one in outcome.found] == ["did you mean `rating`?"]


def test_a_row_of_totals_is_no_entry(site):
    site.without("data/materials.json").file("data/materials.csv", "id,title\n12,Stahl\nSumme,1\n")
    assert [one.hint for one in site.check().found] == ["remove the row"]


def test_a_plan_may_be_called_like_totals(site):
    rows = "plan,plan_label,freq,billing_label\ntotal,Total,monthly,49 €\n"
    found = site.without("data/upgrade_options.json").file("data/upgrade_options.csv", rows).check().found
    assert {one.code for one in found} == {"unusual-option"}
