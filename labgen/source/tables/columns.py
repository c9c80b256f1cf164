"""Check the header of a table, and convert its rows to the form of records."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from labgen.formats.format import ParsedValue
from labgen.model.tables import Table
from labgen.problems.problem import Place, Problem, short, shown
from labgen.problems.text import say
from labgen.source.checks.field_hints import column_meant
from labgen.source.checks.placeholders import LONGEST_PLACEHOLDER, counts_as_empty, is_placeholder
from labgen.source.tables.cells import Convert, KeyLookup, converter
from labgen.source.tables.sheets import column_of

Converters = Mapping[str, tuple[tuple[str, ...], Convert]]
"""For each name in a header, the keys that lead to its value in a record, and the converter of its cells."""


def rows_to_records(
    entries: list[ParsedValue], file: str, table: Table, keys: KeyLookup
) -> tuple[list[ParsedValue], list[Problem], bool]:
    """Return the rows as records, problems of the header and of totals, and whether the rows are usable.

    The first entry is the header. Empty cells and the cells of unknown columns are ignored; a column whose
    name begins with _ is a note. Rows are not usable if a required column is missing.
    """
    header = entries[0]
    names: list[str] = header.value if isinstance(header.value, list) else []
    columns = {name: column_of(name, table) for name in names if not name.startswith("_")}
    place = Place(file, header.pointer)
    required = [one.name for one in table.columns.values() if one.is_required]
    if not any(column or column_meant(name, table) for name, column in columns.items()):
        hint = say(
            "write the names of the columns above the first row: {required}", required=",".join(required)
        )
        return (
            [],
            [Problem("missing-field", say("the first row does not name the columns"), place, hint)],
            False,
        )
    problems = []
    there = {column.name for column in columns.values() if column}
    meant = {name: column_meant(name, table, there) for name, column in columns.items() if column is None}
    for name, near in meant.items():
        at, message = (
            Place(file, (*header.pointer, name)),
            say("the column `{name}` is not known", name=short(name)),
        )
        hint = say("did you mean `{near}`?", near=near) if near else NOTE_HINT
        problems.append(Problem("unknown-field", message, at, hint))
    needed = [name for name in required if name not in there]
    missing = [name for name in needed if name not in meant.values()]
    problems += [
        Problem("missing-field", say("the column `{name}` is missing", name=name), place) for name in missing
    ]
    key = required[0] if required and required[0] != "plan" else ""  # any word may be a plan
    key_column = next((name for name, one in columns.items() if one and one.name == key), "")
    rows, totals = _without_totals(entries[1:], key_column, file)
    converters = {name: (one.keys, converter(one, keys)) for name, one in columns.items() if one}
    lists = [name for name, one in columns.items() if one and one.is_list]
    problems += [problem for entry in rows for problem in _emptied(entry, lists, file)]
    return [_typed(entry, converters) for entry in rows], problems + totals, not needed


NOTE_HINT = say("leave it out, or begin its name with _ where it is a note")


TOTALS = frozenset([
    "anzahl", "ergebnis", "gesamt", "gesamtergebnis", "gesamtsumme", "grand total", "insgesamt", "sum",
    "summe", "total", "zwischensumme",
])  # fmt: skip
"""Words at the beginning of rows of totals, in German and in English."""


def _without_totals(
    rows: list[ParsedValue], key_column: str, file: str
) -> tuple[list[ParsedValue], list[Problem]]:
    """Return the rows except totals, notes and other headers, and an error for each: they have no key."""
    kept, problems = [], []
    for entry in rows:
        cells: dict[str, str] = entry.value if isinstance(entry.value, dict) else {}
        name, first = next(((name, cell) for name, cell in cells.items() if cell), ("", ""))
        message = None
        if cells.get(key_column) in ("", first) and first.strip(" :").casefold() in TOTALS:
            message = say("this row begins with {first}, and looks like totals", first=shown(first))
        elif first and all(name == cell for name, cell in cells.items() if cell):
            message = say("this row repeats the header")
        elif _is_note(cells, key_column):
            message = say("this row holds nothing but {first}", first=shown(first))
        if message:
            place = Place(file, (*entry.pointer, name))
            problems.append(Problem("invalid-id", message, place, say("remove the row")))
        else:
            kept.append(entry)
    return kept, problems


LEAST_OF_RECORD = 3
"""A table with fewer columns may have rows with one cell that lack no more than their key."""


def _is_note(cells: Mapping[str, str], key_column: str) -> bool:
    """Return whether a row of many columns has one cell, and this is no key: a note below a table."""
    filled = [name for name, cell in cells.items() if cell]
    is_key = filled == [key_column] and cells[key_column].isdecimal()
    return len(cells) >= LEAST_OF_RECORD and len(filled) == 1 and not is_key


def _emptied(entry: ParsedValue, lists: Sequence[str], file: str) -> Iterator[Problem]:
    """Yield a warning of each cell that stands for an empty list, and empty it."""
    cells: dict[str, str] = entry.value if isinstance(entry.value, dict) else {}
    for name in lists:
        text = cells.get(name, "")
        if 0 < len(text) <= LONGEST_PLACEHOLDER and text[0] != "#" and is_placeholder(text.strip()):
            yield counts_as_empty(name, text, Place(file, (*entry.pointer, name)))
            cells[name] = ""


def _typed(entry: ParsedValue, converters: Converters) -> ParsedValue:
    """Convert a row to the form of a record; cells that a converter cannot read stay texts."""
    row: dict[str, str] = entry.value if isinstance(entry.value, dict) else {}
    record: dict[str, Any] = {}
    for name, cell in row.items():
        if cell and name in converters:
            (*outer, key), convert = converters[name]
            inner = record
            for step in outer:
                inner = inner.setdefault(step, {})
            inner[key] = convert(cell)
    return ParsedValue(entry.pointer, record)
