"""Find the accidents that convert a column: to American dates, numbers, other letters, other capitals.

The marks of shapes tell them (`model.fingerprints`), because the digests stay the same.
"""

from labgen.model.fingerprints import (
    BEYOND_ASCII,
    CASE,
    DIGEST,
    GARBLED,
    MONTH_ABOVE_DAY,
    PROPER,
    QUESTION_MARK,
    SHAPE,
    ZERO,
)
from labgen.pipeline.column_changes import ALWAYS, MOST, NOTED, Finding, Pair, is_more
from labgen.problems.text import say


def days_exchanged(pair: Pair) -> Finding | None:
    """Return that dates were read in the order of another country."""
    is_exchanged = _are_exchanged if pair.column.is_of_entries else _is_exchanged
    rows = [at for at in pair.over if is_exchanged(pair.had[at], pair.has[at])]
    if pair.column.is_list or len(rows) <= ALWAYS or len(rows) * 100 < len(pair.over) * MOST:
        return None
    what = say("{columns} {have} day and month exchanged in {count}")
    cause = say(
        "dates such as 03.04. were read as American ones, with the month first, or the other way round"
    )
    return Finding("changed-field", what, cause, rows, pair.filled)


def _is_exchanged(had: int, has: int) -> bool:
    return had ^ has == MONTH_ABOVE_DAY


def _are_exchanged(had: int, has: int) -> bool:
    """Return the same for the dates of entries, to whose sum each adds its shape."""
    one, by = MONTH_ABOVE_DAY >> SHAPE, (has - had) & DIGEST
    count = (had >> SHAPE) % 256
    return had >> SHAPE == has >> SHAPE and by % one == 0 and min(by, DIGEST + 1 - by) <= one * count


def zeros_lost(pair: Pair) -> Finding | None:
    """Return that numbers lost the zeros that they began with."""
    began = sum(bool(value & ZERO) for value in pair.had)
    rows = [at for at in pair.over if pair.had[at] & ZERO and pair.had[at] ^ pair.has[at] == ZERO]
    if pair.column.is_list or not is_more(len(rows), began, 50):
        return None
    what = say("{columns} lost the zeros at the beginning in {count}; {began:,} began with one", began=began)
    cause = say("the column was saved as numbers; format it as text and write the values again")
    return Finding("changed-field", what, cause, rows, pair.filled)


ENCODING = say("the data was saved in an encoding that lacks the letters")


def letters_lost(pair: Pair) -> Finding | None:
    """Return that letters became `?` or others, or were dropped."""
    if pair.column.is_list or pair.column.is_of_entries:
        return None
    marked = [at for at in pair.over if pair.has[at] & ~pair.had[at] & QUESTION_MARK]
    if len(marked) > ALWAYS:
        what = say("{columns} {have} `?` in place of letters in {count}")
        return Finding("changed-field", what, ENCODING, marked, len(pair.had))
    garbled = [at for at in pair.over if pair.has[at] & ~pair.had[at] & GARBLED]
    if len(garbled) > ALWAYS:
        what = say("{columns} {have} letters such as `Ã¼` in place of `ü` in {count}")
        cause = say("the data is UTF-8, and was opened or read in another encoding")
        return Finding("changed-field", what, cause, garbled, len(pair.had))
    foreign = sum(bool(value & BEYOND_ASCII) for value in pair.had)
    plain = [at for at in pair.over if pair.had[at] & ~pair.has[at] & BEYOND_ASCII]
    if is_more(len(plain), foreign, 50) and len(plain) * 100 >= len(pair.rows) * MOST:
        what = say("{columns} lost umlauts or accents in {count}")
        return Finding("changed-field", what, ENCODING, plain, len(pair.had))
    return None


def case_lost(pair: Pair) -> Finding | None:
    """Return that texts have their words in capitals, in small letters, or all beginning with a capital."""
    rows = [at for at in pair.over if _is_case_lost(pair.had[at], pair.has[at])]
    is_cause = len(rows) * 100 >= len(pair.over) * MOST and is_more(len(rows), pair.filled, NOTED)
    if pair.column.is_list or pair.column.is_of_entries or not is_cause:
        return None
    what = say("{columns} lost upper or lower case in {count}")
    cause = say("a formula such as UPPER, LOWER or PROPER was applied to the column")
    return Finding("changed-field", what, cause, rows, pair.filled)


def _is_case_lost(had: int, has: int) -> bool:
    return had | CASE == has | CASE and bool(has & CASE & ~had) and not (had & CASE and has & PROPER)
