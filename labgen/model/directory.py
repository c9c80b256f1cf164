"""Define the validated directory of laboratories: the data that documents share, and one laboratory."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, cast

from labgen.model.catalogues import Catalogue, CatalogueEntry
from labgen.model.language import Language
from labgen.model.records import CatalogueRecord, CountryRecord, LaboratoryRecord, UpgradeOptionRecord
from labgen.model.renditions import Renditions
from labgen.model.settings import SiteRecord
from labgen.model.summaries import Card, Dated


@dataclass(frozen=True, slots=True)
class Laboratory:
    """A laboratory: its record, and the last part of its public address.

    `similar` are the laboratories that its list shows: its own, or the computed ones.
    """

    record: LaboratoryRecord
    slug: str
    similar: tuple[Card, ...] = ()

    @property
    def display_id(self) -> str:
        """The laboratory's identifier."""
        return self.record.display_id


class Neighbours(NamedTuple):
    """The display_ids before and after a laboratory's, in the order of display_ids; None at the ends."""

    previous: str | None = None
    next: str | None = None


class Part(NamedTuple):
    """A page of the list of laboratories.

    Its number (from 1), the number of the last page, and the count of laboratories.
    """

    number: int
    last: int
    total: int


@dataclass(frozen=True, slots=True)
class Directory:
    """What all documents share: settings, words, countries by iso_code, and catalogues by stem and id.

    `ranks` are the places of entries in German dictionary order (DIN 5007-1), for the catalogues that are
    published by title. Laboratories are not in it: each is read when it is rendered, so that a directory of
    any size fits. `renditions` are the addresses of pictures. `appearing` are the names of the sections that
    appear only if there is data and that this site has, and `newest` the laboratories that `new` shows.
    """

    site: SiteRecord
    language: Language
    countries: Mapping[str, CountryRecord]
    catalogues: Mapping[str, Mapping[int, CatalogueRecord]]
    ranks: Mapping[str, Mapping[int, int]]
    upgrade_options: tuple[UpgradeOptionRecord, ...]
    renditions: Renditions
    appearing: frozenset[str] = frozenset()
    newest: tuple[Dated, ...] = ()

    def entries(self, catalogue: Catalogue[CatalogueEntry]) -> Mapping[int, CatalogueEntry]:
        """Return the entries of a catalogue by id."""
        return cast("Mapping[int, CatalogueEntry]", self.catalogues[catalogue.stem])
