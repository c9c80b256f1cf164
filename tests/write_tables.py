"""Write the data of a project as tables: CSV as German Excel saves it, workbooks, SQLite databases."""

import csv
import io
import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import openpyxl

from labgen.model.catalogues import OWN_LISTS, SHARED_LISTS
from labgen.source.read_lists import read_entries

Tables = dict[str, list[dict[str, Any]]]
BY_ROWS = ("standards", "similar_labs")
"""Lists that are written as tables of their own here; the others of ids are written into a cell."""


def tables_of(root: Path) -> Tables:
    """Return the data of a project as tables."""
    files = sorted((root / "data/laboratories").glob("*.json"))
    laboratories = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    return laboratories_as_tables(laboratories) | lists_of(root)


def lists_of(root: Path) -> Tables:
    """Return the shared lists of a project."""
    tables: Tables = {}
    for listed in SHARED_LISTS:
        for file in (root / "data").glob(f"{listed.stem}.*"):
            entries, _ = read_entries(root / "data", f"data/{file.name}")
            tables[listed.stem] = [one.value for one in entries if isinstance(one.value, dict)]
    return tables


def laboratories_as_tables(laboratories: Sequence[Mapping[str, Any]]) -> Tables:
    tables: Tables = {"laboratories": []}
    for one in laboratories:
        row: dict[str, Any] = {}
        tables["laboratories"].append(row)
        owner = {"display_id": one["display_id"]}
        for name, value in one.items():
            if name in OWN_LISTS:
                tables.setdefault(name, []).extend(owner | _row(entry) for entry in value)
            elif name in BY_ROWS and value:
                rows = ({**owner, name.removesuffix("s"): entry} for entry in value)
                tables.setdefault(f"laboratory_{name}", []).extend(rows)
            else:
                row.update(_cells(name, value))
    return tables


def _row(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: one for name, value in entry.items() for key, one in _cells(name, value).items()}


def _cells(name: str, value: Any) -> dict[str, Any]:
    if name == "focus" or value == []:
        return {name: json.dumps(value)}
    if isinstance(value, dict):
        return {
            f"{name}.{key}": one for inner, part in value.items() for key, one in _cells(inner, part).items()
        }
    if isinstance(value, list):
        return {name: "; ".join(map(str, value))}
    return {name: value}


def header_of(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def csv_of(rows: Sequence[Mapping[str, Any]], separator: str = ",", *, is_german: bool = False) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, lineterminator="\r\n")
    header = header_of(rows)
    writer.writerow(header)
    for row in rows:
        writer.writerow(
            [in_german(name, row.get(name)) if is_german else plain(row.get(name)) for name in header]
        )
    return text.getvalue()


def plain(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def in_german(name: str, value: Any) -> Any:
    """Return a value as German Excel writes it into CSV."""
    if isinstance(value, bool):
        return "WAHR" if value else "FALSCH"
    if name == "rating":
        return str(value).replace(".", ",") if value else value
    if name in ("published_on", "valid_through", "created_on") and value:
        return ".".join(reversed(value.split("-")))
    return value


def workbook_of(tables: Tables, file: Path) -> None:
    """Write a workbook with a sheet for each table; numbers and days are cells of these kinds."""
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for name, rows in tables.items():
        sheet, header = book.create_sheet(name), header_of(rows)
        sheet.append(header)
        for row in rows:
            sheet.append([_excel(row.get(column)) for column in header])
    book.save(file)


def _excel(value: Any) -> Any:
    return value.replace("\r", "_x000D_") if isinstance(value, str) else value


def database_of(tables: Tables, file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        for name, rows in tables.items():
            header = header_of(rows)
            columns, marks = ", ".join(f'"{one}"' for one in header), ", ".join("?" * len(header))
            connection.execute(f'CREATE TABLE "{name}" ({columns})')
            connection.executemany(
                f'INSERT INTO "{name}" VALUES ({marks})', ([row.get(one) for one in header] for row in rows)
            )
        connection.commit()
