"""Find workbook formulas with an error or no value, which the workbook reader skips."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET
from zipfile import BadZipFile, ZipFile

from labgen.source.tables.cell_names import column_number

SUFFIXES = (".xlsx", ".xlsm")
"""The formats whose sheets are XML."""
_CELL = re.compile(rb'<c r="([A-Z]{1,3})([0-9]{1,7})"([^>]*)>(.*?)</c>', re.DOTALL)
_VALUE = re.compile(rb"<v>([^<]+)</v>")
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


class Failed(NamedTuple):
    """A cell by row and column, counted from 0, and the error in it; "" if it has no value."""

    row: int
    column: int
    error: str


def xml_of(path: Path, sheet: str) -> bytes:
    """Return the XML of a sheet; b"" for formats whose sheets are not XML."""
    if not path.name.endswith(SUFFIXES):
        return b""
    try:
        with ZipFile(path) as archive:
            return archive.read(part_of(archive, sheet))
    except (BadZipFile, KeyError, ET.ParseError, OSError):
        return b""


def failed_formulas(data: bytes) -> list[Failed]:
    """Return the cells of a sheet with an error, or with a formula without a value."""
    return list(_failed(data)) if b"<f" in data or b't="e"' in data else []


def part_of(archive: ZipFile, sheet: str) -> str:
    """Return the name of the file in a workbook's archive that contains a sheet."""
    book = ET.fromstring(archive.read("xl/workbook.xml"))  # noqa: S314 - expat refuses bombs
    relation = next((one.get(_RELATION) for one in book.iter() if one.get("name") == sheet), None)
    relations = ET.fromstring(archive.read("xl/_rels/workbook.xml.rels"))  # noqa: S314
    target = next((one.get("Target", "") for one in relations if one.get("Id") == relation), "")
    return target.removeprefix("/") if target.startswith("/") else f"xl/{target}"


def sheet_of_part(archive: ZipFile, part: str) -> str:
    """Return the name of the sheet that a file in a workbook's archive contains, or the file's name."""
    try:
        book = ET.fromstring(archive.read("xl/workbook.xml"))  # noqa: S314 - it was scanned
        names = [name for one in book.iter() if (name := one.get("name")) and one.get(_RELATION)]
        return next((name for name in names if part_of(archive, name) == part), part)
    except (BadZipFile, KeyError, ET.ParseError):
        return part


def _failed(data: bytes) -> Iterator[Failed]:
    for letters, number, attributes, content in _CELL.findall(data):
        value = _VALUE.search(content)
        is_error = b't="e"' in attributes
        if is_error or (b"<f" in content and value is None and b't="str"' not in attributes):
            error = value[1].decode(errors="replace") if is_error and value else ""
            yield Failed(int(number) - 1, column_number(letters.decode()) or 0, error)
