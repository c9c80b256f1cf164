"""Fold texts: lower case, without accents, with ä as a and as ae (labgen/search/README.md, "Words")."""

import re
import unicodedata

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
)
_INVISIBLE = re.compile("[\u00ad\u200b\u200c\u200d\u2060\ufeff]+")
"""Soft hyphens and zero-width characters, which may stand inside a word."""
_NO_LETTER = re.compile("[0-9 -]")
STOP_WORDS = frozenset(
    {
        "und", "oder", "der", "die", "das", "den", "dem", "des", "ein", "eine", "einer", "eines", "einem",
        "einen", "im", "in", "an", "am", "auf", "aus", "bei", "mit", "nach", "von", "vom", "vor", "zu",
        "zum", "zur", "fuer", "fur", "ueber", "uber", "durch", "als", "ist", "sind", "wir", "sie", "ihr",
        "unser", "gemaess", "gemass", "the", "of", "and", "for", "to", "on", "by",
        "with", "from",
    }
)  # fmt: skip
"""Words that are in most texts: they are neither indexed nor looked up."""
MOST_LETTERS = 64
"""Maximum length of a term. Longer terms are cut: the number of their parts grows with the square."""


def is_word(term: str) -> bool:
    """Return whether a term is one word, so that parts of it can be found, and not a designation."""
    return _NO_LETTER.search(term) is None


def visible(text: str) -> str:
    """Return a text in composed form, without invisible characters."""
    return unicodedata.normalize("NFC", _INVISIBLE.sub("", text))


class _Read(dict[str, str]):
    """A cache of what a sign is read as: marks, which would end a word, as nothing."""

    def __missing__(self, sign: str) -> str:
        read = self[sign] = "" if unicodedata.category(sign)[0] == "M" else sign
        return read


_READ = _Read()
_TIMES = re.compile("×(?:(?<=[0-9]×)|(?=[ \u00a0\u2009\u202f]{0,2}[0-9]))")
"""A cross beside a number: directly after it, or at most two spaces before it."""
_SIGN = re.compile(r"[^\w\s\x00-\x7f]")
"""What may be a mark: no letter, digit or space, and not ASCII."""


def readable(text: str) -> str:
    """Return a visible text without marks that no letter contains, and with `x` for `×` at a number."""
    return _SIGN.sub(lambda found: _READ[found[0]], with_times(visible(text)))


def with_times(text: str) -> str:
    """Return a text of the same length with `x` for `×` beside a number: `M8 × 1` as `M8 x 1`."""
    return _TIMES.sub("x", text)


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
    plain = unicodedata.normalize("NFKD", text)
    return "".join([c for c in plain if unicodedata.category(c)[0] != "M"]).lower()


def cut(term: str) -> str:
    """Return a term, or the beginning of a longer one."""
    return term[:MOST_LETTERS]
