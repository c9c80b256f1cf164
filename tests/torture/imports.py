"""Imports: tables are changed a little, or much, and imported as a new project.

Nothing may hang, end in a traceback, or be written outside of the project; a project that is written has a file for each
laboratory that the command counts, and `check` says of it what the import said.
"""

import copy
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from draw_records import Drawer
from write_tables import Tables, csv_of, database_of, laboratories_as_tables, workbook_of

from torture.common import labgen
from torture.mutants import MUTATIONS, TOKENS, VALUES

STEPS = 4
CELLS: list[Any] = [
    *(one for one in VALUES if not isinstance(one, list | dict)), *(one.decode(errors="ignore") for one in TOKENS),
    "../../../x", "/tmp/x", "Summe", "Summe:", "1.000,50", "=1+1", "#NV", "31.12.2024", "WAHR", "Deutschland", "a;b|c,d", '[{"id": 1}]',
]  # fmt: skip
NAMES = [
    "",
    "_note",
    "Nr.",
    "Firma",
    "Land",
    "id",
    "display_id",
    "name",
    "title",
    "Werkstoffe",
    "contact_person.email",
    "x" * 300,
]


def drawn() -> Tables:
    """Return four laboratories and their lists as tables."""
    drawer = Drawer(["https://labor.example/a.png"])
    lists = drawer.lists(3)
    records = drawer.laboratories(4)
    for record in records:
        record["focus"], record["gallery"] = {}, []
        record["image"] = record["logo"] = None
    return laboratories_as_tables(records) | lists


BASE = drawn()


def change(tables: Tables, rng: random.Random) -> None:
    """Change a cell, a row, a column or a table."""
    name = "laboratories" if rng.random() < 0.6 else rng.choice(sorted(tables))
    rows = tables.get(name) or [{}]
    row = rng.choice(rows)
    column = rng.choice(sorted(row) or ["x"])
    match rng.choice(["cell", "cell", "cell", "row", "column", "copy", "table"]):
        case "cell":
            row[column] = rng.choice([*CELLS, rng.choice(rows).get(column)])
        case "row":
            rows.insert(rng.randrange(len(rows) + 1), {column: rng.choice(CELLS)})
        case "column":
            other = rng.choice(NAMES)
            tables[name] = [
                {other if key == column else key: one for key, one in each.items()} for each in rows
            ]
        case "copy":
            rows.append(dict(row))
        case _:
            tables[rng.choice([*tables, "Tabelle1", "Bewertungen"])] = tables.pop(name, [])


def write(tables: Tables, form: str, folder: Path) -> Path:
    """Write tables in one of the forms; return what is imported."""
    folder.mkdir()
    if form == "csv":
        for name, rows in tables.items():
            text = csv_of(rows, ";", is_german=True)
            (folder / f"{name}.csv").write_bytes(text.encode("utf-8-sig", "replace"))
        return folder / "laboratories.csv"
    file = folder / f"tables.{form}"
    (workbook_of if form == "xlsx" else database_of)(
        {name: rows for name, rows in tables.items() if rows}, file
    )
    return file


def run(seed: int, steps: Sequence[int], folder: Path) -> str:
    tables, form = copy.deepcopy(BASE), random.Random(seed).choice(["csv", "csv", "xlsx", "sqlite"])
    for step in steps:
        change(tables, random.Random(f"{seed}/{step}"))
    try:
        file = write(tables, form, folder / "from")
    except Exception:  # noqa: BLE001 - what a spreadsheet or a database does not take is no table
        return ""
    rng = random.Random(f"{seed}/bytes")
    if file.exists() and rng.random() < 0.2:
        data = bytearray(file.read_bytes())
        rng.choice(MUTATIONS)(data, rng)
        file.write_bytes(data)
    had = {path for path in folder.rglob("*") if path.is_file()}
    project = folder / "a/b/c/project"
    arguments = ["--set", "deal_status=frei"] if rng.random() < 0.3 else []
    imported = labgen("import", str(file), str(project), *arguments)
    if fault := imported.fault(0, 1):
        return f"{fault}\n{form}"
    written = {path for path in folder.rglob("*") if path.is_file()} - had
    if strangers := [path for path in written if not path.is_relative_to(project)]:
        return f"files are written outside of the project: {strangers}"
    counted = re.search(
        r"^([0-9,]+) laborator(?:y|ies) in [0-9,]+ files? written", imported.output, re.MULTILINE
    )
    if counted is None:
        return f"a part of a project is written\n{imported.output}" if written or imported.code == 0 else ""
    count = int(counted[1].replace(",", ""))
    if count != len(list((project / "data/laboratories").glob("*.json"))):
        return f"{count} laboratories are counted, but others written\n{imported.output}"
    checked = labgen("check", "-C", str(project))
    if checked.code != imported.code:
        return f"import ends with {imported.code} and check with {checked.code}\n{imported.output}\n{checked.output}"
    return checked.fault(0, 1)
