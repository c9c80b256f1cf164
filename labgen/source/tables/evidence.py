"""Tell from the kinds of cells what a spreadsheet made of texts: days, numbers, durations, yes and no.

A spreadsheet takes `1.4301` for a month, and `0711 123` for a number without its zero. What the cell shows is
then not what would be published. Where its number format is certain (`00000`, `0.0000`), the text of the cell
is what the screen shows.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from labgen.model.tables import DISPLAY_ID, CellType, Column
from labgen.problems.problem import Place, Problem, Severity
from labgen.problems.text import say
from labgen.source.checks.texts import AS_TEXT
from labgen.source.tables.books import SheetCells
from labgen.source.tables.cell_names import cell_name
from labgen.source.tables.cell_texts import BOOLEAN, DATE, NUMBER, TEXT
from labgen.source.tables.number_formats import GENERAL, date_by, is_percent, text_by

MAY_BE_NUMBERS = ("postal_code", "search_val", "number", DISPLAY_ID, "similar_labs", "similar_lab")
"""Columns of texts that are mostly digits, and may be written as whole numbers."""
EXACT_DIGITS, SHOWN_DIGITS = 15, 11
"""How many digits spreadsheets keep of a number, and how many of them the format General shows."""
_PLAIN = ("", GENERAL, "@")
"""The formats that show a number as it is; "" stands for that of a cell without a style."""
CODE = "cell-type"


class _Odd(NamedTuple):
    """A cell that holds no text: its kind, its text as it would be published, and how it is shown.

    `code` is its number format, None if that is not known; `screen` is what the screen shows, where the file
    says so, else "".
    """

    column: Column
    cell: str
    place: Place
    kind: str
    text: str
    code: str | None
    screen: str


def check_cells(
    columns: Sequence[Column | None], names: Sequence[str], cells: SheetCells, top: int, sheet: Place
) -> Iterator[Problem]:
    """Yield the problems of the cells below the header that hold no texts, but should.

    A cell whose number format is certain gets the text that the screen shows. What is an error is emptied
    where the column may be empty, so that there is no second problem.
    """
    wanted = _odd_columns(columns, cells.kinds[top + 1 :])
    if not wanted:
        return
    formats = {one[:2]: one for one in cells.shown(wanted)}
    is_known = bool(formats)
    for row in range(top + 1, min(len(cells.rows), len(cells.kinds))):
        texts, kinds = cells.rows[row], cells.kinds[row]
        for at in wanted:
            column = columns[at]
            if column is None or at >= min(len(kinds), len(texts)) or kinds[at] == TEXT or not texts[at]:
                continue
            shown = formats.get((row, at))
            place = Place(sheet.file, (*(sheet.pointer or ()), row, names[at]))
            code = shown.code if shown else "" if is_known else None
            screen = shown.text if shown else ""
            one = _Odd(column, cell_name(row, at), place, kinds[at], texts[at], code, screen)
            text, problem = _examine(one)
            texts[at] = text
            if problem:
                yield problem


def _odd_columns(columns: Sequence[Column | None], kinds: Collection[str]) -> list[int]:
    """Return the columns of texts, ratings and titles with cells that hold something else."""
    odd = {at for pattern in set(kinds) for at, kind in enumerate(pattern) if kind != TEXT}
    return sorted(at for at, column in enumerate(columns) if at in odd and column and _is_looked_at(column))


def _is_looked_at(column: Column) -> bool:
    return bool(column.target_list) or column.kind in (CellType.TEXT, CellType.DECIMAL)


def _examine(one: _Odd) -> tuple[str, Problem | None]:
    """Return the text of a cell, and what is wrong with it."""
    if one.kind == NUMBER:
        return _examine_number(one)
    if one.column.target_list and one.column.kind is not CellType.WHOLE:  # no such key: an error anyway
        return one.text, None
    return _wrong(one)


def _examine_number(one: _Odd) -> tuple[str, Problem | None]:
    if one.column.kind is CellType.DECIMAL:
        is_odd = one.code is not None and is_percent(one.code)
        return one.text, _problem(one, PERCENT, "warning") if is_odd else None
    is_whole = one.text.isdecimal()
    if one.column.target_list:
        is_odd = one.column.kind is CellType.WHOLE and not is_whole
        return _wrong(one) if is_odd else (one.text, None)
    if len(re.sub("[^0-9]", "", one.text)) > EXACT_DIGITS or "e" in one.text:
        return _wrong(one)
    if (certain := _certain(one)) is not None:
        return certain, None
    if one.column.keys[-1] in MAY_BE_NUMBERS and is_whole:
        return one.text, None
    return one.text, _problem(one, AS_TEXT, "warning")


PERCENT = say('write the number itself, in the format "Zahl" ("Zellen formatieren")')


def _certain(one: _Odd) -> str | None:
    """Return the text that the screen shows, if the format of a number says it without doubt."""
    if one.screen:
        plain = one.screen.replace(",", ".")
        is_it = re.fullmatch(r"[0-9]+(\.[0-9]+)?", plain) and Decimal(plain) == Decimal(one.text)
        return plain if is_it and plain != one.text else None
    return None if one.code is None or one.code in _PLAIN else text_by(one.code, one.text)


def _wrong(one: _Odd) -> tuple[str, Problem]:
    """Return the error of a cell; its text is left out where the column may be empty."""
    hint: str = AS_TEXT
    if one.column.kind is CellType.DECIMAL:
        hint = AS_NUMBER if one.kind == DATE else say("write a number such as 4.50")
    if typed := _typed(one):
        hint = say("was it {typed}? {hint}", typed=typed, hint=hint)
    return one.text if one.column.is_required else "", _problem(one, hint, "error")


AS_NUMBER = say('format the column as a number ("Zellen formatieren", "Zahl"), and write it again')


def _typed(one: _Odd) -> str:
    """Return what was probably typed: a month and a year, or, for a rating, a day and a month."""
    found = re.fullmatch(r"([0-9]{4})-([0-9]{2})-([0-9]{2})", one.text)
    if one.kind != DATE or not found:
        return ""
    year, month, day = found.groups()
    if one.column.kind is CellType.DECIMAL:
        return f"{int(day)}.{int(month)}"
    return f"{int(month)}.{year}" if day == "01" else ""


def _problem(one: _Odd, hint: str, severity: Severity) -> Problem:
    shown = _shown(one)
    told = {"name": one.column.name, "kind": _NOUNS.get(one.kind, DURATION), "cell": one.cell}
    if shown == one.text and one.kind == NUMBER:
        message = say(
            "`{name}` is {kind} in {cell}, {text}: zeros before or after it are lost", text=one.text, **told
        )
    elif shown:
        message = say(
            "`{name}` is {kind} in {cell}: Excel shows {shown}, and {text} would be published",
            shown=shown,
            text=_published(one),
            **told,
        )
    else:
        message = say(
            "`{name}` is {kind} in {cell}: what Excel shows depends on its format, "
            "and {text} would be published",
            text=_published(one),
            **told,
        )
    return Problem(CODE, message, one.place, hint, severity)


DURATION = say("a duration")
_NOUNS = {NUMBER: say("a number"), DATE: say("a date"), BOOLEAN: say("yes or no")}


def _published(one: _Odd) -> str:
    """Return what would be published of a cell; ratings have two decimals."""
    is_rating = one.column.kind is CellType.DECIMAL and one.kind == NUMBER
    return f"{Decimal(one.text):.2f}" if is_rating else one.text


def _shown(one: _Odd) -> str:
    """Return what the screen shows of a cell in German, or "" if it cannot be known."""
    if one.screen:
        return one.screen
    if one.kind == BOOLEAN:
        return "WAHR" if one.text == "true" else "FALSCH"
    if one.code is None:
        return ""
    if one.kind == DATE:
        return date_by(one.code, one.text) or ""
    if one.kind != NUMBER:
        return ""
    if one.code not in _PLAIN:
        return (text_by(one.code, one.text) or "").replace(".", ",")
    is_long = len(one.text.partition(".")[0]) > SHOWN_DIGITS or "e" in one.text
    return f"{float(one.text):.5E}".replace(".", ",") if is_long else one.text.replace(".", ",")
