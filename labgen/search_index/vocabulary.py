"""Define the terms of a directory, and the parts of words by which they are found."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from itertools import chain

from labgen.search.lookup import PART
from labgen.search.words import LEAST_PART, is_word

MOST_WORDS = 24
"""Words that a client looks up one by one for a part; a part of more words has an entry of its own."""


class Vocabulary:
    """The terms of names and entries, and the keys that each is found under.

    Keys are the terms themselves; and, marked with a tilde, the parts of words that are no terms but have so
    many words, or are so short, that a client cannot look up the words one by one.
    """

    def __init__(self, terms: Collection[str]) -> None:
        self.terms = frozenset(terms)
        counts = Counter(chain.from_iterable([set(parts_of(term)) for term in self.terms]))
        self.parts = {
            part
            for part, count in counts.items()
            if (count > MOST_WORDS or len(part) < LEAST_PART) and part not in self.terms
        }
        self.keys = self.terms.union(map(marked, self.parts))
        self._known: dict[str, frozenset[str]] = {}

    def found_under(self, term: str) -> frozenset[str]:
        """Return the keys that a term is found under: itself, and its parts that are keys."""
        found = self._known.get(term)
        if found is None and not is_word(term):
            found = self._known[term] = frozenset((term,)) & self.terms
        if found is None:
            parts = set(parts_of(term))
            found = self._known[term] = self.terms.intersection(parts).union(
                map(marked, self.parts.intersection(parts))
            )
        return found


def marked(part: str) -> str:
    """Return the key of a part that is not itself a term: marked by a tilde, as no word begins so."""
    return PART + part


def parts_of(term: str) -> Iterator[str]:
    """Yield a term and the parts that find it: four letters or more anywhere, two or three at either end."""
    yield term
    if not is_word(term):
        return
    length = len(term)
    for start in range(length - LEAST_PART + 1):
        for end in range(start + LEAST_PART, length + 1):
            yield term[start:end]
    for short in range(2, LEAST_PART):
        if length > short:
            yield term[:short]
            yield term[-short:]


def ends_of(terms: Collection[str]) -> Mapping[str, list[str]]:
    """Return the prefixes of each word ending, to find the words that contain a part."""
    ends: defaultdict[str, list[str]] = defaultdict(list)
    for term in sorted(filter(is_word, terms)):
        for start in range(1, len(term) - LEAST_PART + 1):
            ends[term[start:]].append(term[:start])
    return ends
