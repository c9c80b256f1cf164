"""Validate a parsed value with pydantic, and rewrite its errors in plain language."""

import re
from itertools import islice
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from labgen.formats.budget import MOST_PROBLEMS, too_many
from labgen.model.record_fields import field_names, is_list_of_texts, is_optional
from labgen.model.records import Record
from labgen.model.refusals import said_in
from labgen.model.values import (
    COLOUR,
    DIGITS,
    FILLED_LINE,
    FILLED_TEXT,
    ISO_CODE,
    LANGUAGE,
    LINE,
    SLUG,
    TEXT,
    WORD,
)
from labgen.problems.codes import CODES
from labgen.problems.problem import Place, Pointer, Problem, short, shown
from labgen.problems.text import Text, alternatives, say, term
from labgen.source.checks.field_hints import field_meant, hint_for_field
from labgen.source.checks.value_hints import hint_for_choice, hint_for_type, hint_for_value
from labgen.system.input_files import BOOKS

Model = TypeVar("Model", bound=Record)


def validate(
    model: type[Model], value: object, file: str, pointer: Pointer
) -> tuple[Model | None, list[Problem]]:
    """Convert a parsed value to a record; return the record, or None and all problems."""
    try:
        return to_record(model, value), []
    except ValidationError as error:
        is_cut = error.error_count() > MOST_PROBLEMS
        if is_cut and (found := validate(model, _cut(value), file, pointer)[1]):
            return None, found
        details = error.errors(include_url=False)
    more = [too_many(Place(file, pointer), MOST_OF_A_RECORD)] if len(details) > MOST_OF_A_RECORD else []
    details = details[:MOST_OF_A_RECORD]
    meant = _meant(details, model)
    return None, [
        _problem(detail, model, Place(file, pointer), value)
        for detail in details
        if not (detail["type"] == "missing" and detail["loc"] in meant)
    ] + more


MOST_OF_A_RECORD = 1000
"""How many problems of one record are explained; a hint for an unknown key costs a millisecond."""


def _cut(value: object) -> object:
    """Return a value with the beginnings of its lists and objects: details of a million errors are a GB."""
    if isinstance(value, dict):
        return {key: _cut(one) for key, one in islice(value.items(), MOST_OF_A_RECORD + 1)}
    return [_cut(one) for one in value[: MOST_OF_A_RECORD + 1]] if isinstance(value, list) else value


def to_record(model: type[Model], value: object) -> Model:
    """Convert a parsed value to a record. Raises pydantic's ValidationError.

    An optional field that is null or "" counts as missing.
    """
    try:
        return model.model_validate(value, strict=True)
    except ValidationError as error:
        if error.error_count() > MOST_PROBLEMS:
            raise
        empty = [one["loc"] for one in error.errors(include_url=False) if one["input"] in (None, "")]
        unwritten = [loc for loc in empty if is_optional(model, loc)]
        if not unwritten:
            raise
    left_out: _Steps = {}
    for loc in unwritten:
        inner = left_out
        for step in loc:
            inner = inner.setdefault(step, {})
    return model.model_validate(_without(value, left_out), strict=True)


_Steps = dict[str | int, "_Steps"]
"""Pointers by their steps; the last step of each leads to {}."""


def _without(value: Any, left_out: _Steps) -> Any:
    """Return a copy of a value without the fields at some pointers; what holds several is copied once."""
    copy = value.copy()
    for step, inner in left_out.items():
        if inner:
            copy[step] = _without(value[step], inner)
        else:
            del copy[step]
    return copy


def _meant(details: list[ErrorDetails], model: type[Record]) -> set[Pointer]:
    """Return the fields that were meant by unknown keys: their absence is not a second mistake."""
    unknown = [detail["loc"] for detail in details if detail["type"] == "extra_forbidden"]
    return {
        (*loc[:-1], near)
        for loc in unknown
        if (near := field_meant(str(loc[-1]), field_names(model, loc[:-1])))
    }


def _problem(detail: ErrorDetails, model: type[Record], top: Place, value: Any) -> Problem:
    loc, noun = detail["loc"], model.noun()
    if loc[-1:] == ("[key]",) and detail["type"] == "string_pattern_mismatch":
        loc = loc[:-1]
        top = Place(top.file, top.pointer, "key")
    place = Place(top.file, (top.pointer or ()) + loc, top.part)
    name = short(".".join(step for step in loc if isinstance(step, str)))
    given = detail["input"]
    message: Text
    match detail["type"]:
        case "missing":
            return Problem("missing-field", _missing(loc, noun), place)
        case "extra_forbidden":
            outer_name = ".".join(step for step in loc[:-1] if isinstance(step, str))
            where = say("`{name}`", name=outer_name) if outer_name else one_of(noun)
            for step in loc[:-1]:
                value = value[step]  # the object that has the key
            hint = hint_for_field(str(loc[-1]), model, loc[:-1], value)
            return Problem(
                "unknown-field",
                say("`{loc}` is not a field of {where}", loc=short(loc[-1]), where=where),
                Place(top.file, place.pointer, "key"),
                hint,
            )
        case "string_pattern_mismatch":
            return _pattern_problem(name, str(given), detail["ctx"]["pattern"], place)
        case "greater_than_equal" | "less_than_equal":
            limit = detail["ctx"].get("ge", detail["ctx"].get("le"))
            message = (
                say(
                    "`{name}` must be at least {limit}, not {given}",
                    name=name,
                    limit=limit,
                    given=shown(given),
                )
                if "ge" in detail["ctx"]
                else say(
                    "`{name}` must be at most {limit}, not {given}",
                    name=name,
                    limit=limit,
                    given=shown(given),
                )
            )
            return Problem("invalid-number", message, place)
        case "literal_error":
            expected = detail["ctx"]["expected"]
            choices = alternatives(re.split(", | or ", expected))
            message = say(
                "`{name}` must be {choices}, not {given}", name=name, choices=choices, given=shown(given)
            )
            return Problem("invalid-value", message, place, hint_for_choice(expected, given))
        case kind if kind in _TYPES:
            subject = say("`{name}`", name=name) if name else one_of(noun)
            if name and isinstance(loc[-1], int):
                subject = say("an entry of `{name}`", name=name)
            hint = hint_for_type("texts" if _is_texts(kind, model, loc) else kind, given)
            return Problem(
                "wrong-type",
                say(
                    "{subject} must be {types}, not {given}",
                    subject=subject,
                    types=_TYPES[kind],
                    given=shown(given),
                ),
                place,
                hint,
            )
        case code:
            hint = hint_for_value(code, given, name)
            known, clause = code if code in CODES else "invalid-value", said_in(detail)
            message = (
                say("`{name}` {clause}, not {given}", name=name, clause=clause, given=shown(given))
                if "must" in clause
                else say("`{name}` {clause}: {given}", name=name, clause=clause, given=shown(given))
            )
            return Problem(known, message, place, hint)


def _missing(loc: Pointer, noun: str) -> str:
    *outer, name = loc
    names = ".".join(step for step in outer if isinstance(step, str))
    if outer and isinstance(outer[-1], int):
        return say("`{name}` is missing from this entry of `{names}`", name=name, names=names)
    return (
        say("`{name}` is missing from `{names}`", name=name, names=names)
        if names
        else say("`{name}` is missing from {noun}", name=name, noun=term(f"this {noun}"))
    )


def one_of(noun: str) -> Text:
    """Return a noun with its article: `a laboratory`."""
    return term(f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}")


def _is_texts(kind: str, model: type[Record], loc: Pointer) -> bool:
    return kind == "list_type" and is_list_of_texts(model, loc)


_TYPES = {
    "string_type": say("text"),
    "int_type": say("a whole number"),
    "bool_type": say("true or false"),
    "list_type": say("a list"),
    "dict_type": say("a table"),
    "model_type": say("an object"),
    "none_required": "null",
}


def _pattern_problem(name: str, given: str, pattern: str, place: Place) -> Problem:
    if pattern in (LINE, FILLED_LINE, TEXT, FILLED_TEXT):
        forbidden = (
            r"[\x00-\x1f\x7f]" if pattern in (LINE, FILLED_LINE) else r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"
        )
        if bad := re.search(forbidden, given):
            what = _CONTROLS.get(bad[0], say("the control character U+{ord:04X}", ord=ord(bad[0])))
            return Problem(
                "control-character",
                say("`{name}` holds {what}", name=name, what=what),
                place,
                say("remove this character"),
            )
        return Problem("empty-text", say("`{name}` is empty", name=name), place)
    code, what = _PATTERNS.get(pattern, ("invalid-value", say("of the form {pattern}", pattern=pattern)))
    return Problem(
        code,
        say("`{name}` must be {what}, not {given}", name=name, what=what, given=shown(given)),
        place,
        _word_hint(pattern, given, name, place.file),
    )


def _word_hint(pattern: str, given: str, name: str, file: str) -> str:
    """Return a hint for a text that does not match the pattern of its field, or ""."""
    if pattern == DIGITS:
        digits = re.findall(r"[0-9]+", given)
        is_sure = len(digits) == 1 and re.fullmatch(DIGITS, digits[0])
        if is_sure and file.endswith((".csv", *BOOKS)):
            return say("write {given}", given=digits[0])
        return say("write {digits}, in quotes", digits=digits[0]) if is_sure else ""
    if pattern == LANGUAGE:
        is_small = given.lower() != given and re.fullmatch(LANGUAGE, given.lower())
        return say('did you mean "{given}"?', given=given.lower()) if is_small else ""
    if pattern == ISO_CODE:
        return say("write {given}", given=given.lower()) if given.isascii() and given.lower() != given else ""
    return hint_for_value("invalid-value", given, name.rpartition(".")[2])


_CONTROLS = {"\n": say("a line break"), "\r": say("a line break (CR)"), "\t": say("a tab")}
_PATTERNS = {
    DIGITS: ("invalid-id", say("digits only, at most 64")),
    ISO_CODE: ("invalid-country", say("two lower-case letters")),
    COLOUR: ("invalid-value", say("a colour such as `#0a569f`")),
    LANGUAGE: ("invalid-value", say("a code such as `de` or `de-CH`")),
    SLUG: ("invalid-value", say("of at most 200 letters a to z, digits, - and _")),
    WORD: ("invalid-value", say("of at most 200 letters a to z, digits, - and _")),
}
