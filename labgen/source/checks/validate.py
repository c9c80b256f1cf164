"""One parsed value against its model: pydantic's errors in the keeper's words."""

import re
from collections.abc import Callable, Iterable
from typing import TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from labgen.model.record_fields import field_names, is_required, keys_of
from labgen.model.records import CatalogueRecord, Record
from labgen.model.values import DIGITS, FILLED_LINE, FILLED_TEXT, ISO_CODE, LINE, SLUG, TEXT, WORD
from labgen.problems.codes import CODES
from labgen.problems.hints import closest, did_you_mean
from labgen.problems.problem import Place, Pointer, Problem, short, shown

Model = TypeVar("Model", bound=Record)


def validate(
    model: type[Model], value: object, file: str, pointer: Pointer
) -> tuple[Model | None, list[Problem]]:
    """Return the record that a value makes, or None and all that is wrong with it."""
    try:
        return model.model_validate(value, strict=True), []
    except ValidationError as error:
        details = error.errors(include_url=False)
    meant = _meant(details, model)
    return None, [
        _problem(detail, model, Place(file, pointer))
        for detail in details
        if not (detail["type"] == "missing" and detail["loc"] in meant)
    ]


def _meant(details: list[ErrorDetails], model: type[Record]) -> set[Pointer]:
    """Return the fields that unknown ones were meant to be: that those are missing is no second mistake."""
    unknown = [detail["loc"] for detail in details if detail["type"] == "extra_forbidden"]
    return {
        (*loc[:-1], near) for loc in unknown if (near := closest(str(loc[-1]), field_names(model, loc[:-1])))
    }


def _problem(detail: ErrorDetails, model: type[Record], top: Place) -> Problem:
    loc, noun = detail["loc"], model.noun()
    if loc[-1:] == ("[key]",) and detail["type"] == "string_pattern_mismatch":
        loc = loc[:-1]
        top = Place(top.file, top.pointer, "key")
    place = Place(top.file, (top.pointer or ()) + loc, top.part)
    name = short(".".join(step for step in loc if isinstance(step, str)))
    given = detail["input"]
    match detail["type"]:
        case "missing":
            outer = Place(top.file, (top.pointer or ()) + loc[:-1])
            return Problem("missing-field", f"`{name}` is missing from this {noun}", outer)
        case "extra_forbidden":
            outer_name = ".".join(step for step in loc[:-1] if isinstance(step, str))
            where = f"`{outer_name}`" if outer_name else f"a {noun}"
            hint = did_you_mean(str(loc[-1]), field_names(model, loc[:-1]))
            return Problem(
                "unknown-field",
                f"`{short(loc[-1])}` is not a field of {where}",
                Place(top.file, place.pointer, "key"),
                hint,
            )
        case "string_pattern_mismatch":
            return _pattern_problem(name, str(given), detail["ctx"]["pattern"], place)
        case "greater_than_equal" | "less_than_equal":
            limit = detail["ctx"].get("ge", detail["ctx"].get("le"))
            side = "at least" if "ge" in detail["ctx"] else "at most"
            return Problem("invalid-number", f"`{name}` must be {side} {limit}, not {shown(given)}", place)
        case "literal_error":
            return Problem(
                "invalid-value", f"`{name}` must be {detail['ctx']['expected']}, not {shown(given)}", place
            )
        case kind if kind in _TYPES:
            part = "an entry of " if loc and isinstance(loc[-1], int) else ""
            subject = f"{part}`{name}`" if name else f"a {noun}"
            return _type_problem(kind, subject, given, place, can_be_left_out=not is_required(model, loc))
        case code:
            hint = _hint(code, given, can_be_left_out=not is_required(model, loc))
            sentence = f"{detail['msg']}, not" if "must" in detail["msg"] else f"{detail['msg']}:"
            known = code if code in CODES else "invalid-value"
            return Problem(known, f"`{name}` {sentence} {shown(given)}", place, hint)


def _type_problem(kind: str, subject: str, given: object, place: Place, *, can_be_left_out: bool) -> Problem:
    what, hint = _TYPES[kind]
    if given is None:
        hint = hint if can_be_left_out else ""
    else:
        hint = _HINTS[kind](given) if kind in _HINTS else ""
    return Problem("wrong-type", f"{subject} must be {what}, not {shown(given)}", place, hint)


_TYPES = {
    "string_type": ("text", 'leave it out, or write ""'),
    "int_type": ("a whole number", "leave it out"),
    "bool_type": ("true or false", "leave it out"),
    "list_type": ("a list", "leave it out, or write []"),
    "dict_type": ("a table", ""),
    "model_type": ("an object", ""),
    "none_required": ("null", ""),
}


def _quote_hint(given: object) -> str:
    return f'put it in quotes: "{given}"' if type(given) is int and abs(given) < MAX_SHOWN else ""


def _number_hint(given: object) -> str:
    if not isinstance(given, str) or not re.fullmatch(r"[0-9]{1,15}", given):
        return ""
    return f"write it without quotes: {given}" if given == str(int(given)) else f"write {int(given)}"


_YES_OR_NO = {"yes": "write true", "ja": "write true", "no": "write false", "nein": "write false"}


def _bool_hint(given: object) -> str:
    if not isinstance(given, str):
        return ""
    if given.lower() in {"true", "false"}:
        return "write it without quotes, and small"
    return _YES_OR_NO.get(given.lower(), "")


MAX_SHOWN = 10**18


def _list_hint(given: object) -> str:
    return "put it in brackets: [ … ]" if isinstance(given, str | int) else ""


_HINTS: dict[str, Callable[[object], str]] = {
    "string_type": _quote_hint,
    "int_type": _number_hint,
    "bool_type": _bool_hint,
    "list_type": _list_hint,
}


def _hint(code: str, given: object, *, can_be_left_out: bool) -> str:
    text = str(given)
    match code:
        case "invalid-number" if re.fullmatch(r"[0-9]+,[0-9]+", text):
            return f"write a point: {text.replace(',', '.')}"
        case "invalid-path" if "\\" in text:
            return "write / between folder and file"
        case "invalid-path" if text.lower().endswith((".svg", ".svgz")):
            return "an SVG can hold scripts: export it as a PNG of at least 200x160 pixels"
        case "invalid-path" if text.startswith(("media/", "data/media/", "/")):
            return "begin after media/"
        case "invalid-date" if found := re.fullmatch(r"([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})", text):
            day, month, year = found.groups()
            return f"write {year}-{month:0>2}-{day:0>2}"
        case "invalid-url" | "invalid-date" if not text:
            return "leave it out, or write null" if can_be_left_out else ""
        case "invalid-url" if re.fullmatch(r"[\w-]+(\.[\w-]+)+(/\S*)?", text):
            return f"did you mean https://{text}?"
        case "invalid-url" if text != text.strip():
            return "remove the space"
        case _:
            return ""


def _pattern_problem(name: str, given: str, pattern: str, place: Place) -> Problem:
    if pattern in (LINE, FILLED_LINE, TEXT, FILLED_TEXT):
        forbidden = (
            r"[\x00-\x1f\x7f]" if pattern in (LINE, FILLED_LINE) else r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"
        )
        if bad := re.search(forbidden, given):
            what = _CONTROLS.get(bad[0], f"the control character U+{ord(bad[0]):04X}")
            return Problem("control-character", f"`{name}` holds {what}", place, "remove it")
        return Problem("empty-text", f"`{name}` is empty", place)
    code, what = _PATTERNS.get(pattern, ("invalid-value", f"of the form {pattern}"))
    is_large = pattern == ISO_CODE and given.isascii() and given.lower() != given
    hint = f"write {given.lower()}" if is_large else ""
    return Problem(code, f"`{name}` must be {what}, not {shown(given)}", place, hint)


_CONTROLS = {"\n": "a line break", "\r": "a line break (CR)", "\t": "a tab"}
_PATTERNS = {
    DIGITS: ("invalid-id", "digits only, at most 64"),
    ISO_CODE: ("invalid-country", "two lower-case letters"),
    SLUG: ("invalid-value", "of letters a to z, digits, - and _"),
    WORD: ("invalid-value", "of letters a to z, digits, - and _"),
}


def check_texts(record: Record, file: str, pointer: Pointer) -> list[Problem]:
    """Warn of texts that were hardly meant so: markup beyond sub and sup, broken lines, odd controls."""
    problems: list[Problem] = []
    for field, value in record.__dict__.items():
        if type(value) is not str:
            continue
        if not value.isascii() and (odd := _C1.search(value)):
            key = keys_of(type(record))[field]
            problems.append(_odd_character(key, odd[0], Place(file, (*pointer, key))))
        if field == "title" and _BREAK.search(value):
            place, message = Place(file, (*pointer, field)), "`title` holds a line break or a tab"
            problems.append(Problem("line-break", message, place, severity="warning"))
        if field == "summary" and "<" in value and isinstance(record, CatalogueRecord):
            problems += _check_markup(value, Place(file, (*pointer, field)))
    return problems


def _odd_character(field: str, char: str, place: Place) -> Problem:
    meant = bytes([ord(char)]).decode("cp1252", "replace")
    hint = f'was this "{meant}", read with the wrong encoding?' if meant != "\ufffd" else ""
    message = f"`{field}` holds the control character U+{ord(char):04X}"
    return Problem("odd-character", message, place, hint, severity="warning")


def _check_markup(summary: str, place: Place) -> Iterable[Problem]:
    tags = _TAG.findall(summary)
    others = [tag for tag in tags if tag not in _GOOD_TAGS]
    if others:
        message = f"`summary` holds {shown(others[0])}, but only <sub> and <sup> are markup there"
        yield Problem("markup", message, place, severity="warning")
    elif tags.count("<sub>") != tags.count("</sub>") or tags.count("<sup>") != tags.count("</sup>"):
        message = "`summary` opens and closes <sub> or <sup> unequally often"
        yield Problem("markup", message, place, severity="warning")


_C1 = re.compile("[\x80-\x9f]")
_BREAK = re.compile("[\t\r\n]")
_TAG = re.compile(r"</?[A-Za-z!?][^<>]*>")
_GOOD_TAGS = ("<sub>", "</sub>", "<sup>", "</sup>")
