"""Read the input of the search index from the database of the last build."""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, partial
from typing import Any

from labgen.api.document_parts import card_document
from labgen.api.endpoint import LABORATORIES
from labgen.api.search_facets import SearchFacet, synonym_groups
from labgen.memory.database import Memory
from labgen.memory.facet_values import CountedValues
from labgen.memory.inverted_index import ReferenceKind, all_holders, holders
from labgen.memory.remembered_laboratories import (
    cards,
    count,
    display_ids,
    name_of,
    numbers_by,
)
from labgen.memory.search_terms import (
    NAMES,
    NUMBERS,
    TEXTS,
    SearchEntry,
    all_found,
    entries_with,
    found_by,
    has_term,
    keys_found,
    lines_of_terms,
    numbers_of,
    search_entries,
)
from labgen.model.directory import Directory
from labgen.model.german import collation_key
from labgen.model.summaries import Summary
from labgen.search.entry_weights import entry_weight
from labgen.search.index_files import facet_key
from labgen.search_index import contents
from labgen.search_index.contents import (
    Card,
    Entry,
    counts_file,
    index_document,
    order_file,
)
from labgen.search_index.index_input import IndexSettings, Postings, Size, Slots
from labgen.search_index.slot_sets import SlotSet, joined
from labgen.search_index.term_text import TermText
from labgen.system.lazy import Lazy

ORDERS_OF_FIELDS: Mapping[str, Callable[[str], Any]] = {"name": collation_key, "rating": float}
"""The fields that clients order results by, and the sort keys of their values."""
READ_WHEN_ASKED = (contents.NUMBERS, contents.TEXTS)
"""The folders whose lists are not kept in memory: the database may be used by one process alone."""
MOST_RESULTS = 20
"""Maximum number of results on a page: each card may be in another file, so more would take long."""


class SearchSource:
    """The search terms and facet values of laboratories. `slots` has the slot of each laboratory's number.

    `counted` are the values that laboratories have.
    It implements `search_index.word_update.Facts`.
    """

    def __init__(
        self,
        memory: Memory,
        directory: Directory,
        facets: Iterable[SearchFacet],
        counted: CountedValues,
        slots: "array[int]",
    ) -> None:
        self.memory, self.directory = memory, directory
        self.facets = {one.facet.name: one for one in facets}
        self.counted, self.slots, self.size = counted, slots, Size(count(memory), max(slots))

    @cached_property
    def settings(self) -> IndexSettings:
        """The settings of the search index that clients need."""
        site = self.directory.site
        return IndexSettings(
            path=site.base_path + LABORATORIES,
            page_size=min(site.limits.page_size, MOST_RESULTS),
            invalid_page=self.directory.language.words["invalid_page"],
            has_texts=site.search.texts,
            invalid_value=self.directory.language.words["invalid_value"],
            synonyms=synonym_groups(self.directory),
        )

    def slots_of(self, numbers: Iterable[int]) -> Slots:
        """Return the slots of laboratories, in order; an array, because there are millions."""
        return array("I", sorted(map(self.slots.__getitem__, numbers)))

    def found_by(self, kind: str, key: str) -> Slots:
        """Return the laboratories that have a term or facet value of a kind."""
        return self.slots_of(found_by(self.memory, kind, key))

    def holders(self, facet: str, value: str) -> Slots:
        """Return the laboratories that have a value of a facet."""
        return self.slots_of(self._holders(facet, value))

    def holders_before(self, facet: str, value: str, below: int) -> Slots:
        """Return the laboratories that have a value of a facet, and slots below a limit."""
        numbers, slot_of = self._holders(facet, value), self.slots.__getitem__
        if self.facets[facet].catalogue is None:
            return self.slots_of(number for number in numbers if slot_of(number) < below)
        return self.slots_of(numbers[: bisect_left(numbers, below, key=slot_of)])

    def _holders(self, facet: str, value: str) -> "array[int]":
        """Return the numbers of the laboratories that have a value; of a catalogue entry, ordered by slot."""
        one = self.facets[facet]
        if one.catalogue is None:
            return found_by(self.memory, facet, value)
        entries = one.catalogue.facets(one.all_ids(value))
        found = [holders(self.memory, _kind_of(one), entry) for entry in entries]
        if len(found) == 1:
            return found[0]
        return array("I", sorted(set().union(*found), key=self.slots.__getitem__))

    @cached_property
    def values(self) -> dict[str, dict[int, str]]:
        """The facet values of catalogue entries by id, for each facet."""
        return {
            name: {number: value for value, number in one.ids.items()} for name, one in self.facets.items()
        }

    def entry(self, facet: str, number: int) -> SearchEntry:
        """Return an entry of a catalogue, by its id, as the index stores it."""
        value = self.values[facet][number]
        return SearchEntry(facet, number, value, self.facets[facet].facet.values[value].text)

    def entry_in_use(self, facet: str, number: int) -> SearchEntry | None:
        """Return an entry of a catalogue, by its id, if a laboratory has it."""
        if number not in self.values[facet]:
            return None
        entry = self.entry(facet, number)
        count = len(self._holders(facet, entry.value))
        title = self.facets[facet].facet.values[entry.value].title
        return entry._replace(weight=entry_weight(count, title)) if count else None

    def entries_in_use(self, weights: Mapping[Entry, int]) -> list[SearchEntry]:
        """Return the entries and countries that laboratories have; `weights` are theirs."""
        return [
            self.entry(name, self.facets[name].ids[value])._replace(weight=weight)
            for (name, value), weight in weights.items()
        ]

    def weight_of(self, entry: Entry) -> tuple[int, int]:
        """Return the id and the weight of an entry that a laboratory has."""
        name, value = entry
        number = self.facets[name].ids[value]
        return number, search_entries(self.memory, name, [number])[number].weight

    def facet_key_of(self, facet: str) -> str:
        """Return the key of a facet in the value of a word."""
        return facet_key([*self.facets].index(facet))

    def ids_of(self, summary: Summary) -> dict[str, list[int]]:
        """Return the ids of the catalogue entries that a laboratory has, and of its country, by facet."""
        extras = summary.extras.facets if summary.extras else ()
        facets = [*summary.facets, *extras]
        ids = {name: one.catalogue.ids_among(facets) for name, one in self.facets.items() if one.catalogue}
        for name, first in self._first_ids.items():
            ids[name] = sorted({first.get(number, number) for number in ids[name]})
        return ids | {"country": [self.facets["country"].ids[summary.card.country]]}

    @cached_property
    def _first_ids(self) -> dict[str, dict[int, int]]:
        """For each facet with values of several entries, the id of the value, by the further ids."""
        return {
            name: {number: one.ids[value] for value, some in one.others.items() for number in some}
            for name, one in self.facets.items()
            if one.others
        }

    @cached_property
    def text(self) -> TermText:
        """All terms of names and entries, to be searched by substring."""
        return TermText(lines_of_terms(self.memory))

    def has_term(self, term: str) -> bool:
        """Return whether a name or an entry has a term."""
        return has_term(self.memory, term)

    def named_by(self, term: str) -> Slots:
        """Return the laboratories that have a term in name or place."""
        return self.found_by(NAMES, term)

    def entries_with(self, term: str) -> list[Entry]:
        """Return the entries that have a term."""
        return entries_with(self.memory, term)

    def labs_of(self, entries: Iterable[Entry]) -> SlotSet:
        """Return the laboratories that have any of these entries."""
        return joined([self.holders(*one) for one in entries])

    def cards(self, slots: Mapping[str, int]) -> Iterator[Card]:
        """Return the cards of the laboratories in `slots` (slots by display_id), in order."""
        shown = cards(self.memory, slots)
        return ((slots[one], card_document(card, self.directory)) for one, card in shown.items())

    def slots_by_display_id(self, some: Iterable[str] | None = None) -> dict[str, int]:
        """Return the slots of the laboratories in `some`, or of all laboratories, by display_id."""
        numbers = numbers_of(self.memory, "display_id", display_ids(self.memory) if some is None else some)
        return {one: self.slots[number] for one, number in numbers.items()}

    def slots_between(self, begin: int, end: int) -> dict[str, int]:
        """Return the slots from `begin` to before `end`, by display_id."""
        some = [number for number, slot in enumerate(self.slots) if begin <= slot < end]
        numbers = numbers_of(self.memory, "number", some)
        return {one: self.slots[number] for one, number in numbers.items()}

    def counts_file(self, facet: str) -> bytes:
        """Return the contents of the file with which clients count the values of a facet."""
        numbers = {value: one.laboratories for value, one in self.counted[facet].items()}
        before = partial(self.holders_before, facet)
        return counts_file(self.facets[facet].facet, numbers, before, self.size.last)

    def names_by_slot(self) -> Mapping[int, str]:
        """Return the names of laboratories by slot, each read when it is asked for."""
        numbers = {slot: number for number, slot in enumerate(self.slots)}
        for first in numbers_of(self.memory, "display_id", display_ids(self.memory, 1)).values():
            numbers[self.slots[first]] = first  # numbers that no laboratory has are at slot 0, too
        return Lazy(lambda slot: name_of(self.memory, numbers[slot]))

    def order_file(self, field: str) -> bytes:
        """Return the contents of the file with all laboratories in the order of a field."""
        numbers = numbers_by(self.memory, field)
        values = sorted(numbers, key=ORDERS_OF_FIELDS[field])
        groups = [self.slots_of(numbers[value]) for value in values]
        return order_file(groups, [] if field == "name" else values)  # cards show names

    def order_files(self) -> dict[str, bytes]:
        """Return the contents of these files by field."""
        return {field: self.order_file(field) for field in ORDERS_OF_FIELDS}

    def document(self, roots: Mapping[str, Any]) -> bytes:
        """Return index.json, which a client reads first (see `index_document`)."""
        facets = [one.facet for one in self.facets.values()]
        return index_document(facets, self.counted, self.settings, self.size, roots)

    def postings(self) -> Postings:
        """Return the laboratories that have each facet value and each term."""
        entries = {
            kind: all_holders(self.memory, kind) for kind in (ReferenceKind.FACET, ReferenceKind.ENTRY)
        }
        found = {
            name: dict(_of_entries(one, entries[_kind_of(one)]))
            if one.catalogue
            else dict(all_found(self.memory, name))
            for name, one in self.facets.items()
        }
        by_facet = {
            name: {value: self.slots_of(numbers) for value, numbers in some.items()}
            for name, some in found.items()
        }
        alone = Lazy[int, Slots](lambda number: self.slots_of([number]))  # most terms are of one laboratory
        names = {
            term: self.slots_of(numbers) if len(numbers) > 1 else alone[numbers[0]]
            for term, numbers in all_found(self.memory, NAMES)
        }
        return Postings(by_facet, names, StoredLists(self, TEXTS), StoredLists(self, NUMBERS), self.size)


class StoredLists(Mapping[str, Slots]):
    """The laboratories with each term of a kind, read from the database when they are asked for.

    It must be asked for its own terms alone.
    """

    def __init__(self, source: SearchSource, kind: str) -> None:
        self.source, self.kind = source, kind

    def __getitem__(self, term: str) -> Slots:
        """Return the laboratories with a term."""
        return self.source.found_by(self.kind, term)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the terms."""
        return iter(keys_found(self.source.memory, self.kind))

    def __len__(self) -> int:
        """Return the number of terms."""
        return len(keys_found(self.source.memory, self.kind))


def _kind_of(one: SearchFacet) -> ReferenceKind:
    return ReferenceKind.FACET if one.catalogue and one.catalogue.is_compared else ReferenceKind.ENTRY


def _of_entries(one: SearchFacet, holders: Mapping[int, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the values of a facet that laboratories have, and the laboratories that have each."""
    facets = one.catalogue.facets(one.ids.values()) if one.catalogue else ()
    for value, number in zip(one.ids, facets, strict=True):
        if value in one.others and one.catalogue:
            entries = one.catalogue.facets(one.all_ids(value))
            if some := set().union(*(holders.get(entry, ()) for entry in entries)):
                yield value, some
        elif number in holders:
            yield value, holders[number]
