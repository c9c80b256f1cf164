"""Split texts and queries into search words, by rules for German (labgen/search/README.md, "Words").

`client.js` implements the same rules; a test compares the two with a table of queries.
"""

import re
import unicodedata
from functools import lru_cache

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
)
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
"""Soft hyphens and zero-width characters, which may stand inside a word."""
_CHUNK = re.compile(r"[^\W_]+(?:[-./:+][^\W_]+)*")
_JOINT = re.compile(r"[-./:+]")
_DIGITS = frozenset("0123456789")
_LONG_NUMBER = re.compile(r"[0-9]{4,}")
_PREFIXED = re.compile(r"(^|[\W_])([a-zäöüß]{2,})(?=[0-9]{3})")
"""Letters directly before a number of three digits or more, as in DIN1054."""
STOP_WORDS = frozenset(
    {
        "und", "oder", "der", "die", "das", "den", "dem", "des", "ein", "eine", "einer", "eines", "einem",
        "einen", "im", "in", "an", "am", "auf", "aus", "bei", "mit", "nach", "von", "vom", "vor", "zu",
        "zum", "zur", "fuer", "fur", "ueber", "uber", "durch", "als", "ist", "sind", "wir", "sie", "ihr",
        "unser", "the", "of", "and", "for", "to", "on", "by", "with", "from",
    }
)  # fmt: skip
"""Words that are in most texts: they are neither indexed nor looked up."""
MOST_LETTERS = 64
"""Maximum length of a term. Longer terms are cut: the number of their parts grows with the square."""
LEAST_PART = 4
"""Length of the shortest part that is found in the middle of a word."""


def is_word(term: str) -> bool:
    """Return whether a term has no digits, so that parts of it can be found."""
    return _DIGITS.isdisjoint(term)


def foldings(text: str) -> tuple[str, ...]:
    """Return a text in lower case without accents: with ä as a, and with ä as ae if that differs."""
    low = unicodedata.normalize("NFC", text.lower())
    plain = _without_accents(low)
    if low.isascii():
        return (plain,)
    other = _without_accents(low.translate(_UMLAUTS))
    return (plain,) if other == plain else (plain, other)


def _without_accents(text: str) -> str:
    text = text.translate(_LETTERS)
    if text.isascii():
        return text
    return "".join([c for c in unicodedata.normalize("NFKD", text) if unicodedata.category(c)[0] != "M"])


def _normal(text: str) -> str:
    """Return a text in lower case and composed form, without invisible characters."""
    return unicodedata.normalize("NFC", text.translate(_INVISIBLE).lower())


def _chunks(text: str) -> list[str]:
    """Return the runs of letters and digits in a text, with the joints `- . / : +` inside, in lower case.

    Letters directly before a number are separated from it: DIN1054 becomes `din` and `1054`.
    """
    return _CHUNK.findall(_PREFIXED.sub(r"\1\2 ", _normal(text)))


class _Terms(dict[str, frozenset[str]]):
    """A cache of the terms of chunks."""

    def __missing__(self, chunk: str) -> frozenset[str]:
        found: set[str] = set()
        for folded in foldings(chunk):
            found |= _number_terms(folded) if not is_word(folded) else _letter_terms(folded)
        self[chunk] = terms = frozenset(found)
        return terms


def _letter_terms(folded: str) -> set[str]:
    """Return the words of a chunk without digits, and the chunk as one word: `stahl-beton`, `stahlbeton`."""
    parts = _JOINT.split(folded)
    together = {_cut("".join(parts))} if len(parts) > 1 else set()
    return {_cut(word) for word in parts if len(word) > 1 and word not in STOP_WORDS} | together


def _cut(term: str) -> str:
    """Return a term, or the beginning of a longer one: up to a joint, if there is one."""
    if len(term) <= MOST_LETTERS:
        return term
    return term[: MOST_LETTERS + 1].rpartition("-")[0] or term[:MOST_LETTERS]


def _number_terms(folded: str) -> set[str]:
    """Return the terms of a chunk with digits: its prefixes up to each joint, longer parts, long numbers.

    A joint is a character such as - or /; a part has at least three characters, a long number four digits.
    """
    parts = _JOINT.split(folded)
    whole = _cut("-".join(parts))
    found = {whole, *[whole[:at] for at, char in enumerate(whole) if char == "-"]}
    for part in parts:
        if len(part) > 2:  # noqa: PLR2004 - shorter parts are in most numbers
            found.add(_cut(part))
        if _LONG_NUMBER.fullmatch(part) is None:
            found.update(map(_cut, _LONG_NUMBER.findall(part)))
    return found


_TERMS = _Terms()


def text_terms(text: str) -> frozenset[str]:
    """Return the terms by which a text is found."""
    return frozenset().union(*[_TERMS[chunk] for chunk in _chunks(text)])


@lru_cache(maxsize=65_536)
def certificate_terms(number: str) -> frozenset[str]:
    """Return the terms of a certificate's number, up to a parenthesis: whole, and its long numbers."""
    found = set()
    for chunk in _CHUNK.findall(_normal(number.partition("(")[0])):
        for folded in foldings(chunk):
            found.add(_cut(_JOINT.sub("-", folded)))
            found.update(map(_cut, _LONG_NUMBER.findall(folded)))
    return frozenset(found)


def query_words(query: str) -> list[tuple[str, ...]]:
    """Return the words of a query, each in its one or two foldings, without stop words and repetitions."""
    words: dict[str, tuple[str, ...]] = {}
    for chunk in _CHUNK.findall(_normal(query)):
        for word in [_JOINT.sub("-", chunk)] if not is_word(chunk) else _JOINT.split(chunk):
            forms = tuple(dict.fromkeys(map(_cut, foldings(word))))
            if STOP_WORDS.isdisjoint(forms):
                words.setdefault(forms[0], forms)
    return list(words.values())


def parts_of_number(word: str) -> list[str]:
    """Return the longer parts of a query's word with digits: `din` and `1054` of `din1054-2`."""
    parts = _PREFIXED.sub(r"\1\2-", word).split("-")
    return [part for part in parts if len(part) > 2]  # noqa: PLR2004 - shorter parts are in most numbers
