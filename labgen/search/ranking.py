"""Order what a search finds, and say why it was found (labgen/search/README.md, "Order" and "Matches")."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from labgen.search.entry_weights import LONGEST_TITLE, length_of, popularity_of, title_length_of
from labgen.search.foldings import STOP_WORDS, is_word, readable
from labgen.search.heads import is_publisher
from labgen.search.index_files import Files
from labgen.search.items import items_of
from labgen.search.lists import unpack
from labgen.search.lookup import EntryKey, Sought
from labgen.search.marking import marked

MOST_READ = 4
"""Maximum number of entries that are read to order results: titles, and of many results who has them."""
MOST_RANKED = 30
"""Maximum number of words that decide the order: they are bits of a number."""
MOST_SHOWN = 3
"""Maximum number of entries that say why a laboratory was found."""
MOST_SUGGESTED = 8
"""Maximum number of entries that are suggested."""


class Match(NamedTuple):
    """An entry with words of a query: a bit for each in `words`; `exactness` says if it has no others."""

    key: EntryKey
    weight: int
    words: int
    exactness: int


Standing = tuple[int, int, int, bool]
"""How many words a laboratory has in name, place and its best entry, how many in it, its exactness, begun."""


class Ranking:
    """The words of a query, the entries that have them, and who has them in name or place."""

    def __init__(self, files: Files, sought: Iterable[Sought], text: str) -> None:
        self.files, self.text = files, text
        self.sought = [one for one in sought if one.found.slots or one.found.entries][:MOST_RANKED]
        self.whole = _bits([one.found.whole for one in self.sought])
        self.begun = _bits([one.found.begun for one in self.sought])
        self.having = _bits([one.found.having for one in self.sought])
        self.places = {one["name"]: place for place, one in enumerate(files.index()["facets"])}
        entries = self._entries()
        lengths = {words: self._lengths(words) for words in {words for _, words in entries.values()}}
        self.matches: dict[EntryKey, Match] = {
            key: Match(key, weight, words, lengths[words].get(title_length_of(weight), 0))
            for key, (weight, words) in entries.items()
        }
        self._check_titles()

    def _check_titles(self) -> None:
        """Note which of the first entries that may be the query have none of its words in their titles."""
        every = (1 << len(self.sought)) - 1
        some = [one for one in self.matches.values() if one.exactness and one.words == every]
        for match in sorted(some, key=lambda one: (*_worth(one), *self._order(one)))[:MOST_READ]:
            if len(self._marked(match, every)) == 1:
                self.matches[match.key] = match._replace(exactness=0)

    def _marked(self, match: Match, words: int) -> list[str]:
        """Return the title of an entry in parts, by these words."""
        title = self.files.entry(*match.key).get("title", "")
        return marked(title, [one.forms for one in self.with_words(words)])

    def _entries(self) -> dict[EntryKey, tuple[int, int]]:
        """Return the weight of each entry with words of the query, and these words."""
        found: dict[EntryKey, tuple[int, int]] = {}
        for place, one in enumerate(self.sought):
            for key, weight in one.found.entries.items():
                found[key] = weight, found.get(key, (0, 0))[1] | 1 << place
        return found

    def _lengths(self, words: int) -> dict[int, int]:
        """Return the exactness of titles by length: 2 for that of these words, 1 of what means the same."""
        some = self.with_words(words)
        lengths = frozenset({0})
        for one in some:
            own = {length_of(text) for text in one.meaning or (one.text,)}
            lengths = frozenset(min(length + more, LONGEST_TITLE) for length in lengths for more in own)
        typed = min(sum(length_of(one.text) for one in some), LONGEST_TITLE)
        return dict.fromkeys(lengths, 1) | {typed: 2}

    def with_words(self, words: int) -> list[Sought]:
        """Return the words and designations that have a bit in `words`."""
        return [one for place, one in enumerate(self.sought) if words >> place & 1]

    def order(self, match: Match) -> tuple[Any, ...]:
        """Return a sort key: more words first, then whole entries, begun ones, frequent ones, short ones."""
        return *_worth(match), match.key not in self._begun, *self._order(match)

    def _order(self, match: Match) -> tuple[Any, ...]:
        (facet, number), weight = match.key, match.weight
        return -popularity_of(weight), title_length_of(weight), self.places[facet], number

    @cached_property
    def _begun(self) -> frozenset[EntryKey]:
        """The first entries whose titles begin with a designation of the query."""
        bits = sum(1 << at for at, one in enumerate(self.sought) if not all(map(is_word, one.forms)))
        some = [one for one in self.matches.values() if one.words & bits]
        first = sorted(some, key=lambda one: (*_worth(one), *self._order(one)))[:MOST_READ]
        return frozenset(one.key for one in first if self._begins(one, one.words & bits))

    def _begins(self, match: Match, words: int) -> bool:
        """Return whether a title begins with words of the query; publishers may stand before them."""
        before, *others = self._marked(match, words)
        return bool(others) and all(is_publisher(one.text) for one in items_of(before))

    def ranked(self, slots: Sequence[int], verified: Iterable[int], page_size: int) -> list[int]:
        """Sort slots: by the words in name and place, by their words in one entry, verified ones first."""
        standings = self._standings(slots, page_size)
        every, first = (1 << len(self.sought)) - 1, frozenset(verified)
        named = [slot for slot in slots if every and self.whole.get(slot, 0) == every]
        exact = set(filter(self._has_name, named if 1 < len(named) <= page_size else ()))

        def place(slot: int) -> tuple[Any, ...]:
            if self.whole.get(slot, 0) == every:
                return slot not in exact, False, slot not in first
            covered, together, exactness, is_begun = standings.get(slot) or self._standing(slot)
            has_entry = exactness > 0 and together == len(self.sought)
            own = -covered, -together, -exactness, not is_begun
            return True, True, not has_entry, self.begun.get(slot, 0) != every, *own, slot not in first

        return sorted(slots, key=place)

    def _has_name(self, slot: int) -> bool:
        """Return whether the name of a laboratory is the query."""
        own, typed = (_words_of(one) for one in (self.files.card(slot)["name"], self.text))
        return len(own) == len(typed) and not any(map(frozenset.isdisjoint, own, typed))

    def _standing(self, slot: int, match: Match | None = None) -> Standing:
        """Return the standing of a laboratory by one of its entries, or by any one, with one word."""
        named = self.begun.get(slot, 0)
        if match:
            covered, together = (named | match.words).bit_count(), match.words.bit_count()
            return covered, together, match.exactness, match.key in self._begun
        having = self.having.get(slot, 0)
        return named.bit_count() + bool(having & ~named), int(having > 0), 0, False

    def _standings(self, slots: Sequence[int], page_size: int) -> dict[int, Standing]:
        """Return the best standings of laboratories by their entries; of many, by the first entries alone."""
        standings: dict[int, Standing] = {}
        for slot, match in self._pairs(slots, page_size):
            best = max(self._standing(slot, match), standings.get(slot) or self._standing(slot))
            standings[slot] = best
        return standings

    def _pairs(self, slots: Sequence[int], page_size: int) -> Iterable[tuple[int, Match]]:
        """Yield laboratories, each with an entry that it has."""
        telling = [
            one
            for one in self.matches.values()
            if one.exactness or one.words.bit_count() > 1 or one.key in self._begun
        ]
        is_each = len(telling) > MOST_READ or (telling and any(one.found.is_common for one in self.sought))
        if is_each and len(slots) <= page_size:
            for slot in slots:
                yield from ((slot, match) for match in self.matches_of(slot))
            return
        for match in sorted(telling, key=self.order)[:MOST_READ]:
            for slot in unpack(self.files.entry(*match.key).get("labs")):
                yield slot, match

    def matches_of(self, slot: int) -> list[Match]:
        """Return the entries of a laboratory that have words of the query, the best first."""
        if not self.matches:
            return []
        own = [(facet, number) for facet in self.places for number in self.files.values(facet, slot)]
        found = map(self.matches.get, own)
        return sorted([one for one in found if one], key=self.order)

    def shown(self, slot: int) -> tuple[list[Match], list[str]]:
        """Return entries that say why a laboratory was found, and the words that only its free texts have."""
        missing, shown = (1 << len(self.sought)) - 1, list[Match]()
        for match in self.matches_of(slot):
            if match.words & missing and len(shown) < MOST_SHOWN:
                shown.append(match)
                missing &= ~match.words
        others = [one for one in self.with_words(missing) if slot not in one.found.named]
        return shown, [one.text for one in others if slot in one.found.in_texts]

    def suggested(self, names: Sequence[str]) -> list[Match]:
        """Return the entries to suggest, of facets with these names: with the last word, and most words."""
        last = 1 << len(self.sought) >> 1
        found = [one for one in self.matches.values() if one.words & last and one.key[0] in names]
        most = max((one.words.bit_count() for one in found), default=0)
        best = [one for one in found if one.words.bit_count() == most]
        return sorted(best, key=self.order)[:MOST_SUGGESTED]

    def entry(self, match: Match) -> dict[str, Any]:
        """Return what is shown of an entry: its section, its value and title, and the words in the title."""
        facet = self.files.index()["facets"][self.places[match.key[0]]]
        own = self.files.entry(*match.key)
        title = own.get("title", "")
        return {
            "name": facet["name"],
            "section": facet["title"],
            "search_arg": facet["search_arg"],
            "search_val": own.get("search_val", ""),
            "title": title,
            "marked": marked(title, [one.forms for one in self.with_words(match.words)]),
        }


def _worth(match: Match) -> tuple[int, int]:
    """Return a sort key: more words first, then what is more exact."""
    return -match.words.bit_count(), -match.exactness


def _words_of(text: str) -> list[frozenset[str]]:
    """Return the words and signs of a text, each in its foldings, without common words."""
    return [frozenset(one.forms) for one in items_of(readable(text)) if STOP_WORDS.isdisjoint(one.forms)]


def _bits(lists: Iterable[Iterable[int]]) -> dict[int, int]:
    """Return, for each slot in the lists, one bit for each list that has it."""
    found: dict[int, int] = {}
    for place, slots in enumerate(lists):
        for slot in slots:
            found[slot] = found.get(slot, 0) | 1 << place
    return found
