"""Find the cell of a table to which a problem refers, when the problem is shown."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from labgen.formats.format import ParsedValue
from labgen.model.tables import DISPLAY_ID, OWN_TABLES, CellType, Column
from labgen.problems.problem import Place, Pointer, Problem, Span
from labgen.problems.text import say
from labgen.source.tables.cell_names import column_letters
from labgen.source.tables.cells import NO_KEYS, converter
from labgen.source.tables.find import Tables, files_in, find_tables
from labgen.source.tables.sheets import Sheet, column_of, header_row, kind_of
from labgen.system.input_files import BOOKS, DATA, LABORATORIES, LINES, is_bulk


class Cell(NamedTuple):
    """A cell of a workbook or a database: row and column as a span, and its description for people."""

    span: Span
    called: str


@dataclass
class Cells:
    """The cells of a project's tables. A file is read once, when a problem in it is shown."""

    root: Path
    _read: "dict[str, _Read]" = field(default_factory=dict)
    _headers: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    @cached_property
    def _tables(self) -> Tables:
        return find_tables(self.root, files_in(self.root / DATA))[0]

    def where_written(self, problem: Problem) -> Problem:
        """Return a problem of a laboratory in a table with the place of its cell; others unchanged."""
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
        """Return the place of a value of the laboratory in a row, or None if the row does not exist."""
        main = self._table(LABORATORIES)
        written = main.rows.get(row)
        if written is None:
            return None
        base = (*main.sheet.pointer, row)
        keys = tuple(step for step in steps if isinstance(step, str))
        column = next((one for one in main.columns.values() if one.keys == keys[: len(one.keys)]), None)
        name = main.name_of(column)
        values = _values_in(column, written.get(name, ""))
        position = next((step for step in steps if isinstance(step, int)), None)
        if column and (position is None or position < len(values)):
            return Place(main.sheet.file, (*base, name))
        own = next((name for name, one in OWN_TABLES.items() if one.field in steps[:1]), "")
        if own in self._tables.sheets and position is not None:
            number = main.laboratory_of(written)
            return self._own_place(own, number, position - len(values), steps[2:])
        return Place(main.sheet.file, base)

    def _own_place(self, name: str, laboratory: str, position: int, steps: Pointer) -> Place:
        """Return the place of an entry of a laboratory's own list, or of a field of it."""
        read = self._table(name)
        rows = read.by_laboratory.get(laboratory, [])
        pointer = (*read.sheet.pointer, rows[position] if position < len(rows) else read.top)
        of_value = next((one for one in read.sheet.table.columns if one != DISPLAY_ID), "")
        wanted = str(steps[0]) if steps else of_value if read.sheet.table.is_of_values else ""
        column = next((name for name, one in read.columns.items() if one.name == wanted), "")
        return Place(read.sheet.file, (*pointer, column) if column else pointer)

    def _table(self, name: str) -> "_Read":
        if name not in self._read:
            self._read[name] = _Read(self._tables.sheets[name], self._tables.sheets[name].entries()[0])
        return self._read[name]

    def find(self, place: Place) -> Cell | None:
        """Return the cell of a place in a workbook or a database, or None for other files."""
        if not place.file.endswith(BOOKS) or not place.pointer or not isinstance(place.pointer[0], str):
            return None
        name, *steps = place.pointer
        row, wanted = int(steps[0]) if steps else None, str(steps[1]) if len(steps) > 1 else ""
        header = self._columns(place.file, str(name)) if wanted else []
        column = header.index(wanted) if wanted and wanted in header else None
        return _cell(kind_of(place.file), str(name), row, column, wanted)

    def _columns(self, file: str, name: str) -> list[str]:
        """Return the names of the columns of a sheet, as in its header."""
        if (file, name) not in self._headers:
            found = (one for one in self._tables.sheets.values() if (one.file, one.name) == (file, name))
            sheet = next(found, None)
            rows = sheet.book.read(name).rows if sheet and sheet.book else []
            top = header_row(rows, sheet.table) if sheet else None
            self._headers[file, name] = [] if top is None else [one.strip() for one in rows[top]]
        return self._headers[file, name]


def _cell(kind: str, name: str, row: int | None, column: int | None, wanted: str) -> Cell:
    """Return a cell and its description: spreadsheets count the header as a row, databases do not."""
    called = say("{kind} `{name}`", kind=kind, name=name)
    if row is not None and (number := row + (kind == "sheet")):
        called += say(", row {number}", number=number)
    if column is not None:
        called += (
            say(
                ", column {column_letters} (`{wanted}`)", column_letters=column_letters(column), wanted=wanted
            )
            if kind == "sheet"
            else say(", column `{wanted}`", wanted=wanted)
        )
    return Cell(Span((row or 0) + 1, (column or 0) + 1, 1), called)


class _Read:
    """A table that was read: its columns by the names in its header, and its rows by their numbers."""

    def __init__(self, sheet: Sheet, entries: list[ParsedValue]) -> None:
        header = entries[0].value if entries else []
        names: list[str] = header if isinstance(header, list) else []
        self.sheet = sheet
        self.top = entries[0].pointer[-1] if entries else 0
        self.columns = {name: column for name in names if (column := column_of(name, sheet.table))}
        self.rows: dict[str | int, Mapping[str, str]] = {
            one.pointer[-1]: one.value for one in entries[1:] if isinstance(one.value, dict)
        }

    def name_of(self, column: Column | None) -> str:
        """Return the name of a column in the header, or ""."""
        return next((name for name, one in self.columns.items() if one is column), "")

    def laboratory_of(self, row: Mapping[str, str]) -> str:
        """Return the display_id of a row without leading zeros, which may be lost."""
        name = next((name for name, one in self.columns.items() if one.name == DISPLAY_ID), "")
        return row.get(name, "").strip().lstrip("0")

    @cached_property
    def by_laboratory(self) -> Mapping[str, list[str | int]]:
        """The numbers of the rows of each laboratory."""
        found: dict[str, list[str | int]] = {}
        for number, row in self.rows.items():
            found.setdefault(self.laboratory_of(row), []).append(number)
        return found


def _values_in(column: Column | None, text: str) -> list[Any]:
    """Return the values in a cell that can hold several values; [] for other cells."""
    if column is None or not text or not (column.is_list or column.kind is CellType.JSON):
        return []
    found = converter(column, NO_KEYS)(text)
    return found if isinstance(found, list) else [found]
