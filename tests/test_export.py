"""`labgen export`, and bulk files in the site: complete, readable again, and without private addresses."""

import csv
import io
import json
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from conftest import ALPHA, BETA, CATEGORIES, EXTRAS, ROOT, SITE, Project, laboratory
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from labgen.cli import main
from labgen.export.table_rows import ExportSelection
from labgen.export.text_files import Data, csv_tables, json_lines
from labgen.model.records import LaboratoryRecord
from labgen.system.formula_guard import guarded

CONTACT = {"first_name": "Eva", "email": "eva@labor.example", "phone": "+49 30 12345"}
FULL = ALPHA | EXTRAS | {
    "contact_person": CONTACT, "materials": [12, 471], "about": 'Zeile 1\r\n"Zeile; 2"', "locality": "Köln", "similar_labs": [],
    "stats": {"projects": {"value": "viele"}},
}  # fmt: skip


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Project:
    site = Project(tmp_path_factory.mktemp("exported")).sound().write(**CATEGORIES)
    return site.write(laboratories=[FULL, BETA | {"published_on": "2024-01-02"}])


DANGEROUS = {
    "name": "=cmd|'/c calc'!A1",
    "locality": "@SUM(1+1)",
    "about": 'Prüfungen:\n- Zug\n- Druck\r\n;=1+1\t+2;"-3',
    "address": "＝1+1",
    "contact_person": CONTACT | {"first_name": "'=1", "last_name": "-Müller"},
}  # fmt: skip
FORMULA = "=+-@＝＋－＠\t\r\n"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory) -> Project:
    site = (
        Project(tmp_path_factory.mktemp("hostile"))
        .sound()
        .file("data/site.toml", 'exports = ["csv"]\n' + SITE)
    )
    return site.write(laboratories=[FULL | {key: [] for key in (*CATEGORIES,)} | DANGEROUS, BETA])


def cells_of(data: bytes, separator: str) -> list[str]:
    """Return the cells that a spreadsheet shows, whose locale separates cells in its own way."""
    return [
        cell
        for row in csv.reader(io.StringIO(data.decode(), newline=""), delimiter=separator)
        for cell in row
    ]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_no_cell_of_csv_is_a_formula_in_a_spreadsheet(hostile, tmp_path, separator):
    result = export(hostile, tmp_path / "export", "--contacts", "--format", "csv")
    assert result.exit_code == 0, result.output
    hostile.build()
    files = [*(tmp_path / "export").glob("*.csv"), *(hostile.out / "laboratories-export").glob("*.csv")]
    assert len(files) > 8
    cells = [cell for file in files for cell in cells_of(file.read_bytes(), separator)]
    assert [cell for cell in cells if cell.startswith(tuple(FORMULA))] == []


@pytest.mark.parametrize("form", ["jsonl", "csv", "sqlite"])
def test_texts_that_look_like_formulas_come_back_as_they_were(hostile, tmp_path, form):
    hostile.build()
    result = export(hostile, tmp_path / "export", "--contacts", "--format", form)
    assert result.exit_code == 0, result.output
    (tmp_path / "again").mkdir()
    found = site_made_of([*(tmp_path / "export").iterdir()], hostile, tmp_path / "again")
    assert without_marker(found) == without_marker(hostile.published())


@given(st.text(alphabet="=+-@\t\r\n;'\"a＝", max_size=9))
def test_the_replacement_in_the_guide_undoes_the_guard(text):
    guide = (ROOT / "docs/guides/exports.md").read_text()
    (statement,) = re.findall(r"<!-- tested: unguard -->\n\n```python\n(.*)\n```", guide)
    assert eval(statement, {"re": re, "text": guarded(text)}) == text


def test_json_lines_sqlite_and_parquet_hold_the_texts_as_they_are(hostile, tmp_path):
    forms = [f"--format={one}" for one in ("jsonl", "sqlite", "parquet")]
    result = export(hostile, tmp_path / "export", "--contacts", *forms)
    assert result.exit_code == 0, result.output
    line = json.loads((tmp_path / "export/laboratories.jsonl").read_bytes().splitlines()[0])
    with closing(sqlite3.connect(tmp_path / "export/laboratories.sqlite")) as connection:
        row = connection.execute('SELECT name, about, "contact_person.phone" FROM laboratories').fetchone()
    table: Any = parquet.read_table(tmp_path / "export/laboratories.parquet").to_pylist()[0]
    wanted = (DANGEROUS["name"], DANGEROUS["about"], CONTACT["phone"])
    assert (line["name"], line["about"], line["contact_person"]["phone"]) == wanted
    assert row == wanted
    assert (table["name"], table["about"], table["contact_person.phone"]) == wanted


def test_tables_that_an_import_writes_are_guarded_too(tmp_path):
    source = tmp_path / "laboratories.csv"
    source.write_text(
        'display_id,name,country,deal_status,verification_status,materials\n1,Alpha,Österreich,free,none,"\'=1+1"\n'
    )
    target = tmp_path / "project"
    result = CliRunner().invoke(main, ["import", str(source), str(target)])
    assert result.exit_code == 0, result.output
    written = [file for file in (target / "data").glob("*.csv") if "=1+1" in file.read_text()]
    assert written, [one.name for one in (target / "data").iterdir()]
    for file in written:
        assert not [cell for cell in cells_of(file.read_bytes(), ",") if cell.startswith("=")]


@pytest.fixture(scope="module")
def exported(project, tmp_path_factory) -> Path:
    folder: Path = tmp_path_factory.mktemp("folder")
    assert (
        export(
            project,
            folder,
            "--contacts",
            *(f"--format={one}" for one in ("jsonl", "csv", "sqlite", "parquet")),
        ).exit_code
        == 0
    )
    return folder


def export(site: Project, folder: Path, *options: str) -> Result:
    result = CliRunner().invoke(main, ["export", str(folder), "-C", str(site.root), *options])
    assert isinstance(result.exception, SystemExit | None), result.exception
    return result


def site_made_of(files: list[Path], project: Project, folder: Path) -> dict[str, bytes]:
    """Return the site that the settings of a project and these files make."""
    again = Project(folder)
    (folder / "data").mkdir()
    shutil.copy(project.root / "data/site.toml", folder / "data")
    if (project.root / "data/media").exists():
        shutil.copytree(project.root / "data/media", folder / "data/media")
    for file in files:
        shutil.copy(file, folder / "data")
    assert again.build().errors == 0
    return again.published()


@pytest.mark.parametrize("form", ["jsonl", "csv", "sqlite"])
def test_what_is_exported_makes_the_same_site(project, exported, tmp_path, form):
    project.build()
    found = site_made_of([*exported.glob(f"*.{form}")], project, tmp_path)
    assert without_marker(found) == without_marker(project.published())


def without_marker(files: dict[str, bytes]) -> dict[str, bytes]:
    return {name: data for name, data in files.items() if name != ".labgen-site.json"}


def test_rows_of_csv_have_the_columns_of_the_records_and_lists_are_tables_of_their_own(exported):
    def rows(name: str) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO((exported / f"{name}.csv").read_bytes().decode(), newline="")))

    first = rows("laboratories")[0]
    assert (first["display_id"], first["name"], first["is_verified"], first["contact_person.email"]) == (
        "00001",
        "Alpha",
        "false",
        CONTACT["email"],
    )
    assert (first["about"], first["stats.projects.value"], first["similar_labs"]) == (
        FULL["about"],
        "viele",
        "[]",
    )
    assert rows("laboratory_materials") == [
        {"display_id": "00001", "material": "12"},
        {"display_id": "00001", "material": "471"},
    ]
    assert [one["rating"] for one in rows("reviews")] == ["4.00", "4.50", "4.50"]


def test_a_database_has_keys_and_is_searched_without_regard_to_marks_on_letters(exported):
    with closing(sqlite3.connect(exported / "laboratories.sqlite")) as connection:
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        found = connection.execute(
            "SELECT display_id FROM laboratories WHERE rowid IN (SELECT rowid FROM _search WHERE _search MATCH 'koln')"
        )
        assert found.fetchall() == [("00001",)]
        titles = 'SELECT title FROM laboratory_materials JOIN materials ON id = material WHERE display_id = "00001" ORDER BY id'.replace(
            '"00001"', "'00001'"
        )
        assert connection.execute(titles).fetchall() == [("Stahl",), ("Edelstahl",)]
        assert connection.execute("SELECT rating, typeof(rating) FROM reviews ORDER BY id").fetchall()[1] == (
            4.5,
            "real",
        )
        references = {one[2] for one in connection.execute("PRAGMA foreign_key_list(laboratory_materials)")}
        assert references == {"materials", "laboratories"}


def test_parquet_has_the_rows_of_csv_with_types(exported):
    read: Any = parquet.read_table(exported / "reviews.parquet").to_pylist()
    assert [(one["display_id"], one["rating"], one["created_on"]) for one in read] == [
        ("00001", 4.0, "2024-01-31"),
        ("00001", 4.5, "2024-02-01"),
        ("00001", 4.5, "2024-01-31"),
    ]


def test_addresses_of_contacts_are_left_out_unless_they_are_asked_for(project, exported, tmp_path):
    assert export(project, tmp_path).exit_code == 0
    for name in {path.name for path in tmp_path.iterdir()}:
        assert b"eva@" not in (tmp_path / name).read_bytes()
        assert b"12345" not in (tmp_path / name).read_bytes()
    assert b"eva@" in (exported / "laboratories.jsonl").read_bytes()


def test_a_folder_with_files_and_data_with_errors_are_left_alone(project, tmp_path):
    (tmp_path / "a").write_text("x")
    assert "is not empty" in export(project, tmp_path).stderr
    broken = Project(tmp_path / "broken").sound().write(laboratories=[ALPHA | {"country": "xx"}])
    result = export(broken, tmp_path / "new")
    assert (result.exit_code, (tmp_path / "new").exists()) == (1, False)


@pytest.mark.parametrize(("writer", "suffix"), [(json_lines, "jsonl"), (csv_tables, "csv")])
def test_files_are_no_larger_than_hosts_take(writer, suffix):
    records = [LaboratoryRecord(**laboratory(f"{one:05}")) for one in range(50)]
    files = [
        file
        for file in writer(Data(records, {}), ExportSelection(), 1000)
        if file.name.startswith("laboratories")
    ]
    assert [one.name for one in files][:2] == [f"laboratories.{suffix}", f"laboratories-2.{suffix}"]
    assert max(len(one.data) for one in files) <= 1000
    lines = [line for one in files for line in one.data.splitlines() if b"Labor 0" in line]
    assert len(lines) == 50


def test_a_site_has_bulk_files_that_follow_its_data(site):
    site.file("data/site.toml", 'exports = ["jsonl", "csv"]\n' + SITE)
    site.write(laboratories=[FULL, BETA], **CATEGORIES).build()
    lines = (site.out / "laboratories-export/laboratories.jsonl").read_bytes()
    assert [json.loads(line)["name"] for line in lines.splitlines()] == ["Alpha", "Beta"]
    assert not [name for name, data in site.tree().items() if b"eva@" in data]
    assert b'"laboratories-export"' in site.read("manifest", "0000.json")
    changed = site.file("templates/static/style.css", "body { color: red }").build().written
    assert not [name for name in changed.written if name.startswith("laboratories-export/")]
    written = site.write(laboratories=[ALPHA]).build(are_removals_allowed=True).written
    assert "laboratories-export/laboratories.jsonl" in written.written
    assert "laboratories-export/reviews.csv" in written.removed
    site.file("data/site.toml", SITE).build()
    assert not (site.out / "laboratories-export").exists()
