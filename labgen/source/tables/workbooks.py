"""Open workbooks of spreadsheets."""

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile, is_zipfile

from labgen.formats.budget import MEGABYTE, Budget
from labgen.problems.text import say
from labgen.source.tables import read_apart
from labgen.source.tables.books import Book, SheetCells, limited
from labgen.source.tables.cell_texts import cell_text, kinds_of, without_blanks
from labgen.source.tables.containers import check_container
from labgen.source.tables.formulas import failed_formulas, xml_of
from labgen.source.tables.hidden_rows import hidden_in, hidden_in_ods
from labgen.source.tables.merged import merged_in_ods
from labgen.source.tables.number_formats import formats_in
from labgen.source.tables.unreadable import COPY_AGAIN, UnreadableError

SAVE_AS_WORKBOOK = say("open it in a spreadsheet, and save it as a workbook")


def open_workbook(path: Path, file: str, budget: Budget) -> Book:
    """Return a workbook. Raises `UnreadableError`, and ImportError without the package that reads it."""
    import python_calamine as calamine

    check_container(path, file, budget)
    _check_ending(path, file)
    if file.lower().endswith(read_apart.SUFFIXES):
        return _open_apart(path, file, budget)
    try:
        book = calamine.load_workbook(str(path))
        visible = calamine.SheetVisibleEnum.Visible
        sheets = [one.name for one in book.sheets_metadata if one.visible == visible]
        hidden = [one.name for one in book.sheets_metadata if one.visible != visible]
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
        data = xml_of(path, name)
        failed = failed_formulas(data)
        for one in failed:
            texts += [[]] * (one.row + 1 - len(texts))
            row = texts[one.row]
            texts[one.row] = [*row, *[""] * (one.column + 1 - len(row))]
            texts[one.row][one.column] = one.error
        return SheetCells(
            texts,
            merged or merged_in_ods(path, name),
            kinds,
            formats_in(path, name),
            hidden_in(data) if data else hidden_in_ods(path, name),
            [(one.row, one.column) for one in failed if not one.error],
        )

    return Book(file, sheets, read, hidden)


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

    found = ask()
    return Book(file, found["sheets"], read, found["hidden"])


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
