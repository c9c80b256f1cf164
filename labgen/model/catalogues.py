"""Define the lists in data/: the catalogues, the fields that refer to them, and each laboratory's own lists.

A shared list is declared only here. References to it, and a laboratory's own lists, are declared by the
fields of `LaboratoryRecord` and its nested records, and collected here.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, NamedTuple, TypeVar, get_origin

from labgen.model import records
from labgen.model.record_fields import FieldPath, all_fields, all_records, inner_model, marks_of, values_at
from labgen.model.records import CatalogueRecord, LaboratoryRecord, Record
from labgen.model.summaries import Facet, facets_of, ids_of
from labgen.model.values import TARGET, RefersTo

Entry = TypeVar("Entry", bound=Record)
CatalogueEntry = TypeVar("CatalogueEntry", bound=CatalogueRecord)


@dataclass(frozen=True, slots=True, eq=False)
class SharedList(Generic[Entry]):
    """A list in data/: the stem of its file, the record type of an entry, and the field that is its key."""

    stem: str
    record: type[Entry]
    key: str


@dataclass(frozen=True, slots=True, eq=False)
class Catalogue(SharedList[CatalogueEntry]):
    """A list in data/ to whose entries laboratories refer by id, such as the materials.

    If `is_compared`, laboratories that refer to the same entries are similar. If `is_by_title`, entries are
    published in German dictionary order of their titles, else in the order of the laboratory's record.
    """

    key: str = "id"
    is_compared: bool = False
    is_by_title: bool = False

    def ids_in(self, record: LaboratoryRecord) -> Iterable[int]:
        """Return the ids that a laboratory refers to, in the order of its record; unique in valid data."""
        paths = paths_to(self)
        if len(paths) == 1 and paths[0][0] in _LISTS_OF_IDS:
            ids: list[int] = getattr(record, paths[0][0])
            return ids
        return dict.fromkeys([number for path in paths for number in values_at(record, path)])

    def facets(self, ids: Iterable[int]) -> list[Facet]:
        """Return entries of this catalogue, given by id, as facets."""
        return facets_of(_NUMBERS[self.stem], ids)

    def ids_among(self, facets: Iterable[Facet]) -> list[int]:
        """Return the ids of those facets that are entries of this catalogue."""
        return ids_of(_NUMBERS[self.stem], facets)


CATALOGUES: tuple[Catalogue[Any], ...] = (
    MATERIALS := Catalogue("materials", records.MaterialRecord, is_compared=True, is_by_title=True),
    TEST_METHODS := Catalogue("test_methods", records.TestMethodRecord, is_compared=True),
    ACCREDITATION_STANDARDS := Catalogue(
        "accreditation_standards", records.AccreditationStandardRecord, is_compared=True
    ),
    CERTIFICATIONS := Catalogue("certifications", records.CertificationRecord, is_compared=True),
    STANDARDS := Catalogue("standards", records.StandardRecord, is_compared=True),
    TEST_CATEGORIES := Catalogue("test_categories", records.TestCategoryRecord, is_by_title=True),
    EQUIPMENTS := Catalogue("equipments", records.PieceOfEquipmentRecord, is_by_title=True),
    MATERIAL_CATEGORIES := Catalogue("material_categories", records.MaterialCategoryRecord, is_by_title=True),
)
"""A catalogue's position here is its number in facets; append new ones at the end."""

SHARED_LISTS: tuple[SharedList[Any], ...] = (
    COUNTRIES := SharedList("countries", records.CountryRecord, "iso_code"),
    *CATALOGUES,
    UPGRADE_OPTIONS := SharedList("upgrade_options", records.UpgradeOptionRecord, "billing"),
)

_NUMBERS = {one.stem: number for number, one in enumerate(CATALOGUES)}
"""The numbers of the catalogues in facets."""


_BY_STEM = {one.stem: one for one in SHARED_LISTS}


class Reference(NamedTuple):
    """A field of a laboratory, at any depth, that refers to an entry, or several, of the list `listed`."""

    path: FieldPath
    listed: SharedList[Any]
    is_list: bool


REFERENCES = tuple(
    Reference(path, _BY_STEM[mark.stem], get_origin(field.annotation) is list)
    for path, field in all_fields(LaboratoryRecord)
    for mark in marks_of(field)
    if isinstance(mark, RefersTo)
)

LINKS: tuple[FieldPath, ...] = tuple(
    path for path, field in all_fields(LaboratoryRecord) if TARGET in marks_of(field)
)
"""The fields of a laboratory, at any depth, that hold links."""

OWN_LISTS: Mapping[str, type[Record]] = {
    name: inner
    for name, field in LaboratoryRecord.model_fields.items()
    if get_origin(field.annotation) is list and (inner := inner_model(field.annotation))
}
"""The record types of a laboratory's own lists (not shared with other laboratories), by field."""


_TOP: tuple[type[Record], ...] = (LaboratoryRecord, *(one.record for one in SHARED_LISTS))
RECORDS = tuple(dict.fromkeys(record for top in _TOP for record in all_records(top)))
"""All record types in data/, except the settings."""


@cache
def paths_to(listed: SharedList[Any]) -> tuple[FieldPath, ...]:
    """Return the fields of a laboratory that refer to entries of a shared list."""
    return tuple(one.path for one in REFERENCES if one.listed is listed)


def list_naming(catalogue: Catalogue[Any]) -> str:
    """Return the field of `LaboratoryRecord` that is the list of a catalogue's ids.

    Raises LookupError unless there is exactly one.
    """
    fields = [name for name, listed in _LISTS_OF_IDS.items() if listed is catalogue]
    if len(fields) != 1:
        raise LookupError(f'one list of LaboratoryRecord must be marked RefersTo("{catalogue.stem}")')
    return fields[0]


_LISTS_OF_IDS = {one.path[0]: one.listed for one in REFERENCES if len(one.path) == 1 and one.is_list}
"""The fields of a laboratory that are lists of ids, with the lists that they refer to."""

for one in (COUNTRIES, *CATALOGUES):
    if not paths_to(one):
        raise LookupError(f'no field of a laboratory is marked RefersTo("{one.stem}")')
