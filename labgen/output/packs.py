"""Render packs: files that each hold the files of some laboratories, or pictures (docs/reference/packs.md).

They are for hosts that limit the number of files and have a function, which cuts files out of packs. Which
pack holds a file follows from its name and the number of packs.
"""

import re
import zlib
from collections.abc import Mapping
from typing import NamedTuple

import orjson

from labgen.api.endpoint import LABORATORIES as LABORATORIES_PATH
from labgen.model.site_paths import MEDIA_PATH
from labgen.output.published_manifest import digest_of, groups

FOLDER = "api/packs"
"""The folder under out/ with the packs. Its name has no dot: some hosts leave out what begins with one."""
FOLDER_DIGITS = 3


class Kind(NamedTuple):
    """A kind of packs: the path that its files lie below, and how many laboratories share a pack at most.

    `key` is a pattern of the start of a file's name below the path: files with the same key are in one pack.
    JavaScript reads it, too. `pattern` finds the folders that are not deployed, as .gitignore has it.
    """

    name: str
    path: str
    key: str
    pattern: str
    laboratories: int

    @property
    def above(self) -> str:
        """The start of the names of its files under out/."""
        return self.path.lstrip("/")

    def count(self, laboratories: int) -> int:
        """Return the number of packs for a number of laboratories: a power of two."""
        return groups(laboratories, self.laboratories)

    def key_of(self, name: str) -> str:
        """Return the key of a file under out/; "" if it lies in no pack of this kind."""
        found = re.match(self.key, name.removeprefix(self.above)) if name.startswith(self.above) else None
        return found[0] if found else ""

    def pack_of(self, key: str, packs: int) -> str:
        """Return the name of the pack with the files of a key."""
        return self.pack_name(zlib.crc32(key.encode()) % packs)

    def pack_name(self, number: int) -> str:
        """Return the name of a pack under out/."""
        digits = f"{number:04x}"
        return f"{FOLDER}/{self.name}/{digits[-FOLDER_DIGITS:]}/{digits}.pack"


LABORATORIES = Kind("laboratories", LABORATORIES_PATH, "[0-9]+(?=/.)", f"{LABORATORIES_PATH}[0-9]*/", 4)
PICTURES = Kind("pictures", MEDIA_PATH, ".+", MEDIA_PATH, 8)
KINDS = {one.name: one for one in (LABORATORIES, PICTURES)}

Packs = tuple[tuple[Kind, int], ...]
"""The kinds of packs of a site, each with the number of packs."""


def is_pack(name: str) -> bool:
    """Return whether a file under out/ is a pack, or a folder holds packs."""
    return name.startswith(f"{FOLDER}/")


def render_pack(files: Mapping[str, bytes]) -> bytes:
    """Return a pack of some files, by their names below the path of its kind.

    Its first line is JSON: the start, the size and the digest of each file, by name. Their bytes follow.
    """
    head: dict[str, tuple[int, int, str]] = {}
    start = 0
    for name, data in sorted(files.items()):
        head[name] = (start, len(data), digest_of(data))
        start += len(data)
    return b"".join([orjson.dumps(head), b"\n", *(files[name] for name in head)])
