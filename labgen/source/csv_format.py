"""CSV (RFC 4180), with a header; separated by commas, semicolons or tabs.

One scanner gives both values and places. The standard library's reader tells no columns, and accepts
an unclosed quote; a property test holds the scanner against it.
"""

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from labgen.problems import Place, Pointer, Problem
from labgen.source.formats import Entry, Format, Node, span_at


class Cell(NamedTuple):
    """A cell: its text, and where it stands with its quotes."""

    text: str
    start: int
    end: int


def parse_csv(text: str, file: str) -> tuple[list[Entry], list[Problem]]:
    """Return one object of texts a row; the keys of all are those of the header. Pointers count rows."""
    rows, bad_quote = scan_csv(text)
    problems = [_bad_quote(text, bad_quote, file)] if bad_quote is not None else []
    header = [cell.text for cell in rows[0]] if rows else []
    problems += _check_header(header, file)
    entries = []
    for number, row in enumerate(rows[1:], 1):
        if len(row) == len(header):
            entries.append(Entry((number,), {k: c.text for k, c in zip(header, row, strict=True)}))
        elif any(cell.text for cell in row):
            message = f"this row has {len(row)} cells, but the header has {len(header)}"
            hint = "put a cell that holds a separator into double quotes" if len(row) > len(header) else ""
            problems.append(Problem("invalid-csv", message, Place(file, (number,)), hint))
    return entries, problems


def csv_nodes(text: str, _wanted: Collection[Pointer] = ()) -> Iterator[Node]:
    """Yield where each row and each cell stands."""
    rows, _ = scan_csv(text)
    header = [cell.text for cell in rows[0]] if rows else []
    for number, row in enumerate(rows):
        yield Node((number,), (row[0].start, row[-1].end))
        for name, cell in zip(header, row, strict=False):
            yield Node((number, name), (cell.start, cell.end), (rows[0][header.index(name)][1:]))


def scan_csv(text: str) -> tuple[list[list[Cell]], int | None]:
    """Return the rows of cells, and where a quote opens that is not closed well, or None."""
    cell = _cell_pattern(separator_of(text))
    rows: list[list[Cell]] = []
    row: list[Cell] = []
    position = 0
    while match := cell.match(text, position):
        quoted, plain, ending = match.groups()
        value = plain if quoted is None else quoted.replace('""', '"')
        row.append(Cell(value, match.start(), match.start(3)))
        position = match.end()
        if ending not in SEPARATORS:
            rows.append(row)
            row = []
            if position == len(text):
                return rows, None
    return rows, position


SEPARATORS = (",", ";", "\t")


def separator_of(text: str) -> str:
    """Return the separator that the header uses most: a comma, a semicolon (Excel in German) or a tab."""
    header = _HEADER.match(text)
    outside_quotes = _QUOTED.sub("", header[0]) if header else ""
    return max(SEPARATORS, key=outside_quotes.count)


_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_HEADER = re.compile(r'(?:"(?:[^"]|"")*"|[^"\r\n])*')


def _cell_pattern(separator: str) -> re.Pattern[str]:
    return re.compile(rf'(?:"((?:[^"]|"")*)"|(?!")([^{separator}\r\n]*))({separator}|\r\n|\n|\r|\Z)')


def _bad_quote(text: str, start: int, file: str) -> Problem:
    message = "this quote is not closed at the end of its cell"
    return Problem(
        "invalid-csv", message, Place(file, span=span_at(text, start)), 'inside quotes, write "" for a quote'
    )


def _check_header(header: list[str], file: str) -> list[Problem]:
    problems = []
    for name in dict.fromkeys(name for name in header if header.count(name) > 1):
        what = f"the column `{name}` stands twice" if name else "the header has columns without a name"
        problems.append(Problem("duplicate-key", what, Place(file, (0,))))
    return problems


CSV = Format("CSV", parse_csv, csv_nodes, is_list=True, is_lax=True)
