"""Define the interface of source formats: parse a file, and find the positions of its values."""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple, Protocol

from labgen.problems.problem import Place, Pointer, Problem, Span
from labgen.source.budget import UNLIMITED, Budget

Stretch = tuple[int, int]
"""Start and end of a part of a text, in characters from its beginning."""


class ParsedValue(NamedTuple):
    """A parsed value, and the pointer to it in its file."""

    pointer: Pointer
    value: object


class Node(NamedTuple):
    """The position of a value in a file, and of its key if it has one."""

    pointer: Pointer
    value: Stretch
    key: Stretch | None = None


class Lines:
    """The lines of a text, to convert any number of stretches to spans; the text is split once."""

    def __init__(self, text: str) -> None:
        ending = "\r" if "\r" in text and "\n" not in text else "\n"
        lines = text.split(ending)
        self.starts = [0, *accumulate(len(line) + 1 for line in lines)]
        self.texts = [line.removesuffix("\r") for line in lines]

    def span(self, start: int, end: int = 0) -> Span:
        """Return the span of a stretch, which ends with the first line of the stretch."""
        line = min(bisect_right(self.starts, start), len(self.texts)) - 1
        column = start - self.starts[line]
        visible_end = min(end, self.starts[line] + len(self.texts[line]))
        return Span(line + 1, column + 1, max(1, visible_end - start))


class Parse(Protocol):
    """Returns the entries of a file and its syntax problems; stops where the budget is used up."""

    def __call__(
        self, text: str, file: str, budget: Budget = UNLIMITED, /
    ) -> tuple[list[ParsedValue], list[Problem]]:
        """Parse a text."""


Nodes = Callable[[str, Collection[Pointer]], Iterator[Node]]
Reread = Callable[[bytes], list[ParsedValue]]


@dataclass(frozen=True, slots=True)
class Format:
    """A file format.

    `parse(text, file, budget)` returns the entries of a file and its problems; a file that is one value
    (JSON, YAML, TOML) gives one entry with the pointer (). `nodes(text, wanted)` yields the positions of
    values, at least of those at the wanted pointers, in one pass over the text. `is_list` says that the
    entries are the parts of a list. `reread(data)`, if not None, parses a file, or a line of it, that had no
    problems before, faster than `parse`. Values that it reads differently from `parse` are not accepted by
    any record. It raises ValueError if it cannot read the data: then `parse` has to be used.
    """

    name: str
    parse: Parse
    nodes: Nodes
    is_list: bool = False
    reread: Reread | None = None


def split_list(entries: list[ParsedValue], file: str) -> tuple[list[ParsedValue], list[Problem]]:
    """Return the parts of a file's only value, which must be a list, as entries."""
    if not entries:
        return [], []
    value = entries[0].value
    if isinstance(value, list):
        return [ParsedValue((number,), part) for number, part in enumerate(value)], []
    return [], [Problem("wrong-type", f"`{file}` must hold a list of objects", Place(file, ()))]
