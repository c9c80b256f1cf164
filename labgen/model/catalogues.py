"""Define the lists in data/: the catalogues, the fields that refer to them, and each laboratory's own lists.

A shared list is declared only here. References to it, and a laboratory's own lists, are declared by the
fields of `LaboratoryRecord` and its nested records, and collected here.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any, Generic, NamedTuple, TypeVar, get_origin

from pydantic.fields import FieldInfo

from labgen.model import records
from labgen.model.record_fields import (
    FieldPath,
    all_fields,
    all_records,
    inner_model,
    is_list,
    marks_of,
    owner_of,
    types_in,
    values_at,
)
from labgen.model.records import CatalogueRecord, LaboratoryRecord, Record
from labgen.model.summaries import Facet, facets_of, ids_of
from labgen.model.values import TARGET, RefersTo
from labgen.problems.hints import did_you_mean

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
        """Return the ids of a laboratory's facets, in the order of its record; unique in valid data."""
        paths = facet_paths(self)
        if len(paths) == 1 and paths[0][0] in _LISTS_OF_IDS:
            ids: list[int] = getattr(record, paths[0][0])
            return ids
        return _ids_at(record, paths)

    def ids_only_named(self, record: LaboratoryRecord) -> Iterable[int]:
        """Return the ids that a laboratory refers to in fields that are no facets."""
        return _ids_at(record, [path for path in paths_to(self) if path not in facet_paths(self)])

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
    SYNONYMS := SharedList("synonyms", records.SynonymRecord, "word"),
)

_NUMBERS = {one.stem: number for number, one in enumerate(CATALOGUES)}
"""The numbers of the catalogues in facets."""


_BY_STEM = {one.stem: one for one in (COUNTRIES, *CATALOGUES)}
"""The lists to whose entries laboratories can refer."""


class Reference(NamedTuple):
    """A field of a laboratory, at any depth, that refers to an entry, or several, of the list `listed`."""

    path: FieldPath
    listed: SharedList[Any]
    is_list: bool
    is_facet: bool = False


def _references_in(path: FieldPath, field: FieldInfo) -> Iterator[Reference]:
    """Yield the reference that a field of a laboratory is, if it is one. Raises TypeError."""
    for mark in marks_of(field):
        if isinstance(mark, RefersTo):
            if fault := _fault(mark, field):
                raise TypeError(f"{owner_of(LaboratoryRecord, path).__name__}.{path[-1]}: {fault}")
            yield Reference(path, _BY_STEM[mark.stem], is_list(field.annotation), mark.is_facet)


def _fault(mark: RefersTo, field: FieldInfo) -> str:
    """Return what is wrong with a reference, and what to write instead, or ""."""
    listed, written = _BY_STEM.get(mark.stem), f'RefersTo("{mark.stem}")'
    if listed is None:
        remedy = did_you_mean(mark.stem, _BY_STEM) or f"there are {', '.join(_BY_STEM)}"
        return f"{written} names no list that laboratories can refer to: {remedy}"
    if mark.is_facet and not isinstance(listed, Catalogue):
        return f"{written} cannot be a facet, because it is no catalogue: leave out is_facet"
    kind, name = (str, "Key") if listed is COUNTRIES else (int, "Id")
    if get_origin(field.annotation) is dict or kind not in types_in(field.annotation):
        return f"{written} names entries by their keys: the type of the field must be {name} or list[{name}]"
    return ""


REFERENCES = tuple(
    chain.from_iterable(_references_in(path, field) for path, field in all_fields(LaboratoryRecord))
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
ENTRIES = tuple(one for one in RECORDS if one not in {*all_records(LaboratoryRecord)})
"""The record types that only entries of shared lists have."""


def _check_entries() -> None:
    """Raise TypeError if an entry of a shared list refers to another, because nothing follows that."""
    for record in ENTRIES:
        for name, field in record.model_fields.items():
            if any(isinstance(mark, RefersTo) for mark in marks_of(field)):
                raise TypeError(
                    f"{record.__name__}.{name}: RefersTo is for fields of laboratories and their lists"
                )


_check_entries()


def designation_of(record: Record) -> str:
    """Return the search_val of an entry if it says something that its id and its title do not, or ""."""
    value: str = getattr(record, "search_val", None) or ""
    return "" if _REPETITION.fullmatch(value) else value


_REPETITION = re.compile(r"\d+|[^\W\d_]+(?:-[^\W\d_]+)+")
"""A search_val that is a number, or words joined by hyphens: it repeats the id or the title."""


@cache
def paths_to(listed: SharedList[Any]) -> tuple[FieldPath, ...]:
    """Return the fields of a laboratory that refer to entries of a shared list."""
    return tuple(one.path for one in REFERENCES if one.listed is listed)


@cache
def facet_paths(catalogue: Catalogue[Any]) -> tuple[FieldPath, ...]:
    """Return the fields of a laboratory that name its facets of a catalogue."""
    return tuple(one.path for one in REFERENCES if one.listed is catalogue and one.is_facet)


def _ids_at(record: LaboratoryRecord, paths: Iterable[FieldPath]) -> Iterable[int]:
    return dict.fromkeys([number for path in paths for number in values_at(record, path)])


def list_naming(catalogue: Catalogue[Any]) -> str:
    """Return the field of `LaboratoryRecord` that is the list of a catalogue's ids, as facets.

    Raises LookupError unless there is exactly one.
    """
    fields = [name for name, listed in _LISTS_OF_IDS.items() if listed is catalogue]
    if len(fields) != 1:
        raise LookupError(
            f'one list of LaboratoryRecord must be marked RefersTo("{catalogue.stem}", is_facet=True)'
        )
    return fields[0]


_LISTS_OF_IDS = {
    one.path[0]: one.listed for one in REFERENCES if len(one.path) == 1 and one.is_list and one.is_facet
}
"""The fields of a laboratory that are lists of ids of facets, with the lists that they refer to."""

for one in (COUNTRIES, *CATALOGUES):
    if not paths_to(one):
        raise LookupError(f'no field of a laboratory is marked RefersTo("{one.stem}")')
