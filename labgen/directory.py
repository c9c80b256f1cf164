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
from labgen.similarity import Similarity


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

    `similarity` tells which laboratories are alike. `media` are the originals that laboratories name: the
    name below data/media/, and the file.
    """

    site: SiteRecord
    laboratories: Mapping[str, Laboratory]
    upgrade_options: tuple[UpgradeOptionRecord, ...]
    similarity: Similarity
    media: Mapping[str, Path] = field(default_factory=dict)

    def similar_to(self, laboratory: Laboratory) -> tuple[str, ...]:
        """Return the display_ids that a laboratory's list shows: its own, or the computed ones."""
        own = laboratory.record.similar_labs
        if own is not None:
            return tuple(own)
        return self.similarity.similar_to(laboratory.display_id, self.site.limits.similar_limit)
