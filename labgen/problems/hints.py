"""Suggest the nearest valid name or id for a misspelt one (`did you mean`)."""

from collections.abc import Collection, Container, Iterator
from difflib import get_close_matches
from functools import lru_cache

from labgen.problems.text import say

DIGITS = "0123456789"
LETTERS = "abcdefghijklmnopqrstuvwxyz"
FEW = 60
"""If there are more names, only names at edit distance one are suggested."""
MAX_LENGTH = 100
"""Longest text for which a suggestion is looked up, in characters."""


def did_you_mean(given: str, among: Collection[str]) -> str:
    """Return a hint with the most similar valid name, such as a field of a record, or ""."""
    near = closest(given, tuple(among))
    return say("did you mean `{near}`?", near=near) if near else ""


@lru_cache(maxsize=4096)
def closest(given: str, among: tuple[str, ...]) -> str | None:
    """Return the most similar valid name, or None; upper and lower case are equal."""
    if len(given) > MAX_LENGTH:
        return None
    folded = {name.casefold(): name for name in among}
    if len(among) > FEW:
        slip = nearest(given.casefold(), folded, LETTERS + DIGITS + "_-")
        return folded[slip] if slip else None
    near = get_close_matches(given.casefold(), folded, n=1, cutoff=0.6)
    return folded[near[0]] if near else None


def nearest(given: str, known: Container[str], alphabet: str = DIGITS) -> str | None:
    """Return a known name that differs by one typing error, or None.

    Errors are two characters swapped, or one that is wrong, missing or superfluous; the first character is
    looked at last, because it is seldom wrong. The cost depends on the length of `given`, not on the number
    of known names.
    """
    if len(given) > MAX_LENGTH:
        return None
    return next((slip for slip in _slips(given, alphabet) if slip in known), None)


def _slips(word: str, alphabet: str) -> Iterator[str]:
    cuts = [(word[:at], word[at:]) for at in reversed(range(len(word) + 1))]
    yield from (head + tail[1] + tail[0] + tail[2:] for head, tail in cuts if len(tail) > 1)
    yield from (head + char + tail[1:] for head, tail in cuts if tail for char in alphabet)
    yield from (head + tail[1:] for head, tail in cuts if tail)
    yield from (head + char + tail for head, tail in cuts for char in alphabet)
