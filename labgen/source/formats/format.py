"""Define what a source format can do: parse a file, and find the places of values."""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from labgen.problems.problem import Place, Pointer, Problem, Span

Stretch = tuple[int, int]
"""Start and end of a part of a text, in characters from its beginning."""


class Entry(NamedTuple):
    """A parsed value, and the pointer to it in its file."""

    pointer: Pointer
    value: object


class Node(NamedTuple):
    """Where one value of a file stands, and its key if it has one."""

    pointer: Pointer
    value: Stretch
    key: Stretch | None = None


class Lines:
    """The lines of a text, to turn stretches into spans: one pass for however many."""

    def __init__(self, text: str) -> None:
        ending = "\r" if "\r" in text and "\n" not in text else "\n"
        lines = text.split(ending)
        self.starts = [0, *accumulate(len(line) + 1 for line in lines)]
        self.texts = [line.removesuffix("\r") for line in lines]

    def span(self, start: int, end: int = 0) -> Span:
        """Return the span of a stretch; it ends with its first line."""
        line = min(bisect_right(self.starts, start), len(self.texts)) - 1
        column = start - self.starts[line]
        visible_end = min(end, self.starts[line] + len(self.texts[line]))
        return Span(line + 1, column + 1, max(1, visible_end - start))


Parse = Callable[[str, str], tuple[list[Entry], list[Problem]]]
Nodes = Callable[[str, Collection[Pointer]], Iterator[Node]]
Reread = Callable[[bytes], list[Entry]]


@dataclass(frozen=True, slots=True)
class Format:
    """A file format.

    `parse(text, file)` returns the entries of a file and what is wrong with its syntax; a file that is
    one value (JSON, YAML, TOML) gives one entry with the pointer (). `nodes(text, wanted)` yields where
    values stand, at least those at the wanted pointers, in one pass over the text. `is_list` says that
    the entries are the parts of a list. `reread(data)` returns the entries of a file, or of a line of it, in
    which nothing was wrong before, sooner than `parse`; it is None where there is no such way. A value of
    which it makes something else than `parse` is one that no record accepts, and where it cannot read, it
    raises ValueError: then `parse` has to do it.
    """

    name: str
    parse: Parse
    nodes: Nodes
    is_list: bool = False
    reread: Reread | None = None


def spread(entries: list[Entry], file: str) -> tuple[list[Entry], list[Problem]]:
    """Return the parts of a file whose one value must be a list."""
    if not entries:
        return [], []
    value = entries[0].value
    if isinstance(value, list):
        return [Entry((number,), part) for number, part in enumerate(value)], []
    return [], [Problem("wrong-type", f"`{file}` must hold a list of objects", Place(file, ()))]
