"""Convert foreign tables to a project: check their rows, and add missing entries and settings."""

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from typing import Any, NamedTuple

from labgen.formats.format import ParsedValue
from labgen.importing.complete import (
    Lists,
    complete_countries,
    complete_lists,
    complete_postal_codes,
    complete_statuses,
    complete_websites,
)
from labgen.importing.headers import Foreign
from labgen.importing.mapping import ImportFailedError
from labgen.importing.write_project import Project, tidy
from labgen.model.catalogues import SHARED_LISTS
from labgen.model.record_fields import marks_of, written_fields
from labgen.model.records import LaboratoryRecord, Record
from labgen.model.tables import DISPLAY_ID, LABORATORY_TABLE, STATUSES, CellType
from labgen.model.values import DIGITS, RefersTo
from labgen.problems.problem import Place, Problem, count_errors, shown
from labgen.problems.text import joined, plural, say
from labgen.source.checks.texts import AS_TEXT, is_damaged_title
from labgen.source.checks.value_hints import FAILED, FAILED_FORMULAS
from labgen.source.tables.assemble import LaboratoryRows, read_rows, read_sheet
from labgen.source.tables.cells import NO_KEYS, KeyLookup
from labgen.source.tables.find import Tables
from labgen.system.input_files import LABORATORIES

SITE = {"name": "Laborverzeichnis", "language": "de"}
"""The default settings of a project, for those that the source does not define."""


class Made(NamedTuple):
    """A project made from tables, its number of laboratories, and notes and warnings for people.

    `samples` are the first laboratories as they will be published: the names and values of their fields.
    """

    project: Project
    laboratories: int
    notes: list[str]
    warnings: list[Problem]
    samples: list[list[tuple[str, str]]]


class UnfitTablesError(Exception):
    """Raised if tables cannot be read without loss: `problems` say why, `notes` how they were read."""

    def __init__(
        self, problems: list[Problem], notes: list[str], *, are_columns_unclear: bool = False
    ) -> None:
        super().__init__(say("the tables cannot be read without loss"))
        self.problems, self.notes, self.are_columns_unclear = problems, notes, are_columns_unclear


def project_of(foreign: Foreign, site: Mapping[str, Any], digits: int = 0) -> Made:
    """Make a project from tables; `digits` is the minimum number of digits of a display_id.

    Raises `ImportFailedError` if there is no table of laboratories, and `UnfitTablesError`.
    """
    if LABORATORIES not in foreign.sheets:
        named = ", ".join(foreign.sheets) or say("none")
        raise ImportFailedError(
            say(
                "no table is called `{laboratories}`; there are: {named}",
                laboratories=LABORATORIES,
                named=named,
            )
        )
    if unclear := [*_unclear_columns(foreign)]:
        raise UnfitTablesError(unclear, foreign.notes, are_columns_unclear=True)
    problems: list[Problem] = []
    lists: Lists = {}
    for listed in SHARED_LISTS:
        if sheet := foreign.sheets.get(listed.stem):
            rows, found, _ = read_sheet(sheet, NO_KEYS)
            problems += found
            lists[listed.stem] = [dict(one.value) for one in rows if isinstance(one.value, dict)]
    settings = SITE | dict(site)
    rows_of_all = read_rows(Tables(foreign.sheets), _keys(settings, lists, digits))
    problems += rows_of_all.problems
    problems += _damaged_titles(foreign.sheets[LABORATORIES].file, rows_of_all)
    without = _count_without_id(rows_of_all.laboratories)
    if without * 2 > len(rows_of_all.laboratories) > FEW_ROWS:
        told = [_no_ids(foreign, without, len(rows_of_all.laboratories))]
        raise UnfitTablesError(told, foreign.notes, are_columns_unclear=True)
    problems += _check_ids(rows_of_all.laboratories, foreign.sheets[LABORATORIES].file)
    if count_errors(problems):
        raise UnfitTablesError(problems, foreign.notes)
    notes = list(foreign.notes)
    laboratories = [value for _, value in rows_of_all.merged_records()]
    notes += complete_lists(lists, laboratories)
    notes += complete_countries(lists, laboratories)
    notes += complete_postal_codes(laboratories)
    notes += complete_websites(laboratories)
    notes += complete_statuses(settings, laboratories)
    project = Project(settings, lists, laboratories)
    keys = _keys(settings, lists, digits)
    samples = [[*shown_fields(LaboratoryRecord, one, keys)] for one in laboratories[:SAMPLES]]
    return Made(project, len(laboratories), notes, problems, samples)


SAMPLES = 3
"""The number of laboratories that an import shows before it writes."""


def shown_fields(
    model: type[Record], record: Mapping[str, Any], keys: KeyLookup
) -> Iterator[tuple[str, str]]:
    """Yield the filled fields of a record with their values, and with titles in place of ids."""
    fields = written_fields(model)
    for name, value in tidy(model, record).items():
        marks = marks_of(fields[name])
        stem = next((one.stem for one in marks if isinstance(one, RefersTo)), STATUSES.get(name, ""))
        known = keys.known.get(stem, {})
        if isinstance(value, Mapping):
            yield from ((f"{name}.{key}", str(one)) for key, one in value.items())
        elif isinstance(value, list):
            titles = [str(known.get(one, one) if isinstance(one, Hashable) else one) for one in value]
            yield name, "; ".join(titles) if stem else str(plural(len(value), "entry", "entries"))
        elif isinstance(value, bool):
            yield name, str(value).lower()
        else:
            yield name, str(known.get(value, value))


def _unclear_columns(foreign: Foreign) -> Iterator[Problem]:
    """Yield an error for each column that several names in a header may mean."""
    for table, header in foreign.headers.items():
        sheet = foreign.sheets[table]
        for own, names in header.unclear:
            message = say(
                "{names} may all be `{own}` of `{table}`",
                names=joined((f"`{one}`" for one in names), by=", "),
                own=own,
                table=table,
            )
            place = Place(sheet.file, (*sheet.pointer, header.row))
            yield Problem("duplicate-key", message, place, NAME_IT)


NAME_IT = say("say in a mapping file which one it is")


FEW_ROWS = 2
"""In so few rows, a wrong display_id tells nothing of the column."""


def _count_without_id(rows: list[ParsedValue]) -> int:
    """Return how many rows have no valid display_id, or that of another row."""
    ids = [str(row.value.get(DISPLAY_ID, "")) if isinstance(row.value, dict) else "" for row in rows]
    counts = Counter(ids)
    return sum(not re.fullmatch(DIGITS, one) or counts[one] > 1 for one in ids)


def _no_ids(foreign: Foreign, wrong: int, count: int) -> Problem:
    """Return the error of a column of display_ids that most rows have no number of their own in."""
    sheet, header = foreign.sheets[LABORATORIES], foreign.headers[LABORATORIES]
    named = dict(zip(header.meant, header.names, strict=True)).get(DISPLAY_ID, DISPLAY_ID).strip()
    message = say(
        "`{name}` is read as `{display_id}`, but in {wrong:,} of {count:,} rows it is no number of its own",
        name=named,
        display_id=DISPLAY_ID,
        wrong=wrong,
        count=count,
    )
    return Problem("invalid-id", message, Place(sheet.file, (*sheet.pointer, header.row)), NAME_IT)


def _damaged_titles(file: str, rows: LaboratoryRows) -> Iterator[Problem]:
    """Yield an error for each damaged title in place of an id or a status: no entry is made of it."""
    named_by_title = [
        one.name
        for one in LABORATORY_TABLE.columns.values()
        if (one.kind is CellType.WHOLE and one.target_list) or one.name in STATUSES
    ]
    for row in rows.laboratories:
        value: dict[str, Any] = row.value if isinstance(row.value, dict) else {}
        for name in named_by_title:
            named = value.get(name)
            for one in named if isinstance(named, list) else [named]:
                if isinstance(one, str) and is_damaged_title(one):
                    message = say(
                        "`{name}` names {title}: a spreadsheet made it of another text",
                        name=name,
                        title=shown(one),
                    )
                    place = Place(file, (*row.pointer, name))
                    is_failed = one.strip().upper() in FAILED_FORMULAS
                    yield Problem("cell-type", message, place, FAILED if is_failed else AS_TEXT)


def _check_ids(rows: list[ParsedValue], file: str) -> Iterator[Problem]:
    """Yield an error for each laboratory without a valid, unique display_id: it becomes the file name."""
    seen: set[str] = set()
    for row in rows:
        given = str(row.value.get(DISPLAY_ID, "")) if isinstance(row.value, dict) else ""
        place = Place(file, (*row.pointer, DISPLAY_ID))
        if not given:
            message = say("`{display_id}` is missing from this laboratory", display_id=DISPLAY_ID)
            yield Problem("missing-field", message, Place(file, row.pointer))
        elif not re.fullmatch(DIGITS, given):
            message = say(
                "`{display_id}` must be digits only, at most 64, not {given}",
                display_id=DISPLAY_ID,
                given=shown(given),
            )
            yield Problem("invalid-id", message, place)
        elif given in seen:
            message = say(
                "`{display_id}` {given} is also that of another row", display_id=DISPLAY_ID, given=given
            )
            yield Problem("duplicate-id", message, place, say("each laboratory has its own"))
        seen.add(given)


def _keys(settings: Mapping[str, Any], lists: Lists, digits: int) -> KeyLookup:
    keys = {one.stem: one.key for one in SHARED_LISTS}
    known: dict[str, Mapping[Any, str]] = {
        stem: {
            one[keys[stem]]: str(one.get("title") or one.get("name") or "")
            for one in some
            if keys[stem] in one
        }
        for stem, some in lists.items()
    }
    known |= {name: settings[name] for name in ("deal_statuses", "verification_statuses") if name in settings}
    return KeyLookup(known, digits)
