"""Find the merged cells of OpenDocument sheets, which the workbook reader does not tell."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from zipfile import BadZipFile, ZipFile

CellRange = tuple[tuple[int, int], tuple[int, int]]
"""A rectangle of cells: row and column of its first and of its last cell, counted from 0."""
_TAG = re.compile(rb"<table:(table|table-row|table-cell|covered-table-cell)((?:\s[^>]*)?)/?>")
_SPAN = re.compile(rb'table:number-(?:rows|columns)-spanned="(?!1")')
_COUNT = re.compile(rb'table:number-(rows|columns)-(repeated|spanned)="([0-9]{1,7})"')
_NAME = re.compile(rb'table:name="([^"]*)"')


def merged_in_ods(path: Path, sheet: str) -> list[CellRange]:
    """Return the merged cells of a sheet of an OpenDocument workbook; [] for other formats."""
    if path.suffix.lower() != ".ods":
        return []
    try:
        with ZipFile(path) as archive:
            data = archive.read("content.xml")
    except (BadZipFile, KeyError, OSError):
        return []
    return list(_merged(data, sheet)) if _SPAN.search(data) else []


def _merged(data: bytes, sheet: str) -> Iterator[CellRange]:
    is_wanted, row, column, below = False, 0, 0, 0
    for kind, attributes in _TAG.findall(data):
        if kind == b"table":
            name = _NAME.search(attributes)
            is_wanted = name is not None and unescape(name[1].decode(errors="replace")) == sheet
            below = 0
        elif is_wanted:
            counts = {found[:2]: int(found[2]) for found in _COUNT.findall(attributes)}
            if kind == b"table-row":
                row, column, below = below, 0, below + counts.get((b"rows", b"repeated"), 1)
                continue
            height, width = counts.get((b"rows", b"spanned"), 1), counts.get((b"columns", b"spanned"), 1)
            if height * width > 1:
                yield (row, column), (row + height - 1, column + width - 1)
            column += counts.get((b"columns", b"repeated"), 1)
