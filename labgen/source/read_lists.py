"""Read the shared lists in data/: countries, catalogues and upgrade options."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from labgen.formats.budget import DEFAULT, MOST_PROBLEMS, Budget, too_many
from labgen.formats.format import Format, ParsedValue, split_list
from labgen.formats.read_files import read_text
from labgen.model.catalogues import SharedList
from labgen.model.records import PlainRecord, Record
from labgen.model.tables import TABLES
from labgen.problems.problem import Place, Pointer, Problem, count_errors, shown
from labgen.problems.text import say
from labgen.source.checks.catalogue_entries import check_catalogue
from labgen.source.checks.designations import check_designations
from labgen.source.checks.texts import check_texts
from labgen.source.checks.validate import to_record, validate
from labgen.source.file_formats import LIST_SUFFIXES, format_of
from labgen.source.file_names import is_misnamed
from labgen.source.tables.books import CSV_FILE
from labgen.source.tables.cells import NO_KEYS
from labgen.source.tables.columns import rows_to_records
from labgen.source.tables.find import Tables
from labgen.system.input_files import digest_of, read_bytes


@dataclass(frozen=True, slots=True)
class SourceList:
    """The readable part of a shared list.

    `records` are the valid entries by their keys, in source order, and `pointers` their places. `known` has
    the keys of invalid entries, too, so that references to them are not reported. `is_complete` is False if
    entries may be missing. `called` names the file, and its sheet or table, in messages.
    """

    listed: SharedList[Any]
    file: str | None = None
    called: str = ""
    records: dict[Any, Record] = field(default_factory=dict)
    pointers: dict[Any, Pointer] = field(default_factory=dict)
    known: set[Any] = field(default_factory=set)
    is_complete: bool = True


def load_list(
    data: Path, listed: SharedList[Any], tables: Tables, sound: Mapping[str, bytes]
) -> tuple[SourceList, list[Problem]]:
    """Return a list with its entries checked, each by itself and against those before it, and problems.

    The list is a separate file, or one of the `tables`. `sound` are the digests of files that had no problems
    when they were last read: these are not checked again, if their format can be reread.
    """
    names = [listed.stem + suffix for suffix in LIST_SUFFIXES]
    files = [name for name in names if os.path.lexists(data / name)]
    if listed.stem in tables.unreadable:
        return SourceList(listed, is_complete=False), []
    sheet = tables.sheets.get(listed.stem)
    if not files and sheet is None:
        return SourceList(listed, is_complete=not is_misnamed(data, listed.stem)), []
    if sheet and files:
        message = say(
            "`data/{files}` and {called} are both there, but each list is one",
            files=files[0],
            called=sheet.called,
        )
        problem = Problem("two-files", message, Place(f"data/{files[0]}"), say("remove one of the two"))
        return SourceList(listed, is_complete=False), [problem]
    if len(files) > 1:
        message = say(
            "`data/{files}` and `data/{files_2}` are both there, but each list is one file",
            files=files[1],
            files_2=files[0],
        )
        problem = Problem("two-files", message, Place(f"data/{files[1]}"), say("remove one of the two"))
        return SourceList(listed, is_complete=False), [problem]
    file = sheet.file if sheet else f"data/{files[0]}"
    if file in sound and (again := _read_sound(data.parent / file, file, listed, sound[file])):
        return again, []
    entries, problems = sheet.entries() if sheet else read_entries(data, file, tables.budget)
    loaded = SourceList(listed, file, sheet.called if sheet else f"`{file}`")
    is_sound = not count_errors(problems)
    if (sheet or file.endswith(CSV_FILE)) and entries:
        entries, found, is_usable = rows_to_records(entries, file, TABLES[listed.stem], NO_KEYS)
        problems += found
        if not is_usable:
            return replace(loaded, is_complete=False), problems
    errors = 0
    for entry in entries:
        found = _add(loaded, entry, file)
        problems += found
        errors += count_errors(found)
        if errors > MOST_PROBLEMS:
            problems.append(too_many(Place(file, entry.pointer)))
            break
    problems += check_catalogue(loaded.records, loaded.pointers, file)
    problems += check_designations(listed.stem, loaded.records, loaded.pointers, file)
    return replace(loaded, is_complete=is_sound and None not in loaded.known), problems


def _read_sound(path: Path, file: str, listed: SharedList[Any], digest: bytes) -> SourceList | None:
    """Return a list that had no problems before, without checks; None if it must be read with all checks."""
    file_format = format_of(file)
    if file_format is None or file_format.reread is None:
        return None
    loaded = SourceList(listed, file, f"`{file}`")
    try:
        data = read_bytes(path)
        if digest_of(data) != digest:
            return None
        entries, _ = _parts(file_format.reread(data), file, file_format)
        for entry in entries:
            record = to_record(listed.record, entry.value)
            key = key_of(record, listed)
            loaded.records[key], loaded.pointers[key] = record, entry.pointer
    except (OSError, ValueError):
        return None
    loaded.known.update(loaded.records)
    return loaded


def read_entries(data: Path, file: str, budget: Budget = DEFAULT) -> tuple[list[ParsedValue], list[Problem]]:
    """Return the entries of a list's file, and problems of encoding and syntax."""
    entries, problems, file_format = read_file(data, file, budget)
    parts, found = _parts(entries, file, file_format)
    return parts, problems + found


def _parts(
    entries: list[ParsedValue], file: str, file_format: Format
) -> tuple[list[ParsedValue], list[Problem]]:
    """Return the entries of a list, also if its format gives the list as one value."""
    return (entries, []) if file_format.is_list else split_list(entries, file)


def _format_of(file: str) -> Format:
    file_format = format_of(file)
    assert file_format is not None, file  # noqa: S101 - callers choose files by their suffix
    return file_format


def read_file(
    data: Path, file: str, budget: Budget = DEFAULT
) -> tuple[list[ParsedValue], list[Problem], Format]:
    """Return a file's parsed entries, and problems of encoding and syntax."""
    file_format = _format_of(file)
    text, problems = read_text(data.parent / file, file, data, budget)
    if text is None:
        return [], problems, file_format
    entries, found = file_format.parse(text, file, budget)
    return entries, problems + found, file_format


def _add(loaded: SourceList, entry: ParsedValue, file: str) -> list[Problem]:
    """Add an entry to the list if it is valid and not a duplicate, and return its problems."""
    listed = loaded.listed
    record, problems = validate(listed.record, entry.value, file, entry.pointer)
    if record is None:
        loaded.known.add(_written_key(entry.value, listed.key))
        return problems
    key = key_of(record, listed)
    if key in loaded.known:
        message = say(
            "the {noun} {key} stands twice in {file}", noun=listed.record.noun(), key=key, file=file
        )
        hint = _other(loaded.records.get(key))
        step = listed.key if listed.key in record.model_fields_set else "freq"
        return [Problem("duplicate-id", message, Place(file, (*entry.pointer, step)), hint)]
    loaded.known.add(key)
    loaded.records[key] = record
    loaded.pointers[key] = entry.pointer
    return check_texts(record, file, entry.pointer) + _check_search_val(record, file, entry.pointer)


def key_of(record: Record, listed: SharedList[Any]) -> Any:
    """Return an entry's key."""
    if listed.key == "billing":
        return f"{record.plan}:{record.freq}"  # type: ignore[attr-defined]
    return getattr(record, listed.key)


def _written_key(value: object, key: str) -> object:
    """Return the key of an invalid entry, as in references to it, or None if it cannot be determined."""
    written = value.get(key) if isinstance(value, dict) else None
    if key == "id":
        return written if isinstance(written, int) and not isinstance(written, bool) else None
    return written.casefold() if isinstance(written, str) and written else None


def _other(record: Record | None) -> str:
    title = getattr(record, "title", None) or getattr(record, "name", None)
    return say("the first is {title}", title=shown(title)) if title else ""


def _check_search_val(record: Record, file: str, pointer: Pointer) -> list[Problem]:
    """Check search_val (specification 2.7): equal to the id in plain lists, different from it in others."""
    search_val = getattr(record, "search_val", None)
    if search_val is None:
        return []
    number = str(record.id)  # type: ignore[attr-defined]
    must_be_equal = isinstance(record, PlainRecord)
    if must_be_equal == (search_val == number):
        return []
    place = Place(file, (*pointer, "search_val"))
    if must_be_equal:
        message = say("`search_val` must be the id as text, not {search_val}", search_val=shown(search_val))
        return [Problem("mismatch", message, place, say('leave it out, or write "{number}"', number=number))]
    if not hasattr(record, "summary"):
        return []
    message = say(
        "`search_val` is the id {number}, but in this section it differs from it (specification, 2.7)",
        number=number,
    )
    return [Problem("search-val-is-id", message, place, severity="warning")]
