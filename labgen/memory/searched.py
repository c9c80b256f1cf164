"""Remember what laboratories are found by, so that the search index is made without reading them."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import orjson

from labgen.memory.database import Memory
from labgen.memory.laboratories import LISTED, Changes, listed
from labgen.search_index.records import Terms
from labgen.search_index.slots import slots_of

NAMES, TEXTS, NUMBERS = Terms._fields[1:]
"""The kinds of terms; the other kinds of what laboratories are found by are facets."""


class TermChanges(NamedTuple):
    """What laboratories that changed, came or went are found by: before and now, by their numbers."""

    before: Mapping[int, Terms]
    now: Mapping[int, Terms]


def update_terms(memory: Memory, changes: Changes, found: Mapping[str, Terms]) -> TermChanges:
    """Remember what laboratories are found by, which is given by display_id; return what differs."""
    before = {} if memory.is_new else terms(memory, [one.number for one in changes.before.values()])
    now = {one.number: found[display_id] for display_id, one in changes.now.items() if display_id in found}
    memory.write("DELETE FROM terms WHERE number = ?", ((number,) for number in before.keys() - now.keys()))
    rows = ((number, orjson.dumps(tuple(one))) for number, one in now.items())
    memory.write("INSERT OR REPLACE INTO terms VALUES (?, ?)", rows)
    lost, won = _only_in(before, now), _only_in(now, before)
    for kind in lost.keys() | won.keys():
        _note(memory, kind, lost.get(kind, {}), won.get(kind, {}))
    return TermChanges(before, now)


def terms(memory: Memory, numbers: Iterable[int]) -> dict[int, Terms]:
    """Return what some laboratories are found by."""
    rows = memory.rows(f"SELECT number, terms FROM terms WHERE number {LISTED}", listed(numbers))
    return {number: Terms(*orjson.loads(data)) for number, data in rows}


def all_found(memory: Memory, kind: str) -> "Iterator[tuple[str, array[int]]]":
    """Yield what laboratories are found by of a kind, and their numbers."""
    for key, numbers in memory.rows("SELECT key, numbers FROM found_by WHERE kind = ?", kind):
        yield key, array("I", numbers)


class AllSlots(NamedTuple):
    """The slots of all laboratories, by their numbers and by their display_ids in order."""

    by_number: "array[int]"
    by_display_id: dict[str, int]


def new_slots(memory: Memory) -> AllSlots:
    """Give all laboratories their slots, and remember these."""
    numbers = dict(memory.rows("SELECT display_id, number FROM laboratory"))
    by_number = array("I", bytes(4 * (max(numbers.values(), default=0) + 1)))
    by_display_id = slots_of(numbers)
    for display_id, slot in by_display_id.items():
        by_number[numbers[display_id]] = slot
    memory.rows("DELETE FROM slot")
    memory.rows("INSERT INTO slot VALUES (?)", by_number.tobytes())
    return AllSlots(by_number, by_display_id)


def found_by(memory: Memory, kind: str, key: str) -> "array[int]":
    """Return the numbers of the laboratories that are found by something."""
    found = memory.value("SELECT numbers FROM found_by WHERE kind = ? AND key = ?", kind, key)
    return array("I", found or b"")


ByKey = dict[str, list[int]]


def _only_in(some: Mapping[int, Terms], others: Mapping[int, Terms]) -> dict[str, ByKey]:
    """Return by what laboratories are found that they are not found by in `others`, and which."""
    found: defaultdict[str, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for number, one in some.items():
        other = others.get(number, NOTHING)
        for kind, value in one.values.items():
            if other.values.get(kind) != value:
                found[kind][value].append(number)
        for kind in (NAMES, TEXTS, NUMBERS):
            by_key = found[kind]
            for key in set(getattr(one, kind)).difference(getattr(other, kind)):
                by_key[key].append(number)
    return {kind: dict(by_key) for kind, by_key in found.items()}


NOTHING = Terms({}, (), (), ())


def _note(memory: Memory, kind: str, lost: ByKey, won: ByKey) -> None:
    """Take account of laboratories that are found by other things of a kind than before."""
    empty, rows = [], []
    for key in sorted(lost.keys() | won.keys()):
        had = set() if memory.is_new else set(found_by(memory, kind, key))
        numbers = sorted((had - set(lost.get(key, ()))).union(won.get(key, ())))
        if numbers:
            rows.append((kind, key, array("I", numbers).tobytes()))
        else:
            empty.append((kind, key))
    memory.write("DELETE FROM found_by WHERE kind = ? AND key = ?", empty)
    memory.write("INSERT OR REPLACE INTO found_by VALUES (?, ?, ?)", rows)
