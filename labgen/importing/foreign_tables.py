"""Read the tables in files that were not made for labgen: workbooks, databases and CSV files."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from labgen.formats.budget import Budget
from labgen.formats.csv_format import csv_nodes, read_rows, uneven_row
from labgen.formats.encodings import decode_table
from labgen.formats.read_files import read_checked
from labgen.importing.check_mapping import check_sheets
from labgen.importing.headers import Foreign, Written, adapted, header_row
from labgen.importing.mapping import ImportFailedError, Mapped, folded
from labgen.model.tables import NAME_OF_OWN, TABLES
from labgen.problems.problem import Place
from labgen.problems.text import plural, say, text_of
from labgen.source.tables.books import SheetCells, SheetRows
from labgen.source.tables.find import is_table_file
from labgen.source.tables.open_book import open_book
from labgen.source.tables.sheets import folded_name, german_tables
from labgen.source.tables.unreadable import UnreadableError
from labgen.system.input_files import LABORATORIES
from labgen.system.progress import Progress, silent

TEXTS = (".csv", ".tsv", ".txt")


def tables_in_files(file: Path, mapped: Mapped, progress: Progress = silent) -> Foreign:
    """Return the tables in a workbook, a database, or CSV files.

    Raises `ImportFailedError`, and `UnfitMappingError` if the mapping names what is not there.

    A CSV file is read as the table of the same name, else as `laboratories`; text files beside it that are
    named after tables are read, too.
    """
    if not file.is_file():
        raise ImportFailedError(say("{file} is no file", file=file))
    found: dict[str, Written] = {}
    notes: list[str] = []
    if file.suffix.lower() in TEXTS:
        own = file.stem if file.stem in TABLES else LABORATORIES
        beside = [
            one for one in sorted(file.parent.iterdir()) if is_table_file(one.name) or one.stem in TABLES
        ]
        others = {one.stem: one for one in beside if one.suffix.lower() in TEXTS}
        for name, one in ({own: file} | {stem: one for stem, one in others.items() if stem != own}).items():
            found[name] = Written(one.name, "", SheetCells(_rows_of_text(one, mapped.budget, notes)))
            progress("rows", count := sum(len(each.rows) for each in found.values()), count)
        sheets: Sequence[str] = ()
    else:
        found, sheets = _rows_of_book(file, mapped, notes, progress)
    return adapted(found, mapped, notes, check_sheets(mapped, sheets, file.name))


def _rows_of_text(file: Path, budget: Budget, notes: list[str]) -> SheetRows:
    data, problems = read_checked(file, file.name, file.parent, budget)
    text, found = (None, problems) if data is None else decode_table(data, file.name)
    problems += found
    if text is None:
        raise ImportFailedError(problems[0].message, problems[0].hint)
    notes += [say("{message}; {hint}", message=one.message, hint=one.hint) for one in problems]
    read = read_rows(text, file.name, budget)
    for one in read.problems:
        row = say(", row {pointer}", pointer=int(one.place.pointer[0]) + 1) if one.place.pointer else ""
        raise ImportFailedError(
            say("{name}{row}: {message}", name=file.name, row=row, message=one.message), one.hint
        )
    if read.bad_quote is not None:
        line = text.count("\n", 0, read.bad_quote) + 1
        raise ImportFailedError(
            say(
                "{name}, line {line}: a quote is not closed at the end of its cell", name=file.name, line=line
            )
        )
    for number, cell in read.swallowed.items():
        first, last = (text.count("\n", 0, at) + 1 for at in (cell.start, cell.end))
        message = say(
            "{name}, row {number}: a quote opened in line {first} is closed in line {last}: "
            "the rows between them are one cell",
            name=file.name,
            number=number + 1,
            first=first,
            last=last,
        )
        raise ImportFailedError(message, say('inside quotes, write "" for a quote'))
    if uneven := _first_uneven([len(row) for row in read.rows]):
        number, width = uneven
        begin = next(csv_nodes(text, [(number,)])).value[0]
        problem = uneven_row(read.rows[number], width, Place(file.name))
        line = text.count("\n", 0, begin) + 1
        message = say("{name}, line {line}: {message}", name=file.name, line=line, message=problem.message)
        raise ImportFailedError(message, problem.hint)
    return read.rows


def _first_uneven(lengths: list[int]) -> tuple[int, int] | None:
    """Return the first row with an unusual number of cells: its number, and the usual number of cells.

    Blank rows count as 0 cells. Rows of one cell above the first row of the usual length are titles.
    """
    width = Counter(filter(None, lengths)).most_common(1)[0][0] if any(lengths) else 0
    first = next((number for number, length in enumerate(lengths) if length == width), 0)
    for number, length in enumerate(lengths):
        if length not in (0, width) and not (number < first and length == 1):
            return number, width
    return None


def _rows_of_book(
    file: Path, mapped: Mapped, notes: list[str], progress: Progress
) -> tuple[dict[str, Written], Sequence[str]]:
    """Return the rows of each table in a workbook or a database, and the names of all sheets."""
    book, problems = open_book(file, file.name, mapped.budget)
    if book is None:
        raise ImportFailedError(problems[0].message, problems[0].hint)
    try:
        cells: dict[str, SheetCells] = {}
        for name in book.sheets:
            cells[name] = book.read(name)
            progress("rows", count := sum(len(each.rows) for each in cells.values()), count)
    except UnreadableError as error:
        row = say("row {pointer}: ", pointer=int(error.pointer[1]) + 1) if len(error.pointer) > 1 else ""
        raise ImportFailedError(row + text_of(error), error.hint) from error
    rows = {name: one.rows for name, one in cells.items()}
    theirs = {folded(sheet): own for own, sheet in mapped.sheets.items()}
    named = {name: theirs.get(folded(name)) or _table_called(name, rows[name]) for name in book.sheets}
    others = [name for name, table in named.items() if table is None and any(map(any, rows[name]))]
    if LABORATORIES not in named.values() and others:
        named[others.pop(0)] = LABORATORIES
    own = next((name for name, table in named.items() if table == LABORATORIES), "")
    notes += [_not_read(name, rows[name], own) for name in others if name[:1] != "_"]
    notes += [
        say("the sheet `{name}` is hidden, and not read", name=name)
        for name in book.hidden
        if name[:1] != "_"
    ]
    notes += [
        say("the sheet `{name}` is read as `{table}`", name=name, table=table)
        for name, table in named.items()
        if table and folded_name(name) != table and folded(name) not in theirs
    ]
    tables = {table: name for name, table in reversed(named.items()) if table}
    return {table: Written(file.name, name, cells[name]) for table, name in tables.items()}, book.sheets


def _not_read(name: str, rows: SheetRows, own: str) -> str:
    """Return the note that a sheet is not read; `own` is the sheet that laboratories are read of."""
    top = header_row(rows, TABLES[LABORATORIES], {})
    if top is None or not own:
        return say("the sheet `{name}` is not read: no table is called so", name=name)
    return say(
        "the sheet `{name}` is not read, though it has columns of `{table}`: "
        "put its {rows} below those of `{own}`",
        name=name,
        table=LABORATORIES,
        rows=plural(sum(map(any, rows[top + 1 :])), "row"),
        own=own,
    )


def _table_called(name: str, rows: SheetRows) -> str | None:
    """Return the table that the name of a sheet means, as labgen's name or in German, or None."""
    if (plain := folded_name(name)) in TABLES:
        return plain
    called = german_tables().get(folded(name), "")
    of_rows = f"{NAME_OF_OWN}{called}"
    if of_rows in TABLES and header_row(rows, TABLES[of_rows], {}) is not None:
        return of_rows
    return called if called in TABLES else None
