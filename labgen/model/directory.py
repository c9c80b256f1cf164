"""Define the validated data that documents are made from: one laboratory, and what all documents share."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, cast

from labgen.model.catalogues import Catalogue, CatalogueEntry
from labgen.model.language import Language
from labgen.model.records import (
    CatalogueRecord,
    CountryRecord,
    LaboratoryRecord,
    SynonymRecord,
    UpgradeOptionRecord,
)
from labgen.model.renditions import RenditionPaths
from labgen.model.settings import SiteRecord
from labgen.model.summaries import Card, Dated


@dataclass(frozen=True, slots=True)
class Laboratory:
    """A validated laboratory: its record, and the last segment of its public URL.

    `similar` are the similar laboratories that are published, listed in its record or computed.
    """

    record: LaboratoryRecord
    slug: str
    similar: tuple[Card, ...] = ()

    @property
    def display_id(self) -> str:
        """The laboratory's identifier."""
        return self.record.display_id


class Neighbours(NamedTuple):
    """The previous and the next display_id, in the order of display_ids; None at the ends."""

    previous: str | None = None
    next: str | None = None


class PagePosition(NamedTuple):
    """A page of the list of laboratories: its number (from 1), the last page's, the total of laboratories."""

    number: int
    last: int
    total: int


@dataclass(frozen=True, slots=True)
class Directory:
    """The data that all documents share: settings, words, countries by iso_code, catalogues by stem and id.

    It does not contain the laboratories: each is read when it is rendered, so that a directory of any size
    fits in memory. `ranks` are the positions of entries in German dictionary order (DIN 5007-1), for the
    catalogues that are published by title. `renditions` computes the paths of pictures. `appearing` are the
    names of the optional sections that this site has, `newest` the laboratories that `new` shows.
    `synonyms` are words that the search takes for the same.
    """

    site: SiteRecord
    language: Language
    countries: Mapping[str, CountryRecord]
    catalogues: Mapping[str, Mapping[int, CatalogueRecord]]
    ranks: Mapping[str, Mapping[int, int]]
    upgrade_options: tuple[UpgradeOptionRecord, ...]
    renditions: RenditionPaths
    appearing: frozenset[str] = frozenset()
    newest: tuple[Dated, ...] = ()
    synonyms: tuple[SynonymRecord, ...] = ()

    def entries(self, catalogue: Catalogue[CatalogueEntry]) -> Mapping[int, CatalogueEntry]:
        """Return the entries of a catalogue by id."""
        return cast("Mapping[int, CatalogueEntry]", self.catalogues[catalogue.stem])
