"""Find how a workbook shows its numbers: the formats of cells in Excel's XML, and what OpenDocument shows.

The workbook reader gives values without their formats. So the XML of a sheet is parsed again, piece by piece,
and only where a column of texts holds numbers.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET
from xml.parsers import expat
from zipfile import BadZipFile, ZipFile

from labgen.source.tables.cell_names import column_number
from labgen.source.tables.formulas import SUFFIXES, part_of

GENERAL = "General"
STEP = 256 * 1024
BUILT_IN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?",
    13: "# ??/??", 14: "dd.mm.yyyy", 15: "dd. mmm yy", 16: "dd. mmm", 17: "mmm yy", 18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM", 20: "hh:mm", 21: "hh:mm:ss", 22: "dd.mm.yyyy hh:mm", 37: "#,##0", 38: "#,##0",
    39: "#,##0.00", 40: "#,##0.00", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0", 49: "@",
}  # fmt: skip
"""The formats that files name by their numbers (ISO/IEC 29500-1, 18.8.30), as German programs show them."""


class CellFormat(NamedTuple):
    """How a cell is shown: its row and column, counted from 0, and its format.

    `text` is what the screen shows, where the file says so (OpenDocument); else "".
    """

    row: int
    column: int
    code: str
    text: str = ""


FindFormats = Callable[[Collection[int]], Iterator[CellFormat]]
"""Yields the formats of the cells in some columns of a sheet that hold numbers or dates, row by row."""


def no_formats(_columns: Collection[int]) -> Iterator[CellFormat]:
    """Yield nothing: for files that have no formats, or whose formats are not read."""
    yield from ()


def formats_in(path: Path, sheet: str) -> FindFormats:
    """Return what finds the formats of the cells of a sheet in a workbook."""
    if path.name.lower().endswith(SUFFIXES):
        return lambda columns: _readable(_in_excel(path, sheet, columns))
    if path.suffix.lower() == ".ods":
        return lambda columns: _readable(_in_open_document(path, sheet, columns))
    return no_formats


def _readable(found: Iterable[CellFormat]) -> Iterator[CellFormat]:
    """Yield formats until something cannot be read: the reader of the workbook has explained what it is."""
    try:
        yield from found
    except (BadZipFile, KeyError, ValueError, ET.ParseError, expat.ExpatError, OSError):
        return


def _in_excel(path: Path, sheet: str, columns: Collection[int]) -> Iterator[CellFormat]:
    with ZipFile(path) as archive:
        codes = _codes(archive)
        with archive.open(part_of(archive, sheet)) as part:
            yield from _parsed(part.read, _ExcelCells(columns, codes))


def _codes(archive: ZipFile) -> list[str]:
    """Return the number formats of a workbook's styles, by the numbers that cells name."""
    root = ET.fromstring(archive.read("xl/styles.xml"))  # noqa: S314 - it was scanned
    own = {
        int(one.get("numFmtId", "0")): one.get("formatCode", GENERAL)
        for one in root.iterfind(f".//{_NS}numFmt")
    }
    known: Mapping[int, str] = BUILT_IN | own
    cells = root.find(f"{_NS}cellXfs")
    return [known.get(int(one.get("numFmtId", "0")), GENERAL) for one in (cells if cells is not None else ())]


_NS = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def _in_open_document(path: Path, sheet: str, columns: Collection[int]) -> Iterator[CellFormat]:
    with ZipFile(path) as archive, archive.open("content.xml") as part:
        yield from _parsed(part.read, _OdsCells(columns, sheet))


def _parsed(read: Callable[[int], bytes], cells: "_ExcelCells | _OdsCells") -> Iterator[CellFormat]:
    """Yield what is found in a part of a workbook, while it is parsed."""
    while piece := read(STEP):
        cells.parser.Parse(piece)
        yield from cells.found
        cells.found.clear()


class _ExcelCells:
    """The cells of a sheet in Excel's XML that hold numbers, in some columns."""

    def __init__(self, columns: Collection[int], codes: list[str]) -> None:
        self.columns, self.codes = columns, codes
        self.found: list[CellFormat] = []
        self.row = self.column = -1
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "c" or tag[-2:] == ":c":
            self.column += 1
            if name := attributes.get("r"):
                letters = name.rstrip("0123456789")
                self.row, self.column = int(name[len(letters) :]) - 1, column_number(letters) or 0
            if self.column in self.columns and attributes.get("t", "n") == "n":
                style = int(attributes.get("s", "0"))
                code = self.codes[style] if style < len(self.codes) else GENERAL
                self.found.append(CellFormat(self.row, self.column, code))
        elif tag == "row" or tag[-4:] == ":row":
            self.row, self.column = int(attributes.get("r", self.row + 2)) - 1, -1


class _OdsCells:
    """The cells of an OpenDocument sheet that hold numbers, in some columns, with the text that they show."""

    def __init__(self, columns: Collection[int], sheet: str) -> None:
        self.columns, self.sheet, self.is_wanted = columns, sheet, False
        self.found: list[CellFormat] = []
        self.row = self.below = self.column = self.width = 0
        self.kind, self.text = "", ""
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler, self.parser.EndElementHandler = self._start, self._end
        self.parser.CharacterDataHandler = self._take

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "table:table":
            self.is_wanted, self.below = attributes.get("table:name") == self.sheet, 0
        elif tag == "table:table-row":
            self.row, self.column, self.width = self.below, 0, 0
            self.below += int(attributes.get("table:number-rows-repeated", "1"))
        elif tag in _ODS_CELLS:
            self.column += self.width
            self.width = int(attributes.get("table:number-columns-repeated", "1"))
            self.kind, self.text = attributes.get("office:value-type", ""), ""

    def _take(self, text: str) -> None:
        if self.kind in _ODS_NUMBERS:
            self.text += text

    def _end(self, tag: str) -> None:
        if tag in _ODS_CELLS and self.is_wanted and self.kind in _ODS_NUMBERS and self.text:
            self.found += [
                CellFormat(row, column, self.kind, self.text.strip())
                for row in range(self.row, min(self.below, self.row + MOST_REPEATED))
                for column in range(self.column, self.column + self.width)
                if column in self.columns
            ]
        if tag in _ODS_CELLS:
            self.kind = ""


_ODS_CELLS = ("table:table-cell", "table:covered-table-cell")
_ODS_NUMBERS = ("float", "percentage", "currency", "date", "time", "boolean")
MOST_REPEATED = 100_000

_LITERAL = r'(?:"[^"]*"|\\.|[-+ /:])*'
_SIMPLE = re.compile(rf"(?:\[\$-[0-9A-Fa-f]+\])?({_LITERAL})(0+)(\.0+)?({_LITERAL})(%?)(?:;@)?")


def text_by(code: str, number: str) -> str | None:
    """Return what a format such as `00000`, `0.0000` or `"D-"00000` makes of a number; None for others.

    The point is a point, wherever the screen shows a comma. A percentage is in percent.
    """
    found = _SIMPLE.fullmatch(code)
    if not found or not re.fullmatch(r"[0-9]+(\.[0-9]+)?", number):
        return None
    before, digits, decimals, after, percent = found.groups()
    places = len(decimals or ".") - 1
    value = Decimal(number) * (100 if percent else 1)
    rounded = value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    whole, _, rest = f"{rounded:f}".partition(".")
    text = whole.zfill(len(digits)) + (f".{rest}" if rest else "")
    return f"{_plain(before)}{text}{_plain(after)}{' %' if percent else ''}"


def _plain(literal: str) -> str:
    """Return the text of the literal part of a format."""
    return re.sub(r'"([^"]*)"|\\(.)', lambda found: found[1] or found[2] or "", literal)


def is_percent(code: str) -> bool:
    """Return whether a format shows numbers in percent."""
    return code == "percentage" or re.sub(r'"[^"]*"|\\.', "", code).endswith("%")


_MONTHS = ("Jan", "Feb", "Mrz", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez")
_OF_DATE = re.compile(r'y+|m+|d+|"[^"]*"|\\.|[-./ ,]')


def date_by(code: str, day: str) -> str | None:
    """Return what a format makes of a day (ISO 8601), as German Excel shows it; None if it is not certain."""
    code = re.sub(r"^\[\$-[0-9A-Fa-f]+\]|;@$", "", code.lower())
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", day) or _OF_DATE.sub("", code):
        return None
    year, month, of_month = day.split("-")
    parts = {
        "yyyy": year, "yy": year[2:], "mmm": _MONTHS[int(month) - 1], "mm": month, "m": str(int(month)),
        "dd": of_month, "d": str(int(of_month)),
    }  # fmt: skip
    found = [one[0] for one in _OF_DATE.finditer(code)]
    if any(one[0] in "ymd" and one not in parts for one in found):
        return None
    return "".join(parts.get(one) or _plain(one) for one in found)
