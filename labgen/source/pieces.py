"""Locate each laboratory in data/ (a file, or a line of laboratories.jsonl), and read and parse it."""

import os
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

from labgen.problems.problem import Place, Pointer, Problem
from labgen.source.encodings import SAMPLE, check_encoding, decode, decode_part
from labgen.source.file_names import BULK, FOLDER, check_laboratory_name, is_misnamed, rename_hint
from labgen.source.formats.format import Entry
from labgen.source.formats.json_format import check_lines, parse_line
from labgen.source.formats.json_syntax import SEVERAL
from labgen.source.layout import format_of
from labgen.source.read_files import check_file, is_plain, read_checked, reason
from labgen.system.input_files import DATA, LABORATORIES

ReadPiece = Callable[["Piece"], tuple[bytes | None, list[Problem]]]
"""What returns the bytes of a laboratory, or None and why it cannot be read."""
ONE_A_FILE = f"write one laboratory a file, or one a line of {BULK}"
SCHEMA_KEY = "$schema"
"""A key of a laboratory that tells editors what it is, and labgen nothing."""


class Piece(NamedTuple):
    """A file with one laboratory, or a line of a file: its number from 0, its first byte and its length.

    The line of a table is a row, and what is read of it is the JSON of its laboratory.
    """

    file: str
    line: int | None = None
    start: int = 0
    length: int = 0

    @property
    def pointer(self) -> Pointer:
        """The pointer to the laboratory in its file."""
        return () if self.line is None else (self.line,)


def find_pieces(
    root: Path, files: Collection[str], wanted: Collection[str]
) -> tuple[list[Piece], list[Problem]]:
    """Return the places of laboratories, and problems.

    `files` are those in the folder, of which only the `wanted` are returned. Of a file of all laboratories,
    all lines are.
    """
    folder, bulk = root / FOLDER, root / BULK
    has_folder, has_bulk = os.path.lexists(folder), os.path.lexists(bulk)
    if has_folder and has_bulk:
        message = f"`{BULK}` and `{FOLDER}/` are both there, but laboratories have one source"
        return [], [Problem("two-files", message, Place(BULK), "remove one of the two")]
    if not has_folder and not has_bulk:
        if is_misnamed(root / DATA, LABORATORIES):
            return [], []
        hint = rename_hint(root / DATA, LABORATORIES)
        hint = hint or f"write one file a laboratory into {FOLDER}/, or all into {BULK}"
        return [], [Problem("missing-file", "there are no laboratories in data/", Place(DATA), hint)]
    return _in_bulk(root) if has_bulk else _in_folder(root, files, wanted)


def check_alone(root: Path, table: str) -> list[Problem]:
    """Report files of laboratories beside a table of them; `table` is its file."""
    return [
        Problem(
            "two-files",
            f"`{table}` and `{one}` are both there, but laboratories have one source",
            Place(table),
            "remove one of the two",
        )
        for one in (FOLDER, BULK)
        if os.path.lexists(root / one)
    ]


def _in_folder(
    root: Path, files: Collection[str], wanted: Collection[str]
) -> tuple[list[Piece], list[Problem]]:
    folder = root / FOLDER
    if problems := _check_folder(folder, root / DATA):
        return [], problems
    pieces = []
    for file in sorted(wanted):
        if wrong := check_laboratory_name(root, file):
            problems += wrong
        else:
            pieces.append(Piece(file))
    if not files:
        problems.append(Problem("missing-file", f"there are no laboratories in {FOLDER}/", Place(FOLDER)))
    return pieces, problems


def _check_folder(folder: Path, data: Path) -> list[Problem]:
    problems = [one for one in check_file(folder, FOLDER, data) if one.code != "not-a-file"]
    if problems:
        return problems
    if not folder.is_dir():
        return [Problem("not-a-file", f"`{FOLDER}` is a file, where a folder should be", Place(FOLDER))]
    try:
        os.scandir(folder).close()
    except OSError as error:
        return [Problem("unreadable-file", f"`{FOLDER}` cannot be read: {reason(error)}", Place(FOLDER))]
    return []


def _in_bulk(root: Path) -> tuple[list[Piece], list[Problem]]:
    """Find the lines, without keeping them: lines end at U+000A only, and blank ones are passed over."""
    path = root / BULK
    if not is_plain(path) and (problems := check_file(path, BULK, root / DATA)):
        return [], problems
    pieces: list[Piece] = []
    start = 0
    try:
        with path.open("rb") as file:
            head = file.read(SAMPLE)
            problems = check_encoding(head, BULK) or check_lines(head.decode(errors="replace"), BULK)
            if problems:
                return [], problems
            file.seek(0)
            for number, line in enumerate(file):
                if line.strip(b" \t\r\n"):
                    pieces.append(Piece(BULK, number, start, len(line)))
                start += len(line)
    except OSError as error:
        return [], [Problem("unreadable-file", f"`{BULK}` cannot be read: {reason(error)}", Place(BULK))]
    return pieces, [] if pieces else decode(b"", BULK)[1]


@cache
def _data_of(root: Path) -> Path:
    return root / DATA


def read_piece(root: Path, piece: Piece) -> tuple[bytes | None, list[Problem]]:
    """Return the bytes of a laboratory, or None and the reason."""
    path = f"{root}/{piece.file}"
    if piece.line is None:
        return read_checked(path, piece.file, _data_of(root))
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            return os.pread(descriptor, piece.length, piece.start), []
        finally:
            os.close(descriptor)
    except OSError as error:
        message = f"`{piece.file}` cannot be read: {reason(error)}"
        return None, [Problem("unreadable-file", message, Place(piece.file))]


def _decode_line(piece: Piece, data: bytes) -> tuple[str | None, list[Problem]]:
    return decode_part(data, piece.file, piece.start, piece.line or 0)


def parse_piece(piece: Piece, data: bytes) -> tuple[Entry | None, list[Problem]]:
    """Return the parsed value of a laboratory, and problems of encoding and syntax."""
    is_whole = piece.line is None
    text, problems = decode(data, piece.file) if is_whole else _decode_line(piece, data)
    if text is None:
        return None, problems
    if piece.line is None:
        file_format = format_of(piece.file)
        assert file_format is not None, piece.file  # noqa: S101 - pieces are chosen by their suffix
        entries, found = file_format.parse(text, piece.file)
    else:
        entries, found = parse_line(text.rstrip("\n"), piece.line, piece.file)
    found = [replace(one, hint=ONE_A_FILE) if one.hint == SEVERAL else one for one in found]
    entry = next(iter(entries), None)
    return entry and Entry(entry.pointer, without_schema(entry.value)), problems + found


def without_schema(value: object) -> object:
    """Return a laboratory without the key that tells editors what it is."""
    if not isinstance(value, dict) or not isinstance(value.get(SCHEMA_KEY), str):
        return value
    return {key: one for key, one in value.items() if key != SCHEMA_KEY}
