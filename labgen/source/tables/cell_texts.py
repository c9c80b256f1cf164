"""Convert the values of cells in workbooks and databases to the texts that CSV would hold."""

import json
from collections.abc import Iterable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

EXACT = 10**15
"""Below this, whole numbers that are stored as floats are exact, and spreadsheets show all digits."""


def cell_text(value: Any) -> str:
    """Return the text of a cell: dates as ISO 8601, whole numbers without decimals, "" for nothing."""
    match value:
        case str():
            return value
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float():
            return str(int(value)) if value.is_integer() and abs(value) < EXACT else f"{value:.15g}"
        case Decimal():
            return f"{value:f}"
        case datetime():
            text = value.replace(tzinfo=None).isoformat(" ")
            return text.removesuffix(" 00:00:00")
        case date():
            return value.isoformat()
        case bytes():
            return value.decode(errors="replace")
        case list() | dict():
            return json.dumps(value, ensure_ascii=False, default=cell_text)
        case _:
            return str(value)


TEXT, NUMBER, DATE, DURATION, BOOLEAN = "t", "n", "d", "u", "b"
"""The kinds of the values of cells, one letter each."""
_KINDS: Mapping[type, str] = {
    int: NUMBER,
    float: NUMBER,
    date: DATE,
    datetime: DATE,
    time: DURATION,
    timedelta: DURATION,
    bool: BOOLEAN,
}


def kinds_of(row: Iterable[Any], seen: dict[str, str]) -> str:
    """Return the kinds of the values of a row: a letter for each cell; `seen` keeps one of equal texts."""
    kinds = "".join([_KINDS.get(type(value), TEXT) for value in row])
    return seen.setdefault(kinds, kinds)


def without_blanks(rows: Iterable[list[str]]) -> list[list[str]]:
    """Return rows without those at the end that are blank; a blank row between others is []."""
    found = [[] if all(not cell or cell.isspace() for cell in row) else row for row in rows]
    while found and not found[-1]:
        found.pop()
    return found
