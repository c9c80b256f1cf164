"""An import is one step: it shows what it understood, and a project is there whole, or not at all."""

import json
import subprocess
import sys

import pytest
from conftest import COUNTRIES, EXHAUSTIVE, SITE, Project, small_disk
from test_import_tables import labgen
from test_write_project import LABORATORY, SETTINGS

from labgen.cli.new_project import create_project
from labgen.importing.from_tables import shown_fields
from labgen.importing.write_project import Project as Contents
from labgen.importing.write_project import write_project
from labgen.model.records import LaboratoryRecord
from labgen.output.errors import OutputError
from labgen.pipeline.build import check
from labgen.source.tables.cells import KeyLookup

COUNT = 50
ENDED = """
import os, signal, sys
from pathlib import Path
from labgen.importing.write_project import Project, write_project
from labgen.system.interruption import catch_signals, receive
catch_signals(receive)
def laboratories():
    for at in range({count}):
        if at == {moment}:
            os.kill(os.getpid(), signal.{signal})
        yield {laboratory} | {{"display_id": f"{{at:05}}"}}
write_project(Path(sys.argv[1]), Project({settings}, {{"countries": {countries}}}, laboratories()))
"""


@pytest.mark.parametrize("signal", ["SIGTERM", "SIGINT", "SIGKILL"])
@pytest.mark.parametrize("moment", range(0, COUNT, 3) if EXHAUSTIVE else [0, COUNT - 1])
def test_an_import_that_is_ended_leaves_no_part_of_a_project(tmp_path, signal, moment):
    program = ENDED.format(
        count=COUNT, moment=moment, signal=signal, laboratory=LABORATORY | {"materials": []}, settings=SETTINGS, countries=COUNTRIES
    )  # fmt: skip
    command = [sys.executable, "-c", program, str(tmp_path / "p")]
    assert subprocess.run(command, capture_output=True, check=False).returncode != 0
    assert not (tmp_path / "p/data").exists()
    assert signal == "SIGKILL" or not (tmp_path / "p").exists()
    again = [{**LABORATORY, "display_id": f"{at:05}", "materials": []} for at in range(COUNT)]
    write_project(tmp_path / "p", Contents(SETTINGS, {"countries": COUNTRIES}, again))
    assert {file.name for file in (tmp_path / "p").iterdir()} == {".gitignore", "data"}
    assert check(tmp_path / "p").problems == ()


def test_an_import_onto_a_full_disk_leaves_no_part_of_a_project(tmp_path):
    with small_disk(tmp_path, "size=400k") as small:
        many = [{**LABORATORY, "display_id": f"{at:05}", "about": "x" * 5000} for at in range(COUNT * 3)]
        with pytest.raises(OutputError, match="cannot be written"):
            write_project(small / "p", Contents(SETTINGS, {"countries": COUNTRIES}, many))
        assert list(small.iterdir()) == []


def test_an_import_shows_how_it_read_the_columns_and_the_first_laboratories_before_it_writes(tmp_path):
    rows = "".join(f"{at};Labor {at};Ulm;Stahl\n" for at in range(1, 6))
    (tmp_path / "l.csv").write_text(f"display_id;Firma;locality;Werkstoffe\n{rows}")
    more = ("--set", "country=de", "--set", "deal_status=Basis", "--set", "verification_status=Offen")
    told = labgen("import", tmp_path / "l.csv", tmp_path / "p", *more).stdout
    assert "note: of `laboratories`, these columns are read: `display_id`, `locality`\n" in told
    shown, written = told.partition("the first 3 laboratories, as they will be published:\n")[2].split(
        "\n5 laboratories in "
    )
    assert written.startswith("10 files written")
    assert shown.splitlines()[:8] == [
        "    display_id: 1", "    name: Labor 1", "    country: Deutschland", "    locality: Ulm",
        "    deal_status: Basis", "    verification_status: Offen", "    materials: Stahl", "",
    ]  # fmt: skip
    assert ("Labor 3" in shown, "Labor 4" in shown) == (True, False)


UNCLEAR = "Lfd. Nr.;Firma;Straße;Nr.;PLZ;Ort;Name\n1;Alpha;Weg;12;01067;Dresden;Frau Meier\n2;Beta;Gasse;12;53111;Bonn;Herr Schulz\n"
MEANT = {"# display_id = ": "display_id = ", '# name = "Firma"': 'name = "Firma"', '# country = ""': 'country = "de"', '# deal_status = ""': 'deal_status = "basis"', '# verification_status = ""': 'verification_status = "offen"'}  # fmt: skip


def test_two_columns_that_may_be_one_field_are_an_error_with_a_mapping_file_to_begin_with(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "firmen.csv").write_text(UNCLEAR, encoding="utf-8")
    result = labgen("import", "firmen.csv", "p")
    assert (result.exit_code, (tmp_path / "p").exists()) == (1, False)
    assert "`Firma`, `Name` may all be `name` of `laboratories`" in result.stderr
    command = "labgen import firmen.csv p --mapping firmen.mapping.toml"
    assert command in result.stderr
    file = tmp_path / "firmen.mapping.toml"
    draft = file.read_text(encoding="utf-8")
    assert draft.startswith(f"# {command}\n")
    for line in (
        '# display_id = "Lfd. Nr."  # 1, 2',
        'address = "Straße"  # Weg, Gasse',
        'locality = "Ort"  # Dresden, Bonn',
    ):
        assert line in draft
    for before, after in MEANT.items():
        draft = draft.replace(before, after)
    file.write_text(draft, encoding="utf-8")
    assert labgen("import", "firmen.csv", "p", "--mapping", file).exit_code == 0
    record = json.loads((tmp_path / "p/data/laboratories/1.json").read_text(encoding="utf-8"))
    assert (record["name"], record["address"]) == ("Alpha", "Weg")


@pytest.mark.parametrize("numbers", [["12a", "7b", "9"], ["7", "7", "7", "8"], ["", "", "3"]])
def test_a_column_that_numbers_no_laboratory_is_no_display_id(tmp_path, monkeypatch, numbers):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{number};Labor {at};de;a;b\n" for at, number in enumerate(numbers))
    (tmp_path / "l.csv").write_text(f"Nr.;Firma;country;deal_status;verification_status\n{rows}")
    result = labgen("import", "l.csv", "p")
    assert (result.exit_code, (tmp_path / "p").exists()) == (1, False)
    assert "`Nr.` is read as `display_id`, but in " in result.stderr
    assert result.stderr.count("error[") == 1
    assert (tmp_path / "l.mapping.toml").read_text().count("\n# display_id = ") == 1


def test_a_draft_and_its_command_have_the_values_and_digits_that_were_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "firmen.csv").write_text(UNCLEAR, encoding="utf-8")
    given = (
        "--digits",
        "5",
        "--set",
        "country=de",
        "--set",
        "deal_status=basis",
        "--set",
        "verification_status=x",
    )
    result = labgen("import", "firmen.csv", "p", *given)
    command = "labgen import firmen.csv p --mapping firmen.mapping.toml --digits 5"
    assert command in result.stderr
    file = tmp_path / "firmen.mapping.toml"
    draft = file.read_text(encoding="utf-8")
    for before, after in MEANT.items():
        draft = draft.replace(before, after)
    file.write_text(draft, encoding="utf-8")
    assert labgen(*command.split()[1:]).exit_code == 0
    record = json.loads((tmp_path / "p/data/laboratories/00001.json").read_text(encoding="utf-8"))
    assert (record["name"], record["country"], record["verification_status"]) == ("Alpha", "de", "x")


def test_a_draft_replaces_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "firmen.csv").write_text(UNCLEAR, encoding="utf-8")
    (tmp_path / "firmen.mapping.toml").write_text("x")
    assert "--mapping m.toml" in labgen("import", "firmen.csv", "p").stderr
    assert (tmp_path / "firmen.mapping.toml").read_text() == "x"


SQL = [
    ("SELECT 1 AS display_id; DROP TABLE x", True),
    ("SELECT ';' AS display_id -- a; b\n;", False),
    ('SELECT 1 /* ; */ AS "a;b" ;\n', False),
    ("SELECT $x$ ; $x$ AS name; SELECT 2", True),
]


@pytest.mark.parametrize(("sql", "is_refused"), SQL)
def test_a_second_statement_is_refused(tmp_path, sql, is_refused):
    (tmp_path / "m.toml").write_text(f"[sql]\nlaboratories = '''{sql}'''\n")
    result = labgen("import", "sqlite://", tmp_path / "p", "--mapping", tmp_path / "m.toml")
    assert ("has a second statement behind a semicolon" in result.stderr) is is_refused


DRIVERS = [
    ("mysql://h/d", "pip install mysqlclient"),
    ("mysql+pymysql://h/d", "pip install pymysql"),
    ("oracle+oracledb://h/d", "pip install oracledb"),
    ("mssql+pyodbc://h/d", "pip install pyodbc"),
]


@pytest.mark.parametrize(("address", "hint"), DRIVERS)
def test_a_missing_driver_is_named_for_its_database(tmp_path, address, hint):
    (tmp_path / "m.toml").write_text('[sql]\nlaboratories = "SELECT 1"\n')
    result = labgen("import", address, tmp_path / "p", "--mapping", tmp_path / "m.toml")
    assert hint in result.stderr


def test_a_workbook_with_the_ending_of_another_format_says_so(tmp_path):
    import openpyxl

    openpyxl.Workbook().save(tmp_path / "l.xlsx")
    (tmp_path / "l.xlsx").rename(tmp_path / "l.xls")
    assert "call it l.xlsx" in labgen("import", tmp_path / "l.xls", tmp_path / "p").stderr
    (tmp_path / "o.xlsx").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(4096))
    assert "call it o.xls" in labgen("import", tmp_path / "o.xlsx", tmp_path / "p").stderr


def countries_in(project: Project) -> list[str]:
    schema = json.loads((project.root / "schemas/laboratory.json").read_text(encoding="utf-8"))
    return list(schema["properties"]["country"]["enum"])


def test_the_schemas_of_a_project_know_its_countries_from_the_beginning_and_stay_current(tmp_path):
    create_project(tmp_path)
    project = Project(tmp_path)
    had = countries_in(project)
    assert "de" in had
    lines = (tmp_path / "data/countries.csv").read_text(encoding="utf-8")
    project.file("data/countries.csv", f"{lines}fr,frankreich,Frankreich\n")
    project.check()
    assert countries_in(project) == [*had, "fr"]
    project.file("data/countries.csv", lines)
    project.build()
    assert countries_in(project) == had
    file = tmp_path / "schemas/laboratory.json"
    file.write_text(file.read_text(encoding="utf-8").replace("labgen 0", "labgen former"), encoding="utf-8")
    project.check()
    assert "labgen former" not in file.read_text(encoding="utf-8")


def test_a_schema_of_somebody_else_and_a_missing_one_are_left_alone(site):
    site.file("schemas/laboratory.json", '{"title": "mine"}').check()
    assert (site.root / "schemas/laboratory.json").read_text() == '{"title": "mine"}'
    assert not site.without_folder("schemas").file("data/site.toml", SITE).check().errors
    assert not (site.root / "schemas").exists()


def test_entries_that_stand_where_ids_are_expected_are_shown_as_they_are():
    known = KeyLookup({"materials": {1: "Stahl"}})
    shown = dict(shown_fields(LaboratoryRecord, {"materials": [{"id": 1}, 1, 2]}, known))
    assert shown["materials"] == "{'id': 1}; Stahl; 2"
