"""Split texts and queries into search words, by rules for German (labgen/search/README.md, "Words").

`client.js` implements the same rules; a test compares the two with a table of queries.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from labgen.search.designations import has_role, may_join, terms
from labgen.search.foldings import STOP_WORDS, cut, foldings, is_word, readable
from labgen.search.items import LUMP, items_of

_JOINTS = r"(?:[-.(\u2010-\u2013]|/(?=[^\W\d_]{2,3}(?![^\W\d_]))| (?=(?i:i{2,3}|iv|vi{0,3}|ix)(?![^\W_])))"
"""Hyphens of all kinds, a point, and a parenthesis; a slash before an abbreviation: `GC-MS/MS`; a space
before a Roman number: `Cr VI`."""
_JOINED = re.compile(rf"(?<![^\W\d_])[^\W\d_]++(?:{_JOINTS}[^\W\d_]++)+")
"""Words with joints between them, which are also found as one word: `stahlbeton` finds `Stahl-Beton`."""
_JOINT = re.compile(_JOINTS)
_INNER_JOINT = re.compile(rf"{_JOINTS}(?<=[^\W\d_].)[^\W\d_]")
"""A joint that such a word has: quick to find."""
LEAST_PART = 4
"""Length of the shortest part that is found in the middle of a word."""
_AFTER_DIGITS = re.compile(f"(?<=[0-9])[^\\W\\d_]{{{LEAST_PART},}}")
"""A word after a digit: `Biodiversity` in `NFDI4Biodiversity`."""
_CHAIN = re.compile(r"(?<![^\W_])(?<!-)([^\W_]{1,3})(?:-[^\W_]++){2,}")
"""A number in parts, with words before it of which only the first is found alone: `DAP-PL-3712`."""
_DIGIT = re.compile("[0-9]")
LEAST_STEM = 5
ENDINGS = ("en", "es", "e", "n", "s")


class _Words(dict[str, frozenset[str]]):
    """A cache of the words of lumps of letters and digits, with the joints between them."""

    def __init__(self) -> None:
        super().__init__()
        self.with_atoms = set[str]()
        """Those of these lumps that have a sign of a designation."""
        self.plain = set[str]()
        """Those that are a word without a role in designations."""

    def __missing__(self, lump: str) -> frozenset[str]:
        found: set[str] = set()
        items = items_of(lump)
        for item in items:
            found.update(map(cut, _AFTER_DIGITS.findall(item.text) if item.is_atom else item.forms))
        if any(item.is_atom for item in items):
            self.with_atoms.add(lump)
        elif not has_role(items[0].text):
            self.plain.add(lump)
        if _JOINT.search(lump):
            found.update(cut("".join(_JOINT.split(form))) for form in foldings(lump))
        self[lump] = words = frozenset(found - STOP_WORDS)
        return words


_WORDS = _Words()


def text_terms(text: str) -> frozenset[str]:
    """Return the terms by which a text is found: its words, and those of its designations."""
    shown = readable(text)
    lumps = LUMP.findall(shown)
    words = [_WORDS[lump] for lump in lumps]
    if _INNER_JOINT.search(shown):
        words += [_WORDS[lump] for lump in _JOINED.findall(shown)]
    phrases = () if _WORDS.with_atoms.isdisjoint(lumps) else _phrases(shown)
    return frozenset().union(*words, *map(_phrase_terms, phrases))


def _phrases(text: str) -> Iterator[str]:
    """Yield the parts of a text with designations, none of which goes beyond its part.

    A part ends between two plain words, and at signs that join nothing.
    """
    text += _END
    start = end = 0
    has_sign = was_plain = False
    for found in LUMP.finditer(text):
        lump, (at, after) = found[0], found.span()
        is_plain = lump in _WORDS.plain
        if (is_plain and was_plain) or not may_join(text[end:at]):
            if has_sign:
                yield _LAST_WORD.sub("", text[start:end]) if was_plain else text[start:end]
            start, has_sign = at, False
        end, was_plain = after, is_plain
        has_sign |= lump in _WORDS.with_atoms


_END = " | x"
"""What ends the last part."""
_LAST_WORD = re.compile(r"(?<=[0-9])(?!-\w)\W+[^\W\d_]{4,}$")
"""A plain word after a number, which is too long to be the end of a grade."""
_phrase_terms = lru_cache(maxsize=4096)(terms)
"""The terms of a part, which many texts have."""


@lru_cache(maxsize=65_536)
def certificate_terms(number: str) -> frozenset[str]:
    """Return the terms of a certificate's number, up to a parenthesis: those of a designation, and whole."""
    shown = readable(number.partition("(")[0])
    found = {one for one in terms(shown) if _DIGIT.search(one)}
    for lumps in re.findall(r"(?<![^\W_])[^\W_]++(?:[-.][^\W_]++)+", shown):
        for form in foldings(lumps):
            found.add(cut("-".join(item.text for item in items_of(form))))
    return frozenset(found)


def certificate_words(number: str) -> frozenset[str]:
    """Return the words of a certificate's number before a parenthesis: `dap` of `DAP-PL-3712.00`."""
    return frozenset(filter(is_word, text_terms(_CHAIN.sub(r"\1 ", number.partition("(")[0]))))


def stems(word: str) -> list[str]:
    """Return what a word may be an inflected form of: `zugversuch` of `zugversuche`."""
    ends = (word.removesuffix(end) for end in ENDINGS if word.endswith(end))
    return [one for one in ends if len(one) >= LEAST_STEM]
