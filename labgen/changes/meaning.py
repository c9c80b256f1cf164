"""Decide whether a text still names the same thing after a change."""

import re
from difflib import SequenceMatcher

ALIKE = 0.8
"""The share of letters that two names of the same thing have in common, in the same order."""


def is_other_meaning(old: object, new: object) -> bool:
    """Return whether two names mean different things.

    They mean the same where their digits are the same and most of their letters are: a slip was corrected,
    case or punctuation changed. `EN 10204-2` and `EN 10204-3` are different things, `Stal` and `Stahl` are
    not, nor are `EN 10204` and `DIN EN 10204`.
    """
    was, now = str(old).casefold(), str(new).casefold()
    numbers = re.findall(r"\d+", was)
    if numbers != re.findall(r"\d+", now):
        return True
    was, now = (re.sub(r"[\W\d_]", "", text) for text in (was, now))
    if numbers and (was in now or now in was):
        return False
    return SequenceMatcher(None, was, now, autojunk=False).ratio() < ALIKE
