"""Find the accidents between two states of a table: columns that were emptied, moved, exchanged, filled down.

A table is the fingerprints of its rows (`model.fingerprints`), so values are known to be equal or not, and
nothing else. All functions are pure.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from labgen.model.fingerprints import CASE, SHAPE, YES, Column
from labgen.pipeline.column_changes import (
    ALWAYS,
    FEW_VALUES,
    FILLED,
    MOST,
    NEARLY_ALL,
    NOTED,
    Finding,
    Pair,
    compare_columns,
    is_more,
)
from labgen.pipeline.converted_values import case_lost, days_exchanged, letters_lost, zeros_lost
from labgen.pipeline.moved_values import (
    FEWEST_MOVED,
    elsewhere,
    from_other_column,
    is_moved_in_few,
    moved_alone,
    moved_by_rows,
)
from labgen.problems.text import Text, say

FEWEST_ROWS = 20
"""A table with fewer rows than this is not compared."""
READ_FROM = 2
"""A table is compared if more than this percentage of its rows changed."""
OF_ENTRIES = 50
"""Entries come and go, such as job listings: at least this percentage of their lists may get empty."""

NOTED_OF_ENTRIES = 20
"""The same for fields of entries: a list changes if one of its entries does."""


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
    pairs = compare_columns(columns, [before[key] for key in keys], [now[key] for key in keys])
    edited = [one for one in pairs if len(one.rows) > ALWAYS and not _is_numbering(one, pairs)]
    found = {one.column.name: finding for one in edited if (finding := _examine(one, pairs, limits))}
    return [_named(one, keys) for one in _grouped(_together(_without_parts(found), pairs))]


def _is_numbering(pair: Pair, pairs: Sequence[Pair]) -> bool:
    """Return whether ids of entries changed together with what the entries say: new ones, with any number."""
    entries, _, field = pair.column.name.rpartition(".")
    if not pair.column.is_of_entries or field != "id":
        return False
    changed = {at for one in pairs if one.column.name == entries for at in one.rows}
    return len(changed.intersection(pair.rows)) * 100 >= len(pair.rows) * MOST


def _moved_in_few(
    columns: Sequence[Column], before: Mapping[str, bytes], now: Mapping[str, bytes], keys: Sequence[str]
) -> list[Accident]:
    """Return the columns of a small table whose values are all there, but most of them at other rows."""
    pairs = compare_columns(columns, [before[key] for key in keys], [now[key] for key in keys])
    moved = [one for one in pairs if is_moved_in_few(one)]
    return [_named(one, keys) for one in _grouped({one.column.name: elsewhere(one) for one in moved})]


def _examine(pair: Pair, pairs: Sequence[Pair], limits: Limits) -> Finding | None:
    """Return the accident of a column, if there is one: the first cause that explains its changes."""
    tests: tuple[Callable[[], Finding | None], ...] = (
        lambda: days_exchanged(pair),
        lambda: zeros_lost(pair),
        lambda: _gaps_filled(pair),
        lambda: moved_by_rows(pair),
        lambda: from_other_column(pair, pairs),
        lambda: moved_alone(pair, limits.moved),
        lambda: _emptied(pair, pairs, limits.emptied),
        lambda: letters_lost(pair),
        lambda: case_lost(pair),
        lambda: _all_yes(pair),
        lambda: _repeated(pair, limits.moved),
        lambda: _changed(pair, pairs, limits.changed),
    )
    return next((found for test in tests if (found := test())), None)


def _emptied(pair: Pair, pairs: Sequence[Pair], percent: int) -> Finding | None:
    """Return that a column lost its values, or many of them."""
    rows = [at for at in pair.rows if not pair.has[at]]
    percent = max(percent, OF_ENTRIES) if pair.column.is_of_entries else percent
    if not is_more(len(rows), pair.filled, min(NOTED, percent)):
        return None
    holder = _holder(pair, rows, pairs)
    what = say("{columns} {is_} empty in {count}; {filled:,} had a value", filled=pair.filled)
    cause = say("`{other}` has the values now") if holder else say("the column is missing, renamed or empty")
    is_error = is_more(len(rows), pair.filled, percent)
    return Finding("emptied-field", what, cause, rows, len(pair.had), is_error, holder)


def _holder(pair: Pair, rows: Sequence[int], pairs: Sequence[Pair]) -> str:
    """Return the name of another column that holds the values of an emptied one, or ""."""
    for one in pairs:
        if sum(one.has[at] == pair.had[at] for at in rows) * 100 >= len(rows) * MOST:
            return one.column.name
    return ""


def _all_yes(pair: Pair) -> Finding | None:
    """Return that a field that was yes for some is yes for all."""
    values = {*pair.had, *pair.has}
    if values != {0, FILLED | YES} or not all(pair.has) or not any(pair.had):
        return None
    what = say("{columns} {is_} yes in all, and in {count} only now; {had:,} had it", had=pair.filled)
    cause = say("one cell was filled into those below it")
    return Finding("repeated-value", what, cause, pair.rows, len(pair.had))


def _gaps_filled(pair: Pair) -> Finding | None:
    """Return that empty cells took the values above them."""
    known = set(pair.had)
    filled = [at for at in pair.rows if not pair.had[at]]
    rows = [at for at in filled if at and pair.has[at] == pair.has[at - 1] and pair.has[at] in known]
    if len({pair.has[at] for at in rows}) <= FEW_VALUES or len(rows) * 100 < len(filled) * MOST:
        return None
    what = say("{columns} {is_} no longer empty in {count}, and {have} the value of the row above")
    cause = say("one cell was filled into those below it")
    return Finding("repeated-value", what, cause, rows, len(pair.had))


def _repeated(pair: Pair, percent: int) -> Finding | None:
    """Return that different values became the same one, or a few."""
    is_field_of_entries = pair.column.is_of_entries and not pair.column.is_list
    if is_field_of_entries or not is_more(len(pair.over), pair.filled, percent):
        return None
    had, has = Counter(filter(None, pair.had)), Counter(filter(None, pair.has))
    top, _ = Counter(pair.has[at] for at in pair.over).most_common(1)[0]
    is_few = len(has) * 2 <= len(had) and (len(had) > FEW_VALUES or len(has) == 1)
    is_one = len(had) * 2 > pair.filled and is_more(has[top] - had[top], pair.filled, percent)
    if not (is_few or is_one):
        return None
    rows = pair.over if is_few else [at for at in pair.over if pair.has[at] == top]
    what = say(
        "{columns} repeat{s} values in {count}; {had:,} were different, and now {has:,}",
        had=len(had),
        has=len(has),
    )
    cause = say("one cell was filled into those below it")
    if pair.column.is_of_entries:
        cause = say("the entries of one laboratory were given to others")
    elif len(has) > 1:
        cause = say("cells were filled into those below them, or values were cut or replaced")
    return Finding("repeated-value", what, cause, rows, pair.filled)


def _changed(pair: Pair, pairs: Sequence[Pair], percent: int) -> Finding | None:
    """Return that most values of a column changed, or many."""
    rows, filled = _with_other_text(pair), pair.filled
    noted = NOTED_OF_ENTRIES if pair.column.is_of_entries else NOTED
    if not is_more(len(rows), filled, min(noted, percent)):
        return None
    if _has_grown(pair) or _is_renamed(pair):
        return None
    is_error = is_more(len(rows), filled, percent)
    if pair.column.is_of_entries:
        if not _are_of_same_entries(pair, pairs):
            return None
        what = say("{columns} changed in {count}, and the entries are the same")
        cause = say("the column moved, or was replaced as a whole")
        return Finding("changed-field", what, cause, rows, filled, is_error)
    what = say("{columns} changed in {count}")
    return Finding(
        "changed-field", what, say("it was replaced or converted as a whole"), rows, filled, is_error
    )


def _with_other_text(pair: Pair) -> Sequence[int]:
    """Return the positions of the values that differ in more than capital and small letters."""
    if pair.column.is_list or pair.column.is_of_entries:
        return pair.over
    return [at for at in pair.over if pair.had[at] | CASE != pair.has[at] | CASE]


def _are_of_same_entries(pair: Pair, pairs: Sequence[Pair]) -> bool:
    """Return whether the entries of lists of which this is a field have the ids that they had."""
    ids = f"{pair.column.name.rpartition('.')[0]}.id"
    found = next((one for one in pairs if one.column.name == ids), None)
    return found is not None and found is not pair and len(found.rows) * 100 <= len(pair.rows) * NOTED


def _has_grown(pair: Pair) -> bool:
    """Return whether a column of lists only got more entries."""
    longer = sum(pair.has[at] >> SHAPE > pair.had[at] >> SHAPE for at in pair.over)
    return pair.column.is_list and longer * 100 >= len(pair.over) * NEARLY_ALL


def _is_renamed(pair: Pair) -> bool:
    """Return whether few values have new names: all that were equal are equal, and no others.

    Values that stand for one another now, such as ratings in the reverse order, have no new names; and where
    many have, such as all ratings without their points, they were converted.
    """
    both = {(one, other) for one, other in zip(pair.had, pair.has, strict=True) if one or other}
    if sum(one != other for one, other in both) > FEW_VALUES:
        return False
    had, has = {one for one, _ in both}, {other for _, other in both}
    is_new = all(other not in had for one, other in both if one != other)
    return is_new and len(both) == len(had) == len(has) and len(both) * ALWAYS <= pair.filled


def _without_parts(found: Mapping[str, Finding]) -> dict[str, Finding]:
    """Leave out the fields of a list's entries if the list has an accident itself."""
    return {name: one for name, one in found.items() if name.rpartition(".")[0] not in found}


def _together(found: Mapping[str, Finding], pairs: Sequence[Pair]) -> Mapping[str, Finding]:
    """Return the findings that one accident explains with that as their cause: ids, or columns, that moved.

    The first column of a table is its ids, by which rows are compared, so it never differs.
    """
    moved = {name: one for name, one in found.items() if one.kind == "moved-values" and not one.other}
    varied = [one.column for one in pairs[1:] if len(set(one.had)) > FEW_VALUES]
    own = [one.name for one in varied if not one.is_of_entries]
    if len(own) >= FEWEST_MOVED and moved.keys() >= {*own}:
        cause = say("the ids were sorted or moved without the rest of their rows")
        return {name: one._replace(cause=cause) for name, one in moved.items()}
    shifted = {
        name: one
        for name, one in found.items()
        if one.kind == "moved-values" and one.other and not one.is_pair
    }
    if len(shifted) < FEWEST_MOVED:
        return found
    what = say("{columns} hold what other columns held in {count}")
    return {**found, **{name: one._replace(what=what, other="") for name, one in shifted.items()}}


def _grouped(found: Mapping[str, Finding]) -> Iterator[tuple[tuple[str, ...], Finding]]:
    """Yield each accident once, with all columns that it is about: errors first."""
    groups: dict[tuple[object, ...], list[tuple[str, Finding]]] = {}
    for name, one in found.items():
        pair = tuple(sorted((name, one.other))) if one.is_pair else (one.other,)
        rows = tuple(one.rows) if one.kind == "emptied-field" else one.is_error
        groups.setdefault((one.kind, one.what, one.cause, pair, rows), []).append((name, one))
    for group in sorted(groups.values(), key=lambda group: not group[0][1].is_error):
        worst = max((one for _, one in group), key=lambda one: len(one.rows))
        names = [name for name, _ in group]
        yield tuple(dict.fromkeys([*names, worst.other] if worst.is_pair else names)), worst


def _named(group: tuple[tuple[str, ...], Finding], keys: Sequence[str]) -> Accident:
    names, one = group
    rows = [keys[at] for at in one.rows]
    return Accident(one.kind, names, one.what, one.cause, rows, one.of, one.other, one.is_error)


def find_loss(before: Iterable[str], now: Iterable[str], percent: int) -> list[str]:
    """Return the keys of a list's entries that are gone, if these are more than a percentage."""
    had, has = list(before), set(now)
    gone = [key for key in had if key not in has]
    return gone if is_more(len(gone), len(had), percent) else []
