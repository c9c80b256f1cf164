"""Define the types of values in records, each with its validation: texts, ids, dates, URLs, pictures.

The checks here raise a `PydanticCustomError` whose type is the code of the problem.
"""

import re
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic.annotated_handlers import GetJsonSchemaHandler
from pydantic.fields import FieldInfo

from labgen.model.german import LONGEST_SEGMENT
from labgen.model.pictures import is_address
from labgen.model.refusals import refusal
from labgen.model.site_paths import MEDIA_PATH
from labgen.model.web_addresses import MAILBOX, check_email, check_link, check_target, check_website
from labgen.problems.text import say

MAX_ID = 2**53 - 1
"""The largest integer that every JSON reader represents exactly (RFC 8259, section 6)."""

LINE = r"^[^\x00-\x1f\x7f]*$"
FILLED_LINE = r"^[^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*$"
TEXT = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$"
FILLED_TEXT = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$"
DIGITS = r"^[0-9]{1,64}$"
ISO_CODE = r"^[a-z]{2}$"
SLUG = rf"^[A-Za-z0-9_-]{{0,{LONGEST_SEGMENT}}}$"
WORD = rf"^[A-Za-z0-9_-]{{1,{LONGEST_SEGMENT}}}$"
DIRECTORY_PATH = r"^((/[a-z0-9_-]+)+/)?$"
COLOUR = r"^#[0-9a-f]{6}$"

LANGUAGE = r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$"
Colour = Annotated[str, Field(pattern=COLOUR, examples=["#0a569f", "#86bdf7"])]
LanguageCode = Annotated[str, Field(pattern=LANGUAGE, examples=["de", "fr", "de-CH"])]


class RefersTo(NamedTuple):
    """Marks a field that refers to an entry of a shared list, or to several, by key.

    `stem` is the name of the list's file in data/, without its extension. If it `is_facet`, laboratories are
    searched, counted and compared by what the field names; else it is only a reference. A list names each
    entry once.
    """

    stem: str
    is_facet: bool = False

    def __get_pydantic_json_schema__(self, schema: Any, make: GetJsonSchemaHandler) -> dict[str, Any]:
        """Tell editors, as `EACH_ONCE` does."""
        made = make(schema)
        return made | {"uniqueItems": True} if made.get("type") == "array" else made


def _number_as_text(value: object) -> object:
    """Convert a number such as 80331 to text, in fields whose texts are mostly digits."""
    return str(value) if type(value) is int and value >= 0 else value


def _null_as_empty(value: object) -> object:
    """Convert null to an empty text, in fields that are required but may be empty."""
    return "" if value is None else value


def _loose(value: object) -> object:
    return _null_as_empty(_number_as_text(value))


def _check_rating(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        raise refusal("wrong-type", say("must be a number such as 4.5"))
    text = str(value)
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,2})?", text):
        raise refusal(
            "invalid-number", say("must be a number from 0 with at most two decimals, such as 4.50")
        )
    whole, _, decimals = text.partition(".")
    return f"{int(whole)}.{decimals:0<2}"


def _check_date(value: object) -> str:
    try:
        if isinstance(value, str) and re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
            date.fromisoformat(value)
            return value
    except ValueError:
        raise refusal("invalid-date", say("is not a day of the calendar")) from None
    raise refusal("invalid-date", say("must be a date such as 2024-05-01"))


def _check_phone(value: str) -> str:
    if value and not re.search(r"[0-9]", value):
        raise refusal("invalid-phone", say("must be a telephone number, with digits"))
    return value


def _check_image(value: str) -> str:
    if is_address(value):
        return _check_addresses(value)
    if not value or value.startswith("/") or "\\" in value or {"", ".", ".."} & set(value.split("/")):
        raise refusal(
            "invalid-path", say("must be the name of a file below data/media/, such as logos/alpha.png")
        )
    if not value.lower().endswith(IMAGE_SUFFIXES):
        raise refusal(
            "mislabelled-image",
            say("must be a picture: {image_suffixes}", image_suffixes=", ".join(IMAGE_SUFFIXES)),
        )
    return value


def _check_focus(value: list[int]) -> list[int]:
    if len(value) != POINT:
        raise refusal(
            "invalid-value",
            say("must be two numbers from 0 to 100, such as [30, 50]: the percent from left and top"),
        )
    return value


def _check_addresses(value: str) -> str:
    """Check the URLs of a picture that is published unchanged: one, or a small and a large one."""
    addresses = value.split(" ")
    if len(addresses) > len(("small", "large")):
        raise refusal("invalid-path", say("must be one address, or two with a space between"))
    for one in addresses:
        if not one.startswith(MEDIA_PATH):
            check_website(one)
        elif not re.fullmatch(OWN_PICTURE, one, re.ASCII):
            kinds = ", ".join(IMAGE_SUFFIXES)
            code = "invalid-path" if one.lower().endswith(IMAGE_SUFFIXES) else "mislabelled-image"
            raise refusal(code, say("must be the plain address of a picture: {kinds}", kinds=kinds))
    return value


POINT = 2
"""The number of coordinates of a point."""

IMAGE_SUFFIXES = (".avif", ".gif", ".jpeg", ".jpg", ".png", ".webp")
"""Picture formats that cannot contain a script (SVG can)."""


def _check_base_path(value: str) -> str:
    if value and (not re.fullmatch(r"(/[A-Za-z0-9._~-]+)+", value) or {".", ".."} & set(value.split("/"))):
        raise refusal("invalid-path", say('must begin with / and not end with it, such as "/verzeichnis"'))
    return value


def _check_directory_path(value: str) -> str:
    if not re.fullmatch(DIRECTORY_PATH, value):
        raise refusal(
            "invalid-path",
            say(
                "must begin and end with /, with lower-case letters, digits, - and _ "
                'between, such as "/directory/v1/"'
            ),
        )
    return value


def _check_base_url(value: str) -> str:
    if value and not re.fullmatch(r"https?://[^/?#\s]+", check_website(value)):
        raise refusal("invalid-url", say('must be scheme and host alone, such as "https://api.example.org"'))
    return value


def _schema(**keywords: Any) -> FieldInfo:
    """Describe the check of a value in JSON Schema, by these keywords."""
    keyword: FieldInfo = Field(json_schema_extra=keywords)
    return keyword


_Number = Annotated[int, Field(ge=0)]


def _or_number(pattern: str) -> BeforeValidator:
    """Accept an integer for a text with this pattern, also in the JSON Schema."""
    text = Annotated[str, Field(pattern=pattern)]
    return BeforeValidator(_number_as_text, json_schema_input_type=text | _Number)


_SUFFIXES = "|".join("".join(f"[{one}{one.upper()}]" for one in suffix[1:]) for suffix in IMAGE_SUFFIXES)
_PART = "[A-Za-z0-9_~@+-][A-Za-z0-9._~@+-]*"
OWN_PICTURE = rf"{MEDIA_PATH}({_PART}/)*{_PART}\.({_SUFFIXES})"
"""The path of a picture that the site serves, without the base path; no part of it begins with a dot."""
_NO_DOTS = r"(?!.*(^|/)\.{0,2}(/|$))"
"""Matches where a relative path has no segment that is empty, `.` or `..`."""

Key = Annotated[str, Field(min_length=1)]
"""The key of an entry of a shared list."""
Id = Annotated[int, Field(ge=0, le=MAX_ID)]
EACH_ONCE = _schema(uniqueItems=True)
"""Tells editors that the entries of a list are unique; labgen's own check compares their ids."""
Line = Annotated[str, Field(pattern=LINE)]
FilledLine = Annotated[str, Field(pattern=FILLED_LINE)]
Text = Annotated[str, Field(pattern=TEXT)]
FilledText = Annotated[str, Field(pattern=FILLED_TEXT)]
Digits = Annotated[str, _or_number(DIGITS), Field(pattern=DIGITS)]
Code = Annotated[str, _or_number(FILLED_LINE), Field(pattern=FILLED_LINE)]
LooseLine = Annotated[
    str, BeforeValidator(_null_as_empty, json_schema_input_type=Line | None), Field(pattern=LINE)
]
"""A required line that may be empty."""
LooseCode = Annotated[
    str, BeforeValidator(_loose, json_schema_input_type=Line | _Number | None), Field(pattern=LINE)
]
Slug = Annotated[str, Field(pattern=SLUG)]
Word = Annotated[str, Field(pattern=WORD)]
IsoCode = Annotated[str, Field(pattern=ISO_CODE)]
DATE = BeforeValidator(
    _check_date, json_schema_input_type=Annotated[str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
)
"""Marks a field that contains a date."""
Date = Annotated[str, DATE]
DECIMAL = BeforeValidator(
    _check_rating,
    json_schema_input_type=Annotated[str, Field(pattern=r"^[0-9]{1,6}(\.[0-9]{1,2})?$")]
    | Annotated[float, Field(ge=0, lt=1_000_000)],
)
"""Marks a field that contains a decimal number."""
Rating = Annotated[str, DECIMAL]
Email = Annotated[Line, AfterValidator(check_email), _schema(pattern=rf"^({MAILBOX}@{MAILBOX}\.{MAILBOX})?$")]
Phone = Annotated[LooseCode, AfterValidator(_check_phone), _schema(pattern=r"^([^0-9]*[0-9].*)?$")]
_NO_BLANKS = r"[^\s\x00-\x20\x7f-\x9f<>\"\\]"
_WEB = r"[Hh][Tt][Tt][Pp][Ss]?://"
Website = Annotated[str, AfterValidator(check_website), _schema(pattern=rf"^{_WEB}{_NO_BLANKS}+$")]
TARGET = AfterValidator(check_target)
Target = Annotated[str, TARGET, _schema(pattern=rf"^({_WEB}{_NO_BLANKS}+|/(?!/){_NO_BLANKS}*)$")]
"""The target of a link: a web URL, or a path that begins with /. `TARGET` marks such a field."""
Link = Annotated[
    str,
    AfterValidator(check_link),
    _schema(
        pattern=rf"^({_WEB}{_NO_BLANKS}+|/(?!/){_NO_BLANKS}*|[Mm][Aa][Ii][Ll][Tt][Oo]:[^\\s@]+@[^\\s@]+)$"
    ),
]
"""The target of a link, or `mailto:` and an e-mail address."""
BasePath = Annotated[
    str,
    AfterValidator(_check_base_path),
    _schema(pattern=r"^(?!.*/\.{1,2}(/|$))(/[A-Za-z0-9._~-]+)*$"),
]
DirectoryPath = Annotated[str, AfterValidator(_check_directory_path), _schema(pattern=DIRECTORY_PATH)]
BaseUrl = Annotated[
    str,
    AfterValidator(_check_base_url),
    _schema(pattern=r"^(https?://[^/?#\s\x00-\x20\x7f-\x9f<>\"\\]+)?$"),
]
_PUBLISHED = rf"({_WEB}{_NO_BLANKS}+|{OWN_PICTURE})"
IMAGE = AfterValidator(_check_image)
"""Marks a field that names a picture, or several."""
Image = Annotated[
    Line,
    IMAGE,
    _schema(pattern=rf"^({_NO_DOTS}[^\\\x00-\x1f\x7f]+\.({_SUFFIXES})|{_PUBLISHED}( {_PUBLISHED})?)$"),
]
Percent = Annotated[int, Field(ge=0, le=100)]
Point = Annotated[list[Percent], AfterValidator(_check_focus), _schema(minItems=POINT, maxItems=POINT)]
ImageFormat = Literal["webp", "jpeg", "png"]

NoValue = Annotated[None, "The specification shows no value of this field but null."]


def _forget(_note: object) -> None:
    """Drop the value of a note, so that it cannot be published."""


Note = Annotated[str | None, AfterValidator(_forget)]
