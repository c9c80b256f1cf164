"""Parse CSV (RFC 4180) with a header, separated by commas, semicolons or tabs.

One scanner returns both values and positions. The standard library's reader does not report columns, and
accepts an unclosed quote; a property test compares the scanner with it.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from typing import NamedTuple

from labgen.problems.problem import Place, Pointer, Problem, plural
from labgen.source.formats.format import Format, Lines, Node, ParsedValue
from labgen.system.formula_guard import unguarded

MAX_COLUMNS = 1000


class Cell(NamedTuple):
    """A cell: its text, and its span in the file including quotes."""

    text: str
    start: int
    end: int


Row = list[Cell]


def parse_csv(text: str, file: str) -> tuple[list[ParsedValue], list[Problem]]:
    """Return the header as a list of names, then an object of texts for each row that is not blank.

    The keys of all rows are those of the header. Pointers count rows from the top of the file.
    """
    rows, bad_quote = scan_csv(text)
    rows = rows or [[]]
    top = _header_row(rows)
    header = rows[top]
    if wrong := _check_shape(rows, top):
        message, hint = wrong
        return [], [Problem("invalid-csv", message, Place(file, (top,)), hint)]
    entries = [ParsedValue((top,), [cell.text for cell in header if cell.text])]
    problems = _check_header(text, header, rows[top + 1 :], file)
    for number, row in enumerate(rows[top + 1 :], top + 1):
        if not any(cell.text for cell in row):
            continue
        if len(row) == len(header):
            cells = {name.text: cell.text for name, cell in zip(header, row, strict=True) if name.text}
            entries.append(ParsedValue((number,), cells))
        else:
            problems.append(_uneven_row(row, header, Place(file, (number,))))
    if bad_quote is not None:
        place = Place(file, span=Lines(text).span(bad_quote))
        message, hint = (
            "this quote is not closed at the end of its cell",
            'inside quotes, write "" for a quote',
        )
        problems.append(Problem("invalid-csv", message, place, hint))
    return entries, problems


def _check_shape(rows: list[Row], top: int) -> tuple[str, str] | None:
    """Return a message and a hint if a whole table is wrong (then its rows are not reported), or None."""
    header, first = rows[top], next((row for row in rows[top + 1 :] if any(cell.text for cell in row)), [])
    if len(header) > MAX_COLUMNS:
        return f"the header has {len(header):,} columns, but at most {MAX_COLUMNS:,} can be read", ""
    if len(header) == 1 and "|" in header[0].text:
        return "the columns are separated by |", "separate by commas, semicolons or tabs"
    filled = [sum(bool(cell.text) for cell in row) for row in rows[top : top + LOOKED_AT]]
    if filled[0] == 1 and (number := next((n for n, count in enumerate(filled) if count > 1), 0)):
        above = top + number + 1
        return (
            f"row {above} seems to be the header: the first row has one cell",
            f"remove what is above row {above}",
        )
    if len(header) > 1 and len(first) == 1 and all(len(row) <= 1 for row in rows[top + 1 :]):
        other = max(SEPARATORS, key=first[0].text.count)
        if other in first[0].text:
            return (
                "the header is separated in another way than the rows",
                f"separate the header as the rows are: {other}",
            )
    return None


LOOKED_AT = 10
"""How many rows at the top are searched for a header."""


def _uneven_row(row: Row, header: Row, place: Place) -> Problem:
    message = f"this row has {plural(len(row), 'cell')}, but the header has {len(header)}"
    hint = "put a cell that holds a separator into double quotes"
    if len(row) < len(header):
        hint = "add the separators of its empty cells"
    elif not any(one.text for one in row[len(header) :]):
        hint = "remove the separators at its end"
    return Problem("invalid-csv", message, place, hint)


def csv_nodes(text: str, _wanted: Collection[Pointer] = ()) -> Iterator[Node]:
    """Yield the positions of all rows and cells; the key of a cell is its column's name in the header."""
    rows, _ = scan_csv(text)
    header = rows[_header_row(rows)] if rows else []
    for number, row in enumerate(rows):
        if row:
            yield Node((number,), (row[0].start, row[-1].end))
        for name, cell in zip(header, row, strict=False):
            yield Node((number, name.text), cell[1:], name[1:])


def scan_csv(text: str) -> tuple[list[Row], int | None]:
    """Return the rows of cells, and the position of an opening quote without a proper closing one, or None.

    A line that tells Excel the separator (`sep=;`) becomes a row without cells. Guards against formulas are
    removed from texts.
    """
    told = _EXCEL_LINE.match(text)
    rows: list[Row] = [[]] if told else []
    position = told.end() if told else 0
    separator = told[1] if told else separator_of(text)
    cell = _cell_pattern(separator)
    row: Row = []
    while match := cell.match(text, position):
        quoted, plain, ending = match.groups()
        value = plain if quoted is None else quoted.replace('""', '"')
        row.append(Cell(unguarded(value), match.start(), match.start(3)))
        position = match.end()
        if ending != separator:
            rows.append(row)
            row = []
            if position == len(text):
                return rows, None
    return rows, position


SEPARATORS = (",", ";", "\t")


def separator_of(text: str) -> str:
    """Return the separator that the header uses most: a comma, a semicolon (Excel in German) or a tab."""
    header = _FIRST_ROW.match(text.lstrip("\r\n"))
    outside_quotes = _QUOTED.sub("", header[0]) if header else ""
    return max(SEPARATORS, key=outside_quotes.count)


_EXCEL_LINE = re.compile(r'"?sep=([^\r\n"])"?(?:\r\n|\n|\r|\Z)', re.IGNORECASE)
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_FIRST_ROW = re.compile(r'(?:"(?:[^"]|"")*"|[^"\r\n])*')


def _cell_pattern(separator: str) -> re.Pattern[str]:
    one = re.escape(separator)
    return re.compile(rf'(?:"((?:[^"]|"")*)"|(?!")([^{one}\r\n]*))({one}|\r\n|\n|\r|\Z)')


def _header_row(rows: list[Row]) -> int:
    """Return the number of the first row that is not blank."""
    return next((number for number, row in enumerate(rows) if any(cell.text for cell in row)), 0)


def _check_header(text: str, header: Row, rows: list[Row], file: str) -> list[Problem]:
    lines = Lines(text)
    problems = []
    seen: Counter[str] = Counter()
    for number, cell in enumerate(header):
        seen[cell.text] += 1
        place = Place(file, span=lines.span(cell.start, cell.end))
        if cell.text and seen[cell.text] > 1:
            message = f"the column `{cell.text}` stands twice"
            problems.append(Problem("duplicate-key", message, place, "remove one of the two"))
        elif not cell.text and any(len(row) > number and row[number].text for row in rows):
            message = f"column {number + 1} holds texts, but has no name"
            problems.append(Problem("invalid-csv", message, place, "name it in the header, or empty it"))
    return problems


CSV = Format("CSV", parse_csv, csv_nodes, is_list=True)
