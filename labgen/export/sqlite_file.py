"""Write records as a SQLite database with keys, indexes and a full-text index, ready for Datasette."""

import sqlite3
from contextlib import closing
from itertools import groupby
from pathlib import Path

from labgen.export.table_rows import ExportSelection
from labgen.export.text_files import Data, all_rows
from labgen.model.catalogues import SHARED_LISTS
from labgen.model.tables import DISPLAY_ID, ID_COLUMN, LIST_TABLES, TABLES, CellType, Column, Table
from labgen.system.database_errors import failing_as_files_do
from labgen.system.input_files import LABORATORIES

KEYS = {one.stem: one.key for one in SHARED_LISTS}
TYPES = {CellType.WHOLE: "INTEGER", CellType.YES_NO: "INTEGER", CellType.DECIMAL: "REAL"}
SEARCH = "_search"
SEARCHED = ("name", "locality", "about")
"""The columns in the full-text index."""


def write_database(file: Path, data: Data, what: ExportSelection) -> None:
    """Write a new database; the same data gives the same tables. Raises OSError."""
    with failing_as_files_do(), closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        for table in (
            *LIST_TABLES.values(),
            *(one for one in TABLES.values() if one.name not in LIST_TABLES),
        ):
            connection.execute(_schema(table, what))
        for name, rows in groupby(all_rows(data, what), lambda one: one[0]):
            columns = [one.name for one in what.columns(TABLES[name])]
            marks = ", ".join("?" * len(columns))
            values = ([row.get(one) for one in columns] for _, row in rows)
            connection.executemany(f'INSERT INTO "{name}" VALUES ({marks})', values)
        for table in TABLES.values():
            for column in _indexed(table, what):
                connection.execute(f'CREATE INDEX "_{table.name}_{column}" ON "{table.name}" ("{column}")')
        _add_search(connection)
        connection.commit()


def _schema(table: Table, what: ExportSelection) -> str:
    """Return the CREATE TABLE statement of a table."""
    columns = what.columns(table)
    lines = [f'"{one.name}" {_type_of(one)}' for one in columns]
    key = [DISPLAY_ID] if table.name == LABORATORIES else [KEYS.get(table.name, "")]
    if table.field and ID_COLUMN in table.columns:
        key = [DISPLAY_ID, ID_COLUMN]
    if all(one in table.columns for one in key):
        named = ", ".join(f'"{one}"' for one in key)
        lines.append(f"PRIMARY KEY ({named})")
    lines += [_foreign_key(one) for one in columns if one.target_list in LIST_TABLES and not one.is_list]
    if table.field:
        lines.append(f'FOREIGN KEY ("{DISPLAY_ID}") REFERENCES "{LABORATORIES}" ("{DISPLAY_ID}")')
    return f'CREATE TABLE "{table.name}" ({", ".join(lines)})'


def _type_of(column: Column) -> str:
    return "TEXT" if column.is_list else TYPES.get(column.kind, "TEXT")


def _foreign_key(column: Column) -> str:
    return f'FOREIGN KEY ("{column.name}") REFERENCES "{column.target_list}" ("{KEYS[column.target_list]}")'


def _indexed(table: Table, what: ExportSelection) -> list[str]:
    """Return the columns to index: those that refer to other tables."""
    owner = [DISPLAY_ID] if table.field else []
    return [*owner, *(one.name for one in what.columns(table) if one.target_list and not one.is_list)]


def _add_search(connection: sqlite3.Connection) -> None:
    """Add the full-text index of laboratories, which ignores diacritics."""
    columns = ", ".join(SEARCHED)
    connection.execute(
        f'CREATE VIRTUAL TABLE "{SEARCH}" USING fts5'
        f"({columns}, content=\"{LABORATORIES}\", tokenize='unicode61 remove_diacritics 2')"
    )
    connection.execute(f"INSERT INTO {SEARCH} ({SEARCH}) VALUES ('rebuild')")
