"""The validated directory: every reference resolved, every entry of a catalogue there once and shared."""

from collections.abc import Mapping
from dataclasses import dataclass

from labgen.records import (
    AccreditationRecord,
    AccreditationStandardRecord,
    CertificationRecord,
    CountryRecord,
    LaboratoryRecord,
    MaterialRecord,
    SiteRecord,
    StandardRecord,
    TestMethodRecord,
    UpgradeOptionRecord,
)
from labgen.summaries import Card


@dataclass(frozen=True, slots=True)
class Accreditation:
    """A certificate of a laboratory, and the standard that it is about."""

    record: AccreditationRecord
    standard: AccreditationStandardRecord


@dataclass(frozen=True, slots=True)
class Laboratory:
    """A laboratory with what it names, in the order of its record; materials by title (DIN 5007-1).

    `similar` are the laboratories that its list shows: its own, or the computed ones.
    """

    record: LaboratoryRecord
    country: CountryRecord
    slug: str
    similar: tuple[Card, ...] = ()
    materials: tuple[MaterialRecord, ...] = ()
    test_methods: tuple[TestMethodRecord, ...] = ()
    accreditations: tuple[Accreditation, ...] = ()
    certifications: tuple[CertificationRecord, ...] = ()
    standards: tuple[StandardRecord, ...] = ()

    @property
    def display_id(self) -> str:
        """The laboratory's identifier."""
        return self.record.display_id


@dataclass(frozen=True, slots=True)
class Directory:
    """What all documents share: the settings, the countries by iso_code, and what the site has once.

    Laboratories are not in it: each is read when it is rendered, so that a directory of any size fits.
    """

    site: SiteRecord
    countries: Mapping[str, CountryRecord]
    upgrade_options: tuple[UpgradeOptionRecord, ...]
