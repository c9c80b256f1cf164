"""Query the laboratories that have a facet value, and count them, for the search pages."""

from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from heapq import nsmallest
from typing import NamedTuple

from labgen.api.search_facets import SearchFacet
from labgen.memory.database import LISTED, Memory, listed
from labgen.memory.inverted_index import ReferenceKind, counts, holders
from labgen.memory.remembered_laboratories import CARD_COLUMNS
from labgen.memory.row_conversion import StoredLaboratory, card_of
from labgen.model.summaries import Card
from labgen.search.index_files import sort_key
from labgen.search.lists import bits_of
from labgen.search_index.index_input import Terms

Value = tuple[str, str]
"""The name of a facet, and one of its values."""


class ValueCount(NamedTuple):
    """The number of laboratories that have a value; `facets` are the catalogue entries that have it."""

    facets: tuple[int, ...]
    laboratories: int


CountedValues = Mapping[str, Mapping[str, ValueCount]]
"""The values that laboratories have, each with its count, by the names of facets."""


def values_of(memory: Memory, facets: Iterable[SearchFacet]) -> CountedValues:
    """Return the values that laboratories have, each with its count, by the names of facets."""
    by_facet = counts(memory, ReferenceKind.FACET) | counts(memory, ReferenceKind.ENTRY)
    found: dict[str, dict[str, ValueCount]] = {}
    for one in facets:
        if one.catalogue:
            pairs = zip(one.ids, one.catalogue.facets(one.ids.values()), strict=True)
            found[one.facet.name] = {
                value: ValueCount((facet,), by_facet[facet]) for value, facet in pairs if facet in by_facet
            }
            shared = {value: tuple(one.catalogue.facets(one.all_ids(value))) for value in one.others}
            counted = {value: ValueCount(some, len(_holders(memory, some))) for value, some in shared.items()}
            found[one.facet.name] |= {value: some for value, some in counted.items() if some.laboratories}
        else:
            sql = "SELECT key, length(numbers) / 4 FROM found_by WHERE kind = ?"
            rows = memory.execute(sql, one.facet.name)
            found[one.facet.name] = {key: ValueCount((), count) for key, count in rows}
    return found


class FirstHolders:
    """Looks up the first laboratories, in the order of display_ids, that have a value: at most `most`."""

    def __init__(self, memory: Memory, most: int) -> None:
        self.memory = memory
        self.most = most
        self.slots = array("I", memory.value("SELECT slots FROM slot") or b"")

    def of(self, value: Value, having: ValueCount) -> "array[int]":
        """Return the numbers of these laboratories, in order."""
        if not having.facets:
            sql = "SELECT numbers FROM found_by WHERE kind = ? AND key = ?"
            found = array("I", self.memory.value(sql, *value) or b"")
            return array("I", nsmallest(self.most, found, key=self.slots.__getitem__))
        if len(having.facets) > 1:
            some = _holders(self.memory, having.facets)
            return array("I", nsmallest(self.most, some, key=self.slots.__getitem__))
        sql = "SELECT substr(numbers, 1, ?) FROM named_by WHERE kind IN ('facet', 'entry') AND key = ?"
        return array("I", self.memory.value(sql, self.most * 4, having.facets[0]) or b"")


def held_together(
    memory: Memory, values: Mapping[Value, ValueCount], wanted: Collection[Value], most: int
) -> dict[Value, list[Value]]:
    """Return which others of `values` the laboratories with each of `wanted`, if in a catalogue, have.

    At most `most` of them, of the same facet; first those that most of these laboratories have.
    """
    names = {one[0] for one in wanted}
    held: defaultdict[str, dict[Value, int]] = defaultdict(dict)
    for one, having in values.items():
        if one[0] in names and having.facets:
            numbers = _holders(memory, having.facets)
            held[one[0]][one] = bits_of(numbers, max(numbers, default=0))
    found = {}
    for one in wanted:
        others = held[one[0]]
        own = others.get(one, 0)
        shared = (
            (-(own & bits).bit_count(), sort_key(other[1]), other)
            for other, bits in others.items()
            if other != one and own & bits
        )
        found[one] = [other for _, _, other in nsmallest(most, shared)]
    return found


def _holders(memory: Memory, entries: Collection[int]) -> Collection[int]:
    """Return the numbers of the laboratories that have any of these catalogue entries, as facets."""
    kinds = ReferenceKind.FACET, ReferenceKind.ENTRY
    found = [some for one in entries for kind in kinds if (some := holders(memory, kind, one))]
    return found[0] if len(found) == 1 else set[int]().union(*found)


def cards_by_number(memory: Memory, numbers: Iterable[int]) -> dict[int, Card]:
    """Return the cards of laboratories, by the laboratories' numbers."""
    sql = f"SELECT {CARD_COLUMNS}, number FROM laboratory WHERE number {LISTED}"
    return {row[-1]: card_of(row[:-1]) for row in memory.execute(sql, listed(numbers))}


def facets_of(one: StoredLaboratory) -> set[int]:
    """Return the catalogue entries that a laboratory refers to, as facets."""
    extras = one.summary.extras
    return {*one.summary.facets, *(extras.facets if extras else ())}


def own_values_of(terms: Terms | None) -> set[Value]:
    """Return the facet values of a laboratory that are not catalogue entries."""
    return set(terms.values.items()) if terms else set()
