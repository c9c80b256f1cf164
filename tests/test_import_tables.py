"""`labgen import` from files with tables: from a keeper's workbook to a site, without a script."""

import json
import shutil
import sqlite3
from typing import Any

import openpyxl
import pytest
from click.testing import CliRunner
from conftest import EXHAUSTIVE, Project, copy_of_sample
from write_tables import csv_of, database_of, tables_of, workbook_of

from labgen.cli import main
from labgen.model.picture_fields import PICTURE_FIELDS


def labgen(*arguments):
    result = CliRunner().invoke(main, [str(one) for one in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


HEADER: list[Any] = ["Nr.", "Firma", "Land", "Ort", "PLZ", "E-Mail", "Tarif", "Status", "Werkstoffe", "Notiz"]
ROWS: list[list[Any]] = [
    [1, "Prüflabor Süd", "Deutschland", "Dresden", 1067, "a@sued.example", "Kostenlos", "Geprüft", "Stahl; Holz, massiv", "x"],
    [2, "Prüflabor Nord", "Österreich", "Wien", 1010, "b@nord.example", "Premium", "Geprüft", "Öl;Stahl", None],
]  # fmt: skip
CERTIFICATES: list[list[Any]] = [
    ["display_id", "Norm", "Stelle", "Nummer"],
    [1, "DIN EN ISO/IEC 17025:2018", "DAkkS", "D-PL-12345-01-00"],
    [1, "DIN EN ISO/IEC 17025:2018", "DAkkS", "D-PL-12345-01-01"],
]


def write_workbook(file):
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.title = "Labore"
    for row in (["Laborverzeichnis, Stand Mai 2024"], [], HEADER, *ROWS):
        sheet.append(row)
    certificates = book.create_sheet("Akkreditierungen")
    for row in CERTIFICATES:
        certificates.append(row)
    methods = book.create_sheet("Prüfverfahren")
    for row in (["display_id", "test_method"], [1, "Zugversuch"], [2, "Zugversuch"]):
        methods.append(row)
    book.create_sheet("Preise").append(["Preisliste"])
    book.save(file)


def test_a_keepers_workbook_becomes_a_project_without_problems(tmp_path):
    write_workbook(tmp_path / "Labore 2024.xlsx")
    result = labgen("import", tmp_path / "Labore 2024.xlsx", tmp_path / "p", "--digits", 5)
    assert "\n2 laboratories in 9 files written: no problems\n" in result.stdout
    assert "note: the column `Firma` of `laboratories` is read as `name`" in result.stdout
    assert "note: the sheet `Akkreditierungen` is read as `accreditations`" in result.stdout
    assert "note: the sheet `Preise` is not read: no table is called so" in result.stdout
    assert "note: the column `Notiz` of `laboratories` is not read" in result.stdout
    record = json.loads((tmp_path / "p/data/laboratories/00001.json").read_text())
    assert (record["country"], record["postal_code"], record["deal_status"]) == ("de", "01067", "kostenlos")
    assert record["contact_person"] == {"email": "a@sued.example"}
    assert [one["id"] for one in record["accreditations"]] == [1, 2]
    assert (tmp_path / "p/data/materials.csv").read_text() == 'id,title\n1,"Holz, massiv"\n2,Öl\n3,Stahl\n'
    assert record["materials"] == [3, 1]
    assert labgen("build", "-C", tmp_path / "p").exit_code == 0


def test_merged_cells_in_the_rows_of_a_workbook_stop_an_import(tmp_path):
    write_workbook(tmp_path / "l.xlsx")
    book = openpyxl.load_workbook(tmp_path / "l.xlsx")
    book["Labore"].merge_cells("D4:D5")
    book["Labore"].merge_cells("J4:J5")
    book.save(tmp_path / "l.xlsx")
    result = labgen("import", tmp_path / "l.xlsx", tmp_path / "p", "--digits", 5)
    assert "the cells D4:D5 of sheet `Labore` of `l.xlsx` are merged, so only D4 has a value" in result.stderr
    assert (result.stderr.count("error["), result.exit_code) == (1, 1)
    assert not (tmp_path / "p").exists()


@pytest.mark.parametrize(
    ("name", "encoding", "separator"),
    [
        ("Labore.csv", "cp1252", ";"),
        ("Labore.txt", "utf-16", "\t"),
        ("laboratories.csv", "utf-8-sig", ";"),
        ("Labore.CSV", "cp850", ";"),
    ],
)
def test_what_german_excel_saves_as_text_is_imported(tmp_path, name, encoding, separator):
    text = csv_of([dict(zip(HEADER, row, strict=True)) for row in ROWS], separator)
    (tmp_path / name).write_bytes(text.encode(encoding))
    result = labgen("import", tmp_path / name, tmp_path / "p", "--digits", 5)
    assert "\n2 laboratories in 7 files written: no problems\n" in result.stdout, result.stderr
    assert json.loads((tmp_path / "p/data/laboratories/00002.json").read_text())["country"] == "at"


def test_titles_that_look_the_same_become_one_entry(tmp_path):
    cells = "Öle; Stahl", "O\u0308le; St\u00adahl"
    rows = "".join(f'{number};L;de;a;b;"{cell}"\n' for number, cell in enumerate(cells, 1))
    (tmp_path / "l.csv").write_text(f"Nr.;Firma;Land;Tarif;Status;Werkstoffe\n{rows}")
    assert labgen("import", tmp_path / "l.csv", tmp_path / "p").exit_code == 0
    assert (tmp_path / "p/data/materials.csv").read_text() == "id,title\n1,Öle\n2,Stahl\n"


NAMING_PICTURES = {"focus", *(path[0] for field in PICTURE_FIELDS.values() for path in field.paths)}


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """The sample without pictures, built."""
    project = Project(copy_of_sample(tmp_path_factory.mktemp("sample")))
    shutil.rmtree(project.root / "data/media")
    for file in (project.root / "data/laboratories").iterdir():
        record = {
            name: one for name, one in json.loads(file.read_text()).items() if name not in NAMING_PICTURES
        }
        file.write_text(json.dumps(record))
    assert not project.build().errors
    return project


def as_workbook(tables, folder):
    workbook_of(tables, folder / "x.xlsx")
    return folder / "x.xlsx"


def as_database(tables, folder):
    database_of(tables, folder / "x.sqlite3")
    return folder / "x.sqlite3"


def as_csv(tables, folder):
    for name, rows in tables.items():
        (folder / f"{name}.csv").write_bytes(csv_of(rows, ";", is_german=True).encode("utf-8-sig"))
    return folder / "laboratories.csv"


@pytest.mark.parametrize("form", [as_workbook, as_database, as_csv] if EXHAUSTIVE else [as_workbook])
def test_imported_tables_give_the_bytes_of_the_same_data_in_files(sample, tmp_path, form):
    (tmp_path / "tables").mkdir()
    file = form(tables_of(sample.root), tmp_path / "tables")
    assert labgen("import", file, tmp_path / "p").exit_code == 0
    project = Project(tmp_path / "p")
    shutil.copy(sample.root / "data/site.toml", project.root / "data/site.toml")
    project.build()
    assert project.published() == sample.published()


def test_names_of_columns_and_settings_stand_in_a_mapping_file(tmp_path):
    (tmp_path / "l.csv").write_text("Kennung;Haus;name\n7;Alpha;x\n")
    mapping = tmp_path / "m.toml"
    mapping.write_text(
        '[site]\nname = "Labore"\n[columns.laboratories]\ndisplay_id = "Kennung"\nname = "Haus"\n[values.laboratories]\ncountry = "de"\n'
    )
    result = labgen(
        "import",
        tmp_path / "l.csv",
        tmp_path / "p",
        "--mapping",
        mapping,
        "--set",
        "deal_status=Frei",
        "--set",
        "verification_status=Offen",
    )
    assert result.exit_code == 0, result.stderr
    assert json.loads((tmp_path / "p/data/laboratories/7.json").read_text())["name"] == "Alpha"
    assert 'name = "Labore"' in (tmp_path / "p/data/site.toml").read_text()


MAPPED = [
    ('[columns.laboratories]\nrating = "Bewertg."', "m.toml:2:10", "`columns.laboratories.rating` names the column `Bewertg.`, which is not in sheet `Labore` of `l.xlsx`", "did you mean `Bew.`?"),
    ('[columns.laboratories]\nwebsite = "Internet"', "m.toml:2:11", "`columns.laboratories.website` names the column `Internet`, which is not in sheet `Labore` of `l.xlsx`", "there are `Nr.`, `Firma`, `Land`, `Tarif`, `Status`, `Bew.`"),
    ('[columns.laboratories]\nname = "Institut"\n"contact_person.email" = "Land"', "m.toml:2:8", "`columns.laboratories.name` names the column `Institut`, which is not", "there are `Nr.`"),
    ('[columns.reviews]\nrating = "Punkte"', "m.toml:1:2", "`columns.reviews` names columns of `reviews`, but the source has no such table", "name its sheet below [sheets]: reviews = …"),
    ('[sheets]\nmaterials = "Werkstoffliste"', "m.toml:2:13", "`sheets.materials` names the sheet `Werkstoffliste`, which is not in `l.xlsx`", "did you mean `Stoffe`?"),
    ('[sheets]\nlaboratories = "Labor"', "m.toml:2:16", "`sheets.laboratories` names the sheet `Labor`, which is not in `l.xlsx`", "did you mean `Labore`?"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "where", "message", "hint"), MAPPED)
def test_a_name_in_a_mapping_that_the_source_lacks_is_told_with_its_line(
    tmp_path, monkeypatch, text, where, message, hint
):
    monkeypatch.chdir(tmp_path)
    row = {"Nr.": 1, "Firma": "A", "Land": "de", "Tarif": "x", "Status": "y", "Bew.": 4}
    workbook_of({"Labore": [row], "Stoffe": [{"id": 7, "title": "Stahl"}]}, tmp_path / "l.xlsx")
    (tmp_path / "m.toml").write_text(text)
    result = labgen("import", "l.xlsx", "p", "--mapping", "m.toml")
    told = result.stderr
    assert f"error[unknown-reference]: {message}" in told
    assert (where in told, f"= help: {hint}" in told, told.count("error[")) == (True, True, 1), told
    assert (result.exit_code, (tmp_path / "p").exists()) == (1, False)


def test_names_in_a_mapping_are_found_whatever_their_case_and_spaces(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    row = {"Nr.": 1, "Firma": "A", "Land": "de", "Tarif": "x", "Status": "y", "Bewertung\n(Sterne)": 4}
    workbook_of({"Labore": [row], "Stoffe ": [{"id": 7, "title": "Stahl"}]}, tmp_path / "l.xlsx")
    text = '[sheets]\nlaboratories = "labore"\nmaterials = "Stoffe"\n[columns.laboratories]\nrating = "bewertung (Sterne):"\n'
    (tmp_path / "m.toml").write_text(text)
    assert labgen("import", "l.xlsx", "p", "--mapping", "m.toml").exit_code == 0
    assert json.loads((tmp_path / "p/data/laboratories/1.json").read_text())["rating"] == "4"


def test_a_table_of_a_database_that_a_mapping_names_wrongly_is_called_a_table(tmp_path):
    database_of({"institut": [{"nr": 1, "bezeichnung": "A"}]}, tmp_path / "l.sqlite")
    text = '[sheets]\nlaboratories = "institute"\n[columns.laboratories]\ndisplay_id = "nmr"\n'
    (tmp_path / "m.toml").write_text(text)
    result = labgen("import", tmp_path / "l.sqlite", tmp_path / "p", "--mapping", tmp_path / "m.toml")
    assert "names the table `institute`, which is not in `l.sqlite`" in result.stderr
    assert "did you mean `institut`?" in result.stderr
    assert "names the column `nmr`, which is not in table `institut` of `l.sqlite`" in result.stderr


def test_a_sheet_in_a_mapping_for_a_csv_file_is_told_to_be_a_file_of_its_own(tmp_path):
    (tmp_path / "l.csv").write_text("Nr.;Firma;Land;Tarif;Status\n1;A;de;x;y\n")
    (tmp_path / "m.toml").write_text('[sheets]\nmaterials = "Stoffe"\n')
    result = labgen("import", tmp_path / "l.csv", tmp_path / "p", "--mapping", tmp_path / "m.toml")
    assert "names the sheet `Stoffe`, which is not in `l.csv`" in result.stderr
    assert "a file such as materials.csv beside it is read as `materials`" in result.stderr


COLUMNS = "display_id;name;country;deal_status;verification_status\n"
REFUSED = [
    (["l.csv"], "Nr.;Firma\n1;A\n", 1, ["the column `country` is missing", "are named in a mapping file: --mapping m.toml, with [columns.laboratories] and a line for each", "missing ones of laboratories are given by --set country=de"]),
    (["l.csv"], "x;y\n1;A\n", 1, ["the first row does not name the columns"]),
    (["l.csv"], 'Nr.;Firma\n1;"A\n', 1, ["l.csv, line 2: a quote is not closed"]),
    (["l.csv"], "Nr.;Firma;Ort\n1;A;B\n2;A;B;C\n", 1, ["l.csv, line 3: this row has 4 cells, but the header has 3", "put a cell that holds a separator into double quotes"]),
    (["l.csv"], 'sep=;\nNr.;Firma;Ort\n1;"A\nB";C\n2;A\n', 1, ["l.csv, line 5: this row has 2 cells, but the header has 3", "add the separators of its empty cells"]),
    (["l.csv"], f"{COLUMNS}../../../x;A;de;a;b\n", 1, ["l.csv:2:1", '`display_id` must be digits only, at most 64, not "../../../x"']),
    (["l.csv"], f"{COLUMNS};A;de;a;b\n", 1, ["`display_id` is missing from this laboratory"]),
    (["l.csv", "--digits", "3"], f"{COLUMNS}1;A;de;a;b\n001;B;de;a;b\n", 1, ["`display_id` 001 is also that of another row"]),
    (["fehlt.csv"], "", 1, ["fehlt.csv is no file"]),
    (["l.pdf"], "", 2, ["is nothing that can be imported"]),
    (["l.csv", "--set", "land=de"], "", 2, ["--set: `land` is no column"]),
    (["l.csv", "--mapping", "m.toml"], "", 1, ["`sqll` is no part of a mapping", "did you mean `sql`?"]),
    (["postgresql://x/y"], "", 1, ["a database is read with a mapping file that has SQL"]),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "text", "code", "messages"), REFUSED)
def test_what_cannot_be_imported_is_told_and_nothing_is_written(
    tmp_path, monkeypatch, arguments, text, code, messages
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "l.csv").write_text(text)
    (tmp_path / "m.toml").write_text("[sqll]\n")
    result = labgen("import", arguments[0], "p", *arguments[1:])
    assert (result.exit_code, [one for one in messages if one not in result.stderr]) == (code, [])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["l.csv", "m.toml"]


LOST = [
    (f"3;Gamma;de;a;b\n{COLUMNS}1;A;de;a;b\n", 'row 1 stands above the header, and is not read: "3", "Gamma", "de" and 2 more', "move it below the header"),
    ("Nr.;Firma;;Land;Tarif;Prüfstatus\n1;A;geheim;de;a;b\n", "column C of `l.csv` holds texts, but has no name", "name it in the header, or empty it"),
    (f"{COLUMNS}1;A;de;a;#NV\n", '`verification_status` names "#NV"', "a formula failed where the table was made"),
    (f"{COLUMNS}1;A;de;#N/A;b\n", '`deal_status` names "#N/A"', "a formula failed where the table was made"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message", "hint"), LOST)
def test_what_an_import_would_lose_or_make_a_status_of_stops_it(tmp_path, text, message, hint):
    (tmp_path / "l.csv").write_text(text)
    result = labgen("import", tmp_path / "l.csv", tmp_path / "p")
    assert (result.exit_code, message in result.stderr, hint in result.stderr) == (1, True, True)
    assert "correct them there, and import it again" in result.stderr
    assert not (tmp_path / "p").exists()


LABORATORY = {"Nr.": 1, "Firma": "Alpha", "Land": "de", "Tarif": "x", "Prüfstatus": "y"}
WHOSE = [
    ({"Nr": 1, "Sterne": 5, "Datum": "2026-01-01"}, 1),
    ({"Labor": 1, "Sterne": 5, "Datum": "2026-01-01"}, 1),
    ({"Nr": 77, "Labor-Nr.": 1, "Sterne": 5, "Datum": "2026-01-01"}, 77),
    ({"Labor-Nr.": 1, "Labor": "Alpha", "Sterne": 5, "Datum": "2026-01-01"}, 1),
]


@pytest.mark.parametrize(("review", "own_id"), WHOSE)
def test_a_number_in_a_table_of_reviews_is_that_of_the_laboratory_unless_another_column_is(
    tmp_path, review, own_id
):
    workbook_of({"Labore": [LABORATORY], "Bewertungen": [review]}, tmp_path / "l.xlsx")
    result = labgen("import", tmp_path / "l.xlsx", tmp_path / "p")
    assert result.exit_code == 0, result.stderr
    (read,) = json.loads((tmp_path / "p/data/laboratories/1.json").read_text())["reviews"]
    assert (read["rating"], read.get("id")) == ("5", own_id)


def test_a_name_in_a_table_of_laboratories_is_no_number(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "l.csv").write_text("Institut;Land;Tarif;Prüfstatus\nAlpha;de;x;y\n", encoding="utf-8")
    told = labgen("import", "l.csv", "p").output
    assert "the column `Institut` of `laboratories` is not read" in told
    assert "the column `display_id` is missing" in told


def test_a_column_that_a_table_of_reviews_lacks_is_named_below_this_table(tmp_path):
    review = {"Kennung": 1, "Sterne": 5, "Datum": "2026-01-01"}
    workbook_of({"Labore": [LABORATORY], "Bewertungen": [review]}, tmp_path / "l.xlsx")
    result = labgen("import", tmp_path / "l.xlsx", tmp_path / "p")
    assert (result.exit_code, "the column `display_id` is missing" in result.stderr) == (1, True)
    assert "--mapping m.toml, with [columns.reviews] and a line for each" in result.stderr
    assert "--set" not in result.stderr


def test_rows_are_told_where_a_mapping_names_the_column_of_numbers(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "l.csv").write_text(COLUMNS + "1;A;de;a;b\n01;B;de;a;b\n1.0;C;de;a;b\n")
    (tmp_path / "m.toml").write_text('[columns.laboratories]\ndisplay_id = "display_id"\n')
    command = ("import", tmp_path / "l.csv", tmp_path / "p", "--digits", 5)
    assert '3 of 3 rows it is no number of its own: "00001" in row 2' in labgen(*command).stderr
    told = labgen(*command, "--mapping", tmp_path / "m.toml").stderr
    assert told.count("`display_id` 00001 is also that of another row") == 2


def test_a_laboratory_that_is_called_by_its_name_is_found_by_it(tmp_path):
    review = {"Labor": "alpha", "Sterne": 5, "Datum": "2026-01-01"}
    similar = {"display_id": 1, "similar_lab": "Beta"}
    two = [LABORATORY, LABORATORY | {"Nr.": 2, "Firma": "Beta"}]
    sheets = {"Labore": two, "Bewertungen": [review], "laboratory_similar_labs": [similar]}
    workbook_of(sheets, tmp_path / "l.xlsx")
    told = labgen("import", tmp_path / "l.xlsx", tmp_path / "p", "--digits", 3).stderr
    assert '`display_id` is "alpha", which no row of `laboratories` has' in told
    assert 'did you mean "001" (Alpha)?' in told


def test_two_columns_of_one_name_are_told_with_their_letters(tmp_path):
    (tmp_path / "l.csv").write_text("Nr.;Firma;Telefon;Land;Tarif;Prüfstatus;Telefon\n1;A;1;de;a;b;2\n")
    told = labgen("import", tmp_path / "l.csv", tmp_path / "p").stderr
    assert "the column `contact_person.phone` stands twice in `l.csv`: C and G" in told
    assert "rename or remove one of the two" in told


def test_statuses_that_differ_by_a_slip_are_a_warning(tmp_path):
    rows = "".join(
        f"{at};L {at};de;{one};geprüft\n"
        for at, one in enumerate(["Premium", "Premum", "Basis ", "basis"], 1)
    )
    (tmp_path / "l.csv").write_text(f"{COLUMNS}{rows}5;D;de;Basis;ungeprüft\n", encoding="utf-8")
    told = labgen("import", tmp_path / "l.csv", tmp_path / "p")
    assert told.exit_code == 0
    assert told.stderr.count("warning[") == 1
    assert '`deal_status` has "Premium" and "Premum", which differ by one letter' in told.stderr
    assert "l.csv:3" in told.stderr


def test_a_line_of_titles_above_the_header_is_no_row(tmp_path):
    (tmp_path / "l.csv").write_text(f"Stand;2026;;;\nNuméro;Nom;Pays;Contrat;?\n{COLUMNS}1;A;de;a;b\n")
    result = labgen("import", tmp_path / "l.csv", tmp_path / "p")
    assert "1 laboratory in" in result.stdout


def test_sheets_that_are_hidden_or_have_further_laboratories_are_told(tmp_path):
    write_workbook(tmp_path / "l.xlsx")
    book = openpyxl.load_workbook(tmp_path / "l.xlsx")
    book.create_sheet("Notiz").append(["x"])
    further = book.create_sheet("Labore Süd")
    for row in (HEADER, *ROWS):
        further.append(row)
    book["Notiz"].sheet_state = "hidden"
    book.save(tmp_path / "l.xlsx")
    result = labgen("import", tmp_path / "l.xlsx", tmp_path / "p", "--digits", 5)
    assert "note: the sheet `Notiz` is hidden, and not read\n" in result.stdout
    told = "though it has columns of `laboratories`: put its 2 rows below those of `Labore`"
    assert f"note: the sheet `Labore Süd` is not read, {told}\n" in result.stdout


SHAPES = [
    ("[columns.laboratories]\nrating = 5\n", "`columns.laboratories.rating` must be a text in quotes, not 5"),
    ("[columns]\nlaboratories = 5\n", "`columns.laboratories` must be a table, not 5"),
    ("sheets = ['a']\n", "`sheets` must be a table, not a list"),
    ("[sheets]\nmaterials = true\n", "`sheets.materials` must be a text in quotes, not true"),
    (
        "[values.laboratories]\ncountry = {}\n",
        "`values.laboratories.country` must be a text in quotes, not an object",
    ),
    ("site = 'x'\n", '`site` must be a table, not "x"'),
]


@pytest.mark.parametrize(("mapping", "message"), SHAPES)
def test_a_mapping_holds_texts_in_tables(tmp_path, mapping, message):
    (tmp_path / "l.csv").write_text(f"{COLUMNS}1;A;de;a;b\n")
    (tmp_path / "m.toml").write_text(mapping)
    result = labgen("import", tmp_path / "l.csv", tmp_path / "p", "--mapping", tmp_path / "m.toml")
    assert (result.exit_code, message in result.stderr) == (1, True), result.stderr
    assert not (tmp_path / "p").exists()


def test_a_project_with_errors_is_written_and_the_exit_code_says_that_it_has_them(tmp_path):
    (tmp_path / "l.csv").write_text(f"{COLUMNS}1;A;xx;a;b\n")
    result = labgen("import", tmp_path / "l.csv", tmp_path / "p")
    assert (result.exit_code, "1 laboratory in" in result.stdout) == (1, True)
    assert "correct the errors in data/, then" in result.stdout


def test_an_error_that_is_not_of_columns_does_not_lead_to_the_mapping(tmp_path):
    header = "display_id,name,country,deal_status,verification_status"
    (tmp_path / "labore.csv").write_text(f"{header}\n1,A,de,free,none\n")
    (tmp_path / "laboratory_materials.csv").write_text("display_id,material\n9,Stahl\n")
    result = labgen("import", tmp_path / "labore.csv", tmp_path / "project")
    assert (result.exit_code, '`display_id` is "9"' in result.stderr) == (1, True)
    assert "correct them there, and import it again" in result.stderr
    assert "--mapping" not in result.stderr


def test_countries_are_known_by_their_names_and_have_these_alone(tmp_path):
    rows = "1;A;Vereinigte Staaten;true;x;y\n2;B;ca;false;x;y\n3;C;Südafrika;;x;y\n"
    (tmp_path / "l.csv").write_text(f"display_id;Firma;Land;is_verified;Vertragsart;Prüfstatus\n{rows}")
    result = labgen("import", tmp_path / "l.csv", tmp_path / "p")
    assert (result.exit_code, "    is_verified: true\n" in result.stdout) == (0, True)
    countries = (tmp_path / "p/data/countries.csv").read_text().splitlines()[1:]
    assert sorted(countries) == [
        "ca,kanada,Kanada",
        "us,vereinigte-staaten,Vereinigte Staaten",
        "za,suedafrika,Südafrika",
    ]


def test_what_a_table_writes_in_short_is_completed_and_told(tmp_path):
    header = "Lab-Nr.;Firmenname;Land;PLZ;Homepage;Vertragsart;Prüfstatus"
    (tmp_path / "l.csv").write_text(
        f"{header}\n1;A;Deutschalnd;1;www.a.example;x;y\n2;B;de;1;http://b.example;x;y\n"
    )
    result = labgen("import", tmp_path / "l.csv", tmp_path / "p")
    assert "note: 1 website got https:// before www." in result.stdout
    records = [json.loads((tmp_path / f"p/data/laboratories/{one}.json").read_text()) for one in (1, 2)]
    assert [one["website"] for one in records] == ["https://www.a.example", "http://b.example"]
    assert records[0]["country"] == "Deutschalnd"  # as it is written, so that it can be found in the source


def test_codes_of_countries_in_three_letters_are_understood(tmp_path):
    (tmp_path / "l.csv").write_text(f"{COLUMNS}1;A;DEU;a;b\n2;B;ger;a;b\n3;C;CHE;a;b\n")
    assert labgen("import", tmp_path / "l.csv", tmp_path / "p").exit_code == 0
    read = [json.loads((tmp_path / f"p/data/laboratories/{one}.json").read_text()) for one in (1, 2, 3)]
    assert [one["country"] for one in read] == ["de", "de", "ch"]


def test_codes_of_countries_on_cars_and_a_column_of_ticks_are_understood(tmp_path):
    header = "Nr.;Firma;Land;PLZ;Tarif;Status;Verifiziert"
    (tmp_path / "l.csv").write_text(f"{header}\n1;A;D;1067;x;y;ja\n2;B;A;1010;x;y;nein\n")
    assert labgen("import", tmp_path / "l.csv", tmp_path / "p").exit_code == 0
    first, second = (json.loads((tmp_path / f"p/data/laboratories/{one}.json").read_text()) for one in (1, 2))
    assert (first["country"], first["postal_code"], first["is_verified"]) == ("de", "01067", True)
    assert (second["country"], second["postal_code"]) == ("at", "1010")


def test_a_title_with_a_comma_is_kept_whole_by_a_semicolon(tmp_path):
    (tmp_path / "l.csv").write_text(
        'Nr.;Firma;Land;Tarif;Status;Werkstoffe\n1;A;de;x;y;"Holz, massiv;"\n2;B;de;x;y;"Stahl, Öl\n"\n'
    )
    labgen("import", tmp_path / "l.csv", tmp_path / "p")
    assert (tmp_path / "p/data/materials.csv").read_text() == 'id,title\n1,"Holz, massiv"\n2,Öl\n3,Stahl\n'


def test_all_shows_every_problem_of_imported_tables(tmp_path):
    text = "Nr.;Firma;Land;Tarif;Status;Homepage\n" + "".join(f"{one};A;de;x;y;a\n" for one in range(1, 6))
    (tmp_path / "l.csv").write_text(text)
    few = labgen("import", tmp_path / "l.csv", tmp_path / "few")
    every = labgen("import", tmp_path / "l.csv", tmp_path / "every", "--all")
    assert [one.stderr.count("error[invalid-url]") for one in (few, every)] == [3, 5]


def test_a_sheet_with_a_german_name_is_read_as_what_a_column_of_that_name_is(tmp_path):
    workbook_of(
        {"Labore": [dict(zip(HEADER, ROWS[0], strict=True))], "Werkstoffe": [{"id": 7, "title": "Stahl"}]},
        tmp_path / "l.xlsx",
    )
    result = labgen("import", tmp_path / "l.xlsx", tmp_path / "p")
    assert "note: the sheet `Werkstoffe` is read as `materials`" in result.stdout
    assert (tmp_path / "p/data/materials.csv").read_text().splitlines()[:2] == ["id,title", "7,Stahl"]


def test_a_sheet_whose_columns_are_not_known_says_what_is_missing(tmp_path):
    book = openpyxl.Workbook()
    for row in (HEADER, *ROWS):
        book.worksheets[0].append(row)
    reviews = book.create_sheet("Bewertungen")
    for row in (["Kundenstimmen"], ["Punkte", "Kunde", "Tag"], [5, "A", "1.5.2024"]):
        reviews.append(row)
    book.save(tmp_path / "l.xlsx")
    result = labgen("import", tmp_path / "l.xlsx", tmp_path / "p")
    assert "note: the column `Punkte` of `reviews` is not read" in result.stdout
    assert "the column `rating` is missing" in result.stderr
    assert "error[unknown-field]" not in result.stderr


def test_of_two_columns_with_one_meaning_the_mapping_says_which_is_read(tmp_path):
    (tmp_path / "l.csv").write_text("Nr.;Firma;Labor;Land;Tarif;Status;Ort;locality\n1;A;B;de;x;y;Bonn;Ulm\n")
    (tmp_path / "m.toml").write_text('[columns.laboratories]\nname = "Labor"\nlocality = "locality"\n')
    result = labgen("import", tmp_path / "l.csv", tmp_path / "p", "--mapping", tmp_path / "m.toml")
    assert "note: the column `Firma` of `laboratories` is not read" in result.stdout
    assert "note: the column `Ort` of `laboratories` is not read" in result.stdout
    record = json.loads((tmp_path / "p/data/laboratories/1.json").read_text())
    assert (record["name"], record["locality"]) == ("B", "Ulm")


def test_a_value_for_a_column_that_the_table_has_is_told_to_be_unused(tmp_path):
    (tmp_path / "l.csv").write_text("display_id,name,Ort\n1,A,Wien\n")
    result = labgen("import", tmp_path / "l.csv", tmp_path / "p", "--set", "locality=Bonn")
    assert "note: the value given for `locality` is not used: the table has that column" in result.stdout


def test_a_missing_column_of_a_database_has_no_row(tmp_path):
    with sqlite3.connect(tmp_path / "l.sqlite") as database:
        database.execute("CREATE TABLE labore (nr, firma)")
    result = labgen("import", tmp_path / "l.sqlite", tmp_path / "p")
    assert "the column `country` is missing\n --> " in result.stderr
    assert "row 0" not in result.stderr


def test_a_row_that_would_be_lost_is_told_with_its_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "laboratories.csv").write_text(csv_of([dict(zip(HEADER, row, strict=True)) for row in ROWS]))
    (tmp_path / "accreditations.csv").write_text(
        "Nr.,Norm,Stelle,Nummer\n1,A,DAkkS,D-PL-1\n7,A,DAkkS,D-PL-2\n"
    )
    result = labgen("import", "laboratories.csv", "p")
    assert (
        '`display_id` is "7", which no row of `laboratories` has\n --> accreditations.csv:3:1'
        in result.stderr
    )
    assert not (tmp_path / "p").exists()


def test_a_folder_with_data_is_not_touched(tmp_path):
    (tmp_path / "data").mkdir()
    result = labgen("import", tmp_path / "l.csv", tmp_path)
    assert (result.exit_code, "already holds data/" in result.stderr) == (1, True)
