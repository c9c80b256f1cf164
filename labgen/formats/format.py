"""Define the interface of source formats: parse a file, and find the positions of its values."""

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, overload

from labgen.formats.budget import UNLIMITED, Budget
from labgen.problems.problem import Place, Pointer, Problem, Span
from labgen.problems.text import say

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


class _LineTexts(Sequence[str]):
    """The texts of lines, without their ends; made when they are asked for, because there may be millions.

    The last one is kept: a line may be the whole file, and be asked for once for each of its problems.
    """

    def __init__(self, text: str, starts: "array[int]") -> None:
        self._text, self._starts = text, starts
        self._last = (-1, "")

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, number: int) -> str: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[str]: ...
    def __getitem__(self, number: int | slice) -> str | Sequence[str]:
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(len(self)))]
        position = range(len(self))[number]
        if position != self._last[0]:
            is_last = position + 1 == len(self)
            end = len(self._text) if is_last else self._starts[position + 1] - 1
            self._last = (position, self._text[self._starts[position] : end].removesuffix("\r"))
        return self._last[1]


class Lines:
    """The lines of a text, to convert any number of stretches to spans; the text is searched once."""

    def __init__(self, text: str) -> None:
        ending = "\r" if "\r" in text and "\n" not in text else "\n"
        self.starts = array("q", [0])
        self.starts.extend(found.end() for found in re.finditer(ending, text))
        self.texts = _LineTexts(text, self.starts)

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
    return [], [
        Problem("wrong-type", say("`{file}` must hold a list of objects", file=file), Place(file, ()))
    ]
