"""Define files that hold several tables, and the limits of what is read of them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from labgen.formats.budget import Budget
from labgen.problems.problem import Place, Problem
from labgen.problems.text import say, text_of
from labgen.source.tables.hidden_rows import Hidden
from labgen.source.tables.merged import CellRange
from labgen.source.tables.number_formats import FindFormats, no_formats
from labgen.source.tables.unreadable import UnreadableError

CSV_FILE = ".csv"
SheetRows = list[list[str]]


class SheetCells(NamedTuple):
    """The texts in the cells of a sheet, by rows, and the ranges of cells that are merged.

    Merged cells are not known in the format `.xlsb`. `kinds` has the kinds of the cells of a workbook by rows
    (`cell_texts.kinds_of`), `shown` finds what the workbook says of how numbers look on the screen. `hidden`
    are the rows and columns that the screen does not show, `unknown` the cells whose formulas have no value:
    row, column.
    """

    rows: SheetRows
    merged: Sequence[CellRange] = ()
    kinds: Sequence[str] = ()
    shown: FindFormats = no_formats
    hidden: Hidden = Hidden()
    unknown: Sequence[tuple[int, int]] = ()


@dataclass(frozen=True, slots=True)
class Book:
    """A file with sheets: the names of the visible ones, in order, what reads one, and the hidden ones."""

    file: str
    sheets: Sequence[str]
    read: Callable[[str], SheetCells]
    hidden: Sequence[str] = ()


def problem_of(error: UnreadableError, file: str) -> Problem:
    """Return the problem of a file, or a part of it, that cannot be read."""
    return Problem(error.code, text_of(error), Place(file, error.pointer or None), error.hint)


def limited(
    rows: Iterable[list[str]], sheet: str, called: str, file: str, budget: Budget
) -> Iterator[list[str]]:
    """Yield rows as they come. Raises `UnreadableError` if these, or what they hold, are too many."""
    values, characters, long = 0, 0, min(budget.text, budget.laboratory)
    for number, row in enumerate(rows):
        values += len(row) - row.count("")
        length = sum(map(len, row))
        characters += length
        problem = None
        if length > long:
            problem = _long_row(row, number, length, budget, Place(file))
        if values > budget.values:
            problem = budget.of_values(Place(file), called)
        elif characters > budget.file:
            problem = budget.of_texts(Place(file), called)
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
