"""Decide whether a text still names the same thing after a change."""

import re
import unicodedata
from itertools import takewhile
from operator import eq

SHORT = 4
"""Words with fewer letters are other words if they differ at all: `mit`, `mir`; `Gas`, `Glas`."""
_NEGATING = frozenset(
    {
        *(
            "nicht",
            "nichts",
            "kein",
            "keine",
            "keinem",
            "keinen",
            "keiner",
            "keines",
            "nie",
            "ohne",
            "ausser",
        ),
        *("ausgenommen", "ausgeschlossen", "weder", "statt", "frei", "anti", "non", "no", "not", "without"),
        *(
            "except",
            "excluding",
            "free",
            "sans",
            "sauf",
            "pas",
            "hors",
            "senza",
            "salvo",
            "tranne",
            "eccetto",
        ),
    }
)
"""Words that turn what is named into something else, in the languages of labgen (`ß` is `ss`)."""
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_FIGURE = re.compile(r"(?<!\w)[-–−](?=\d)|[<>≤≥=≠±+]|\d+")
_JOINT = re.compile(r"(?<=\w)[-‐‑'’\u00ad](?=\w)")
_WORD = re.compile(r"[^\W\d_]+")
_ENDING = re.compile(r"(e[mnrs]?|[ns])$")
_KEYS = {
    letter: (row, column)
    for row, letters in enumerate(("qwertzuiop", "asdfghjkl", "yxcvbnm"))
    for column, letter in enumerate(letters)
}


def is_other_meaning(old: object, new: object) -> bool:
    """Return whether two names mean different things.

    They mean the same if their figures and signs are equal, and no word was replaced by another one: words
    may be added or removed (`EN 10204`, `DIN EN 10204`), except those that negate (`nicht legiert`), and a
    word may have another ending or one slip. Letters before a word make another word (`Wasser`, `Abwasser`).
    """
    was, now = (unicodedata.normalize("NFC", str(one).casefold()) for one in (old, new))
    if _FIGURE.findall(was) != _FIGURE.findall(now):
        return True
    fewer, more = sorted((_words(was), _words(now)), key=len)
    added = [] if "".join(fewer) == "".join(more) else _added(fewer, more)
    return added is None or not _NEGATING.isdisjoint(added)


def _words(text: str) -> list[str]:
    """Return the words of a text; what hyphens join is one word."""
    return _WORD.findall(_JOINT.sub("", text))


def _added(fewer: list[str], more: list[str]) -> list[str] | None:
    """Return the words that only the longer text has, or None if it lacks a word of the other."""
    rest, added = fewer[::-1], []
    for word in more:
        if rest and _is_same_word(rest[-1], word):
            rest.pop()
        else:
            added.append(word)
    return None if rest else added


def _is_same_word(was: str, now: str) -> bool:
    if min(len(was), len(now)) < SHORT:
        return _spelt(was) == _spelt(now)
    return _stem(was) == _stem(now) or _is_slip(_spelt(was), _spelt(now))


def _spelt(word: str) -> str:
    """Return a word with umlauts spelt out, and without other accents."""
    return _bare(word.translate(_UMLAUTS))


def _bare(word: str) -> str:
    """Return a word without accents."""
    return "".join(char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char))


def _stem(word: str) -> str:
    return _ENDING.sub("", _bare(word))


def _is_slip(was: str, now: str) -> bool:
    """Return whether one letter at most is missing, superfluous, swapped, or the one of the key beside it.

    The first letter is no slip.
    """
    start = _count_equal(was, now)
    end = _count_equal(was[start:][::-1], now[start:][::-1])
    lost, new = was[start : len(was) - end], now[start : len(now) - end]
    match len(lost), len(new):
        case (0, 0) | (0, 1) | (1, 0):
            is_one = True
        case (1, 1):
            is_one = _are_neighbours(lost, new)
        case sizes:
            is_one = sizes == (2, 2) and lost == new[::-1]
    return is_one and start > 0


def _count_equal(one: str, other: str) -> int:
    """Return how many letters two words have in common at the beginning."""
    return sum(1 for _ in takewhile(bool, map(eq, one, other)))


def _are_neighbours(one: str, other: str) -> bool:
    if not (one in _KEYS and other in _KEYS):
        return False
    (row, column), (other_row, other_column) = _KEYS[one], _KEYS[other]
    return abs(row - other_row) <= 1 and abs(column - other_column) <= 1
