"""Store the search terms and slots of laboratories, to update the search index without reading data/."""

from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import orjson

from labgen.memory.database import LISTED, Memory, listed
from labgen.memory.remembered_laboratories import Changes
from labgen.memory.sources import entry_digests, update_entries
from labgen.search.words import text_terms
from labgen.search_index.index_input import Terms
from labgen.search_index.slots import slots_of

NAMES, TEXTS, NUMBERS = Terms._fields[1:]
"""The kinds of terms. All other kinds in the table `found_by` are names of facets, with their values."""


class TermChanges(NamedTuple):
    """The search terms of laboratories that changed, were added or removed: before and now, by number."""

    before: Mapping[int, Terms]
    now: Mapping[int, Terms]


def packed_terms(one: Terms) -> bytes:
    """Return the search terms of a laboratory as the database has them."""
    return orjson.dumps(tuple(one))


def _unpacked(rows: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, Terms]]:
    return ((number, Terms(*orjson.loads(data))) for number, data in rows)


def update_terms(memory: Memory, changes: Changes, found: Mapping[str, bytes]) -> TermChanges:
    """Store the search terms of laboratories, packed, by display_id, and return the differences.

    For a new database, no differences are returned, because the whole index is built.
    """
    before = {} if memory.is_new else terms(memory, [one.number for one in changes.before.values()])
    changed = found if memory.is_new else changes.now.keys() & found.keys()
    rows = {number: found[one] for one, number in numbers_of(memory, "display_id", changed).items()}
    memory.write("DELETE FROM terms WHERE number = ?", ((number,) for number in before.keys() - rows.keys()))
    memory.write("INSERT OR REPLACE INTO terms VALUES (?, ?)", rows.items())
    if memory.is_new:
        for kind, by_key in _only_in(_unpacked(sorted(rows.items())), {}).items():
            every = ((kind, key, array("I", by_key[key]).tobytes()) for key in sorted(by_key))
            memory.write("INSERT INTO found_by VALUES (?, ?, ?)", every)
        return TermChanges({}, {})
    now = dict(_unpacked(rows.items()))
    lost, won = _only_in(before.items(), now), _only_in(now.items(), before)
    for kind in lost.keys() | won.keys():
        _note(memory, kind, lost.get(kind, {}), won.get(kind, {}))
    return TermChanges(before, now)


def terms(memory: Memory, numbers: Iterable[int]) -> dict[int, Terms]:
    """Return the search terms of laboratories, by the laboratories' numbers."""
    sql = f"SELECT number, terms FROM terms WHERE number {LISTED}"
    return dict(_unpacked(memory.execute(sql, listed(numbers))))


def all_found(memory: Memory, kind: str) -> "Iterator[tuple[str, array[int]]]":
    """Yield the terms, or facet values, of a kind, each with the numbers of its laboratories."""
    for key, numbers in memory.execute("SELECT key, numbers FROM found_by WHERE kind = ?", kind):
        yield key, array("I", numbers)


def keys_found(memory: Memory, kind: str) -> list[str]:
    """Return the terms, or facet values, of a kind."""
    return memory.column("SELECT key FROM found_by WHERE kind = ?", kind)


class SearchEntry(NamedTuple):
    """An entry of a catalogue in the search index: its facet, its id, its facet value, and its text.

    `weight` says how frequent it is (see `entry_weight`), 0 if no laboratory is known to have it.
    """

    facet: str
    id: int
    value: str
    text: str
    weight: int = 0

    @property
    def terms(self) -> frozenset[str]:
        """The terms by which the entry is found."""
        return text_terms(self.text)


def search_entries(memory: Memory, facet: str, ids: Iterable[int]) -> dict[int, SearchEntry]:
    """Return the entries of a facet with these ids that are in the search index, by id."""
    rows = memory.execute(f"SELECT * FROM search_entry WHERE facet = ? AND id {LISTED}", facet, listed(ids))
    return {row[1]: SearchEntry(*row) for row in rows}


def update_shared_values(memory: Memory, now: Mapping[str, str]) -> bool:
    """Store the values that several entries have, and their texts; return whether others were stored."""
    had = entry_digests(memory, SHARED_VALUES)
    if had != now:
        update_entries(memory, SHARED_VALUES, now)
    return had != now


SHARED_VALUES = "search_val"
"""Beside the names of lists, what these values are stored as."""


def update_weight(memory: Memory, entry: SearchEntry) -> None:
    """Store the weight of an entry that is the same but for that."""
    memory.execute(
        "UPDATE search_entry SET weight = ? WHERE facet = ? AND id = ?", entry.weight, entry.facet, entry.id
    )


def update_search_entries(
    memory: Memory, gone: Collection[SearchEntry], new: Mapping[SearchEntry, Iterable[str]]
) -> None:
    """Delete entries of the search index, and store others with the terms by which they are found."""
    lost, won = _by_term({one: one.terms for one in gone}), _by_term(new)
    memory.write("DELETE FROM search_entry WHERE facet = ? AND id = ?", ((one.facet, one.id) for one in gone))
    memory.write("INSERT OR REPLACE INTO search_entry VALUES (?, ?, ?, ?, ?)", new)
    had = {term: set(entries_with(memory, term)) for term in lost.keys() | won.keys()}
    now = {
        term: sorted((some - set(lost.get(term, ()))).union(won.get(term, ()))) for term, some in had.items()
    }
    memory.write("DELETE FROM entry_term WHERE term = ?", ((term,) for term, some in now.items() if not some))
    rows = ((term, orjson.dumps(some)) for term, some in sorted(now.items()) if some)
    memory.write("INSERT OR REPLACE INTO entry_term VALUES (?, ?)", rows)


def replace_search_entries(memory: Memory, new: Mapping[SearchEntry, Iterable[str]]) -> None:
    """Replace all entries of the search index with others and the terms by which these are found."""
    memory.execute("DELETE FROM search_entry")
    memory.execute("DELETE FROM entry_term")
    memory.write("INSERT INTO search_entry VALUES (?, ?, ?, ?, ?)", new)
    rows = ((term, orjson.dumps(sorted(some))) for term, some in sorted(_by_term(new).items()))
    memory.write("INSERT INTO entry_term VALUES (?, ?)", rows)


def _by_term(entries: Mapping[SearchEntry, Iterable[str]]) -> dict[str, list[tuple[str, str]]]:
    """Return the entries, each as its facet and value, by the terms by which they are found."""
    found = defaultdict[str, list[tuple[str, str]]](list)
    for one, its_terms in entries.items():
        place = one.facet, one.value
        for term in its_terms:
            found[term].append(place)
    return found


def entries_with(memory: Memory, term: str) -> list[tuple[str, str]]:
    """Return the entries that have a term, each as its facet and its value."""
    found = memory.value("SELECT entries FROM entry_term WHERE term = ?", term)
    return [(facet, value) for facet, value in orjson.loads(found or b"[]")]


def lines_of_terms(memory: Memory) -> str:
    """Return all terms of names and of entries, one on each line; a term of both occurs twice."""
    terms = "SELECT key AS term FROM found_by WHERE kind = ? UNION ALL SELECT term FROM entry_term"
    return memory.value(f"SELECT group_concat(term, char(10)) FROM ({terms})", NAMES) or ""


def has_term(memory: Memory, term: str) -> bool:
    """Return whether a name or an entry has a term."""
    sql = (
        "SELECT 1 FROM found_by WHERE kind = ? AND key = ? UNION ALL SELECT 1 FROM entry_term WHERE term = ?"
    )
    return memory.value(sql, NAMES, term, term) is not None


def old_slots(memory: Memory) -> "array[int]":
    """Return the slots in the published index; a laboratory's number is the position in the array."""
    return array("I", memory.value("SELECT slots FROM slot") or b"")


def numbers_of(memory: Memory, column: str, values: Iterable[Any]) -> dict[str, int]:
    """Return the numbers of the laboratories whose value in a column is among `values`, by display_id."""
    sql = f"SELECT display_id, number FROM laboratory WHERE {column} {LISTED}"
    return dict(memory.execute(sql, listed(values)))


def assign_slots(memory: Memory) -> "array[int]":
    """Assign slots to all laboratories, store them, and return them as `old_slots` does."""
    numbers = dict(memory.execute("SELECT display_id, number FROM laboratory"))
    slots = array("I", bytes(4 * (max(numbers.values(), default=0) + 1)))
    for display_id, slot in slots_of(numbers).items():
        slots[numbers[display_id]] = slot
    memory.execute("DELETE FROM slot")
    memory.execute("INSERT INTO slot VALUES (?)", slots.tobytes())
    return slots


def counts_found(memory: Memory, kind: str) -> dict[str, int]:
    """Return the number of laboratories for each term, or facet value, of a kind."""
    return dict(memory.execute("SELECT key, length(numbers) / 4 FROM found_by WHERE kind = ?", kind))


def found_by(memory: Memory, kind: str, key: str) -> "array[int]":
    """Return the numbers of the laboratories that have a term, or a facet value."""
    found = memory.value("SELECT numbers FROM found_by WHERE kind = ? AND key = ?", kind, key)
    return array("I", found or b"")


ByKey = dict[str, list[int]]


def _only_in(some: Iterable[tuple[int, Terms]], others: Mapping[int, Terms]) -> dict[str, ByKey]:
    """Return the terms that laboratories have in `some` but not in `others`, each with its laboratories."""
    found: defaultdict[str, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for number, one in some:
        other = others.get(number, NOTHING)
        for kind, value in one.values.items():
            if other.values.get(kind) != value:
                found[kind][value].append(number)
        for kind in (NAMES, TEXTS, NUMBERS):
            by_key, has, had = found[kind], getattr(one, kind), getattr(other, kind)
            for key in set(has).difference(had) if had else has:
                by_key[key].append(number)
    return {kind: dict(by_key) for kind, by_key in found.items()}


NOTHING = Terms({}, (), (), ())


def _note(memory: Memory, kind: str, lost: ByKey, won: ByKey) -> None:
    """Update which laboratories have the search terms of a kind."""
    empty, rows = [], []
    for key in sorted(lost.keys() | won.keys()):
        numbers = sorted((set(found_by(memory, kind, key)) - set(lost.get(key, ()))).union(won.get(key, ())))
        if numbers:
            rows.append((kind, key, array("I", numbers).tobytes()))
        else:
            empty.append((kind, key))
    memory.write("DELETE FROM found_by WHERE kind = ? AND key = ?", empty)
    memory.write("INSERT OR REPLACE INTO found_by VALUES (?, ?, ?)", rows)
