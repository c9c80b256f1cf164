"""Look up a word of a query in the search index: the laboratories with it anywhere, or in name or place."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from labgen.search.index_files import Files
from labgen.search.lists import intersection, union, unpack
from labgen.search.words import LEAST_PART, is_word, parts_of_number

MOST_WORDS = 32
"""Maximum number of words to look up for a part that is not a word itself."""
MOST_LEAVES = 8
"""Maximum number of leaves of a map to read for the keys that begin with a word of a query."""
PART = "~"
"""Marks the key of a part of words that is not a word itself."""
MOST_NEAR = 4
"""Maximum number of words that replace a misspelt word."""
LEAST_FOR_SLIP = 5
"""Length of the shortest word in which a typing error is tolerated."""
LEAST_FOR_TWO_SLIPS = 9


class Found(NamedTuple):
    """The result for a word: laboratories, those with it in name or place, and the words that replace it.

    `is_common`: so many laboratories have the word that it does not narrow a search.
    """

    slots: list[int]
    named: list[int]
    is_common: bool = False
    instead: tuple[str, ...] = ()


def look_up(files: Files, forms: Sequence[str], *, has_texts: bool) -> Found:
    """Look up a word of a query, given in its one or two foldings."""
    number = not is_word(forms[0])
    values = [_value(files, form) for form in forms]
    more = [one for form in forms for one in _begin_with(files, "numbers", form)] if number else []
    if has_texts:
        more += [one for form in forms for one in _begin_with(files, "texts", form)]
    if any(values):
        return _merge(files, [*values, *more])
    for form in () if number else forms:
        if words := _containing(files, form):
            return _merge(files, [*[files.find("words", one) for one in words], *more])
    if more:
        return _merge(files, more)
    return _parts_of_number(files, forms[0], has_texts) if number else _near(files, forms[0], has_texts)


def _value(files: Files, form: str) -> dict[str, Any] | None:
    """Return the value of a word in the index, or of a marked part of words."""
    value: dict[str, Any] | None = files.find("words", form)
    return files.find("words", PART + form) if value is None and is_word(form) else value


def _begin_with(files: Files, index_map: str, form: str) -> list[dict[str, Any]]:
    """Return the values of the keys that begin with a word; a published value `true` means a common key."""
    found = [files.find(index_map, key) for key in files.keys_from(index_map, form, MOST_LEAVES)]
    return [{"is_common": True} if one is True else {"labs": one} for one in found]


def _merge(files: Files, values: Iterable[dict[str, Any] | None]) -> Found:
    found = [one for one in values if one]
    entries = [
        files.slots(facet, value)
        for one in found
        for facet, some in one.get("see", {}).items()
        for value in some
    ]
    named = [unpack(one.get("named")) for one in found]
    slots = union([*[unpack(one.get("labs")) for one in found], *named, *entries])
    return Found(slots, union(named), any(one.get("is_common", False) for one in found))


def _containing(files: Files, part: str) -> list[str]:
    """Return the words that contain a part; if one of them contains another, only the shorter word."""
    if len(part) < LEAST_PART:
        return []
    begun = filter(is_word, files.keys_from("words", part))
    keys = [*begun, *_with_end(files, files.keys_from("ends", part))]
    least: list[str] = []
    for key in sorted(dict.fromkeys(keys), key=len):
        if len(least) == MOST_WORDS:
            break
        if not any(len(one) >= LEAST_PART and one in key for one in least):
            least.append(key)
    return least


def _with_end(files: Files, ends: Iterable[str]) -> list[str]:
    return [head + end for end in ends for head in files.find("ends", end) or ()]


def _parts_of_number(files: Files, form: str, has_texts: bool) -> Found:
    """Return the laboratories that have all longer parts of a number which is not in the index as a whole."""
    parts = parts_of_number(form)
    if len(parts) < 2:  # noqa: PLR2004
        return Found([], [])
    found = [look_up(files, [part], has_texts=has_texts) for part in parts]
    narrow = [one.slots for one in found if not one.is_common]
    return Found(intersection(narrow) if narrow else [], [], is_common=not narrow)


def _near(files: Files, form: str, has_texts: bool) -> Found:
    """Return the result for words with one typing error, or two if the word is long; one half must match."""
    if len(form) < LEAST_FOR_SLIP:
        return Found([], [])
    half = (len(form) + 1) // 2
    keys = files.keys_from("words", form[:half]) + _with_end(files, [form[half:]])
    for most in (1, 2) if len(form) >= LEAST_FOR_TWO_SLIPS else (1,):
        words = [key for key in dict.fromkeys(keys) if is_near(key, form, most)][:MOST_NEAR]
        if words:
            found = [look_up(files, [word], has_texts=has_texts) for word in words]
            return Found(
                union([one.slots for one in found]),
                union([one.named for one in found]),
                any(one.is_common for one in found),
                tuple(words),
            )
    return Found([], [])


def is_near(one: str, other: str, most: int) -> bool:
    """Return whether at most `most` edits (letters added, dropped, replaced, swapped) separate two words."""
    if abs(len(one) - len(other)) > most:
        return False
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        now = [i]
        for j, with_letter in enumerate(other, 1):
            cost = min(row[j] + 1, now[j - 1] + 1, row[j - 1] + (letter != with_letter))
            if before and j > 1 and letter == other[j - 2] and one[i - 2] == with_letter:
                cost = min(cost, before[j - 2] + 1)
            now.append(cost)
        before, row = row, now
        if min(row) > most:
            return False
    return row[-1] <= most
