"""Build laboratories from tables: join the rows that have the same display_id."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from labgen.formats.format import ParsedValue
from labgen.model.german import normalised_title
from labgen.model.tables import DISPLAY_ID, ID_COLUMN, OWN_TABLES
from labgen.problems.problem import Cause, Place, Pointer, Problem, shown
from labgen.problems.text import say
from labgen.source.tables.cells import KeyLookup
from labgen.source.tables.columns import rows_to_records
from labgen.source.tables.find import Tables
from labgen.source.tables.sheets import Sheet
from labgen.system.input_files import LABORATORIES


class OwnRow(NamedTuple):
    """A row of a table of laboratories' own lists, such as reviews: its pointer, and the entry's value."""

    pointer: Pointer
    value: Any


@dataclass(frozen=True, slots=True)
class LaboratoryRows:
    """The rows of the tables of laboratories.

    `laboratories` are the rows of the main table in the form of records, `own` the rows of each other table
    by display_id. `is_complete` is False if rows may be missing.
    """

    laboratories: list[ParsedValue]
    own: Mapping[str, Mapping[str, list[OwnRow]]]
    problems: list[Problem] = field(default_factory=list)
    is_complete: bool = True

    def merged_records(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the row number and the complete value of each laboratory, with its rows in other tables."""
        for entry in self.laboratories:
            value: Any = entry.value
            for name, rows in self.own.items():
                if more := rows.get(value.get(DISPLAY_ID, "")):
                    had = value.get(OWN_TABLES[name].field)
                    listed = had if isinstance(had, list) else [] if had is None else [had]
                    value = value | {OWN_TABLES[name].field: [*listed, *(row.value for row in more)]}
            yield int(entry.pointer[-1]), value


def read_rows(tables: Tables, keys: KeyLookup) -> LaboratoryRows:
    """Return the rows of all tables of laboratories, with all problems except those of single values."""
    main = tables.sheets[LABORATORIES]
    laboratories, problems, is_usable = read_sheet(main, keys)
    if is_usable and not laboratories:
        message, place = say("there are no laboratories in {called}", called=main.called), Place(main.file)
        return LaboratoryRows([], {}, [*problems, Problem("missing-file", message, place)], is_complete=False)
    own: dict[str, dict[str, list[OwnRow]]] = {}
    names = {str(one.get(DISPLAY_ID, "")): str(one.get("name", "")) for one in map(_values, laboratories)}
    for name in OWN_TABLES:
        if sheet := tables.sheets.get(name):
            rows, found, _ = read_sheet(sheet, keys)
            own[name], without = _by_laboratory(rows, sheet)
            problems += found + without
            if is_usable:
                problems += _strays(own[name], sheet, names, main)
    problems += _lost_zeros(laboratories, main)
    return LaboratoryRows(laboratories, own, problems, is_usable)


def read_sheet(sheet: Sheet, keys: KeyLookup) -> tuple[list[ParsedValue], list[Problem], bool]:
    """Return the rows of a table in the form of records, problems, and whether the rows are usable."""
    entries, problems = sheet.entries()
    if not entries:
        return [], problems, False
    rows, found, is_usable = rows_to_records(entries, sheet.file, sheet.table, keys)
    return (rows if is_usable else []), problems + found, is_usable


def _by_laboratory(entries: list[ParsedValue], sheet: Sheet) -> tuple[dict[str, list[OwnRow]], list[Problem]]:
    """Group the rows by display_id, and return errors for the rows without a display_id.

    If entries need a number, but no row has a number, they are numbered in the order of the rows.
    """
    table, problems = sheet.table, []
    needs_number = ID_COLUMN in table.columns and not any(ID_COLUMN in _values(one) for one in entries)
    found: dict[str, list[OwnRow]] = {}
    for entry in entries:
        value = dict(_values(entry))
        display_id = value.pop(DISPLAY_ID, "")
        rows = found.setdefault(display_id, [])
        if not display_id:
            message = say(
                "this row of {called} has no `{display_id}`", called=sheet.called, display_id=DISPLAY_ID
            )
            problems.append(Problem("missing-field", message, Place(sheet.file, entry.pointer)))
        if needs_number:
            value = {ID_COLUMN: len(rows) + 1} | value
        rows.append(OwnRow(entry.pointer, value.get(table.field) if table.is_of_values else value))
    found.pop("", None)
    return found, problems


def _values(entry: ParsedValue) -> dict[str, Any]:
    return entry.value if isinstance(entry.value, dict) else {}


def _strays(
    own: Mapping[str, list[OwnRow]], sheet: Sheet, names: Mapping[str, str], main: Sheet
) -> Iterator[Problem]:
    """Yield errors for rows of other tables whose laboratory does not exist; `names` are by display_id."""
    by_number = {one.lstrip("0"): one for one in names}
    by_name = {normalised_title(name): one for one, name in names.items()}
    for display_id in sorted(own.keys() - names.keys()):
        near = by_number.get(display_id.lstrip("0")) if display_id.isdecimal() else None
        back = ZEROS_BACK.filled(digits=max(len(near or ""), len(display_id)))
        hint = say('"{near}" is one: zeros were lost; {back}', near=near, back=back) if near else ""
        if called := by_name.get(normalised_title(display_id)):
            hint = say('did you mean "{near}" ({name})?', near=called, name=names[called])
        cause = Cause(
            say("{called} has no {display_id}", called=main.called, display_id=shown(display_id)),
            main.file,
            "row",
        )
        for row in own[display_id]:
            message = say(
                "`{display_id}` is {display_id_2}, which no row of `{laboratories}` has",
                display_id=DISPLAY_ID,
                display_id_2=shown(display_id),
                laboratories=LABORATORIES,
            )
            place = Place(sheet.file, (*row.pointer, DISPLAY_ID))
            yield Problem("unknown-reference", message, place, hint, cause=cause)


ZEROS_BACK = say(
    "format the column as text and write them again, or set `digits = {digits}` "
    "below [tables] in data/site.toml"
)


def _lost_zeros(laboratories: list[ParsedValue], main: Sheet) -> Iterator[Problem]:
    """Yield warnings of numbers that seem to have lost their leading zeros in a spreadsheet."""
    ids = [str(_values(one).get(DISPLAY_ID, "")) for one in laboratories]
    digits = max((len(one) for one in ids if one.startswith("0") and one.isdecimal()), default=0)
    for entry, display_id in zip(laboratories, ids, strict=True):
        row = (int(entry.pointer[-1]),)
        if display_id.isdecimal() and len(display_id) < digits:
            whole = display_id.zfill(digits)
            message = say(
                "`{display_id}` {display_id_2} is shorter than others, and may have been {whole}",
                display_id=DISPLAY_ID,
                display_id_2=display_id,
                whole=whole,
            )
            place = Place(main.file, (*row, DISPLAY_ID))
            yield Problem("lost-zeros", message, place, ZEROS_BACK.filled(digits=digits), "warning")
