"""Write records as JSON Lines and as CSV tables, split into files within the size limits of hosts."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from labgen.export.table_rows import Cell, ExportSelection, Row
from labgen.model.records import LaboratoryRecord, Record
from labgen.model.tables import LIST_TABLES, TABLES, Table
from labgen.system.formula_guard import guarded
from labgen.system.input_files import LABORATORIES

MOST_BYTES = 24 * 1024 * 1024
"""The largest size of a file: hosts accept 25 MiB."""


class File(NamedTuple):
    """A file: its name, and its bytes."""

    name: str
    data: bytes


class Data(NamedTuple):
    """The data to export: the laboratories, in order, and the entries of the shared lists, by stem."""

    laboratories: Iterable[LaboratoryRecord]
    lists: Mapping[str, Iterable[Record]]


class _Parts:
    """Splits records into files of limited size; each file begins with `head`."""

    def __init__(self, stem: str, suffix: str, most: int, head: bytes = b"") -> None:
        self.stem = stem
        self.suffix = suffix
        self.most = most
        self.head = head
        self.parts = [head]
        self.size = len(head)
        self.number = 1

    def add(self, data: bytes) -> Iterator[File]:
        """Add a record; yield the current file first if the record does not fit into it."""
        if self.size + len(data) > self.most and len(self.parts) > 1:
            yield self.file()
            self.parts, self.size, self.number = [self.head], len(self.head), self.number + 1
        self.parts.append(data)
        self.size += len(data)

    def file(self) -> File:
        """Return the current file, which was not yet yielded."""
        number = "" if self.number == 1 else f"-{self.number}"
        return File(f"{self.stem}{number}{self.suffix}", b"".join(self.parts))


def json_lines(data: Data, what: ExportSelection, most: int = MOST_BYTES) -> Iterator[File]:
    """Yield files of laboratories, one per line, and of the entries of each shared list."""
    parts = _Parts(LABORATORIES, ".jsonl", most)
    for record in data.laboratories:
        yield from parts.add(what.line(record))
    yield parts.file()
    for stem, entries in data.lists.items():
        parts = _Parts(stem, ".jsonl", most)
        for entry in entries:
            yield from parts.add(what.line(entry))
        yield parts.file()


def csv_tables(data: Data, what: ExportSelection, most: int = MOST_BYTES) -> Iterator[File]:
    """Yield the tables as CSV: in UTF-8, with commas, and a header in each file. Empty tables are omitted.

    Texts that spreadsheets would run as formulas are guarded.
    """
    tables: dict[str, _Parts] = {}
    for name, row in all_rows(data, what):
        if name not in tables:
            tables[name] = _Parts(name, ".csv", most, _line(one.name for one in what.columns(TABLES[name])))
        yield from tables[name].add(_line(_text(row.get(one.name)) for one in what.columns(TABLES[name])))
    yield from (parts.file() for parts in tables.values())


def all_rows(data: Data, what: ExportSelection) -> Iterator[tuple[str, Row]]:
    """Yield the rows of all tables: those of the shared lists, then those of each laboratory."""
    for stem, entries in data.lists.items():
        table: Table = LIST_TABLES[stem]
        yield from ((stem, what.entry(entry, table)) for entry in entries)
    for record in data.laboratories:
        yield from what.laboratory(record)


def _line(cells: Iterable[str]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text).writerow(cells)
    return text.getvalue().encode()


def _text(cell: Cell) -> str:
    if cell is None:
        return ""
    return str(cell).lower() if isinstance(cell, bool) else guarded(str(cell))


TEXT_FORMS = {"jsonl": json_lines, "csv": csv_tables}
"""The functions that write text files, by the name of the format."""
