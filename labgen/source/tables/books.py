"""Open files that hold several tables: workbooks of spreadsheets, and SQLite databases."""

import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from zipfile import is_zipfile

from labgen.problems.problem import Place, Problem
from labgen.source.tables.cell_texts import cell_text
from labgen.source.tables.formulas import failed_formulas
from labgen.source.tables.merged import CellRange, merged_in_ods
from labgen.system.input_files import DATABASES

CSV_FILE = ".csv"
SIDE_FILES = ("-wal", "-journal", "-shm")
"""The endings of the names of files that SQLite keeps beside an open database."""

SheetRows = list[list[str]]


class SheetCells(NamedTuple):
    """The texts in the cells of a sheet, by rows, and the ranges of cells that are merged.

    Merged cells are not known in the format `.xlsb`.
    """

    rows: SheetRows
    merged: Sequence[CellRange] = ()


@dataclass(frozen=True, slots=True)
class Book:
    """A file with sheets: the names of its visible sheets, in order, and the function that reads a sheet."""

    file: str
    sheets: Sequence[str]
    read: Callable[[str], SheetCells]


def open_book(path: Path, file: str) -> tuple[Book | None, list[Problem]]:
    """Return a workbook or a database, or None and why it cannot be read."""
    opened = _open_database if file.endswith(DATABASES) else _open_workbook
    try:
        return opened(path, file), []
    except ImportError:
        message = f"`{file}` can be read with the package python-calamine only"
        hint = "install it: pip install python-calamine"
        return None, [Problem("missing-package", message, Place(file), hint)]
    except UnreadableError as error:
        return None, [Problem("unreadable-table", str(error), Place(file), error.hint)]


class UnreadableError(Exception):
    """Why a file or one of its sheets cannot be read, as one sentence; `hint` says what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def _open_workbook(path: Path, file: str) -> Book:
    import python_calamine as calamine

    try:
        book = calamine.load_workbook(str(path))
        visible = calamine.SheetVisibleEnum.Visible
        sheets = [one.name for one in book.sheets_metadata if one.visible == visible]
    except calamine.PasswordError:
        raise UnreadableError(f"`{file}` is protected by a password", "save it without one") from None
    except (calamine.CalamineError, OSError) as error:
        what, hint = _what_it_is(path) or (str(error).lower(), "save it again")
        raise UnreadableError(f"`{file}` is no workbook: {what}", hint) from None

    def read(name: str) -> SheetCells:
        try:
            sheet = book.get_sheet_by_name(name)
            rows, merged = sheet.to_python(skip_empty_area=False), sheet.merged_cell_ranges or ()
        except calamine.CalamineError as error:
            raise UnreadableError(f"sheet `{name}` cannot be read: {error}", "save it again") from None
        texts = [[cell_text(value) for value in row] for row in rows]
        for failed in failed_formulas(path, name):
            if not failed.error:
                cell = cell_name(failed.row, failed.column)
                message = f"sheet `{name}` of `{file}` has a formula without a value in {cell}"
                raise UnreadableError(message, "open it in a spreadsheet, and save it again")
            texts[failed.row][failed.column] = failed.error
        return SheetCells(texts, merged or merged_in_ods(path, name))

    return Book(file, sheets, read)


def _what_it_is(path: Path) -> tuple[str, str] | None:
    """Return the kind of an unreadable file, by its first bytes, and a hint; None if they do not show it."""
    try:
        with path.open("rb") as opened:
            head = opened.read(1000)
    except OSError:
        return None
    if not head:
        return "it is empty", COPY_AGAIN
    if head.startswith(b"PK"):
        return ("it ends too early, or is damaged", COPY_AGAIN) if not is_zipfile(path) else None
    if head.startswith(b"\xd0\xcf\x11\xe0"):
        return "it is an old Excel file, or protected by a password", SAVE_AS_WORKBOOK
    if re.match(rb"\s*<(!doctype )?html\b", head, re.IGNORECASE):
        return "it is a web page (HTML)", SAVE_AS_WORKBOOK
    return None if b"\0" in head else ("it is a text", f"call it {path.stem}.csv, or save it as a workbook")


COPY_AGAIN = "copy it again"
SAVE_AS_WORKBOOK = "open it in a spreadsheet, and save it as a workbook"


def _open_database(path: Path, file: str) -> Book:
    for ending in SIDE_FILES:
        with suppress(OSError):
            if Path(f"{path}{ending}").stat().st_size and ending != "-shm":
                message = f"`{file}` is being changed: its latest changes are in `{file}{ending}`"
                raise UnreadableError(message, "end the program that has it open")

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)

    def read(sheet: str) -> SheetCells:
        quoted = sheet.replace('"', '""')
        with _explained(file), closing(connect()) as connection:
            found = connection.execute(f'SELECT * FROM "{quoted}"')  # noqa: S608 - a table's name, quoted
            header = [str(one[0]) for one in found.description]
            return SheetCells([header, *([cell_text(value) for value in row] for row in found)])

    with _explained(file), closing(connect()) as connection:
        (pages,), (size,) = (
            connection.execute(f"PRAGMA {one}").fetchone() for one in ("page_count", "page_size")
        )
        if path.stat().st_size < pages * size:
            raise UnreadableError(f"`{file}` ends too early", COPY_AGAIN)
        sql = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY rowid"
        sheets = [name for (name,) in connection.execute(sql) if not name.startswith("sqlite_")]
    return Book(file, sheets, read)


@contextmanager
def _explained(file: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise UnreadableError(f"`{file}` cannot be read by SQLite: {error}", "save it again") from None


def cell_name(row: int, column: int) -> str:
    """Return the name of a cell in spreadsheets, such as `D2`; row and column are counted from 0."""
    return f"{column_letters(column)}{row + 1}"


def column_letters(number: int) -> str:
    """Return the letters for a column in spreadsheets, counted from 0: `A`, `Z`, `AA`."""
    letters = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, 26)
        letters = chr(ord("A") + digit) + letters
    return letters
