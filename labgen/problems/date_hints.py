"""Suggest the ISO form of dates in other formats, such as those of Excel, databases and people."""

import re
from datetime import date, timedelta

_AFTER = r"(?:[T ]\s*[0-9].*)?"
"""Matches an optional time of day after a date."""
_YEAR_FIRST = re.compile(rf"([0-9]{{4}})[-/.]([0-9]{{1,2}})[-/.]([0-9]{{1,2}}){_AFTER}")
_DIGITS = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})")
_GERMAN = re.compile(rf"([0-9]{{1,2}})\.\s*([0-9]{{1,2}})\.\s*([0-9]{{4}}|[0-9]{{2}}){_AFTER}")
_SLASHES = re.compile(rf"([0-9]{{1,2}})/([0-9]{{1,2}})/([0-9]{{4}}){_AFTER}")
_DAY_AND_NAME = re.compile(r"([0-9]{1,2})\.?\s+([^\W\d]+)\.?\s+([0-9]{4})")
_NAME_AND_DAY = re.compile(r"([^\W\d]+)\.?\s+([0-9]{1,2}),?\s+([0-9]{4})")
_MONTHS = {"jan": 1, "feb": 2, "mär": 3, "mar": 3, "mrz": 3, "apr": 4, "mai": 5, "may": 5, "jun": 6, "jul": 7,
           "aug": 8, "sep": 9, "okt": 10, "oct": 10, "nov": 11, "dez": 12, "dec": 12}  # fmt: skip
_EXCEL_ZERO = date(1899, 12, 30)
_EXCEL_DAYS = range(20_000, 60_000)
"""The serial numbers of Excel for dates from 1954 to 2064."""
_LAST_MONTH, _PIVOT = 12, 30
"""The last month; and the first two-digit year of the 20th century (30 means 1930), as in Excel."""


def suggest_date(given: object) -> str:
    """Return the ISO form of a date, or "" if the value is ambiguous or not a date."""
    if isinstance(given, bool) or not isinstance(given, str | int):
        return ""
    text = str(given).strip()
    if text.isdecimal() and len(text) < len("20240501") and int(text) in _EXCEL_DAYS:
        return str(_EXCEL_ZERO + timedelta(days=int(text)))
    return _of_parts(*_parts(text))


def is_no_day(given: object) -> bool:
    """Return whether a value has the form of a date, but the calendar lacks that day: 31.02.2024."""
    return isinstance(given, str) and any(_parts(given.strip())) and not suggest_date(given)


def _parts(text: str) -> tuple[int, int, int]:
    """Return year, month and day; zeros for an unknown format or an ambiguous date."""
    if found := _YEAR_FIRST.fullmatch(text) or _DIGITS.fullmatch(text):
        year, month, day = map(int, found.groups())
        return (year, day, month) if month > _LAST_MONTH else (year, month, day)
    if found := _GERMAN.fullmatch(text):
        day, month, year = map(int, found.groups())
        return (year if len(found[3]) > 2 else _with_century(year)), month, day  # noqa: PLR2004 - digits
    if found := _SLASHES.fullmatch(text):
        first, second, year = map(int, found.groups())
        if first <= _LAST_MONTH and second <= _LAST_MONTH and first != second:
            return 0, 0, 0
        return (year, second, first) if first > _LAST_MONTH else (year, first, second)
    if found := _DAY_AND_NAME.fullmatch(text):
        return int(found[3]), _MONTHS.get(found[2][:3].lower(), 0), int(found[1])
    if found := _NAME_AND_DAY.fullmatch(text):
        return int(found[3]), _MONTHS.get(found[1][:3].lower(), 0), int(found[2])
    return 0, 0, 0


def _with_century(year: int) -> int:
    return year + (2000 if year < _PIVOT else 1900)


def _of_parts(year: int, month: int, day: int) -> str:
    try:
        return str(date(year, month, day))
    except ValueError:
        return ""
