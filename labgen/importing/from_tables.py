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
from labgen.problems.hints import LETTERS, nearest
from labgen.problems.problem import Place, Problem, count_errors, shown
from labgen.problems.text import first_of, joined, plural, say
from labgen.source.checks.texts import AS_TEXT, is_damaged_title
from labgen.source.checks.value_hints import FAILED, FAILED_FORMULAS
from labgen.source.tables.assemble import LaboratoryRows, read_rows, read_sheet
from labgen.source.tables.cells import NO_KEYS, KeyLookup
from labgen.source.tables.find import Tables
from labgen.source.tables.sheets import NAMED_CELLS, Sheet
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
    """Raised if tables cannot be read without loss: `problems` say why, `notes` how they were read.

    `unclear` are the tables whose columns have problems: a mapping file can say which they are.
    """

    def __init__(self, problems: list[Problem], foreign: Foreign) -> None:
        super().__init__(say("the tables cannot be read without loss"))
        self.problems, self.notes = problems, foreign.notes
        self.unclear = [
            name
            for name, header in foreign.headers.items()
            if any(_is_of_columns(one, foreign.sheets[name], header.row) for one in problems)
        ]


def _is_of_columns(problem: Problem, sheet: Sheet, header: int) -> bool:
    """Return whether a mapping can mend a problem: its place is the header of a table."""
    place = (problem.place.file, problem.place.pointer)
    return problem.code in _OF_COLUMNS and place == (sheet.file, (*sheet.pointer, header))


_OF_COLUMNS = ("missing-field", "invalid-id", "duplicate-key")


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
        raise UnfitTablesError(unclear, foreign)
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
    is_guessed = DISPLAY_ID not in foreign.mapped.columns.get(LABORATORIES, {})
    without = _without_id(rows_of_all.laboratories)
    if is_guessed and len(without) * 2 > len(rows_of_all.laboratories) > FEW_ROWS:
        told = [_no_ids(foreign, without, len(rows_of_all.laboratories))]
        raise UnfitTablesError(told, foreign)
    problems += _check_ids(rows_of_all.laboratories, foreign.sheets[LABORATORIES].file)
    problems += _slips_in_statuses(rows_of_all.laboratories, foreign.sheets[LABORATORIES].file, settings)
    if count_errors(problems):
        raise UnfitTablesError(problems, foreign)
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


def _without_id(rows: list[ParsedValue]) -> list[tuple[int, str]]:
    """Return the rows that have no valid display_id, or that of another row, with what they have."""
    ids = [str(row.value.get(DISPLAY_ID, "")) if isinstance(row.value, dict) else "" for row in rows]
    counts = Counter(ids)
    return [
        (int(row.pointer[-1]) + 1, one)
        for row, one in zip(rows, ids, strict=True)
        if not re.fullmatch(DIGITS, one) or counts[one] > 1
    ]


def _no_ids(foreign: Foreign, wrong: list[tuple[int, str]], count: int) -> Problem:
    """Return the error of a column of display_ids that most rows have no number of their own in."""
    sheet, header = foreign.sheets[LABORATORIES], foreign.headers[LABORATORIES]
    named = dict(zip(header.meant, header.names, strict=True)).get(DISPLAY_ID, DISPLAY_ID).strip()
    message = say(
        "`{name}` is read as `{display_id}`, but in {wrong:,} of {count:,} rows it is no number of its own: "
        "{rows}",
        name=named,
        display_id=DISPLAY_ID,
        wrong=len(wrong),
        count=count,
        rows=first_of([say("{id} in row {row}", id=shown(one), row=row) for row, one in wrong], NAMED_CELLS),
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


def _slips_in_statuses(rows: list[ParsedValue], file: str, settings: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield a warning of each status that is a slip in another one: it would be a status of its own."""
    for field, table in STATUSES.items():
        written = [
            (str(row.value.get(field, "")).strip(), row) for row in rows if isinstance(row.value, dict)
        ]
        titles = [*map(str, settings.get(table, {}).values()), *(one for one, _ in written)]
        shown_as = {one.casefold(): one for one in titles}
        first = {one.casefold(): row for one, row in reversed(written)}
        frequent = [one for one, _ in Counter(map(str.casefold, titles)).most_common()]
        for at, title in enumerate(frequent):
            near = nearest(title, frequent[:at], GERMAN_LETTERS) if len(title) >= LONG else None
            if near and title in first:
                message = say(
                    "`{field}` has {near} and {title}, which differ by one letter",
                    field=field,
                    near=shown(shown_as[near]),
                    title=shown(shown_as[title]),
                )
                place = Place(file, (*first[title].pointer, field))
                hint = say("correct it, or keep both statuses")
                yield Problem("unknown-status", message, place, hint, severity="warning")


GERMAN_LETTERS = f"{LETTERS}äöüß"
LONG = 5
"""In words with fewer letters, another letter is another word."""


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
