"""Complete imported tables: add missing catalogue entries, countries and statuses, and fix some values."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from labgen.model.catalogues import CATALOGUES, COUNTRIES, REFERENCES, Catalogue
from labgen.model.countries import COUNTRY_NAMES, OTHER_CODES
from labgen.model.german import collation_key, normalised_title, slugify
from labgen.model.record_fields import FieldPath, written_fields
from labgen.model.records import Record
from labgen.model.tables import STATUSES
from labgen.problems.text import plural, say

Lists = dict[str, list[dict[str, Any]]]
Laboratory = dict[str, Any]


def complete_lists(lists: Lists, laboratories: list[Laboratory]) -> list[str]:
    """Add catalogue entries for titles that no list has, in German dictionary order; return notes.

    In the laboratories, these titles are replaced by the ids of the new entries.
    """
    notes: list[str] = []
    for catalogue in CATALOGUES:
        paths = [one.path for one in REFERENCES if one.listed is catalogue]
        named = [
            str(one) for lab in laboratories for path in paths for one in _values(lab, path) if _is_title(one)
        ]
        titles = {normalised_title(one): one.strip() for one in reversed(named)}
        new = sorted(titles.values(), key=lambda title: (collation_key(title), title))
        entries = lists.setdefault(catalogue.stem, [])
        highest = max((one["id"] for one in entries if isinstance(one.get("id"), int)), default=0)
        made = [_entry(catalogue, number, title) for number, title in enumerate(new, highest + 1)]
        entries += made
        ids = {normalised_title(one["title"]): one["id"] for one in made}
        for lab in laboratories:
            for path in paths:
                _replace(lab, path, partial(_id_of, ids))
        if made:
            count = plural(len(made), "entry", "entries")
            notes.append(say("{count} of `{stem}` made of titles", count=count, stem=catalogue.stem))
    return notes


def _id_of(ids: Mapping[str, int], value: Any) -> Any:
    """Return the id of a title; return other values unchanged."""
    return ids.get(normalised_title(value), value) if _is_title(value) else value


def _is_title(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and not value.strip().isdecimal()


def _entry(catalogue: Catalogue[Any], number: int, title: str) -> dict[str, Any]:
    """Make a catalogue entry from its title; derive the other required fields from it."""
    further = {"search_val": slugify(title) or f"nr-{number}", "standard": title}
    model: type[Record] = catalogue.record
    needed = [key for key, field in written_fields(model).items() if field.is_required()]
    return {"id": number, "title": title} | {key: further[key] for key in needed if key in further}


def complete_countries(lists: Lists, laboratories: Iterable[Laboratory]) -> list[str]:
    """Add countries that no list has, with German names, and replace names by codes; return notes."""
    codes = OTHER_CODES | {normalised_title(name): code for code, name in COUNTRY_NAMES.items()}
    entries = lists.setdefault(COUNTRIES.stem, [])
    known = {one.get("iso_code") for one in entries}
    notes: list[str] = []
    for lab in laboratories:
        written = str(lab.get("country", ""))
        code = codes.get(normalised_title(written), written.strip().lower())
        if code != written and written not in known and re.fullmatch("[a-z]{2}", code):
            lab["country"] = code
        if code and code not in known and code in COUNTRY_NAMES:
            known.add(code)
            name = COUNTRY_NAMES[code]
            entries.append({"iso_code": code, "slug": slugify(name), "name": name})
            notes.append(
                say(
                    "the country `{code}` ({name}) was added to `{stem}`",
                    code=code,
                    name=name,
                    stem=COUNTRIES.stem,
                )
            )
    return notes


def complete_postal_codes(laboratories: Iterable[Laboratory]) -> list[str]:
    """Restore the leading zero of German postal codes that a spreadsheet removed; return notes."""
    short = [
        one
        for one in laboratories
        if one.get("country") == "de" and re.fullmatch(r"[0-9]{4}", str(one.get("postal_code", "")))
    ]
    for one in short:
        one["postal_code"] = f"0{one['postal_code']}"
    return (
        [say("{codes} of Germany got back a leading 0", codes=plural(len(short), "postal code"))]
        if short
        else []
    )


def complete_websites(laboratories: Iterable[Laboratory]) -> list[str]:
    """Put https:// before websites that begin with www.; return notes."""
    short = [
        one for one in laboratories if re.match(r"www\.\S+$", str(one.get("website", "")), re.IGNORECASE)
    ]
    for one in short:
        one["website"] = f"https://{one['website']}"
    return (
        [say("{websites} got https:// before www.", websites=plural(len(short), "website"))] if short else []
    )


def complete_statuses(settings: dict[str, Any], laboratories: Iterable[Laboratory]) -> list[str]:
    """Add the statuses of laboratories to the settings, with the source text as title; return notes."""
    notes: list[str] = []
    for field, table in STATUSES.items():
        titles: dict[str, str] = dict(settings.get(table, {}))
        for lab in laboratories:
            written = lab.get(field)
            if isinstance(written, str) and written and written not in titles:
                key = slugify(written) or "status"
                lab[field] = key
                if key not in titles:
                    titles[key] = written.strip()
                    notes.append(
                        say(
                            "the status `{key}` ({written}) was added to [{table}]",
                            key=key,
                            written=written.strip(),
                            table=table,
                        )
                    )
        settings[table] = titles
    return notes


def _values(record: Mapping[str, Any], path: FieldPath) -> Iterator[Any]:
    """Yield the values at a path in a source record, including all elements of lists."""
    found = record.get(path[0])
    for one in found if isinstance(found, list) else [found]:
        if len(path) == 1:
            yield one
        elif isinstance(one, Mapping):
            yield from _values(one, path[1:])


def _replace(record: dict[str, Any], path: FieldPath, change: Callable[[Any], Any]) -> None:
    """Apply `change` to the values at a path in a source record."""
    found = record.get(path[0])
    if len(path) > 1:
        for one in found if isinstance(found, list) else [found]:
            if isinstance(one, dict):
                _replace(one, path[1:], change)
    elif isinstance(found, list):
        record[path[0]] = [change(one) for one in found]
    elif found is not None:
        record[path[0]] = change(found)
