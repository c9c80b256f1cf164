"""Maintain an inverted index: which laboratories refer to a facet, a country, a picture and so on.

So a build finds the laboratories that a change affects without reading all of them.
"""

import sqlite3
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Any, Protocol, TypeVar

from labgen.memory.database import Memory
from labgen.system.lazy import Lazy

Key = int | str
KeysByKind = Iterable[tuple["ReferenceKind", Iterable[Key]]]
"""The keys that a laboratory refers to, by kind."""


class ReferenceKind(StrEnum):
    """The kinds of things that laboratories refer to; each docstring defines the key."""

    FACET = "facet"
    """An entry of a catalogue by which laboratories are compared, as a facet."""
    ENTRY = "entry"
    """An entry of any other catalogue, as a facet."""
    REFERENCE = "reference"
    """An entry of a catalogue to which the laboratory only refers, in the form of a facet."""
    COUNTRY = "country"
    """The iso_code of the laboratory's country, or of the country of one of its job listings."""
    PICTURE = "picture"
    """JSON of a `Picture`."""
    ORIGINAL = "original"
    """The name of a picture's file below data/media/."""
    PLACEHOLDER = "placeholder"
    """What is drawn where a picture is missing (`renditions.placeholders_in`)."""
    SECTION = "section"
    """The name of an optional section for which the laboratory has data."""
    DATE = "date"
    """The laboratory's `published_on`."""
    LINK = "link"
    """Always "": the laboratory has links into the site."""
    OWN_SIMILAR = "own similar"
    """A display_id in the record's `similar_labs`."""
    SHOWN = "shown"
    """A display_id in the published list of similar laboratories."""
    LAST = "last"
    """The last (commonest) facet that counts for that list; NO_LAST if all facets count."""


class Numbered(Protocol):
    """Any value with the number of a laboratory."""

    @property
    def number(self) -> int:
        """The laboratory's number in the database."""


One = TypeVar("One", bound=Numbered)


def holders(memory: Memory, kind: ReferenceKind, key: Key) -> "array[int]":
    """Return the numbers of the laboratories that refer to a key, in the order of their display_ids."""
    found = memory.value("SELECT numbers FROM named_by WHERE kind = ? AND key = ?", kind, key)
    return array("I", found or b"")


def all_holders(memory: Memory, kind: ReferenceKind) -> "dict[Any, array[int]]":
    """Return all keys of a kind, with the numbers of the laboratories that refer to each."""
    rows = memory.execute("SELECT key, numbers FROM named_by WHERE kind = ?", kind)
    return {key: array("I", numbers) for key, numbers in rows}


def numbers_naming(memory: Memory, kind: ReferenceKind, keys: Iterable[Key]) -> set[int]:
    """Return the numbers of the laboratories that refer to any of these keys."""
    return set().union(*(holders(memory, kind, key) for key in keys))


def keys_of(memory: Memory, kind: ReferenceKind) -> list[Any]:
    """Return all keys of a kind, in order."""
    return memory.column("SELECT key FROM named_by WHERE kind = ? ORDER BY key", kind)


def counts(memory: Memory, kind: ReferenceKind) -> dict[Any, int]:
    """Return the number of laboratories for each key of a kind."""
    return dict(memory.execute("SELECT key, length(numbers) / 4 FROM named_by WHERE kind = ?", kind))


def update_index(
    memory: Memory, before: Mapping[str, One], now: Mapping[str, One], names: Callable[[One], KeysByKind]
) -> None:
    """Update the index for the laboratories that changed; `names` returns the keys of a laboratory.

    All of them must be in the table of laboratories, including those that will be removed.
    """
    if memory.is_new:
        for kind, found in _only_in(now, {}, names).items():
            every = [(kind.value, key, found[key].tobytes()) for key in sorted(found)]
            memory.write("INSERT INTO named_by VALUES (?, ?, ?)", every)
        return
    display_ids: Lazy[int, str] = Lazy(
        lambda number: memory.value("SELECT display_id FROM laboratory WHERE number = ?", number)
    )
    lost, won = _only_in(before, now, names), _only_in(now, before, names)
    for kind in lost.keys() | won.keys():
        gone, new = lost.get(kind, {}), won.get(kind, {})
        empty, rows = [], []
        for key in sorted(gone.keys() | new.keys()):
            numbers = holders(memory, kind, key)
            _remove(numbers, gone.get(key, ()), display_ids)
            _insert(numbers, new.get(key, ()), display_ids)
            if numbers:
                rows.append((kind, key, numbers.tobytes()))
            else:
                empty.append((kind, key))
        memory.write("DELETE FROM named_by WHERE kind = ? AND key = ?", empty)
        memory.write("INSERT OR REPLACE INTO named_by VALUES (?, ?, ?)", rows)


def _only_in(
    some: Mapping[str, One], others: Mapping[str, One], names: Callable[[One], KeysByKind]
) -> "dict[ReferenceKind, dict[Key, array[int]]]":
    """Return the keys that laboratories refer to in `some` but not in `others`, and the laboratories."""
    numbers_of_keys: defaultdict[ReferenceKind, dict[Key, array[int]]] = defaultdict(
        lambda: defaultdict(lambda: array("I"))
    )
    for display_id, one in some.items():
        other = dict(names(others[display_id])) if display_id in others else {}
        number = one.number
        for kind, keys in names(one):
            by_key = numbers_of_keys[kind]
            for key in set(keys).difference(other[kind]) if kind in other else keys:
                by_key[key].append(number)
    return numbers_of_keys


def _remove(numbers: "array[int]", gone: Iterable[int], display_ids: Mapping[int, str]) -> None:
    for number in gone:
        place = _place(numbers, number, display_ids)
        if numbers[place : place + 1] != array("I", [number]):
            raise sqlite3.DatabaseError("a laboratory is not among those that name what it names")
        del numbers[place]


def _insert(numbers: "array[int]", new: Iterable[int], display_ids: Mapping[int, str]) -> None:
    for number in new:
        numbers.insert(_place(numbers, number, display_ids), number)


def _place(numbers: "array[int]", number: int, display_ids: Mapping[int, str]) -> int:
    return bisect_left(numbers, display_ids[number], key=display_ids.__getitem__)
