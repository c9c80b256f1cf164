"""`labgen check --fix`: what a hint is certain of is mended, and everything else stays byte for byte."""

import json

import pytest
from click.testing import CliRunner, Result
from conftest import ALPHA, BETA, Project, codes, laboratory, picture

from labgen.cli import main
from labgen.source.fix import FileChangedError, diff_of, plan_fixes, write_mended

LAB = "data/laboratories/00001"
HEAD = 'display_id: "00001"\nname: Alpha\ncountry: de\ndeal_status: premium\nverification_status: partner\n'


def mended(site: Project) -> dict[str, str]:
    """Return the files that would be changed, and their text."""
    return {one.file: one.after.decode() for one in plan_fixes(site.root, site.check().found)}


def source(site: Project, file: str) -> str:
    return (site.root / file).read_bytes().decode()


def run(site: Project, *arguments: str, answer: str = "") -> Result:
    return CliRunner().invoke(main, ["check", "-C", str(site.root), *arguments], answer)


SURE = [
    ('"published_on": "1.5.2024"', '"published_on": "2024-05-01"'),
    ('"published_on": "2024/5/1 08:00"', '"published_on": "2024-05-01"'),
    ('"rating": "4,5"', '"rating": "4.5"'),
    ('"materials": "12, 471"', '"materials": [12, 471]'),
    ('"materials": ["12", 471]', '"materials": [12, 471]'),
    ('"materials": ["stahl"]', '"materials": [12]'),
    ('"materials": 12', '"materials": [12]'),
    ('"similar_labs": "00001, 00002"', '"similar_labs": ["00001", "00002"]'),
    ('"similar_labs": "00001"', '"similar_labs": ["00001"]'),
    ('"is_verified": "ja"', '"is_verified": true'),
    ('"is_verified": 0', '"is_verified": false'),
    ('"locality": " Ulm\\u00a0"', '"locality": "Ulm"'),
    ('"adress" : "Weg 1"', '"address" : "Weg 1"'),
    ('"PLZ": "89073"', '"postal_code": "89073"'),
    ('"locality": "M\\u00fcnchen &amp; Ulm "', '"locality": "M\\u00fcnchen & Ulm"'),
    ('"about": "PrÃ¼fung &uuml;ber &ndash; alles"', '"about": "Prüfung über – alles"'),
    ('"address": 12', '"address": "12"'),
    ('"address": "\u200eBe\\u200b\\u200brg\ufeffweg 1"', '"address": "Bergweg 1"'),
    ('"website": " https://a.example/"', '"website": "https://a.example/"'),
    ('"contact_person": {"email": "mailto:a@b.example"}', '"contact_person": {"email": "a@b.example"}'),
    ('"website": "https://a.exam\\u00adple/"', '"website": "https://a.example/"'),
    ('"website": "https://a.example\\u200bhttps://b.example"', None),
    ('"website": "https://a.example²"', None),
    ('"website": "https://a.example%20/"', None),
    ('"website": "https://[::1/"', None),
    ('"website": "https://https://a.example/"', '"website": "https://a.example/"'),
    ('"gallery": ["a.jpg ", "b.jpg"]', '"gallery": ["a.jpg", "b.jpg"]'),
    ('"gallery": [" halle.png"]', '"gallery": ["halle.png"]'),
    ('"logo": " halle.png"', '"logo": "halle.png"'),
    ('"image": "halle"', None),
    ('"image": "hale.png"', None),
    ('"published_on": "3/4/2024"', None),
    ('"published_on": "1.5.24"', None),
    ('"published_on": "2024-13-01"', None),
    ('"published_on": "2024-W05"', None),
    ('"published_on": "2024-Jan-05"', None),
    ('"published_on": "01.02.0204"', None),
    ('"postal_code": 50667.0', None),
    ('"name": 1.4310', None),
    ('"rating": "4,567"', None),
    ('"materials": ["1.000"]', None),
    ('"similar_labs": 1', None),
    ('"gallery": 1', None),
    ('"materials": ["Stahhl"]', None),
    ('"website": "www.a.example"', None),
    ('"about": "&lt;b&gt;"', None),
    ('"mail": "a@b.example"', None),
    ('"url": "/labor/00001/a/"', None),
    ('"Kommentar": "ruft an"', '"_note": "ruft an"'),
    ('"adress": "Weg 1", "address": "Weg 2"', None),
]


def test_what_a_hint_is_certain_of_is_mended_and_what_leaves_a_doubt_is_not(site):
    head = '{"name": "L", "country": "de", "deal_status": "premium", "verification_status": "partner"'
    site.file("data/media/halle.png", picture())
    files = {f"data/laboratories/{place:05}.json": given for place, (given, _) in enumerate(SURE)}
    for file, given in files.items():
        site.file(file, f'{head},\n\t{given}, "display_id": "{file[-10:-5]}"\n}}')
    found = mended(site)
    after = [found.get(file, "\n\t") for file in files]
    assert [text.partition("\n\t")[2].partition(', "display_id"')[0] or None for text in after] == [
        meant for _, meant in SURE
    ]
    assert all(text.startswith(f"{head},\n\t") and text.endswith('"\n}') for text in found.values())


EMAILS = [
    ("anna.mei\u00ader@gamma.example", "anna.meier@gamma.example"),
    ("info@gamma.exam\u00adple", "info@gamma.example"),
    ("info@gamma.ex\u200bample", "info@gamma.example"),
    ("\u200einfo@gamma.example\u202c", "info@gamma.example"),
    ("\u00a0info@gamma.example ", "info@gamma.example"),
    ("MAILTO: info@gamma.example", "info@gamma.example"),
    ("<info@gamma.example>", "info@gamma.example"),
    ('"info@gamma.example"', "info@gamma.example"),
    ("„ info@gamma.example “", "info@gamma.example"),
    ("’info@gamma.example’", "info@gamma.example"),
    ("Anna Meier (Leitung) <info@gamma.example>", "info@gamma.example"),
    ('"Meier, Anna" <mailto:info@gamma.example>', "info@gamma.example"),
    ("anna meier@gamma.example", None),
    ("vor\u00a0name.nach@gamma.example", None),
    ("anna,meier@gamma.example", None),
    ("anna[dot]meier@gamma.example", None),
    ("R&amp;D@gamma.example", None),
    ("anna.<meier@gamma.example>", None),
    ("max(at)gamma.example oder info@gamma.example", None),
    ("max(at)gamma.example <info@gamma.example>", None),
    ("<max@gamma.example> <info@gamma.example>", None),
    ("info@gamma .example", None),
    ("info@gamma.example.", None),
    ("info@gamma.example²", None),
]


@pytest.mark.parametrize(("given", "meant"), EMAILS)
def test_only_an_email_address_with_nothing_that_may_belong_to_it_is_mended(site, given, meant):
    site.write(laboratories=[ALPHA | {"contact_person": {"email": given}}, BETA])
    after = mended(site).get(f"{LAB}.json")
    assert codes(site.check()) == ["invalid-email"]
    assert (json.loads(after)["contact_person"]["email"] if after else None) == meant


STATUSES = '[deal_statuses]\nfree = "Kostenlos"\nGUEST = "Gast"\na = "Doppelt"\nb = "doppelt"\npremium = "free"\n[verification_statuses]\nnone = "Nicht gepr\u00fcft"\n'
TITLES_OF_STATUSES = [
    ("Kostenlos", "free", "did you mean `free` (Kostenlos)?"),
    ("guest", "GUEST", "did you mean `GUEST` (Gast)?"),
    ("Kostenloss", "Kostenloss", "did you mean `free` (Kostenlos)?"),
    ("Doppelt", "Doppelt", 'write `a` or `b`: each of them is called "Doppelt"'),
    ("Free", "Free", 'write `free` or `premium`: each of them is called "Free"'),
]


@pytest.mark.parametrize(("title", "key", "hint"), TITLES_OF_STATUSES)
@pytest.mark.parametrize("form", ["json", "yaml"])
def test_the_title_of_one_status_is_mended_in_all_formats(site, title, key, hint, form):
    record = {"display_id": "1", "name": "A", "country": "de", "deal_status": title}
    record["verification_status"] = "nicht gepru\u0308ft"
    text = json.dumps(record, ensure_ascii=False)
    if form == "yaml":
        text = "".join(f"{name}: {json.dumps(one, ensure_ascii=False)}\n" for name, one in record.items())
    site.write(laboratories=[]).file("data/site.toml", STATUSES).file(f"{LAB}.{form}", text)
    assert [one.hint for one in site.check().found] == [hint, "did you mean `none` (Nicht gepr\u00fcft)?"]
    (after,) = mended(site).values()
    assert after == text.replace(f'"{title}"', f'"{key}"').replace('"nicht gepru\u0308ft"', '"none"')


NAMES = [("USA", '"us"'), ("Deutschland", '"de"'), ("Kongo", '"Kongo"'), ("Deutschlan", '"Deutschlan"')]


@pytest.mark.parametrize(("name", "code"), NAMES)
def test_a_country_is_mended_if_exactly_one_has_the_name(site, name, code):
    names = {"us": "USA", "sa": "Saudi-Arabien", "de": "Deutschland", "cd": "Kongo", "cg": "Kongo"}
    lab = ALPHA | {"country": name}
    site.write(countries=[{"iso_code": key, "name": one} for key, one in names.items()], laboratories=[lab])
    before = source(site, f"{LAB}.json")
    after = before.replace(f'"{name}"', code)
    assert mended(site) == ({f"{LAB}.json": after} if after != before else {})


def test_digits_in_quotes_are_an_id_although_an_entry_has_them_as_its_title(site):
    lab = ALPHA | {"materials": ["304"]}
    site.write(materials=[{"id": 5, "title": "304"}, {"id": 304, "title": "Holz"}], laboratories=[lab])
    (told,) = [one for one in site.check().found if one.code == "wrong-type"]
    assert told.hint == "write it without quotes: 304"
    assert mended(site) == {f"{LAB}.json": source(site, f"{LAB}.json").replace('"304"', "304")}


def test_a_title_that_several_entries_have_is_not_mended(site):
    lab = ALPHA | {"materials": ["Stahl"]}
    site.write(materials=[{"id": 12, "title": "Stahl"}, {"id": 471, "title": "stahl"}], laboratories=[lab])
    (told,) = [one for one in site.check().found if one.code == "wrong-type"]
    assert (told.hint, mended(site)) == ("write 12 or 471: each of them is called Stahl", {})


def test_countries_statuses_certificates_and_designations_are_mended(site):
    entry = '{"id": 1, "accreditation_standard": 1, "accreditation_body": "DAkkS", "number": "D‑PL‑12345‑01‑00 (a)"}'
    lab = f'{{"display_id": "00001", "name": "Alpha", "country": "Deutschland", "deal_status": "Premium", "verification_status": "partner", "accreditations": [{entry}]}}'
    csv = "id;search_val;title;standard\r\n1;a;Labore;DIN EN ISO 17025:2018\r\n"
    site.write(laboratories=[]).file(f"{LAB}.json", lab).file("data/accreditation_standards.csv", csv)
    assert mended(site) == {
        f"{LAB}.json": lab.replace("Deutschland", "de").replace("Premium", "premium").replace("‑", "-"),
        "data/accreditation_standards.csv": csv.replace("ISO 17025", "ISO/IEC 17025"),
    }


def test_comments_order_quotes_and_line_ends_of_yaml_stay(site):
    text = f"# Kommentar\r\n{HEAD.replace('country: de', 'slug: a')}published_on: 1.5.2024   # seit\r\ncountry: 'DE' # ' x'\r\nadress: Weg 1 # Straße\r\nabout: |\r\n  &amp;\r\nmaterials: [ '12',  471 ] # x\r\n"
    site.write(laboratories=[]).file(f"{LAB}.yaml", text)
    expected = (
        text.replace("1.5.2024", "2024-05-01")
        .replace("'DE'", "'de'")
        .replace("adress", "address")
        .replace("'12'", "12")
    )
    assert mended(site) == {f"{LAB}.yaml": expected}


def test_a_list_of_texts_in_yaml_keeps_the_zeros_of_its_digits_and_a_number_that_may_lack_zeros_stays(site):
    site.write(laboratories=[laboratory("117"), laboratory("00117")])
    for number, given in (("2", "00117"), ("3", "00117 ; 117"), ("4", "117")):
        site.file(
            f"data/laboratories/{number}.yaml", f"{HEAD.replace('00001', number)}similar_labs: {given}\n"
        )
    found = {file[-6]: text.splitlines()[-1] for file, text in mended(site).items()}
    assert found == {"2": 'similar_labs: ["00117"]', "3": 'similar_labs: ["00117", "117"]'}


def test_what_is_certain_is_mended_beside_an_error_that_is_not(site):
    text = f"{HEAD}website: www.a.example\naddress: 'Weg 1 '\nabout: PrÃ¼fung\nurl: x\n"
    site.write(laboratories=[]).file(f"{LAB}.yaml", text)
    assert mended(site) == {f"{LAB}.yaml": text.replace("'Weg 1 '", "'Weg 1'").replace("PrÃ¼fung", "Prüfung")}


def test_a_value_that_needs_quotes_in_yaml_gets_them(site):
    site.write(laboratories=[]).file(f"{LAB}.yaml", f"{HEAD}locality: a&colon; b&num;\naddress: Weg&nbsp;1\n")
    assert mended(site) == {f"{LAB}.yaml": f'{HEAD}locality: "a: b#"\naddress: Weg 1\n'}


def test_cells_and_headers_of_a_table_are_mended_with_its_mark_and_its_separators(site):
    csv = '\ufeffid;titel\r\n7;" Stahl; blank "\r\n"8,0";Öl \r\n'
    site.without("data/materials.json").file("data/materials.csv", csv)
    (first,) = plan_fixes(site.root, site.check().found)
    assert first.after.decode() == csv.replace("titel", "title")
    write_mended(site.root, first)
    assert mended(site) == {"data/materials.csv": '\ufeffid;title\r\n7;"Stahl; blank"\r\n"8,0";Öl\r\n'}


def test_settings_and_lines_of_a_file_of_all_are_mended(site):
    lines = '{"display_id":"1","name":"A","country":"DE","deal_status":"premium","verification_status":"partner"}\n'
    toml = source(site, "data/site.toml")
    site.without_folder("data/laboratories").file(
        "data/laboratories.jsonl", lines + "\n" + lines.replace('"1"', '"2"')
    )
    site.file("data/site.toml", f"nmae = 'x '  # Name\n{toml.replace('name = ', '# name = ')}")
    assert mended(site) == {
        "data/laboratories.jsonl": (lines + "\n" + lines.replace('"1"', '"2"'))
        .replace("A ", "A")
        .replace("DE", "de"),
        "data/site.toml": f"name = 'x '  # Name\n{toml.replace('name = ', '# name = ')}",
    }


def test_a_byte_order_mark_is_removed_where_it_is_an_error(site):
    site.file(f"{LAB}.json", "\ufeff" + source(site, f"{LAB}.json"))
    assert not mended(site)[f"{LAB}.json"].startswith("\ufeff")


def test_the_command_shows_a_diff_and_asks(site):
    before = source(site.write(laboratories=[ALPHA | {"locality": "Ulm "}, BETA]), f"{LAB}.json")
    refused = run(site, "--fix", answer="n\n")
    assert ('-  "locality": "Ulm "' in refused.stdout, '+  "locality": "Ulm"' in refused.stdout) == (
        True,
        True,
    )
    assert "Mend 1 mistake in 1 file? [y/N]" in refused.stderr
    assert run(site, "--fix").stderr.endswith(
        "--yes mends without asking\n" + refused.stderr.partition("asking\n")[2]
    )
    assert source(site, f"{LAB}.json") == before
    assert run(site, "--fix", "--yes").stdout.endswith("2 laboratories: no problems\n")
    assert source(site, f"{LAB}.json") == before.replace("Ulm ", "Ulm")
    assert run(site, "--fix").stderr == "nothing is left that can be mended with certainty\n"


def test_a_file_that_changed_meanwhile_or_cannot_be_written_is_left_alone(site, monkeypatch):
    site.write(laboratories=[ALPHA | {"locality": "Ulm "}, BETA])
    (one,) = plan_fixes(site.root, site.check().found)
    site.write(laboratories=[ALPHA | {"locality": "Bonn"}, BETA])
    before = source(site, f"{LAB}.json")
    with pytest.raises(FileChangedError):
        write_mended(site.root, one)
    monkeypatch.setattr("shutil.copymode", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
    with pytest.raises(OSError, match="full"):
        write_mended(site.root, one._replace(before=before.encode()))
    assert source(site, f"{LAB}.json") == before
    assert sorted(file.name for file in (site.root / "data/laboratories").iterdir()) == [
        "00001.json",
        "00002.json",
    ]


def test_after_mending_nothing_that_was_mended_is_wrong_and_the_diff_is_a_diff(site):
    site.write(laboratories=[ALPHA | {"country": "DE", "rating": "4,5", "published_on": "1.5.2024"}, BETA])
    (one,) = plan_fixes(site.root, site.check().found)
    assert diff_of(one).startswith(f"--- a/{LAB}.json\n+++ b/{LAB}.json\n@@")
    write_mended(site.root, one)
    assert (one.mistakes, codes(site.check())) == (3, [])
