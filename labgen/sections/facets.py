"""The facet sections: what a laboratory works with, tests by and is accredited for (specification 2.7)."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from typing_extensions import TypedDict

from labgen.directory import Accreditation, Directory, Laboratory
from labgen.documents import Envelope
from labgen.records import CertificationRecord, MaterialRecord, StandardRecord, TestMethodRecord
from labgen.registry import Facet, Titles


class PlainItem(TypedDict):
    """A material or a certification."""

    id: int
    search_val: Annotated[str, "The id as text."]
    title: str


class TestMethodItem(TypedDict):
    """A test method."""

    id: int
    search_val: Annotated[str, "Differs from the id."]
    title: str
    summary: Annotated[str, "May be empty."]
    price: Annotated[None, "Null in all entries that the specification shows."]


class AccreditationItem(TypedDict):
    """An accreditation certificate; several may share search_val, title and standard."""

    id: int
    search_val: str
    title: str
    accreditation_body: str
    standard: str
    number: Annotated[str, "Accreditation certificate number, may carry a suffix in parentheses."]


class StandardItem(TypedDict):
    """A standard."""

    id: int
    search_val: Annotated[str, "Differs from the id."]
    title: str
    summary: Annotated[
        str, "May be empty; may hold <sub>, <sup>, line breaks, tabs, and descriptions joined by ;;."
    ]


def plain_item(record: MaterialRecord | CertificationRecord) -> PlainItem:
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


def accreditation_item(accreditation: Accreditation) -> AccreditationItem:
    """Return a certificate's entry."""
    record, standard = accreditation.record, accreditation.standard
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
    item: Any,
    entries: Callable[[Laboratory], Sequence[Any]],
    make_item: Callable[[Any], Any],
    is_shared: bool = True,
) -> Facet:
    def envelope(items: list[Any], directory: Directory) -> Envelope[Any]:
        return Envelope(
            name=name,
            title=endpoint.title(directory),
            search_arg=search_arg,
            limit=directory.site.limits.limit,
            hidden_count=0,
            items=items,
        )

    def make(lab: Laboratory, directory: Directory) -> Envelope[Any]:
        return envelope([make_item(entry) for entry in entries(lab)], directory)

    document = Envelope[item]
    endpoint = Facet(name, titles, document, "2.7", name, make, entries, make_item, envelope, is_shared)
    return endpoint


MATERIALS = _facet(
    "materials",
    "materials__in",
    {"de": "Materialien", "en": "Materials"},
    item=PlainItem,
    entries=lambda lab: lab.materials,
    make_item=plain_item,
)
TEST_METHODS = _facet(
    "test_methods",
    "test_methods__in",
    {"de": "Prüfverfahren", "en": "Test methods"},
    item=TestMethodItem,
    entries=lambda lab: lab.test_methods,
    make_item=test_method_item,
)
ACCREDITATIONS = _facet(
    "accreditations",
    "accreditation_standards__in",
    {"de": "Akkreditierungen", "en": "Accreditations"},
    item=AccreditationItem,
    entries=lambda lab: lab.accreditations,
    make_item=accreditation_item,
    is_shared=False,
)
CERTIFICATIONS = _facet(
    "certifications",
    "certifications__in",
    {"de": "Zertifizierungen", "en": "Certifications"},
    item=PlainItem,
    entries=lambda lab: lab.certifications,
    make_item=plain_item,
)
STANDARDS = _facet(
    "standards",
    "tests__in",
    {"de": "Normen", "en": "Standards"},
    item=StandardItem,
    entries=lambda lab: lab.standards,
    make_item=standard_item,
)
