"""Cut maps from keys to values into files (leaves), so that a change rewrites few of them.

Where a leaf begins depends only on the digests of keys, and on the entries around it. So an entry that is
added, removed or enlarged moves no other leaf.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import orjson

from labgen.search.index_files import LEAVES, digest, file_name, sort_key

LEAF = 24_576
"""Maximum size of a leaf in bytes; only a leaf with a single entry may be larger."""
FACET_LEAF = 8_192
"""The same for the map of a facet: the values that a response counts are in different leaves."""
OWN = 8_192
"""Maximum size of a value in a leaf, in bytes; a larger value has its own file."""

Entry = tuple[str, bytes]
"""A key, and the key with its value as JSON."""
Output = Iterator[tuple[str, bytes]]
"""Names of files below the folder of a map, and their bytes."""


def map_files(
    keys: Iterable[str],
    value_of: Callable[[str], bytes],
    head: Callable[[str], dict[str, Any]] | None = None,
    most: int = LEAF,
) -> Output:
    """Yield the files of a map, with leaves of at most `most` bytes.

    `value_of` returns the value of a key as JSON; it is called in the order of the map, so that not all
    values are in memory at a time. `head` returns the part of a large value that stays in the leaf.
    """
    firsts: list[str] = []
    chunk: list[Entry] = []
    for key in sorted(keys, key=sort_key):
        value = value_of(key)
        if len(value) > OWN:
            yield own_file(key), value
            value = reference(key, head(key) if head else {})
        entry = (key, entry_of(key, value))
        if chunk and begins_chunk(entry, most):
            yield from leaf_files(chunk, firsts, most)
            chunk = []
        chunk.append(entry)
    if chunk:
        yield from leaf_files(chunk, firsts, most)
    yield LEAVES, list_of_leaves(firsts)


def own_file(key: str) -> str:
    """Return the name of the file with a large value."""
    return f"_{file_name(key)}.json"


def reference(key: str, head: dict[str, Any]) -> bytes:
    """Return the reference to the file of a large value, as a leaf contains it."""
    return orjson.dumps({**head, "file": f"_{file_name(key)}"})


def entry_of(key: str, value: bytes) -> bytes:
    """Return a key and its value as a member of a JSON object."""
    return orjson.dumps(key) + b":" + value


def begins_chunk(entry: Entry, most: int) -> bool:
    """Return whether a chunk of leaves begins at an entry. This depends only on the entry."""
    key, data = entry
    return digest(key) < len(data) * (1 << 32) // (2 * most)


def leaf_files(chunk: Sequence[Entry], firsts: list[str], most: int) -> Output:
    """Yield the leaves of a chunk, and append their first keys to `firsts`."""
    for leaf in cut(chunk, most):
        firsts.append(leaf[0][0])
        yield f"{file_name(leaf[0][0])}.json", b"{" + b",".join([data for _, data in leaf]) + b"}"


def cut(chunk: Sequence[Entry], most: int) -> list[Sequence[Entry]]:
    """Divide the entries of a chunk into leaves, at the keys with the smallest digests."""
    size = sum([len(data) for _, data in chunk])
    if size <= most or len(chunk) == 1:
        return [chunk]
    at = min(range(1, len(chunk)), key=lambda place: digest(chunk[place][0]))
    return cut(chunk[:at], most) + cut(chunk[at:], most)


def list_of_leaves(firsts: Sequence[str]) -> bytes:
    """Return the first keys of leaves as JSON, each with the name of its file if that differs."""
    names = ((key, file_name(key)) for key in firsts)
    return orjson.dumps([key if key == name else [key, name] for key, name in names])
