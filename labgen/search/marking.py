"""Find in a title what a query found: letters are compared folded, without what stands between them."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from labgen.search.foldings import foldings, is_word, visible, with_times
from labgen.search.items import BEFORE_PART, JOINTS
from labgen.search.words import ENDINGS, LEAST_PART

_PART = re.compile(f"(?<=[0-9]){BEFORE_PART}(?:{'|'.join(sorted(JOINTS))})(?![^\\W_])", re.IGNORECASE)
"""A word such as `Teil` after a number, which does not separate it from what follows."""
_SIGN = re.compile(r"[^\W_]")
_OTHER = re.compile(r"[\W_]+")


class _Letters(NamedTuple):
    """The letters and digits of a title in folded form; of each its place, and if a word begins or ends."""

    text: str
    places: Sequence[int]
    begins: Sequence[bool]
    ends: Sequence[bool]


def marked(title: str, words: Iterable[Sequence[str]]) -> list[str]:
    """Return a title in parts, of which every other one, from the second on, is what words found.

    Each word is given as the forms that were searched for; the first one that the title has is marked.
    """
    text = visible(title)
    plain = with_times(text)
    joined = _PART.sub(lambda found: " " * len(found[0]), plain)
    spelt = [_letters(one, form) for one in dict.fromkeys((plain, joined)) for form in (0, -1)]
    ranges = sorted(filter(None, (_range(text, spelt, forms) for forms in words)))
    parts, last = list[str](), 0
    for start, end in ranges:
        if start >= last:
            parts += [text[last:start], text[start:end]]
            last = end
    return [*parts, text[last:]]


def _letters(text: str, form: int) -> _Letters:
    """Return the letters of a text in its first folding, or its last."""
    found, places, begins = "", list[int](), list[bool]()
    was_sign = False
    for place, one in enumerate(text):
        is_sign = _SIGN.match(one) is not None
        for number, letter in enumerate(foldings(one)[form] if is_sign else ""):
            found += letter
            places.append(place)
            begins.append(number == 0 and not was_sign)
        if not is_sign and unicodedata.category(one)[0] != "M":
            was_sign = False
        elif is_sign:
            was_sign = True
    return _Letters(found, places, begins, [*begins[1:], True] if begins else [])


def _range(text: str, spelt: Iterable[_Letters], forms: Iterable[str]) -> tuple[int, int] | None:
    """Return where the first form stands that a text has; of a designation, its last part is enough."""
    wanted = [*forms, *(form.rpartition(" ")[2] for form in forms if " " in form)]
    for form in wanted:
        plain = _OTHER.sub("", form)
        for letters in spelt:
            at = _find(letters, plain) if plain else -1
            if at >= 0:
                last = at + len(plain)
                while " " in form and not letters.begins[at]:  # of a designation, the head is a whole word
                    at -= 1
                end = letters.places[(_word_end(letters, last) if is_word(form) else last) - 1] + 1
                while end < len(text) and unicodedata.category(text[end])[0] == "M":
                    end += 1
                return letters.places[at], end
    return None


def _word_end(letters: _Letters, end: int) -> int:
    """Return where a word ends of which only an ending stands from `end` on: `s` of `tubes`; else `end`."""
    last = letters.ends.index(True, end - 1) + 1
    return last if letters.text[end:last] in ENDINGS else end


def _find(letters: _Letters, plain: str) -> int:
    """Return where a form stands: at the beginning of a word, else at an end, or anywhere if it is long.

    A letter alone is a word of its own.
    """
    found, at = -1, letters.text.find(plain)
    while at >= 0:
        is_end = letters.ends[at + len(plain) - 1]
        if letters.begins[at] and (is_end or len(plain) > 1):
            return at
        if found < 0 and len(plain) > 1 and (is_end or len(plain) >= LEAST_PART):
            found = at
        at = letters.text.find(plain, at + 1)
    return found
