"""Compare the columns of two states of a table: what `pipeline.accidents` looks at, and what it finds.

A table is the fingerprints of its rows (`model.fingerprints`), so values are known to be equal or not, and
nothing else.
"""

from array import array
from collections.abc import Sequence
from typing import NamedTuple

from labgen.model.fingerprints import POSITION, Column
from labgen.problems.text import Text

ALWAYS = 5
"""Number of rows in which anything may change."""
NOTED = 10
"""From this percentage of changed values on, there is a warning."""
MOST = 80
"""The percentage of changed values that a cause must explain."""
NEARLY_ALL = 95
FEW_VALUES = 12
"""Columns with no more different values than this have many equal ones at other rows anyway."""


class Pair(NamedTuple):
    """The values of a column before and now, in the rows that both states have; 0 is an empty value.

    `rows` are the positions at which they differ, `over` those of them that hold a value in both states.
    """

    column: Column
    had: "array[int]"
    has: "array[int]"
    rows: Sequence[int]
    over: Sequence[int]

    @property
    def filled(self) -> int:
        """The number of values before."""
        return len(self.had) - self.had.count(0)


class Finding(NamedTuple):
    """An accident of one column: its rows are positions. `of` counts the values that could be affected.

    `other` is the name of another column that has to do with it; if it `is_pair`, the same happened to both.
    """

    kind: str
    what: Text
    cause: Text
    rows: Sequence[int]
    of: int
    is_error: bool = True
    other: str = ""
    is_pair: bool = False


def is_more(part: int, whole: int, percent: int) -> bool:
    """Return whether a part is more than what may always be, and than a percentage of the whole."""
    return part > ALWAYS and part * 100 > whole * percent


def compare_columns(columns: Sequence[Column], before: Sequence[bytes], now: Sequence[bytes]) -> list[Pair]:
    """Return the columns that hold anything."""
    had, has = _by_column(before), _by_column(now)
    empty = array("I", bytes(4 * len(before)))
    found = []
    for position in sorted({*had, *has}):
        was, becomes = had.get(position, empty), has.get(position, empty)
        rows = [at for at, (one, other) in enumerate(zip(was, becomes, strict=True)) if one != other]
        over = [at for at in rows if was[at] and becomes[at]]
        found.append(Pair(columns[position - 1], was, becomes, rows, over))
    return found


FILLED = 1 << POSITION


def _by_column(rows: Sequence[bytes]) -> "dict[int, array[int]]":
    """Return the values of each column by its position: shape and digest, and a bit that it is filled."""
    found: dict[int, array[int]] = {}
    for at, row in enumerate(rows):
        for number in array("I", row):
            position = number >> POSITION
            if position not in found:
                found[position] = array("I", bytes(4 * len(rows)))
            found[position][at] = number % FILLED | FILLED
    return found
