"""Find the accidents between two states of a table: columns that were emptied, moved, exchanged, filled down.

A table is the fingerprints of its rows (`model.fingerprints`), so values are known to be equal or not, and
nothing else. All functions are pure.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from labgen.model.fingerprints import BEYOND_ASCII, POSITION, QUESTION_MARK, SHAPE, YES, Column
from labgen.problems.text import Text, plural, say

ALWAYS = 5
"""Number of rows in which anything may change."""
FEWEST_ROWS = 20
"""A table with fewer rows than this is not compared."""
FEWEST_MOVED = 3
"""In a shorter list, this many titles that stand at other ids are an accident, if they are most of them."""
READ_FROM = 2
"""A table is compared if more than this percentage of its rows changed."""
NOTED = 10
"""From this percentage of changed values on, there is a warning."""
MOST = 80
"""The percentage of changed values that a cause must explain."""
NEARLY_ALL = 95
OF_ENTRIES = 50
"""Entries come and go, such as job listings: at least this percentage of their lists may get empty."""
FEW_VALUES = 12
"""Columns with no more different values than this have many equal ones at other rows anyway."""
FARTHEST = 3
"""By how many rows columns are tried to be moved whose values are not unique."""


class Limits(NamedTuple):
    """How many percent of a column's values may be emptied, changed, and be found elsewhere."""

    emptied: int
    changed: int
    moved: int


@dataclass(frozen=True, slots=True)
class Accident:
    """What happened to columns of a table, and the rows that show it, by their keys in source order.

    `kind` is the code of a problem; `what` is a clause about the columns with slots (see `guard`); `cause` is
    what probably led to it. Of `of` rows, those in `rows` are affected. `other` is a column that took part.
    """

    kind: str
    columns: tuple[str, ...]
    what: Text
    cause: Text
    rows: Sequence[str]
    of: int
    other: str = ""
    is_error: bool = True


class _Pair(NamedTuple):
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


class _Finding(NamedTuple):
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


def find_accidents(
    columns: Sequence[Column],
    before: Mapping[str, bytes],
    now: Mapping[str, bytes],
    limits: Limits,
    *,
    are_few_compared: bool = False,
) -> list[Accident]:
    """Return the accidents of a table, the worst first; `now` is in the order of the source.

    A table of few rows is not compared. If `are_few_compared`, it is, for values that moved.
    """
    keys = [key for key in now if key in before]
    differ = sum(before[key] != now[key] for key in keys)
    if len(before) < FEWEST_ROWS:
        return (
            _moved_in_few(columns, before, now, keys) if are_few_compared and differ >= FEWEST_MOVED else []
        )
    if differ <= ALWAYS or differ * 100 <= len(keys) * READ_FROM:
        return []
    pairs = _pairs(columns, [before[key] for key in keys], [now[key] for key in keys])
    edited = [one for one in pairs if len(one.rows) > ALWAYS]
    found = {one.column.name: finding for one in edited if (finding := _examine(one, pairs, limits))}
    return [_named(one, keys) for one in _grouped(_without_parts(found))]


def _moved_in_few(
    columns: Sequence[Column], before: Mapping[str, bytes], now: Mapping[str, bytes], keys: Sequence[str]
) -> list[Accident]:
    """Return the columns of a small table whose values are all there, but most of them at other rows."""
    pairs = _pairs(columns, [before[key] for key in keys], [now[key] for key in keys])
    moved = [one for one in pairs if _is_permuted_in_few(one)]
    return [_named(one, keys) for one in _grouped({one.column.name: _elsewhere(one) for one in moved})]


def _is_permuted_in_few(pair: _Pair) -> bool:
    is_most = len(pair.rows) >= FEWEST_MOVED and len(pair.rows) * 2 > pair.filled
    return is_most and Counter(pair.had) == Counter(pair.has)


def _pairs(columns: Sequence[Column], before: Sequence[bytes], now: Sequence[bytes]) -> list[_Pair]:
    """Return the columns that hold anything."""
    had, has = _by_column(before), _by_column(now)
    empty = array("I", bytes(4 * len(before)))
    found = []
    for position in sorted({*had, *has}):
        was, becomes = had.get(position, empty), has.get(position, empty)
        rows = [at for at, (one, other) in enumerate(zip(was, becomes, strict=True)) if one != other]
        over = [at for at in rows if was[at] and becomes[at]]
        found.append(_Pair(columns[position - 1], was, becomes, rows, over))
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


def _examine(pair: _Pair, pairs: Sequence[_Pair], limits: Limits) -> _Finding | None:
    """Return the accident of a column, if there is one: the first cause that explains its changes."""
    tests: tuple[Callable[[], _Finding | None], ...] = (
        lambda: _moved_by_rows(pair),
        lambda: _from_other_column(pair, pairs),
        lambda: _moved(pair, limits.moved),
        lambda: _emptied(pair, pairs, limits.emptied),
        lambda: _letters_lost(pair),
        lambda: _all_yes(pair),
        lambda: _repeated(pair, limits.moved),
        lambda: _changed(pair, pairs, limits.changed),
    )
    return next((found for test in tests if (found := test())), None)


def _is_more(part: int, whole: int, percent: int) -> bool:
    """Return whether a part is more than what may always be, and than a percentage of the whole."""
    return part > ALWAYS and part * 100 > whole * percent


def _unique(values: Sequence[int]) -> dict[int, int]:
    """Return the positions of the values that occur once."""
    counts = Counter(values)
    return {value: at for at, value in enumerate(values) if value and counts[value] == 1}


def _moved_by_rows(pair: _Pair) -> _Finding | None:
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
            return _Finding("moved-values", what, cause, pair.rows, len(pair.had))
    return None


def _from_other_column(pair: _Pair, pairs: Sequence[_Pair]) -> _Finding | None:
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
                    return _Finding(
                        "moved-values", what, cause, rows, len(pair.had), True, name, is_pair=True
                    )
                what = say("{columns} hold{s} what `{other}` held in {count}")
                return _Finding("moved-values", what, cause, rows, len(pair.had), True, name)
    return None


def _moved(pair: _Pair, percent: int) -> _Finding | None:
    """Return that values stand at other rows: the column was sorted, or mixed, by itself."""
    unique, counts = _unique(pair.had), Counter(pair.has)
    own = [at for at in pair.rows if pair.had[at] in unique]
    moved = [at for at in pair.rows if unique.get(pair.has[at], at) != at and counts[pair.has[at]] == 1]
    is_proven = len(moved) * 100 >= len(own) * MOST and _is_more(len(moved), pair.filled, percent)
    if not (is_proven or _is_sorted(pair, percent) or _is_permuted(pair)):
        return None
    return _elsewhere(pair)


def _elsewhere(pair: _Pair) -> _Finding:
    what = say("{columns} hold{s} values of others in {count}")
    cause = say("the column was sorted or moved without the others")
    return _Finding("moved-values", what, cause, pair.rows, len(pair.had))


def _is_sorted(pair: _Pair, percent: int) -> bool:
    """Return whether equal values stand together now, that did not before."""
    values = len(set(pair.has))
    is_alike = 1 < values < len(pair.has) // 2 and Counter(pair.had) == Counter(pair.has)
    return (
        is_alike
        and _is_more(len(pair.rows), pair.filled, percent)
        and _runs(pair.has) == values
        and _runs(pair.had) > 2 * values
    )


def _runs(values: Sequence[int]) -> int:
    return 1 + sum(one != other for one, other in pairwise(values))


def _is_permuted(pair: _Pair) -> bool:
    """Return whether most rows changed, but hardly any value of many is new."""
    if len(pair.rows) * 2 < pair.filled or len(set(pair.had)) <= FEW_VALUES:
        return False
    lost, gained = Counter(pair.had[at] for at in pair.rows), Counter(pair.has[at] for at in pair.rows)
    return (lost & gained).total() * 100 >= len(pair.rows) * NEARLY_ALL


def _emptied(pair: _Pair, pairs: Sequence[_Pair], percent: int) -> _Finding | None:
    """Return that a column lost its values, or many of them."""
    rows = [at for at in pair.rows if not pair.has[at]]
    percent = max(percent, OF_ENTRIES) if pair.column.is_of_entries else percent
    if not _is_more(len(rows), pair.filled, min(NOTED, percent)):
        return None
    holder = _holder(pair, rows, pairs)
    what = say("{columns} {is_} empty in {count}; {filled:,} had a value", filled=pair.filled)
    cause = say("`{other}` has the values now") if holder else say("the column is missing, renamed or empty")
    is_error = _is_more(len(rows), pair.filled, percent)
    return _Finding("emptied-field", what, cause, rows, len(pair.had), is_error, holder)


def _holder(pair: _Pair, rows: Sequence[int], pairs: Sequence[_Pair]) -> str:
    """Return the name of another column that holds the values of an emptied one, or ""."""
    for one in pairs:
        if sum(one.has[at] == pair.had[at] for at in rows) * 100 >= len(rows) * MOST:
            return one.column.name
    return ""


ENCODING = say("the data was saved in an encoding that lacks the letters")


def _letters_lost(pair: _Pair) -> _Finding | None:
    """Return that letters became `?` or were dropped."""
    if pair.column.is_list or pair.column.is_of_entries:
        return None
    marked = [at for at in pair.over if pair.has[at] & ~pair.had[at] & QUESTION_MARK]
    if len(marked) > ALWAYS:
        what = say("{columns} {have} `?` in place of letters in {count}")
        return _Finding("changed-field", what, ENCODING, marked, len(pair.had))
    foreign = sum(bool(value & BEYOND_ASCII) for value in pair.had)
    plain = [at for at in pair.over if pair.had[at] & ~pair.has[at] & BEYOND_ASCII]
    if _is_more(len(plain), foreign, 50) and len(plain) * 100 >= len(pair.rows) * MOST:
        what = say("{columns} lost umlauts or accents in {count}")
        return _Finding("changed-field", what, ENCODING, plain, len(pair.had))
    return None


def _all_yes(pair: _Pair) -> _Finding | None:
    """Return that a field that was yes for some is yes for all."""
    values = {*pair.had, *pair.has}
    if values != {0, FILLED | YES} or not all(pair.has) or not any(pair.had):
        return None
    what = say("{columns} {is_} yes in all, and in {count} only now; {had:,} had it", had=pair.filled)
    cause = say("one cell was filled into those below it")
    return _Finding("repeated-value", what, cause, pair.rows, len(pair.had))


def _repeated(pair: _Pair, percent: int) -> _Finding | None:
    """Return that different values became the same one, or a few."""
    if pair.column.is_of_entries or not _is_more(len(pair.over), pair.filled, percent):
        return None
    had, has = Counter(filter(None, pair.had)), Counter(filter(None, pair.has))
    top, _ = Counter(pair.has[at] for at in pair.over).most_common(1)[0]
    is_few = len(has) * 2 <= len(had) and (len(had) > FEW_VALUES or len(has) == 1)
    is_one = len(had) * 2 > pair.filled and _is_more(has[top] - had[top], pair.filled, percent)
    if not (is_few or is_one):
        return None
    rows = pair.over if is_few else [at for at in pair.over if pair.has[at] == top]
    what = say(
        "{columns} repeat{s} values in {count}; {had:,} were different, and now {has:,}",
        had=len(had),
        has=len(has),
    )
    return _Finding("repeated-value", what, say("one cell was filled into those below it"), rows, pair.filled)


def _changed(pair: _Pair, pairs: Sequence[_Pair], percent: int) -> _Finding | None:
    """Return that most values of a column changed, or many."""
    rows, filled = pair.over, pair.filled
    if not _is_more(len(rows), filled, min(NOTED, percent)):
        return None
    if pair.column.is_of_entries:
        if not _are_of_same_entries(pair, pairs) or not _is_more(len(rows), filled, percent):
            return None
        what = say("{columns} changed in {count}, and the entries are the same")
        cause = say("the column moved, or was replaced as a whole")
        return _Finding("changed-field", what, cause, rows, filled)
    if _has_grown(pair) or _is_renamed(pair):
        return None
    is_error = _is_more(len(rows), filled, percent)
    what = say("{columns} changed in {count}")
    return _Finding(
        "changed-field", what, say("it was replaced or converted as a whole"), rows, filled, is_error
    )


def _are_of_same_entries(pair: _Pair, pairs: Sequence[_Pair]) -> bool:
    """Return whether the entries of lists of which this is a field have the ids that they had."""
    ids = f"{pair.column.name.rpartition('.')[0]}.id"
    found = next((one for one in pairs if one.column.name == ids), None)
    return found is not None and found is not pair and len(found.rows) * 100 <= len(pair.rows) * NOTED


def _has_grown(pair: _Pair) -> bool:
    """Return whether a column of lists only got more entries."""
    longer = sum(pair.has[at] >> SHAPE > pair.had[at] >> SHAPE for at in pair.over)
    return pair.column.is_list and longer * 100 >= len(pair.over) * NEARLY_ALL


def _is_renamed(pair: _Pair) -> bool:
    """Return whether few values have other names now: all that were equal are equal, and no others."""
    both = {(one, other) for one, other in zip(pair.had, pair.has, strict=True) if one or other}
    had, has = {one for one, _ in both}, {other for _, other in both}
    return len(both) == len(had) == len(has) and len(both) * ALWAYS <= pair.filled


def _without_parts(found: Mapping[str, _Finding]) -> dict[str, _Finding]:
    """Leave out the fields of a list's entries if the list has an accident itself."""
    return {name: one for name, one in found.items() if name.rpartition(".")[0] not in found}


def _grouped(found: Mapping[str, _Finding]) -> Iterator[tuple[tuple[str, ...], _Finding]]:
    """Yield each accident once, with all columns that it is about: errors first."""
    groups: dict[tuple[object, ...], list[tuple[str, _Finding]]] = {}
    for name, one in found.items():
        pair = tuple(sorted((name, one.other))) if one.is_pair else (one.other,)
        rows = () if one.kind == "moved-values" or one.cause == ENCODING else tuple(one.rows)
        groups.setdefault((one.kind, one.what, one.cause, pair, rows), []).append((name, one))
    for group in sorted(groups.values(), key=lambda group: not group[0][1].is_error):
        worst = max((one for _, one in group), key=lambda one: len(one.rows))
        names = [name for name, _ in group]
        yield tuple(dict.fromkeys([*names, worst.other] if worst.is_pair else names)), worst


def _named(group: tuple[tuple[str, ...], _Finding], keys: Sequence[str]) -> Accident:
    names, one = group
    rows = [keys[at] for at in one.rows]
    return Accident(one.kind, names, one.what, one.cause, rows, one.of, one.other, one.is_error)


def find_loss(before: Iterable[str], now: Iterable[str], percent: int) -> list[str]:
    """Return the keys of a list's entries that are gone, if these are more than a percentage."""
    had, has = list(before), set(now)
    gone = [key for key in had if key not in has]
    return gone if _is_more(len(gone), len(had), percent) else []
