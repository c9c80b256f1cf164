"""Look into a workbook before its reader is called: what is packed in it, and how large its sheets are.

The reader unpacks a workbook, and keeps each sheet as a rectangle that reaches from the first to the last
filled cell, with a copy of each text. So one cell at the end of a sheet, a row that is repeated a billion
times, or a long text that many cells share takes more memory than there is, and the reader then ends the
program. Here the parts are unpacked piece by piece and parsed as XML, and nothing but numbers is kept.
"""

import re
import zlib
from array import array
from collections.abc import Iterator
from itertools import islice
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from labgen.formats.budget import MEGABYTE, Budget
from labgen.problems.text import say
from labgen.source.tables.scan_parts import UNPACKED, OdsScan, Scan, SharedScan, SheetScan
from labgen.source.tables.unreadable import SAVE_AGAIN, UnreadableError

MOST_PARTS = 10_000
"""How many parts a container has at most; a workbook has some for each sheet."""
MOST_SHEETS = 1000
STEP = 256 * 1024
_XML = (".xml", ".rels")
_PART = re.compile(rb"PK\x01\x02")


def check_container(path: Path, file: str, budget: Budget) -> None:
    """Raise `UnreadableError` if a workbook is too large for its reader. Raises OSError, too.

    A file that is no ZIP archive is left to the reader.
    """
    if path.stat().st_size > budget.file:
        found = budget.of_file(file, path.stat().st_size)
        raise UnreadableError(found.message, found.hint, code=found.code)
    if path.stat().st_size == 0:
        return
    with path.open("rb") as opened:
        with mmap(opened.fileno(), 0, access=ACCESS_READ) as data:
            if data[:2] != b"PK":
                return
            if sum(1 for _ in islice(_PART.finditer(data), MOST_PARTS + 1)) > MOST_PARTS:
                raise UnreadableError(
                    say("`{file}` holds more than {most_parts:,} parts", file=file, most_parts=MOST_PARTS),
                    SAVE_AGAIN,
                )
        try:
            with ZipFile(opened) as archive:
                _check_parts(opened, archive, file, budget)
        except (BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError):
            return  # the reader explains what is damaged


def _check_parts(opened: BinaryIO, archive: ZipFile, file: str, budget: Budget) -> None:
    """Unpack all parts, piece by piece, and check their size and the sheets among them."""
    most = left = UNPACKED * budget.file
    if (told := sum(part.file_size for part in archive.infolist())) > most:
        raise _unpacked(file, told, most, budget)
    shared = array("I")
    for part in sorted(archive.infolist(), key=lambda one: not _has_shared(one.filename)):
        scan = _scan_of(archive, part.filename, file, budget, shared)
        for piece in _unpacked_pieces(opened, part):
            left -= len(piece)
            if left < 0:
                raise _unpacked(file, most - left, most, budget)
            if scan:
                scan.feed(piece)
        if scan:
            scan.end()


def _unpacked(file: str, size: int, most: int, budget: Budget) -> UnreadableError:
    message = say(
        "`{file}` has at least {size:,.0f} MB when it is unpacked, but at most {most:,.0f} MB are read",
        file=file,
        size=size / MEGABYTE,
        most=most / MEGABYTE,
    )
    return UnreadableError(message, budget.hint("file_megabytes"), code="too-large")


def _unpacked_pieces(opened: BinaryIO, part: ZipInfo) -> Iterator[bytes]:
    """Yield a part of an archive as it is unpacked, whatever its header says of its size."""
    if part.header_offset < 0:  # as a damaged directory of the archive has it
        raise BadZipFile
    opened.seek(part.header_offset)
    header = opened.read(30)
    opened.seek(int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little"), 1)
    left = part.compress_size
    unpack = zlib.decompressobj(-15)
    while left > 0 and (packed := opened.read(min(left, STEP))):
        left -= len(packed)
        if part.compress_type == ZIP_STORED:
            yield packed
            continue
        if part.compress_type != ZIP_DEFLATED:
            raise BadZipFile
        while packed:
            yield unpack.decompress(packed, STEP)
            packed = unpack.unconsumed_tail


def _has_shared(name: str) -> bool:
    """Return whether a part has the texts that cells of all sheets share."""
    return name.lower().endswith("sharedstrings.xml")


def _scan_of(archive: ZipFile, name: str, file: str, budget: Budget, shared: "array[int]") -> "Scan | None":
    """Return the scan of a part, or None if the reader does not parse it."""
    if not name.endswith(_XML):
        return None
    if name == "content.xml":
        return OdsScan(file, budget)
    if _has_shared(name):
        return SharedScan(file, budget, shared)
    return SheetScan(archive, name, file, budget, shared) if "sheets/" in name else Scan(file, budget)
