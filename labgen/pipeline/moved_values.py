"""Find values that moved: by rows, to another column, or sorted without the rest of their table."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from labgen.model.fingerprints import DIGEST
from labgen.pipeline.column_changes import ALWAYS, FEW_VALUES, MOST, NEARLY_ALL, Finding, Pair, is_more
from labgen.problems.text import plural, say

FEWEST_MOVED = 3
"""In a shorter list, this many titles that stand at other ids are an accident, if they are most of them."""
FARTHEST = 3
"""By how many rows columns are tried to be moved whose values are not unique."""


def _unique(values: Sequence[int]) -> dict[int, int]:
    """Return the positions of the values that occur once."""
    counts = Counter(values)
    return {value: at for at, value in enumerate(values) if value and counts[value] == 1}


def moved_by_rows(pair: Pair) -> Finding | None:
    """Return that each value stands some rows below its own, from a row on."""
    unique = _unique(pair.had)
    votes = Counter(at - unique[pair.has[at]] for at in pair.rows if pair.has[at] in unique)
    offset, count = next(iter(votes.most_common(1)), (0, 0))
    candidates = [offset] if offset and count > ALWAYS else []
    if len(pair.rows) > FEW_VALUES:
        candidates += [sign * by for by in range(1, FARTHEST + 1) for sign in (1, -1)]
    for by in candidates:
        inside = [at for at in pair.rows if 0 <= at - by < len(pair.had)]
        explained = sum(pair.has[at] == pair.had[at - by] for at in inside)
        filled = sum(pair.has[at] == pair.had[at - by] > 0 for at in inside)
        if filled > ALWAYS and explained * 100 >= len(inside) * NEARLY_ALL:
            rows = plural(abs(by), "row")
            what = (
                say("{columns} moved {rows} down in {count}, from {first} on")
                if by > 0
                else say("{columns} moved {rows} up in {count}, from {first} on")
            ).filled(rows=rows)
            cause = say("a cell was inserted or removed, and the others of the column moved")
            return Finding("moved-values", what, cause, pair.rows, len(pair.had))
    return None


def from_other_column(pair: Pair, pairs: Sequence[Pair]) -> Finding | None:
    """Return that a column holds what another one held: they are exchanged, or one was copied."""
    if pair.column.is_list or not pair.over:
        return None
    for other in pairs:
        if other is not pair and not other.column.is_list:
            rows = [at for at in pair.over if pair.has[at] == other.had[at]]
            if len(rows) > ALWAYS and len(rows) * 100 >= len(pair.over) * MOST and len(set(rows)) > ALWAYS:
                name = other.column.name
                back = sum(other.has[at] == pair.had[at] for at in rows)
                cause = say("the columns, or their headers, were exchanged")
                if back * 100 >= len(rows) * MOST:
                    what = say("{columns} are exchanged in {count}")
                    return Finding("moved-values", what, cause, rows, len(pair.had), True, name, is_pair=True)
                what = say("{columns} hold{s} what `{other}` held in {count}")
                return Finding("moved-values", what, cause, rows, len(pair.had), True, name)
    return None


def moved_alone(pair: Pair, percent: int) -> Finding | None:
    """Return that most unique values, or nearly all values, are at other rows, or equal ones together."""
    unique, counts = _unique(pair.had), Counter(pair.has)
    own = [at for at in pair.rows if pair.had[at] in unique]
    moved = [at for at in pair.rows if unique.get(pair.has[at], at) != at and counts[pair.has[at]] == 1]
    is_proven = len(moved) * 100 >= len(own) * MOST and is_more(len(moved), pair.filled, percent)
    is_alone = is_proven or _is_sorted(pair, percent) or _is_permuted(pair) or _is_dealt_out(pair, percent)
    return elsewhere(pair) if is_alone else None


def elsewhere(pair: Pair) -> Finding:
    """Return that values stand at other rows: the column was sorted, or mixed, by itself."""
    what = say("{columns} hold{s} values of others in {count}")
    cause = say("the column was sorted or moved without the others")
    return Finding("moved-values", what, cause, pair.rows, len(pair.had))


def _is_sorted(pair: Pair, percent: int) -> bool:
    """Return whether equal values stand together now, that did not before."""
    values = len(set(pair.has))
    is_alike = 1 < values < len(pair.has) // 2 and Counter(pair.had) == Counter(pair.has)
    return (
        is_alike
        and is_more(len(pair.rows), pair.filled, percent)
        and _runs(pair.has) == values
        and _runs(pair.had) > 2 * values
    )


def _is_dealt_out(pair: Pair, percent: int) -> bool:
    """Return whether the entries of many lists are others, but those of all lists together are the same."""
    if not pair.column.is_of_entries or not is_more(len(pair.rows), pair.filled, percent):
        return False
    return sum(pair.had) & DIGEST == sum(pair.has) & DIGEST


def _runs(values: Sequence[int]) -> int:
    return 1 + sum(one != other for one, other in pairwise(values))


def _is_permuted(pair: Pair) -> bool:
    """Return whether most rows changed, but hardly any value of many is new."""
    if len(pair.rows) * 2 < pair.filled or len(set(pair.had)) <= FEW_VALUES:
        return False
    lost, gained = Counter(pair.had[at] for at in pair.rows), Counter(pair.has[at] for at in pair.rows)
    return (lost & gained).total() * 100 >= len(pair.rows) * NEARLY_ALL


def is_moved_in_few(pair: Pair) -> bool:
    """Return whether most rows of a small table hold what other rows held, and nothing new."""
    moved = [at for at in pair.over if pair.has[at] in pair.had]
    is_most = FEWEST_MOVED <= len(moved) == len(pair.over) and len(moved) * 2 > pair.filled
    return is_most and (len({*pair.had}) == len(pair.had) or Counter(pair.had) == Counter(pair.has))
