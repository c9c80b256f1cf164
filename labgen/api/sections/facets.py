"""The facet sections: what a laboratory works with, tests by and is accredited for (specification 2.7)."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from typing_extensions import TypedDict

from labgen.api.document_parts import Count, Envelope, Shape
from labgen.api.endpoint import Listing, PerLaboratory, Titles, listing, title_of
from labgen.model.directory import Directory, Laboratory
from labgen.model.records import (
    AccreditationRecord,
    AccreditationStandardRecord,
    PlainRecord,
    StandardRecord,
    TestMethodRecord,
)

EntryId = Annotated[Count, "Identifies the entry in its catalogue."]
EntryTitle = Annotated[str, "What clients show."]


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
    """Return an entry whose search_val is its id."""
    return PlainItem(id=record.id, search_val=str(record.id), title=record.title)


def test_method_item(record: TestMethodRecord) -> TestMethodItem:
    """Return a test method's entry."""
    return TestMethodItem(
        id=record.id,
        search_val=record.search_val,
        title=record.title,
        summary=record.summary,
        price=record.price,
    )


def accreditation_item(
    record: AccreditationRecord, standard: AccreditationStandardRecord
) -> AccreditationItem:
    """Return a certificate's entry."""
    return AccreditationItem(
        id=record.id,
        search_val=standard.search_val,
        title=standard.title,
        accreditation_body=record.accreditation_body,
        standard=standard.standard,
        number=record.number,
    )


def standard_item(record: StandardRecord) -> StandardItem:
    """Return a standard's entry."""
    return StandardItem(
        id=record.id, search_val=record.search_val, title=record.title, summary=record.summary
    )


def _facet(  # noqa: PLR0913
    name: str,
    search_arg: str,
    titles: Titles,
    *,
    about: Titles,
    item: Any,
    is_proposed: bool = False,
    count: Callable[[Laboratory], int],
    keys: Callable[[Laboratory, Directory], Sequence[int]],
    make_item: Callable[[int, Directory], Any],
) -> Listing:
    return listing(
        name,
        titles,
        document=Envelope[item],
        shown_in=None if is_proposed else "2.7",
        about=about,
        is_optional=is_proposed,
        count=count,
        keys=keys,
        make_item=make_item,
        enclose=_envelope(name, search_arg, titles),
    )


def _envelope(name: str, search_arg: str, titles: Titles) -> Callable[[list[Any], Directory], Envelope[Any]]:
    """Return what puts entries into their envelope."""

    def enclose(items: list[Any], directory: Directory) -> Envelope[Any]:
        return Envelope(
            name=name,
            title=title_of(name, titles, directory),
            search_arg=search_arg,
            limit=directory.site.limits.limit,
            hidden_count=0,
            items=items,
        )

    return enclose


MATERIALS = _facet(
    "materials",
    "materials__in",
    {"de": "Materialien", "en": "Materials"},
    about={
        "de": "Was das Labor prüft, nach Titel geordnet.",
        "en": "What the laboratory tests, ordered by title.",
    },
    item=PlainItem,
    count=lambda lab: len(lab.record.materials),
    keys=lambda lab, directory: sorted(lab.record.materials, key=directory.ranks["materials"].__getitem__),
    make_item=lambda number, directory: plain_item(directory.materials[number]),
)
TEST_METHODS = _facet(
    "test_methods",
    "test_methods__in",
    {"de": "Prüfverfahren", "en": "Test methods"},
    about={
        "de": "Die Verfahren, nach denen das Labor prüft.",
        "en": "The methods that the laboratory tests by.",
    },
    item=TestMethodItem,
    count=lambda lab: len(lab.record.test_methods),
    keys=lambda lab, _: lab.record.test_methods,
    make_item=lambda number, directory: test_method_item(directory.test_methods[number]),
)
CERTIFICATIONS = _facet(
    "certifications",
    "certifications__in",
    {"de": "Zertifizierungen", "en": "Certifications"},
    about={
        "de": "Wonach das Labor zertifiziert ist.",
        "en": "What the laboratory is certified by.",
    },
    item=PlainItem,
    count=lambda lab: len(lab.record.certifications),
    keys=lambda lab, _: lab.record.certifications,
    make_item=lambda number, directory: plain_item(directory.certifications[number]),
)
STANDARDS = _facet(
    "standards",
    "tests__in",
    {"de": "Normen", "en": "Standards"},
    about={
        "de": "Die Normen, nach denen das Labor prüft.",
        "en": "The standards that the laboratory tests by.",
    },
    item=StandardItem,
    count=lambda lab: len(lab.record.standards),
    keys=lambda lab, _: lab.record.standards,
    make_item=lambda number, directory: standard_item(directory.standards[number]),
)


def _categories(name: str, titles: Titles, about: Titles) -> Listing:
    """Return a section of the catalogue of its name (docs/reference/decisions.md)."""
    return _facet(
        name,
        f"{name}__in",
        titles,
        about=about,
        item=PlainItem,
        is_proposed=True,
        count=lambda lab: len(getattr(lab.record, name)),
        keys=lambda lab, directory: sorted(getattr(lab.record, name), key=directory.ranks[name].__getitem__),
        make_item=lambda number, directory: plain_item(getattr(directory, name)[number]),
    )


TEST_CATEGORIES = _categories(
    "test_categories",
    {"de": "Prüfarten", "en": "Test categories"},
    {
        "de": "Die Arten von Prüfungen, die das Labor anbietet, nach Titel geordnet.",
        "en": "The kinds of tests that the laboratory offers, ordered by title.",
    },
)
EQUIPMENTS = _categories(
    "equipments",
    {"de": "Ausstattung", "en": "Equipment"},
    {
        "de": "Die Maschinen und Geräte des Labors, nach Titel geordnet.",
        "en": "The machines and instruments of the laboratory, ordered by title.",
    },
)
MATERIAL_CATEGORIES = _categories(
    "material_categories",
    {"de": "Materialarten", "en": "Material categories"},
    {
        "de": "Die Arten von Materialien, die das Labor prüft, nach Titel geordnet.",
        "en": "The kinds of materials that the laboratory tests, ordered by title.",
    },
)

_CERTIFICATES: Titles = {"de": "Akkreditierungen", "en": "Accreditations"}
_enclose_certificates = _envelope("accreditations", "accreditation_standards__in", _CERTIFICATES)


def accreditations(lab: Laboratory, directory: Directory) -> Envelope[AccreditationItem]:
    """Return a laboratory's certificates; each is its own, and not of a catalogue."""
    standards = directory.accreditation_standards
    certificates = lab.record.accreditations
    items = [accreditation_item(one, standards[one.accreditation_standard]) for one in certificates]
    return _enclose_certificates(items, directory)


ACCREDITATIONS = PerLaboratory(
    "accreditations",
    _CERTIFICATES,
    document=Envelope[AccreditationItem],
    shown_in="2.7",
    segment="accreditations",
    make=accreditations,
    about={
        "de": "Wofür das Labor akkreditiert ist, mit den Nummern der Urkunden.",
        "en": "What the laboratory is accredited for, with the numbers of the certificates.",
    },
    count=lambda lab: len(lab.record.accreditations),
)
