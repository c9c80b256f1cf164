"""Report entries of lists that cannot be told apart: equal titles, search values or addresses."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from labgen.model.catalogues import designation_of
from labgen.model.german import normalised_title
from labgen.model.records import CountryRecord, PlainRecord, Record
from labgen.problems.problem import Place, Pointer, Problem, Severity, shown
from labgen.problems.text import Text, first_of, say

NAMED = 3
"""The number of entries that a hint names."""


def check_catalogue(
    records: Mapping[Any, Record], pointers: Mapping[Any, Pointer], file: str
) -> list[Problem]:
    """Report entries with one title, or else one search value or slug: once for all that share it.

    A designation tells entries of one title apart, such as the editions of a standard.
    """
    problems: list[Problem] = []
    reported: set[Any] = set()
    severity: Severity
    for code, severity, what, name_of in (
        ("duplicate-id", "error", ONE_SLUG, _slug),
        ("duplicate-title", "warning", ONE_TITLE, _title_and_designation),
        ("duplicate-search-val", "warning", ONE_SEARCH_VALUE, _search_value),
    ):
        for field, keys in _shared(records, name_of):
            others = [key for key in keys[1:] if key not in reported]
            if others:
                reported.update(others)
                text = shown(getattr(records[others[0]], field))
                place = Place(file, (*pointers[others[0]], field))
                message = what.filled(field=field, text=text, count=len(keys))
                problems.append(Problem(code, message, place, _called(keys), severity))
    return problems


ONE_SLUG = say("`{field}` is {text} in {count:,} entries: it is the address of their page")
ONE_TITLE = say("`{field}` is {text} in {count:,} entries: clients cannot tell them apart")
ONE_SEARCH_VALUE = say("`{field}` is {text} in {count:,} entries: a search by it finds all of them")
_Name = tuple[str, ...]
"""The field that names an entry, then the texts by which it is told from others."""


def _title_and_designation(record: Record) -> _Name | None:
    for field in ("name", "title"):
        if text := getattr(record, field, None):
            return field, normalised_title(text), designation_of(record)
    return None


def _search_value(record: Record) -> _Name | None:
    """Return the search value, None where it is always the id."""
    text = None if isinstance(record, PlainRecord) else getattr(record, "search_val", None)
    return ("search_val", text) if text else None


def _slug(record: Record) -> _Name | None:
    return ("slug", record.slug) if isinstance(record, CountryRecord) and record.slug else None


def _shared(
    records: Mapping[Any, Record], name_of: Callable[[Record], _Name | None]
) -> list[tuple[str, list[Any]]]:
    """Return the keys of the entries that share a name, with the field that is the name."""
    found: dict[_Name, list[Any]] = {}
    for key, record in records.items():
        if name := name_of(record):
            found.setdefault(name, []).append(key)
    return [(name[0], keys) for name, keys in found.items() if len(keys) > 1]


def _called(keys: Sequence[Any]) -> Text:
    return say("these are the entries {keys}", keys=first_of([str(key) for key in keys], NAMED))
