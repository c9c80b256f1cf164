"""Read a text as words and the signs of designations, and which signs stand together: a group.

The grammar stands in labgen/search/README.md, "Designations".
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from labgen.search.foldings import foldings

PARTS = frozenset(
    {"teil", "part", "blatt", "tl", "pt", "bl", "beiblatt", "beibl", "bbl", "abschnitt", "merkblatt"}
)
"""Words for the joint before the number of a part."""
EDITIONS = frozenset({"rev", "revision", "ed", "edition", "ausgabe", "issue"})
"""Words for the joint before the letter of a revision, or the year."""
JOINTS = PARTS | EDITIONS
SUPPLEMENTS = frozenset(
    {"amd", "amendment", "anderung", "aenderung", "aend", "cor", "corr", "corrigendum", "berichtigung", "ber"}
)
"""Words for a supplement, of which the first letter is read: `/AMD1` is `+A1`."""
MOST_ATOMS = 8
"""Maximum number of atoms of a group."""

LUMP = re.compile(r"[^\W_]+")
"""A run of letters and digits: the items of a text are those of its lumps, but for `SUPPLEMENTS`."""
SPACE = " \t\r\n\u00a0" + "".join(map(chr, range(0x2000, 0x200B))) + "\u202f"
SPACES = f"[{SPACE}]{{0,2}}"
_GLUE = re.compile(f'(?:{SPACES}["”″]|\\)(?=:))?{SPACES}[-./:+&*()\\[\\]<>_"„“”\u2010-\u2015\u2212]?{SPACES}')
BEFORE_PART = f"{SPACES}[-.:,(]?{SPACES}"
"""The pattern of what stands between a number and a word such as `Teil`."""
_BEFORE_PART = re.compile(BEFORE_PART)
_FIRE_CLASS = re.compile("s[1-3]d[0-2]$")
"""The classes of smoke and droplets after the class of a reaction to fire: `B-s1,d0` (EN 13501-1)."""
_HEAD = re.compile(r"([^0-9]{2,})([0-9].*)", re.DOTALL)
_SYMBOL = re.compile(r"(?<![^\W\d_])([A-Za-z]{1,2}) (?=[A-Za-z]{1,2}(?![^\W\d_]))")
DIGITS = frozenset("0123456789")


class Item(NamedTuple):
    """A word, or an *atom*: a sign of one letter, or one with digits.

    `text` is the first of its `forms`, which are its foldings; `gap` is what stands before it.
    """

    text: str
    forms: tuple[str, ...]
    is_atom: bool
    gap: str
    start: int
    end: int


def items_of(text: str) -> list[Item]:
    """Return the words and atoms of a text (see `readable`)."""
    items, last = list[Item](), 0
    for found in LUMP.finditer(text):
        start, end = found.span()
        gap, last = text[last:start], end
        forms, is_atom, rest, head = _lump(found[0])
        at = start + head
        if forms[0] in SUPPLEMENTS and is_glue(gap) and items and items[-1].text[-1] in DIGITS:
            forms, is_atom, gap, rest, at = (forms[0][0] + rest,), True, "+", "", end
        items.append(Item(forms[0], forms, is_atom, gap, start, at))
        if rest:
            items.append(Item(rest, (rest,), is_atom=True, gap="", start=at, end=end))
    return items


@lru_cache(maxsize=65_536)
def _lump(text: str) -> tuple[tuple[str, ...], bool, str, int]:
    """Return the forms of a run without gaps, whether it is an atom, the atom after a head, and its place."""
    forms = foldings(text)
    parts = [_HEAD.fullmatch(form) for form in forms]
    if parts[0] is None:
        return forms, len(forms[0]) == 1 or not DIGITS.isdisjoint(forms[0]), "", len(text)
    head = next(place for place, one in enumerate(text) if not DIGITS.isdisjoint(foldings(one)[0]))
    return tuple(dict.fromkeys([part[1] for part in parts if part])), False, parts[0][2], head


def joined_symbols(text: str) -> str:
    """Return a text with neighbouring symbols of elements as one word: `AlMgSi` for `Al Mg Si`."""
    return _SYMBOL.sub(r"\1", text)


def canonical(atoms: Sequence[str]) -> str:
    """Join atoms: with a hyphen between digits, and letters before any digit: `6892-1`, `s355j2n`, `a-b`."""
    text = atoms[0]
    for one in atoms[1:]:
        is_joint = text[-1] in DIGITS if one[0] in DIGITS else DIGITS.isdisjoint(text)
        text += f"-{one}" if is_joint else one
    return text


def is_letter(atom: str) -> bool:
    """Return whether an atom is a letter alone."""
    return len(atom) == 1 and atom not in DIGITS


def has_number(atoms: Sequence[str]) -> bool:
    """Return whether one of these atoms, or a text, has digits."""
    return not DIGITS.isdisjoint("".join(atoms))


def group_at(items: Sequence[Item], at: int) -> list[int]:
    """Return the places of the atoms that stand together from `at` on."""
    places, end = [at], at + 1
    while end < len(items) and len(places) < MOST_ATOMS:
        one, last = items[end], items[places[-1]].text
        if one.is_atom and _joins(last, one):
            places.append(end)
            end += 1
        elif _is_part(items, end, last):
            places.append(end + 1)
            end += 2
        else:
            break
    return places


def _joins(last: str, one: Item) -> bool:
    if one.gap == "," and last[-1] in DIGITS and one.text[0] in DIGITS:
        return True
    return is_glue(one.gap) or (one.gap in (",", ", ") and _FIRE_CLASS.search(last + one.text) is not None)


def _is_part(items: Sequence[Item], at: int, last: str) -> bool:
    """Return whether a word such as `Teil` or `Rev.` stands between a number and what belongs to it."""
    if items[at].text not in JOINTS or at + 1 >= len(items) or last[-1] not in DIGITS:
        return False
    after = items[at + 1]
    return after.is_atom and is_glue(after.gap) and _BEFORE_PART.fullmatch(items[at].gap) is not None


@lru_cache(maxsize=1024)
def is_glue(gap: str) -> bool:
    """Return whether two signs with this between them stand together."""
    return _GLUE.fullmatch(gap) is not None
