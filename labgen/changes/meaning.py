"""Decide whether a text still names the same thing after a change."""

import re
from difflib import SequenceMatcher

ALIKE = 0.8
"""The minimum similarity (`SequenceMatcher.ratio`) of the letters of two names of the same thing."""


def is_other_meaning(old: object, new: object) -> bool:
    """Return whether two names mean different things.

    They mean the same if their digits are equal, and most of their letters: a typo was corrected, or case or
    punctuation changed. `EN 10204-2` and `EN 10204-3` mean different things; `Stal` and `Stahl` mean the
    same, and so do `EN 10204` and `DIN EN 10204`.
    """
    was, now = str(old).casefold(), str(new).casefold()
    numbers = re.findall(r"\d+", was)
    if numbers != re.findall(r"\d+", now):
        return True
    was, now = (re.sub(r"[\W\d_]", "", text) for text in (was, now))
    if numbers and (was in now or now in was):
        return False
    return SequenceMatcher(None, was, now, autojunk=False).ratio() < ALIKE
