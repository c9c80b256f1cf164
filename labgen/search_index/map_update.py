"""Update a published map: read and rewrite only the leaves around the changed entries."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import orjson

from labgen.search.index_files import sort_key
from labgen.search_index.leaves import (
    LEAF,
    OWN,
    Leaf,
    begins_chunk,
    entry_of,
    list_of_leaves,
    map_leaves,
    reference,
)

Read = Callable[[str], bytes]
"""Returns the bytes of a published file by its name below a map's folder. Raises OSError if it is missing."""
Head = dict[str, Any]


class MapUpdate:
    """An update of a published map, with leaves of at most `most` bytes; `root` is the file that lists them.

    Methods raise LookupError or ValueError if the map is broken.
    """

    def __init__(self, read: Read, root: str, most: int = LEAF) -> None:
        self.read = read
        self.most = most
        self.root = f"{root}.json"
        self.published = [Leaf(*one) for one in zip(*orjson.loads(read(self.root)), strict=True)]
        self.sort_keys = [sort_key(one.first) for one in self.published]
        self.leaves: dict[int, dict[str, Any]] = {}
        self.values: dict[str, bytes | None] = {}
        self.heads: dict[str, Head] = {}
        self.changed_in: defaultdict[int, list[str]] = defaultdict(list)

    def get(self, key: str) -> Any:
        """Return the published value of a key, or None."""
        value = self._published(key)
        if not _is_reference(value):
            return value
        own = orjson.loads(self.read(f"{value['file']}.json"))
        return value | own if isinstance(own, dict) else own

    def had(self, key: str) -> bool:
        """Return whether a key was published."""
        return self._published(key) is not None

    def put(self, key: str, value: bytes | None, head: Head | None = None) -> None:
        """Set the value of a key (None: remove it); `head` is the part of a large value kept in the leaf."""
        self.values[key] = value
        self.heads[key] = head or {}

    def changed_files(self) -> dict[str, bytes | None]:
        """Return the contents of the files that may have changed; None for a file that must be removed."""
        files: dict[str, bytes | None] = {}
        leaves = list(self.published)
        for key in self.values:
            self.changed_in[self._place(key)].append(key)
        for begin, end in self._regions():
            values, gone = self._region(begin, end)
            files |= dict.fromkeys(gone)
            made: list[Leaf] = []
            files |= dict(map_leaves(values, values.__getitem__, self.heads.__getitem__, self.most, made))
            leaves[begin:end] = made
        if leaves != self.published:
            files |= {self.root: None, **dict([list_of_leaves(leaves)])}
        return files

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

    def _regions(self) -> Iterator[tuple[int, int]]:
        """Yield the ranges of leaves that must be made again, from the last to the first: whole chunks."""
        reached = len(self.published) + 1
        for place in sorted(self.changed_in, reverse=True):
            if place >= reached:
                continue
            begin, end = place, min(place + 1, len(self.published))
            while not self._begins_chunk(begin):
                begin -= 1
            while end < len(self.published) and not self._begins_chunk(end):
                end += 1
            while begin and not self._still_begins(begin, end):
                begin -= 1
                while not self._begins_chunk(begin):
                    begin -= 1
            reached = begin
            yield begin, end

    def _begins_chunk(self, place: int) -> bool:
        """Return whether a published leaf is the first of a chunk."""
        if place == 0:
            return True
        first = self.published[place].first
        return begins_chunk((first, entry_of(first, orjson.dumps(self._leaf(place)[first]))), self.most)

    def _still_begins(self, begin: int, end: int) -> bool:
        """Return whether a chunk still begins at the first of these leaves, or nothing is left of them."""
        values, _ = self._region(begin, end)
        if not values:
            return True
        first = min(values, key=sort_key)
        value = values[first]
        stored = reference(first, value, self.heads[first]) if len(value) > OWN else value
        return begins_chunk((first, entry_of(first, stored)), self.most)

    def _region(self, begin: int, end: int) -> tuple[dict[str, bytes], list[str]]:
        """Return the values in a range of leaves with the changes applied, and the files that held them."""
        was = {key: value for place in range(begin, end) for key, value in self._leaf(place).items()}
        files = [f"{one.name}.json" for one in self.published[begin:end]]
        changed = [key for place in range(begin, max(end, begin + 1)) for key in self.changed_in[place]]
        files += [f"{was[key]['file']}.json" for key in changed if _is_reference(was.get(key))]
        values = {key: orjson.dumps(value) for key, value in was.items() if key not in self.values}
        values |= {key: value for key in changed if (value := self.values[key]) is not None}
        return values, files


def _is_reference(value: Any) -> bool:
    return isinstance(value, dict) and "file" in value
