"""Suggest what to write instead of an invalid value."""

import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from typing import Any
from urllib.parse import urlsplit

from labgen.model.german import slugify
from labgen.model.values import IMAGE_SUFFIXES
from labgen.model.web_addresses import is_email, is_website
from labgen.problems.date_hints import is_no_day, suggest_date
from labgen.problems.hints import closest
from labgen.problems.problem import shown
from labgen.problems.text import say
from labgen.source.checks.address_hints import NOTHING, REMOVE_SPACE, suggest_email, suggest_website

MAX_SHOWN = 10**18


def hint_for_type(kind: str, given: object) -> str:
    """Return a hint for a value of the wrong type, or "".

    `kind` is pydantic's type of the error, or `texts` where a list of texts is wanted.
    """
    return _BY_TYPE[kind](given) if kind in _BY_TYPE else ""


def hint_for_value(code: str, given: object, field: str) -> str:
    """Return a hint for an invalid value, by its field or by the code of the problem, or ""."""
    by_field = _BY_FIELD.get(field)
    if by_field and code in ("invalid-url", "invalid-path", "invalid-value"):
        return by_field(str(given))
    return _BY_CODE[code](given) if code in _BY_CODE else ""


def hint_for_choice(expected: str, given: object) -> str:
    """Return a hint with the allowed text that was probably meant; `expected` is pydantic's list of them."""
    near = closest(str(given), tuple(re.findall(r"'([^']*)'", expected)))
    return say('did you mean "{near}"?', near=near) if near else ""


def _text(given: object) -> str:
    if isinstance(given, dict):
        return _key_alone(given, str)
    if isinstance(given, list) and len(given) == 1:
        return TAKE_AWAY
    if isinstance(given, list):
        if given and all(isinstance(one, str) and re.search(r"://|@", one) for one in given):
            return say("write one of them, without brackets")
        is_of_texts = bool(given) and all(isinstance(one, str) for one in given)
        return say("write one text, with \\n between its lines") if is_of_texts else ""
    is_number = (type(given) is int and abs(given) < MAX_SHOWN) or (
        isinstance(given, Decimal) and given.is_finite()
    )
    return say('put it in quotes: "{given}"', given=given) if is_number else ""


def _key_alone(given: dict[str, Any], kind: type) -> str:
    """Return a hint to write only the key of an object, if an object of the API stands for its key."""
    key = next((one for one in ("display_id", "iso_code", "id") if type(given.get(one)) is kind), None)
    return say("write its {key} alone: {given}", key=key, given=shown(given[key])) if key else ""


def _number(given: object) -> str:
    if isinstance(given, dict):
        return _key_alone(given, int)
    if isinstance(given, list):
        return TAKE_AWAY
    if isinstance(given, str) and given.startswith("#") and given in FAILED_FORMULAS:
        return FAILED
    text = str(given).strip()
    if given is None:
        return say("write a number, or remove it")
    if _AMBIGUOUS.fullmatch(text):
        return say("write {sub}, or {text}", sub=int(re.sub("[.,]", "", text)), text=int(text[:-4]))
    if not re.fullmatch(r"[0-9]{1,15}", text):
        number = re.sub(r"[.,]0+$", "", text)
        number = re.sub(r"[.,](?=[0-9]{3}(?:[.,]|$))", "", number) if _THOUSANDS.fullmatch(number) else number
        return say("write {number}", number=int(number)) if re.fullmatch(r"[0-9]{1,15}", number) else ""
    return (
        say("write it without quotes: {given}", given=given)
        if given == str(int(text))
        else say("write {text}", text=int(text))
    )


_AMBIGUOUS = re.compile(r"[1-9][0-9]{0,2}[.,]000")
"""A number with a separator of thousands, or with three decimals."""
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:[.,][0-9]{3})+")
TAKE_AWAY = say("take away the brackets [ ]")
FAILED = say("a formula failed where the table was made")
FAILED_FORMULAS = frozenset(
    [
        "#NAME?",
        "#REF!",
        "#VALUE!",
        "#N/A",
        "#DIV/0!",
        "#NUM!",
        "#NULL!",
        "#WERT!",
        "#BEZUG!",
        "#NV",
        "#ZAHL!",
        "#####",
    ]
)
"""What spreadsheets show if a formula failed, in English and in German."""


def _boolean(given: object) -> str:
    if given in (0, 1):
        return say("write {bool}", bool=str(bool(given)).lower())
    text = given.lower() if isinstance(given, str) else ""
    return (
        say("write it without quotes, and small") if text in {"true", "false"} else _YES_OR_NO.get(text, "")
    )


_YES_OR_NO = dict.fromkeys(("yes", "ja", "x"), say("write true")) | dict.fromkeys(
    ("no", "nein"), say("write false")
)


def _texts(given: object) -> str:
    """Return a hint for a list of texts, whose digits keep their zeros; a number may have lost some."""
    if isinstance(given, str) and re.fullmatch(rf"\s*[0-9]+\s*|{_NUMBERS}", given):
        digits = ", ".join(f'"{one}"' for one in re.findall(r"[0-9]+", given))
        return say("write [{digits}]", digits=digits)
    if type(given) is int and 0 <= given < MAX_SHOWN:
        return say('write ["{given}"], with the zeros that it begins with, if any', given=given)
    return _list(given)


_NUMBERS = r"\s*[0-9]+(\s*[,;|]\s*[0-9]+)+\s*"


def _list(given: object) -> str:
    if isinstance(given, str) and re.fullmatch(_NUMBERS, given):
        return say("write [{findall}]", findall=", ".join(re.findall("[0-9]+", given)))
    if isinstance(given, str) and re.match(r"-[0-9]+( -|$)", given):
        return say("write a space after the dash")
    return say("put it in brackets: [ … ]") if isinstance(given, str | int | dict) else ""


def _table(given: object) -> str:
    is_point = isinstance(given, list) and all(type(one) is int for one in given)
    return say('name the picture: {{"halle.jpg": {given}}}', given=given) if is_point else ""


def _object(given: object) -> str:
    if isinstance(given, str):
        return say("write its fields in braces: { … }")
    return (
        say("{take_away}, in YAML the dash", take_away=TAKE_AWAY)
        if isinstance(given, list) and len(given) == 1 and isinstance(given[0], dict)
        else ""
    )


_BY_TYPE: dict[str, Callable[[object], str]] = {
    "string_type": _text,
    "int_type": _number,
    "bool_type": _boolean,
    "list_type": _list,
    "texts": _texts,
    "model_type": _object,
    "dict_type": _table,
}


def _rating(given: object) -> str:
    text = str(given)
    if re.fullmatch(r"[0-9]+,[0-9]+", text):
        return say("write a point: {replace}", replace=text.replace(",", "."))
    if text.strip().lower() in NOTHING:
        return say("leave it out if there is none")
    if re.fullmatch(r"[0-9]{1,6}\.[0-9]{3,}", text):
        return say("round it: {quantize}", quantize=Decimal(text).quantize(Decimal("0.01"), ROUND_HALF_UP))
    return "" if re.fullmatch(r"[0-9.]+", text) else say("write a number alone, such as 4.50")


def _date(given: object) -> str:
    if is_no_day(given):
        return say("the calendar has no such day")
    return say(
        "write {suggest_date}",
        suggest_date=suggest_date(given) or say("year, month and day, such as 2024-05-01"),
    )


def _phone(_given: object) -> str:
    return say('write "" if there is none')


def _picture(given: object) -> str:
    text = str(given).strip()
    if text != given and text.lower().endswith(IMAGE_SUFFIXES):
        return REMOVE_SPACE
    if re.match(r"https?:", text, re.IGNORECASE):
        return say("put the picture into data/media/, and name its file")
    if "\\" in text:
        return say("write / between folder and file")
    if text.lower().endswith((".svg", ".svgz")):
        return say("an SVG can hold scripts: export it as a PNG of at least 200x160 pixels")
    if re.search(r"\.(pdf|tiff?|heic|heif|bmp|psd|eps|ai|docx?|pptx?)$", text, re.IGNORECASE):
        return say("export it as a JPEG or PNG")
    return say("begin after media/") if text.startswith(("media/", "data/media/", "/")) else ""


_BY_CODE: dict[str, Callable[[object], str]] = {
    "invalid-number": _rating,
    "invalid-date": _date,
    "invalid-email": suggest_email,
    "invalid-phone": _phone,
    "invalid-path": _picture,
    "mislabelled-image": _picture,
    "invalid-url": suggest_website,
}


def _slug(given: str) -> str:
    return say("write {slug}", slug=slug) if (slug := slugify(given)) else ""


def _base_url(given: str) -> str:
    try:
        parts = urlsplit(given)
    except ValueError:
        return ""
    if not is_website(f"{parts.scheme}://{parts.netloc}"):
        return suggest_website(given)
    path = parts.path.rstrip("/")
    return say("write {scheme}://{netloc}", scheme=parts.scheme, netloc=parts.netloc) + (
        say(", and {path} as `base_path`", path=path) if path else ""
    )


def _base_path(given: str) -> str:
    path = "/" + given.strip("/")
    return say("write {path}", path=path) if re.fullmatch(r"(/[A-Za-z0-9._~-]+)+", path) else ""


def _report_to(given: str) -> str:
    return say("write {address}", address=f"mailto:{given}") if is_email(given) else suggest_website(given)


_BY_FIELD: dict[str, Callable[[str], str]] = {
    "slug": _slug,
    "base_url": _base_url,
    "base_path": _base_path,
    "report_to": _report_to,
}
