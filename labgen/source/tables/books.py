"""Open files that hold several tables: workbooks of spreadsheets, and SQLite databases."""

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile, ZipFile, is_zipfile

from labgen.formats.budget import MEGABYTE, Budget
from labgen.problems.problem import Place, Problem
from labgen.problems.text import say, text_of
from labgen.source.tables import read_apart
from labgen.source.tables.cell_names import cell_name
from labgen.source.tables.cell_texts import cell_text, kinds_of, without_blanks
from labgen.source.tables.containers import MOST_SHEETS, check_container
from labgen.source.tables.formulas import failed_formulas
from labgen.source.tables.merged import CellRange, merged_in_ods
from labgen.source.tables.number_formats import FindFormats, formats_in, no_formats
from labgen.source.tables.unreadable import UnreadableError
from labgen.system.input_files import DATABASES

CSV_FILE = ".csv"
SIDE_FILES = ("-wal", "-journal", "-shm")
"""The endings of the names of files that SQLite keeps beside an open database."""

SheetRows = list[list[str]]


class SheetCells(NamedTuple):
    """The texts in the cells of a sheet, by rows, and the ranges of cells that are merged.

    Merged cells are not known in the format `.xlsb`. `kinds` has the kinds of the cells of a workbook by rows
    (`cell_texts.kinds_of`), `shown` finds what the workbook says of how numbers look on the screen.
    """

    rows: SheetRows
    merged: Sequence[CellRange] = ()
    kinds: Sequence[str] = ()
    shown: FindFormats = no_formats


@dataclass(frozen=True, slots=True)
class Book:
    """A file with sheets: the names of its visible sheets, in order, and the function that reads a sheet."""

    file: str
    sheets: Sequence[str]
    read: Callable[[str], SheetCells]


def open_book(path: Path, file: str, budget: Budget) -> tuple[Book | None, list[Problem]]:
    """Return a workbook or a database, or None and why it cannot be read."""
    opened = _open_database if file.endswith(DATABASES) else _open_workbook
    try:
        return _with_few_sheets(opened(path, file, budget)), []
    except ImportError:
        message = say("`{file}` can be read with the package python-calamine only", file=file)
        hint = say("install it: pip install python-calamine")
        return None, [Problem("missing-package", message, Place(file), hint)]
    except UnreadableError as error:
        return None, [problem_of(error, file)]


def _with_few_sheets(book: Book) -> Book:
    if len(book.sheets) > MOST_SHEETS:
        message = say(
            "`{file}` holds more than {most_sheets:,} tables", file=book.file, most_sheets=MOST_SHEETS
        )
        raise UnreadableError(message, say("remove those that are no data"))
    return book


def problem_of(error: UnreadableError, file: str) -> Problem:
    """Return the problem of a file, or a part of it, that cannot be read."""
    return Problem(error.code, text_of(error), Place(file, error.pointer or None), error.hint)


def _open_workbook(path: Path, file: str, budget: Budget) -> Book:
    import python_calamine as calamine

    check_container(path, file, budget)
    _check_ending(path, file)
    if file.lower().endswith(read_apart.SUFFIXES):
        return _open_apart(path, file, budget)
    try:
        book = calamine.load_workbook(str(path))
        visible = calamine.SheetVisibleEnum.Visible
        sheets = [one.name for one in book.sheets_metadata if one.visible == visible]
    except calamine.PasswordError:
        raise UnreadableError(
            say("`{file}` is protected by a password", file=file), say("save it without one")
        ) from None
    except (calamine.CalamineError, OSError) as error:
        raise _no_workbook(path, file, str(error).lower()) from None

    def read(name: str) -> SheetCells:
        try:
            sheet = book.get_sheet_by_name(name)
            seen: dict[str, str] = {}
            kinds: list[str] = []
            rows = (_texts(row, kinds, seen) for row in sheet.iter_rows())
            texts = without_blanks(
                limited(rows, name, say("sheet `{name}` of `{file}`", name=name, file=file), file, budget)
            )
            merged = sheet.merged_cell_ranges or ()
        except calamine.CalamineError as error:
            raise UnreadableError(
                say("sheet `{name}` cannot be read: {error}", name=name, error=error), say("save it again")
            ) from None
        for failed in failed_formulas(path, name):
            if not failed.error:
                cell = cell_name(failed.row, failed.column)
                message = say(
                    "sheet `{name}` of `{file}` has a formula without a value in {cell}",
                    name=name,
                    file=file,
                    cell=cell,
                )
                raise UnreadableError(message, say("open it in a spreadsheet, and save it again"))
            texts += [[]] * (failed.row + 1 - len(texts))
            row = texts[failed.row]
            texts[failed.row] = [*row, *[""] * (failed.column + 1 - len(row))]
            texts[failed.row][failed.column] = failed.error
        return SheetCells(texts, merged or merged_in_ods(path, name), kinds, formats_in(path, name))

    return Book(file, sheets, read)


_ZIP, _OLD = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
"""How the formats of workbooks begin: those in XML and .xlsb, and .xls; so does one with a password."""
_LOCKED = "EncryptedPackage".encode("utf-16-le")


def _check_ending(path: Path, file: str) -> None:
    """Raise `UnreadableError` if a workbook has the ending of another format: its reader goes by it."""
    is_called_old = file.lower().endswith(".xls")
    with suppress(OSError), path.open("rb") as opened:
        head = opened.read(len(_ZIP))
        if is_called_old and head == _ZIP:
            message = say("`{file}` is no workbook in the old format .xls, but one in a newer one", file=file)
            raise UnreadableError(message, say("call it {name}", name=f"{path.stem}.xlsx"))
        if not is_called_old and head == _OLD and _LOCKED not in opened.read():
            message = say("`{file}` is a workbook in the old format .xls", file=file)
            raise UnreadableError(message, say("call it {name}", name=f"{path.stem}.xls"))


def _texts(row: Sequence[Any], kinds: list[str], seen: dict[str, str]) -> list[str]:
    """Return the texts of a row of a workbook, and append its kinds."""
    kinds.append(kinds_of(row, seen))
    return [cell_text(value) for value in row]


def _open_apart(path: Path, file: str, budget: Budget) -> Book:
    """Open a workbook in a binary format, in a process of its own."""

    def ask(name: str | None = None) -> Any:
        found = read_apart.ask(path, name)
        if found is None:
            message = say(
                "`{file}` takes more than {memory} MB to read, or is damaged",
                file=file,
                memory=read_apart.MEMORY // MEGABYTE,
            )
            raise UnreadableError(message, say("save it as .xlsx"), code="too-large")
        if found.get("is_locked"):
            raise UnreadableError(
                say("`{file}` is protected by a password", file=file), say("save it without one")
            )
        if "error" in found:
            raise _no_workbook(path, file, found["error"])
        return found

    def read(name: str) -> SheetCells:
        found = ask(name)
        rows = limited(
            found["rows"], name, say("sheet `{name}` of `{file}`", name=name, file=file), file, budget
        )
        merged = [(tuple(first), tuple(last)) for first, last in found["merged"]]
        return SheetCells(list(rows), merged, found["kinds"])

    return Book(file, ask()["sheets"], read)


def limited(
    rows: Iterable[list[str]], sheet: str, called: str, file: str, budget: Budget
) -> Iterator[list[str]]:
    """Yield rows as they come. Raises `UnreadableError` if these, or what they hold, are too many."""
    values, long = 0, min(budget.text, budget.laboratory)
    for number, row in enumerate(rows):
        values += len(row) - row.count("")
        length = sum(map(len, row))
        problem = None
        if length > long:
            problem = _long_row(row, number, length, budget, Place(file))
        if values > budget.values:
            problem = budget.of_values(Place(file), called)
        elif number > budget.rows:
            problem = budget.of_rows(Place(file), called)
        if problem:
            raise UnreadableError(problem.message, problem.hint, (sheet, number), problem.code)
        yield row


def _long_row(row: list[str], number: int, length: int, budget: Budget, place: Place) -> Problem | None:
    """Return the problem of a row with a text that is too long, or with too much text."""
    longest = max(map(len, row))
    if longest > budget.text:
        return budget.of_text(longest, place)
    if length > budget.laboratory:
        return budget.of_file(say("row {number}", number=number + 1), length, is_laboratory=True)
    return None


def _no_workbook(path: Path, file: str, error: str) -> UnreadableError:
    what, hint = _what_it_is(path) or (error, say("save it again"))
    return UnreadableError(say("`{file}` is no workbook: {what}", file=file, what=what), hint)


def _what_it_is(path: Path) -> tuple[str, str] | None:
    """Return the kind of an unreadable file, by its first bytes, and a hint; None if they do not show it."""
    try:
        with path.open("rb") as opened:
            head = opened.read(1000)
    except OSError:
        return None
    if not head:
        return say("it is empty"), COPY_AGAIN
    if head.startswith(b"PK"):
        return (
            _what_archive(path) if is_zipfile(path) else (say("it ends too early, or is damaged"), COPY_AGAIN)
        )
    if head.startswith(b"\xd0\xcf\x11\xe0"):
        return say("it is an old Excel file, or protected by a password"), SAVE_AS_WORKBOOK
    if re.match(rb"\s*<(!doctype )?html\b", head, re.IGNORECASE):
        return say("it is a web page (HTML)"), SAVE_AS_WORKBOOK
    return (
        None
        if b"\0" in head
        else (say("it is a text"), say("call it {stem}.csv, or save it as a workbook", stem=path.stem))
    )


def _what_archive(path: Path) -> tuple[str, str] | None:
    """Return what an archive is that is no workbook of the format that its name says."""
    try:
        with ZipFile(path) as archive:
            names = archive.namelist()
    except (OSError, BadZipFile):
        return None
    is_ods, has_ods = path.suffix.lower() == ".ods", "content.xml" in names
    has_excel = any(name.startswith("xl/") for name in names)
    if has_ods and not is_ods:
        return say("it is an OpenDocument file"), say("call it {name}", name=f"{path.stem}.ods")
    if has_excel and is_ods:
        return say("it is an Excel workbook"), say("call it {name}", name=f"{path.stem}.xlsx")
    return None if has_ods or has_excel else (say("it is an archive without a sheet"), SAVE_AS_WORKBOOK)


ENDLESS_VIEW = say("write its rows into a table, and leave the view out")
COPY_AGAIN = say("copy it again")
SAVE_AS_WORKBOOK = say("open it in a spreadsheet, and save it as a workbook")


def _open_database(path: Path, file: str, budget: Budget) -> Book:
    for ending in SIDE_FILES:
        with suppress(OSError):
            if Path(f"{path}{ending}").stat().st_size and ending != "-shm":
                message = say(
                    "`{file}` is being changed: its latest changes are in `{file}{ending}`",
                    file=file,
                    ending=ending,
                )
                raise UnreadableError(message, say("end the program that has it open"))

    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_SQLITE)
        return connection

    def read(sheet: str) -> SheetCells:
        quoted, called = sheet.replace('"', '""'), say("table `{sheet}` of `{file}`", sheet=sheet, file=file)
        with _explained(file, sheet), closing(connect()) as connection:
            steps = Steps(connection)
            found = connection.execute(f'SELECT * FROM "{quoted}"')  # noqa: S608 - a table's name, quoted
            header = [str(one[0]) for one in found.description]
            rows = chain([header], steps.texts(found))
            return SheetCells(list(limited(rows, sheet, called, file, budget)))

    with _explained(file), closing(connect()) as connection:
        (pages,), (size,) = (
            connection.execute(f"PRAGMA {one}").fetchone() for one in ("page_count", "page_size")
        )
        if path.stat().st_size < pages * size:
            raise UnreadableError(say("`{file}` ends too early", file=file), COPY_AGAIN)
        sql = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY rowid LIMIT ?"
        listed = connection.execute(sql, (2 * MOST_SHEETS,))
        sheets = [name for (name,) in listed if not name.startswith("sqlite_")]
    return Book(file, sheets, read)


STEPS_AT_ONCE, MOST_STEPS, STEPS_OF_A_ROW = 100_000, 100_000_000, 500
"""Instructions of SQLite between two counts, how many a query may take, and how many more for each row."""
LONGEST_SQLITE = 32 * MEGABYTE
"""The longest value that SQLite may make or return, in bytes."""


class Steps:
    """Counts the instructions that SQLite carries out for a query, and interrupts it if they are too many."""

    def __init__(self, connection: sqlite3.Connection | None) -> None:
        self.left = MOST_STEPS
        if connection is not None:
            connection.set_progress_handler(self._count, STEPS_AT_ONCE)

    def _count(self) -> bool:
        self.left -= STEPS_AT_ONCE
        return self.left < 0

    def texts(self, rows: Iterable[Sequence[Any]]) -> Iterator[list[str]]:
        """Yield the texts of the rows of the query."""
        for row in rows:
            self.left += STEPS_OF_A_ROW
            yield [cell_text(value) for value in row]


@contextmanager
def _explained(file: str, table: str = "") -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        if error.sqlite_errorname == "SQLITE_INTERRUPT":
            message = say(
                "the view `{table}` of `{file}` takes too long, or has no end", table=table, file=file
            )
            raise UnreadableError(message, ENDLESS_VIEW, (table,), "too-large") from None
        if error.sqlite_errorname == "SQLITE_TOOBIG":
            message = say(
                "`{table}` of `{file}` holds a value of more than {longest_sqlite} MB",
                table=table,
                file=file,
                longest_sqlite=LONGEST_SQLITE // MEGABYTE,
            )
            raise UnreadableError(message, say("shorten it"), (table,), "too-large") from None
        raise UnreadableError(
            say("`{file}` cannot be read by SQLite: {error}", file=file, error=error), say("save it again")
        ) from None
