"""Define the folders of a search index, and what its files hold, as clients read it."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import orjson

from labgen.search.index_files import BEGIN, BEGUN, INNER, NAME_LISTS, VERSION, WHOLE, sort_key
from labgen.search.lists import pack, unpack
from labgen.search_index.index_input import Facet, IndexSettings, Size, Slots
from labgen.search_index.slot_sets import SlotSet, joined, packed, without
from labgen.search_index.slots import slots_per_card_file

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
"""Folders of the index, beside those of `index_files`; each facet has another."""

Entry = tuple[str, str]
"""A facet's name and a value."""
Card = tuple[int, Any]
"""A slot, and the Similar-lab item of its laboratory."""


def facet_folder(name: str) -> str:
    """Return the folder of a facet's values."""
    return f"facets/{name}"


def dump(value: Any) -> bytes:
    """Encode a value as JSON."""
    return orjson.dumps(value)


def index_document(
    facets: Iterable[Facet],
    values: Mapping[str, Collection[str]],
    settings: IndexSettings,
    size: Size,
    roots: Mapping[str, Any],
) -> bytes:
    """Return index.json, which a client reads first; `values` are those of each facet.

    `roots` are the lists of the files in each folder, or the names of files with such a list.
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


def facet_value(facet: Facet, value: str, slots: Slots) -> bytes:
    """Return the JSON of a facet value: the id of its entry in a catalogue, or else its title and `labs`."""
    one = facet.values[value]
    is_entry = one.text and not one.code  # a search in a country is frequent, and has one file less to read
    return dump(one.number if is_entry else {"title": one.title, "labs": pack(slots)})


def counts_file(
    facet: Facet, numbers: Mapping[str, int], holders_before: Callable[[str, int], Slots], last: int
) -> bytes:
    """Return the commonest values of a facet as JSON, with the laboratories of a sample that have each.

    The sample is the laboratories with the first slots. `numbers` is the number of laboratories with each
    value; `holders_before` returns the laboratories with a value whose slots are below a limit.
    """
    top = commonest(numbers, MOST_COUNTED)
    total = sum(numbers[value] for value in top)
    below = last + 1 if total <= SAMPLE else max(LEAST_SAMPLE, (last + 1) * SAMPLE // total)
    some = [[value, facet.values[value].title, pack(holders_before(value, below))] for value in top]
    return dump({"below": below, "values": some})


def commonest(numbers: Mapping[str, int], most: int) -> list[str]:
    """Return the values with the greatest numbers, in their order: at most `most` of them."""
    (least,) = sorted(numbers.values(), reverse=True)[most - 1 : most] or [0]  # so few need a sort key
    some = [value for value, number in numbers.items() if number >= least]
    return sorted(some, key=lambda value: (-numbers[value], sort_key(value)))[:most]


def most_narrow(count: int) -> int:
    """Return how many laboratories a word that narrows a search may have: 10,000, or a power of two."""
    return max(ALWAYS_NARROW, 1 << count.bit_length() >> 1)


def list_of_names(part: str, terms: Collection[str]) -> str:
    """Return which of `NAME_LISTS` of a part has a laboratory whose name and place have these terms.

    `terms` are those that are found under the part. None of them: "".
    """
    plain = part.removesuffix(BEGIN)
    if part in terms:
        return WHOLE
    return BEGUN if any(one.startswith(plain) for one in terms) else INNER if terms else ""


def names_of(part: str, holders: Mapping[str, SlotSet]) -> dict[str, SlotSet]:
    """Return the laboratories with a part in name or place, each in the first list that it can be in.

    `holders` are those of each term that is found under the part.
    """
    by_list = defaultdict[str, list[SlotSet]](list)
    for term, slots in holders.items():
        by_list[list_of_names(part, [term])].append(slots)
    found: dict[str, SlotSet] = {}
    for name in filter(by_list.__contains__, NAME_LISTS):
        found[name] = without(joined(by_list[name]), joined([*found.values()]))
    return found


def word_value(names: Mapping[str, SlotSet], labs: SlotSet, entries: Mapping[str, str], most: int) -> bytes:
    """Return the JSON of a word: laboratories with it in name or place; those of its entries; its entries.

    `names` are those of `names_of`; `labs` are given if there are more than `FEW_ENTRIES`; `entries` are
    packed, by `facet_key`.
    """
    return dump(narrow_value({**names, "labs": labs}, most) | dict(sorted(entries.items())))


def narrow_value(lists: Mapping[str, SlotSet | int], most: int) -> dict[str, Any]:
    """Return the lists of laboratories of a word, by the names of the lists, without empty lists.

    A list with more than `most` laboratories does not narrow a search, and is replaced with its length. Such
    a list may be given as its length.
    """
    value: dict[str, Any] = {}
    counts: dict[str, int] = {}
    for name, some in lists.items():
        length = some if isinstance(some, int) else len(some)
        if isinstance(some, int) or length > most:
            counts[name] = length
        elif length:
            value[name] = packed(some)
    return {"is_common": True, "counts": counts, **value} if counts else value


def entry_value(facet: Facet, value: str, slots: Slots) -> bytes:
    """Return the JSON of an entry: its search_val, its title, the laboratories that have it."""
    return dump([value, facet.values[value].title, pack(slots)])


def text_value(slots: Slots, most: int) -> bytes:
    """Return the JSON of the laboratories with a word in their free texts; `true` if there are too many."""
    return dump(pack(slots) if len(slots) <= most else True)


def order_file(groups: Iterable[Slots], values: Sequence[str] = ()) -> bytes:
    """Return the JSON of an order: groups of equal laboratories, and the value of each group."""
    own = {"values": values} if values else {}
    return dump({"labs": ",".join(map(pack, groups)), **own})


def moved_order_file(
    published: bytes, gone: Iterable[int], new: Iterable[int], sort_key_of: Callable[[int], Any]
) -> bytes:
    """Return a published order without values, with some laboratories, given as slots, removed and added.

    Raises ValueError if one of them is in a group with others.
    """

    def key_of(group: str) -> Any:
        return sort_key_of(unpack(group)[0])

    groups = orjson.loads(published)["labs"].split(",")
    for slot in gone:
        groups.remove(pack([slot]))
    for slot in new:
        key = sort_key_of(slot)
        at = bisect_left(groups, key, key=key_of)
        if key in map(key_of, groups[at : at + 1]):
            raise ValueError
        groups.insert(at, pack([slot]))
    return dump({"labs": ",".join(groups)})


def card_files(cards: Iterable[Card], size: Size) -> dict[str, bytes]:
    """Return the contents of the files of cards by number; `cards` must be in order of slots.

    A file has the Similar-lab items by slot.
    """
    per_file = slots_per_card_file(size.last, size.total)
    files = groupby(cards, lambda card: card[0] // per_file)
    return {str(number): dump({str(slot): card for slot, card in some}) for number, some in files}
