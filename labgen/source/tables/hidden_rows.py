"""Find the rows and columns that a sheet hides, which the workbook reader does not tell."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile, ZipFile

_ROW = re.compile(rb"<row\b([^>]*)>")
_COLUMNS = re.compile(rb"<col\b([^>]*)>")
_HIDDEN = re.compile(rb'\bhidden="(?:1|true)"')
_NUMBER = re.compile(rb'\br="([0-9]{1,7})"')
_RANGE = re.compile(rb'\bmin="([0-9]{1,5})"[^>]*\bmax="([0-9]{1,5})"')
_ODS_TAG = re.compile(rb"<table:(table|table-row|table-column)(\s[^>]*)?/?>")
_ODS_HIDDEN = re.compile(rb'\btable:visibility="(?:filter|collapse)"')
_ODS_REPEATED = re.compile(rb'\btable:number-(?:rows|columns)-repeated="([0-9]{1,7})"')
_ODS_NAME = re.compile(rb'\btable:name="([^"]*)"')


class Hidden(NamedTuple):
    """The rows and the columns of a sheet that a filter or a person hid, counted from 0."""

    rows: frozenset[int] = frozenset()
    columns: frozenset[int] = frozenset()


def hidden_in(data: bytes) -> Hidden:
    """Return those of a sheet's XML."""
    if b"hidden=" not in data:
        return Hidden()
    rows = (row for row in _ROW.findall(data) if _HIDDEN.search(row))
    columns = (some for some in _COLUMNS.findall(data) if _HIDDEN.search(some))
    ranges = [[*map(int, found.groups())] for some in columns if (found := _RANGE.search(some))]
    hidden: set[int] = set()
    below = 0
    for first, last in sorted(ranges):  # each column once, whatever a file repeats
        hidden.update(range(max(first - 1, below), last))
        below = max(below, last)
    return Hidden(
        frozenset(int(number[1]) - 1 for row in rows if (number := _NUMBER.search(row))), frozenset(hidden)
    )


def hidden_in_ods(path: Path, sheet: str) -> Hidden:
    """Return those of a sheet of an OpenDocument workbook; none for other formats."""
    if path.suffix.lower() != ".ods":
        return Hidden()
    try:
        with ZipFile(path) as archive:
            data = archive.read("content.xml")
    except (BadZipFile, KeyError, OSError):
        return Hidden()
    tags = [*_tags_of(data, sheet)]
    return Hidden(_hidden_of(tags, b"table-row"), _hidden_of(tags, b"table-column"))


def _tags_of(data: bytes, sheet: str) -> Iterator[tuple[bytes, bytes]]:
    """Yield the kinds and attributes of the tags of rows and columns of a sheet."""
    is_wanted = False
    for kind, attributes in _ODS_TAG.findall(data):
        if kind == b"table":
            name = _ODS_NAME.search(attributes)
            is_wanted = name is not None and unescape(name[1].decode(errors="replace")) == sheet
        elif is_wanted:
            yield kind, attributes


def _hidden_of(tags: list[tuple[bytes, bytes]], wanted: bytes) -> frozenset[int]:
    """Return the numbers of the hidden ones of a kind; a tag may stand for several."""
    found: set[int] = set()
    below = 0
    for kind, attributes in tags:
        if kind == wanted:
            repeated = _ODS_REPEATED.search(attributes)
            first, below = below, below + int(repeated[1] if repeated else 1)
            if _ODS_HIDDEN.search(attributes):
                found.update(range(first, below))
    return frozenset(found)
