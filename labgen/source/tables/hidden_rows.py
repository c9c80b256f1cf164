"""Find the rows of sheets that the screen does not show, which the workbook reader does not tell."""

import re
from html import unescape
from pathlib import Path
from zipfile import BadZipFile, ZipFile

_ROW = re.compile(rb"<row\b([^>]*)>")
_HIDDEN = re.compile(rb'\bhidden="(?:1|true)"')
_NUMBER = re.compile(rb'\br="([0-9]{1,7})"')
_ODS_TAG = re.compile(rb"<table:(table|table-row)(\s[^>]*)?>")
_ODS_HIDDEN = re.compile(rb'\btable:visibility="(?:filter|collapse)"')
_ODS_REPEATED = re.compile(rb'\btable:number-rows-repeated="([0-9]{1,7})"')
_ODS_NAME = re.compile(rb'\btable:name="([^"]*)"')


def hidden_rows(data: bytes) -> frozenset[int]:
    """Return the rows of a sheet's XML that a filter or a person hid, counted from 0."""
    if b"hidden=" not in data:
        return frozenset()
    hidden = (row for row in _ROW.findall(data) if _HIDDEN.search(row))
    return frozenset(int(number[1]) - 1 for row in hidden if (number := _NUMBER.search(row)))


def hidden_in_ods(path: Path, sheet: str) -> frozenset[int]:
    """Return those of a sheet of an OpenDocument workbook; none for other formats."""
    if path.suffix.lower() != ".ods":
        return frozenset()
    try:
        with ZipFile(path) as archive:
            data = archive.read("content.xml")
    except (BadZipFile, KeyError, OSError):
        return frozenset()
    found: set[int] = set()
    is_wanted, below = False, 0
    for kind, attributes in _ODS_TAG.findall(data):
        if kind == b"table":
            name = _ODS_NAME.search(attributes)
            is_wanted, below = name is not None and unescape(name[1].decode(errors="replace")) == sheet, 0
            continue
        repeated = _ODS_REPEATED.search(attributes)
        row, below = below, below + int(repeated[1] if repeated else 1)
        if is_wanted and _ODS_HIDDEN.search(attributes):
            found.update(range(row, below))
    return frozenset(found)
