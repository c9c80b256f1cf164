"""Read tables that were not made for labgen, and map their headers to labgen's columns."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from labgen.formats.budget import Budget
from labgen.formats.csv_format import read_rows
from labgen.formats.encodings import decode_table
from labgen.formats.read_files import read_checked
from labgen.importing.check_mapping import Header, UnfitMappingError, check_columns, check_sheets
from labgen.importing.draft_mapping import ReadHeader
from labgen.importing.mapping import ImportFailedError, Mapped, folded
from labgen.model.tables import NAME_OF_OWN, TABLES, Table
from labgen.problems.problem import Problem
from labgen.problems.text import plural, say, text_of
from labgen.source.checks.field_hints import GERMAN_FIELDS
from labgen.source.tables.books import Book, SheetCells, SheetRows
from labgen.source.tables.find import is_table_file
from labgen.source.tables.open_book import open_book
from labgen.source.tables.sheets import (
    HEADER_WITHIN,
    Sheet,
    column_of,
    folded_name,
    german_tables,
)
from labgen.source.tables.unreadable import UnreadableError
from labgen.system.input_files import LABORATORIES
from labgen.system.progress import Progress, silent

TEXTS = (".csv", ".tsv", ".txt")


class Written(NamedTuple):
    """The cells of a table, with their file and sheet ("" if the file has no sheets)."""

    file: str
    sheet: str
    cells: SheetCells

    @property
    def rows(self) -> SheetRows:
        """The texts in the cells, by rows."""
        return self.cells.rows


class Foreign(NamedTuple):
    """The tables of a source by name, notes for people on how they were read, and their headers."""

    sheets: Mapping[str, Sheet]
    notes: list[str]
    headers: Mapping[str, ReadHeader]


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
        number, count, width = uneven
        message = say(
            "{name}, row {number} has {cells}, but the header has {width}",
            name=file.name,
            number=number + 1,
            cells=plural(count, "cell"),
            width=width,
        )
        raise ImportFailedError(
            message, say("put a cell that holds a separator or a line break into double quotes")
        )
    return read.rows


def _first_uneven(lengths: list[int]) -> tuple[int, int, int] | None:
    """Return the first row with an unusual number of cells: its number, its cells, and the usual number.

    Blank rows count as 0 cells. Rows of one cell above the first row of the usual length are titles.
    """
    width = Counter(filter(None, lengths)).most_common(1)[0][0] if any(lengths) else 0
    first = next((number for number, length in enumerate(lengths) if length == width), 0)
    for number, length in enumerate(lengths):
        if length not in (0, width) and not (number < first and length == 1):
            return number, length, width
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
    top = _header_row(rows, TABLES[LABORATORIES], {})
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
    if of_rows in TABLES and _header_row(rows, TABLES[of_rows], {}) is not None:
        return of_rows
    return called if called in TABLES else None


def adapted(
    found: Mapping[str, Written], mapped: Mapped, notes: list[str], problems: Iterable[Problem] = ()
) -> Foreign:
    """Rename the columns of tables to labgen's names; add notes on columns renamed by guess or ignored.

    `problems` are those of the mapping so far. Raises `UnfitMappingError` if it has any.
    """
    headers = {name: _header(one, TABLES[name], mapped.columns.get(name, {})) for name, one in found.items()}
    if problems := [*problems, *check_columns(mapped, headers)]:
        raise UnfitMappingError(problems)
    sheets: dict[str, Sheet] = {}
    read: dict[str, ReadHeader] = {}
    for name, one in found.items():
        table = TABLES[name]
        columns, values = mapped.columns.get(name, {}), mapped.values.get(name, {})
        if header := _read_header(one.rows, table, columns):
            read[name] = header
        rows = _with_names(one.rows, table, header, columns, values, notes)
        cells = one.cells._replace(rows=rows)
        book = Book(one.file, [one.sheet], lambda _, cells=cells: cells)  # type: ignore[misc]
        sheets[name] = Sheet(table, one.file, Path(one.file), book, one.sheet)
    return Foreign(sheets, notes, read)


def _read_header(rows: SheetRows, table: Table, columns: Mapping[str, str]) -> ReadHeader | None:
    """Return how the header of a table is read, or None if there is none."""
    meanings = _meanings(columns)
    top = _header_row(rows, table, meanings)
    if top is None and table.name != LABORATORIES:
        top = _first_of_several(rows)
    if top is None:
        return None
    before = ["", *rows[top]]
    meant = [
        "" if _is_house_number(name, beside, meanings) else _meaning(name, table, meanings) or ""
        for name, beside in zip(rows[top], before, strict=False)
    ]
    several = [own for own, count in Counter(filter(None, meant)).items() if count > 1]
    claims = {
        own: [name.strip() for name, one in zip(rows[top], meant, strict=True) if one == own]
        for own in several
    }
    unclear = [(own, names) for own, names in claims.items() if len(set(names)) > 1]
    return ReadHeader(top, rows[top], meant, unclear)


def _is_house_number(name: str, before: str, meanings: Mapping[str, str]) -> bool:
    """Return whether a column is that of house numbers: it stands beside that of streets."""
    called = folded(name)
    return called not in meanings and called in ("nr", "nr.", "nummer", "no.") and folded(before) in _STREETS


_STREETS = ("straße", "strasse", "str.", "str", "street")


def _with_names(
    rows: SheetRows,
    table: Table,
    read: ReadHeader | None,
    columns: Mapping[str, str],
    values: Mapping[str, str],
    notes: list[str],
) -> SheetRows:
    """Return rows with labgen's column names in the header, and with further columns of constant values."""
    if read is None:
        return rows
    meanings, top = _meanings(columns), read.row
    header: list[str] = []
    as_called: list[str] = []
    for name, own in zip(read.names, read.meant, strict=True):
        if name.strip() and not own and not name.startswith("_"):
            notes.append(
                say("the column `{name}` of `{name_2}` is not read", name=name.strip(), name_2=table.name)
            )
        elif own and folded(name) != own and folded(name) not in meanings:
            notes.append(
                say(
                    "the column `{name}` of `{name_2}` is read as `{own}`",
                    name=name.strip(),
                    name_2=table.name,
                    own=own,
                )
            )
        elif own:
            as_called.append(f"`{name.strip()}`" if folded(name) == own else f"`{name.strip()}` (`{own}`)")
        header.append(own or (f"_{len(header)}" if name.strip() else ""))
    if as_called:
        notes.append(
            say(
                "of `{name}`, these columns are read: {columns}",
                name=table.name,
                columns=", ".join(as_called),
            )
        )
    further = [one for one in values if one not in header]
    more = [values[one] for one in further]
    notes += [
        say("the value given for `{one}` is not used: the table has that column", one=one)
        for one in values
        if one in header
    ]
    width = len(header)
    body = [[*row[:width], *[""] * (width - len(row)), *more] if any(row) else row for row in rows[top + 1 :]]
    above = [row if sum(map(bool, row)) > 1 else [] for row in rows[:top]]  # without titles
    return [*above, [*header, *further], *body]


def _header(written: Written, table: Table, columns: Mapping[str, str]) -> Header:
    """Return the names in the header of a table, or in the row that is most likely its header."""
    rows = written.rows
    top = _header_row(rows, table, _meanings(columns))
    top = _first_of_several(rows) if top is None else top
    called = Sheet(table, written.file, Path(written.file), name=written.sheet).called
    return Header(called, [] if top is None else rows[top])


def _meanings(columns: Mapping[str, str]) -> dict[str, str]:
    return {folded(theirs): own for own, theirs in columns.items()}


def _header_row(rows: SheetRows, table: Table, meanings: Mapping[str, str]) -> int | None:
    needed = min(2, len(table.columns))
    top = range(min(HEADER_WITHIN, len(rows)))
    known = {number: sum(bool(_meaning(one, table, meanings)) for one in rows[number]) for number in top}
    return next((number for number, count in known.items() if count >= needed), None)


def _first_of_several(rows: SheetRows) -> int | None:
    """Return the number of the first row with more than one filled cell: a header of unknown names."""
    return next((number for number, row in enumerate(rows) if sum(map(bool, row)) > 1), None)


def _meaning(name: str, table: Table, meanings: Mapping[str, str]) -> str | None:
    """Return labgen's column for a header name: by the mapping, by labgen's names, or by German names."""
    called = folded(name)
    if own := meanings.get(called):
        return own
    if column := column_of(name, table):
        return None if column.name in meanings.values() else column.name
    for candidate in (called, GERMAN_FIELDS.get(called), _MORE_GERMAN.get(called)):
        fitting = [one.name for one in table.columns.values() if candidate in (one.name, one.keys[-1])]
        if len(fitting) == 1 and fitting[0] not in meanings.values():
            return fitting[0]
    return None


_MORE_GERMAN = {
    "nr.": "display_id", "nr": "display_id", "nummer": "display_id", "labornummer": "display_id",
    "labor": "name", "laboratorium": "name", "staat": "country",
    "e-mail-adresse": "email", "geprüft": "is_verified", "verifiziert": "is_verified",
    "telefonnummer": "phone", "tel.": "phone", "beschreibung": "about", "tarif": "deal_status",
    "lab-nr.": "display_id", "lab-nr": "display_id", "labor-nr.": "display_id", "labor-nr": "display_id",
    "firmenname": "name", "laborname": "name", "bezeichnung": "name", "fon": "phone",
    "web": "website", "internet": "website",
    "straße und hausnummer": "address",
    "vertrag": "deal_status", "vertragsart": "deal_status", "prüfstatus": "verification_status",
    "mitglied seit": "published_on", "aufgenommen am": "published_on", "datum": "created_on",
    "sterne": "rating", "überschrift": "title", "autor": "author", "kunde": "author",
    "akkreditierungsstelle": "accreditation_body", "urkundennummer": "number",
    "status": "verification_status", "stelle": "accreditation_body", "norm": "accreditation_standard",
}  # fmt: skip
"""German names of fields in tables, besides the names for which a check suggests the right one."""
