"""What a person writes in data/: one model for each kind of record (specification, section 2).

Records are checked strictly and know no key but their own. They are not what is published: `sections`
makes the documents. Texts are never changed: no trimming, no normalising.
"""

import re
from decimal import Decimal
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from labgen.summaries import CENTRE, Focus, Picture, Use

MAX_ID = 2**53 - 1
"""The largest integer that every JSON reader keeps exactly (RFC 8259, section 6)."""

LINE = r"^[^\x00-\x1f\x7f]*$"
FILLED_LINE = r"^[^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*$"
TEXT = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$"
FILLED_TEXT = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$"
DIGITS = r"^[0-9]{1,64}$"
ISO_CODE = r"^[a-z]{2}$"
SLUG = r"^[A-Za-z0-9_-]*$"
WORD = r"^[A-Za-z0-9_-]+$"

Language = Literal["de", "en"]


def _number_as_text(value: object) -> object:
    """Take 80331 for "80331", in fields whose texts are mostly digits: nothing is lost by it."""
    return str(value) if type(value) is int and value >= 0 else value


def _check_rating(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        raise PydanticCustomError("wrong-type", "must be a number such as 4.5")
    text = str(value)
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,2})?", text):
        raise PydanticCustomError(
            "invalid-number", "must be a number from 0 with at most two decimals, such as 4.50"
        )
    whole, _, decimals = text.partition(".")
    return f"{int(whole)}.{decimals:0<2}"


_PLAIN_ADDRESS = re.compile(r"https?://(?:[a-z0-9-]+\.)+[a-z]+(?:/[A-Za-z0-9/._~-]*)?", re.ASCII)
"""What nearly all addresses are, and what needs no further look."""


def _check_website(value: str) -> str:
    if _PLAIN_ADDRESS.fullmatch(value):
        return value
    if not re.match(r"https?://", value, re.IGNORECASE):
        raise PydanticCustomError("invalid-url", "must begin with https:// or http://")
    if re.search(r"[\s\x00-\x20\x7f-\x9f<>\"\\]", value):
        raise PydanticCustomError("invalid-url", "holds a character that an address cannot hold")
    try:
        parts = urlsplit(value)
        is_good = re.search(r"\w", parts.hostname or "") is not None and (parts.port or 1) > 0
    except ValueError:
        is_good = False
    if not is_good:
        raise PydanticCustomError("invalid-url", "is not a web address")
    return value


def _check_email(value: str) -> str:
    if value and not re.fullmatch(r"[^\s@,;:<>()\[\]\"\\]+@[^\s@,;:<>()\[\]\"\\]+", value):
        raise PydanticCustomError("invalid-email", "is not an e-mail address")
    return value


def _check_phone(value: str) -> str:
    if value and not re.search(r"[0-9]", value):
        raise PydanticCustomError("invalid-phone", "is not a telephone number: it holds no digit")
    return value


def _check_image(value: str) -> str:
    if not value or value.startswith("/") or "\\" in value or {"", ".", ".."} & set(value.split("/")):
        raise PydanticCustomError(
            "invalid-path", "must be the name of a file below data/media/, such as logos/alpha.png"
        )
    if not value.lower().endswith(IMAGE_SUFFIXES):
        raise PydanticCustomError("invalid-path", f"must be a picture: {', '.join(IMAGE_SUFFIXES)}")
    return value


def _check_focus(value: list[int]) -> list[int]:
    if len(value) != POINT:
        raise PydanticCustomError(
            "invalid-value",
            "must be two numbers from 0 to 100, such as [30, 50]: the percent from left and top",
        )
    return value


POINT = 2
"""The numbers that a point has."""

IMAGE_SUFFIXES = (".avif", ".gif", ".jpeg", ".jpg", ".png", ".webp")
"""Pictures that cannot hold a script, as SVG can."""


Id = Annotated[int, Field(ge=0, le=MAX_ID)]
Line = Annotated[str, Field(pattern=LINE)]
FilledLine = Annotated[str, Field(pattern=FILLED_LINE)]
Text = Annotated[str, Field(pattern=TEXT)]
FilledText = Annotated[str, Field(pattern=FILLED_TEXT)]
Digits = Annotated[str, BeforeValidator(_number_as_text), Field(pattern=DIGITS)]
Code = Annotated[str, BeforeValidator(_number_as_text), Field(pattern=FILLED_LINE)]
LooseCode = Annotated[str, BeforeValidator(_number_as_text), Field(pattern=LINE)]
Slug = Annotated[str, Field(pattern=SLUG)]
Word = Annotated[str, Field(pattern=WORD)]
Image = Annotated[Line, AfterValidator(_check_image)]
Percent = Annotated[int, Field(ge=0, le=100)]
Point = Annotated[list[Percent], AfterValidator(_check_focus)]
ImageFormat = Literal["webp", "jpeg", "png"]

NoValue = Annotated[None, "The specification shows no value of this field but null."]


class Record(BaseModel):
    """What all records share: frozen, and no key but their own."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class CountryRecord(Record):
    """A country (specification 2.2)."""

    iso_code: Annotated[str, Field(pattern=ISO_CODE)] = Field(description="two lower-case letters")
    slug: Slug = Field("", description="last part of its listing page's address; empty: it has no page")
    name: FilledLine = Field(description="its name in the language of the site")


class CatalogueRecord(Record):
    """An entry that laboratories name by its id (specification 2.7)."""

    id: Id = Field(description="whole number, once in the file")
    title: FilledText = Field(description="what clients show")


class PlainRecord(CatalogueRecord):
    """An entry whose search_val is its id as text."""

    search_val: Code | None = Field(None, description="the id as text; need not be written")


class MaterialRecord(PlainRecord):
    """A material."""


class CertificationRecord(PlainRecord):
    """A certification."""


class TestMethodRecord(CatalogueRecord):
    """A test method."""

    __test__ = False  # pytest: not a test

    search_val: Code = Field(description="what a search takes; not the id")
    summary: Text = Field("", description="may hold line breaks, `<sub>` and `<sup>`")
    price: NoValue = Field(None, description="the specification shows no value but null")


class AccreditationStandardRecord(CatalogueRecord):
    """What a laboratory can be accredited by; its title and standard appear in each accreditation."""

    search_val: Code = Field(description="what a search takes")
    standard: FilledLine = Field(description="its designation, such as DIN EN ISO/IEC 17025:2018")


class StandardRecord(CatalogueRecord):
    """A standard that a laboratory tests by."""

    search_val: Code = Field(description="what a search takes; not the id")
    summary: Text = Field("", description="may hold line breaks, tabs, `;;`, `<sub>` and `<sup>`")


class UpgradeOptionRecord(Record):
    """A paid plan at one frequency of billing (specification 2.8)."""

    plan: Word = Field(description="key of the plan, such as business")
    plan_label: FilledLine = Field(description="its name")
    freq: Word = Field(description="how often it is paid, such as monthly or annual")
    billing_label: FilledLine = Field(description="the price for a period, as text")
    recommend: bool = Field(False, description="true for the option that clients recommend")
    billing: Line | None = Field(None, description="`<plan>:<freq>`; need not be written")


class ContactRecord(Record):
    """A contact person (specification 2.3). `email` and `phone` are private: published encoded only."""

    first_name: Line = Field("", description="given name")
    last_name: Line = Field("", description="family name")
    position: Line = Field("", description="job title")
    email: Annotated[Line, AfterValidator(_check_email)] = Field("", description="plainly; published encoded")
    phone: Annotated[LooseCode, AfterValidator(_check_phone)] = Field(
        "", description="plainly; published encoded"
    )


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
    accreditation_standard: Id = Field(description="id in `accreditation_standards`")
    accreditation_body: Line = Field(description="such as DAkkS")
    number: LooseCode = Field(description="the certificate's number; may have a suffix in parentheses")


class LaboratoryRecord(Record):
    """A laboratory and all that it names (specification 2.1)."""

    display_id: Digits = Field(description="its number: digits, leading zeros kept, once in the directory")
    name: FilledLine = Field(description="as clients show it")
    is_verified: bool = Field(False, description="whether the directory has verified it")
    country: str = Field(description="iso_code in `countries`")
    locality: Line = Field("", description="city or place; may hold several")
    slug: Word | None = Field(None, description="last part of its public address; made from the name")
    deal_status: str = Field(description="a key of [deal_statuses] in `site.toml`")
    verification_status: str = Field(description="a key of [verification_statuses] in `site.toml`")
    about: Text = Field("", description="free text; may hold line breaks and tabs")
    contact_person: ContactRecord = Field(ContactRecord(), description="see below")
    address: Line = Field("", description="street and number")
    postal_code: LooseCode = Field("", description="01067 in quotes: it begins with 0")
    website: Annotated[str, AfterValidator(_check_website)] | None = Field(
        None, description="https:// or http://"
    )
    stats: StatsRecord | None = Field(None, description="see below; that of `site.toml` if not written")
    rating: Annotated[str, BeforeValidator(_check_rating)] = Field(
        "0.00", description="number from 0, at most two decimals; published with two"
    )
    logo: Image | None = Field(None, description="file below `media/`")
    image: Image | None = Field(None, description="file below `media/`, for lists of laboratories")
    gallery: list[Image] = Field([], description="files below `media/`")
    focus: dict[str, Point] = Field(
        {}, description='the point of a picture that stays in view, in percent: `{"halle.jpg": [30, 50]}`'
    )
    similar_labs: list[Digits] | None = Field(None, description="display_ids; computed if not written")
    materials: list[Id] = Field([], description="ids in `materials`")
    test_methods: list[Id] = Field([], description="ids in `test_methods`")
    accreditations: list[AccreditationRecord] = Field([], description="see below")
    certifications: list[Id] = Field([], description="ids in `certifications`")
    standards: list[Id] = Field([], description="ids in `standards`")

    def pictures(self, use: Use) -> list[Picture]:
        """Return what it shows of which originals in one of its fields, in the order of the record."""
        if use == "gallery":
            return [Picture(name, use, self._focus_of(name)) for name in self.gallery]
        if use == "logo":
            return [Picture(self.logo, use)] if self.logo else []
        return [Picture(self.image, use, self._focus_of(self.image))] if self.image else []

    def _focus_of(self, name: str) -> Focus:
        x, y = self.focus.get(name, CENTRE)
        return x, y


class WordsRecord(Record):
    """The words in the addresses of public pages."""

    laboratory: Word = Field("labor", description="in `/labor/<display_id>/<slug>/`")
    country: Word = Field("land", description="in `/land/<slug>/`")


class LimitsRecord(Record):
    """How many."""

    limit: Annotated[int, Field(ge=0, le=1_000_000)] = Field(
        8, description="the `limit` of all sections: a hint for the display"
    )
    similar_limit: Annotated[int, Field(ge=0, le=100)] = Field(
        8, description="the length of computed lists of similar laboratories"
    )
    page_size: Annotated[int, Field(ge=1, le=1000)] = Field(
        100, description="how many laboratories a page of the list of all of them has"
    )


def _check_base_path(value: str) -> str:
    if value and (not re.fullmatch(r"(/[A-Za-z0-9._~-]+)+", value) or {".", ".."} & set(value.split("/"))):
        raise PydanticCustomError(
            "invalid-path", 'must begin with / and not end with it, such as "/verzeichnis"'
        )
    return value


def _check_base_url(value: str) -> str:
    if value and not re.fullmatch(r"https?://[^/?#\s]+", _check_website(value)):
        raise PydanticCustomError(
            "invalid-url", 'must be scheme and host alone, such as "https://api.example.org"'
        )
    return value


class SiteRecord(Record):
    """The settings in data/site.toml."""

    name: FilledLine = Field("Laborverzeichnis", description="the name of the directory, as pages show it")
    base_path: Annotated[str, AfterValidator(_check_base_path)] = Field(
        "", description="where the site lies below its host, such as `/verzeichnis`; leads all addresses"
    )
    base_url: Annotated[str, AfterValidator(_check_base_url)] = Field(
        "", description="scheme and host, such as `https://api.example.org`; pages show it"
    )
    language: Language = Field("de", description="`de` or `en`: the words of pages and error documents")
    noindex: bool = Field(True, description="whether pages ask search engines to leave them out")
    hosts: list[FilledLine] = Field(
        [], description="the hosts that the site is built for, see `labgen hosts`"
    )
    copies: list[Literal["gz", "br", "zst"]] = Field(
        ["gz"], description="compressed copies for hosts that use them: `gz`, `br`, `zst`"
    )
    image_format: ImageFormat = Field("webp", description="of the pictures: `webp`, `jpeg` or `png`")
    words: WordsRecord = Field(WordsRecord(), description="words in addresses")
    limits: LimitsRecord = Field(LimitsRecord(), description="how many")
    sections: dict[str, FilledLine] = Field({}, description="the title of each section, by its name")
    deal_statuses: dict[FilledLine, FilledLine] = Field(description="the title of each `deal_status`")
    verification_statuses: dict[FilledLine, FilledLine] = Field(
        description="the title of each `verification_status`"
    )
    stats: StatsRecord = Field(
        StatsRecord(projects=StatRecord()), description="for laboratories without their own"
    )
