"""Warn of replaced standards, and of designations of standards in a wrong or inconsistent form."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from labgen.model.accreditation_rules import STANDARD_RULES, StandardRule
from labgen.model.catalogues import ACCREDITATION_STANDARDS, CERTIFICATIONS
from labgen.model.records import Record
from labgen.problems.problem import Place, Pointer, Problem, shown
from labgen.problems.text import say
from labgen.source.checks.rules import letters_and_digits, rule_warning

FIELDS = {ACCREDITATION_STANDARDS.stem: "standard", CERTIFICATIONS.stem: "title"}
"""The lists whose entries name standards, and the field that contains the name."""


def check_designations(
    stem: str, records: Mapping[Any, Record], pointers: Mapping[Any, Pointer], file: str
) -> list[Problem]:
    """Warn of replaced standards, and of wrong or inconsistent designations, in the entries of a list."""
    problems: list[Problem] = []
    first: dict[str, tuple[str, Any]] = {}
    for key, record in records.items() if stem in FIELDS else ():
        field = FIELDS[stem]
        text, place = getattr(record, field), Place(file, (*pointers[key], field))
        found = designation_in(text)
        meant, other = found.canonical if found else text, key
        if stem == ACCREDITATION_STANDARDS.stem:
            meant, other = first.setdefault(letters_and_digits(meant), (meant, key))
        if found and found.is_replaced and not _FORMER.search(f"{text} {record.title}"):  # type: ignore[attr-defined]
            problems.append(_replaced(field, found, place))
        if meant != text:
            hint = say("write {meant}", meant=meant) + (
                say(", as the entry {other} does", other=other) if other != key else ""
            )
            problems.append(_other_spelling(field, text, hint, found, place))
    return problems


@dataclass(frozen=True, slots=True)
class Designation:
    """A standard that a text names: its spelling there, and the text with the correct spelling."""

    rule: StandardRule
    written: str
    canonical: str
    is_replaced: bool


def designation_in(text: str) -> Designation | None:
    """Return the first standard that a text names, if there is a rule for it."""
    if (match := _NAMED.search(text)) and (rule := _BY_NUMBER.get(match["number"])):
        year = match["year"]
        canonical = rule.designation + (f":{year}" if year else "")
        whole = text[: match.start()] + canonical + text[match.end() :]
        return Designation(rule, match[0], whole, year is not None and int(year) < rule.year)
    if match := _REPLACED.search(text):
        rule = _BY_FORMER[letters_and_digits(match[0])]
        return Designation(rule, match[0], text, is_replaced=True)
    return None


_NAMED = re.compile(
    r"(?:ISO\s*[/-]?\s*IEC|IEC\s*/\s*ISO|ISO)[\s-]*(?P<number>\d{4,5}(?:-\d{1,2}(?!\d))?)(?!\d)"
    r"(?:\s*[:–-]\s*(?P<year>(?:19|20)\d\d)(?!\d))?"
)
_BY_NUMBER = {rule.designation.rpartition(" ")[2]: rule for rule in STANDARD_RULES}
_BY_FORMER = {letters_and_digits(one): rule for rule in STANDARD_RULES for one in rule.former}
_REPLACED = re.compile(
    rf"\b(?:{'|'.join(one.replace(' ', '[ ]?') for rule in STANDARD_RULES for one in rule.former)})(?![\d-])"
)
_FORMER = re.compile(
    r"früher|ehemal|ersetzt|zurückgezogen|abgelöst|former|superseded|withdrawn|replaced", re.IGNORECASE
)
"""Words in the title of an entry that refers to a former edition on purpose."""


def _replaced(field: str, found: Designation, place: Place) -> Problem:
    message = say(
        "`{field}` names {written}, which was replaced by {current}",
        field=field,
        written=found.written,
        current=found.rule.current,
    )
    hint = say("if it is meant, say so in the title: (frühere Ausgabe)")
    return rule_warning(found.rule.name, "replaced-standard", message, place, hint)


def _other_spelling(field: str, text: str, hint: str, found: Designation | None, place: Place) -> Problem:
    message = say(
        "`{field}` is {text}, a designation that is written in another way", field=field, text=shown(text)
    )
    if found:
        return rule_warning(found.rule.name, "designation", message, place, hint)
    return Problem("designation", message, place, hint, severity="warning")
