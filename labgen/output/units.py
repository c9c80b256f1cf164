"""Name the units of a site: files that are rendered and replaced together.

A unit is known by its kind and its key, which pipelines set, and lies in a folder. Nothing is read out of the
folder's name: the number of a page, a value and a laboratory may be spelled alike.
"""

import zlib
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple


class UnitKind(StrEnum):
    """What a unit holds; in brackets, what its key is."""

    SITE = "site"
    """the files that the site has once ("")"""
    LABORATORY = "laboratory"
    """the files of a laboratory (display_id)"""
    WHOLE = "whole laboratory"
    """the document of a whole laboratory (display_id)"""
    PUBLIC = "public page"
    """the public page of a laboratory (display_id)"""
    TOWN = "town"
    """the page of a town of a large country (country/town)"""
    CATALOGUE = "catalogue"
    """all pages of a catalogue (its name)"""
    CHANGES = "changes"
    """a part of the digests of whole laboratories (its number)"""
    LIST_PAGE = "list page"
    """a page of the list of laboratories (its number)"""
    VALUE = "value"
    """the page of a facet value (facet/value)"""
    INDEX = "index"
    """a folder of the search index (its name below the index)"""
    PACKS = "packs"
    """a folder of packs (its name below the folder of all packs)"""

    __hash__ = str.__hash__


OF_LABORATORIES = (UnitKind.LABORATORY, UnitKind.WHOLE, UnitKind.PUBLIC)
"""The kinds of units that each laboratory has one of."""


class Unit(NamedTuple):
    """A unit, and its folder under out/."""

    kind: UnitKind
    key: str
    folder: str


SITE = Unit(UnitKind.SITE, "", "")


class UnitSample(NamedTuple):
    """A random part of all units, the same for the same seed; `share` is in percent.

    It has all folders of the search index, because the index is made as a whole.
    """

    share: float
    seed: int

    def of(self, kind: UnitKind, keys: Iterable[str]) -> set[str]:
        """Return the keys in the sample."""
        if kind is UnitKind.INDEX:
            return set(keys)
        below = self.share / 100 * 2**32
        return {key for key in keys if zlib.crc32(f"{self.seed} {kind} {key}".encode()) < below}
