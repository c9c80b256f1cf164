"""Read the files of the search index: maps from keys to values, cut into files (leaves).

Names of files, the order of keys and the forms of values are described in labgen/search/README.md.
"""

import json
from bisect import bisect_right
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from labgen.search.lists import unpack
from labgen.search.reader import Read

INDEX = "search/index.json"
FILES_FOLDER = "search/files"
"""The folder of all other files: each has a digest of its contents in its name."""
CARDS, COUNTS, ENTRIES, ORDERS, OWNED = "cards", "counts", "entries", "orders", "owned"
VERSION = 9
"""The version of the format of the index. A client refuses another version."""
PART = "~"
"""Marks the key of a part of words that is not a word itself."""
BEGIN = "*"
"""Marks, at the end of a key, the beginning of longer numbers."""
WHOLE, BEGUN, INNER = NAME_LISTS = "whole", "begun", "inner"
"""The lists of laboratories with a word in name or place: as it is, as a beginning, and only elsewhere."""
MOST_LEAVES = 16
"""Maximum number of leaves of a map to read for the keys of a range."""
LONGEST = 60
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")


def digest(text: str) -> int:
    """Return a 32-bit digest of a text: the first four bytes of its BLAKE2b digest."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).digest(), "big")


def file_name(key: str) -> str:
    """Return the file name for a key, without suffix; a key that cannot be a file name gets a digest."""
    if len(key) < LONGEST and _PLAIN.issuperset(key) and key:
        return key
    plain = "".join([one if one in _PLAIN else "-" for one in key.lower()[:LONGEST]])
    return f"{plain}~{digest(key):08x}"


def slot_key(slot: int) -> str:
    """Return the key of a slot in a map: of the same length for all, so that maps have the order of slots."""
    return f"{slot:06x}"


def entry_key(facet: str, id_: int) -> str:
    """Return the key of an entry in the map of entries."""
    return f"{facet} {id_}"


def facet_key(place: int) -> str:
    """Return the key of a facet's entries in the value of a word: its place, no name such as `labs`."""
    return str(place)


def sort_key(key: str) -> bytes:
    """Return the sort key of a key: its UTF-16 code units, as JavaScript compares strings."""
    return key.encode("utf-16-be", "surrogatepass")


class OtherBuildError(Exception):
    """A file is missing that `index.json` led to: the site was built again since that was read."""


class Files:
    """Reads the files of one build of an index, each only once."""

    def __init__(self, read: Read) -> None:
        self.read = read
        self.known: dict[str, Any] = {}
        self.lists: dict[str, tuple[list[bytes], list[str]]] = {}

    def index(self) -> Any:
        """Return `index.json`, or None if there is no index."""
        return self.site_file(INDEX)

    def get(self, name: str) -> Any:
        """Return the parsed JSON of a file of the index, given without suffix."""
        value = self.site_file(f"{FILES_FOLDER}/{name}.json")
        if value is None:
            raise OtherBuildError(f"{FILES_FOLDER}/{name}.json")
        return value

    @property
    def facets(self) -> list[str]:
        """The names of all facets, in their order."""
        return [one["name"] for one in self.index()["facets"]]

    def listed(self, folder: str) -> Any:
        """Return the list of the files in a folder of the index."""
        root = self.index()["roots"][folder]
        return self.get(f"{folder}/{root}") if isinstance(root, str) else root

    def site_file(self, name: str) -> Any:
        """Return the parsed JSON of a file of the site, or None if the file does not exist."""
        if name not in self.known:
            data = self.read(name)
            self.known[name] = None if data is None else json.loads(data)
        return self.known[name]

    def counts(self, facet: str) -> Any:
        """Return the values of a facet that most laboratories have, and the laboratories of a sample."""
        return self.get(f"{COUNTS}/{self.listed(COUNTS)[facet]}")

    def order(self, field: str) -> list[tuple[str, list[int]]]:
        """Return all laboratories in the order of a field, in groups of equal ones, each with its value.

        The value of a group is "" where the cards show it.
        """
        found = self.get(f"{ORDERS}/{self.listed(ORDERS)[field]}")
        groups = [unpack(one) for one in found["labs"].split(",")]
        return list(zip(found.get("values") or [""] * len(groups), groups, strict=True))

    def find(self, index_map: str, key: str) -> Any:
        """Return the value of a key in a map, or None."""
        return self._whole(index_map, self._leaf(index_map, self._place(index_map, key)).get(key))

    def keys(self, index_map: str) -> list[str]:
        """Return all keys of a map."""
        _, names = self._leaves(index_map)
        return [key for number in range(len(names)) for key in self._leaf(index_map, number)]

    def keys_between(self, index_map: str, low: str, high: str) -> list[str]:
        """Return the keys from `low` to before `high`, of at most `MOST_LEAVES` leaves."""
        first, last = self._place(index_map, low), self._place(index_map, high)
        least, most = sort_key(low), sort_key(high)
        leaves = [
            self._leaf(index_map, number) for number in range(first, min(last, first + MOST_LEAVES) + 1)
        ]
        return [key for leaf in leaves for key in sorted(leaf, key=sort_key) if least <= sort_key(key) < most]

    def slots(self, facet: str, value: str) -> list[int]:
        """Return the slots of the laboratories that have a value of a facet."""
        return unpack(self.value_of(facet, value).get("labs"))

    def value_of(self, facet: str, value: str) -> dict[str, Any]:
        """Return a value of a facet: its `title`, and `labs` that have it; {} if no laboratory has it."""
        found = self.find(f"facets/{facet}", value)
        return self.entry(facet, found) if isinstance(found, int) else found or {}

    def entry(self, facet: str, id_: int) -> dict[str, Any]:
        """Return an entry that words refer to: `search_val`, `title` and `labs`."""
        found = self.find(ENTRIES, entry_key(facet, id_)) or ()
        return dict(zip(("search_val", "title", "labs"), found, strict=False))

    def card(self, slot: int) -> Any:
        """Return the Similar-lab item of the laboratory with a slot."""
        return self._card_file(slot).get(str(slot))

    def has(self, facet: str, value: str) -> bool:
        """Return whether a laboratory has a value of a facet."""
        return self.find(f"facets/{facet}", value) is not None

    def values(self, facet: str, slot: int) -> Sequence[Any]:
        """Return the values of a facet that the laboratory with a slot has: the ids of entries, or values."""
        owned = self.find(OWNED, slot_key(slot))
        found = owned[self.facets.index(facet)] if owned else ""
        return unpack(found) if isinstance(found, str) else found

    def _card_file(self, slot: int) -> dict[str, Any]:
        name = self.listed(CARDS).get(str(slot // self.index()["slots_per_card_file"]))
        found: dict[str, Any] = self.get(f"{CARDS}/{name}") if name else {}
        return found

    def _leaves(self, index_map: str) -> tuple[list[bytes], list[str]]:
        """Return the sort keys of the first keys of the leaves of a map, and the names of their files."""
        if index_map not in self.lists:
            firsts, names = self.listed(index_map)
            self.lists[index_map] = [sort_key(one) for one in firsts], names
        return self.lists[index_map]

    def _leaf(self, index_map: str, number: int) -> dict[str, Any]:
        _, names = self._leaves(index_map)
        leaf: dict[str, Any] = self.get(f"{index_map}/{names[number]}") if number < len(names) else {}
        return leaf

    def _place(self, index_map: str, key: str) -> int:
        """Return the number of the only leaf that can contain a key."""
        return max(0, bisect_right(self._leaves(index_map)[0], sort_key(key)) - 1)

    def _whole(self, index_map: str, value: Any) -> Any:
        """Return a value of a map, from its own file if it was too large for the leaf."""
        if not isinstance(value, dict) or "file" not in value:
            return value
        return self.get(f"{index_map}/{value['file']}")
