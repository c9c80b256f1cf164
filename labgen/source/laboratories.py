"""The laboratories: one file each in data/laboratories/, or all in data/laboratories.jsonl."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from labgen.problems import Place, Pointer, Problem, count_errors
from labgen.progress import Progress
from labgen.records import LaboratoryRecord
from labgen.source.files import check_file, name_of, reason
from labgen.source.formats import Entry
from labgen.source.layout import LABORATORIES, LABORATORY_SUFFIXES, is_note
from labgen.source.lists import read_entries, read_file
from labgen.source.validate import check_texts, validate


@dataclass(frozen=True, slots=True)
class SourceLaboratory:
    """A record, and where it is written.

    Of a record with mistakes, `unsound` are the fields that hold something else than what was written; the
    others can still be looked at, so that one run finds all mistakes.
    """

    record: LaboratoryRecord
    file: str
    pointer: Pointer
    unsound: frozenset[str] = frozenset()

    def place(self, *steps: str | int) -> Place:
        """Return the place of one part of the record."""
        return Place(self.file, (*self.pointer, *steps))


@dataclass(frozen=True, slots=True)
class SourceLaboratories:
    """The laboratories in the order of their display_id, and all display_ids that are written."""

    found: tuple[SourceLaboratory, ...] = ()
    known: set[str] = field(default_factory=set)
    is_complete: bool = True


def load_laboratories(data: Path, progress: Progress) -> tuple[SourceLaboratories, list[Problem]]:
    """Return all laboratories that can be read, each checked for itself, and all problems."""
    folder, bulk = data / LABORATORIES, data / f"{LABORATORIES}.jsonl"
    has_folder, has_bulk = os.path.lexists(folder), os.path.lexists(bulk)
    if has_folder and has_bulk:
        message = (
            f"`data/{bulk.name}` and `data/{folder.name}/` are both there, but laboratories have one source"
        )
        problem = Problem("two-files", message, Place(f"data/{bulk.name}"), "remove one of the two")
        return SourceLaboratories(is_complete=False), [problem]
    if not has_folder and not has_bulk:
        hint = "write one file a laboratory into data/laboratories/, or all into data/laboratories.jsonl"
        problem = Problem("missing-file", "there are no laboratories in data/", Place("data"), hint)
        return SourceLaboratories(), [problem]
    return _checked(_from_bulk(data) if has_bulk else _from_folder(data, folder, progress))


Found = tuple[str, list[Entry], list[Problem]]


def _from_bulk(data: Path) -> Iterator[Found]:
    file = f"data/{LABORATORIES}.jsonl"
    entries, problems = read_entries(data, file)
    yield file, entries, problems


def _from_folder(data: Path, folder: Path, progress: Progress) -> Iterator[Found]:
    name = f"data/{LABORATORIES}"
    if wrong := _check_folder(folder, name, data):
        yield name, [], wrong
        return
    try:
        paths = [path for path in sorted(folder.iterdir()) if not is_note(path.name)]
    except OSError as error:
        yield name, [], [Problem("unreadable-file", f"`{name}` cannot be read: {reason(error)}", Place(name))]
        return
    if not any(path.suffix in LABORATORY_SUFFIXES for path in paths):
        yield name, [], [Problem("missing-file", f"there are no laboratories in {name}/", Place(name))]
    for done, path in enumerate(paths):
        progress("read", done, len(paths))
        file = name_of(data.parent, path)
        if wrong := _check_name(path, file):
            yield file, [], wrong
        else:
            entries, problems, _ = read_file(data, file)
            yield file, entries, problems


def _check_name(path: Path, file: str) -> list[Problem]:
    place = Place(file)
    if not file.endswith(path.name):
        return [Problem("unreadable-file", f"the name `{file}` is not UTF-8", place, "rename it")]
    if path.suffix not in LABORATORY_SUFFIXES:
        what = "a folder" if path.is_dir() else "a file that does not end in .json, .yaml or .yml"
        return [Problem("ignored-file", f"`{file}` is not read: it is {what}", place, severity="warning")]
    return []


def _check_folder(folder: Path, name: str, data: Path) -> list[Problem]:
    problems = [one for one in check_file(folder, name, data) if one.code != "not-a-file"]
    if not problems and not folder.is_dir():
        problems = [Problem("not-a-file", f"`{name}` is a file, where a folder should be", Place(name))]
    return problems


def _checked(files: Iterator[Found]) -> tuple[SourceLaboratories, list[Problem]]:
    first: dict[str, SourceLaboratory] = {}
    known: set[str] = set()
    found: list[SourceLaboratory] = []
    problems: list[Problem] = []
    is_complete = True
    for file, entries, wrong in files:
        problems += wrong
        is_complete = is_complete and not count_errors(wrong)
        for entry in entries:
            laboratory, more = _laboratory(entry, file)
            problems += more
            known.add(_written_id(entry.value))
            if laboratory is None:
                continue
            found.append(laboratory)
            if "display_id" not in laboratory.unsound:
                other = first.setdefault(laboratory.record.display_id, laboratory)
                problems += _check_duplicate(laboratory, other)
    found.sort(key=lambda laboratory: laboratory.record.display_id)
    return SourceLaboratories(tuple(found), known, is_complete), problems


def _laboratory(entry: Entry, file: str) -> tuple[SourceLaboratory | None, list[Problem]]:
    """Return a laboratory, or what can be saved of it, and what is wrong with it."""
    record, problems = validate(LaboratoryRecord, entry.value, file, entry.pointer, "laboratory")
    unsound: frozenset[str] = frozenset()
    if record is None:
        record, unsound = _salvaged(entry, problems)
        return SourceLaboratory(record, file, entry.pointer, unsound) if record else None, problems
    problems += check_texts(record, file, entry.pointer)
    problems += check_texts(record.contact_person, file, (*entry.pointer, "contact_person"))
    return SourceLaboratory(record, file, entry.pointer), problems


_STAND_INS = {"display_id": "0", "name": "?", "country": "", "deal_status": "", "verification_status": ""}


def _salvaged(entry: Entry, problems: list[Problem]) -> tuple[LaboratoryRecord | None, frozenset[str]]:
    """Return the record with stand-ins for the fields that have problems, and the names of these fields."""
    if not isinstance(entry.value, dict):
        return None, frozenset()
    depth = len(entry.pointer)
    wrong = {str(step) for problem in problems for step in (problem.place.pointer or ())[depth : depth + 1]}
    fields = LaboratoryRecord.model_fields
    sound = {name: value for name, value in entry.value.items() if name in fields and name not in wrong}
    record, more = validate(LaboratoryRecord, _STAND_INS | sound, "", (), "")
    return (None if more else record), frozenset(_STAND_INS.keys() - sound.keys())


def _written_id(value: object) -> str:
    return str(value.get("display_id", "")) if isinstance(value, dict) else ""


def _check_duplicate(laboratory: SourceLaboratory, first: SourceLaboratory) -> list[Problem]:
    """Report a laboratory that is not the first with its display_id."""
    if laboratory is first:
        return []
    where = "another laboratory of this file" if laboratory.file == first.file else first.file
    message = f"`display_id` {laboratory.record.display_id} is also that of {where}"
    return [Problem("duplicate-id", message, laboratory.place("display_id"), "each laboratory has its own")]
