"""Define the interface of source formats: parse a file, and find the positions of its values."""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
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

    def __init__(self, lines: "Lines") -> None:
        self._lines = lines
        self._last = (-1, "")

    def __len__(self) -> int:
        return self._lines.count

    @overload
    def __getitem__(self, number: int) -> str: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[str]: ...
    def __getitem__(self, number: int | slice) -> str | Sequence[str]:
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(len(self)))]
        position = range(len(self))[number]
        if position != self._last[0]:
            text, is_last = self._lines.text, position + 1 == len(self)
            end = len(text) if is_last else self._lines.start(position + 1) - 1
            self._last = (position, text[self._lines.start(position) : end].removesuffix("\r"))
        return self._last[1]


class Lines:
    """The lines of a text, to convert any number of stretches to spans; the text is searched once.

    Where lines begin is counted by blocks: a list of all beginnings would be larger than a text of line ends.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._ending = "\r" if "\r" in text and "\n" not in text else "\n"
        counts = (text.count(self._ending, at, at + BLOCK) for at in range(0, len(text), BLOCK))
        self._before = array("q", accumulate(counts, initial=0))
        self.count = self._before[-1] + 1
        self.texts = _LineTexts(self)

    def start(self, line: int) -> int:
        """Return where a line begins; the first one is 0."""
        block = max(0, bisect_left(self._before, line) - 1)
        at = block * BLOCK
        for _ in range(line - self._before[block]):
            at = self.text.index(self._ending, at) + 1
        return at

    def span(self, start: int, end: int = 0) -> Span:
        """Return the span of a stretch, which ends with the first line of the stretch."""
        block = min(start, len(self.text)) // BLOCK
        line = self._before[block] + self.text.count(self._ending, block * BLOCK, start)
        begins = self.start(line)
        visible_end = min(end, begins + len(self.texts[line]))
        return Span(line + 1, start - begins + 1, max(1, visible_end - start))


BLOCK = 256
"""How many characters of a text have their line ends counted together."""


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
