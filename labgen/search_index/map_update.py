"""Update a published map: read and rewrite only the leaves around the changed entries."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

import orjson

from labgen.search.index_files import sort_key
from labgen.search_index.leaves import (
    LEAF,
    Entry,
    Leaf,
    begins_chunk,
    entry_of,
    leaf_files,
    list_of_leaves,
    listed_in,
    stored,
)

Read = Callable[[str], bytes]
"""Returns the bytes of a published file by its name below a map's folder. Raises OSError if it is missing."""


class MapUpdate:
    """An update of a published map, with leaves of at most `most` bytes; `root` is their list, or its file.

    Methods raise LookupError or ValueError if the map is broken.
    """

    def __init__(self, read: Read, root: Any, most: int = LEAF) -> None:
        self.read = read
        self.most = most
        self.root = root
        self.published = [Leaf(*one) for one in zip(*listed_in(root, read), strict=True)]
        self.sort_keys = [sort_key(one.first) for one in self.published]
        self.leaves: dict[int, dict[str, Any]] = {}
        self.changed: dict[str, tuple[Entry, dict[str, bytes]] | None] = {}
        self.changed_in: defaultdict[int, list[str]] = defaultdict(list)

    def get(self, key: str) -> Any:
        """Return the published value of a key, or None."""
        value = self._published(key)
        if not _is_reference(value):
            return value
        return orjson.loads(self.read(f"{value['file']}.json"))

    def had(self, key: str) -> bool:
        """Return whether a key was published."""
        return self._published(key) is not None

    def put(self, key: str, value: bytes | None) -> None:
        """Set the value of a key (None: remove it)."""
        self.changed[key] = None if value is None else stored(key, value)

    def changed_files(self) -> dict[str, bytes | None]:
        """Return the contents of the files that may have changed; None for a file that must be removed."""
        files: dict[str, bytes] = {}
        gone = set[str]()
        leaves = list(self.published)
        for key in self.changed:
            self.changed_in[self._place(key)].append(key)
        for begin, end, entries in self._regions():
            gone.update(self._held(begin, end))
            made: list[Leaf] = []
            files |= self._files(entries, made)
            leaves[begin:end] = made
        if leaves != self.published:
            gone.update([f"{self.root}.json"] if isinstance(self.root, str) else ())
            files |= [list_of_leaves(leaves)]
        return {**dict.fromkeys(gone), **files}

    def _files(self, entries: Iterable[Entry], made: list[Leaf]) -> dict[str, bytes]:
        """Return the files of whole chunks, given as their entries, and append the leaves to `made`.

        A chunk can only begin at the first of these, at a changed entry, and at the former first of the map.
        """
        files: dict[str, bytes] = {}
        chunk: list[Entry] = []
        first = self.published[0].first if self.published else ""
        for entry in entries:
            if entry[0] in self.changed or entry[0] == first:
                files |= changed[1] if (changed := self.changed.get(entry[0])) else {}
                if chunk and begins_chunk(entry, self.most):
                    files |= leaf_files(chunk, made, self.most)
                    chunk = []
            chunk.append(entry)
        return files | dict(leaf_files(chunk, made, self.most)) if chunk else files

    def _published(self, key: str) -> Any:
        return self._leaf(self._place(key)).get(key)

    def _place(self, key: str) -> int:
        return max(0, bisect_right(self.sort_keys, sort_key(key)) - 1)

    def _leaf(self, place: int) -> dict[str, Any]:
        if place not in self.leaves:
            has_leaf = place < len(self.published)
            data = self.read(f"{self.published[place].name}.json") if has_leaf else b"{}"
            self.leaves[place] = orjson.loads(data)
        return self.leaves[place]

    def _regions(self) -> Iterator[tuple[int, int, list[Entry]]]:
        """Yield the ranges of leaves that must be made again, from the last to the first: whole chunks.

        Each comes with its entries, with the changes applied.
        """
        reached = len(self.published) + 1
        for place in sorted(self.changed_in, reverse=True):
            if place >= reached:
                continue
            begin, end = place, min(place + 1, len(self.published))
            while not self._begins_chunk(begin):
                begin -= 1
            while end < len(self.published) and not self._begins_chunk(end):
                end += 1
            entries = self._entries(begin, end)
            while begin and entries and not begins_chunk(entries[0], self.most):
                begin -= 1
                while not self._begins_chunk(begin):
                    begin -= 1
                entries = self._entries(begin, end)
            reached = begin
            yield begin, end, entries

    def _begins_chunk(self, place: int) -> bool:
        """Return whether a published leaf is the first of a chunk."""
        if place == 0:
            return True
        first = self.published[place].first
        return begins_chunk((first, entry_of(first, orjson.dumps(self._leaf(place)[first]))), self.most)

    def _entries(self, begin: int, end: int) -> list[Entry]:
        """Return the entries in a range of leaves, with the changes applied."""
        was = ((key, value) for place in range(begin, end) for key, value in self._leaf(place).items())
        kept = [(key, entry_of(key, orjson.dumps(value))) for key, value in was if key not in self.changed]
        new = [some[0] for key in self._changed_in(begin, end) if (some := self.changed[key])]
        return sorted(kept + new, key=lambda entry: sort_key(entry[0]))

    def _held(self, begin: int, end: int) -> Iterator[str]:
        """Yield the files of a range of leaves as they were published, and of values in it that changed."""
        yield from (f"{one.name}.json" for one in self.published[begin:end])
        for value in map(self._published, self._changed_in(begin, end)):
            if _is_reference(value):
                yield f"{value['file']}.json"

    def _changed_in(self, begin: int, end: int) -> Iterator[str]:
        """Yield the changed keys in a range of leaves; in an empty map, there is no leaf."""
        return chain.from_iterable(self.changed_in[place] for place in range(begin, max(end, begin + 1)))


def _is_reference(value: Any) -> bool:
    return isinstance(value, dict) and "file" in value
