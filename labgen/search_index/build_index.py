"""Build the whole search index from postings. Pure: same data, same files."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from types import MappingProxyType

from labgen.search.entry_weights import entry_weight, pack_entries, signs_of_weight
from labgen.search.foldings import is_word
from labgen.search.index_files import (
    CARDS,
    COUNTS,
    ENTRIES,
    ORDERS,
    OWNED,
    PART,
    entry_key,
    facet_key,
    slot_key,
)
from labgen.search.lists import pack, union
from labgen.search.words import text_terms
from labgen.search_index.contents import (
    DESIGNATIONS,
    FEW_ENTRIES,
    NUMBERS,
    TEXTS,
    WORDS,
    Card,
    Entry,
    card_files,
    counts_file,
    dump,
    entry_value,
    facet_folder,
    facet_value,
    most_narrow,
    names_of,
    text_value,
    word_value,
)
from labgen.search_index.index_input import Facet, IndexSettings, Postings, Slots
from labgen.search_index.leaves import FACET_LEAF, Output, listed_files, map_files
from labgen.search_index.slot_sets import SlotSet, joined, with_bits
from labgen.search_index.vocabulary import SPLITS, DesignationsByKey, rests_of, words_by_key

PLACE = 54
"""The bits of an id, before which the place of its facet is written."""
TERMS_AT_A_TIME = 1024
"""Of how many terms the laboratories are kept while a map is made."""
TermsFound = Iterable[tuple[Entry, frozenset[str]]]
Work = Callable[[Sequence[Entry]], TermsFound]


def run_here(work: Work, entries: Sequence[Entry]) -> TermsFound:
    """Do work for all entries in this process."""
    return work(entries)


class SearchIndex:
    """The search index of laboratories. The files of each of its `folders` are made separately.

    `run` does work for entries, in as many processes as it likes, and returns the results in any order.
    `orders` are the files of the orders other than that of the slots, by field (see `order_file`).
    """

    def __init__(
        self,
        facets: Sequence[Facet],
        postings: Postings,
        cards: Iterable[Card],
        settings: IndexSettings,
        run: Callable[[Work, Sequence[Entry]], TermsFound] = run_here,
        *,
        orders: Mapping[str, bytes] = MappingProxyType({}),
    ) -> None:
        self.run = run
        self.orders = orders
        self.facets = {one.name: one for one in facets}
        self.postings = postings
        self.cards = cards
        self.settings = settings
        self.most = most_narrow(postings.size.total)

    @cached_property
    def folders(self) -> tuple[str, ...]:
        """Its folders, those that take longest to make first, but `OWNED`, which takes much memory."""
        texts = (TEXTS,) if self.settings.has_texts else ()
        own = (DESIGNATIONS, WORDS, ENTRIES, NUMBERS, CARDS, *texts, OWNED)
        return (*own, *map(facet_folder, self.facets), *SPLITS, COUNTS, ORDERS)

    @cached_property
    def terms_of_entries(self) -> dict[Entry, frozenset[str]]:
        """The terms of the entries that laboratories have."""
        entries = [
            (facet.name, value)
            for facet in self.facets.values()
            for value in self.postings.holders[facet.name]
            if facet.values[value].text
        ]

        def work(some: Sequence[Entry]) -> TermsFound:
            return [((name, value), text_terms(self.facets[name].values[value].text)) for name, value in some]

        found = dict(self.run(work, entries))
        return {one: found[one] for one in entries}

    @cached_property
    def entry_weights(self) -> dict[Entry, int]:
        """The weights of the entries that laboratories have (see `entry_weight`)."""
        return {
            (name, value): entry_weight(len(some), one.title)
            for name, holders in self.postings.holders.items()
            for value, some in holders.items()
            if (one := self.facets[name].values[value]).text
        }

    @cached_property
    def codes(self) -> dict[Entry, int]:
        """The numbers of the entries with weights: the place of the facet, then the id in `PLACE` bits."""
        places = {name: place << PLACE for place, name in enumerate(self.facets)}
        return {entry: places[entry[0]] + self._id(entry) for entry in self.entry_weights}

    @cached_property
    def labs_by_code(self) -> dict[int, SlotSet]:
        """The laboratories that have each of these entries, by its number."""
        holders = self.postings.holders
        lists = {code: holders[name][value] for (name, value), code in self.codes.items()}
        return with_bits(lists, self.postings.size.last)

    def prepare(self) -> None:
        """Make what several folders share, so that processes that are forked after it share it, too."""
        _ = self.terms_of_entries, self.labs_by_code

    def files(self, folder: str) -> Iterable[tuple[str, bytes]]:
        """Return the names of the files of a folder, below it, and their bytes; most are made one by one."""
        if folder in (WORDS, DESIGNATIONS):
            return self._terms(are_words=folder == WORDS)
        if folder in SPLITS:
            terms = chain(self.postings.names, *self.terms_of_entries.values())
            rests = rests_of(set(terms), SPLITS[folder])
            return map_files(rests, lambda piece: dump(rests[piece]))
        if folder == TEXTS:
            texts = self.postings.texts
            return map_files(texts, lambda term: text_value(texts[term], self.most))
        if folder == NUMBERS:
            numbers = self.postings.numbers
            return map_files(numbers, lambda term: dump(pack(numbers[term])))
        if folder == CARDS:
            return listed_files(card_files(self.cards, self.postings.size)).items()
        if folder == OWNED:
            return self._owned()
        if folder == ENTRIES:
            return self._entries()
        if folder == COUNTS:
            return listed_files({one: self._counts(facet) for one, facet in self.facets.items()}).items()
        if folder == ORDERS:
            return listed_files(self.orders).items()
        return self._facet(self.facets[folder.partition("/")[2]])

    def _facet(self, facet: Facet) -> Output:
        """Yield the map of the values of a facet."""
        holders = self.postings.holders[facet.name]
        return map_files(
            holders,
            lambda value: facet_value(facet, value, holders[value]),
            FACET_LEAF,
        )

    def _entries(self) -> Output:
        """Yield the map of the entries that words refer to."""
        entries = {entry_key(name, self.facets[name].values[value].id): (name, value)
                   for name, value in self.entry_weights}  # fmt: skip

        def value_of(key: str) -> bytes:
            name, value = entries[key]
            return entry_value(self.facets[name], value, self.postings.holders[name][value])

        return map_files(entries, value_of)

    def _owned(self) -> Output:
        """Yield the map of what each laboratory has, by facet: values in a list, or packed ids of entries."""
        nothing: list[str | list[str]] = [""] * len(self.facets)
        found = [nothing.copy() for _ in range(self.postings.size.last + 1)]
        for place, (name, facet) in enumerate(self.facets.items()):
            ids: list[list[int]] = [[] for _ in found]
            for value, slots in self.postings.holders[name].items():
                one = facet.values[value]
                if one.text:
                    id_ = one.id
                    for slot in slots:
                        ids[slot].append(id_)
                else:
                    for slot in slots:
                        found[slot][place] = [value]
            for own, some in zip(found, ids, strict=True):
                if some:
                    own[place] = pack(sorted(some))
        values = {slot_key(slot): own for slot, own in enumerate(found) if own != nothing}
        return map_files(values, lambda key: dump(values[key]), most=FACET_LEAF)

    def _counts(self, facet: Facet) -> bytes:
        holders = self.postings.holders[facet.name]
        numbers = {value: len(some) for value, some in holders.items()}

        def holders_before(value: str, below: int) -> Slots:
            return holders[value][: bisect_left(holders[value], below)]

        return counts_file(facet, numbers, holders_before, self.postings.size.last)

    def _terms(self, *, are_words: bool) -> Output:
        """Yield the map of words, or of designations."""
        names, codes, labs = self.postings.names, self.codes, self.labs_by_code
        signs = {codes[entry]: signs_of_weight(weight) for entry, weight in self.entry_weights.items()}
        entries: defaultdict[str, list[int]] = defaultdict(list)
        every = frozenset().union(*self.terms_of_entries.values())
        own = {term for term in every if is_word(term) == are_words}
        for entry in sorted(self.terms_of_entries, key=codes.__getitem__):
            for term in self.terms_of_entries[entry] & own:
                entries[term].append(codes[entry])
        own.update(term for term in names if is_word(term) == are_words)
        terms = words_by_key(own) if are_words else DesignationsByKey(own)

        @lru_cache(maxsize=TERMS_AT_A_TIME)  # keys that follow each other share terms
        def labs_of(term: str) -> SlotSet:
            return joined([labs[code] for code in entries[term]])

        def value_of(key: str) -> bytes:
            some = terms[key]
            its_codes = union([codes_of for term in some if (codes_of := entries.get(term))])
            return word_value(
                names_of(
                    key.removeprefix(PART), {term: named for term in some if (named := names.get(term))}
                ),
                joined([labs_of(term) for term in some if term in entries])
                if len(its_codes) > FEW_ENTRIES
                else (),
                self._references(its_codes, signs),
                self.most,
            )

        return map_files(terms, value_of)

    def _id(self, entry: Entry) -> int:
        name, value = entry
        return self.facets[name].values[value].id

    def _references(self, codes: Sequence[int], signs: Mapping[int, str]) -> dict[str, str]:
        """Return the packed entries by `facet_key`; codes ascend: the place of the facet before the id."""
        found: dict[str, str] = {}
        while codes:
            place = codes[0] >> PLACE
            end = bisect_left(codes, place + 1 << PLACE)
            ids = [code - (place << PLACE) for code in codes[:end]]
            found[facet_key(place)] = pack_entries(ids, map(signs.__getitem__, codes[:end]))
            codes = codes[end:]
        return found
