"""Warn of catalogue entries that cannot be told apart: equal titles or search values."""

from collections.abc import Mapping
from typing import Any

from labgen.model.german import normalised_title
from labgen.model.records import PlainRecord, Record
from labgen.problems.problem import Place, Pointer, Problem, shown
from labgen.problems.text import say


def check_catalogue(
    records: Mapping[Any, Record], pointers: Mapping[Any, Pointer], file: str
) -> list[Problem]:
    """Warn of entries that have the title or the search value of an earlier entry."""
    problems: list[Problem] = []
    first: dict[tuple[str, str], Any] = {}
    for key, record in records.items():
        for field, text in _names(record):
            is_title = field != "search_val"
            other = first.setdefault((field, normalised_title(text) if is_title else text), key)
            if other != key:
                place = Place(file, (*pointers[key], field))
                problems.append(
                    _twice(
                        field,
                        text,
                        say("the first is {other} ({title})", other=other, title=_title(records[other])),
                        place,
                    )
                )
                break
    return problems


def _names(record: Record) -> list[tuple[str, str]]:
    """Return the fields and texts that identify an entry; without a search value that is always the id."""
    fields = ("name", "title") if isinstance(record, PlainRecord) else ("name", "title", "search_val")
    return [(field, text) for field in fields if (text := getattr(record, field, None))]


def _title(record: Record) -> str:
    return shown(getattr(record, "title", "") or getattr(record, "name", ""))


def _twice(field: str, text: str, hint: str, place: Place) -> Problem:
    message = say("`{field}` is {text} a second time", field=field, text=shown(text))
    if field == "search_val":
        message += say(": a search by it finds both")
        return Problem("duplicate-search-val", message, place, hint, severity="warning")
    message += say(": clients cannot tell the two apart")
    return Problem("duplicate-title", message, place, hint, severity="warning")
