"""Define document parts that several sections share: countries, URLs and paths, the facet envelope.

A document is the JSON value that a client reads: plain typed data, with its keys in the order of the
specification's tables.
"""

from collections.abc import Collection, Mapping
from enum import Enum, auto
from typing import Annotated, Generic, Literal, NamedTuple, TypeVar

from typing_extensions import TypedDict

from labgen.model.directory import Directory, Laboratory
from labgen.model.picture_fields import PICTURE_FIELDS, picture_named
from labgen.model.pictures import CARD, Picture, Size, Use
from labgen.model.records import CountryRecord, LaboratoryRecord, Record
from labgen.model.renditions import initials, placeholder_path
from labgen.model.site_paths import MEDIA_PATH
from labgen.model.summaries import Card


class LeadsTo(Enum):
    """The kind of target that the value of a field leads to; pages show it as a link if the target exists."""

    ITSELF = auto()
    """The resource with this URL: a file of the site, or anything on the web."""
    DOCUMENT = auto()
    """The document of the site with this path."""
    WEBSITE = auto()
    """The page with this path on the keeper's website, which labgen does not make."""
    LABORATORY = auto()
    """The laboratory with this display_id."""
    ANY = auto()
    """The target that the keeper wrote: a path of the site or of the website, or a web URL."""


class Link(NamedTuple):
    """Marks a field whose value leads to something that a reader can open.

    `format` is its format in JSON Schema (2020-12, validation, section 7.3.5), or "" if it has none or the
    keeper wrote the value: browsers accept more URLs than the standards do.
    """

    format: str
    leads_to: LeadsTo = LeadsTo.ITSELF


class Shape(NamedTuple):
    """A constraint on a value besides its type: a keyword of JSON Schema (2020-12, validation), its value."""

    keyword: Literal["pattern", "minimum", "const"]
    value: str | int | None


class Rendition(NamedTuple):
    """Marks a field with the path of a picture at one of its sizes.

    `of` is the field of the record that names the picture, or the pictures. In the document of one picture,
    it is "": the field has the same key as the document.
    """

    size: Size
    of: str = ""


FilePath = Annotated[str, Link("uri-reference")]
DocumentPath = Annotated[str, Link("uri-reference", LeadsTo.DOCUMENT)]
PublicPath = Annotated[str, Link("uri-reference", LeadsTo.WEBSITE)]
WebAddress = Annotated[str, Link("")]
Address = Annotated[str, Link("", LeadsTo.ANY)]
"""A web URL, or a path that begins with /, as the keeper wrote it."""
CharacterCodes = Annotated[str, Shape("pattern", "^([0-9]+(,[0-9]+)*)?$")]
Count = Annotated[int, Shape("minimum", 0)]
DisplayId = Annotated[str, Shape("pattern", "^[0-9]{1,64}$"), Link("", LeadsTo.LABORATORY)]
IsoCode = Annotated[str, Shape("pattern", "^[a-z]{2}$")]
Date = Annotated[str, Shape("pattern", "^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
TwoDecimals = Annotated[str, Shape("pattern", r"^[0-9]+\.[0-9]{2}$")]

Item = TypeVar("Item")

Shows = Mapping[type[Record], Collection[str]]
"""The fields of records that a document depends on, by record type."""


def all_of(*records: type[Record]) -> Shows:
    """Return all fields of records, except those that no document shows."""
    return {one: one.model_fields.keys() - one.unpublished.keys() for one in records}


COUNTRY_FIELDS = all_of(CountryRecord)
"""The fields that a document shows of a country."""
CARD_FIELDS: Shows = {
    LaboratoryRecord: ("display_id", "name", "slug", "image", "focus", "locality", "country"),
    **COUNTRY_FIELDS,
}
"""The fields that a document shows of a laboratory in a list of laboratories."""


class CountryDocument(TypedDict):
    """A country (specification 2.2)."""

    iso_code: Annotated[IsoCode, "Lower-case two-letter country code."]
    slug: Annotated[str, "Last part of its listing page's address. May be empty."]
    name: Annotated[str, "Localized country name."]
    link: Annotated[PublicPath | None, "Relative path to the country's listing page; null without a slug."]


SectionTitle = Annotated[str, "Localized section title."]
SearchArgument = Annotated[str, "Name of the search argument that takes this section's search_val values."]


class Envelope(TypedDict, Generic[Item]):
    """A facet section (specification 2.7). Every entry is published, so `hidden_count` is 0."""

    name: Annotated[str, "Section name, equal to the path segment."]
    title: SectionTitle
    search_arg: SearchArgument
    limit: Annotated[Count, "How many entries a display should show at first."]
    hidden_count: Annotated[Count, "Count of entries that are not in items."]
    items: Annotated[list[Item], "The entries of the section."]


class SimilarLab(TypedDict):
    """A laboratory as lists show it (specification 2.5)."""

    display_id: Annotated[DisplayId, "Laboratory identifier."]
    name: Annotated[str, "Name of the laboratory, as clients show it."]
    image_url: Annotated[
        FilePath | None,
        Rendition(CARD, "image"),
        "Relative path to an image of 160x224 pixels; null when there is no image.",
    ]
    locality: Annotated[str, "City or place name. May be empty, may hold several places."]
    country: Annotated[CountryDocument, "Where the laboratory is."]
    url: Annotated[PublicPath, "Relative path of the laboratory's public page."]


def country_document(country: CountryRecord, directory: Directory) -> CountryDocument:
    """Return the country as all documents show it."""
    site = directory.site
    link = f"{site.base_path}/{site.words.country}/{country.slug}/" if country.slug else None
    return CountryDocument(iso_code=country.iso_code, slug=country.slug, name=country.name, link=link)


def website_path(laboratory: Laboratory | Card, directory: Directory) -> str:
    """Return the relative path of the laboratory's public page, which labgen does not make."""
    site = directory.site
    return f"{site.base_path}/{site.words.laboratory}/{laboratory.display_id}/{laboratory.slug}/"


def image_path(picture: Picture, size: Size, directory: Directory) -> str:
    """Return the relative path of a picture at one of its sizes, or its URL if it is on another host."""
    if not picture.addresses:
        return directory.site.base_path + directory.renditions.path(picture, size)
    position = PICTURE_FIELDS[picture.use].declared.sizes.index(size)
    address = picture.addresses[min(position, len(picture.addresses) - 1)]
    return directory.site.base_path + address if address.startswith(MEDIA_PATH) else address


def card_document(card: Card, directory: Directory) -> SimilarLab:
    """Return a laboratory as all lists of laboratories show it."""
    return SimilarLab(
        display_id=card.display_id,
        name=card.name,
        image_url=image_path(card.image, CARD, directory) if card.image else None,
        locality=card.locality,
        country=country_document(directory.countries[card.country], directory),
        url=website_path(card, directory),
    )


def rendition_path(
    name: str | None, use: Use, size: Size, laboratory: Laboratory, directory: Directory
) -> str | None:
    """Return the path of a laboratory's picture; without a name, that of its placeholder, or None."""
    if name:
        return image_path(picture_named(name, use, laboratory.record), size, directory)
    if PICTURE_FIELDS[use].declared.has_initials:
        return directory.site.base_path + placeholder_path(initials(laboratory.record.name), size)
    return None


def logo_path(laboratory: Laboratory, directory: Directory, size: Size) -> str:
    """Return the relative path of a laboratory's logo, or of its placeholder."""
    return rendition_path(laboratory.record.logo, "logo", size, laboratory, directory) or ""
