"""What a spreadsheet made of texts is told with its cell, and not published without a word."""

from datetime import datetime, timedelta
from typing import Any
from zipfile import ZipFile

import openpyxl
import pytest
from conftest import ALPHA, SITE, Project, laboratory
from test_merged_cells import ALPHA_ROW, LAB

AS_TEXT = 'format the column as text ("Zellen formatieren", "Text"), and write it again'


@pytest.fixture
def bare(site):
    """The sound project without laboratories and materials."""
    return site.without_folder("data/laboratories").without("data/materials.json")


def put_cell(project: Project, column: str, value: Any, code: str = "General") -> Project:
    """Write a workbook with a cell of this value and number format, in row 2 of the column's table."""
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.title = "laboratories"
    others = (
        [*LAB[1:], "materials"]
        if column == "display_id"
        else [*LAB, *(["materials"] * (column != "materials"))]
    )
    values = dict(zip(LAB, ALPHA_ROW, strict=True))
    sheet.append(others if column in others or column == "title" else [*others, column])
    sheet.append([values.get(str(name.value)) for name in sheet[1]])
    materials = book.create_sheet("materials")
    for row in (["id", "title"], [1, "Stahl"], [2, "Holz"]):
        materials.append(row)
    wanted = materials if column == "title" else sheet
    at = [one.value for one in wanted[1]].index(column) + 1
    cell = wanted.cell(2, at)
    cell.value, cell.number_format = value, code
    book.save(project.root / "data/laboratories.xlsx")
    return project


def told(project: Project) -> list[tuple[str, str, str]]:
    return [(one.severity, one.message, one.hint) for one in project.check().found]


JANUARY = datetime(4301, 1, 1)  # noqa: DTZ001 - a cell has no time zone
MAY = datetime(2026, 5, 4)  # noqa: DTZ001
ODD = [
    ("title", JANUARY, "mmm\\ yy", "error", "`title` is a date in B2: Excel shows Jan 01, and 4301-01-01 would be published", f"was it 1.4301? {AS_TEXT}"),
    ("title", JANUARY, "yyyy\\-mm", "error", "`title` is a date in B2: Excel shows 4301-01, and 4301-01-01 would be published", f"was it 1.4301? {AS_TEXT}"),
    ("title", MAY, 'dddd", "d', "error", "`title` is a date in B2: what Excel shows depends on its format, and 2026-05-04 would be published", AS_TEXT),
    ("title", JANUARY, "yyyy-mm-dd", "error", "`title` is a date in B2: Excel shows 4301-01-01, and 4301-01-01 would be published", f"was it 1.4301? {AS_TEXT}"),
    ("title", timedelta(days=1, hours=6), "[h]:mm:ss", "error", "`title` is a duration in B2: what Excel shows depends on its format, and 1 day, 6:00:00 would be published", AS_TEXT),
    ("title", True, "General", "error", "`title` is yes or no in B2: Excel shows WAHR, and true would be published", AS_TEXT),
    ("title", 1.431, "General", "warning", "`title` is a number in B2: Excel shows 1,431, and 1.431 would be published", AS_TEXT),
    ("title", 4310, "#,##0", "warning", "`title` is a number in B2: what Excel shows depends on its format, and 4310 would be published", AS_TEXT),
    ("title", 1e21, "General", "error", "`title` is a number in B2: Excel shows 1,00000E+21, and 1e+21 would be published", AS_TEXT),
    ("name", 1860, "General", "warning", "`name` is a number in B2, 1860: zeros before or after it are lost", AS_TEXT),
    ("contact_person.phone", 3012345678, "General", "warning", "`contact_person.phone` is a number in G2, 3012345678: zeros before or after it are lost", AS_TEXT),
    ("contact_person.phone", 493012345678901234, "General", "error", "`contact_person.phone` is a number in G2: Excel shows 4,93012E+17, and 4.93012345678901e+17 would be published", AS_TEXT),
    ("materials", 1.431, "General", "error", "`materials` is a number in F2: Excel shows 1,431, and 1.431 would be published", AS_TEXT),
    ("materials", JANUARY, "mmm\\ yy", "error", "`materials` is a date in F2: Excel shows Jan 01, and 4301-01-01 would be published", f"was it 1.4301? {AS_TEXT}"),
    ("rating", 0.9, "0%", "warning", "`rating` is a number in G2: Excel shows 90 %, and 0.90 would be published", 'write the number itself, in the format "Zahl" ("Zellen formatieren")'),
    ("rating", MAY, "d/m", "error", "`rating` is a date in G2: Excel shows 4/5, and 2026-05-04 would be published", 'was it 4.5? format the column as a number ("Zellen formatieren", "Zahl"), and write it again'),
]  # fmt: skip


@pytest.mark.parametrize("case", ODD)
def test_a_cell_that_is_no_text_is_one_problem_that_says_what_excel_shows(bare, case):
    column, value, code, *expected = case
    assert told(put_cell(bare, column, value, code)) == [tuple(expected)]


CERTAIN = [
    ("display_id", 17, "00000", "00017"),
    ("postal_code", 1067, "00000", "01067"),
    ("address", 17, '"Weg "0', "Weg 17"),
    ("postal_code", 80331, "General", "80331"),
    ("name", 1.431, "0.0000", "1.4310"),
    ("name", 0.9, "0%", "90 %"),
    ("contact_person.phone", 3012345678, "00000000000", "03012345678"),
]


@pytest.mark.parametrize(("column", "value", "code", "published"), CERTAIN)
def test_a_certain_number_format_says_what_is_published(bare, column, value, code, published):
    outcome = put_cell(bare, column, value, code).build()
    assert [one.message for one in outcome.found] == []
    display_id = published if column == "display_id" else "00001"
    document = bare.document(f"laboratories/{display_id}/")
    if column != "contact_person.phone":
        assert document[column] == published


def test_a_row_of_ids_and_a_rating_in_cells_of_numbers_are_fine(bare):
    for column, value in (("materials", 2), ("rating", 4.5), ("rating", 5)):
        assert told(put_cell(bare, column, value, "0.00")) == []


ODS = """<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">
<office:body><office:spreadsheet><table:table table:name="laboratories">ROWS</table:table></office:spreadsheet>
</office:body></office:document-content>"""
OF_ODS = "application/vnd.oasis.opendocument.spreadsheet"


def put_ods(project: Project, name: str) -> Project:
    """Write a workbook of OpenDocument whose second row has this cell for the name, and a number for the id."""
    texts = ["".join(f'<table:table-cell office:value-type="string"><text:p>{one}</text:p></table:table-cell>' for one in row) for row in (LAB, ALPHA_ROW[2:])]  # fmt: skip
    number = '<table:table-cell office:value-type="float" office:value="17"><text:p>00017</text:p></table:table-cell>'
    rows = f"<table:table-row>{texts[0]}</table:table-row><table:table-row>{number}{name}{texts[1]}</table:table-row>"
    with ZipFile(project.root / "data/laboratories.ods", "w") as archive:
        archive.writestr("mimetype", OF_ODS)
        archive.writestr(
            "META-INF/manifest.xml",
            '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
            f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{OF_ODS}"/></manifest:manifest>',
        )
        archive.writestr("content.xml", ODS.replace("ROWS", rows))
    return project


def test_opendocument_says_what_the_screen_shows(bare):
    shown = '<table:table-cell office:value-type="float" office:value="1.431"><text:p>1,4310</text:p></table:table-cell>'
    assert put_ods(bare, shown).build().found == []
    document = bare.document("laboratories/00017/")
    assert document["name"] == "1.4310"
    day = '<table:table-cell office:value-type="date" office:date-value="4301-01-01"><text:p>Jan 01</text:p></table:table-cell>'
    assert told(put_ods(bare, day)) == [
        ("error", "`name` is a date in B2: Excel shows Jan 01, and 4301-01-01 would be published", f"was it 1.4301? {AS_TEXT}")
    ]  # fmt: skip


SWALLOWED = [
    (
        '1;Alpha;"Ulm\n2;Beta;Bonn\n3;Gamma;Kiel"\n4;Delta;Hof\n',
        "2, column 9, and closed in line 4, column 13",
    ),
    ('1;"Alpha;Ulm\n2;Beta";Bonn\n3;Gamma;Kiel\n', "2, column 3, and closed in line 3, column 7"),
]


@pytest.mark.parametrize(("rows", "where"), SWALLOWED)
def test_rows_between_two_quotes_are_an_error_that_names_both(bare, run, rows, where):
    bare.file("data/laboratories.csv", f"display_id;name;locality\n{rows}")
    found = [one for one in bare.check().found if one.code == "invalid-csv"]
    assert [one.message for one in found] == [
        f"a quote is opened in line {where}: the rows between them are one cell"
    ]
    told = run("import", str(bare.root / "data/laboratories.csv"), str(bare.root / "new"))
    assert (told.exit_code, "the rows between them are one cell" in told.stderr) == (1, True)


def test_lines_of_a_text_are_no_rows(bare):
    rows = '1;Alpha;"Wir prüfen;\nmessen; und zählen\n2 Mal im Jahr;"\n2;Beta;"1. eins\n2. zwei"\n'
    bare.file("data/materials.csv", "id;title;_note\n" + rows)
    bare.file("data/laboratories.csv", f"{','.join(LAB)}\n{','.join(ALPHA_ROW)}\n")
    assert told(bare) == []


UNLIKELY = [
    ({"contact_person": {"phone": "4,93023E+11"}}, '`phone` is "4,93023E+11": a spreadsheet cut its digits'),
    ({"contact_person": {"phone": "Tel.: 030 123456"}}, '`phone` holds the word "Tel", and clients dial what it holds'),
    ({"contact_person": {"phone": "493012345678901234"}}, "`phone` has 18 digits, but a telephone number has at most 15"),
    ({"contact_person": {"phone": "0"}}, '`phone` is "0", which counts as empty'),
    ({"contact_person": {"phone": "123"}}, '`phone` "123" is too short for a telephone number'),
    ({"published_on": "0204-05-01"}, "`published_on` is 0204-05-01, a year that is hardly meant"),
    ({"published_on": "2062-05-01"}, "`published_on` is 2062-05-01, a year that is hardly meant"),
    ({"rating": "47"}, "`rating` is 47.00, but the highest is 5"),
    ({"country": "at", "postal_code": "01067"}, '`postal_code` "01067" is not one of the country `at`'),
    ({"postal_code": "05123"}, '`postal_code` "05123" does not exist: none in Germany begins with 05'),
    ({"website": "k. A."}, '`website` is "k. A.", which counts as empty'),
    ({"rating": "keine Angabe"}, '`rating` is "keine Angabe", which counts as empty'),
    ({"logo": "-"}, '`logo` is "-", which counts as empty'),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "message"), UNLIKELY)
def test_a_value_that_is_hardly_meant_is_a_warning(site, fields, message):
    countries = [{"iso_code": one, "slug": one, "name": one} for one in ("de", "at")]
    site.write(laboratories=[ALPHA | {"slug": "alpha"} | fields], countries=countries)
    assert [(one.severity, one.message) for one in site.check().found] == [("warning", message)]


LIKELY = [
    {"contact_person": {"phone": one}} for one in ("+49 (0)30 / 1234-56", "030 12345 Durchwahl 12", "0711/123456-0", "030 1234567 / 0171 12345678", "+423 232 12 12", "0800 1234567 ext. 5")
] + [{"country": "at", "postal_code": one} for one in ("1010", "A-1010", "")] + [
    {"published_on": "1990-01-01"}, {"published_on": "2031-01-01"}, {"rating": "5"}, {"postal_code": "99998"}, {"slug": "0"}
]  # fmt: skip


@pytest.mark.parametrize("fields", LIKELY)
def test_a_value_that_may_be_meant_is_none(site, fields):
    countries = [{"iso_code": one, "slug": one, "name": one} for one in ("de", "at")]
    site.write(laboratories=[ALPHA | fields], countries=countries)
    assert site.check().found == []


def test_the_settings_say_which_rating_is_the_highest(site):
    site.file("data/site.toml", f"{SITE}[limits]\nhighest_rating = 100\n")
    assert site.write(laboratories=[ALPHA | {"rating": "99.5"}]).check().found == []


def test_a_laboratory_that_is_there_twice_is_told_until_one_is_renamed(site):
    twice = [laboratory(one, name="Prüflabor", locality="Ulm") for one in ("00001", "00002")]
    message = '`name` "Prüflabor" in "Ulm" is also that of 00001'
    for outcome in (site.write(laboratories=twice).build(), site.build(), site.check()):
        assert [one.message for one in outcome.found] == [message]
    assert site.write(laboratories=[twice[0], twice[1] | {"locality": "Bonn"}]).build().found == []


def test_a_field_that_counts_as_empty_is_published_so_and_remembered(site):
    fields = {"locality": "unbekannt", "contact_person": {"position": "k. A."}}
    first = site.write(laboratories=[ALPHA | fields]).build()
    assert [one.code for one in first.found] == ["placeholder", "placeholder"]
    document = site.document("laboratories/00001/")
    assert (document["locality"], document["contact_person"]["position"]) == ("", "")
    assert [one.code for one in site.build().found] == ["placeholder", "placeholder"]


def test_cells_that_stand_for_no_entries_are_empty_lists(bare):
    bare.file("data/materials.csv", "id,title\n1,Stahl\n")
    rows = [[*LAB, "materials"], [*ALPHA_ROW, "k. A."], ["00002", "Beta", *ALPHA_ROW[2:], "1"]]
    bare.file("data/laboratories.csv", "".join(f"{','.join(row)}\n" for row in rows))
    assert [one.message for one in bare.check().found] == ['`materials` is "k. A.", which counts as empty']


@pytest.mark.parametrize("title", ["Jan 01", "01.01.4301", "4301-01-01", "1E+21", "WAHR", "#NV", "#BEZUG!"])
def test_an_import_makes_no_entry_of_what_a_spreadsheet_damaged(bare, run, title):
    bare.file(
        "labs.csv",
        f"display_id;name;country;deal_status;verification_status;materials\n00001;Alpha;de;a;b;{title}\n",
    )
    told = run("import", str(bare.root / "labs.csv"), str(bare.root / "new"))
    assert (told.exit_code, (bare.root / "new").exists()) == (1, False)
    assert f'"{title}"' in told.stdout + told.stderr
