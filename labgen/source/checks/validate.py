"""One parsed value against its model: pydantic's errors in the keeper's words."""

import re
from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from labgen.model.record_fields import field_names, is_optional
from labgen.model.records import Record
from labgen.model.values import DIGITS, FILLED_LINE, FILLED_TEXT, ISO_CODE, LINE, SLUG, TEXT, WORD
from labgen.problems.codes import CODES
from labgen.problems.date_hints import suggest_date
from labgen.problems.hints import closest, did_you_mean
from labgen.problems.problem import Place, Pointer, Problem, short, shown

Model = TypeVar("Model", bound=Record)


def validate(
    model: type[Model], value: object, file: str, pointer: Pointer
) -> tuple[Model | None, list[Problem]]:
    """Return the record that a value makes, or None and all that is wrong with it."""
    try:
        return to_record(model, value), []
    except ValidationError as error:
        details = error.errors(include_url=False)
    meant = _meant(details, model)
    return None, [
        _problem(detail, model, Place(file, pointer))
        for detail in details
        if not (detail["type"] == "missing" and detail["loc"] in meant)
    ]


def to_record(model: type[Model], value: object) -> Model:
    """Return the record that a value makes. Raises pydantic's ValidationError.

    An optional field that is null or "" is as one that is not written.
    """
    try:
        return model.model_validate(value, strict=True)
    except ValidationError as error:
        empty = [one["loc"] for one in error.errors(include_url=False) if one["input"] in (None, "")]
        unwritten = [loc for loc in empty if is_optional(model, loc)]
        if not unwritten:
            raise
    for loc in unwritten:
        value = _without(value, loc)
    return model.model_validate(value, strict=True)


def _without(value: Any, pointer: Pointer) -> Any:
    """Return a copy of a value without the field that a pointer leads to."""
    step, *rest = pointer
    copy = value.copy()
    if rest:
        copy[step] = _without(value[step], tuple(rest))
    else:
        del copy[step]
    return copy


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
            where = f"`{outer_name}`" if outer_name else _one(noun)
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
            subject = f"{part}`{name}`" if name else _one(noun)
            return _type_problem(kind, subject, given, place)
        case code:
            hint = _hint(code, given)
            sentence = f"{detail['msg']}, not" if "must" in detail["msg"] else f"{detail['msg']}:"
            known = code if code in CODES else "invalid-value"
            return Problem(known, f"`{name}` {sentence} {shown(given)}", place, hint)


def _one(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def _type_problem(kind: str, subject: str, given: object, place: Place) -> Problem:
    hint = _HINTS[kind](given) if kind in _HINTS else ""
    return Problem("wrong-type", f"{subject} must be {_TYPES[kind]}, not {shown(given)}", place, hint)


_TYPES = {
    "string_type": "text",
    "int_type": "a whole number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a table",
    "model_type": "an object",
    "none_required": "null",
}


def _quote_hint(given: object) -> str:
    if isinstance(given, dict):
        return _key_hint(given, str)
    return f'put it in quotes: "{given}"' if type(given) is int and abs(given) < MAX_SHOWN else ""


def _key_hint(given: dict[str, Any], kind: type) -> str:
    """Return what to write for an object, as clients read it, where what tells it from others belongs."""
    key = next((one for one in ("display_id", "iso_code", "id") if type(given.get(one)) is kind), None)
    return f"write its {key} alone: {shown(given[key])}" if key else ""


def _number_hint(given: object) -> str:
    if isinstance(given, dict):
        return _key_hint(given, int)
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


def _hint(code: str, given: object) -> str:
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
        case "invalid-date":
            return f"write {suggest_date(given) or 'year, month and day, such as 2024-05-01'}"
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
