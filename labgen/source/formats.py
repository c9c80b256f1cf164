"""The formats that source files come in, each with the same two abilities: parse, and find places."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from labgen.problems import Place, Pointer, Problem, Span

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


Parse = Callable[[str, str], tuple[list[Entry], list[Problem]]]
Nodes = Callable[[str, Collection[Pointer]], Iterator[Node]]


@dataclass(frozen=True, slots=True)
class Format:
    """A file format.

    `parse(text, file)` returns the entries of a file and what is wrong with its syntax; a file that is
    one value (JSON, YAML, TOML) gives one entry with the pointer (). `nodes(text, wanted)` yields where
    values stand, at least those at the wanted pointers, in one pass over the text. `is_lax` says that
    the format knows texts only, so numbers are read from them. `is_list` says that the entries are
    the parts of a list.
    """

    name: str
    parse: Parse
    nodes: Nodes
    is_list: bool = False
    is_lax: bool = False


def span_at(text: str, start: int, end: int = 0) -> Span:
    """Return the span of a stretch; it ends with its first line."""
    line_end = text.find("\n", start)
    visible_end = min(end, line_end) if line_end >= 0 else end
    return Span(
        text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start), max(1, visible_end - start)
    )


def spread(entries: list[Entry], file: str) -> tuple[list[Entry], list[Problem]]:
    """Return the parts of a file whose one value must be a list."""
    if not entries:
        return [], []
    value = entries[0].value
    if isinstance(value, list):
        return [Entry((number,), part) for number, part in enumerate(value)], []
    return [], [Problem("wrong-type", f"`{file}` must hold a list of objects", Place(file, ()))]
