"""From a sound record to a laboratory: each id is replaced by what it names."""

from collections.abc import Mapping
from typing import Any, cast

from labgen.directory import Accreditation, Laboratory
from labgen.german import slugify
from labgen.records import AccreditationStandardRecord, CountryRecord, LaboratoryRecord
from labgen.source.shared import Shared
from labgen.summaries import Card


def resolve(record: LaboratoryRecord, shared: Shared, similar: tuple[Card, ...] = ()) -> Laboratory:
    """Return a laboratory whose references have been found to be sound."""
    lists, rank = shared.lists, shared.rank
    standards = cast("Mapping[int, AccreditationStandardRecord]", lists["accreditation_standards"].records)
    return Laboratory(
        record=record,
        country=cast("CountryRecord", lists["countries"].records[record.country]),
        slug=slug_of(record),
        similar=similar,
        materials=_named(sorted(record.materials, key=rank.__getitem__), shared, "materials"),
        test_methods=_named(record.test_methods, shared, "test_methods"),
        accreditations=tuple(
            [Accreditation(one, standards[one.accreditation_standard]) for one in record.accreditations]
        ),
        certifications=_named(record.certifications, shared, "certifications"),
        standards=_named(record.standards, shared, "standards"),
    )


def slug_of(record: LaboratoryRecord) -> str:
    """Return the last part of a laboratory's public address."""
    return record.slug or slugify(record.name) or record.display_id


def _named(ids: list[int], shared: Shared, stem: str) -> tuple[Any, ...]:
    records = shared.lists[stem].records
    return tuple([records[number] for number in ids])
