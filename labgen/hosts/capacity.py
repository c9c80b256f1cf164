"""Estimate how many laboratories fit on a host, as files and in packs, from the files of a built site."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable
from math import cbrt
from typing import NamedTuple

from labgen.api.endpoint import PAGE
from labgen.hosts.profile import Limit, Measure
from labgen.model.renditions import is_placeholder
from labgen.model.site_paths import DIRECTORY_PATH, JSON_FILE, PAGE_FILE
from labgen.output.pack_files import is_pack
from labgen.output.packs import LABORATORIES, PICTURES, PackKind, public_pages, whole_laboratories
from labgen.output.published_manifest import FOLDER as MANIFEST
from labgen.output.published_manifest import part_count
from labgen.search.index_files import CARDS, FILES_FOLDER, OWNED

MOST = 1_000_000
"""The greatest number of laboratories that is estimated."""


Kinds = Collection[PackKind]


class Counts(NamedTuple):
    """The numbers of files of a site, grouped by how they grow; without packs and the manifest.

    `own` are files in the folders of laboratories. `pictures` and `parts` (pages of the list of laboratories,
    cards of the search) grow with the number of laboratories, too. `others` are mostly files of the search
    that laboratories share: they are assumed to grow with the cube root of the number. Measured, they grow
    more slowly. The same is assumed of `placeholders` of logos, which are pictures. `whole` are the documents
    of whole laboratories, `public` the public pages.
    """

    laboratories: int
    own: int
    pictures: int
    parts: int
    placeholders: int
    others: int
    whole: int = 0
    public: int = 0

    @property
    def of_laboratories(self) -> int:
        """The number of documents and pages that belong to one laboratory each."""
        return self.own + self.whole + self.public

    def files(self, laboratories: int, kinds: Kinds) -> int:
        """Estimate the number of files with so many laboratories, if the files of `kinds` are in packs."""
        times = laboratories / self.laboratories
        shared = self.others + (0 if PICTURES in kinds else self.placeholders)
        growing = self.parts * times + shared * cbrt(times)
        of_kinds = [(LABORATORIES, self.own), (PICTURES, self.pictures)]
        of_kinds += [(kind, files) for kind, files in ((WHOLES, self.whole), (PUBLIC, self.public)) if files]
        for kind, files in of_kinds:
            growing += kind.count(laboratories) if kind in kinds else files * times
        return round(growing) + 1 + part_count(laboratories)

    def entries(self, laboratories: int, kinds: Kinds) -> int:
        """Estimate the number of entries of the fullest folder: that of laboratories, or of pictures."""
        pictures = round(self.pictures * laboratories / self.laboratories)
        return max(0 if LABORATORIES in kinds else laboratories, 0 if PICTURES in kinds else pictures)


WHOLES = whole_laboratories(DIRECTORY_PATH)
_WHOLE = re.compile(rf"(?!{LABORATORIES.above}).+/laboratories/[0-9]+/(?:{JSON_FILE}|{PAGE_FILE})")
"""The files of whole laboratories, wherever the settings put them."""
PUBLIC = public_pages("/labor/")
_PUBLIC = re.compile(r"[^/]+/[0-9]+/[^/]+/index\.html")
"""The public pages of laboratories, whatever the word in their addresses is."""
WAYS: tuple[tuple[str, Kinds], ...] = (
    ("as files", ()),
    ("in packs", (LABORATORIES, WHOLES, PUBLIC)),
    ("with pictures in packs", (LABORATORIES, WHOLES, PUBLIC, PICTURES)),
)
"""The ways to deploy a site, each with the kinds of files that are in packs."""


def count_by_kind(names: Iterable[str]) -> Counts:
    """Count the files of a built site, from their names under out/."""
    folders: set[str] = set()
    own = pictures = parts = placeholders = others = whole = public = 0
    for name in names:
        if display_id := LABORATORIES.key_of(name):
            folders.add(display_id)
            own += 1
        elif name.startswith(
            (f"{LABORATORIES.above}{PAGE}/", *(f"{FILES_FOLDER}/{one}/" for one in (CARDS, OWNED)))
        ):
            parts += 1
        elif PICTURES.key_of(name):
            pictures += not is_placeholder(name)
            placeholders += is_placeholder(name)
        elif _WHOLE.match(name):  # with its compressed copies
            whole += 1
        elif _PUBLIC.match(name):
            public += 1
        elif not is_pack(name) and not name.startswith(f"{MANIFEST}/"):
            others += 1
    return Counts(len(folders), own, pictures, parts, placeholders, others, whole, public)


def capacity(counts: Counts, limit: Limit, most: int, kinds: Kinds) -> int | None:
    """Estimate how many laboratories fit within a limit; None if it limits bytes, or the site has none."""
    measure = {Measure.FILES: counts.files, Measure.FOLDER_FILES: counts.entries}.get(limit.of)
    if measure is None or not counts.laboratories:
        return None
    return bisect_right(range(1, MOST + 1), most, key=lambda some: measure(some, kinds))
