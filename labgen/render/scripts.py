"""Publish scripts without what only their readers need."""

import re

_FOR_READERS = re.compile(r"^ *(?:(?:/\*\*.*\*/|//.*)\n)?", re.MULTILINE)
"""The indentation of lines, and comments with lines of their own."""


def for_browsers(script: str) -> str:
    """Return a script of labgen without indentation, and without comments but one in its first line."""
    first, rest = script.split("\n", 1)
    return f"{first}\n{_FOR_READERS.sub('', rest)}"
