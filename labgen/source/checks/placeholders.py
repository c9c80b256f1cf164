"""Find texts that stand for a missing value, as people and programs write them: `k. A.`, `-`, `NULL`."""

import re
from functools import cache
from typing import Any

from labgen.model.record_fields import inner_model, is_list, written_fields
from labgen.model.records import Record, StatsRecord
from labgen.problems.problem import Place, Pointer, Problem, shown
from labgen.problems.text import say
from labgen.source.checks.value_hints import FAILED, FAILED_FORMULAS

_BY_PROGRAMS = {"null", "\\n", "nan", "undefined", *(one.lower() for one in FAILED_FORMULAS)}
"""What programs write for a missing value, without `none`, which is also a word."""
_BY_PEOPLE = frozenset([
    "-", "--", "---", "–", "—", "?", "??", "???", '"', "''", "„", "xxx", "xxxx", "n/a", "n.a.", "n. a.",
    "na.", "k.a.", "k. a.", "k.a", "k. a", "keine angabe", "keine angaben", "unbekannt", "nicht bekannt",
    "folgt", "folgt noch", "wird nachgereicht", "siehe oben", "s.o.", "s. o.", "dto.", "dito",
    "todo", "tbd", "tba", "t.b.d.",
])  # fmt: skip
"""What people write for a missing value, in German offices."""
PLACEHOLDERS = frozenset(_BY_PROGRAMS | _BY_PEOPLE)
_HASHES = "####"
"""What a spreadsheet shows in a column that is too narrow begins so, and has no other characters."""
_FORMULA = re.compile(r"=[+-]?\$?[A-ZÄÖÜ][A-ZÄÖÜ0-9.$]*([-+*/&:(!]|$)|@[A-Z]+\(")
LONGEST_PLACEHOLDER = max(map(len, PLACEHOLDERS))


def is_placeholder(text: str) -> bool:
    """Return whether a text is what stands for a missing value."""
    is_narrow = text.startswith(_HASHES) and not text.strip("#")
    return is_narrow or text.lower() in PLACEHOLDERS or _FORMULA.match(text) is not None


def without_placeholders(
    model: type[Record], value: Any, file: str, pointer: Pointer
) -> tuple[Any, list[Problem]]:
    """Return a parsed record without the optional texts that stand for nothing, and a warning of each.

    Lists, and the entries in them, are left as they are.
    """
    if type(value) is not dict:
        return value, []
    problems: list[Problem] = []
    emptied: dict[str, Any] = {}
    for key, one in value.items():
        if type(one) is str:
            is_short = len(one) <= LONGEST_PLACEHOLDER and one.strip().lower() in _MAY_BE_NOTHING
            if not (is_short or one[:1] == "#"):
                continue
            if key in _optional(model) and _is_nothing(key, one.strip()):
                emptied[key] = ""
                problems.append(counts_as_empty(key, one, Place(file, (*pointer, key))))
        elif type(one) is dict and (inner := _inner(model, key)):
            emptied[key], found = without_placeholders(inner, one, file, (*pointer, key))
            problems += found
    return (value | emptied, problems) if problems else (value, [])


_BY_EXPORTS = ("None", "0")
"""What programs write for nothing, which are words or numbers elsewhere."""
_MAY_BE_NOTHING = PLACEHOLDERS.union(map(str.lower, _BY_EXPORTS))
_WORDS_OR_NUMBERS = ("rating", "slug")


def _is_nothing(key: str, text: str) -> bool:
    return is_placeholder(text) or (text in _BY_EXPORTS and key not in _WORDS_OR_NUMBERS)


@cache
def _optional(model: type[Record]) -> frozenset[str]:
    """Return the keys of the fields of a record that may be empty."""
    return frozenset(key for key, field in written_fields(model).items() if not field.is_required())


@cache
def _inner(model: type[Record], key: str) -> type[Record] | None:
    """Return the record in a field, unless it is one whose texts may stand for nothing."""
    field = written_fields(model).get(key)
    inner = inner_model(field.annotation) if field else None
    return None if inner in (None, StatsRecord) or is_list(field.annotation) else inner  # type: ignore[union-attr]


def counts_as_empty(name: str, text: str, place: Place) -> Problem:
    """Return the warning of a text that stands for nothing, and is read so."""
    hint = FAILED if text.startswith("#") else say("leave it empty")
    message = say("`{name}` is {text}, which counts as empty", name=name, text=shown(text))
    return Problem("placeholder", message, place, hint, severity="warning")


def placeholder_shown(model: type[Record], name: str, text: str, place: Place) -> Problem:
    """Return the problem of a text that stands for a missing value, and would be published as it is."""
    is_formula = text.startswith("#")
    why = (
        say("clients show it as it stands")
        if text.lower() in _BY_PEOPLE
        else say("an export wrote that there is nothing")
    )
    hint = say("write what belongs there: {why}", why=why)
    if _FORMULA.match(text):
        hint = say("write its value: what stands there is the formula")
    elif is_formula or name in _optional(model):
        hint = FAILED if is_formula else say("leave it empty: {why}", why=why)
    message = say("`{name}` is {text}, which is no text of yours", name=name, text=shown(text))
    return Problem("placeholder", message, place, hint, severity="error" if is_formula else "warning")
