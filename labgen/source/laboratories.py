"""The laboratories: one file each in data/laboratories/, or all in data/laboratories.jsonl."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from labgen.problems import Place, Pointer, Problem, count_errors
from labgen.records import LaboratoryRecord
from labgen.source.files import check_file, name_of
from labgen.source.formats import Entry
from labgen.source.layout import LABORATORIES, LABORATORY_SUFFIXES, is_note
from labgen.source.lists import read_entries, read_file
from labgen.source.validate import check_texts, validate


@dataclass(frozen=True, slots=True)
class SourceLaboratory:
    """A sound record, and where it is written."""

    record: LaboratoryRecord
    file: str
    pointer: Pointer

    def place(self, *steps: str | int) -> Place:
        """Return the place of one part of the record."""
        return Place(self.file, (*self.pointer, *steps))


@dataclass(frozen=True, slots=True)
class SourceLaboratories:
    """The sound laboratories in the order of their display_id, and all display_ids, the unsound too."""

    sound: tuple[SourceLaboratory, ...] = ()
    known: set[str] = field(default_factory=set)
    is_complete: bool = True


def load_laboratories(data: Path) -> tuple[SourceLaboratories, list[Problem]]:
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
    return _checked(_from_bulk(data) if has_bulk else _from_folder(data, folder))


Found = tuple[str, list[Entry], list[Problem]]


def _from_bulk(data: Path) -> Iterator[Found]:
    file = f"data/{LABORATORIES}.jsonl"
    entries, problems = read_entries(data, file)
    yield file, entries, problems


def _from_folder(data: Path, folder: Path) -> Iterator[Found]:
    name = f"data/{LABORATORIES}"
    if wrong := _check_folder(folder, name, data):
        yield name, [], wrong
        return
    paths = sorted(folder.iterdir())
    if not any(path.suffix in LABORATORY_SUFFIXES for path in paths):
        yield name, [], [Problem("missing-file", f"there are no laboratories in {name}/", Place(name))]
    for path in paths:
        file = name_of(data.parent, path)
        if is_note(path.name):
            continue
        if not file.endswith(path.name):
            yield (
                file,
                [],
                [Problem("unreadable-file", f"the name `{file}` is not UTF-8", Place(file), "rename it")],
            )
        elif path.suffix in LABORATORY_SUFFIXES:
            entries, problems, _ = read_file(data, file)
            yield file, entries, problems
        else:
            what = "a folder" if path.is_dir() else "a file that does not end in .json, .yaml or .yml"
            yield (
                file,
                [],
                [
                    Problem(
                        "ignored-file", f"`{file}` is not read: it is {what}", Place(file), severity="warning"
                    )
                ],
            )


def _check_folder(folder: Path, name: str, data: Path) -> list[Problem]:
    problems = [one for one in check_file(folder, name, data) if one.code != "not-a-file"]
    if not problems and not folder.is_dir():
        problems = [Problem("not-a-file", f"`{name}` is a file, where a folder should be", Place(name))]
    return problems


def _checked(found: Iterator[Found]) -> tuple[SourceLaboratories, list[Problem]]:
    first: dict[str, str] = {}
    known: set[str] = set()
    sound: list[SourceLaboratory] = []
    problems: list[Problem] = []
    is_complete = True
    for file, entries, wrong in found:
        problems += wrong
        is_complete = is_complete and not count_errors(wrong)
        for entry in entries:
            record, more = validate(LaboratoryRecord, entry.value, file, entry.pointer, "laboratory")
            problems += more
            known.add(_written_id(entry.value))
            if record is None:
                continue
            if record.display_id in first:
                problems.append(_duplicate(record.display_id, first[record.display_id], file, entry.pointer))
                continue
            first[record.display_id] = file
            problems += check_texts(record, file, entry.pointer)
            problems += check_texts(record.contact_person, file, (*entry.pointer, "contact_person"))
            sound.append(SourceLaboratory(record, file, entry.pointer))
    sound.sort(key=lambda laboratory: laboratory.record.display_id)
    return SourceLaboratories(tuple(sound), known, is_complete), problems


def _written_id(value: object) -> str:
    return str(value.get("display_id", "")) if isinstance(value, dict) else ""


def _duplicate(display_id: str, first: str, file: str, pointer: Pointer) -> Problem:
    where = "another laboratory of this file" if first == file else first
    message = f"`display_id` {display_id} is also that of {where}"
    return Problem(
        "duplicate-id", message, Place(file, (*pointer, "display_id")), "each laboratory has its own"
    )
