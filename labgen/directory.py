"""The validated directory: every reference resolved, every entry of a catalogue there once and shared."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

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


@dataclass(frozen=True, slots=True)
class Accreditation:
    """A certificate of a laboratory, and the standard that it is about."""

    record: AccreditationRecord
    standard: AccreditationStandardRecord


@dataclass(frozen=True, slots=True)
class Laboratory:
    """A laboratory with what it names, in the order of its record; materials by title (DIN 5007-1)."""

    record: LaboratoryRecord
    country: CountryRecord
    slug: str
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
    """All that is published. Laboratories are in the order of their display_id, as text.

    `similar` holds, for each laboratory, the display_ids of those that its list shows. `media` are the
    originals that laboratories name: the name below data/media/, and the file.
    """

    site: SiteRecord
    laboratories: Mapping[str, Laboratory]
    upgrade_options: tuple[UpgradeOptionRecord, ...]
    similar: Mapping[str, tuple[str, ...]]
    media: Mapping[str, Path] = field(default_factory=dict)
