"""Read a table from a sheet or a CSV file: find the header row, and match its columns."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from labgen.formats.budget import DEFAULT, Budget
from labgen.formats.csv_format import MAX_COLUMNS, parse_csv
from labgen.formats.format import ParsedValue
from labgen.formats.read_files import read_text
from labgen.model.language import built_in
from labgen.model.tables import DISPLAY_ID, TABLES, Column, Table, singular
from labgen.problems.hints import did_you_mean
from labgen.problems.problem import Place, Pointer, Problem, shown
from labgen.problems.text import Text, first_of, plural, say
from labgen.source.checks.field_hints import GERMAN_FIELDS
from labgen.source.tables.books import (
    Book,
    SheetCells,
    SheetRows,
    problem_of,
)
from labgen.source.tables.cell_names import cell_name, column_letters
from labgen.source.tables.evidence import check_cells
from labgen.source.tables.merged import CellRange
from labgen.source.tables.unreadable import SAVE_AGAIN, UnreadableError
from labgen.system.input_files import DATABASES, LABORATORIES

HEADER_WITHIN = 20
"""How many rows at the top of a sheet are searched for the header."""
_IDS = ("id", DISPLAY_ID)
NAMED_CELLS = 3
"""The number of cells or rows that a message names."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """The location of a table: a sheet of a book, or a CSV file, without the name of a sheet."""

    table: Table
    file: str
    path: Path
    book: Book | None = None
    name: str = ""
    budget: Budget = DEFAULT

    @property
    def pointer(self) -> Pointer:
        """The pointer to the sheet in its file."""
        return (self.name,) if self.name else ()

    @property
    def called(self) -> str:
        """The name of the sheet, of the table of a database, or of the file in messages."""
        return (
            say("{kind_of} `{name}` of `{file}`", kind_of=kind_of(self.file), name=self.name, file=self.file)
            if self.name
            else f"`{self.file}`"
        )

    def entries(self) -> tuple[list[ParsedValue], list[Problem]]:
        """Return the names in the header, then an object of texts for each row that is not blank."""
        if self.book is None:
            text, problems = read_text(self.path, self.file, self.path.parent, self.budget)
            if text is None:
                return [], problems
            entries, found = parse_csv(text, self.file, self.budget)
            return entries, problems + found
        try:
            cells = self.book.read(self.name)
        except UnreadableError as error:
            return [], [problem_of(error, self.file)]
        return self._of_cells(cells)

    def _of_cells(self, cells: SheetCells) -> tuple[list[ParsedValue], list[Problem]]:
        rows = list(cells.rows)
        top = header_row(rows, self.table)
        if top is None:
            message = say("{called} is empty", called=self.called)
            return [], [Problem("empty-file", message, Place(self.file, self.pointer))]
        header = [cell.strip() for cell in rows[top]]
        if len(header) > MAX_COLUMNS:
            message = say(
                "{called} has {count:,} columns, but at most {max_columns:,} can be read",
                called=self.called,
                count=len(header),
                max_columns=MAX_COLUMNS,
            )
            return [], [Problem("too-large", message, Place(self.file, (*self.pointer, top)))]
        problems = [*self._check_header(header, top, rows), *self._check_above(header, rows[:top])]
        if unknown := list(self._without_value(cells.unknown, header, top)):
            return [], [*problems, *unknown]
        problems += self._hidden_rows(
            [at for at in sorted(cells.hidden.rows) if at > top and any(rows[at : at + 1])]
        )
        known = [None if name.startswith("_") else column_of(name, self.table) for name in header]
        published = [at for at, column in enumerate(known) if column]
        problems += self._hidden_columns([at for at in published if at in cells.hidden.columns], top)
        problems += check_cells(known, header, cells, top, Place(self.file, self.pointer))
        left = self.budget.values
        for merged in cells.merged:
            left -= len(header) * (1 + max(0, min(merged[1][0], len(rows)) - merged[0][0]))
            if left < 0:
                problems.append(
                    self.budget.of_values(
                        Place(self.file, self.pointer), say("what is merged in {called}", called=self.called)
                    )
                )
                break
            if hidden := _hidden_by(merged, header, top, rows):
                problems.append(self._merged(merged, hidden[0], header))
                _fill(merged, hidden, rows, top)
        entries = [ParsedValue((*self.pointer, top), [name for name in header if name])]
        for number, row in enumerate(rows[top + 1 :], top + 1):
            if any(row):
                named = {name: cell for name, cell in zip(header, row, strict=False) if name}
                entries.append(ParsedValue((*self.pointer, number), named))
        return entries, problems

    def _check_header(self, header: Sequence[str], top: int, rows: SheetRows) -> Iterator[Problem]:
        for number, name in enumerate(header):
            place = Place(self.file, (*self.pointer, top, name))
            if name in header[:number] and name and not name.startswith("_"):
                message = say(
                    "the column `{name}` stands twice in {called}: {first} and {second}",
                    name=name,
                    called=self.called,
                    first=column_letters(header.index(name)),
                    second=column_letters(number),
                )
                yield Problem("duplicate-key", message, place, say("rename or remove one of the two"))
            elif not name and any(row[number : number + 1] not in ([], [""]) for row in rows[top + 1 :]):
                message = say(
                    "column {column_letters} of {called} holds texts, but has no name",
                    column_letters=column_letters(number),
                    called=self.called,
                )
                row = Place(self.file, (*self.pointer, top))
                yield Problem("unnamed-column", message, row, say("name it in the header, or empty it"))

    def _check_above(self, header: Sequence[str], above: SheetRows) -> Iterator[Problem]:
        """Yield an error for each row above the header that has a number where the ids are."""
        ids = [at for at, one in enumerate(columns_of(header, self.table)) if one and one.name in _IDS]
        for number, row in enumerate(above):
            if any(row[at : at + 1] and row[at].isdecimal() for at in ids):
                message = say(
                    "row {number} stands above the header, and is not read: {cells}",
                    number=number + 1,
                    cells=first_of([shown(cell) for cell in row if cell], NAMED_CELLS),
                )
                place = Place(self.file, (*self.pointer, number))
                yield Problem("unreadable-table", message, place, say("move it below the header"))

    def _without_value(
        self, cells: Sequence[tuple[int, int]], header: Sequence[str], top: int
    ) -> Iterator[Problem]:
        """Yield an error for each column below the header with formulas without a value."""
        by_column: dict[int, list[int]] = {}
        for row, column in cells:
            if row > top and column < len(header) and header[column] and not header[column].startswith("_"):
                by_column.setdefault(column, []).append(row)
        for column, rows in by_column.items():
            message = say(
                "`{name}` has a formula without a value in {cells}",
                name=header[column],
                cells=first_of([cell_name(row, column) for row in rows], NAMED_CELLS),
            )
            place = Place(self.file, (*self.pointer, rows[0], header[column]))
            yield Problem("unreadable-table", message, place, SAVE_AGAIN)

    def _hidden_rows(self, rows: Sequence[int]) -> Iterator[Problem]:
        """Yield a warning if rows that hold something are hidden: a filter does not leave them out."""
        hint = say("delete the rows that should not be published, or show them again")
        numbers = [str(row + 1) for row in rows]
        yield from self._hidden(
            plural(len(rows), "row"), numbers, Place(self.file, (*self.pointer, *rows[:1])), hint
        )

    def _hidden_columns(self, columns: Sequence[int], top: int) -> Iterator[Problem]:
        """Yield a warning if columns that are published are hidden."""
        hint = say("delete the columns that should not be published, or show them again")
        letters = [column_letters(one) for one in columns]
        yield from self._hidden(
            plural(len(columns), "column"), letters, Place(self.file, (*self.pointer, top)), hint
        )

    def _hidden(self, count: Text, names: Sequence[str], place: Place, hint: str) -> Iterator[Problem]:
        if names:
            message = say(
                "{called} hides what is published all the same: {rows} ({numbers})",
                called=self.called,
                rows=count,
                numbers=first_of(names, NAMED_CELLS),
            )
            yield Problem("hidden-rows", message, place, hint, "warning")

    def _merged(self, merged: CellRange, hidden: tuple[int, int], header: Sequence[str]) -> Problem:
        first, last = (cell_name(*cell) for cell in merged)
        message = say(
            "the cells {first}:{last} of {called} are merged, so only {first} has a value",
            first=first,
            last=last,
            called=self.called,
        )
        place = Place(self.file, (*self.pointer, hidden[0], header[hidden[1]]))
        return Problem("merged-cells", message, place, say("unmerge them, and write the value into each row"))


def _hidden_by(merged: CellRange, header: Sequence[str], top: int, rows: SheetRows) -> list[tuple[int, int]]:
    """Return the cells below the header whose values merged cells hide.

    Notes, rows that are otherwise blank, and merged cells without a value are left out.
    """
    (first, left), (last, right) = merged
    if last <= top or first >= len(rows) or not any(rows[first][left : left + 1]):
        return []
    named = [
        number
        for number, name in enumerate(header)
        if left <= number <= right and name and not name.startswith("_")
    ]
    return [
        (row, column)
        for row in range(max(first, top + 1), min(last + 1, len(rows)))
        if any(rows[row][:left]) or any(rows[row][left + (row == first) :])
        for column in named
        if (row, column) != (first, left)
    ]


def _fill(merged: CellRange, hidden: Sequence[tuple[int, int]], rows: SheetRows, top: int) -> None:
    """Write the value of merged cells into each of their rows: its absence is no second problem."""
    first, left = merged[0]
    for row, column in hidden:
        if first > top and column == left and not rows[row][left]:
            rows[row] = [*rows[row][:left], rows[first][left], *rows[row][left + 1 :]]


def header_row(rows: SheetRows, table: Table) -> int | None:
    """Return the number of the header row: the first that names columns, else the first that is not blank."""
    needed = min(2, len(table.columns))
    top = rows[:HEADER_WITHIN]
    named = (number for number, row in enumerate(top) if sum(map(bool, columns_of(row, table))) >= needed)
    blank = (number for number, row in enumerate(rows) if any(row))
    return next(named, next(blank, None))


def columns_of(header: Sequence[str], table: Table) -> list[Column | None]:
    """Return the column for each name in a header, or None."""
    return [column_of(name, table) for name in header]


def column_of(name: str, table: Table) -> Column | None:
    """Return the column with a name, or None; case, spaces around the name and a plural do not matter."""
    folded = folded_name(name)
    found = table.columns.get(folded)
    if found is None and table.is_of_values and folded == table.field:
        return table.columns[singular(folded)]
    return found


def folded_name(name: str) -> str:
    """Normalise the name of a table or a column: lower case, with _ for spaces and hyphens."""
    return name.strip().casefold().replace(" ", "_").replace("-", "_")


def kind_of(file: str) -> str:
    """Return what the tables of a workbook or of a database are called."""
    return say("table") if file.endswith(DATABASES) else say("sheet")


def sheets_of(book: Book, path: Path, *, own: str = "") -> tuple[dict[str, Sheet], list[Problem]]:
    """Return the tables in a book by name, and warnings of sheets that are not tables.

    If no sheet has the name of the table `own`, the first sheet that is not another table is used.
    """
    named = {name: folded_name(name) for name in book.sheets}
    found = {stem: name for name, stem in reversed(named.items()) if stem in TABLES}
    others = [name for name, stem in named.items() if stem not in TABLES and not name.startswith("_")]
    if own and own not in found and others:
        found = {own: others.pop(0)} | found
    sheets = {stem: Sheet(TABLES[stem], book.file, path, book, name) for stem, name in found.items()}
    hidden = [name for name in book.hidden if folded_name(name) in TABLES.keys() - found]
    unread = [one for name in others if (one := _unread(book, name))]
    return sheets, [*unread, *(_hidden(book, name) for name in hidden)]


@cache
def german_tables() -> Mapping[str, str]:
    """Return the names of tables and sections by their German names in lower case."""
    titles = {name: field for name, (field, *_) in GERMAN_FIELDS.items() if field in TABLES}
    titles |= {title.casefold(): section for section, title in built_in("de").titles.items()}
    return titles | {"labore": LABORATORIES, "laboratorien": LABORATORIES, "länder": "countries"}


def _hidden(book: Book, name: str) -> Problem:
    message = say("sheet `{name}` of `{file}` is hidden, and not read", name=name, file=book.file)
    hint = say("unhide it, or begin its name with _ where it is a note")
    return Problem("ignored-sheet", message, Place(book.file, (name,)), hint, "warning")


def _is_empty(book: Book, name: str) -> bool:
    try:
        return not any(map(any, book.read(name).rows))
    except UnreadableError:
        return False


def _unread(book: Book, name: str) -> Problem | None:
    called = german_tables().get(name.strip().casefold())
    near = (
        say("did you mean `{called}`?", called=called)
        if called in TABLES
        else did_you_mean(folded_name(name), TABLES)
    )
    if (book.file.endswith(DATABASES) and not near) or _is_empty(book, name):
        return None
    message = say("sheet `{name}` of `{file}` is not read: no table is called so", name=name, file=book.file)
    hint = near or say("begin its name with _ where it is a note, or hide it")
    return Problem("ignored-sheet", message, Place(book.file, (name,)), hint, "warning")
