"""Tables as source: whatever they are written in, the site is the same."""

import json
import shutil
import sys
from datetime import date
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import openpyxl
import pytest
from conftest import (
    COUNTRIES,
    EXHAUSTIVE,
    MATERIALS,
    SITE,
    Project,
    codes,
    copy_of_sample,
    laboratories_of,
    line,
    loaded,
    pages_of,
)
from write_tables import csv_of, database_of, tables_of, workbook_of

from labgen.model.catalogues import OWN_LISTS, SHARED_LISTS
from labgen.model.record_fields import written_fields
from labgen.model.tables import LABORATORY_TABLE, OWN_TABLES, TABLES
from labgen.pipeline.load_data import Source
from labgen.report.machine import render_github, render_github_summary, render_json_report, render_sarif


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """The sample, built, and its data as tables."""
    project = Project(copy_of_sample(tmp_path_factory.mktemp("sample")))
    assert project.build().found == []
    return project


@pytest.fixture(scope="module")
def tables(sample):
    return tables_of(sample.root)


def without_data(sample: Project, root) -> Project:
    """Return a project with the settings and the pictures of the sample."""
    (root / "data").mkdir(parents=True)
    shutil.copy(sample.root / "data/site.toml", root / "data")
    shutil.copytree(sample.root / "data/media", root / "data/media")
    shutil.copytree(sample.root / ".labgen/renditions", root / ".labgen/renditions")
    return Project(root)


def as_csv(project, tables):
    for name, rows in tables.items():
        project.file(f"data/{name}.csv", csv_of(rows))


def as_german_csv(project, tables):
    for name, rows in tables.items():
        project.file(f"data/{name}.csv", csv_of(rows, ";", is_german=True).encode("utf-8-sig"))


def as_unicode_text(project, tables):
    for name, rows in tables.items():
        project.file(f"data/{name}.csv", csv_of(rows, "\t", is_german=True).encode("utf-16"))


def as_workbook(project, tables):
    workbook_of(tables, project.root / "data/laboratories.xlsx")


def as_several_books(project, tables):
    """Laboratories in a workbook, some lists in another and in a database, the rest in CSV."""
    workbook_of({"laboratories": tables["laboratories"]}, project.root / "data/laboratories.xlsx")
    workbook_of({"Blatt 1": tables["materials"]}, project.root / "data/materials.xlsx")
    database_of(
        {"standards": tables["standards"], "reviews": tables["reviews"]}, project.root / "data/standards.db"
    )
    done = ("laboratories", "materials", "standards", "reviews")
    as_csv(project, {name: rows for name, rows in tables.items() if name not in done})


def as_database(project, tables):
    database_of(tables, project.root / "data/laboratories.sqlite")


FORMS = [as_csv, as_german_csv, as_unicode_text, as_workbook, as_several_books, as_database]
FEW = [as_german_csv, as_several_books]
"""These have each kind of table."""


@pytest.mark.parametrize("form", FORMS if EXHAUSTIVE else FEW)
def test_the_same_data_in_tables_gives_the_same_bytes(sample, tables, tmp_path, form):
    project = without_data(sample, tmp_path / "tables")
    form(project, tables)
    outcome = project.build()
    assert [one for one in outcome.found if one.code != "markup"] == []
    assert project.published() == sample.published()


HEAD = "display_id;name;country;deal_status;verification_status"
ROWS = "00001;Alpha;de;premium;partner\n00002;Beta;de;premium;partner\n"


@pytest.fixture
def table(site):
    """The sound project, with its laboratories in a table."""
    site.without_folder("data/laboratories")
    return site.file("data/laboratories.csv", f"{HEAD}\n{ROWS}")


def workbook(project, *sheets, name="laboratories"):
    """Write a workbook of sheets, each a name and rows of cells."""
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for title, rows in sheets:
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(project.root / f"data/{name}.xlsx")
    return book


def shown(outcome):
    """Return the problems as text, each with where it is: code, place, message, hint."""
    return [
        f"{one.problem.code} {one.problem.place.file}{', ' + one.where if one.where else f':{one.span.line}:{one.span.column}' if one.span else ''}: {one.problem.message} ({one.problem.hint})"
        for one in outcome.problems
    ]


def read(source: Source, row: int) -> dict[str, Any]:
    """Return the laboratory in a row as it is read from the tables."""
    data, _ = source.read(source.lines[row])
    assert data
    return dict(json.loads(data))


CELLS = [
    ("rating", "4,5", {"rating": "4.5"}),
    ("is_verified", "WAHR", {"is_verified": True}),
    ("is_verified", "nein", {"is_verified": False}),
    ("country", "Liechtenstein", {"country": "li"}),
    ("country", "DE", {"country": "de"}),
    ("deal_status", "Premium", {"deal_status": "premium"}),
    ("published_on", "24.12.2024", {"published_on": "2024-12-24"}),
    ("published_on", "2024-12-24 13:00:00", {"published_on": "2024-12-24"}),
    ("materials", "471; Stahl", {"materials": [471, 12]}),
    ("materials", "12,471", {"materials": [12, 471]}),
    ("materials", "stahl, edelstahl", {"materials": [12, 471]}),
    ("materials", "Ede\u00adlstahl; E\u0301tain", {"materials": [471, 13]}),
    ("materials", "[471, 12]", {"materials": [471, 12]}),
    ("similar_labs", "[]", {"similar_labs": []}),
    ("similar_labs", "00002", {"similar_labs": ["00002"]}),
    ("postal_code", "53111.0", {"postal_code": "53111"}),
    ("contact_person.email", "a@b.example", {"contact_person": {"email": "a@b.example"}}),
    ("Contact Person.Email", "a@b.example", {"contact_person": {"email": "a@b.example"}}),
    ("landings_links", '[{""title"": ""A"", ""link"": ""/a/""}]', {"landings_links": [{"title": "A", "link": "/a/"}]}),
    ("_Bemerkung", "nur für uns", {}),
]  # fmt: skip


@pytest.mark.parametrize(("column", "cell", "expected"), CELLS)
def test_a_cell_is_read_as_a_spreadsheet_writes_it(table, column, cell, expected):
    names, values = HEAD.split(";"), ["00001", "Alpha", "de", "premium", "partner"]
    row = dict(zip(names, values, strict=True)) | {column: f'"{cell}"'}
    table.file(
        "data/laboratories.csv",
        f"{';'.join(row)}\n{';'.join(row.values())}\n00002;B;de;premium;partner{';' * (len(row) - 5)}\n",
    )
    table.write(materials=[*MATERIALS, {"id": 13, "title": "\u00c9tain"}])
    with loaded(table.root) as (source, _):
        assert source.problems == []
        written = read(source, 1)
    assert written.items() >= expected.items()


MISTAKES = [
    ("1;Gamma;de;premium;partner", ["lost-zeros data/laboratories.csv:4:1: `display_id` 1 is shorter than others, and may have been 00001 (format the column as text and write them again, or set `digits = 5` below [tables] in data/site.toml)"]),
    ("2.0;Gamma;de;premium;partner", ["lost-zeros data/laboratories.csv:4:1: `display_id` 2 is shorter than others, and may have been 00002 (format the column as text and write them again, or set `digits = 5` below [tables] in data/site.toml)"]),
    ("00003;Gamma;fr;premium;partner", ['unknown-reference data/laboratories.csv:4:13: `country` names "fr", which is not in `data/countries.json` (correct it, or add the country there)']),
    ("00003;;de;premium;partner", ["missing-field data/laboratories.csv:4:7: `name` is missing from this laboratory ()"]),
    ("Summe:;2;;;123", ['invalid-id data/laboratories.csv:4:1: this row begins with "Summe:", and looks like totals (remove the row)']),
    ("Stand: 1.3.2024;;;;", ['invalid-id data/laboratories.csv:4:1: this row holds nothing but "Stand: 1.3.2024" (remove the row)']),
    (";Alle Angaben ohne Gewähr;;;", ['invalid-id data/laboratories.csv:4:2: this row holds nothing but "Alle Angaben ohne Gewähr" (remove the row)']),
    (HEAD, ["invalid-id data/laboratories.csv:4:1: this row repeats the header (remove the row)"]),
    ("LAB-7;Gamma;de;premium;partner", ['invalid-id data/laboratories.csv:4:1: `display_id` must be digits only, at most 64, not "LAB-7" (write 7)']),
    (";Gesamt;;;", ['invalid-id data/laboratories.csv:4:2: this row begins with "Gesamt", and looks like totals (remove the row)']),
]  # fmt: skip


@pytest.mark.parametrize(("row", "expected"), MISTAKES)
def test_a_mistake_in_a_table_is_told_with_its_row_and_column(table, row, expected):
    table.file("data/laboratories.csv", f"{HEAD}\n{ROWS}{row}\n")
    assert shown(table.check()) == expected


def test_quotes_around_whole_rows_are_named(table):
    rows = "\n".join(f'"{row}"' for row in [HEAD, *ROWS.split()])
    assert shown(table.file("data/laboratories.csv", rows).check()) == [
        "invalid-csv data/laboratories.csv:1:1: each row is one cell, with quotes around it (remove these quotes)"
    ]


@pytest.mark.parametrize("name", ["Nummer", "Nr"])
def test_a_number_in_german_is_that_of_the_laboratory(table, name):
    found = shown(table.file("data/laboratories.csv", f"{HEAD.replace('display_id', name)}\n{ROWS}").check())
    assert (
        f"unknown-field data/laboratories.csv:1:1: the column `{name}` is not known (did you mean `display_id`?)"
        in found
    )


LAB = HEAD.split(";")
ALPHA_ROW, BETA_ROW = (row.split(";") for row in ROWS.split())


@pytest.fixture
def bare(site):
    """The sound project without laboratories."""
    return site.without_folder("data/laboratories")


def test_an_odd_workbook_is_read(bare):
    days = [*LAB, "published_on", None, "is_verified", "address"]
    book = workbook(
        bare,
        ("Deckblatt", [["Laborverzeichnis 2024"]]),
        (
            "Laboratories",
            [
                ["Stand: Mai 2024"],
                [],
                days,
                [1, *ALPHA_ROW[1:], date(2024, 5, 1), None, True, "A 1"],
                [],
                [2, *BETA_ROW[1:], None, None, None, "A 2"],
            ],
        ),
        ("laboratory_materials", [["display_id", "material"], [1, "Stahl"], [1, 471.0]]),
        ("_Notizen", [["Frau Meier anrufen"]]),
        ("Alt", [["x"]]),
    )
    book["Alt"].sheet_state = "hidden"
    book["Deckblatt"].sheet_state = "hidden"
    book["Laboratories"].merge_cells("A1:E1")
    book.save(bare.root / "data/laboratories.xlsx")
    bare.file("data/site.toml", f"{SITE}[tables]\ndigits = 5\n")
    with loaded(bare.root) as (source, _):
        assert source.problems == []
        alpha, beta = (read(source, row) for row in (3, 5))
    assert (alpha["display_id"], alpha["published_on"], alpha["is_verified"]) == ("00001", "2024-05-01", True)
    assert alpha["materials"] == [12, 471]
    assert beta["display_id"] == "00002"


IN_A_WORKBOOK = [
    ([*ALPHA_ROW[:2], "fr", *ALPHA_ROW[3:]], 'unknown-reference data/laboratories.xlsx, sheet `laboratories`, row 2, column C (`country`): `country` names "fr", which is not in `data/countries.json` (correct it, or add the country there)'),
    ([None, *ALPHA_ROW[1:]], "missing-field data/laboratories.xlsx, sheet `laboratories`, row 2, column A (`display_id`): `display_id` is missing from this laboratory ()"),
    (["00001", "#N/A", *ALPHA_ROW[2:]], 'placeholder data/laboratories.xlsx, sheet `laboratories`, row 2, column B (`name`): `name` is "#N/A", which is no text of yours (a formula failed where the table was made)'),
    ([*ALPHA_ROW[:2], "=1+1", *ALPHA_ROW[3:]], "unreadable-table data/laboratories.xlsx, sheet `laboratories`, row 2, column C (`country`): `country` has a formula without a value in C2 (open it in a spreadsheet, and save it again)"),
]  # fmt: skip


@pytest.mark.parametrize(("row", "expected"), IN_A_WORKBOOK)
def test_a_mistake_in_a_workbook_is_told_with_sheet_row_and_column(bare, row, expected):
    workbook(bare, ("laboratories", [LAB, row, BETA_ROW]))
    assert shown(bare.check()) == [expected]


def test_a_list_that_lies_in_the_same_file_is_named_by_its_sheet_or_table(bare):
    catalogue = [["id", "title"], [12, "Stahl"]]
    (bare.root / "data/materials.json").unlink()
    row = [*ALPHA_ROW, "9"]
    workbook(bare, ("laboratories", [[*LAB, "materials"], row]), ("materials", catalogue))
    (told,) = bare.check().problems
    message = "`materials` names 9, which is not in sheet `materials` of `data/laboratories.xlsx`"
    assert told.problem.message == message
    (bare.root / "data/laboratories.xlsx").unlink()
    tables: dict[str, list[dict[str, Any]]] = {
        "laboratories": [dict(zip([*LAB, "materials"], row, strict=True))],
        "materials": [{"id": 12, "title": "Stahl"}],
    }
    database_of(tables, bare.root / "data/laboratories.db")
    (told,) = bare.check().problems
    message = "`materials` names 9, which is not in table `materials` of `data/laboratories.db`"
    assert told.problem.message == message


OWN = [
    ("reviews", [["display_id", "rating", "created_on"], ["00001", "4", "2024-01-31"], ["00001", "viel", "2024-01-31"]],
     'invalid-number data/reviews.csv:3:7: `reviews.rating` must be a number from 0 with at most two decimals, such as 4.50, not "viel" (write a number alone, such as 4.50)'),
    ("laboratory_materials", [["display_id", "material"], ["00002", "12"], ["00001", "9"]],
     "unknown-reference data/laboratory_materials.csv:3:7: `materials` names 9, which is not in `data/materials.json` ()"),
    ("laboratory_materials", [["display_id", "Materials"], ["00001", "12"], ["00001", "Stal"]],
     'unknown-reference data/laboratory_materials.csv:3:7: `materials` names "Stal", which is not in `data/materials.json` (did you mean `Stahl`?)'),
    ("laboratory_materials", [["display_id", "Materials"], ["00001", "Beton"]],
     'unknown-reference data/laboratory_materials.csv:2:7: `materials` names "Beton", which is not in `data/materials.json` (add it to `data/materials.json`)'),
    ("laboratory_materials", [["display_id", "Materials"], ["00001", "1.001"]],
     'wrong-type data/laboratory_materials.csv:2:7: an entry of `materials` must be a whole number, not "1.001" (write 1001)'),
    ("laboratory_equipments", [["display_id", "equipment"], ["00001", "Presse"]],
     'missing-file data/laboratory_equipments.csv:2:7: `equipments` names "Presse", but there is no file data/equipments.* (write one: csv, json, jsonl or yaml)'),
    ("accreditations", [["display_id", "accreditation_standard", "accreditation_body", "number"], ["00001", "Eichen", "DAkkS", "D-PL-12345-01-00"]],
     'missing-file data/accreditations.csv:2:7: `accreditation_standard` names "Eichen", but there is no file data/accreditation_standards.* (write one: csv, json, jsonl or yaml)'),
    ("laboratory_materials", [["display_id", "material"], ["2", "12"]],
     'unknown-reference data/laboratory_materials.csv:2:1: `display_id` is "2", which no row of `laboratories` has ("00002" is one: zeros were lost; format the column as text and write them again, or set `digits = 5` below [tables] in data/site.toml)'),
    ("laboratory_materials", [["display_id", "material"], ["0000002", "12"]],
     'unknown-reference data/laboratory_materials.csv:2:1: `display_id` is "0000002", which no row of `laboratories` has ("00002" is one: zeros were lost; format the column as text and write them again, or set `digits = 7` below [tables] in data/site.toml)'),
    ("laboratory_materials", [["display_id", "material"], ["", "12"]],
     "missing-field data/laboratory_materials.csv:2:1: this row of `data/laboratory_materials.csv` has no `display_id` ()"),
    ("accreditations", [["display_id", "number"], ["00001", "D-PL-1"]],
     "missing-field data/accreditations.csv:1:1: the column `accreditation_body` is missing ()"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "rows", "expected"), OWN)
def test_a_mistake_in_a_table_of_its_own_is_told_there(table, name, rows, expected):
    table.file(f"data/{name}.csv", "".join(f"{','.join(row)}\n" for row in rows))
    assert shown(table.check())[0] == expected


TITLES = [
    ("Stahll", 'unknown-reference data/laboratories.csv:2:32: `materials` names "Stahll", which is not in `data/materials.csv` (write 1 or 3: each of them is called Stahl)'),
    ("stahl", 'wrong-type data/laboratories.csv:2:32: an entry of `materials` must be a whole number, not "stahl" (write 1 or 3: each of them is called Stahl)'),
    ("Öll", 'unknown-reference data/laboratories.csv:2:32: `materials` names "Öll", which is not in `data/materials.csv` (did you mean `Öl`?)'),
    ("Stahl und Öl", 'unknown-reference data/laboratories.csv:2:32: `materials` names "Stahl und Öl", which is not in `data/materials.csv` (add it to `data/materials.csv`)'),
    ("#NV", 'wrong-type data/laboratories.csv:2:32: an entry of `materials` must be a whole number, not "#NV" (a formula failed where the table was made)'),
]  # fmt: skip


@pytest.mark.parametrize(("cell", "expected"), TITLES)
def test_a_title_that_no_entry_has_or_several_have_is_told_as_such(table, cell, expected):
    table.without("data/materials.json").file("data/materials.csv", "id,title\n1,Stahl\n2,Öl\n3,Stahl \n")
    table.file("data/laboratories.csv", f"{HEAD};materials\n{ROWS.replace(chr(10), f';{cell}{chr(10)}')}")
    assert shown(table.check())[0] == expected


def test_a_title_that_many_rows_name_is_one_problem_of_the_catalogue(table, run):
    rows = "".join(f"{number:05};Labor {number};de;premium;partner;Beton\n" for number in range(1, 9))
    table.file("data/laboratories.csv", f"{HEAD};materials\n{rows}")
    told = run("check").stderr
    assert 'error[unknown-reference]: `data/materials.json` has no "Beton", which 8 laboratories name' in told
    assert (
        "help: the first is data/laboratories.csv, and --all shows every place; add it to `data/materials.json`"
        in told
    )


def test_laboratories_that_a_cut_table_lost_are_one_problem_each_whatever_other_tables_say_of_them(
    table, run
):
    for name, column in (("laboratory_materials", "material"), ("laboratory_standards", "standard")):
        rows = "".join(f"{number:05},12\n" for number in range(1, 9) for _ in range(2))
        table.file(f"data/{name}.csv", f"display_id,{column}\n{rows}")
    lines = run("check").stderr.splitlines()
    assert 'error[unknown-reference]: `data/laboratories.csv` has no "00003", which 4 rows name' in lines, (
        lines
    )
    assert lines.count(" --> data/laboratories.csv") == 3
    assert "and 3 more like this; --all shows every one" in lines


def test_a_negative_number_is_too_small_and_not_no_number(table):
    table.file("data/laboratory_materials.csv", "display_id,material\n00001,-12\n")
    table.file("data/certifications.csv", "id,title\n-7,ISO\n")
    assert [one.problem.message for one in table.check().problems] == [
        "`id` must be at least 0, not -7",
        "`materials` must be at least 0, not -12",
    ]


def zipped(*names: str) -> bytes:
    """Return an archive with parts of these names."""
    data = BytesIO()
    with ZipFile(data, "w") as archive:
        for name in names:
            archive.writestr(name, "<x/>")
    return data.getvalue()


NO_BOOKS = [
    (b"display_id;name\n", "it is a text", "call it laboratories.csv, or save it as a workbook"),
    (zipped("word/document.xml"), "it is an archive without a sheet", "open it in a spreadsheet, and save it as a workbook"),
    (zipped("mimetype", "content.xml"), "it is an OpenDocument file", "call it laboratories.ods"),
    (b"<html><table></table></html>", "it is a web page (HTML)", "open it in a spreadsheet, and save it as a workbook"),
    (b"", "it is empty", "copy it again"),
    (b"PK\x03\x04 and no more", "it ends too early, or is damaged", "copy it again"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "what", "hint"), NO_BOOKS)
def test_what_is_no_workbook_is_told_as_what_it_is(bare, data, what, hint):
    (found,) = bare.file("data/laboratories.xlsx", data).check().found
    assert (found.message, found.hint) == (f"`data/laboratories.xlsx` is no workbook: {what}", hint)


def test_a_workbook_that_is_called_ods_is_told_its_name(bare):
    workbook(bare, ("laboratories", [LAB, ALPHA_ROW]))
    (bare.root / "data/laboratories.xlsx").rename(bare.root / "data/laboratories.ods")
    (found,) = bare.check().found
    assert found.message == "`data/laboratories.ods` is no workbook: it is an Excel workbook"
    assert found.hint == "call it laboratories.xlsx"


def test_a_database_that_was_cut_is_an_error_and_not_an_empty_table(bare):
    file = bare.root / "data/laboratories.db"
    database_of({"laboratories": [dict(zip(LAB, ALPHA_ROW, strict=True))]}, file)
    whole = file.read_bytes()
    for size in (4097, len(whole) - 1):
        (found,) = bare.file("data/laboratories.db", whole[:size]).check().found
        assert (found.message, found.hint) == ("`data/laboratories.db` ends too early", "copy it again")


def test_sheets_and_columns_that_are_not_read_are_told(bare):
    workbook(
        bare,
        ("laboratories", [[*LAB, None], [*ALPHA_ROW, "?"]]),
        ("Reviws", [["x"]]),
        ("Bewertungen", [["x"]]),
        ("Aufgaben", [["x"]]),
    )
    assert sorted((one.code, one.message, one.hint) for one in bare.check().found) == [
        ("ignored-sheet", "sheet `Aufgaben` of `data/laboratories.xlsx` is not read: no table is called so", "begin its name with _ where it is a note, or hide it"),
        ("ignored-sheet", "sheet `Bewertungen` of `data/laboratories.xlsx` is not read: no table is called so", "did you mean `reviews`?"),
        ("ignored-sheet", "sheet `Reviws` of `data/laboratories.xlsx` is not read: no table is called so", "did you mean `reviews`?"),
        ("unnamed-column", "column F of sheet `laboratories` of `data/laboratories.xlsx` holds texts, but has no name", "name it in the header, or empty it"),
    ]  # fmt: skip


def test_laboratories_above_the_header_of_a_sheet_are_told(bare):
    """As after a sort that took the header along."""
    workbook(bare, ("laboratories", [ALPHA_ROW, LAB, ["00002", *ALPHA_ROW[1:]]]))
    (found,) = bare.check().found
    assert (found.code, found.severity, found.hint) == (
        "unreadable-table",
        "error",
        "move it below the header",
    )
    assert found.message.startswith("row 1 stands above the header, and is not read: ")


def test_a_hidden_sheet_with_the_name_of_a_table_is_told(bare):
    workbook(
        bare, ("laboratories", [LAB, ALPHA_ROW]), ("reviews", [["display_id", "id"]]), ("Notiz", [["x"]])
    )
    file = bare.root / "data/laboratories.xlsx"
    book = openpyxl.load_workbook(file)
    book["reviews"].sheet_state = book["Notiz"].sheet_state = "hidden"
    book.save(file)
    assert [(one.code, one.severity, one.message, one.hint) for one in bare.check().found] == [
        ("ignored-sheet", "warning", "sheet `reviews` of `data/laboratories.xlsx` is hidden, and not read", "unhide it, or begin its name with _ where it is a note")
    ]  # fmt: skip


def test_of_two_columns_without_a_name_the_message_says_the_right_one(bare):
    workbook(bare, ("laboratories", [[*LAB, None, None], [*ALPHA_ROW, None, "?"]]))
    assert shown(bare.check()) == [
        "unnamed-column data/laboratories.xlsx, sheet `laboratories`, row 1: column G of sheet `laboratories` of `data/laboratories.xlsx` holds texts, but has no name (name it in the header, or empty it)"
    ]


def test_a_table_without_laboratories_is_one_error(table):
    table.file("data/laboratories.csv", f"{HEAD}\n")
    table.file("data/laboratory_materials.csv", "display_id,material\n00001,12\n")
    assert shown(table.build()) == [
        "missing-file data/laboratories.csv: there are no laboratories in `data/laboratories.csv` ()"
    ]


def test_a_database_that_is_being_written_is_not_read(bare):
    database_of(
        {"laboratories": [dict(zip(LAB, ALPHA_ROW, strict=True))]}, bare.root / "data/laboratories.db"
    )
    assert bare.check().found == []
    (found,) = bare.file("data/laboratories.db-wal", "x").check().found
    assert (found.code, found.hint) == ("unreadable-table", "end the program that has it open")


def test_a_workbook_without_its_package_is_a_problem_with_the_way_out(bare, monkeypatch):
    workbook(bare, ("laboratories", [LAB, ALPHA_ROW]))
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    (found,) = bare.check().found
    assert (found.code, found.hint) == ("missing-package", "install it: pip install python-calamine")


def test_an_edit_of_a_row_renders_that_laboratory_alone(table):
    rows = "".join(f"{number:05};Labor {number};de;premium;partner\n" for number in range(1, 9))
    table.file("data/laboratories.csv", f"{HEAD}\n{rows}").file(
        "data/laboratory_materials.csv", "display_id,material\n00001,12\n"
    ).build()
    table.file(
        "data/laboratories.csv",
        f"{HEAD};locality\n"
        + rows.replace("partner\n", "partner;\n").replace(
            "r 5;de;premium;partner;", "r 5;de;premium;partner;Bonn"
        ),
    )
    assert laboratories_of(pages_of(table.build())) == {"00005"}
    table.file("data/laboratory_materials.csv", "display_id,material\n00001,12\n00007,Edelstahl\n")
    assert laboratories_of(pages_of(table.build())) == {"00007"}
    table.write(materials=[MATERIALS[0], MATERIALS[1] | {"title": "Rostfreier Stahl"}])
    assert codes(table.build()) == ["unknown-reference"]
    table.file("data/laboratory_materials.csv", "display_id,material\n00001,12\n00007,Rostfreier Stahl\n")
    assert laboratories_of(pages_of(table.build())) == {"00007"}
    assert not pages_of(table.build())
    warm = table.published()
    shutil.rmtree(table.root / ".labgen")
    shutil.rmtree(table.out)
    table.build()
    assert table.published() == warm


def test_warnings_of_tables_are_remembered_and_told_once(table):
    table.file(
        "data/laboratories.csv",
        f"{HEAD};about\n{ROWS.replace(chr(10), ';<b>x</b>' + chr(10))}3;Gamma;de;premium;partner;\n",
    )
    cold = [one.code for one in table.build().found]
    assert cold == ["lost-zeros", "markup", "markup"]
    table.file("data/countries.json", json.dumps([*COUNTRIES, {"iso_code": "at", "name": "Österreich"}]))
    assert sorted(one.code for one in table.build().found) == cold


def test_a_value_of_a_list_is_found_in_the_cell_or_in_the_table(table):
    table.file("data/laboratories.csv", f"{HEAD};materials\n{ROWS.replace(chr(10), ';471, 13' + chr(10))}")
    table.file("data/laboratory_materials.csv", "display_id,material\n00001,12\n00001,14\n")
    assert [line(one) for one in table.check().problems] == [
        "unknown-reference data/laboratories.csv:2:32 471, 13",
        "unknown-reference data/laboratories.csv:3:31 471, 13",
        "unknown-reference data/laboratory_materials.csv:3:7 14",
    ]


HEADERS = [("E-Mail", "contact_person.email"), ("Ort", "locality"), ("Werkstoffe", "materials"), ("Vorname", "contact_person.first_name"), ("ratng", "rating")]  # fmt: skip


@pytest.mark.parametrize(("name", "meant"), HEADERS)
def test_the_column_that_was_meant_is_offered(table, name, meant):
    table.file("data/laboratories.csv", f"{HEAD};{name}\n{ROWS.replace(chr(10), ';' + chr(10))}")
    assert [one.hint for one in table.check().found] == [f"did you mean `{meant}`?"]


def test_every_field_of_a_record_has_its_column_or_its_table():
    for name, table in TABLES.items():
        columns = {one.keys[0] for one in table.columns.values()} | set(
            OWN_LISTS if name == "laboratories" else ()
        )
        fields = (
            [table.field]
            if table.is_of_values
            else [key for key in written_fields(table.record) if key != "_note"]
        )
        assert columns - {"display_id"} == set(fields) - {"display_id"}, name
    lists = {one.name for one in LABORATORY_TABLE.columns.values() if one.is_list}
    assert {one.field for one in OWN_TABLES.values()} == lists
    assert TABLES.keys() >= {one.stem for one in SHARED_LISTS}


def test_reports_for_programs_say_where_in_a_workbook_a_mistake_is(bare):
    workbook(bare, ("laboratories", [LAB, [*ALPHA_ROW[:2], "fr", *ALPHA_ROW[3:]]]))
    problems = bare.check().problems
    (row,) = json.loads(render_json_report(problems, ""))["problems"]
    where = "sheet `laboratories`, row 2, column C (`country`)"
    assert (row["file"], row["line"], row["column"], row["where"]) == ("data/laboratories.xlsx", 2, 3, where)
    for render in (render_github, render_github_summary, render_sarif):
        assert where.partition(",")[0] in render(problems, "")
