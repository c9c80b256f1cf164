"""Define the records that people write in data/, one pydantic model each (specification, section 2).

Records are validated strictly: unknown keys are errors, and texts are never trimmed or normalised. Records
are not published directly: `api.sections` makes documents from them. `model.settings` has those of site.toml.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from labgen.model.pictures import CARD, LARGE, LOGO, LOGO_2X, PREVIEW, Pictured
from labgen.model.values import (
    EACH_ONCE,
    Code,
    Date,
    Digits,
    Email,
    FilledLine,
    FilledText,
    Id,
    Image,
    IsoCode,
    Key,
    Line,
    LooseCode,
    LooseLine,
    Note,
    NoValue,
    Phone,
    Point,
    Rating,
    RefersTo,
    Slug,
    Target,
    Text,
    Website,
    Word,
)

NOTE = {"note": "it is for whoever keeps the data"}


class Record(BaseModel):
    """Base of all records: frozen, unknown keys are errors, and `_note` is accepted but never published.

    `unpublished` are the fields that no document shows, each with the reason. `encoded` are the fields that
    are published only encoded: no text of the site may contain their values.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    unpublished: ClassVar[Mapping[str, str]] = NOTE
    encoded: ClassVar[frozenset[str]] = frozenset()

    note: Note = Field(None, alias="_note", description="a note for whoever keeps the data; never published")

    @classmethod
    def noun(cls) -> str:
        """Return the noun for this record in messages: `job listing` for a `JobListingRecord`."""
        return re.sub(r"(?<!^)(?=[A-Z])", " ", cls.__name__.removesuffix("Record")).lower()


def _ids(stem: str) -> Any:
    """Define a field that refers to entries of a catalogue: a list of `Id`s, marked with `RefersTo`."""
    return Field(default_factory=list, description=f"ids in `{stem}`")


class CountryRecord(Record):
    """A country (specification 2.2)."""

    iso_code: IsoCode = Field(description="two lower-case letters")
    slug: Slug = Field("", description="last part of its listing page's address; empty: it has no page")
    name: FilledLine = Field(description="its name in the language of the site")


class CatalogueRecord(Record):
    """An entry of a catalogue, to which laboratories refer by id (specification 2.7)."""

    id: Id = Field(description="whole number, once in the file")
    title: FilledText = Field(description="what clients show")


class PlainRecord(CatalogueRecord):
    """An entry of a catalogue, whose search_val is its id as text."""

    unpublished = NOTE | {"search_val": "it is the id as text"}

    search_val: Code | None = Field(None, description="the id as text; need not be written")


class MaterialRecord(PlainRecord):
    """A material."""


class CertificationRecord(PlainRecord):
    """A certification."""


class TestCategoryRecord(PlainRecord):
    """A kind of test (docs/reference/decisions.md)."""

    __test__ = False  # pytest: not a test


class PieceOfEquipmentRecord(PlainRecord):
    """A machine or an instrument that laboratories test with."""


class MaterialCategoryRecord(PlainRecord):
    """A kind of material."""


class TestMethodRecord(CatalogueRecord):
    """A test method."""

    __test__ = False  # pytest: not a test

    unpublished = NOTE | {"price": "it is always null"}

    search_val: Code = Field(description="what a search takes; not the id")
    summary: Text = Field("", description="may hold line breaks, `<sub>` and `<sup>`")
    price: NoValue = Field(None, description="the specification shows no value but null")


class AccreditationStandardRecord(CatalogueRecord):
    """A standard for accreditation; its title and designation appear in each accreditation."""

    unpublished = NOTE | {"id": "a document shows the id of a certificate"}

    search_val: Code = Field(description="what a search takes")
    standard: FilledLine = Field(description="its designation, such as DIN EN ISO/IEC 17025:2018")


class StandardRecord(CatalogueRecord):
    """A standard according to which laboratories test."""

    search_val: Code = Field(description="what a search takes; not the id")
    summary: Text = Field("", description="may hold line breaks, tabs, `;;`, `<sub>` and `<sup>`")


class UpgradeOptionRecord(Record):
    """A paid plan with one billing frequency (specification 2.8)."""

    unpublished = NOTE | {"billing": "it is made of plan and freq"}

    plan: Word = Field(description="key of the plan, such as business")
    plan_label: FilledLine = Field(description="its name")
    freq: Word = Field(description="how often it is paid, such as monthly or annual")
    billing_label: FilledLine = Field(description="the price for a period, as text")
    recommend: bool = Field(False, description="true for the option that clients recommend")
    billing: Line | None = Field(None, description="`<plan>:<freq>`; need not be written")


class SynonymRecord(Record):
    """A word or phrase, and another one that means the same: the search finds either by the other."""

    unpublished = NOTE | {"word": "it is searched by", "synonym": "it is searched by"}

    word: FilledLine = Field(description="a word or phrase, such as EMV; once in the file")
    synonym: FilledLine = Field(description="what means the same; rows with the same one belong together")


class ContactRecord(Record):
    """A contact person (specification 2.3). `email` and `phone` are private: published encoded only."""

    encoded = frozenset({"email", "phone"})

    first_name: Line = Field("", description="given name")
    last_name: Line = Field("", description="family name")
    position: Line = Field("", description="job title")
    email: Email = Field("", description="plainly; published encoded")
    phone: Phone = Field("", description="plainly; published encoded")


class StatRecord(Record):
    """A statistic (specification 2.4)."""

    key: Word = Field("completed", description="its name")
    value: Line = Field("", description="its level in words, such as viele")
    value_level: Word = Field("gray", description="a colour word, such as gray")
    label: Line = Field("", description="what clients write beside it")


class StatsRecord(Record):
    """The statistics of a laboratory; `projects` is the one that the specification shows."""

    projects: StatRecord = Field(description="the number of projects")


class AccreditationRecord(Record):
    """One accreditation certificate of a laboratory."""

    id: Id = Field(description="whole number, once in the laboratory")
    accreditation_standard: Annotated[Id, RefersTo("accreditation_standards", is_facet=True)] = Field(
        description="id in `accreditation_standards`"
    )
    accreditation_body: LooseLine = Field(description="such as DAkkS")
    number: LooseCode = Field(description="the certificate's number; may have a suffix in parentheses")


class ResourceRecord(Record):
    """A document that a laboratory offers: a leaflet, a form, a guide."""

    id: Id = Field(description="whole number, once in the laboratory's resources")
    title: FilledLine = Field(description="what clients show")
    summary: Text = Field("", description="what it is; plain text, may hold line breaks")
    url: Target = Field(description="where it is: https://, http://, or a path that begins with /")


class LandingsLinkRecord(Record):
    """A link to a page about what a laboratory does."""

    title: FilledLine = Field(description="what clients show")
    link: Target = Field(description="https://, http://, or a path that begins with /")


class JobListingRecord(Record):
    """An open position at a laboratory."""

    id: Id = Field(description="whole number, once in the laboratory's job listings")
    title: FilledLine = Field(description="what clients show")
    locality: Line = Field("", description="city or place; may hold several")
    country: Annotated[Key | None, RefersTo("countries")] = Field(
        None, description="iso_code in `countries`; that of the laboratory"
    )
    published_on: Date = Field(description="date, such as 2024-05-01; the newest come first")
    valid_through: Date | None = Field(None, description="the last day on which one may apply")
    url: Target | None = Field(
        None, description="where it is: https://, http://, or a path that begins with /"
    )


class ReviewRecord(Record):
    """A customer's review of a laboratory."""

    id: Id = Field(description="whole number, once in the laboratory's reviews")
    rating: Rating = Field(description="number from 0, at most two decimals; published with two")
    title: Line = Field("", description="what it says in short")
    text: Text = Field("", description="plain text, may hold line breaks")
    author: Line = Field("", description="the name that clients show")
    created_on: Date = Field(description="date, such as 2024-05-01; the newest come first")


class LaboratoryRecord(Record):
    """A laboratory, with its own lists and the ids of catalogue entries (specification 2.1)."""

    display_id: Digits = Field(description="its number: digits, leading zeros kept, once in the directory")
    name: FilledLine = Field(description="as clients show it")
    is_verified: bool = Field(False, description="whether the directory has verified it")
    country: Annotated[str, RefersTo("countries")] = Field(description="iso_code in `countries`")
    locality: Line = Field("", description="city or place; may hold several")
    slug: Word | None = Field(None, description="last part of its public address; made from the name")
    deal_status: str = Field(description="a key of [deal_statuses] in `site.toml`")
    verification_status: str = Field(description="a key of [verification_statuses] in `site.toml`")
    about: Text = Field("", description="free text; may hold line breaks and tabs")
    contact_person: ContactRecord = Field(ContactRecord(), description="whom to ask")
    address: Line = Field("", description="street and number")
    postal_code: LooseCode = Field("", description="01067 in quotes: it begins with 0")
    website: Website | None = Field(None, description="https:// or http://")
    stats: StatsRecord | None = Field(None, description="of its work; that of `site.toml` if not written")
    rating: Rating = Field("0.00", description="number from 0, at most two decimals; published with two")
    logo: Annotated[Image | None, Pictured(LOGO, LOGO_2X, is_whole=True, has_initials=True)] = Field(
        None, description="file below `media/`, or its address if published as it is"
    )
    image: Annotated[Image | None, Pictured(CARD)] = Field(
        None, description="file below `media/`, or its address, for lists of laboratories"
    )
    gallery: Annotated[list[Image], Pictured(PREVIEW, LARGE)] = Field(
        default_factory=list, description="files below `media/`, or addresses"
    )
    focus: dict[str, Point] = Field(
        {}, description='the point of a picture that stays in view, in percent: `{"halle.jpg": [30, 50]}`'
    )
    similar_labs: Annotated[list[Digits], EACH_ONCE] | None = Field(
        None, description="display_ids; computed if not written"
    )
    materials: Annotated[list[Id], RefersTo("materials", is_facet=True)] = _ids("materials")
    test_methods: Annotated[list[Id], RefersTo("test_methods", is_facet=True)] = _ids("test_methods")
    accreditations: Annotated[list[AccreditationRecord], EACH_ONCE] = Field(
        default_factory=list, description="its certificates"
    )
    certifications: Annotated[list[Id], RefersTo("certifications", is_facet=True)] = _ids("certifications")
    standards: Annotated[list[Id], RefersTo("standards", is_facet=True)] = _ids("standards")
    published_on: Date | None = Field(
        None, description="date, such as 2024-05-01, since when it is in the directory; orders `new`"
    )
    test_categories: Annotated[list[Id], RefersTo("test_categories", is_facet=True)] = _ids("test_categories")
    equipments: Annotated[list[Id], RefersTo("equipments", is_facet=True)] = _ids("equipments")
    material_categories: Annotated[list[Id], RefersTo("material_categories", is_facet=True)] = _ids(
        "material_categories"
    )
    resources: Annotated[list[ResourceRecord], EACH_ONCE] = Field(
        default_factory=list, description="what it offers to read"
    )
    landings_links: list[LandingsLinkRecord] = Field(default_factory=list, description="pages on its topics")
    job_listings: Annotated[list[JobListingRecord], EACH_ONCE] = Field(
        default_factory=list, description="its open positions"
    )
    reviews: Annotated[list[ReviewRecord], EACH_ONCE] = Field(
        default_factory=list, description="what customers say of it"
    )
