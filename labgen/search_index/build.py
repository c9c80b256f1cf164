"""The whole search index, made from all laboratories. Pure: same data, same files."""

from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import orjson

from labgen.search.files import INDEX, sort_key
from labgen.search.lists import pack
from labgen.search.words import certificate_terms, text_terms
from labgen.search_index.leaves import Output, map_files
from labgen.search_index.records import Facet, IndexSettings, SearchRecord
from labgen.search_index.slots import slots_of, slots_per_card_file
from labgen.search_index.vocabulary import Vocabulary, ends_of

VERSION = 1
"""The version of the files' format. A client refuses another."""
FEW_ENTRIES = 4
"""Entries that a word refers to; where there are more, the laboratories of all of them are listed."""
ALWAYS_NARROW = 10_000
"""A word that no more laboratories have always narrows a search."""
MOST_COUNTED = 512
"""Values of a facet that are counted without further files."""
SAMPLE = 24_576
"""Memberships of these values that are published for counting, in one file for each facet."""
LEAST_SAMPLE = 64

Slots = Sequence[int]
EntryKey = tuple[str, str]
"""A facet's name and a value."""


def index_files(
    facets: Sequence[Facet], records: Collection[SearchRecord], settings: IndexSettings
) -> Output:
    """Yield the files of the index of some laboratories."""
    slots = slots_of([one.display_id for one in records])
    in_order = sorted(records, key=lambda one: slots[one.display_id])
    last = max(slots.values(), default=0)
    holders = holders_of(facets, in_order, slots)
    for facet in facets:
        yield from facet_files(facet, holders[facet.name], last)
    yield from word_files(facets, holders, in_order, slots)
    if settings.has_texts:
        yield from text_files(in_order, slots)
    yield from number_files(in_order, slots)
    per_file = slots_per_card_file(last, len(slots))
    yield from card_files(in_order, slots, per_file)
    yield INDEX, orjson.dumps(index_document(facets, holders, settings, len(slots), per_file))


def index_document(
    facets: Sequence[Facet],
    holders: Mapping[str, Mapping[str, Slots]],
    settings: IndexSettings,
    count: int,
    per_file: int,
) -> dict[str, Any]:
    """Return what a client reads first."""
    return {
        "version": VERSION,
        "count": count,
        "path": settings.path,
        "section": settings.section,
        "page_size": settings.page_size,
        "slots_per_card_file": per_file,
        "has_texts": settings.has_texts,
        "invalid_page": settings.invalid_page,
        "facets": [
            {
                "name": one.name,
                "search_arg": one.search_arg,
                "title": one.title,
                "values": len(holders[one.name]),
            }
            for one in facets
        ],
    }


def holders_of(
    facets: Sequence[Facet], in_order: Iterable[SearchRecord], slots: Mapping[str, int]
) -> dict[str, dict[str, Slots]]:
    """Return the laboratories that have each value of each facet, in order."""
    holders: dict[str, defaultdict[str, array[int]]] = {
        one.name: defaultdict(lambda: array("I")) for one in facets
    }
    for record in in_order:
        slot = slots[record.display_id]
        for name, values in record.values.items():
            for value in dict.fromkeys(values):
                holders[name][value].append(slot)
    return {name: dict(values) for name, values in holders.items()}


def facet_files(facet: Facet, holders: Mapping[str, Slots], last: int) -> Output:
    """Yield the map of a facet's values, and the file from which they are counted."""
    heads = {
        value: {"title": facet.values[value].title, "count": len(some)} for value, some in holders.items()
    }
    values = {value: orjson.dumps({**heads[value], "labs": pack(some)}) for value, some in holders.items()}
    yield from map_files(f"facets/{facet.name}", values, heads.__getitem__)
    yield f"counts/{facet.name}.json", counts_file(facet, holders, last)


def counts_file(facet: Facet, holders: Mapping[str, Slots], last: int) -> bytes:
    """Return the values that most laboratories have, and which of the first laboratories have them."""
    ranked = sorted(holders, key=lambda value: (-len(holders[value]), sort_key(value)))
    top = ranked[:MOST_COUNTED]
    total = sum(len(holders[value]) for value in top)
    below = last + 1 if total <= SAMPLE else max(LEAST_SAMPLE, (last + 1) * SAMPLE // total)
    some = [
        [value, facet.values[value].title, pack([slot for slot in holders[value] if slot < below])]
        for value in top
    ]
    is_whole = below > last and len(top) == len(ranked)
    return orjson.dumps({"is_whole": is_whole, "below": below, "values": some})


def word_files(
    facets: Sequence[Facet],
    holders: Mapping[str, Mapping[str, Slots]],
    in_order: Sequence[SearchRecord],
    slots: Mapping[str, int],
) -> Output:
    """Yield the maps of words and of the ends of words."""
    terms_of_entries = {
        (facet.name, value): text_terms(facet.values[value].text)
        for facet in facets
        for value in holders[facet.name]
        if facet.values[value].text
    }
    names = [text_terms(one.name) for one in in_order]
    vocabulary = Vocabulary(set(chain(*terms_of_entries.values(), *names)))
    entries: defaultdict[str, list[EntryKey]] = defaultdict(list)
    for entry, terms in terms_of_entries.items():
        for key in vocabulary.keys_of(terms):
            entries[key].append(entry)
    named: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
    for record, terms in zip(in_order, names, strict=True):
        for key in vocabulary.keys_of(terms):
            named[key].append(slots[record.display_id])
    most = most_narrow(len(slots))
    values = {
        key: word_value(named.get(key, ()), entries.get(key, ()), holders, most) for key in vocabulary.keys
    }
    yield from map_files("words", values)
    ends = ends_of(vocabulary.terms)
    yield from map_files("ends", {end: orjson.dumps(heads) for end, heads in ends.items()})


def most_narrow(count: int) -> int:
    """Return how many laboratories may have a word that narrows a search: a power of two, or 10,000."""
    return max(ALWAYS_NARROW, 1 << count.bit_length() >> 1)


def word_value(
    named: Slots, entries: Sequence[EntryKey], holders: Mapping[str, Mapping[str, Slots]], most: int
) -> bytes:
    """Return who has a word in name or place, and the entries with it or their laboratories, as JSON."""
    value: dict[str, Any] = {}
    merged = (
        sorted(set().union(*[holders[facet][one] for facet, one in entries]))
        if len(entries) > FEW_ENTRIES
        else []
    )
    if len(named) > most or len(merged) > most:
        value["is_common"] = True
    if named and len(named) <= most:
        value["named"] = pack(named)
    if merged and len(merged) <= most:
        value["labs"] = pack(merged)
    if 0 < len(entries) <= FEW_ENTRIES:
        see: defaultdict[str, list[str]] = defaultdict(list)
        for facet, one in entries:
            see[facet].append(one)
        value["see"] = {facet: sorted(see[facet], key=sort_key) for facet in sorted(see)}
    return orjson.dumps(value)


def text_files(in_order: Iterable[SearchRecord], slots: Mapping[str, int]) -> Output:
    """Yield the map of the words of free texts; `true` stands for a word that is common."""
    said: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
    for record in in_order:
        for term in text_terms(record.texts):
            said[term].append(slots[record.display_id])
    most = most_narrow(len(slots))
    values = {term: orjson.dumps(pack(some) if len(some) <= most else True) for term, some in said.items()}
    yield from map_files("texts", values)


def number_files(in_order: Iterable[SearchRecord], slots: Mapping[str, int]) -> Output:
    """Yield the map of certificates' numbers."""
    holders: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
    for record in in_order:
        for term in frozenset().union(*map(certificate_terms, record.numbers)):
            holders[term].append(slots[record.display_id])
    yield from map_files("numbers", {term: orjson.dumps(pack(some)) for term, some in holders.items()})


def card_files(in_order: Iterable[SearchRecord], slots: Mapping[str, int], per_file: int) -> Output:
    """Yield the files of Similar-lab items, by slot."""
    files: defaultdict[int, dict[str, Any]] = defaultdict(dict)
    for record in in_order:
        slot = slots[record.display_id]
        files[slot // per_file][str(slot)] = record.card
    for number, cards in files.items():
        yield f"cards/{number}.json", orjson.dumps(cards)
