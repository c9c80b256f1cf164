"""Parse CSV (RFC 4180) with a header, separated by commas, semicolons or tabs.

One scanner returns both values and positions. The standard library's reader does not report columns, and
accepts an unclosed quote; a property test compares the scanner with it.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from labgen.formats.budget import MOST_PROBLEMS, UNLIMITED, Budget, too_many
from labgen.formats.format import Format, Lines, Node, ParsedValue
from labgen.problems.problem import Place, Pointer, Problem
from labgen.problems.text import plural, say
from labgen.system.formula_guard import unguarded

MAX_COLUMNS = 1000
MOST_CELLS = 100 * MAX_COLUMNS
"""How many cells of one row are read: enough to say how many it has, where that is a mistake."""


class Cell(NamedTuple):
    """A cell: its text, and its span in the file including quotes."""

    text: str
    start: int
    end: int


Row = list[Cell]


def parse_csv(text: str, file: str, budget: Budget = UNLIMITED) -> tuple[list[ParsedValue], list[Problem]]:
    """Return the header as a list of names, then an object of texts for each row that is not blank.

    The keys of all rows are those of the header. Pointers count rows from the top of the file.
    """
    read = read_rows(text, file, budget)
    if read.problems:
        return [], read.problems
    rows, header, top = read.rows or [[]], read.header, read.top
    if wrong := _check_shape(rows, header, top):
        message, hint = wrong
        return [], [Problem("invalid-csv", message, Place(file, (top,)), hint)]
    names = [cell.text for cell in header]
    entries = [ParsedValue((top,), [name for name in names if name])]
    problems = _check_header(text, header, rows[top + 1 :], file)
    for number, row in enumerate(rows[top + 1 :], top + 1):
        if not row:
            continue
        if number in read.swallowed:
            problems.append(_swallowed(text, read, number, file))
        elif len(row) == len(names):
            cells = {name: one for name, one in zip(names, row, strict=True) if name}
            entries.append(ParsedValue((number,), cells))
        else:
            problems.append(uneven_row(row, len(header), Place(file, (number,))))
            if len(problems) > MOST_PROBLEMS:
                return [], [*problems, too_many(Place(file, (number,)))]
    if read.bad_quote is not None:
        place = Place(file, span=Lines(text).span(read.bad_quote))
        message, hint = (
            say("this quote is not closed at the end of its cell"),
            say('inside quotes, write "" for a quote'),
        )
        problems.append(Problem("invalid-csv", message, place, hint))
    return entries, problems


@dataclass(slots=True)
class CsvRows:
    """What was read of a table: the texts of all rows, [] for a blank one, and the header with its places."""

    rows: list[list[str]] = field(default_factory=list)
    header: Row = field(default_factory=list)
    top: int = 0
    bad_quote: int | None = None
    problems: list[Problem] = field(default_factory=list)
    swallowed: dict[int, Cell] = field(default_factory=dict)
    """The cells that hold whole rows, by the numbers of their rows."""


def read_rows(text: str, file: str, budget: Budget) -> CsvRows:
    """Read a table row by row, until the budget is used up."""
    read = CsvRows()
    cells = values = 0
    separator = _separator_in(text)
    for number, (row, bad_quote) in enumerate(_scan(text)):
        read.bad_quote = bad_quote
        if bad_quote is not None:
            break
        texts = [cell.text for cell in row]
        blank = texts.count("")
        cells += len(texts)
        values += len(texts) - blank
        if len(texts) == blank:
            texts = []
        elif not read.header:
            read.header, read.top = row, number
        read.rows.append(texts)
        if texts and read.header and number > read.top and (cell := _cell_with_rows(row, read, separator)):
            read.swallowed[number] = cell
        length = row[-1].end - row[0].start if row else 0
        is_long = len(row) > MOST_CELLS or length > min(budget.text, budget.laboratory)
        if is_long and (problem := _long(row, number, file, budget)):
            read.problems.append(problem)
        if values > budget.values or cells > EMPTY * budget.values:
            read.problems.append(budget.of_values(Place(file, (number,)), f"`{file}`"))
        elif number > budget.rows:
            read.problems.append(budget.of_rows(Place(file, (number,)), f"`{file}`"))
        if read.problems:
            break
    return read


EMPTY = 2
"""How many times as many cells as values a table has at most."""


def _long(row: Row, number: int, file: str, budget: Budget) -> Problem | None:
    """Return the problem of a row with too many cells or too much text, or with a text that is too long."""
    if len(row) > MOST_CELLS:
        message = say("a row has more than {most_cells:,} cells", most_cells=MOST_CELLS)
        return Problem("too-large", message, Place(file, (number,)))
    longest = max(len(cell.text) for cell in row)
    if longest > budget.text:
        return budget.of_text(longest, Place(file, (number,)))
    size = sum(len(cell.text) for cell in row)
    if size <= budget.laboratory:
        return None
    return replace(
        budget.of_file(say("row {number}", number=number + 1), size, is_laboratory=True),
        place=Place(file, (number,)),
    )


def _cell_with_rows(row: Row, read: CsvRows, separator: str) -> Cell | None:
    """Return the cell of a row that holds the rows below it, because a quote opened there and closed later.

    Each line in it then begins like a row, and all lines together have as many separators as so many rows.
    """
    for cell in row:
        if "\n" in cell.text or "\r" in cell.text:
            lines = [one for one in cell.text.splitlines() if one.strip()]
            ends = len(lines) - 1
            fitting = ends * (len(read.header) - 1)
            if 0 < fitting <= cell.text.count(separator) <= fitting + ends:
                first = row[0].text.strip()
                begins = [one.partition(separator)[0].strip() for one in lines[1:]]
                if cell is not row[0] and all(map(_is_like(first, len(read.header)), begins)):
                    return cell
    return None


FEW_COLUMNS = 4
"""Tables with fewer columns have rows that look like sentences, unless they begin with numbers."""


def _is_like(first: str, width: int) -> Callable[[str], bool]:
    """Return the test whether a line begins like a row whose first cell is `first`."""
    if first.isdecimal():
        return str.isdecimal
    return lambda text: bool(text) and not text.isdecimal() and width >= FEW_COLUMNS


def _swallowed(text: str, read: CsvRows, number: int, file: str) -> Problem:
    cell = read.swallowed[number]
    lines = Lines(text)
    opened, closed = lines.span(cell.start), lines.span(cell.end - 1)
    message = say(
        "a quote is opened in line {line}, column {column}, and closed in line {last}, column {end}: "
        "the rows between them are one cell",
        line=opened.line,
        column=opened.column,
        last=closed.line,
        end=closed.column,
    )
    return Problem(
        "invalid-csv", message, Place(file, span=opened), say('inside quotes, write "" for a quote')
    )


def _check_shape(rows: list[list[str]], header: Row, top: int) -> tuple[str, str] | None:
    """Return a message and a hint if a whole table is wrong (then its rows are not reported), or None."""
    first = next((row for row in rows[top + 1 :] if row), [])
    if len(header) > MAX_COLUMNS:
        return say(
            "the header has {count:,} columns, but at most {max_columns:,} can be read",
            count=len(header),
            max_columns=MAX_COLUMNS,
        ), ""
    if len(header) == 1 and "|" in header[0].text:
        return say("the columns are separated by |"), say("separate by commas, semicolons or tabs")
    if len(header) == 1 and any(one in header[0].text for one in SEPARATORS) and max(map(len, rows)) == 1:
        return say("each row is one cell, with quotes around it"), say("remove these quotes")
    filled = [len(row) - row.count("") for row in rows[top : top + LOOKED_AT]]
    if filled[0] == 1 and (number := next((n for n, count in enumerate(filled) if count > 1), 0)):
        above = top + number + 1
        return (
            say("row {above} seems to be the header: the first row has one cell", above=above),
            say("remove what is above row {above}", above=above),
        )
    if len(header) > 1 and len(first) == 1 and all(len(row) <= 1 for row in rows[top + 1 :]):
        other = max(SEPARATORS, key=first[0].count)
        if other in first[0]:
            return (
                say("the header is separated in another way than the rows"),
                say("separate the header as the rows are: {other}", other=other),
            )
    return None


LOOKED_AT = 10
"""How many rows at the top are searched for a header."""


def uneven_row(row: list[str], count: int, place: Place) -> Problem:
    """Return the error of a row that has more or fewer cells than the header, which has `count`."""
    message = say(
        "this row has {cells}, but the header has {count}", cells=plural(len(row), "cell"), count=count
    )
    hint = say("put a cell that holds a separator into double quotes")
    if len(row) < count:
        hint = say("add the separators of its empty cells")
        text = "".join(row)
        if sign := next((one for one in ",;" if len(row) + text.count(one) == count), ""):
            hint = say(
                "if `{sign}` is meant as a separator, write that of the header; else {hint}",
                sign=sign,
                hint=hint,
            )
    elif not any(row[count:]):
        hint = say("remove the separators at its end, or put a cell that holds one into double quotes")
    return Problem("invalid-csv", message, place, hint)


def csv_nodes(text: str, wanted: Collection[Pointer] = ()) -> Iterator[Node]:
    """Yield the positions of the wanted rows, or of all, and of their cells.

    The key of a cell is its column's name in the header.
    """
    numbers = {pointer[0] for pointer in wanted if pointer}
    last = max((one for one in numbers if isinstance(one, int)), default=None)
    header: Row = []
    for number, (row, _) in enumerate(_scan(text)):
        if not header and any(cell.text for cell in row):
            header = row
        if row and (last is None or number in numbers):
            yield Node((number,), (row[0].start, row[-1].end))
            for name, cell in zip(header, row, strict=False):
                yield Node((number, name.text), cell[1:], name[1:])
        if last is not None and number >= last and header:
            break


def scan_csv(text: str) -> tuple[list[Row], int | None]:
    """Return the rows of cells, and the position of an opening quote without a proper closing one, or None.

    A line that tells Excel the separator (`sep=;`) becomes a row without cells. Guards against formulas are
    removed from texts.
    """
    rows: list[Row] = []
    for row, bad_quote in _scan(text):
        if bad_quote is not None:
            return rows, bad_quote
        rows.append(row)
    return rows, None


def _scan(text: str) -> Iterator[tuple[Row, int | None]]:
    """Yield the rows, as `scan_csv` returns them, then the position of a quote that is not closed."""
    told = _EXCEL_LINE.match(text)
    if told:
        yield [], None
    position = told.end() if told else 0
    separator = _separator_in(text)
    cell = _cell_pattern(separator)
    row: Row = []
    while match := cell.match(text, position):
        quoted, plain, ending = match.groups()
        value = plain if quoted is None else quoted.replace('""', '"')
        row.append(Cell(unguarded(value), match.start(), match.start(3)))
        position = match.end()
        if ending != separator or len(row) > MOST_CELLS:
            yield row, None
            row = []
            if position == len(text):
                return
    yield [], position


def _separator_in(text: str) -> str:
    """Return the separator that a line for Excel tells, else that of the header."""
    told = _EXCEL_LINE.match(text)
    return told[1] if told else separator_of(text)


SEPARATORS = (",", ";", "\t")


def separator_of(text: str) -> str:
    """Return the separator that the header uses most: a comma, a semicolon (Excel in German) or a tab."""
    header = _FIRST_ROW.match(text.lstrip("\r\n"))
    outside_quotes = _QUOTED.sub("", header[0]) if header else ""
    return max(SEPARATORS, key=outside_quotes.count)


_EXCEL_LINE = re.compile(r'"?sep=([^\r\n"])"?(?:\r\n|\n|\r|\Z)', re.IGNORECASE)
_QUOTED = re.compile(r'"[^"]*+(?:""[^"]*+)*+"')
_FIRST_ROW = re.compile(r'[^"\r\n]*+(?:"[^"]*+"[^"\r\n]*+)*+')


def _cell_pattern(separator: str) -> re.Pattern[str]:
    """Return the pattern of a cell, possessive (`*+`): a long run of quotes takes no memory."""
    one = re.escape(separator)
    return re.compile(rf'(?:"([^"]*+(?:""[^"]*+)*+)"|(?!")([^{one}\r\n]*))({one}|\r\n|\n|\r|\Z)')


def _check_header(text: str, header: Row, rows: list[list[str]], file: str) -> list[Problem]:
    lines = Lines(text)
    problems = []
    seen: Counter[str] = Counter()
    for number, cell in enumerate(header):
        seen[cell.text] += 1
        place = Place(file, span=lines.span(cell.start, cell.end))
        if cell.text and seen[cell.text] > 1:
            message = say("the column `{text}` stands twice", text=cell.text)
            problems.append(Problem("duplicate-key", message, place, say("remove one of the two")))
        elif not cell.text and any(len(row) > number and row[number] for row in rows):
            message = say("column {number} holds texts, but has no name", number=number + 1)
            problems.append(Problem("invalid-csv", message, place, say("name it in the header, or empty it")))
    return problems


CSV = Format("CSV", parse_csv, csv_nodes, is_list=True)
