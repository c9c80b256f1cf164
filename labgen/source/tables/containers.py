"""Look into a workbook before its reader is called: what is packed in it, and how large its sheets are.

The reader unpacks a workbook, and keeps each sheet as a rectangle that reaches from the first to the last
filled cell, with a copy of each text. So one cell at the end of a sheet, a row that is repeated a billion
times, or a long text that many cells share takes more memory than there is, and the reader then ends the
program. Here the parts are unpacked piece by piece and parsed as XML, and nothing but numbers is kept.
"""

import re
import zlib
from array import array
from collections.abc import Callable, Iterator
from itertools import islice
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import BinaryIO, NoReturn
from xml.parsers import expat
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from labgen.formats.budget import MEGABYTE, Budget
from labgen.problems.problem import Place, Pointer, Problem, short
from labgen.problems.text import plural, say
from labgen.source.tables.cell_names import cell_name, column_number
from labgen.source.tables.formulas import sheet_of_part

UNPACKED = 4
"""How many times as large as a file its parts may be together."""
MOST_PARTS = 10_000
"""How many parts a container has at most; a workbook has some for each sheet."""
MOST_SHEETS = 1000
LONGEST_TOKEN = 8 * MEGABYTE
"""The longest tag or comment in XML, in bytes: a parser keeps it until it ends."""
STEP = 256 * 1024
SPARSE = 8_000_000
"""How many cells the rectangle of a sheet may always have, in any case four times as many as are filled."""
_XML = (".xml", ".rels")
_PART = re.compile(rb"PK\x01\x02")


class UnreadableError(Exception):
    """Why a file or one of its sheets cannot be read, as one sentence.

    `hint` says what to do, `pointer` leads to a sheet, and to one of its rows; `code` is that of the problem.
    """

    def __init__(
        self, message: str, hint: str = "", pointer: Pointer = (), code: str = "unreadable-table"
    ) -> None:
        super().__init__(message)
        self.hint, self.pointer, self.code = hint, pointer, code


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


SAVE_AGAIN = say("open it in a spreadsheet, and save it again")


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


def _scan_of(archive: ZipFile, name: str, file: str, budget: Budget, shared: "array[int]") -> "_Scan | None":
    """Return the scan of a part, or None if the reader does not parse it."""
    if not name.endswith(_XML):
        return None
    if name == "content.xml":
        return _OdsScan(file, budget)
    if _has_shared(name):
        return _SharedScan(file, budget, shared)
    return _SheetScan(archive, name, file, budget, shared) if "sheets/" in name else _Scan(file, budget)


class _Scan:
    """A scan of a part in XML; the plain one finds tags that are too long, and definitions of entities."""

    def __init__(self, file: str, budget: Budget) -> None:
        self.file, self.budget, self.fed = file, budget, 0
        self.parser = expat.ParserCreate()
        self.parser.StartDoctypeDeclHandler = self._refuse_definitions

    def _refuse_definitions(self, *_: object) -> None:
        raise UnreadableError(say("`{file}` defines entities of its own in XML", file=self.file), SAVE_AGAIN)

    def feed(self, piece: bytes) -> None:
        """Parse a piece of the part."""
        self.fed += len(piece)
        try:
            self.parser.Parse(piece)
        except expat.ExpatError as error:
            message = say(
                "`{file}` is damaged: its XML cannot be read ({error})", file=self.file, error=error
            )
            raise UnreadableError(message, SAVE_AGAIN) from None
        if self.fed - max(self.parser.CurrentByteIndex, 0) > LONGEST_TOKEN:
            message = say(
                "`{file}` holds a comment or a tag of more than {longest_token} MB",
                file=self.file,
                longest_token=LONGEST_TOKEN // MEGABYTE,
            )
            raise UnreadableError(message, SAVE_AGAIN, code="too-large")

    def end(self) -> None:
        """Check what was found in the whole part."""


class _SharedScan(_Scan):
    """A scan of the texts that cells share, which keeps their lengths."""

    def __init__(self, file: str, budget: Budget, lengths: "array[int]") -> None:
        super().__init__(file, budget)
        self.lengths = lengths
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.CharacterDataHandler = self._text

    def _start(self, tag: str, _: object) -> None:
        if tag == "si" or tag[-3:] == ":si":
            self.lengths.append(0)

    def _text(self, text: str) -> None:
        if self.lengths:
            self.lengths[-1] += len(text)


class _SheetScan(_Scan):
    """A scan of a sheet in Excel's XML: the rectangle of its cells, and the size of the texts they share."""

    def __init__(self, archive: ZipFile, part: str, file: str, budget: Budget, shared: "array[int]") -> None:
        super().__init__(file, budget)
        self.archive, self.part, self.shared = archive, part, shared
        self.box = _Box(file, budget, self._name)
        self.row = self.column = 0
        self.is_shared = False
        self.parser.ordered_attributes = True
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.CharacterDataHandler = self._value

    def _start(self, tag: str, attributes: list[str]) -> None:
        """Take a cell if it holds something: `v` and `is` hold its value."""
        if tag in ("v", "is") or tag[-2:] == ":v" or tag[-3:] == ":is":
            self.box.add(self.row, self.column)
        elif tag == "c" or tag[-2:] == ":c":
            self.column += 1
            self.is_shared = False
            for number in range(0, len(attributes), 2):
                if attributes[number] == "r":
                    self.row, self.column = self._cell(attributes[number + 1])
                elif attributes[number] == "t":
                    self.is_shared = attributes[number + 1] == "s"
        elif tag == "row" or tag[-4:] == ":row":
            self.row, self.column = self.row + 1, -1
            if "r" in attributes[::2]:
                self.row = _number(attributes[attributes.index("r") + 1], self.file) - 1

    def _value(self, text: str) -> None:
        """Take the text whose number is in a cell."""
        if self.is_shared and len(text) < LONGEST_NAME and text.isdecimal():
            number = int(text)
            if number < len(self.shared):
                self.box.add_text(self.shared[number])

    def _cell(self, name: str) -> tuple[int, int]:
        letters = name.rstrip("0123456789")
        column = column_number(letters)
        if column is None or len(name) == len(letters) or len(name) > LONGEST_NAME:
            raise UnreadableError(
                say("`{file}` holds a cell with the name {name}", file=self.file, name=short(name)),
                SAVE_AGAIN,
            )
        return int(name[len(letters) :]) - 1, column

    def _name(self) -> str:
        return sheet_of_part(self.archive, self.part)

    def feed(self, piece: bytes) -> None:
        """Parse a piece of the sheet; too many cells are found before its end."""
        super().feed(piece)
        if self.box.row > self.budget.rows or self.box.filled > self.budget.values:
            self.box.check()

    def end(self) -> None:
        """Check the rectangle of the sheet."""
        self.box.check()


class _OdsScan(_Scan):
    """A scan of the sheets of OpenDocument, which finds the rectangle of each, with all that is repeated."""

    def __init__(self, file: str, budget: Budget) -> None:
        super().__init__(file, budget)
        self.name = ""
        self.box = _Box(file, budget, lambda: self.name)
        self.row = self.below = self.column = self.width = 0
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.CharacterDataHandler = self._text

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "text:p":
            self._fill()
        elif tag == "text:s":
            self._add_text(self._repeats(attributes, "text:c"))
        elif tag in ("table:table-cell", "table:covered-table-cell"):
            self.column += self.width
            self.width = self._repeats(attributes, "table:number-columns-repeated")
            if any(one.startswith("office:") for one in attributes):
                self._fill()
                self._add_text(sum(map(len, attributes.values())))
        elif tag == "table:table-row":
            self.row = self.below
            self.column = self.width = 0
            self.below += self._repeats(attributes, "table:number-rows-repeated")
        elif tag == "table:table":
            self.end()
            self.box = _Box(self.file, self.budget, lambda: self.name)
            self.name, self.row, self.below = attributes.get("table:name", ""), 0, 0

    def _repeats(self, attributes: dict[str, str], name: str) -> int:
        return _number(attributes.get(name, "1"), self.file)

    def _text(self, text: str) -> None:
        if self.width:
            self._add_text(len(text))

    def _add_text(self, length: int) -> None:
        self.box.add_text(length * self._times())

    def _fill(self) -> None:
        """Take the current cell, with its repetitions, once."""
        self.box.add(self.below - 1, self.column + self.width - 1, self._times())

    def _times(self) -> int:
        """Return how many cells the current one stands for."""
        return (self.below - self.row) * self.width

    def end(self) -> None:
        """Check the rectangle of the last sheet."""
        self.box.check()


class _Box:
    """The rectangle of the filled cells: its last row and column, their number, and their characters."""

    def __init__(self, file: str, budget: Budget, name: Callable[[], str]) -> None:
        self.file, self.budget, self.name = file, budget, name
        self.filled, self.characters, self.row, self.column = 0, 0, -1, -1
        self.last = (-1, -1)

    def add(self, row: int, column: int, count: int = 1) -> None:
        """Take a filled cell, or several that end there; the same cell may be given twice."""
        if self.last != (row, column):
            self.filled += count
            self.last = (row, column)
        if row > self.row:  # noqa: PLR1730 - a sheet has millions of cells
            self.row = row
        if column > self.column:  # noqa: PLR1730
            self.column = column

    def add_text(self, length: int) -> None:
        """Take the characters of a cell, or of several. Raises `UnreadableError` if they are too many."""
        self.characters += length
        if self.characters > self.budget.file:
            self.check_size()
            self._refuse(self.budget.of_texts(Place(self.file), f"sheet `{self.name()}` of `{self.file}`"))

    def check_size(self) -> None:
        """Raise `UnreadableError` if more is filled than the budget allows."""
        for is_reached, problem in (
            (self.row > self.budget.rows, self.budget.of_rows),
            (self.filled > self.budget.values, self.budget.of_values),
        ):
            if is_reached:
                self._refuse(
                    problem(
                        Place(self.file), say("sheet `{name}` of `{file}`", name=self.name(), file=self.file)
                    )
                )

    def check(self) -> None:
        """Raise `UnreadableError` if the sheet is too large, or nearly empty and very large."""
        if (self.row + 1) * (self.column + 1) > max(SPARSE, UNPACKED * self.filled):
            is_endless = max(self.row, self.column) > ENDLESS
            end = say("row {row:,}", row=self.row + 1) if is_endless else cell_name(self.row, self.column)
            filled = plural(self.filled, "cell")
            message = say(
                "sheet `{name}` of `{file}` reaches to {end}, but has only {filled} with a value",
                name=self.name(),
                file=self.file,
                end=end,
                filled=filled,
            )
            hint = say(
                "delete the rows and columns behind the table, also those that look empty, and save it again"
            )
            self._refuse(Problem("too-large", message, Place(self.file), hint))
        self.check_size()

    def _refuse(self, problem: Problem) -> NoReturn:
        raise UnreadableError(problem.message, problem.hint, (self.name(), self.row), problem.code)


def _number(text: str, file: str) -> int:
    if not text.isdecimal() or len(text) > LONGEST_NUMBER:
        raise UnreadableError(
            say("`{file}` holds {text} where a number should be", file=file, text=short(text)), SAVE_AGAIN
        )
    return int(text)


LONGEST_NAME, LONGEST_NUMBER = 12, 20
ENDLESS = 10_000_000
