"""Weigh the entries that words refer to (labgen/search/README.md, "Entries").

A weight says what decides which entries are read first: how many laboratories have an entry, and how long its
title is. So an entry that is the query is known before its title is read.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from labgen.search.foldings import STOP_WORDS, readable
from labgen.search.items import LUMP, items_of
from labgen.search.lists import count_in, numbers_in, pack, signs_of, unpack

LONGEST_TITLE = 63
MOST_POPULAR = 7
POPULARITIES = MOST_POPULAR + 1
LENGTHS = LONGEST_TITLE + 1
"""What a popularity counts in a weight."""
_POINT = "."
"""What stands between the ids of entries and their weights."""


def entry_weight(laboratories: int, title: str) -> int:
    """Return the weight of an entry with a title and a number of laboratories."""
    popularity = min(MOST_POPULAR, laboratories.bit_length() // 2)
    return popularity * LENGTHS + length_of(title)


def length_of(text: str) -> int:
    """Return how many letters and digits the words and signs of a text have, up to `LONGEST_TITLE`."""
    return min(LONGEST_TITLE, sum(map(_length_of, LUMP.findall(readable(text)))))


@lru_cache(maxsize=65_536)
def _length_of(lump: str) -> int:
    return sum(len(one.text) for one in items_of(lump) if STOP_WORDS.isdisjoint(one.forms))


def popularity_of(weight: int) -> int:
    """Return the popularity in a weight: the same for entries that are about as frequent."""
    return weight // LENGTHS


def title_length_of(weight: int) -> int:
    """Return the length of the title in a weight."""
    return weight % LENGTHS


_SIGNS = [
    signs_of((LONGEST_TITLE - title_length_of(weight)) * POPULARITIES + popularity_of(weight))
    for weight in range(POPULARITIES * LENGTHS)
]


def signs_of_weight(weight: int) -> str:
    """Encode a weight: a single sign if the title has 60 letters and digits or more."""
    return _SIGNS[weight]


def pack_entries(ids: Sequence[int], signs: Iterable[str]) -> str:
    """Encode entries of a facet: their ascending ids as a list, and the signs of their weights."""
    return f"{pack(ids)}{_POINT}{''.join(signs)}"


def entry_count(packed: str) -> int:
    """Return the number of published entries."""
    return count_in(packed.rpartition(_POINT)[2])


def unpack_entries(packed: str) -> dict[int, int]:
    """Decode published entries to weights by id."""
    ids, _, signs = packed.partition(_POINT)
    numbers = numbers_in(signs)
    weights = [one % POPULARITIES * LENGTHS + LONGEST_TITLE - one // POPULARITIES for one in numbers]
    return dict(zip(unpack(ids), weights, strict=True))
