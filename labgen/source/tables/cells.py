"""Convert the text of a cell to the value of a field: numbers, dates, lists, keys in place of titles."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from labgen.model.german import normalised_title
from labgen.model.records import Record
from labgen.model.settings import SiteRecord
from labgen.model.tables import DISPLAY_ID, STATUSES, CellType, Column
from labgen.problems.date_hints import suggest_date

YES, NO = ("true", "wahr", "ja", "yes", "1"), ("false", "falsch", "nein", "no", "0")
_WHOLE = re.compile(r"\s*(0|-?[1-9][0-9]{0,17})(?:[.,](?!000\s*$)0+)?\s*")
"""`5.000` is none: it may be 5 or 5000."""
_DECIMAL_COMMA = re.compile(r"\s*([0-9]+),([0-9]+)\s*")
_DAY = re.compile(r"\s*(?:[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ].*)?|[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}(?: .*)?)\s*")
"""Dates that can be read in one way only; for other dates, the validation of the record has hints."""
_NUMBER_WITH_ZERO = re.compile(r"\s*([0-9]+)\.0\s*")
_NUMBERS = re.compile(r"[0-9,\s]*")
_BETWEEN = re.compile(r"[;|\r\n]+")

Convert = Callable[[str], Any]


@dataclass(frozen=True, slots=True)
class KeyLookup:
    """Finds the keys of entries by their titles or names, if these belong to a single entry.

    `known` are the titles by list and key. `digits` is how many digits a display_id has at least; shorter
    display_ids lost their leading zeros.
    """

    known: Mapping[str, Mapping[Any, str]]
    digits: int = 0
    by_title: dict[str, dict[str, Any]] = field(default_factory=dict)

    def key_of(self, stem: str, text: str) -> Any:
        """Return the key of the only entry with this title, or None."""
        if stem not in self.by_title:
            titles = [(normalised_title(title), key) for key, title in self.known.get(stem, {}).items()]
            counts = Counter(title for title, _ in titles)
            self.by_title[stem] = {title: key for title, key in titles if counts[title] == 1}
        return self.by_title[stem].get(normalised_title(text))

    def has(self, stem: str, key: object) -> bool:
        """Return whether a list has an entry with a key."""
        return key in self.known.get(stem, {})


NO_KEYS = KeyLookup({})
"""The `KeyLookup` for tables without references to entries of lists."""


def key_lookup(site: SiteRecord | None, records: Mapping[str, Mapping[Any, Record]]) -> KeyLookup:
    """Return the keys of statuses, countries and entries of catalogues, to be found by their titles."""
    known: dict[str, Mapping[Any, str]] = {
        stem: {key: str(getattr(one, "title", None) or getattr(one, "name", "")) for key, one in some.items()}
        for stem, some in records.items()
    }
    if site:
        known |= {table: getattr(site, table) for table in STATUSES.values()}
    return KeyLookup(known, site.tables.digits if site else 0)


def converter(column: Column, keys: KeyLookup) -> Convert:
    """Return the function that converts the cells of a column; what it cannot convert stays a text."""
    one = _one(column, keys)
    if not column.is_list and column.kind is not CellType.JSON:
        return one
    return lambda text: _json(text) if text.lstrip()[:1] in ("[", "{") else _several(text, column, one, keys)


def _one(column: Column, keys: KeyLookup) -> Convert:
    if column.target_list:
        return lambda text: _named(text, column, keys)
    if column.name in (DISPLAY_ID, "similar_labs", "similar_lab"):
        return lambda text: padded(text, keys.digits)
    if column.name == "postal_code":
        return _without_decimals
    return _BY_KIND[column.kind]


def padded(text: str, digits: int) -> str:
    """Return a display_id with the leading zeros that a spreadsheet removed."""
    text = _without_decimals(text).strip()
    return text.zfill(digits) if text.isdecimal() else text


def _without_decimals(text: str) -> str:
    """Return 1067 for 1067.0, which is how programs write numbers in a column with empty cells."""
    found = _NUMBER_WITH_ZERO.fullmatch(text)
    return found[1] if found else text


def _named(text: str, column: Column, keys: KeyLookup) -> Any:
    """Return the key of the entry to which a cell refers by key or title; else the cell's value."""
    value = whole_number(text) if column.kind is CellType.WHOLE else text
    if keys.has(column.target_list, value):
        return value
    key = keys.key_of(column.target_list, text)
    if (
        key is None
        and isinstance(value, str)
        and keys.has(column.target_list, lower := value.strip().lower())
    ):
        return lower
    return value if key is None else key


def _several(text: str, column: Column, one: Convert, keys: KeyLookup) -> Any:
    """Return the values in a cell: separated by ; or | or line breaks, else by commas outside titles."""
    if column.kind is CellType.JSON:
        return text
    parts = [part.strip() for part in _BETWEEN.split(text) if part.strip()]
    if len(parts) == 1 and not _BETWEEN.search(text.strip()):
        is_title = column.target_list and keys.has(column.target_list, one(parts[0]))
        if _NUMBERS.fullmatch(text) or (column.target_list and not is_title):
            parts = [part.strip() for part in text.split(",") if part.strip()]
    return [one(part) for part in parts]


def _json(text: str) -> Any:
    try:
        return orjson.loads(text)
    except ValueError:
        return text


def whole_number(text: str) -> int | str:
    """Convert a whole number, which may have zeros after a point or a comma; other text stays a text."""
    found = _WHOLE.fullmatch(text)
    return int(found[1]) if found else text


def _decimal(text: str) -> str:
    found = _DECIMAL_COMMA.fullmatch(text)
    return f"{found[1]}.{found[2]}" if found else text.strip()


def _yes_or_no(text: str) -> bool | str:
    small = text.strip().lower()
    return small in YES if small in YES + NO else text


def _day(text: str) -> str:
    return suggest_date(text) or text if _DAY.fullmatch(text) else text.strip()


_BY_KIND: Mapping[CellType, Convert] = {
    CellType.TEXT: str,
    CellType.WHOLE: whole_number,
    CellType.DECIMAL: _decimal,
    CellType.YES_NO: _yes_or_no,
    CellType.DATE: _day,
    CellType.JSON: _json,
}
