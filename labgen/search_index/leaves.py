"""Cut maps from keys to values into files (leaves), so that a change rewrites few of them.

The name of a file has a digest of its contents, and what refers to it has the name: so a client never mixes
the files of two builds.

Where a leaf begins depends only on the digests of keys, and on the entries around it. So an entry that is
added, removed or enlarged moves no other leaf.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import accumulate
from typing import Any, NamedTuple, TypeVar

import orjson

from labgen.search.index_files import (
    CARDS,
    ENTRIES,
    OWNED,
    digest,
    file_name,
    sort_key,
)

LEAF = 24_576
"""Maximum size of a leaf in bytes; only a leaf with a single entry may be larger."""
FACET_LEAF = 8_192
"""The same for the maps of facets and of what laboratories have: an answer reads few of their values."""
OWN = 8_192
"""Maximum size of a value in a leaf, in bytes; a larger value has its own file."""

_LATE = re.compile("[\ud800-\U0010ffff]")
"""A character that UTF-16 has in another order."""

Entry = tuple[str, bytes]
"""A key, and the key with its value as JSON."""
Data = TypeVar("Data", bytes, bytes | None)
"""The bytes of a file; None for a file that must be removed."""
Output = Iterator[tuple[str, bytes]]
"""Names of files below the folder of a map, and their bytes."""
ROOT = "root-"
"""How the name of the file begins that lists the others of its folder."""
MOST_LISTED = 49_152
"""Maximum size in bytes of a list that is in `index.json`, not in a file."""
LISTED_LATER = (CARDS, ENTRIES, OWNED)
"""The folders whose lists are always files: clients read them while they read the first leaves of others."""


class Leaf(NamedTuple):
    """The first key of a leaf, and the name of its file without suffix."""

    first: str
    name: str


def content_digest(data: bytes) -> str:
    """Return the digest that the name of a file has."""
    return blake2b(data, digest_size=6).hexdigest()


def named(stem: str, data: bytes) -> str:
    """Return the name of a file with a stem and its contents."""
    return f"{stem}{content_digest(data)}.json"


def root_file(document: Any) -> tuple[str, bytes]:
    """Return the name and the bytes of the file that lists the others of its folder."""
    data = orjson.dumps(document)
    return named(ROOT, data), data


def listed_files(contents: Mapping[str, bytes], had: Mapping[str, str] | None = None) -> dict[str, bytes]:
    """Return the files of a folder that is no map, and their list; `had` are its other files, by key."""
    names = {key: named(f"{key}-", data) for key, data in contents.items()}
    all_names = dict(sorted({**(had or {}), **names}.items()))
    listed = {key: name.removesuffix(".json") for key, name in all_names.items()}
    return {names[key]: data for key, data in contents.items()} | dict([root_file(listed)])


def without_short_list(
    folder: str, files: Iterable[tuple[str, Data]], roots: dict[str, Any]
) -> Iterator[tuple[str, Data]]:
    """Yield the files of a folder without their list, if that is short and clients read it first.

    When all are yielded, `roots` has the list, or the name of its file. An empty list is a file, so that each
    folder has one.
    """
    for name, data in files:
        if name.startswith(ROOT) and data is not None:
            listed = orjson.loads(data)
            if any(listed) and len(data) <= MOST_LISTED and folder not in LISTED_LATER:
                roots[folder] = listed
                continue
            roots[folder] = name.removesuffix(".json")
        yield name, data


def listed_in(root: Any, read: Callable[[str], bytes]) -> Any:
    """Return the list of the files of a folder, given as what `index.json` has of it."""
    return orjson.loads(read(f"{root}.json")) if isinstance(root, str) else root


def map_files(
    keys: Iterable[str],
    value_of: Callable[[str], bytes],
    most: int = LEAF,
) -> Output:
    """Yield the files of a map, with leaves of at most `most` bytes.

    `value_of` returns the value of a key as JSON; it is called in the order of the map, so that not all
    values are in memory at a time.
    """
    leaves: list[Leaf] = []
    chunk: list[Entry] = []
    for key in _ordered(list(keys)):
        entry, own = stored(key, value_of(key))
        yield from own.items()
        if chunk and begins_chunk(entry, most):
            yield from leaf_files(chunk, leaves, most)
            chunk = []
        chunk.append(entry)
    if chunk:
        yield from leaf_files(chunk, leaves, most)
    yield list_of_leaves(leaves)


def _ordered(keys: list[str]) -> list[str]:
    """Return keys in the order of `sort_key`, which few of them need: it is that of most characters."""
    return sorted(keys, key=sort_key if any(map(_LATE.search, keys)) else None)


def stored(key: str, value: bytes) -> tuple[Entry, dict[str, bytes]]:
    """Return the entry of a key in a leaf, and the file of its value if that is too large for a leaf."""
    if len(value) <= OWN:
        return (key, entry_of(key, value)), {}
    name = f"{file_name(key)}-{content_digest(value)}"
    return (key, entry_of(key, orjson.dumps({"file": name}))), {f"{name}.json": value}


def entry_of(key: str, value: bytes) -> bytes:
    """Return a key and its value as a member of a JSON object."""
    return orjson.dumps(key) + b":" + value


def begins_chunk(entry: Entry, most: int) -> bool:
    """Return whether a chunk of leaves begins at an entry. This depends only on the entry."""
    key, data = entry
    return digest(key) < len(data) * (1 << 32) // (2 * most)


def leaf_files(chunk: Sequence[Entry], leaves: list[Leaf], most: int) -> Output:
    """Yield the files of the leaves of a chunk, and append the leaves to `leaves`."""
    for leaf in cut(chunk, most):
        data = b"{" + b",".join([data for _, data in leaf]) + b"}"
        leaves.append(Leaf(leaf[0][0], content_digest(data)))
        yield f"{leaves[-1].name}.json", data


def cut(chunk: Sequence[Entry], most: int) -> list[Sequence[Entry]]:
    """Divide the entries of a chunk into leaves, at the keys with the smallest digests.

    It has no function that calls itself: a build does not look for such cycles, and would keep all entries.
    """
    ends = [0, *accumulate([len(data) for _, data in chunk])]
    if ends[-1] <= most:
        return [chunk]
    digests = [digest(key) for key, _ in chunk]
    parts: list[Sequence[Entry]] = []
    ranges = [(0, len(chunk))]
    while ranges:
        begin, end = ranges.pop()
        if ends[end] - ends[begin] <= most or end == begin + 1:
            parts.append(chunk[begin:end])
        else:
            at = digests.index(min(digests[begin + 1 : end]), begin + 1)
            ranges += [(at, end), (begin, at)]
    return parts


def list_of_leaves(leaves: Sequence[Leaf]) -> tuple[str, bytes]:
    """Return the file with the first keys of leaves, and the names of their files."""
    return root_file([[one.first for one in leaves], [one.name for one in leaves]])
