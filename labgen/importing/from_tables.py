"""Convert foreign tables to a project: check their rows, and add missing entries and settings."""

import re
from collections.abc import Iterator, Mapping
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
from labgen.importing.foreign_tables import Foreign
from labgen.importing.mapping import ImportFailedError
from labgen.importing.write_project import Project
from labgen.model.catalogues import SHARED_LISTS
from labgen.model.tables import DISPLAY_ID, LABORATORY_TABLE, CellType
from labgen.model.values import DIGITS
from labgen.problems.problem import Place, Problem, count_errors, shown
from labgen.problems.text import say
from labgen.source.checks.texts import AS_TEXT, is_damaged_title
from labgen.source.tables.assemble import LaboratoryRows, read_rows, read_sheet
from labgen.source.tables.cells import NO_KEYS, KeyLookup
from labgen.source.tables.find import Tables
from labgen.system.input_files import LABORATORIES

SITE = {"name": "Laborverzeichnis", "language": "de"}
"""The default settings of a project, for those that the source does not define."""


class Made(NamedTuple):
    """A project made from tables, its number of laboratories, and notes and warnings for people."""

    project: Project
    laboratories: int
    notes: list[str]
    warnings: list[Problem]


class UnfitTablesError(Exception):
    """Raised if tables cannot be read without loss: `problems` say why, `notes` how they were read."""

    def __init__(self, problems: list[Problem], notes: list[str]) -> None:
        super().__init__(say("the tables cannot be read without loss"))
        self.problems, self.notes = problems, notes


def project_of(foreign: Foreign, site: Mapping[str, Any], digits: int = 0) -> Made:
    """Make a project from tables; `digits` is the minimum number of digits of a display_id.

    Raises `ImportFailedError` if there is no table of laboratories, and `UnfitTablesError`.
    """
    if LABORATORIES not in foreign.sheets:
        named = ", ".join(foreign.sheets) or "none"
        raise ImportFailedError(
            say(
                "no table is called `{laboratories}`; there are: {named}",
                laboratories=LABORATORIES,
                named=named,
            )
        )
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
    return Made(Project(settings, lists, laboratories), len(laboratories), notes, problems)


def _damaged_titles(file: str, rows: LaboratoryRows) -> Iterator[Problem]:
    """Yield an error for each damaged title in place of an id: no entry is made of it."""
    for row in rows.laboratories:
        value: dict[str, Any] = row.value if isinstance(row.value, dict) else {}
        for column in LABORATORY_TABLE.columns.values():
            if column.kind is not CellType.WHOLE or not column.target_list:
                continue
            named = value.get(column.name)
            for one in named if isinstance(named, list) else [named]:
                if isinstance(one, str) and is_damaged_title(one):
                    message = say(
                        "`{name}` names {title}: a spreadsheet made it of another text",
                        name=column.name,
                        title=shown(one),
                    )
                    place = Place(file, (*row.pointer, column.name))
                    yield Problem("cell-type", message, place, AS_TEXT)


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
