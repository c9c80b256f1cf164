"""Define the search terms of a directory, and the substrings under which words are indexed."""

import sys
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, takewhile

from labgen.search.foldings import is_word
from labgen.search.index_files import BEGIN, PART
from labgen.search.slips import halves
from labgen.search.words import LEAST_PART

MOST_WORDS = 24
"""Maximum number of words that a client looks up for a part; a part of more words has its own key."""
DIGITS = frozenset("0123456789")
AFTER_DIGITS, LAST_SIGN = ":", chr(sys.maxunicode)
"""What no digit, and no text, comes after in the order of signs."""


def words_by_key(words: Collection[str]) -> Mapping[str, Sequence[str]]:
    """Return the words that are found under each key.

    Keys are the words themselves and, marked with a tilde, parts of words that are not words, but occur in so
    many, or are so short, that a client cannot look up the words one by one.
    """
    words = frozenset(words)
    parts = common_parts(words).union(chain.from_iterable(map(short_parts, words))) - words
    found: defaultdict[str, list[str]] = defaultdict(list)
    for word in words:
        own = set(parts_of(word))
        for key in chain(words.intersection(own), map(marked, parts.intersection(own))):
            found[key].append(word)
    return found


class DesignationsByKey(Mapping[str, Sequence[str]]):
    """The designations that are found under each key: a designation, or a marked beginning of many.

    In order, those that begin alike stand together, so they are looked up, not stored. It must be asked for
    its own keys alone.
    """

    def __init__(self, designations: Iterable[str]) -> None:
        self.ordered = sorted(designations)
        doubtful = set(shared_beginnings(self.ordered)).difference(self.ordered)
        begun = [part for part in doubtful if len(self._begun_by(part)) > MOST_WORDS]
        self.all_keys = [*self.ordered, *map(marked, begun)]

    def __getitem__(self, key: str) -> Sequence[str]:
        """Return the designations under a key."""
        return self._begun_by(key.removeprefix(PART))

    def __iter__(self) -> Iterator[str]:
        """Iterate over the keys."""
        return iter(self.all_keys)

    def __len__(self) -> int:
        """Return the number of keys."""
        return len(self.all_keys)

    def _begun_by(self, part: str) -> Sequence[str]:
        """Return the designations that a part begins (see `beginnings`), and the part if it is one."""
        ordered, plain = self.ordered, part.removesuffix(BEGIN)
        first = bisect_left(ordered, plain)
        if first + 1 == len(ordered) or not ordered[first + 1].startswith(plain):
            return ordered[first : first + 1]
        last = bisect_left(ordered, plain + LAST_SIGN, first)
        if plain[-1] not in DIGITS:
            return ordered[first:last]
        first_digit = bisect_left(ordered, plain + "0", first, last)
        last_digit = bisect_left(ordered, plain + AFTER_DIGITS, first, last)
        if part != plain:
            return ordered[first_digit:last_digit]
        return ordered[first:first_digit] + ordered[last_digit:last]


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


def shared_beginnings(ordered: Sequence[str]) -> Iterator[str]:
    """Yield the beginnings that more than `MOST_WORDS` designations may have, given in order.

    As many stand together then, so a beginning is what the first and the last of them share.
    """
    shared = set[str]()
    for first, last in zip(ordered, ordered[MOST_WORDS:], strict=False):
        shared.update(takewhile(last.startswith, accumulate(first)))
    for plain in filter(may_begin, shared):
        yield plain
        if plain[-1] in DIGITS:
            yield plain + BEGIN


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
        elif may_begin(part):
            yield part


def may_begin(part: str) -> bool:
    """Return whether designations are found by a part: it has a digit, and does not end at a joint."""
    return part[-1] not in " -" and not is_word(part)


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
