"""Add extra files that some hosts need: compressed copies, and documents under a second name."""

import gzip
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec

from labgen.hosts.profile import Profile
from labgen.model.site_paths import JSON_FILE

COMPRESSIBLE = (".atom", ".css", ".csv", ".html", ".js", ".json", ".jsonl", ".svg", ".txt", ".xml")

PACKAGES = {".br": "brotli", ".zst": "zstandard"}
"""The packages that make compressed copies, by suffix; labgen has an extra with the name of each."""


def _gzip(data: bytes) -> bytes:
    return gzip.compress(data, 9, mtime=0)


def _brotli(data: bytes) -> bytes:
    compressed: bytes = import_module("brotli").compress(data, quality=9)
    return compressed


def _zstd(data: bytes) -> bytes:
    compressed: bytes = import_module("zstandard").ZstdCompressor(level=12).compress(data)
    return compressed


COMPRESSORS: Mapping[str, Callable[[bytes], bytes]] = {".gz": _gzip, ".br": _brotli, ".zst": _zstd}


def unavailable_suffixes(suffixes: Sequence[str]) -> list[str]:
    """Return those suffixes whose copies cannot be made, because a package is not installed."""
    return [one for one in suffixes if one in PACKAGES and find_spec(PACKAGES[one]) is None]


class Companions:
    """Makes the companions of files for the chosen hosts. `copies` are the suffixes that are requested."""

    def __init__(self, profiles: Sequence[Profile], copies: Sequence[str]) -> None:
        self.hosts = tuple(profiles)
        used = frozenset[str]().union(*(one.copies for one in profiles))
        self.copies = tuple(suffix for suffix in copies if suffix in used)
        self.aliases = tuple(sorted({one.alias for one in profiles if one.alias}))

    def beside(self, files: Mapping[str, bytes], *, has_documents: bool = True) -> dict[str, bytes]:
        """Return the files and their companions; a copy that is not smaller than its original is not made."""
        found = dict(files)
        if has_documents and self.aliases:
            for name, data in files.items():
                folder, slash, last = name.rpartition("/")
                if last == JSON_FILE:
                    found.update((folder + slash + alias, data) for alias in self.aliases)
        for name, data in list(found.items()) if self.copies else ():
            if name.endswith(COMPRESSIBLE):
                made = ((suffix, COMPRESSORS[suffix](data)) for suffix in self.copies)
                found.update((name + suffix, copy) for suffix, copy in made if len(copy) < len(data))
        return found
