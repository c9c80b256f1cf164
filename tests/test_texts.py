"""Texts that were hardly meant as they are: each is published as it stands, with one warning."""

import pytest
from conftest import ALPHA, BETA, SITE, codes

from labgen.source.checks.texts import repaired


def found_in(site, field, text):
    """Return code, severity, message and hint of what is found in a text of a laboratory."""
    outcome = site.write(laboratories=[ALPHA | {field: text}, BETA]).check()
    return [(one.code, one.severity, one.message, one.hint) for one in outcome.found]


LOST = "a letter was lost when the data was saved in an encoding that lacks it: write it again"
WARNINGS = [
    ("name", "WerkstoffprÃ¼fung Nord", "mojibake", '`name` holds letters in the wrong encoding: "WerkstoffprÃ¼fung"', 'did you mean "Werkstoffprüfung"?'),
    ("about", "GrÃ¶ÃŸe â€“ 5 Â°C", "mojibake", '`about` holds letters in the wrong encoding: "GrÃ¶ÃŸe"', 'did you mean "Größe"?'),
    ("about", "MÃ¼ller", "mojibake", '`about` holds letters in the wrong encoding: "MÃ¼ller"', 'did you mean "Müller"?'),
    ("name", "Pr+APw-flabor +ANY-l", "mojibake", '`name` holds letters in the wrong encoding: "Pr+APw-flabor"', 'did you mean "Prüflabor"?'),
    ("about", "Gr+APYA3w-e, Stra+AN8-e", "mojibake", '`about` holds letters in the wrong encoding: "Gr+APYA3w-e"', 'did you mean "Größe"?'),
    ("locality", "D\ufffdsseldorf", "odd-character", "`locality` holds U+FFFD: a letter was lost when the text was converted", ""),
    ("name", "Pr?flabor K?ln", "odd-character", '`name` holds `?` in a word: "Pr?flabor"', LOST),
    ("about", "Wir pr?fen (auch Stra?en).", "odd-character", '`about` holds `?` in a word: "pr?fen"', LOST),
    ("name", "PR?FSTELLE", "odd-character", '`name` holds `?` in a word: "PR?FSTELLE"', LOST),
    *(("locality", text, "placeholder", f"`locality` is {quoted}, which counts as empty", "leave it empty") for text, quoted in [("k. A.", '"k. A."'), ("-", '"-"'), ("–", '"–"'), ("n/a", '"n/a"'), ("?", '"?"'), ("folgt", '"folgt"'), ("Unbekannt", '"Unbekannt"'), ("siehe oben", '"siehe oben"'), ("dto.", '"dto."'), ("TODO", '"TODO"'), ("xxx", '"xxx"'), ("keine Angabe", '"keine Angabe"')]),
    ("locality", "########", "placeholder", '`locality` is "########", which counts as empty', "a formula failed where the table was made"),
    ("name", "=VERKETTEN(A1;B1)", "placeholder", '`name` is "=VERKETTEN(A1;B1)", which is no text of yours', "write its value: what stands there is the formula"),
    ("locality", "=SVERWEIS(A2;Orte!A:B;2;0)", "placeholder", '`locality` is "=SVERWEIS(A2;Orte!A:B;2;0)", which is no text of yours', "write its value: what stands there is the formula"),
    ("name", "Pr&uuml;flabor", "entity", "`name` holds the HTML entity &uuml;, and clients show it as that", "write ü"),
    ("name", "Werk\u200bstoff", "invisible-character", '`name` holds U+200B (zero width space) after "Werk"', "remove it"),
    ("locality", "\u2060Bonn", "invisible-character", "`locality` holds U+2060 (word joiner) at its beginning", "remove it"),
    ("address", "Weg \ufeff1", "invisible-character", '`address` holds U+FEFF (zero width no-break space) after "Weg "', "remove it"),
    ("about", "Wir \u202eprüfen", "invisible-character", '`about` holds U+202E (right-to-left override) after "Wir "', "remove it"),
    ("locality", "\u200eBerlin", "invisible-character", "`locality` holds U+200E (left-to-right mark) at its beginning", "remove it"),
    ("about", "Halle N&deg; 3", "entity", "`about` holds the HTML entity &deg;, and clients show it as that", "write °"),
    ("about", "Stahl&nbsp;&amp; Holz", "entity", "`about` holds the HTML entity &nbsp;, and clients show it as that", "write a space"),
    ("about", "Stahl &#38; Holz", "entity", "`about` holds the HTML entity &#38;, and clients show it as that", "write &"),
    ("about", "Wir <b>prüfen</b>", "markup", '`about` holds "<b>", but it is plain text', "remove it: clients show it as it stands"),
    ("about", "Eins<br/>Zwei", "markup", '`about` holds "<br/>", but it is plain text', "write a line break instead"),
    ("address", "Weg 1, post@alpha.example", "email-in-text", "`address` publishes the e-mail address post@alpha.example plainly", "take it out, if it should not be collected"),
]  # fmt: skip


@pytest.mark.parametrize(("field", "text", "code", "message", "hint"), WARNINGS)
def test_a_text_that_was_hardly_meant_so_is_one_warning(site, field, text, code, message, hint):
    assert found_in(site, field, text) == [(code, "warning", message, hint)]


def test_an_error_in_one_field_does_not_hide_the_warnings_of_others(site):
    review = {"id": 1, "rating": 4, "created_on": "2024-01-31", "text": "Gut &amp; schnell"}
    fields = {"about": "PrÃ¼fung", "address": "Weg 1 ", "rating": "4.00", "reviews": [review]}
    wrong = {"website": "www.alpha.example", "adres": "Weg", "name": ""}
    outcome = site.write(laboratories=[ALPHA | fields | wrong, BETA]).check()
    errors = [one.code for one in outcome.found if one.severity == "error"]
    assert sorted(errors) == ["empty-text", "invalid-url", "unknown-field"]
    found = [(one.code, one.place.pointer) for one in outcome.found if one.severity == "warning"]
    assert sorted(found) == [
        ("entity", ("reviews", 0, "text")),
        ("mojibake", ("about",)),
        ("outer-space", ("address",)),
    ]


def test_an_error_and_a_warning_in_one_field_are_one_problem(site):
    assert codes(site.write(laboratories=[ALPHA | {"website": " www.a&amp;b"}, BETA]).check()) == [
        "invalid-url"
    ]


FINE = ["Was? Wie?", "Noch Fragen?Gern!", "www.a.example/suche?id=3", "seite?id=3", "(Warum?)", "R&D; Q&A;", "AT&T", "x < 5 mm, y > 3", "Partikel <PM10>", "a@b", "Café «CAFÉ»", "5 °C ±2 µm²", "São Paulo, JOÃO", "@labor", "50 €", "C++-Test", "A+APG-Labor", "+AMS-", "C18+AQC-3", "„Prüfung“ – ’gut’", "&", "Â", "â", "Ã"]  # fmt: skip


@pytest.mark.parametrize("text", FINE)
def test_a_text_that_only_looks_odd_is_fine(site, text):
    assert found_in(site, "about", text) == []


UNSEEN = ["Auf\u200clage", "Werkstoff\u00adprüfung", "Prüf-/\u200bKalibrierlabor", "می\u200cخواهم", "क्\u200dष", "👩\u200d🔬", "ห้อง\u200bแล็บ", "جامعة\u200e", "מעבדה\u200f (Labor)"]  # fmt: skip


@pytest.mark.parametrize("text", UNSEEN, ids=ascii)
def test_what_is_not_seen_but_has_its_use_is_fine(site, text):
    assert found_in(site, "name", text) == []


def test_every_letter_that_was_read_in_the_wrong_encoding_is_repaired():
    for encoding in ("cp1252", "latin-1"):
        for letter in "äöüÄÖÜßéèàçñ°²³µ§«»–„“”’…€":
            wrong = letter.encode().decode(encoding, "ignore" if encoding == "latin-1" else "replace")
            assert "\ufffd" in wrong or repaired(wrong) == letter


def test_a_contacts_address_in_a_text_is_an_error_and_no_warning_beside_it(site):
    mail = {"contact_person": {"email": "a@alpha.example"}}
    site.write(
        laboratories=[ALPHA | mail | {"about": "a@alpha.example"}, BETA | {"about": "a@alpha.example"}]
    )
    assert codes(site.check()) == ["contact-in-text", "contact-in-text"]


def test_texts_of_the_settings_and_of_catalogues_are_looked_at_too(site):
    site.file(
        "data/site.toml", f'{SITE.replace("Verzeichnis", "Pr&uuml;f")}[sections]\nmaterials = "StÃ¤hle"\n'
    )
    site.write(
        equipments=[{"id": 1, "title": "Presse <b>"}],
        standards=[{"id": 1, "title": "N&deg; 3", "search_val": "n", "summary": "M&uuml;ll"}],
    )
    found = [
        (one.code, one.place.file.removeprefix("data/"), one.place.pointer) for one in site.check().found
    ]
    assert found == [
        ("entity", "site.toml", ("name",)), ("mojibake", "site.toml", ("sections", "materials")), ("entity", "standards.json", (0, "title")),
        ("entity", "standards.json", (0, "summary")), ("markup", "equipments.json", (0, "title")),
    ]  # fmt: skip


def test_a_title_and_a_search_value_that_stand_twice_in_a_catalogue_are_warnings(site):
    one = {"title": "EN 1", "search_val": "en1"}
    site.write(
        equipments=[{"id": 1, "title": "Presse"}, {"id": 2, "title": " presse"}],
        standards=[{"id": 1} | one, {"id": 2} | one, {"id": 3, "title": "EN 2", "search_val": "en1"}],
        countries=[{"iso_code": "de", "name": "Deutschland"}, {"iso_code": "dd", "name": "Deutschland"}],
    )
    assert [(found.code, found.message) for found in site.check().found] == [
        ("duplicate-title", '`name` is "Deutschland" in 2 entries: clients cannot tell them apart'),
        ("duplicate-title", '`title` is "EN 1" in 2 entries: clients cannot tell them apart'),
        ("duplicate-search-val", '`search_val` is "en1" in 3 entries: a search by it finds all of them'),
        ("outer-space", "`title` begins or ends with a space"),
        ("duplicate-title", '`title` is " presse" in 2 entries: clients cannot tell them apart'),
    ]


def test_a_title_that_many_entries_have_is_one_warning_unless_designations_tell_them_apart(site):
    numbers = range(1, 9)
    editions = ["EN 9:1999", "EN 9:2004", "EN 9:2011", "a-word", "other-word"]
    site.write(
        equipments=[{"id": one, "title": "Presse"} for one in numbers],
        standards=[{"id": at, "title": "Pressen", "search_val": one} for at, one in enumerate(editions, 1)],
    )
    assert [(found.place.file, found.message, found.hint) for found in site.check().found] == [
        ("data/standards.json", '`title` is "Pressen" in 2 entries: clients cannot tell them apart', "these are the entries 4, 5"),
        ("data/equipments.json", '`title` is "Presse" in 8 entries: clients cannot tell them apart', "these are the entries 1, 2, 3 and 5 more"),
    ]  # fmt: skip
