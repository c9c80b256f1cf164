"""Slips of tired keepers in values, files and names: each is told once, with what to write instead."""

import json

import pytest
from conftest import ALPHA, BETA, SITE, codes, laboratory

LAB = "data/laboratories/00001.json"
CSV = "data/certifications.csv"
YAML = "data/laboratories/00003.yaml"
HEAD = 'display_id: "00003"\ncountry: de\ndeal_status: premium\nverification_status: partner\n'

IN_A_LABORATORY = [
    ({"is_verified": 1}, "write true"),
    ({"is_verified": 0}, "write false"),
    ({"is_verified": "Nein"}, "write false"),
    ({"website": "http:/a.example"}, "did you mean http://a.example?"),
    ({"website": "https//a.example"}, "did you mean https://a.example?"),
    ({"website": "keine"}, "leave it out if there is none"),
    ({"website": "-"}, "leave it empty"),
    ({"website": "https://a.example, https://b.example"}, "write one address: https://a.example"),
    ({"website": "https://a.example/über uns"}, "write %20 for a space"),
    ({"website": "https://https://a.example"}, "did you mean https://a.example?"),
    ({"website": 'https://a.example/?q="x"'}, 'write %22 for "'),
    ({"website": " https://a.example "}, "remove the space"),
    ({"website": "ftp://a.example"}, "write the whole address, such as https://www.alpha.example/"),
    ({"contact_person": {"email": "a@b.example; c@d.example"}}, "write one address: a@b.example"),
    ({"contact_person": {"email": "mailto:a@b.example"}}, "write a@b.example"),
    ({"contact_person": {"email": "Erika M <a@b.example>"}}, "write a@b.example"),
    ({"contact_person": {"email": "a@b.example "}}, "write a@b.example"),
    ({"contact_person": {"email": "a@b.example\u200b"}}, "write a@b.example"),
    ({"website": "https://a.example/\u200b"}, "write https://a.example/"),
    ({"website": "\ufeffhttps://a.example/"}, "write https://a.example/"),
    ({"contact_person": {"email": "info@labor"}}, "write the whole address, such as info@alpha.example"),
    ({"contact_person": {"email": "info(at)labor.example"}}, "did you mean info@labor.example?"),
    ({"website": "https://gamma .example/"}, "remove the space, or what stands after it"),
    ({"website": "https://www.gamma.example (neu)"}, "remove the space, or what stands after it"),
    ({"website": "https://gamma.example%20/"}, "did you mean https://gamma.example/?"),
    ({"website": "https://www.gamma.example."}, "did you mean https://www.gamma.example?"),
    ({"website": "https://„www.gamma.example“"}, "did you mean https://www.gamma.example?"),
    ({"website": "„https://www.gamma.example“"}, "did you mean https://www.gamma.example?"),
    ({"website": "https://werksto\ufb00.example/a"}, "did you mean https://werkstoff.example/a?"),
    ({"website": "https://www,gamma,example"}, "write . for ,"),
    ({"website": "https://a.example,www.b.example"}, "write one address: https://a.example"),
    ({"contact_person": {"email": "„info@labor.example“"}}, "write info@labor.example"),
    ({"contact_person": {"email": "’info@labor.example’"}}, "write info@labor.example"),
    ({"contact_person": {"email": "info@labor.example."}}, "did you mean info@labor.example?"),
    ({"contact_person": {"email": "info@werksto\ufb00.example"}}, "did you mean info@werkstoff.example?"),
    ({"contact_person": {"email": "o’neil@labor.example"}}, "did you mean o'neil@labor.example?"),
    ({"contact_person": {"email": "info @ labor.example"}}, "did you mean info@labor.example?"),
    ({"contact_person": {"email": "R&amp;D@labor.example"}}, "did you mean R&D@labor.example?"),
    ({"contact_person": {"email": "anna,meier@labor.example"}}, "did you mean anna.meier@labor.example?"),
    ({"contact_person": {"email": "anna[dot]meier(at)labor.example"}}, "did you mean anna.meier@labor.example?"),
    ({"contact_person": {"email": "anna meier@labor.example"}}, "write the address alone, without spaces and other words, such as info@alpha.example"),
    ({"contact_person": {"email": "max(at)a.example oder info@a.example"}}, "write one address: max@a.example"),
    ({"contact_person": {"phone": "-"}}, "leave it empty"),
    ({"contact_person": [{"first_name": "E"}]}, "take away the brackets [ ], in YAML the dash"),
    ({"contact_person": {"telefon": "030 1"}}, "did you mean `phone`?"),
    ({"email": "a@b.example"}, "write it inside `contact_person`"),
    ({"last_name": "Meier"}, "write it inside `contact_person`"),
    ({"adress": "Weg 1", "address": "Weg 2"}, "remove it, or what stands in `address`"),
    ({"contact_person": {"telefon": "030 1", "phone": "030 2"}}, "remove it, or what stands in `phone`"),
    ({"contact_person": {"phone": 30123456}}, 'write it in quotes, with the zeros that it begins with, if any: "30123456"'),
    ({"country": "GER"}, 'did you mean "de" (Deutschland)?'),
    ({"country": "D"}, 'did you mean "de" (Deutschland)?'),
    ({"country": "IRL"}, "correct it, or add the country there"),
    ({"country": "dee"}, 'did you mean "de" (Deutschland)?'),
    ({"stats": {"projects": {"value": "viele"}, "label": "x"}}, "write it inside `projects`"),
    ({"postal_code": "1067"}, 'a zero may be lost: "01067"'),
    ({"postal_code": "O1067"}, 'write "01067"'),
    ({"postal_code": "D-01067"}, 'write "01067"'),
    ({"postal_code": "D-O1067"}, 'write "01067"'),
    ({"postal_code": "01067 Dresden"}, 'write "01067"'),
    ({"postal_code": "01 067"}, 'write "01067"'),
    ({"postal_code": "01067, 01069"}, ""),
    ({"postal_code": "010677"}, ""),
    ({"postal_code": "SW1A 1AA"}, ""),
    ({"plz": "01067"}, "did you mean `postal_code`?"),
    ({"Straße": "Weg 1"}, "did you mean `address`?"),
    ({"materials": [12.0]}, "write 12"),
    ({"materials": [[12]]}, "take away the brackets [ ]"),
    ({"materials": "12, 471"}, "write [12, 471]"),
    ({"materials": "99, 98"}, "write [99, 98]"),
    ({"accreditations": {"id": 1, "accreditation_standard": 1, "accreditation_body": "", "number": ""}}, "put it in brackets: [ … ]"),
    ({"logo": "logos\\alpha.png"}, "write / between folder and file"),
    ({"slug": "Prüflabor Süd"}, "write prueflabor-sued"),
    ({"about": ["Eins", "Zwei"]}, r"write one text, with \n between its lines"),
    ({"rating": "4,5"}, "write a point: 4.5"),
    ({"rating": "3.335"}, "round it: 3.34"),
    ({"rating": "3.333333333333333333333333"}, "round it: 3.33"),
    ({"rating": "-"}, "leave it empty"),
    ({"rating": "k. A."}, "leave it empty"),
    ({"rating": "4/5"}, "write a number alone, such as 4.50"),
    ({"rating": "sehr gut"}, "write a number alone, such as 4.50"),
    ({"similar_labs": "00001, 00002"}, 'write ["00001", "00002"]'),
    ({"similar_labs": 2}, 'write ["2"], with the zeros that it begins with, if any'),
    ({"gallery": "a.jpg, b.jpg"}, "put it in brackets: [ … ]"),
    ({"similar_labs": ["0000002"]}, 'did you mean "00002"?'),
    ({"similar_labs": ["00003"]}, "remove it if the laboratory is gone"),
    ({"similar_labs": ["00002", "00003"]}, "remove it if the laboratory is gone"),
    ({"accreditations": [{"id": None, "accreditation_standard": 1, "accreditation_body": "D", "number": "x"}]}, "write a number, or remove it"),
    ({"name": "=B2"}, "write its value: what stands there is the formula"),
    ({"name": "=A1+B2"}, "write its value: what stands there is the formula"),
    ({"name": "=-$A$1"}, "write its value: what stands there is the formula"),
    ({"name": "@SUM(A1)"}, "write its value: what stands there is the formula"),
    ({"display_id": "LAB-7"}, "write 7, in quotes"),
    ({"name": "k. A."}, "write what belongs there: clients show it as it stands"),
    ({"rating": "9"}, "the highest rating is `limits.highest_rating` in data/site.toml"),
    ({"rating": "47"}, "was it 4.70? the highest rating is `limits.highest_rating` in data/site.toml"),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "hint"), IN_A_LABORATORY, ids=str)
def test_what_to_write_instead_is_told(site, fields, hint):
    site.write(laboratories=[BETA]).file(LAB, json.dumps(ALPHA | fields, ensure_ascii=False))
    assert [one.hint for one in site.check().found if one.code != "missing-file"] == [hint]


@pytest.mark.parametrize(
    ("country", "code", "expected"),
    [
        ("li", "9490", []), ("li", "FL-9490", []), ("de", "", []), ("de", "01067", []),
        ("de", "01067 ", ["outer-space"]), ("de", "\u200e01067", ["invisible-character"]), ("de", "NULL", ["placeholder"]),
    ],
)  # fmt: skip
def test_a_postal_code_abroad_and_what_other_warnings_name_is_no_postal_code_warning(
    site, country, code, expected
):
    outcome = site.write(laboratories=[ALPHA | {"country": country, "postal_code": code}, BETA]).check()
    assert codes(outcome) == expected


IDS = [
    (2, ""),
    (21, ""),
    (117, ""),
    (4711, "did you mean 471 (Edelstahl)?"),
    (417, "did you mean 471 (Edelstahl)?"),
]


@pytest.mark.parametrize(("number", "hint"), IDS)
def test_an_id_of_one_or_two_digits_is_not_taken_for_its_neighbour(site, number, hint):
    entries = {1: "Stahl", 11: "Holz", 20: "Öle und Fette", 471: "Edelstahl"}
    site.write(materials=[{"id": key, "title": title} for key, title in entries.items()])
    site.write(laboratories=[ALPHA | {"materials": [number]}, BETA])
    assert [one.hint for one in site.check().found] == [hint]


def test_a_part_that_is_missing_is_missing_from_its_entry(site):
    (found,) = (
        site.write(laboratories=[ALPHA | {"job_listings": [{"id": 1, "title": "x"}]}, BETA]).check().found
    )
    assert found.message == "`published_on` is missing from this entry of `job_listings`"


IN_SETTINGS = [
    (f'language = "DE"\n{SITE}', 'did you mean "de"?'),
    (f'base_url = "https://a.example/b/"\n{SITE}', "write https://a.example, and /b as `base_path`"),
    (f'base_url = "https://a.example/"\n{SITE}', "write https://a.example"),
    (f'base_url = "https://„a.example“"\n{SITE}', "did you mean https://a.example?"),
    (f'base_path = "verzeichnis/"\n{SITE}', "write /verzeichnis"),
    (f"{SITE}[limit]\nlimit = 8\n", "did you mean `limits`?"),
    (f'{SITE}[accept]\ncode = "markup"\nreason = "x"\n', "write [[accept]]"),
    (f"language = de\n{SITE}", 'write "de"'),
    (f"language = “de”\n{SITE}", 'write "de"'),
    (f"noindex = True\n{SITE}", "write true"),
    (f"language = \n{SITE}", 'write it: a text stands in quotes, such as "de"'),
    (f"language = # Sprache\n{SITE}", 'write it: a text stands in quotes, such as "de"'),
    (f"{SITE}x =", 'write it: a text stands in quotes, such as "de"'),
    (f'publish = ["new", , "reviews"]\n{SITE}', 'write it: a text stands in quotes, such as "de"'),
    (f'language: "de"\n{SITE}', "write = between a key and its value"),
    (f'language = "de" // Sprache\n{SITE}', "a comment begins with #"),
    (f'language = "C:\\labs"\n{SITE}', r"write \\ for a backslash"),
    (f'{SITE}geprüft = "Geprüft"\n', 'put the key in quotes: "geprüft"'),
    (f"{SITE}[limits\nlimit = 8\n", "close it: [limits]"),
    (f'{SITE}[deal_statuses]\nfree = "x"\n', "put its keys below the first [deal_statuses]"),
    (f'{SITE}partner = "Gast"\n', "remove one of the two"),
    (f'language = "de\n{SITE}', "a quote is missing"),
    (f'report_to = "redaktion@a.example"\n{SITE}', "write mailto:redaktion@a.example"),
    (f'{SITE}[wörter]\nx = "y"\n', 'put the name in quotes: ["wörter"]'),
    (f"{SITE}[tables]\ndigits = 05\n", "write 5"),
    (f"{SITE}[limits]\nhighest_rating = 8,0\n", "write a point: 8.0"),
    (f"name = 'Labor's'\n{SITE}", "put the text into double quotes"),
    (f"noindex = ja\n{SITE}", "write true"),
    (f'{SITE}publish = [\n"new"\n"reviews"]\n', "write , between two values"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "hint"), IN_SETTINGS)
def test_a_slip_in_the_settings_is_told_with_what_to_write(site, text, hint):
    assert [one.hint for one in site.file("data/site.toml", text).check().found] == [hint]


IN_YAML = [
    ("name:Labor\n", 5, "write a space after the colon"),
    ("name: Labor\n locality: Ulm\n", 6, "begin the line where the key before it begins"),
    ("name: Labor: Süd\n", 5, "put the text in quotes if the colon belongs to it"),
    ('name: "Labor "Süd" GmbH"\n', 5, r'write \" for a quote inside a text'),
    ("name: 'Peter's Labor'\n", 5, "write '' for a quote inside a text"),
    ('name: A\nabout: "Beste" Qualität\n', 6, "put the whole text into single quotes: '…'"),
    ('name: "Wasserlabor" Muster\nlocality: Ulm\n', 5, "put the whole text into single quotes: '…'"),
    ("name:\u00a0Labor\n", 5, "write spaces"),
    ("name: Labor\ncontact_person:\n  last_name: Null\n", 7, "leave it empty"),
    ("name: Labor\n\tlocality: Ulm\n", 6, "write spaces"),
    ("name: Labor\nmaterials:\n-12\n-471\n", 7, "write a space after the dash"),
    ("name: Labor\nabout: |\n  Eins\nZwei\n", 8, ""),
    ("name: Labor\nmaterials:\n\u00a0\u00a0- 12\nlocality: Ulm\n", 7, "write spaces"),
    ("name: Labor\nmaterials:\n  -12\n  - 471\n", 7, "write a space after the dash"),
    ("name: @Labor\n", 5, "put the text in quotes"),
    ("name: Labor #1\n", 5, "put the text in quotes if it belongs to it, or write a space after #"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "hint"), IN_YAML)
def test_a_slip_in_yaml_is_told_at_its_line_with_what_to_write(site, text, line, hint):
    (found,) = site.file(YAML, HEAD + text).check().problems
    assert (found.problem.hint, found.span.line) == (hint, line)


IN_CSV = [
    ("Nr;Bezeichnung\n1;a\n", ["did you mean `id`?", "did you mean `title`?"]),
    ("1,a\n2,b\n", ["write the names of the columns above the first row: id,title"]),
    ("Liste 2024\n\nid,title\n1,a\n", ["remove what is above row 3"]),
    ("id|title\n1|a\n2|b, c\n", ["separate by commas, semicolons or tabs"]),
    ("id;title\n1,a\n2,b\n3,c\n", ["separate the header as the rows are: ,"]),
    ("id,title\n01,a\n", ["write 1"]),
    ("id,title\n1.001,a\n", ["write 1001"]),
    ("id,title\n#NAME?,a\n", ["a formula failed where the table was made"]),
    ("id,title\n1,#REF!\n", ["a formula failed where the table was made"]),
    ("id,title\n1,NULL\n", ["write what belongs there: an export wrote that there is nothing"]),
    ("id,title\n1,a,b\n", ["put a cell that holds a separator into double quotes"]),
    ("id,title\n1,a,\n", ["remove the separators at its end, or put a cell that holds one into double quotes"]),
    ("id,title\n5.000,a\n", ["write 5000, or 5"]),
    ("id,title\n5.0,a\n6.00,b\n", []),
    ("id,title\n1\n", ["add the separators of its empty cells"]),
    ("id,title\n1,Stahl\n2;Glas\n", ["if `;` is meant as a separator, write that of the header; else add the separators of its empty cells"]),
    ("id;title\n1;Stahl\n2,Glas\n", ["if `,` is meant as a separator, write that of the header; else add the separators of its empty cells"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "hints"), IN_CSV)
def test_a_slip_in_a_table_is_told_with_what_to_write(site, text, hints):
    assert [one.hint for one in site.file(CSV, text).check().found] == hints


TABLE = "id;title\r\n1;Prüfgröße\r\n2;Öl\r\n"


@pytest.mark.parametrize(
    "data",
    [TABLE.encode("utf-8-sig"), b"sep=;\r\n" + TABLE.encode(), b"\xef\xbb\xbfsep=;\r\n" + TABLE.encode(), b'"sep=;"\r\n' + TABLE.encode(), TABLE.replace("\r\n", "\r").encode()],
)  # fmt: skip
def test_a_table_that_excel_saved_as_utf_8_is_read(site, data):
    site.file(CSV, data).write(laboratories=[ALPHA | {"certifications": [2, 1]}, BETA])
    assert site.build().found == []
    items = site.document("laboratories/00001/certifications")["items"]
    assert [one["title"] for one in items] == ["Öl", "Prüfgröße"]


EXCEL = "in Excel, save it as `CSV UTF-8`; elsewhere, as UTF-8"
LOOK = "look whether letters such as ä and ß are right; in Excel, save it as `CSV UTF-8`"
BYTES = [
    (LAB, rb"{\rtf1\ansi {\fonttbl}", f"`{LAB}` is a text with formats (RTF), not a text", "save it as plain text"),
    (CSV, TABLE.encode("cp1252"), f"`{CSV}` is not UTF-8, and is read as Windows-1252", LOOK),
    (CSV, TABLE.encode("cp850"), f"`{CSV}` is not UTF-8, and is read as MS-DOS (code page 850)", LOOK),
    (CSV, TABLE.encode("mac_roman"), f"`{CSV}` is not UTF-8, and is read as Macintosh", LOOK),
    (CSV, TABLE.encode("cp1252") + "3;PrÃ¼fung\r\n".encode("cp1252"), f"`{CSV}` is not UTF-8, and is read as Windows-1252", LOOK),
    (CSV, TABLE.encode() + b"3;\xfc", f"`{CSV}` is not valid UTF-8: byte 0xFC at offset 35", f'as Windows-1252 it would be "ü": {EXCEL}'),
    (CSV, TABLE.encode("utf-16-be"), f"`{CSV}` seems to be UTF-16: a third of its bytes are zero", EXCEL),
    (CSV, TABLE.encode("utf-32"), f"`{CSV}` is UTF-32, not UTF-8", EXCEL),
    (CSV, b"PK\x03\x04" + bytes(range(256)), f"`{CSV}` is an Excel file or a ZIP archive, not a text", "open it in Excel, and save it as `CSV UTF-8`"),
    (CSV, b"\xd0\xcf\x11\xe0" + bytes(99), f"`{CSV}` is an old Excel file, not a text", "open it in Excel, and save it as `CSV UTF-8`"),
    (CSV, b"\x1f\x8b\x08" + bytes(99), f"`{CSV}` is a packed file (gzip), not a text", "unpack it"),
    (LAB, b"%PDF-1.7", f"`{LAB}` is a PDF, not a text", ""),
    (LAB, b'\xef\xbb\xbf{"a": 1}', f"`{LAB}` begins with a byte order mark (the bytes EF BB BF)", "save it as UTF-8 without it; see `labgen explain byte-order-mark`"),
    (LAB, '{"a": 1}'.encode("utf-16"), f"`{LAB}` is UTF-16, not UTF-8", "save it as UTF-8"),
    ("data/site.toml", (SITE + "<<<<<<< HEAD\n").encode(), "`data/site.toml` holds the marks of a merge that was not finished", "choose between the two versions, and remove the marks"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "data", "message", "hint"), BYTES, ids=lambda value: str(value)[:40])
def test_a_file_that_is_no_text_in_utf_8_says_how_to_save_it(site, file, data, message, hint):
    found = site.file(file, data).check().found[0]
    assert (found.message, found.hint) == (message, hint)


LINES = "data/certifications.jsonl"
NO_LINES = [
    ('[\n{"id": 1, "title": "a"},\n{"id": 2, "title": "b"}\n]\n', "this is a list in JSON, and not an object a line", "call it certifications.json, or remove the brackets and the commas between the lines"),
    ('{\n  "id": 1,\n  "title": "a"\n}\n', "an object goes over several lines", "write each object on one line, or a list of them as certifications.json"),
    ('{"id": 1, "title": "a"},\n', "a comma stands behind the object", "remove it"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message", "hint"), NO_LINES)
def test_a_file_that_is_not_an_object_a_line_is_one_problem(site, text, message, hint):
    assert [(one.message, one.hint) for one in site.file(LINES, text).check().found] == [(message, hint)]


def test_laboratories_that_are_not_an_object_a_line_are_one_problem(site):
    site.without_folder("data/laboratories").file(
        "data/laboratories.jsonl", json.dumps([ALPHA, BETA], indent=1)
    )
    (found,) = site.check().found
    assert found.message == "this is a list in JSON, and not an object a line"
    assert found.hint.startswith(
        "write each on one line, without commas between them, or in a file of its own"
    )


IN_ONE_FILE = [
    (json.dumps([ALPHA]), "take away the brackets [ ], in YAML the dash"),
    (json.dumps([ALPHA, BETA]), "write one laboratory a file, or one a line of data/laboratories.jsonl"),
    (json.dumps(ALPHA) * 2, "write one laboratory a file, or one a line of data/laboratories.jsonl"),
]


@pytest.mark.parametrize(("text", "hint"), IN_ONE_FILE)
def test_a_file_holds_one_laboratory(site, text, hint):
    assert [one.hint for one in site.file(LAB, text).check().found] == [hint]


NAMES = [
    ("data/laboratories", "data/Laboratories", "rename it to laboratories"),
    ("data/countries.json", "data/countries.json.gz", "unpack it"),
    (LAB, "data/laboratories/00001.json ", "rename it to 00001.json"),
    ("data/media", "data/Media", "rename it to media"),
]  # fmt: skip


@pytest.mark.parametrize(("right", "wrong", "hint"), NAMES)
def test_a_slip_in_a_name_is_one_error_whatever_follows_from_it(site, right, wrong, hint):
    from conftest import picture

    site.file("data/media/a.png", picture()).write(
        laboratories=[ALPHA | {"logo": "a.png", "materials": [12]}, BETA]
    )
    (site.root / right).rename(site.root / wrong)
    assert [(one.code, one.severity, one.hint) for one in site.check().found] == [
        ("ignored-file", "error", hint)
    ]


TAKEN = [
    ("data/laboratories/00001.JSON", "there is a 00001.json already: move this file out of the folder"),
    ("data/Countries.json", "there is a countries.json already: move this file out of data/"),
]


@pytest.mark.parametrize(("file", "hint"), TAKEN)
def test_a_name_that_another_file_has_is_not_proposed(site, file, hint):
    (found,) = site.file(file, "{}").check().found
    assert (found.code, found.hint) == ("ignored-file", hint)


def test_two_countries_have_two_addresses(site):
    two = [
        {"iso_code": code, "slug": "deutschland", "name": name}
        for code, name in (("at", "Österreich"), ("de", "Deutschland"))
    ]
    (found,) = [one for one in site.write(countries=two).check().found if one.severity == "error"]
    assert (found.code, found.place.pointer) == ("duplicate-id", (1, "slug"))
    assert found.message == '`slug` is "deutschland" in 2 entries: it is the address of their page'


NEARLY = [
    ("data/materials.json", "data/material.json", "rename data/material.json to materials.json"),
    ("data/laboratories", "data/laboratory", "rename data/laboratory to laboratories"),
    ("data/site.toml", "data/sites.toml", "rename data/sites.toml to site.toml"),
]


@pytest.mark.parametrize(("right", "wrong", "hint"), NEARLY)
def test_what_is_missing_and_nearly_there_is_told_by_its_name(site, right, wrong, hint):
    site.write(laboratories=[ALPHA | {"materials": [12]}, BETA])
    (site.root / right).rename(site.root / wrong)
    found = site.check().found
    assert [(one.code, one.hint) for one in found if one.severity == "error"] == [("missing-file", hint)]


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [("review.csv", "did you mean `reviews.csv`?"), ("laboratory_material.csv", "did you mean `laboratory_materials.csv`?"), ("review.json", "move it out of data/")],
)  # fmt: skip
def test_a_table_beside_laboratories_whose_name_is_nearly_right_is_told_its_name(site, wrong, hint):
    assert [(one.code, one.hint) for one in site.file(f"data/{wrong}", "x").check().found] == [
        ("ignored-file", hint)
    ]


def test_the_copy_of_a_laboratory_is_blamed_and_not_the_original(site):
    (found,) = site.file("data/laboratories/00001 (Kopie).json", json.dumps(ALPHA)).check().found
    assert found.place.file == "data/laboratories/00001 (Kopie).json"


def test_who_names_a_laboratory_with_an_unsound_number_is_not_blamed(site):
    site.write(laboratories=[BETA | {"similar_labs": ["00001"]}]).file(
        LAB, json.dumps(ALPHA | {"display_id": "LAB-1"})
    )
    assert [one.code for one in site.check().found] == ["invalid-id"]


def test_while_the_settings_cannot_be_read_no_warning_stands_beside_their_error(site):
    site.write(laboratories=[laboratory("00001", about="<b>")]).file("data/site.toml", "x")
    assert [one.code for one in site.check().found] == ["invalid-toml"]


@pytest.mark.parametrize("name", [" Alpha", "Alpha ", "Alpha\u00a0"])
def test_a_name_with_a_space_at_its_end_is_a_warning(site, name):
    (found,) = site.write(laboratories=[ALPHA | {"name": name, "about": " x "}, BETA]).check().found
    assert (found.code, found.message, found.hint) == (
        "outer-space",
        "`name` begins or ends with a space",
        "remove it",
    )
