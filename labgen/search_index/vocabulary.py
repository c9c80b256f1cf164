"""Define the terms of a directory, and the parts of words by which they are found."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
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
        words = list(filter(is_word, self.terms))
        short = chain.from_iterable(map(short_parts, words))
        self.parts = common_parts(words).union(short) - self.terms

    def found_under(self, term: str) -> frozenset[str]:
        """Return the keys that a term is found under: itself, and its parts that are keys."""
        parts = set(parts_of(term))
        return self.terms.intersection(parts).union(map(marked, self.parts.intersection(parts)))


def common_parts(words: Iterable[str]) -> set[str]:
    """Return the parts of four letters or more that more than `MOST_WORDS` words have.

    A part can be common only where the shorter one that it begins with is, so few need counting.
    """
    found: set[str] = set()
    length = LEAST_PART
    places = [(word, list(range(len(word) - length + 1))) for word in words]
    while places:
        counts = Counter(
            chain.from_iterable({word[at : at + length] for at in some} for word, some in places)
        )
        common = {part for part, count in counts.items() if count > MOST_WORDS}
        found |= common
        longer = (
            (word, [at for at in some if at + length < len(word) and word[at : at + length] in common])
            for word, some in places
        )
        places = [one for one in longer if one[1]]
        length += 1
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
    yield from short_parts(term)


def short_parts(word: str) -> Iterator[str]:
    """Yield the parts of two or three letters that find a word: those at either end."""
    for length in range(2, min(LEAST_PART, len(word))):
        yield word[:length]
        yield word[-length:]


def ends_of(terms: Collection[str]) -> Mapping[str, list[str]]:
    """Return the prefixes of each word ending, to find the words that contain a part."""
    ends: defaultdict[str, list[str]] = defaultdict(list)
    for term in sorted(filter(is_word, terms)):
        for start in range(1, len(term) - LEAST_PART + 1):
            ends[term[start:]].append(term[:start])
    return ends
