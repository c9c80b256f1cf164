"""Define packs: files that each contain files of some laboratories, or pictures (docs/reference/packs.md).

They are for hosts that limit the number of files and have an edge function, which cuts files out of packs.
The pack that holds a file follows from the file's name and the number of packs.
"""

import re
import zlib
from collections.abc import Collection
from typing import NamedTuple

from labgen.api.endpoint import LABORATORIES as LABORATORIES_PATH
from labgen.model.site_paths import MEDIA_PATH
from labgen.output.pack_files import PACK_FOLDER
from labgen.output.published_manifest import group_count
from labgen.output.units import Unit, UnitKind

FOLDER_DIGITS = 3


class PackKind(NamedTuple):
    """A kind of packs: the path of its files, and how many laboratories share a pack (at most, on average).

    `key` is a regular expression for the start of a file's name below the path: files with the same key are
    in one pack. JavaScript uses it, too. `pattern` matches the folders that are not deployed, as in
    .gitignore.
    """

    name: str
    path: str
    key: str
    pattern: str
    laboratories: int

    @property
    def above(self) -> str:
        """The prefix of the names of its files under out/."""
        return self.path.lstrip("/")

    def count(self, laboratories: int) -> int:
        """Return the number of packs for a number of laboratories: a power of two."""
        return group_count(laboratories, self.laboratories)

    def key_of(self, name: str) -> str:
        """Return the key of a file under out/; "" if it belongs to no pack of this kind."""
        found = re.match(self.key, name.removeprefix(self.above)) if name.startswith(self.above) else None
        return found[0] if found else ""

    def pack_of(self, key: str, packs: int) -> str:
        """Return the name under out/ of the pack with the files of a key; `packs` is the number of packs."""
        unit, name = self.place_of(self.number_of(key, packs))
        return f"{unit.folder}/{name}"

    def number_of(self, key: str, packs: int) -> int:
        """Return the number of the pack with the files of a key."""
        return zlib.crc32(key.encode()) % packs

    def place_of(self, number: int) -> tuple[Unit, str]:
        """Return the unit of the pack with a number, and the pack's name in it."""
        digits = f"{number:04x}"
        key = f"{self.name}/{digits[-FOLDER_DIGITS:]}"
        return Unit(UnitKind.PACKS, key, f"{PACK_FOLDER}/{key}"), f"{digits}.pack"


LABORATORIES = PackKind("laboratories", LABORATORIES_PATH, "[0-9]+(?=/.)", f"{LABORATORIES_PATH}[0-9]*/", 4)
PICTURES = PackKind("pictures", MEDIA_PATH, ".+", MEDIA_PATH, 8)
KINDS = {one.name: one for one in (LABORATORIES, PICTURES)}

WHOLE_IN_PACK = 32
"""How many laboratories share a pack of whole laboratories, or of public pages."""


def whole_laboratories(directory_path: str) -> PackKind:
    """Return the kind of packs for whole laboratories; they are in packs where laboratories are."""
    path = f"{directory_path}laboratories/"
    return PackKind("whole-laboratories", path, LABORATORIES.key, f"{path}[0-9]*/", WHOLE_IN_PACK)


def public_pages(path: str) -> PackKind:
    """Return the kind of packs for public pages of laboratories; they are in packs where laboratories are."""
    return PackKind("public-pages", path, LABORATORIES.key, f"{path}[0-9]*/", WHOLE_IN_PACK)


def kinds_of(names: Collection[str], directory_path: str, public_path: str) -> list[PackKind]:
    """Return the kinds of packs of a site, by the names in its settings and the paths that it has."""
    kinds = [kind for name, kind in KINDS.items() if name in names]
    if LABORATORIES in kinds and directory_path:
        kinds.append(whole_laboratories(directory_path))
    return [*kinds, public_pages(public_path)] if LABORATORIES in kinds and public_path else kinds


Packs = tuple[tuple[PackKind, int], ...]
"""The kinds of packs of a site, each with the number of packs."""
