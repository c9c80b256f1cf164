"""What a person writes in data/: one model for each kind of record (specification, section 2).

Records are checked strictly and know no key but their own. They are not what is published: `sections`
makes the documents. Texts are never changed: no trimming, no normalising.
"""

import re
from decimal import Decimal
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

MAX_ID = 2**53 - 1
"""The largest integer that every JSON reader keeps exactly (RFC 8259, section 6)."""

LINE = r"^[^\x00-\x1f\x7f]*$"
FILLED_LINE = r"^[^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*$"
TEXT = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$"
FILLED_TEXT = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$"

Language = Literal["de", "en"]


def _number_as_text(value: object) -> object:
    """Take 80331 for "80331", in fields whose texts are mostly digits: nothing is lost by it."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _check_rating(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        raise PydanticCustomError("wrong-type", "must be a number such as 4.5")
    text = str(value)
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,2})?", text):
        raise PydanticCustomError(
            "invalid-number", "must be a number with at most two decimals, such as 4.5 or 4.50"
        )
    whole, _, decimals = text.partition(".")
    return f"{int(whole)}.{decimals:0<2}"


def _check_website(value: str) -> str:
    if not re.match(r"https?://", value, re.IGNORECASE):
        raise PydanticCustomError("invalid-url", "must begin with https:// or http://")
    if re.search(r"[\s\x00-\x20\x7f-\x9f<>\"\\]", value):
        raise PydanticCustomError("invalid-url", "holds a character that an address cannot hold")
    try:
        parts = urlsplit(value)
        is_good = bool(parts.hostname) and (parts.port or 1) > 0
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
    return value


Id = Annotated[int, Field(ge=0, le=MAX_ID)]
Line = Annotated[str, Field(pattern=LINE)]
FilledLine = Annotated[str, Field(pattern=FILLED_LINE)]
Text = Annotated[str, Field(pattern=TEXT)]
FilledText = Annotated[str, Field(pattern=FILLED_TEXT)]
Digits = Annotated[str, BeforeValidator(_number_as_text), Field(pattern=r"^[0-9]{1,64}$")]
Code = Annotated[str, BeforeValidator(_number_as_text), Field(pattern=FILLED_LINE)]
LooseCode = Annotated[str, BeforeValidator(_number_as_text), Field(pattern=LINE)]
Slug = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]*$")]
Word = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]+$")]
Image = Annotated[Line, AfterValidator(_check_image)]

NoValue = Annotated[None, "The specification shows no value of this field but null."]


class Record(BaseModel):
    """What all records share: frozen, and no key but their own."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class CountryRecord(Record):
    """A country (specification 2.2). An empty slug means that it has no listing page."""

    iso_code: Annotated[str, Field(pattern=r"^[a-z]{2}$")]
    slug: Slug = ""
    name: FilledLine


class CatalogueRecord(Record):
    """An entry that laboratories name by its id (specification 2.7)."""

    id: Id
    title: FilledText


class MaterialRecord(CatalogueRecord):
    """A material; its search_val is its id as text, and need not be written."""

    search_val: Code | None = None


class CertificationRecord(CatalogueRecord):
    """A certification; its search_val is its id as text, and need not be written."""

    search_val: Code | None = None


class TestMethodRecord(CatalogueRecord):
    """A test method."""

    __test__ = False  # pytest: not a test

    search_val: Code
    summary: Text = ""
    price: NoValue = None


class AccreditationStandardRecord(CatalogueRecord):
    """What a laboratory can be accredited by; its title and standard appear in each accreditation."""

    search_val: Code
    standard: FilledLine


class StandardRecord(CatalogueRecord):
    """A standard that a laboratory tests by."""

    search_val: Code
    summary: Text = ""


class UpgradeOptionRecord(Record):
    """A paid plan (specification 2.8). `billing` is made from plan and freq, and checked if written."""

    plan: Word
    plan_label: FilledLine
    freq: Word
    billing_label: FilledLine
    recommend: bool = False
    billing: Line | None = None


class ContactRecord(Record):
    """A contact person (specification 2.3), with e-mail and telephone as one writes them.

    `email` and `phone` are private: only their encoded forms are published.
    """

    first_name: Line = ""
    last_name: Line = ""
    position: Line = ""
    email: Annotated[Line, AfterValidator(_check_email)] = ""
    phone: Annotated[LooseCode, AfterValidator(_check_phone)] = ""


class StatRecord(Record):
    """A statistic (specification 2.4)."""

    key: Word = "completed"
    value: Line = ""
    value_level: Word = "gray"
    label: Line = ""


class StatsRecord(Record):
    """The statistics of a laboratory; `projects` is the one that the specification shows."""

    projects: StatRecord


class AccreditationRecord(Record):
    """One accreditation certificate of a laboratory."""

    id: Id
    accreditation_standard: Id
    accreditation_body: Line
    number: LooseCode


class LaboratoryRecord(Record):
    """A laboratory and all that it names (specification 2.1)."""

    display_id: Digits
    name: FilledLine
    is_verified: bool = False
    country: str
    locality: Line = ""
    slug: Word | None = None
    deal_status: str
    verification_status: str
    about: Text = ""
    contact_person: ContactRecord = ContactRecord()
    address: Line = ""
    postal_code: LooseCode = ""
    website: Annotated[str, AfterValidator(_check_website)] | None = None
    stats: StatsRecord | None = None
    rating: Annotated[str, BeforeValidator(_check_rating)] = "0.00"
    logo: Image | None = None
    image: Image | None = None
    gallery: list[Image] = []
    similar_labs: list[Digits] | None = None
    materials: list[Id] = []
    test_methods: list[Id] = []
    accreditations: list[AccreditationRecord] = []
    certifications: list[Id] = []
    standards: list[Id] = []


class WordsRecord(Record):
    """The words in the addresses of public pages."""

    laboratory: Word = "labor"
    country: Word = "land"


class LimitsRecord(Record):
    """Numbers: the `limit` of the envelopes, and how many similar laboratories a list holds."""

    limit: Annotated[int, Field(ge=0, le=1_000_000)] = 8
    similar_limit: Annotated[int, Field(ge=0, le=100)] = 8


def _check_base_path(value: str) -> str:
    if value and (not re.fullmatch(r"(/[A-Za-z0-9._~-]+)+", value) or {".", ".."} & set(value.split("/"))):
        raise PydanticCustomError(
            "invalid-path", 'must begin with / and not end with it, such as "/verzeichnis"'
        )
    return value


def _check_base_url(value: str) -> str:
    if not value:
        return value
    _check_website(value)
    if value.endswith("/") or urlsplit(value).path or urlsplit(value).query or urlsplit(value).fragment:
        raise PydanticCustomError(
            "invalid-url", 'must be scheme and host alone, such as "https://api.example.org"'
        )
    return value


class SiteRecord(Record):
    """The settings in data/site.toml."""

    name: FilledLine = "Laborverzeichnis"
    base_path: Annotated[str, AfterValidator(_check_base_path)] = ""
    base_url: Annotated[str, AfterValidator(_check_base_url)] = ""
    language: Language = "de"
    words: WordsRecord = WordsRecord()
    limits: LimitsRecord = LimitsRecord()
    sections: dict[str, FilledLine] = {}
    deal_statuses: dict[str, FilledLine]
    verification_statuses: dict[str, FilledLine]
    stats: StatsRecord = StatsRecord(projects=StatRecord())


def field_names(model: type[BaseModel], pointer: tuple[str | int, ...] = ()) -> tuple[str, ...]:
    """Return the keys that a record may have at a pointer into it; () where it takes no keys of its own."""
    kind: Any = model
    for step in pointer:
        kind = _inner_model(kind.model_fields[step].annotation) if isinstance(step, str) and kind else kind
    return tuple(kind.model_fields) if kind else ()


def _inner_model(annotation: Any) -> type[BaseModel] | None:
    """Return the record inside `Record`, `list[Record]` or `Record | None`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    inner = (_inner_model(part) for part in getattr(annotation, "__args__", ()))
    return next((model for model in inner if model), None)
