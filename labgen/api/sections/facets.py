"""Define the facet sections, such as materials and standards (specification 2.7)."""

from collections.abc import Callable
from typing import Annotated, Any

from typing_extensions import TypedDict

from labgen.api.copied_documents import copier
from labgen.api.document_parts import Count, Envelope, Shape, all_of
from labgen.api.endpoint import Listing, PerLaboratory, title_of
from labgen.model import catalogues
from labgen.model.catalogues import Catalogue, list_naming
from labgen.model.directory import Directory, Laboratory
from labgen.model.records import (
    AccreditationRecord,
    AccreditationStandardRecord,
    LaboratoryRecord,
    PlainRecord,
)

EntryId = Annotated[Count, "Identifies the entry in its catalogue."]
EntryTitle = Annotated[str, "Title of the entry, as clients show it."]


class PlainItem(TypedDict):
    """An entry whose search_val is its id: a material, a certification, a category, a piece of equipment."""

    id: EntryId
    search_val: Annotated[str, "What a search takes: the id as text."]
    title: EntryTitle


class TestMethodItem(TypedDict):
    """A test method."""

    id: EntryId
    search_val: Annotated[str, "What a search takes; differs from the id."]
    title: EntryTitle
    summary: Annotated[str, "Description. May be empty."]
    price: Annotated[str | None, Shape("const", None), "Null in all entries that the specification shows."]


class AccreditationItem(TypedDict):
    """An accreditation certificate; several may share search_val, title and standard."""

    id: Annotated[Count, "Identifies the certificate among those of the laboratory."]
    search_val: Annotated[str, "What a search takes; several certificates may share it."]
    title: EntryTitle
    accreditation_body: Annotated[str, "Who issued the certificate."]
    standard: Annotated[str, "Designation of the standard that the laboratory is accredited by."]
    number: Annotated[str, "Accreditation certificate number, may carry a suffix in parentheses."]


class StandardItem(TypedDict):
    """A standard."""

    id: EntryId
    search_val: Annotated[str, "What a search takes; differs from the id."]
    title: EntryTitle
    summary: Annotated[
        str, "May be empty; may hold <sub>, <sup>, line breaks, tabs, and descriptions joined by ;;."
    ]


def plain_item(record: PlainRecord) -> PlainItem:
    """Return the item of an entry whose search_val is its id."""
    return PlainItem(id=record.id, search_val=str(record.id), title=record.title)


def accreditation_item(
    record: AccreditationRecord, standard: AccreditationStandardRecord
) -> AccreditationItem:
    """Return the item of a certificate, with the title and designation of its standard."""
    return AccreditationItem(
        id=record.id,
        search_val=standard.search_val,
        title=standard.title,
        accreditation_body=record.accreditation_body,
        standard=standard.standard,
        number=record.number,
    )


def _facet(
    catalogue: Catalogue[Any],
    *,
    title: str,
    about: str,
    item: Any = PlainItem,
    search_arg: str | None = None,
    is_proposed: bool = False,
) -> Listing:
    """Define the section for a catalogue; its name is that of the laboratory's field with the ids."""
    name = list_naming(catalogue)
    argument = search_arg or f"{name}__in"
    make_item = plain_item if item is PlainItem else copier(item, catalogue.record)

    def keys(lab: Laboratory, directory: Directory) -> list[int]:
        ids: list[int] = getattr(lab.record, name)
        return sorted(ids, key=directory.ranks[catalogue.stem].__getitem__) if catalogue.is_by_title else ids

    return Listing(
        name=name,
        title=title,
        about=about,
        document=Envelope[item],
        shows={LaboratoryRecord: (name,), **all_of(catalogue.record)},
        spec_section=None if is_proposed else "2.7",
        appears_with=name if is_proposed else None,
        count=lambda lab: len(getattr(lab.record, name)),
        keys=keys,
        make_item=lambda number, directory: make_item(directory.entries(catalogue)[number]),
        enclose=_envelope(name, argument, title),
        catalogue=catalogue,
        search_arg=argument,
    )


def _envelope(name: str, search_arg: str, title: str) -> Callable[[list[Any], Directory], Envelope[Any]]:
    """Return a function that puts items into the envelope of a section."""

    def enclose(items: list[Any], directory: Directory) -> Envelope[Any]:
        return Envelope(
            name=name,
            title=title_of(name, title, directory),
            search_arg=search_arg,
            limit=directory.site.limits.limit,
            hidden_count=0,
            items=items,
        )

    return enclose


MATERIALS = _facet(
    catalogues.MATERIALS,
    title="Materials",
    about="What the laboratory tests, ordered by title.",
)
TEST_METHODS = _facet(
    catalogues.TEST_METHODS,
    title="Test methods",
    about="The methods that the laboratory tests by.",
    item=TestMethodItem,
)
CERTIFICATIONS = _facet(
    catalogues.CERTIFICATIONS,
    title="Certifications",
    about="What the laboratory is certified by.",
)
STANDARDS = _facet(
    catalogues.STANDARDS,
    title="Standards",
    about="The standards that the laboratory tests by.",
    search_arg="tests__in",
    item=StandardItem,
)
TEST_CATEGORIES = _facet(
    catalogues.TEST_CATEGORIES,
    title="Test categories",
    about="The kinds of tests that the laboratory offers, ordered by title.",
    is_proposed=True,
)
EQUIPMENTS = _facet(
    catalogues.EQUIPMENTS,
    title="Equipment",
    about="The machines and instruments of the laboratory, ordered by title.",
    is_proposed=True,
)
MATERIAL_CATEGORIES = _facet(
    catalogues.MATERIAL_CATEGORIES,
    title="Material categories",
    about="The kinds of materials that the laboratory tests, ordered by title.",
    is_proposed=True,
)

_CERTIFICATES = "Accreditations"
_CERTIFICATES_ARGUMENT = "accreditation_standards__in"
_enclose_certificates = _envelope("accreditations", _CERTIFICATES_ARGUMENT, _CERTIFICATES)


def accreditations(lab: Laboratory, directory: Directory) -> Envelope[AccreditationItem]:
    """Return a laboratory's certificates in their envelope; they are its own, not entries of a catalogue."""
    standards = directory.entries(catalogues.ACCREDITATION_STANDARDS)
    certificates = lab.record.accreditations
    items = [accreditation_item(one, standards[one.accreditation_standard]) for one in certificates]
    return _enclose_certificates(items, directory)


ACCREDITATIONS = PerLaboratory(
    name="accreditations",
    title=_CERTIFICATES,
    document=Envelope[AccreditationItem],
    spec_section="2.7",
    make=accreditations,
    enclose=_enclose_certificates,
    about="What the laboratory is accredited for, with the numbers of the certificates.",
    shows={
        LaboratoryRecord: ("accreditations",),
        **all_of(AccreditationRecord, AccreditationStandardRecord),
    },
    count=lambda lab: len(lab.record.accreditations),
    catalogue=catalogues.ACCREDITATION_STANDARDS,
    search_arg=_CERTIFICATES_ARGUMENT,
)

ENDPOINTS = (
    MATERIALS,
    MATERIAL_CATEGORIES,
    TEST_METHODS,
    TEST_CATEGORIES,
    EQUIPMENTS,
    ACCREDITATIONS,
    CERTIFICATIONS,
    STANDARDS,
)
"""All of them, in their order on pages and in `openapi.json`."""
