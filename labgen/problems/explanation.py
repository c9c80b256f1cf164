"""Define what `labgen explain` prints about a problem code."""

from typing import NamedTuple


class Explanation(NamedTuple):
    """The explanation of a problem code: meaning, reason for the rule, example, remedy."""

    meaning: str
    reason: str
    example: str
    remedy: str
