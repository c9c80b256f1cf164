"""Find the cell in which a value of a laboratory or of a list is written, when a problem is shown."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from labgen.model.tables import DISPLAY_ID, OWN_TABLES
from labgen.problems.problem import Place, Pointer, Problem, Span
from labgen.source.formats.format import Entry
from labgen.source.tables.books import column_letters
from labgen.source.tables.cells import NO_KEYS, converter
from labgen.source.tables.find import Tables, files_in, find_tables
from labgen.source.tables.sheets import Sheet, column_of, header_row
from labgen.system.input_files import BOOKS, DATA, DATABASES, LABORATORIES, LINES, is_bulk


class Cell(NamedTuple):
    """A cell of a workbook or a database: row and column as a span, and what people call it."""

    span: Span
    called: str


@dataclass
class Cells:
    """The cells of a project's tables. A file is read when a problem in it is shown, and once."""

    root: Path
    _entries: dict[str, tuple[Sheet, list[Entry]]] = field(default_factory=dict)
    _headers: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    @cached_property
    def _tables(self) -> Tables:
        return find_tables(self.root, files_in(self.root / DATA))[0]

    def where_written(self, problem: Problem) -> Problem:
        """Return a problem of a laboratory in a table with the place of the cell; others as they are."""
        place = problem.place
        if not is_bulk(place.file) or place.file.endswith(LINES):
            return problem
        if (
            not place.pointer
            or not isinstance(place.pointer[0], int)
            or LABORATORIES not in self._tables.sheets
        ):
            return problem
        row, *steps = place.pointer
        found = self._place(int(row), tuple(steps))
        return replace(problem, place=found) if found else problem

    def _place(self, row: int, steps: Pointer) -> Place | None:
        """Return the place of a value of the laboratory in a row, or None where that row is none."""
        main, cells = self._table(LABORATORIES)
        base = (*main.pointer, row)
        written = next((_cells(one) for one in cells[1:] if one.pointer[-1] == row), None)
        if written is None:
            return None
        keys = tuple(step for step in steps if isinstance(step, str))
        column = next((one for one in _header(cells) if _is_at(one, keys, main)), None)
        if column and (len(steps) == len(keys) or _holds(main, column, written.get(column, ""), steps)):
            return Place(main.file, (*base, column))
        display_id = next((text for name, text in written.items() if _is_at(name, (DISPLAY_ID,), main)), "")
        own = next((name for name, one in OWN_TABLES.items() if one.field in steps[:1]), "")
        if own in self._tables.sheets and len(steps) > 1 and isinstance(steps[1], int):
            before = len(_values_in(main, column, written.get(column, ""))) if column else 0
            return self._own_place(own, _number(display_id), steps[1] - before, steps[2:])
        return Place(main.file, base)

    def _own_place(self, name: str, number: str, position: int, steps: Pointer) -> Place:
        """Return the place of an entry of a laboratory's own list, or of a field of it."""
        sheet, cells = self._table(name)
        by_column = {column.name: one for one in _header(cells) if (column := column_of(one, sheet.table))}
        display_id = by_column.get(DISPLAY_ID, "")
        rows = [one.pointer for one in cells[1:] if _number(_cells(one).get(display_id, "")) == number]
        pointer = rows[position] if position < len(rows) else cells[0].pointer
        of_value = next((one for one in sheet.table.columns if one != DISPLAY_ID), "")
        wanted = str(steps[0]) if steps else of_value if sheet.table.is_of_values else ""
        return Place(sheet.file, (*pointer, by_column[wanted]) if wanted in by_column else pointer)

    def _table(self, name: str) -> tuple[Sheet, list[Entry]]:
        if name not in self._entries:
            sheet = self._tables.sheets[name]
            self._entries[name] = (sheet, sheet.entries()[0])
        return self._entries[name]

    def find(self, place: Place) -> Cell | None:
        """Return the cell of a place in a workbook or a database, or None in other files."""
        if not place.file.endswith(BOOKS) or not place.pointer or not isinstance(place.pointer[0], str):
            return None
        name, *steps = place.pointer
        header = self._columns(place.file, str(name)) if steps else []
        row, wanted = int(steps[0]) if steps else None, str(steps[1]) if len(steps) > 1 else ""
        column = header.index(wanted) if wanted in header else None
        kind = "table" if place.file.endswith(DATABASES) else "sheet"
        return _cell(kind, str(name), row, column, wanted)

    def _columns(self, file: str, name: str) -> list[str]:
        """Return the names of the columns of a sheet, as they are written."""
        if (file, name) not in self._headers:
            found = (one for one in self._tables.sheets.values() if (one.file, one.name) == (file, name))
            sheet = next(found, None)
            rows = sheet.book.read(name) if sheet and sheet.book else []
            top = header_row(rows, sheet.table) if sheet else None
            self._headers[file, name] = [] if top is None else [one.strip() for one in rows[top]]
        return self._headers[file, name]


def _cell(kind: str, name: str, row: int | None, column: int | None, wanted: str) -> Cell:
    """Return a cell as people find it: spreadsheets count the header as a row, databases do not."""
    called = f"{kind} `{name}`"
    if row is not None:
        called += f", row {row + (kind == 'sheet')}"
    if column is not None:
        called += (
            f", column {column_letters(column)} (`{wanted}`)" if kind == "sheet" else f", column `{wanted}`"
        )
    return Cell(Span((row or 0) + 1, (column or 0) + 1, 1), called)


def _values_in(sheet: Sheet, name: str, text: str) -> list[Any]:
    """Return the values in a cell of several."""
    column = column_of(name, sheet.table)
    found = converter(column, NO_KEYS)(text) if column and text else []
    return found if isinstance(found, list) else [found]


def _holds(sheet: Sheet, name: str, text: str, steps: Pointer) -> bool:
    """Say whether a cell holds a value of a list, and not a row of another table."""
    position = next((step for step in steps if isinstance(step, int)), 0)
    return position < len(_values_in(sheet, name, text))


def _number(display_id: str) -> str:
    """Return what is left of a display_id when its zeros are lost."""
    return display_id.strip().lstrip("0")


def _header(entries: list[Entry]) -> list[str]:
    value = entries[0].value if entries else []
    return value if isinstance(value, list) else []


def _cells(entry: Entry) -> Mapping[str, str]:
    return entry.value if isinstance(entry.value, dict) else {}


def _is_at(name: str, keys: tuple[str, ...], sheet: Sheet) -> bool:
    """Say whether a column holds what keys lead to, or what is around it."""
    column = column_of(name, sheet.table)
    return column is not None and column.keys == keys[: len(column.keys)]
