"""Find the terms that contain a substring, by searching one text that holds all of them."""

from collections.abc import Iterator
from itertools import chain

from labgen.search.foldings import is_word
from labgen.search.index_files import BEGIN
from labgen.search.words import LEAST_PART
from labgen.search_index.vocabulary import is_beginning

_END = "\n"
"""The separator before and after each term; no term contains it."""


class TermText:
    """Terms, given on lines, that can be searched by substring, by the rule of `vocabulary.parts_of`."""

    def __init__(self, lines: str) -> None:
        self.text = _END + lines + _END

    def containing(self, part: str) -> set[str]:
        """Return the terms that are found under a part."""
        return set(self._containing(part))

    def has(self, part: str) -> bool:
        """Return whether a term is found under a part."""
        return next(self._containing(part), None) is not None

    def has_more_than(self, count: int, part: str) -> bool:
        """Return whether more than a number of terms are found under a part."""
        found: set[str] = set()
        for term in self._containing(part):
            found.add(term)
            if len(found) > count:
                return True
        return False

    def _containing(self, part: str) -> Iterator[str]:
        """Yield the terms that are found under a part; some may be repeated."""
        if not is_word(part):
            begun = _with(self.text, _END + part.removesuffix(BEGIN))
            yield from (one for one in begun if is_beginning(part, one))
            return
        wanted = [part]
        if len(part) < LEAST_PART:
            wanted = [_END + part, part + _END] if len(part) > 1 else [_END + part + _END]
        yield from filter(is_word, chain.from_iterable(_with(self.text, one) for one in wanted))


def _with(text: str, wanted: str) -> Iterator[str]:
    """Yield the terms in a text that have a substring."""
    at = text.find(wanted)
    while at >= 0:
        begin = text.rfind(_END, 0, at + 1)
        end = text.index(_END, max(at, begin + 1))
        yield text[begin + 1 : end]
        at = text.find(wanted, end)
