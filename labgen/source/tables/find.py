"""Find the file or the sheet in data/ that holds each table."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from os.path import splitext
from pathlib import Path

from labgen.formats.budget import DEFAULT, Budget
from labgen.formats.read_files import check_file, is_regular_file
from labgen.model.tables import OWN_TABLES, TABLES
from labgen.problems.problem import Place, Problem
from labgen.problems.text import say
from labgen.source.project_budget import budget_of
from labgen.source.tables.books import CSV_FILE
from labgen.source.tables.open_book import open_book
from labgen.source.tables.sheets import Sheet, sheets_of
from labgen.system.input_files import BOOKS, DATA, LABORATORIES

IN_CSV = (LABORATORIES, *OWN_TABLES)
"""The tables that only books or a separate CSV file can hold; lists have other formats, too."""


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables of a project by name, and the names of tables that exist but cannot be read."""

    sheets: Mapping[str, Sheet] = field(default_factory=dict)
    unreadable: frozenset[str] = frozenset()
    budget: Budget = DEFAULT


def is_table_file(name: str) -> bool:
    """Return whether a file in data/ is read as tables, by its name."""
    stem, suffix = splitext(name)  # noqa: PTH122 - a name, and no path
    return (stem in TABLES and suffix in BOOKS) or (stem in IN_CSV and suffix == CSV_FILE)


def files_in(data: Path) -> list[str]:
    """Return the names of all files in a folder; an empty list if the folder cannot be read."""
    try:
        return [path.name for path in data.iterdir()]
    except OSError:
        return []


def find_tables(root: Path, names: Iterable[str]) -> tuple[Tables, list[Problem]]:
    """Return the tables in the files of data/, and problems of these files as a whole."""
    sheets: dict[str, Sheet] = {}
    unreadable: set[str] = set()
    problems: list[Problem] = []
    budget = budget_of(root)
    for name in sorted(filter(is_table_file, names)):
        stem, file = name.partition(".")[0], f"{DATA}/{name}"
        found, wrong = _tables_in(root / file, file, stem, budget)
        problems += wrong
        if not found:
            unreadable.add(stem)
        problems += [_twice(sheet, sheets[one]) for one, sheet in found.items() if one in sheets]
        sheets = found | sheets
    if not (LABORATORIES in sheets or LABORATORIES in unreadable):
        problems += [_without_laboratories(one) for stem, one in sheets.items() if stem in OWN_TABLES]
    return Tables(sheets, frozenset(unreadable), budget), problems


def _tables_in(path: Path, file: str, stem: str, budget: Budget) -> tuple[dict[str, Sheet], list[Problem]]:
    if not is_regular_file(path) and (problems := check_file(path, file, path.parent)):
        return {}, problems
    if file.endswith(CSV_FILE):
        return {stem: Sheet(TABLES[stem], file, path, budget=budget)}, []
    book, problems = open_book(path, file, budget)
    if book is None:
        return {}, problems
    sheets, found = sheets_of(book, path, own=stem)
    if not sheets:
        found.append(Problem("empty-file", say("`{file}` holds no table", file=file), Place(file)))
    return sheets, found


def _twice(sheet: Sheet, other: Sheet) -> Problem:
    message = say(
        "{called} and {called_2} are both there, but `{name}` is one table",
        called=sheet.called,
        called_2=other.called,
        name=sheet.table.name,
    )
    return Problem("two-files", message, Place(sheet.file), say("remove one of the two"))


def _without_laboratories(sheet: Sheet) -> Problem:
    message = say(
        "{called} is not read: it belongs to a table of laboratories, and there is none", called=sheet.called
    )
    hint = say(
        "write the laboratories into {data}/{laboratories}.csv, or this into the laboratories' files",
        data=DATA,
        laboratories=LABORATORIES,
    )
    return Problem("ignored-file", message, Place(sheet.file), hint)
