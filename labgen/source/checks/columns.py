"""Check the header of a CSV file against the fields of its records, once per column."""

import re
from typing import Any, get_args

from labgen.model.record_fields import written_fields
from labgen.model.records import Record
from labgen.problems.problem import Place, Problem, short
from labgen.source.checks.field_hints import field_meant
from labgen.source.formats.format import Entry

_BOOLEANS = {"true": True, "wahr": True, "false": False, "falsch": False}


def check_columns(
    entries: list[Entry], file: str, model: type[Record]
) -> tuple[list[Entry], list[Problem], bool]:
    """Return rows as records would be written, what is wrong with the header, and whether rows are usable.

    The first entry is the header. Empty cells, and columns that no record has, say nothing. Rows without a
    column that every record needs are not usable.
    """
    header = entries[0]
    columns: list[str] = header.value if isinstance(header.value, list) else []
    declared = written_fields(model)
    fields = tuple(declared)
    required = [name for name, field in declared.items() if field.is_required()]
    place = Place(file, header.pointer)
    if not any(name in fields or field_meant(name, fields) for name in columns):
        hint = f"write the names of the columns above the first row: {','.join(required)}"
        return [], [Problem("missing-field", "the first row does not name the columns", place, hint)], False
    unknown = [name for name in columns if name not in fields]
    meant = {name: field_meant(name, fields) for name in unknown}
    needed = [name for name in required if name not in columns]
    problems = []
    for name, near in meant.items():
        at, message = Place(file, (*header.pointer, name)), f"the column `{short(name)}` is not known"
        problems.append(Problem("unknown-field", message, at, f"did you mean `{near}`?" if near else ""))
    missing = [name for name in needed if name not in meant.values()]
    problems += [Problem("missing-field", f"the column `{name}` is missing", place) for name in missing]
    return [_typed(entry, model) for entry in entries[1:]], problems, not needed


def _typed(entry: Entry, model: type[Record]) -> Entry:
    """Return a row with numbers and booleans where the record wants them; what is neither stays a text."""
    row: dict[str, str] = entry.value if isinstance(entry.value, dict) else {}
    fields = written_fields(model)
    cells = {
        name: _cell(cell, fields[name].annotation) for name, cell in row.items() if cell and name in fields
    }
    return Entry(entry.pointer, cells)


def _cell(text: str, annotation: Any) -> str | int | bool:
    kinds = get_args(annotation) or (annotation,)
    if int in kinds and re.fullmatch(r"0|[1-9][0-9]{0,19}", text):
        return int(text)
    if bool in kinds:
        return _BOOLEANS.get(text.lower(), text)
    return text
