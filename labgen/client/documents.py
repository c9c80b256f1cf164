"""The types of documents, made from those of the API by `make docs`. Documents may get further fields."""

from __future__ import annotations

from typing import Literal, NotRequired, Protocol, Required, TypedDict, overload


class LaboratoryList(TypedDict):
    """A page of the list of laboratories, in the order of their display_ids, compared as texts."""

    # How many laboratories the directory has.
    count: int
    # Relative path of the next page; null on the last.
    next: str | None
    # Relative path of the page before; null on the first.
    previous: str | None
    # The laboratories of this page.
    results: list[SimilarLab]


class SimilarLab(TypedDict):
    """A laboratory as lists show it (specification 2.5)."""

    # Laboratory identifier.
    display_id: str
    # Name of the laboratory, as clients show it.
    name: str
    # Relative path to an image of 160x224 pixels; null when there is no image.
    image_url: str | None
    # City or place name. May be empty, may hold several places.
    locality: str
    # Where the laboratory is.
    country: CountryDocument
    # Relative path of the laboratory's public page.
    url: str


class CountryDocument(TypedDict):
    """A country (specification 2.2)."""

    # Lower-case two-letter country code.
    iso_code: str
    # Last part of its listing page's address. May be empty.
    slug: str
    # Localized country name.
    name: str
    # Relative path to the country's listing page; null without a slug.
    link: str | None


class LaboratoryDocument(TypedDict):
    """A laboratory (specification 2.1)."""

    # Laboratory identifier. Digits, may have leading zeros.
    display_id: str
    # Name of the laboratory, as clients show it.
    name: str
    # Whether the directory has verified the laboratory.
    is_verified: bool
    # Where the laboratory is.
    country: CountryDocument
    # Relative path to an image of 100x80 pixels.
    logo_url: str
    # Relative path to the same image at 200x160 pixels.
    logo2x_url: str
    # City or place name. May be empty.
    locality: str
    # Relative path of the laboratory's public page.
    url: str
    # Commercial tier of the laboratory.
    deal_status: DealStatus
    # How far the laboratory is verified.
    verification_status: VerificationStatus
    # Free text. May contain CR LF line breaks.
    about: str
    # The person to contact.
    contact_person: ContactPerson
    # Street address line.
    address: str
    # Leading zeros are kept. May be empty.
    postal_code: str
    # Address of the laboratory's own site; null when there is none.
    website: str | None
    # What is known of the laboratory's work.
    stats: Stats
    # Decimal number with two decimals, from 0.00.
    rating: str


class DealStatus(TypedDict):
    """A commercial tier."""

    # Key of the status.
    id: str
    # Its name in the language of the site.
    title: str


class VerificationStatus(TypedDict):
    """A status of verification."""

    # Key of the status.
    id: str
    # Its name in the language of the site.
    title: str


class ContactPerson(TypedDict):
    """A contact person (specification 2.3)."""

    # Given name.
    first_name: str
    # Family name.
    last_name: str
    # Job title.
    position: str
    # The e-mail address as decimal character codes, separated by commas. May be empty.
    encoded_email: str
    # The telephone number as decimal character codes, separated by commas. May be empty.
    encoded_phone: str


class Stats(TypedDict):
    """The statistics of a laboratory."""

    # The number of projects, as a level.
    projects: Stat


class Stat(TypedDict):
    """A statistic (specification 2.4)."""

    # Name of the statistic.
    key: str
    # Qualitative level text.
    value: str
    # Colour-level word.
    value_level: str
    # Label that is shown beside the value.
    label: str


class GalleryImage(TypedDict):
    """One picture of a laboratory, at two sizes."""

    # Relative path to an image of 160x160 pixels.
    preview_url: str
    # Relative path to the same image at 1600x900 pixels.
    large_url: str


class PlainItemEnvelope(TypedDict):
    """A facet section (specification 2.7). Every entry is published, so `hidden_count` is 0."""

    # Section name, equal to the path segment.
    name: str
    # Localized section title.
    title: str
    # Name of the search argument that takes this section's search_val values.
    search_arg: str
    # How many entries a display should show at first.
    limit: int
    # Count of entries that are not in items.
    hidden_count: int
    # The entries of the section.
    items: list[PlainItem]


class PlainItem(TypedDict):
    """An entry whose search_val is its id: a material, a certification, a category, a piece of equipment."""

    # Identifies the entry in its catalogue.
    id: int
    # What a search takes: the id as text.
    search_val: str
    # Title of the entry, as clients show it.
    title: str


class TestMethodItemEnvelope(TypedDict):
    """A facet section (specification 2.7). Every entry is published, so `hidden_count` is 0."""

    # Section name, equal to the path segment.
    name: str
    # Localized section title.
    title: str
    # Name of the search argument that takes this section's search_val values.
    search_arg: str
    # How many entries a display should show at first.
    limit: int
    # Count of entries that are not in items.
    hidden_count: int
    # The entries of the section.
    items: list[TestMethodItem]


class TestMethodItem(TypedDict):
    """A test method."""

    # Identifies the entry in its catalogue.
    id: int
    # What a search takes; differs from the id.
    search_val: str
    # Title of the entry, as clients show it.
    title: str
    # Description. May be empty.
    summary: str
    # Null in all entries that the specification shows.
    price: str | None


class AccreditationItemEnvelope(TypedDict):
    """A facet section (specification 2.7). Every entry is published, so `hidden_count` is 0."""

    # Section name, equal to the path segment.
    name: str
    # Localized section title.
    title: str
    # Name of the search argument that takes this section's search_val values.
    search_arg: str
    # How many entries a display should show at first.
    limit: int
    # Count of entries that are not in items.
    hidden_count: int
    # The entries of the section.
    items: list[AccreditationItem]


class AccreditationItem(TypedDict):
    """An accreditation certificate; several may share search_val, title and standard."""

    # Identifies the certificate among those of the laboratory.
    id: int
    # What a search takes; several certificates may share it.
    search_val: str
    # Title of the entry, as clients show it.
    title: str
    # Who issued the certificate.
    accreditation_body: str
    # Designation of the standard that the laboratory is accredited by.
    standard: str
    # Accreditation certificate number, may carry a suffix in parentheses.
    number: str


class StandardItemEnvelope(TypedDict):
    """A facet section (specification 2.7). Every entry is published, so `hidden_count` is 0."""

    # Section name, equal to the path segment.
    name: str
    # Localized section title.
    title: str
    # Name of the search argument that takes this section's search_val values.
    search_arg: str
    # How many entries a display should show at first.
    limit: int
    # Count of entries that are not in items.
    hidden_count: int
    # The entries of the section.
    items: list[StandardItem]


class StandardItem(TypedDict):
    """A standard."""

    # Identifies the entry in its catalogue.
    id: int
    # What a search takes; differs from the id.
    search_val: str
    # Title of the entry, as clients show it.
    title: str
    # May be empty; may hold <sub>, <sup>, line breaks, tabs, and descriptions joined by ;;.
    summary: str


class Resource(TypedDict):
    """A leaflet, a form, a guide: something to read."""

    # Whole number, once among the laboratory's resources.
    id: int
    # Title of the entry, as clients show it.
    title: str
    # Plain text. May be empty; may hold line breaks.
    summary: str
    # Where it is: an http(s) address, or a path that begins with /.
    url: str


class LandingsLink(TypedDict):
    """A link to a page about one topic."""

    # Title of the entry, as clients show it.
    title: str
    # An http(s) address, or a path that begins with /.
    link: str


class JobListing(TypedDict):
    """A position that is open."""

    # Whole number, once among the laboratory's job listings.
    id: int
    # Title of the entry, as clients show it.
    title: str
    # City or place name. May be empty; may hold several places.
    locality: str
    # Where the place is.
    country: CountryDocument
    # Date, as YYYY-MM-DD.
    published_on: str
    # Last day on which one may apply, as YYYY-MM-DD; null where none is set.
    valid_through: str | None
    # Where it is: an http(s) address, or a path that begins with /; null without one.
    url: str | None


class Review(TypedDict):
    """What a customer says."""

    # Whole number, once among the laboratory's reviews.
    id: int
    # Decimal number with two decimals, as in the laboratory's own rating.
    rating: str
    # Title of the review. May be empty.
    title: str
    # Plain text. May be empty; may hold line breaks.
    text: str
    # Name as clients show it. May be empty.
    author: str
    # Date, as YYYY-MM-DD.
    created_on: str


class UpgradeOptions(TypedDict):
    """The options of each plan, by plan."""

    # The options for laboratories, by plan.
    laboratory: dict[str, list[UpgradeOption]]


class UpgradeOption(TypedDict):
    """A plan at one frequency of billing."""

    # Plan and frequency: <plan>:<freq>.
    billing: str
    # Display text of the price per period.
    billing_label: str
    # Observed values: monthly, annual.
    freq: str
    # Plan key.
    plan: str
    # Display name of the plan.
    plan_label: str
    # True for the recommended option.
    recommend: bool


class FoundLaboratories(TypedDict):
    """What a page of laboratories that a query found has beside those of the list."""

    # The facets that the query wants counted; absent without facets.
    facets: NotRequired[list[CountedFacet]]
    # Why each laboratory was found, in their order; absent without matches=true.
    matches: NotRequired[list[Reason]]
    # Words that too many laboratories have to narrow the search; absent if none.
    ignored: NotRequired[list[str]]
    # For each word or designation that occurs nowhere, what was searched for instead; absent if
    # none.
    instead: NotRequired[dict[str, list[str]]]
    # By parameter, the values that no laboratory has; absent if none.
    unknown: NotRequired[dict[str, list[str]]]


class CountedFacet(TypedDict):
    """The most frequent values of a facet."""

    # Name of the section or field.
    name: str
    # Localized section title.
    title: str
    # Name of the search argument that takes this section's search_val values.
    search_arg: str
    # Whether all values were compared; otherwise a frequent one may be missing.
    is_exact: bool
    # The most frequent values first, and those that the query names.
    items: list[CountedValue]


class CountedValue(TypedDict):
    """A value of a facet, and how many laboratories have it."""

    # What a search takes.
    search_val: str
    # Title of the entry, as clients show it.
    title: str
    # How many laboratories have it that match the rest of the query.
    count: int
    # Whether the query names this value.
    is_selected: bool


class Reason(TypedDict):
    """Why a laboratory was found."""

    # Laboratory identifier.
    display_id: str
    # Entries with words of the query, at most three.
    entries: list[FoundEntry]
    # Words that only the free texts of the laboratory have.
    texts: list[str]
    # Its rating; absent unless the results are ordered by it.
    rating: NotRequired[str]


class FoundEntry(TypedDict):
    """An entry that has words of the query."""

    # Name of the section or field.
    name: str
    # Localized section title.
    section: str
    # Name of the search argument that takes this section's search_val values.
    search_arg: str
    # What a search takes.
    search_val: str
    # Title of the entry, as clients show it.
    title: str
    # The title in parts; every other one, from the second on, is what was found.
    marked: list[str]


class Suggestion(TypedDict):
    """An entry that a text may mean; clients suggest it while one types."""

    # Name of the section or field.
    name: str
    # Localized section title.
    section: str
    # Name of the search argument that takes this section's search_val values.
    search_arg: str
    # What a search takes.
    search_val: str
    # Title of the entry, as clients show it.
    title: str
    # The title in parts; every other one, from the second on, is what was found.
    marked: list[str]
    # How many laboratories have it that match the query, too.
    count: int
    # What of the text the entry does not have.
    rest: str


class WholeLaboratory(TypedDict, total=False):
    """A laboratory with the sections that its site has."""

    laboratory: Required[LaboratoryDocument]
    gallery: list[GalleryImage]
    similar_labs: list[SimilarLab]
    materials: PlainItemEnvelope
    material_categories: PlainItemEnvelope
    test_methods: TestMethodItemEnvelope
    test_categories: PlainItemEnvelope
    equipments: PlainItemEnvelope
    accreditations: AccreditationItemEnvelope
    certifications: PlainItemEnvelope
    standards: StandardItemEnvelope
    resources: list[Resource]
    landings_links: list[LandingsLink]
    job_listings: list[JobListing]
    reviews: list[Review]


class SectionReader(Protocol):
    """Returns a section of a laboratory."""

    @overload
    def __call__(self, display_id: str, name: Literal["gallery"]) -> list[GalleryImage]: ...

    @overload
    def __call__(self, display_id: str, name: Literal["similar_labs"]) -> list[SimilarLab]: ...

    @overload
    def __call__(self, display_id: str, name: Literal["materials"]) -> PlainItemEnvelope: ...

    @overload
    def __call__(self, display_id: str, name: Literal["material_categories"]) -> PlainItemEnvelope: ...

    @overload
    def __call__(self, display_id: str, name: Literal["test_methods"]) -> TestMethodItemEnvelope: ...

    @overload
    def __call__(self, display_id: str, name: Literal["test_categories"]) -> PlainItemEnvelope: ...

    @overload
    def __call__(self, display_id: str, name: Literal["equipments"]) -> PlainItemEnvelope: ...

    @overload
    def __call__(self, display_id: str, name: Literal["accreditations"]) -> AccreditationItemEnvelope: ...

    @overload
    def __call__(self, display_id: str, name: Literal["certifications"]) -> PlainItemEnvelope: ...

    @overload
    def __call__(self, display_id: str, name: Literal["standards"]) -> StandardItemEnvelope: ...

    @overload
    def __call__(self, display_id: str, name: Literal["resources"]) -> list[Resource]: ...

    @overload
    def __call__(self, display_id: str, name: Literal["landings_links"]) -> list[LandingsLink]: ...

    @overload
    def __call__(self, display_id: str, name: Literal["job_listings"]) -> list[JobListing]: ...

    @overload
    def __call__(self, display_id: str, name: Literal["reviews"]) -> list[Review]: ...
