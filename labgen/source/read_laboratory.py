"""Validate a parsed laboratory; invalid fields get stand-ins, so that one run finds all mistakes."""

from contextlib import suppress
from dataclasses import dataclass, replace

from labgen.formats.format import ParsedValue
from labgen.formats.json_format import JSON_LINES
from labgen.model.record_fields import written_fields
from labgen.model.records import LaboratoryRecord
from labgen.problems.problem import Place, Pointer, Problem
from labgen.problems.text import say
from labgen.source.checks.as_written import as_written
from labgen.source.checks.field_hints import field_meant
from labgen.source.checks.placeholders import without_placeholders
from labgen.source.checks.validate import to_record, validate
from labgen.source.file_formats import format_of
from labgen.source.laboratory_locations import ONE_A_FILE, Location, parse_laboratory, without_schema


@dataclass(frozen=True, slots=True)
class SourceLaboratory:
    """The record of a laboratory, and its place in the source.

    `unsound` are the fields whose values are not those of the source, because these are invalid, missing or
    under a misspelt key. The other fields can still be checked, so that one run finds all mistakes. Then,
    `written` is the record with the values of the source, valid or not: what is compared with the last build.
    """

    record: LaboratoryRecord
    file: str
    pointer: Pointer
    unsound: frozenset[str] = frozenset()
    written: LaboratoryRecord | None = None

    def place(self, *steps: str | int) -> Place:
        """Return the place of a part of the record."""
        return Place(self.file, (*self.pointer, *steps))


def read_laboratory(entry: ParsedValue, file: str) -> tuple[SourceLaboratory | None, list[Problem]]:
    """Return a laboratory, with stand-ins for invalid fields, or None if it is unusable, and its problems."""
    value, emptied = without_placeholders(LaboratoryRecord, entry.value, file, entry.pointer)
    if emptied:
        source, problems = read_laboratory(entry._replace(value=value), file)
        return source, emptied + problems
    record, problems = validate(LaboratoryRecord, entry.value, file, entry.pointer)
    if isinstance(entry.value, list) and len(entry.value) > 1:
        problems = [replace(one, hint=ONE_A_FILE) for one in problems]
    unsound: frozenset[str] = frozenset()
    if record is None:
        record, unsound = _salvaged(entry, problems)
        if record is None:
            return None, problems
        written = as_written(record, entry.value, unsound)
        return SourceLaboratory(record, file, entry.pointer, unsound, written), problems
    return SourceLaboratory(record, file, entry.pointer), problems


def read_sound(location: Location, data: bytes) -> LaboratoryRecord:
    """Return the record of a laboratory that had no errors before, by the faster parser if there is one."""
    file_format = format_of(location.file) if location.line is None else JSON_LINES
    if file_format and file_format.reread:
        with suppress(ValueError):
            (entry,) = file_format.reread(data)
            return _sound(without_schema(entry.value))
    parsed, _ = parse_laboratory(location, data)
    assert parsed  # noqa: S101 - it was sound when it was examined
    return _sound(parsed.value)


def _sound(value: object) -> LaboratoryRecord:
    return to_record(LaboratoryRecord, without_placeholders(LaboratoryRecord, value, "", ())[0])


STAND_INS = {"display_id": "0", "name": "(?)", "country": "", "deal_status": "", "verification_status": ""}
"""Values for required fields that are missing or wrong, so that the other fields can be checked."""


def _salvaged(entry: ParsedValue, problems: list[Problem]) -> tuple[LaboratoryRecord | None, frozenset[str]]:
    """Return the record with stand-ins for the fields that have problems, and the names of these fields."""
    if not isinstance(entry.value, dict):
        return None, frozenset()
    depth = len(entry.pointer)
    wrong = {str(step) for problem in problems for step in (problem.place.pointer or ())[depth : depth + 1]}
    fields = written_fields(LaboratoryRecord)
    sound = {name: value for name, value in entry.value.items() if name in fields and name not in wrong}
    record, more = validate(LaboratoryRecord, STAND_INS | sound, "", ())
    meant = {near for name in wrong - fields.keys() if (near := field_meant(name, tuple(fields)))}
    unsound = wrong | (meant - sound.keys()) | (STAND_INS.keys() - sound.keys())
    return (None if more else record), frozenset(unsound)


def check_written_numbers(entry: ParsedValue, file: str) -> list[Problem]:
    """Warn of what is a number and may begin with zeros, which programs drop: display_id, and telephone."""
    value = entry.value if isinstance(entry.value, dict) else {}
    person = value.get("contact_person")
    phone = person.get("phone") if isinstance(person, dict) else None
    problems = []
    for pointer, given in ((("display_id",), value.get("display_id")), (("contact_person", "phone"), phone)):
        if type(given) is int and given >= 0:
            message = say(
                "`{name}` is {given}, a number, and numbers keep no leading zeros",
                name=pointer[-1],
                given=given,
            )
            hint = say(
                'write it in quotes, with the zeros that it begins with, if any: "{given}"', given=given
            )
            place = Place(file, (*entry.pointer, *pointer))
            problems.append(Problem("unquoted-id", message, place, hint, "warning"))
    return problems


def written_id(value: object) -> str:
    """Return the display_id of a parsed laboratory as text, without validation, or ""."""
    return str(value.get("display_id", "")) if isinstance(value, dict) else ""
