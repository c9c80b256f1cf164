"""Match the headers of tables that were not made for labgen to its columns."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from labgen.importing.check_mapping import Header, UnfitMappingError, check_columns
from labgen.importing.draft_mapping import ReadHeader
from labgen.importing.mapping import Mapped, folded
from labgen.model.tables import DISPLAY_ID, OWN_TABLES, TABLES, Table
from labgen.problems.problem import Problem
from labgen.problems.text import say
from labgen.source.checks.field_hints import GERMAN_FIELDS, column_meant
from labgen.source.tables.books import Book, SheetCells, SheetRows
from labgen.source.tables.sheets import HEADER_WITHIN, Sheet, column_of
from labgen.system.input_files import LABORATORIES


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
    """The tables of a source by name, notes for people on how they were read, headers, and the mapping."""

    sheets: Mapping[str, Sheet]
    notes: list[str]
    headers: Mapping[str, ReadHeader]
    mapped: Mapped


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
    return Foreign(sheets, notes, read, mapped)


def _read_header(rows: SheetRows, table: Table, columns: Mapping[str, str]) -> ReadHeader | None:
    """Return how the header of a table is read, or None if there is none."""
    meanings = _meanings(columns)
    top = header_row(rows, table, meanings)
    if top is None and table.name != LABORATORIES:
        top = _first_of_several(rows)
    if top is None:
        return None
    meant = _meant(rows[top], table, meanings)
    several = [own for own, count in Counter(filter(None, meant)).items() if count > 1]
    claims = {
        own: [name.strip() for name, one in zip(rows[top], meant, strict=True) if one == own]
        for own in several
    }
    unclear = [(own, names) for own, names in claims.items() if len(set(names)) > 1]
    return ReadHeader(top, rows[top], meant, unclear)


def _meant(names: Sequence[str], table: Table, meanings: Mapping[str, str]) -> list[str]:
    """Return labgen's column for each name in a header, or "".

    A name that may mean several columns takes one that no other name means.
    """
    before = ["", *names]
    possible = [
        [] if _is_house_number(name, beside, meanings) else _possible(name, table, meanings)
        for name, beside in zip(names, before, strict=False)
    ]
    meant = [""] * len(names)
    for at in sorted(range(len(names)), key=lambda at: len(possible[at])):
        meant[at] = next((one for one in possible[at] if one not in meant), (*possible[at], "")[0])
    if table.name in OWN_TABLES and DISPLAY_ID not in meant:
        named = [folded(name) in _LABORATORY and not own for name, own in zip(names, meant, strict=True)]
        if any(named):
            meant[named.index(True)] = DISPLAY_ID
    return meant


_LABORATORY = ("labor", "laboratorium", "laborname", "firma", "firmenname", "institut")
"""What the column of display_ids is called in tables of what laboratories have."""


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
            notes.append(_not_read(name.strip(), table, read.meant))
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


def _not_read(name: str, table: Table, meant: Sequence[str]) -> str:
    """Return the note that a column is not read, with what it may mean: none of those that others mean."""
    near = column_meant(name, table, meant)
    hint = say("; did you mean `{near}`? Then name it in a mapping file", near=near) if near else ""
    return say("the column `{name}` of `{table}` is not read{hint}", name=name, table=table.name, hint=hint)


def _header(written: Written, table: Table, columns: Mapping[str, str]) -> Header:
    """Return the names in the header of a table, or in the row that is most likely its header."""
    rows = written.rows
    top = header_row(rows, table, _meanings(columns))
    top = _first_of_several(rows) if top is None else top
    called = Sheet(table, written.file, Path(written.file), name=written.sheet).called
    return Header(called, [] if top is None else rows[top])


def _meanings(columns: Mapping[str, str]) -> dict[str, str]:
    return {folded(theirs): own for own, theirs in columns.items()}


def header_row(rows: SheetRows, table: Table, meanings: Mapping[str, str]) -> int | None:
    """Return the number of the first row that names columns, or None; `meanings` are those of a mapping."""
    needed = min(2, len(table.columns))
    top = range(min(HEADER_WITHIN, len(rows)))
    known = {number: sum(bool(_possible(one, table, meanings)) for one in rows[number]) for number in top}
    return next((number for number, count in known.items() if count >= needed), None)


def _first_of_several(rows: SheetRows) -> int | None:
    """Return the number of the first row with more than one filled cell: a header of unknown names."""
    return next((number for number, row in enumerate(rows) if sum(map(bool, row)) > 1), None)


def _possible(name: str, table: Table, meanings: Mapping[str, str]) -> list[str]:
    """Return labgen's columns for a header name: by the mapping, by labgen's names, or by German names."""
    called = folded(name)
    if own := meanings.get(called):
        return [own]
    if column := column_of(name, table):
        found = [column.name]
    else:
        fitting = (
            [one.name for one in table.columns.values() if meaning in (one.name, one.keys[-1])]
            for meaning in (called, *GERMAN_FIELDS.get(called, ()))
        )
        found = [one[0] for one in fitting if len(one) == 1]
    return [one for one in found if one not in meanings.values()]
