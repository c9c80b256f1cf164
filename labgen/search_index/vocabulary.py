"""Define the search terms of a directory, and the substrings under which words are indexed."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import accumulate, chain, takewhile

from labgen.search.foldings import is_word
from labgen.search.lookup import BEGIN, PART, halves
from labgen.search.words import LEAST_PART

MOST_WORDS = 24
"""Maximum number of words that a client looks up for a part; a part of more words has its own key."""
DIGITS = frozenset("0123456789")


class Vocabulary:
    """The terms of names and entries, and the keys under which each is found.

    Keys are the terms themselves and, marked with a tilde, parts of words that are not terms, but occur in so
    many words, or are so short, that a client cannot look up the words one by one.
    """

    def __init__(self, terms: Collection[str]) -> None:
        self.terms = frozenset(terms)
        words = list(filter(is_word, self.terms))
        short = chain.from_iterable(map(short_parts, words))
        begun = common_beginnings(self.terms.difference(words))
        self.parts = common_parts(words).union(short, begun) - self.terms

    def found_under(self, term: str) -> frozenset[str]:
        """Return the keys under which a term is found: itself, and its parts that are keys."""
        parts = set(parts_of(term))
        return self.terms.intersection(parts).union(map(marked, self.parts.intersection(parts)))


def common_parts(words: Iterable[str]) -> set[str]:
    """Return the parts of four letters or more that occur in more than `MOST_WORDS` words.

    A part can be common only if the part without its last letter is, so few parts need counting.
    """
    parts: set[str] = set()
    length = LEAST_PART
    places = [(word, list(range(len(word) - length + 1))) for word in words]
    while places:
        counts = Counter(
            chain.from_iterable({word[at : at + length] for at in starts} for word, starts in places)
        )
        common = {part for part, count in counts.items() if count > MOST_WORDS}
        parts |= common
        longer = (
            (word, [at for at in starts if at + length < len(word) and word[at : at + length] in common])
            for word, starts in places
        )
        places = [one for one in longer if one[1]]
        length += 1
    return parts


def common_beginnings(designations: Iterable[str]) -> set[str]:
    """Return the beginnings of more than `MOST_WORDS` designations.

    In order, so many stand together, and only what the first and the last of them share needs counting.
    """
    ordered = sorted(designations)
    shared = set[str]()
    for first, last in zip(ordered, ordered[MOST_WORDS:], strict=False):
        shared.update(takewhile(last.startswith, accumulate(first)))
    counts = Counter(
        chain.from_iterable(
            takewhile(lambda part: part.removesuffix(BEGIN) in shared, beginnings(one)) for one in ordered
        )
    )
    return {part for part, count in counts.items() if count > MOST_WORDS}


def marked(part: str) -> str:
    """Return the key of a part that is not itself a term: marked with a tilde, with which no word begins."""
    return PART + part


def parts_of(term: str) -> Iterator[str]:
    """Yield a term and its searchable parts: four letters or more anywhere, two or three at either end.

    Of a designation, these are its beginnings.
    """
    yield term
    if not is_word(term):
        yield from beginnings(term)
        return
    length = len(term)
    for start in range(length - LEAST_PART + 1):
        for end in range(start + LEAST_PART, length + 1):
            yield term[start:end]
    yield from short_parts(term)


def beginnings(designation: str) -> Iterator[str]:
    """Yield the beginnings of a designation; a number that more digits follow is marked with a star."""
    for end in range(1, len(designation)):
        part = designation[:end]
        if part[-1] in DIGITS and designation[end] in DIGITS:
            yield part + BEGIN
        elif part[-1] not in " -" and not is_word(part):
            yield part


def is_beginning(part: str, designation: str) -> bool:
    """Return whether a part is among the beginnings of a designation that begins with it, or is all of it."""
    plain = part.removesuffix(BEGIN)
    after = designation[len(plain) : len(plain) + 1]
    return (part != plain) == (plain[-1] in DIGITS and after in DIGITS and after != "")


def short_parts(word: str) -> Iterator[str]:
    """Yield the searchable parts of two or three letters of a word: those at either end."""
    for length in range(2, min(LEAST_PART, len(word))):
        yield word[:length]
        yield word[-length:]


def endings(word: str) -> Iterator[tuple[str, str]]:
    """Yield the ends of a word, each with what stands before it."""
    return ((word[start:], word[:start]) for start in range(1, len(word) - LEAST_PART + 1))


Split = Callable[[str], Iterable[tuple[str, str]]]
"""Returns the keys under which a word is found by a piece of it, each with the rest of the word."""
SPLITS: Mapping[str, Split] = {"ends": endings, "near": halves}
"""How words are split, by the folder of the map from pieces to rests."""


def rests_of(terms: Iterable[str], split: Split) -> Mapping[str, list[str]]:
    """Map each piece of a word to the rests, to find the words with that piece."""
    rests: defaultdict[str, list[str]] = defaultdict(list)
    for term in sorted(filter(is_word, terms)):
        for piece, rest in split(term):
            rests[piece].append(rest)
    return {piece: sorted(some) for piece, some in rests.items()}
