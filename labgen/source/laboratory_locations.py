"""Locate each laboratory in data/ (a file, or a line of laboratories.jsonl), and read and parse it."""

import os
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

from labgen.formats.budget import MEGABYTE, UNLIMITED, Budget
from labgen.formats.encodings import SAMPLE, check_encoding, decode, decode_part
from labgen.formats.format import ParsedValue
from labgen.formats.json_format import check_lines, parse_line
from labgen.formats.json_syntax import SEVERAL
from labgen.formats.read_files import check_file, is_regular_file, read_checked, reason
from labgen.problems.problem import Place, Pointer, Problem, Span
from labgen.problems.text import say
from labgen.source.file_formats import format_of
from labgen.source.file_names import BULK, FOLDER, check_laboratory_name, is_misnamed, rename_hint
from labgen.system.input_files import DATA, LABORATORIES

ReadLocation = Callable[["Location"], tuple[bytes | None, list[Problem]]]
"""Reads a laboratory: returns its bytes, or None and the problems."""
ONE_A_FILE = say("write one laboratory a file, or one a line of {bulk}", bulk=BULK)
ONE_A_LINE = say(
    "write each on one line, without commas between them, or in a file of its own in {folder}/", folder=FOLDER
)
SCHEMA_KEY = "$schema"
"""The key of a laboratory that refers to its schema, for editors; labgen ignores it."""


class Location(NamedTuple):
    """The location of a laboratory: a file, or a line of a file (number from 0, first byte, length).

    In a table, the line is a row, and reading it returns the JSON of the laboratory.
    """

    file: str
    line: int | None = None
    start: int = 0
    length: int = 0

    @property
    def pointer(self) -> Pointer:
        """The pointer to the laboratory in its file."""
        return () if self.line is None else (self.line,)

    @property
    def is_row(self) -> bool:
        """Whether the laboratory is a row of a table."""
        return self.line is not None and self.file != BULK


def find_locations(
    root: Path, files: Collection[str], wanted: Collection[str], budget: Budget
) -> tuple[list[Location], list[Problem]]:
    """Return the locations of laboratories, and problems.

    `files` are the files in the folder of laboratories; of these, only the `wanted` are returned. Of
    laboratories.jsonl, all lines are returned.
    """
    folder, bulk = root / FOLDER, root / BULK
    has_folder, has_bulk = os.path.lexists(folder), os.path.lexists(bulk)
    if has_folder and has_bulk:
        message = say(
            "`{bulk}` and `{folder}/` are both there, but laboratories have one source",
            bulk=BULK,
            folder=FOLDER,
        )
        return [], [Problem("two-files", message, Place(BULK), say("remove one of the two"))]
    if not has_folder and not has_bulk:
        if is_misnamed(root / DATA, LABORATORIES):
            return [], []
        hint = rename_hint(root / DATA, LABORATORIES)
        hint = hint or say(
            "write one file a laboratory into {folder}/, or all into {bulk}", folder=FOLDER, bulk=BULK
        )
        return [], [Problem("missing-file", say("there are no laboratories in data/"), Place(DATA), hint)]
    return _in_bulk(root, budget) if has_bulk else _in_folder(root, files, wanted)


def check_alone(root: Path, table: str) -> list[Problem]:
    """Report other sources of laboratories beside a table of laboratories; `table` is the table's file."""
    return [
        Problem(
            "two-files",
            say(
                "`{table}` and `{one}` are both there, but laboratories have one source", table=table, one=one
            ),
            Place(table),
            say("remove one of the two"),
        )
        for one in (FOLDER, BULK)
        if os.path.lexists(root / one)
    ]


def _in_folder(
    root: Path, files: Collection[str], wanted: Collection[str]
) -> tuple[list[Location], list[Problem]]:
    folder = root / FOLDER
    if problems := _check_folder(folder, root / DATA):
        return [], problems
    locations = []
    for file in sorted(wanted):
        if wrong := check_laboratory_name(root, file):
            problems += wrong
        else:
            locations.append(Location(file))
    if not files:
        problems.append(
            Problem(
                "missing-file", say("there are no laboratories in {folder}/", folder=FOLDER), Place(FOLDER)
            )
        )
    return locations, problems


def _check_folder(folder: Path, data: Path) -> list[Problem]:
    problems = [one for one in check_file(folder, FOLDER, data) if one.code != "not-a-file"]
    if problems:
        return problems
    if not folder.is_dir():
        return [
            Problem(
                "not-a-file",
                say("`{folder}` is a file, where a folder should be", folder=FOLDER),
                Place(FOLDER),
            )
        ]
    try:
        os.scandir(folder).close()
    except OSError as error:
        return [
            Problem(
                "unreadable-file",
                say("`{folder}` cannot be read: {error}", folder=FOLDER, error=reason(error)),
                Place(FOLDER),
            )
        ]
    return []


def _in_bulk(root: Path, budget: Budget) -> tuple[list[Location], list[Problem]]:
    """Locate the lines of laboratories.jsonl, which end at U+000A only; blank lines are skipped."""
    path = root / BULK
    if not is_regular_file(path) and (problems := check_file(path, BULK, root / DATA)):
        return [], problems
    locations: list[Location] = []
    start = 0
    try:
        with path.open("rb") as file:
            head = file.read(SAMPLE)
            if problems := check_encoding(head, BULK):
                return [], problems
            if problems := check_lines(head.decode(errors="replace"), BULK):
                return [], [replace(one, hint=ONE_A_LINE) for one in problems]
            file.seek(0)
            for number, line in enumerate(iter(lambda: file.readline(budget.laboratory + 1), b"")):
                if problem := _check_line(line, number, budget):
                    return [], [problem]
                if line.strip(b" \t\r\n"):
                    locations.append(Location(BULK, number, start, len(line)))
                start += len(line)
    except OSError as error:
        return [], [
            Problem(
                "unreadable-file",
                say("`{bulk}` cannot be read: {error}", bulk=BULK, error=reason(error)),
                Place(BULK),
            )
        ]
    return locations, [] if locations else decode(b"", BULK)[1]


def _check_line(line: bytes, number: int, budget: Budget) -> Problem | None:
    """Return a problem if a line is too long, or one too many."""
    place = Place(BULK, span=Span(number + 1, 1, 1))
    if len(line) > budget.laboratory:
        message = say("this line has more than {laboratory:,.0f} MB", laboratory=budget.laboratory / MEGABYTE)
        return Problem("too-large", message, place, budget.hint("laboratory_megabytes"))
    return budget.of_rows(place, f"`{BULK}`") if number >= budget.rows else None


@cache
def _data_of(root: Path) -> Path:
    return root / DATA


def read_location(root: Path, budget: Budget, location: Location) -> tuple[bytes | None, list[Problem]]:
    """Return the bytes of a laboratory, or None and the problems."""
    path = f"{root}/{location.file}"
    if location.line is None:
        return read_checked(path, location.file, _data_of(root), budget, is_laboratory=True)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            return os.pread(descriptor, location.length, location.start), []
        finally:
            os.close(descriptor)
    except OSError as error:
        message = say("`{file}` cannot be read: {error}", file=location.file, error=reason(error))
        return None, [Problem("unreadable-file", message, Place(location.file))]


def _decode_line(location: Location, data: bytes) -> tuple[str | None, list[Problem]]:
    return decode_part(data, location.file, location.start, location.line or 0)


def parse_laboratory(
    location: Location, data: bytes, budget: Budget = UNLIMITED
) -> tuple[ParsedValue | None, list[Problem]]:
    """Return the parsed value of a laboratory, and problems of encoding and syntax."""
    is_whole = location.line is None
    text, problems = decode(data, location.file) if is_whole else _decode_line(location, data)
    if text is None:
        return None, problems
    if location.line is None:
        file_format = format_of(location.file)
        assert file_format is not None, location.file  # noqa: S101 - locations are chosen by their suffix
        entries, found = file_format.parse(text, location.file, budget)
    else:
        entries, found = parse_line(text.rstrip("\n"), location.line, location.file, budget)
    found = [replace(one, hint=ONE_A_FILE) if one.hint == SEVERAL else one for one in found]
    entry = next(iter(entries), None)
    return entry and ParsedValue(entry.pointer, without_schema(entry.value)), problems + found


def without_schema(value: object) -> object:
    """Return a parsed laboratory without the key `$schema`, which is for editors."""
    if not isinstance(value, dict) or not isinstance(value.get(SCHEMA_KEY), str):
        return value
    return {key: one for key, one in value.items() if key != SCHEMA_KEY}
