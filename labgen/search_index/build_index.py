"""Build the whole search index from postings. Pure: same data, same files."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain, groupby
from typing import Any

import orjson

from labgen.search.entry_weights import entry_weight, pack_entries, signs_of
from labgen.search.foldings import is_word
from labgen.search.index_files import (
    CARDS,
    COUNTS,
    ENTRIES,
    VALUES,
    VERSION,
    entry_key,
    number_key,
    slot_key,
    sort_key,
)
from labgen.search.lists import pack
from labgen.search.words import text_terms
from labgen.search_index.index_input import Facet, IndexSettings, Postings, Size, Slots, Value
from labgen.search_index.leaves import FACET_LEAF, Output, listed_files, map_files
from labgen.search_index.slot_sets import SlotSet, compact, joined, packed
from labgen.search_index.slots import slots_per_card_file
from labgen.search_index.vocabulary import SPLITS, Vocabulary, rests_of

FEW_ENTRIES = 4
"""If a word has more entries than these, their laboratories are listed, too."""
ALWAYS_NARROW = 10_000
"""A word that at most so many laboratories have always narrows a search."""
MOST_COUNTED = 512
"""Maximum number of values of a facet that are counted without reading further files."""
SAMPLE = 12_288
"""Approximate maximum number of holders, over all these values, in the file for counting a facet."""
LEAST_SAMPLE = 64

WORDS, DESIGNATIONS, TEXTS, NUMBERS = "words", "designations", "texts", "numbers"
"""Folders of the index, beside those of `index_files`; each facet has another, and a large one two."""

Entry = tuple[str, str]
"""A facet's name and a value."""
PLACE = 54
"""The bits of an id, before which the place of its facet is written."""
Card = tuple[int, Any]
"""A slot, and the Similar-lab item of its laboratory."""


class SearchIndex:
    """The search index of laboratories. The files of each of its `folders` are made separately."""

    def __init__(
        self, facets: Sequence[Facet], postings: Postings, cards: Iterable[Card], settings: IndexSettings
    ) -> None:
        self.facets = {one.name: one for one in facets}
        self.postings = postings
        self.cards = cards
        self.settings = settings
        self.most = most_narrow(postings.size.total)

    @cached_property
    def folders(self) -> tuple[str, ...]:
        """Its folders, those that take longest to make first."""
        own = (WORDS, DESIGNATIONS, CARDS, ENTRIES, NUMBERS, *((TEXTS,) if self.settings.has_texts else ()))
        numbers = {name: map(len, some.values()) for name, some in self.postings.holders.items()}
        return (*own, *map(facet_folder, self.facets), *values_folders(numbers), *SPLITS, COUNTS)

    @cached_property
    def entries(self) -> list[Entry]:
        """The entries that laboratories have, if they have a text."""
        return [
            (facet.name, value)
            for facet in self.facets.values()
            for value in self.postings.holders[facet.name]
            if facet.values[value].text
        ]

    def terms_of(self, entries: Iterable[Entry]) -> list[tuple[Entry, frozenset[str]]]:
        """Return the terms of some entries."""
        return [(one, text_terms(self.facets[one[0]].values[one[1]].text)) for one in entries]

    @cached_property
    def terms_of_entries(self) -> dict[Entry, frozenset[str]]:
        """The terms of the entries that laboratories have."""
        return dict(self.terms_of(self.entries))

    @cached_property
    def entry_weights(self) -> dict[Entry, int]:
        """The weights of the entries that laboratories have (see `entry_weight`)."""
        return {
            (name, value): entry_weight(len(some), one.title)
            for name, holders in self.postings.holders.items()
            for value, some in holders.items()
            if (one := self.facets[name].values[value]).text
        }

    def files(self, folder: str) -> dict[str, bytes]:
        """Return the files of a folder, by their names below it."""
        if folder in (WORDS, DESIGNATIONS):
            return dict(self._terms(are_words=folder == WORDS))
        if folder in SPLITS:
            terms = chain(self.postings.names, *self.terms_of_entries.values())
            rests = rests_of(set(terms), SPLITS[folder])
            return dict(map_files(rests, lambda piece: dump(rests[piece])))
        if folder == TEXTS:
            texts = self.postings.texts
            return dict(map_files(texts, lambda term: text_value(texts[term], self.most)))
        if folder == NUMBERS:
            numbers = self.postings.numbers
            return dict(map_files(numbers, lambda term: dump(pack(numbers[term]))))
        if folder == CARDS:
            return listed_files(card_files(self.cards, self._entries_by_slot(), self.postings.size))
        if folder == ENTRIES:
            return dict(self._entries())
        if folder == COUNTS:
            return listed_files({one: self._counts(facet) for one, facet in self.facets.items()})
        kind, _, name = folder.partition("/")
        return dict(self._values(name) if kind == VALUES else self._facet(self.facets[name]))

    def _facet(self, facet: Facet) -> Output:
        holders = self.postings.holders[facet.name]
        heads = {value: facet_head(facet, value, len(some)) for value, some in holders.items()}
        return map_files(
            holders, lambda value: facet_value(heads[value], holders[value]), heads.__getitem__, FACET_LEAF
        )

    def _entries(self) -> Output:
        """Yield the map of the entries that words refer to."""
        entries = {entry_key(name, self.facets[name].values[value].id): (name, value)
                   for name, value in self.entry_weights}  # fmt: skip

        def head(key: str) -> dict[str, Any]:
            name, value = entries[key]
            return entry_head(self.facets[name], value)

        def value_of(key: str) -> bytes:
            name, value = entries[key]
            return entry_value(head(key), self.postings.holders[name][value])

        return map_files(entries, value_of, head)

    def _entries_by_slot(self) -> dict[int, str]:
        """Return the entries of each laboratory, as the files of cards have them."""
        found: defaultdict[int, list[str]] = defaultdict(list)
        for name, facet in self.facets.items():
            having: defaultdict[int, list[int]] = defaultdict(list)
            for value, slots in self.postings.holders[name].items():
                if facet.values[value].text:
                    for slot in slots:
                        having[slot].append(facet.values[value].id)
            for slot, ids in having.items():
                found[slot].append(entries_member(name, ids))
        return {slot: entries_object(some) for slot, some in found.items()}

    def _values(self, name: str) -> Output:
        """Yield the map of the values that each laboratory has."""
        values, holders = self.facets[name].values, self.postings.holders[name]
        having: defaultdict[int, list[str]] = defaultdict(list)
        for value in sorted(holders, key=lambda value: (values[value].number, value)):
            for slot in holders[value]:
                having[slot].append(value)
        written = {slot_key(slot): values_value(its_values, values) for slot, its_values in having.items()}
        written |= {key: dump(value) for value in holders if (key := key_of_value(value, values))}
        return map_files(written, written.__getitem__)

    def _counts(self, facet: Facet) -> bytes:
        holders = self.postings.holders[facet.name]
        numbers = {value: len(some) for value, some in holders.items()}

        def holders_before(value: str, below: int) -> Slots:
            return holders[value][: bisect_left(holders[value], below)]

        return counts_file(facet, numbers, holders_before, self.postings.size.last)

    def _terms(self, *, are_words: bool) -> Output:
        """Yield the map of words, or of designations."""
        holders = self.postings.holders
        names = {term: some for term, some in self.postings.names.items() if is_word(term) == are_words}
        entries: defaultdict[str, list[Entry]] = defaultdict(list)
        every = frozenset().union(*self.terms_of_entries.values())
        own = {term for term in every if is_word(term) == are_words}
        for entry, its_terms in self.terms_of_entries.items():
            for term in its_terms & own:
                entries[term].append(entry)
        labs = _Laboratories(entries, holders)
        places = {name: place << PLACE for place, name in enumerate(self.facets)}
        codes = {entry: places[entry[0]] + self._id(entry) for entry in self.entry_weights}
        signs = {codes[entry]: signs_of(weight) for entry, weight in self.entry_weights.items()}
        coded = {term: [codes[one] for one in some] for term, some in entries.items()}
        vocabulary = Vocabulary({*names, *entries})
        terms: defaultdict[str, list[str]] = defaultdict(list)
        for term in vocabulary.terms:
            for key in vocabulary.found_under(term):
                terms[key].append(term)

        def value_of(key: str) -> bytes:
            some = terms[key]
            with_it = [term for term in some if term in entries]
            its_codes = sorted(set().union(*[coded[term] for term in with_it]))
            return word_value(
                joined([names[term] for term in some if term in names]),
                joined([labs[term] for term in with_it]) if len(its_codes) > FEW_ENTRIES else (),
                self._references(its_codes, signs),
                self.most,
            )

        return map_files(terms, value_of)

    def _id(self, entry: Entry) -> int:
        name, value = entry
        return self.facets[name].values[value].id

    def _references(self, codes: Sequence[int], signs: Mapping[int, str]) -> dict[str, str]:
        """Return the packed entries by facet; ascending codes have the place of the facet before the id."""
        names = list(self.facets)
        found: dict[str, str] = {}
        while codes:
            place = codes[0] >> PLACE
            end = bisect_left(codes, place + 1 << PLACE)
            ids = [code - (place << PLACE) for code in codes[:end]]
            found[names[place]] = pack_entries(ids, map(signs.__getitem__, codes[:end]))
            codes = codes[end:]
        return found


class _Laboratories(dict[str, SlotSet]):
    """A cache, by term: the laboratories that have an entry with the term."""

    def __init__(
        self, entries: Mapping[str, Sequence[Entry]], holders: Mapping[str, Mapping[str, Slots]]
    ) -> None:
        self._entries, self._holders = entries, holders

    def __missing__(self, term: str) -> SlotSet:
        entries = self._entries[term]
        found = self[term] = compact(joined([self._holders[facet][value] for facet, value in entries]))
        return found


def facet_folder(name: str) -> str:
    """Return the folder of a facet's values."""
    return f"facets/{name}"


def values_folders(numbers: Mapping[str, Iterable[int]]) -> list[str]:
    """Return the folders of the values that each laboratory has, of the facets too large for `counts_file`.

    `numbers` are those of the laboratories with each value, by facet.
    """
    return [values_folder(name) for name, some in numbers.items() if not is_counted_whole(list(some))]


def is_counted_whole(numbers: Sequence[int]) -> bool:
    """Return whether all values of a facet and all laboratories with them are in the file for counting."""
    return len(numbers) <= MOST_COUNTED and sum(numbers) <= SAMPLE


def values_folder(name: str) -> str:
    """Return the folder of the values of a facet that each laboratory has."""
    return f"{VALUES}/{name}"


def values_value(some: Sequence[str], values: Mapping[str, Value]) -> bytes:
    """Return the JSON of the values of a facet that a laboratory has: their numbers, or themselves.

    `some` are in the order of their numbers; `values` are all of the facet.
    """
    numbers = [values[one].number for one in some]
    return dump(pack(numbers) if numbers[0] else some)


def key_of_value(value: str, values: Mapping[str, Value]) -> str:
    """Return the key under which clients find a value by its number, "" if they need not look it up."""
    number = values[value].number
    return number_key(number) if number and value != str(number) else ""


def dump(value: Any) -> bytes:
    """Encode a value as JSON."""
    return orjson.dumps(value)


def index_document(
    facets: Iterable[Facet],
    values: Mapping[str, Collection[str]],
    settings: IndexSettings,
    size: Size,
    roots: Mapping[str, str],
) -> bytes:
    """Return index.json, which a client reads first; `values` are those of each facet.

    `roots` are the names of the files that list the others of a folder, by the folder.
    """
    document = {
        "version": VERSION,
        "count": size.total,
        "path": settings.path,
        "page_size": settings.page_size,
        "slots_per_card_file": slots_per_card_file(size.last, size.total),
        "has_texts": settings.has_texts,
        "invalid_page": settings.invalid_page,
        "invalid_value": settings.invalid_value,
        **({"synonyms": settings.synonyms} if settings.synonyms else {}),
        "roots": dict(sorted(roots.items())),
        "facets": [
            {
                "name": one.name,
                "search_arg": one.search_arg,
                "title": one.title,
                "values": len(values[one.name]),
                **({"only": list(one.values)} if one.is_closed else {}),
                **({"commas": commas} if (commas := most_commas(values[one.name])) else {}),
            }
            for one in facets
        ],
    }
    return dump(document)


def most_commas(values: Iterable[str]) -> int:
    """Return how many commas a value has at most."""
    return max((one.count(",") for one in values), default=0)


def facet_head(facet: Facet, value: str, count: int) -> dict[str, Any]:
    """Return the title of a facet value, and the number of its laboratories."""
    return {"title": facet.values[value].title, "count": count}


def facet_value(head: Mapping[str, Any], slots: Slots) -> bytes:
    """Return the JSON of a facet value, with the laboratories that have it."""
    return dump({**head, "labs": pack(slots)})


def counts_file(
    facet: Facet, numbers: Mapping[str, int], holders_before: Callable[[str, int], Slots], last: int
) -> bytes:
    """Return the commonest values of a facet as JSON, with the laboratories of a sample that have each.

    The sample is the laboratories with the first slots. `numbers` is the number of laboratories with each
    value; `holders_before` returns the laboratories with a value whose slots are below a limit.
    """
    ranked = sorted(numbers, key=lambda value: (-numbers[value], sort_key(value)))
    top = ranked[:MOST_COUNTED]
    total = sum(numbers[value] for value in top)
    below = last + 1 if total <= SAMPLE else max(LEAST_SAMPLE, (last + 1) * SAMPLE // total)
    some = [[value, facet.values[value].title, pack(holders_before(value, below))] for value in top]
    return dump({"below": below, "values": some})


def most_narrow(count: int) -> int:
    """Return how many laboratories a word that narrows a search may have: 10,000, or a power of two."""
    return max(ALWAYS_NARROW, 1 << count.bit_length() >> 1)


def word_value(named: SlotSet, labs: SlotSet, entries: Mapping[str, str], most: int) -> bytes:
    """Return the JSON of a word: laboratories with it in name or place; those of its entries; its entries.

    `labs` are given if there are more than `FEW_ENTRIES`; `entries` are packed, by facet.
    """
    return dump(narrow_value({"named": named, "labs": labs}, most) | reference_to(entries))


def narrow_value(lists: Mapping[str, SlotSet | int], most: int) -> dict[str, Any]:
    """Return the lists of laboratories of a word, by the names of the lists, without empty lists.

    A list with more than `most` laboratories does not narrow a search, and is replaced with its length. Such
    a list may be given as its length.
    """
    lengths = {name: some if isinstance(some, int) else len(some) for name, some in lists.items()}
    value: dict[str, Any] = {}
    if too_long := {name: length for name, length in lengths.items() if length > most}:
        value |= {"is_common": True, "counts": too_long}
    kept = {name: some for name, some in lists.items() if name not in too_long and not isinstance(some, int)}
    return value | {name: packed(some) for name, some in kept.items() if some}


def reference_to(entries: Mapping[str, str]) -> dict[str, Any]:
    """Return references to the entries with a word, packed by facet, if there are any."""
    return {"entries": dict(sorted(entries.items()))} if entries else {}


def entry_head(facet: Facet, value: str) -> dict[str, Any]:
    """Return what is shown of an entry: its search_val and its title."""
    return {"search_val": value, "title": facet.values[value].title}


def entry_value(head: Mapping[str, Any], slots: Slots) -> bytes:
    """Return the JSON of an entry, with the laboratories that have it."""
    return dump({**head, "labs": pack(slots)})


def entries_member(name: str, ids: Iterable[int]) -> str:
    """Return the JSON of the ids of a laboratory's entries of a facet, as a member of an object."""
    return f'"{name}":"{pack(sorted(ids))}"'


def entries_object(members: Iterable[str]) -> str:
    """Return the JSON of a laboratory's entries; `members` are in the order of the facets."""
    return f"{{{','.join(members)}}}"


def text_value(slots: Slots, most: int) -> bytes:
    """Return the JSON of the laboratories with a word in their free texts; `true` if there are too many."""
    return dump(pack(slots) if len(slots) <= most else True)


def card_files(cards: Iterable[Card], entries: Mapping[int, str], size: Size) -> dict[str, bytes]:
    """Return the contents of the files of cards by number; `cards` must be in order of slots.

    A file has the Similar-lab items by slot, and beside them `entries`, the ids of the entries by slot.
    """
    per_file = slots_per_card_file(size.last, size.total)
    files = groupby(cards, lambda card: card[0] // per_file)
    return {str(number): _card_file(dict(some), entries) for number, some in files}


def _card_file(cards: Mapping[int, Any], entries: Mapping[int, str]) -> bytes:
    own = {str(slot): orjson.Fragment(entries[slot]) for slot in cards if slot in entries}
    return dump({**{str(slot): card for slot, card in cards.items()}, "entries": own})
