"""Compare the laboratories that an edit changes as the search index had them, and as it has them now."""

from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TypeVar

from labgen.memory.remembered_laboratories import Changes, known
from labgen.memory.row_conversion import StoredLaboratory
from labgen.memory.search_terms import SearchEntry, TermChanges, search_entries, terms
from labgen.pipeline.rebuild import SharedChanges
from labgen.pipeline.search_source import SearchSource
from labgen.search.lists import pack
from labgen.search_index.index_input import Terms
from labgen.search_index.word_update import Side

MOST_CHANGED = 64
"""If more laboratories change, or get another slot, in an edit, the whole index is made again."""


class NotPossibleError(Exception):
    """The index cannot be updated after this edit: all of it must be made again."""


@dataclass(frozen=True)
class IndexChanges:
    """The changes of an edit: laboratories, their search terms, shared data, and cards (display_ids).

    `had` are the published slots, by the numbers of laboratories.
    """

    changes: Changes
    terms: TermChanges
    shared: SharedChanges
    cards: Collection[str]
    had: "array[int]"


@dataclass(frozen=True)
class IndexedLaboratory:
    """A laboratory before or after an edit: its slot, its search terms, its entries by facet and id.

    `ordered_by` has its values of the fields that clients order results by.
    """

    slot: int
    ordered_by: Mapping[str, str]
    terms: Terms
    entries: Mapping[tuple[str, int], SearchEntry]

    @cached_property
    def values(self) -> set[tuple[str, str]]:
        """The laboratory's facet values, each with the name of the facet."""
        return {(one.facet, one.value) for one in self.entries.values()} | set(self.terms.values.items())

    def owned(self, facets: Iterable[str]) -> list[str | list[str]]:
        """Return what the laboratory has of each facet: values in a list, or packed ids of entries."""
        ids = defaultdict[str, list[int]](list)
        for name, number in self.entries:
            ids[name].append(number)
        own: dict[str, str | list[str]] = {name: [value] for name, value in self.terms.values.items()}
        own |= {name: pack(sorted(some)) for name, some in ids.items()}
        return [own.get(name, "") for name in facets]

    def side(self) -> Side:
        """Return the laboratory as `WordUpdate` needs it."""
        entries = {(one.facet, one.value): one.terms for one in self.entries.values()}
        return Side(self.slot, self.terms.names, entries)


Term = TypeVar("Term")
Pair = tuple[IndexedLaboratory | None, IndexedLaboratory | None]
"""A laboratory before and now."""


def pairs_of(source: SearchSource, edit: IndexChanges) -> dict[int, Pair]:
    """Return the laboratories that changed, were added or removed, or have another slot, by number."""
    memory, slots = source.memory, source.slots
    before = {one.number: one for one in edit.changes.before.values()}
    now = {one.number: one for one in edit.changes.now.values()}
    pairs = enumerate(zip(edit.had, slots, strict=False))
    moved = [number for number, (had, has) in pairs if had != has and number not in before | now]
    if len(before | now) + len(moved) > MOST_CHANGED:
        raise NotPossibleError
    kept = {one.number: one for one in known(memory, "number", moved).values()}
    terms_of = terms(memory, kept)
    had_terms, has_terms = terms_of | dict(edit.terms.before), terms_of | dict(edit.terms.now)

    def was(one: StoredLaboratory) -> IndexedLaboratory:
        ids = source.ids_of(one.summary)
        rows = {name: search_entries(memory, name, some) for name, some in ids.items()}
        entries = {(name, number): entry for name, some in rows.items() for number, entry in some.items()}
        return IndexedLaboratory(edit.had[one.number], _ordered_by(one), had_terms[one.number], entries)

    def is_now(one: StoredLaboratory) -> IndexedLaboratory:
        ids = source.ids_of(one.summary)
        entries = {
            (name, number): source.entry(name, number) for name, some in ids.items() for number in some
        }
        return IndexedLaboratory(slots[one.number], _ordered_by(one), has_terms[one.number], entries)

    before, now = before | kept, now | kept
    return {
        number: (
            was(before[number]) if number in before else None,
            is_now(now[number]) if number in now else None,
        )
        for number in before | now
    }


def _ordered_by(one: StoredLaboratory) -> dict[str, str]:
    return {"name": one.summary.card.name, "rating": one.summary.rating}


def touched_values(pairs: Mapping[int, Pair]) -> set[tuple[str, str]]:
    """Return the facet values whose laboratories changed, or moved to other slots."""
    return set(chain.from_iterable(differing(pair, lambda one: one.values) for pair in pairs.values()))


def differing(pair: Pair, keys: Callable[[IndexedLaboratory], Iterable[Term]]) -> set[Term]:
    """Return the keys that a laboratory gained or lost; all of its keys if its slot changed."""
    had, has = ({(one.slot, key) for key in keys(one)} if one else set() for one in pair)
    return {key for _, key in had ^ has}


def moved_in_orders(pairs: Mapping[int, Pair]) -> dict[str, list[Pair]]:
    """Return the laboratories that another place is due to in the order of a field, by the field."""
    found: defaultdict[str, list[Pair]] = defaultdict(list)
    for pair in pairs.values():
        for field in dict(differing(pair, lambda one: one.ordered_by.items())):
            found[field].append(pair)
    return dict(found)
