"""Read and write the remembered laboratories, one database row each."""

from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from itertools import chain
from math import ceil
from typing import Any, NamedTuple

import orjson

from labgen.memory.database import LISTED, Memory, listed
from labgen.memory.digest_index import note_digests
from labgen.memory.inverted_index import (
    KeysByKind,
    ReferenceKind,
    all_holders,
    holders,
    keys_of,
    update_index,
)
from labgen.memory.row_conversion import (
    LABORATORY_COLUMNS,
    Listing,
    StoredLaboratory,
    card_of,
    extras_of,
    known_of,
    laboratory_row,
    listing_of,
    load_array,
    picture_key,
    picture_of,
    to_json,
)
from labgen.model.pictures import Picture
from labgen.model.summaries import Address, Card, Dated, Facet, SimilarList, Summary
from labgen.similar.similarity import NO_LAST


class Changes(NamedTuple):
    """The laboratories that changed since the last build, by display_id: before and now.

    For a new database both are empty: everything is made. `are_sections_new`: optional sections appeared or
    disappeared.
    """

    before: Mapping[str, StoredLaboratory]
    now: Mapping[str, StoredLaboratory]
    are_sections_new: bool

    @property
    def came(self) -> set[str]:
        """The display_ids of the laboratories that were added."""
        return self.now.keys() - self.before.keys()

    @property
    def gone(self) -> set[str]:
        """The display_ids of the laboratories that were removed."""
        return self.before.keys() - self.now.keys()


class StoredPlace(NamedTuple):
    """The place of a laboratory's source text: file, line if the file holds several, digest of the text."""

    number: int
    display_id: str
    slug: str
    file: str
    line: int | None
    digest: bytes


def update(memory: Memory, found: Mapping[str, Summary], gone: Collection[int]) -> Changes:
    """Store the laboratories in `found`, delete those with the numbers in `gone`, and return the changes."""
    had = known(memory, "display_id", found) | known(memory, "number", gone) if not memory.is_new else {}
    last = memory.value("SELECT coalesce(max(number), 0) FROM laboratory")
    numbers = iter(range(last + 1, last + 1 + len(found)))
    now: dict[str, StoredLaboratory] = {}
    for display_id, summary in sorted(found.items()):
        old = had.get(display_id)
        if old is None:
            now[display_id] = StoredLaboratory(next(numbers), summary)
        elif old.summary != summary:
            now[display_id] = old._replace(summary=summary)
    before = {one: old for one, old in had.items() if one in now or old.number in gone}
    sections = keys_of(memory, ReferenceKind.SECTION)
    marks = ", ".join("?" * LABORATORY_COLUMNS)
    rows = (laboratory_row(one.number, one.summary) for one in now.values())
    memory.write(f"INSERT OR REPLACE INTO laboratory VALUES ({marks})", rows)
    update_index(memory, before, now, _named)
    note_digests(memory, before, now)
    memory.write("DELETE FROM laboratory WHERE number = ?", ((number,) for number in gone))
    memory.write("DELETE FROM similar WHERE number = ?", ((number,) for number in gone))
    return Changes(before, {} if memory.is_new else now, keys_of(memory, ReferenceKind.SECTION) != sections)


def update_locations(memory: Memory, places: Iterable[tuple[str, str, int | None]]) -> None:
    """Update the places of laboratories, given as display_id, file and line."""
    sql = "UPDATE laboratory SET file = ?, line = ? WHERE display_id = ? AND (file, line) IS NOT (?, ?)"
    memory.write(sql, ((file, line, display_id, file, line) for display_id, file, line in places))


def update_lists(memory: Memory, before: Mapping[str, Listing], now: Mapping[str, Listing]) -> None:
    """Store the lists of similar laboratories that changed."""
    lists = ((one.number, one.shown) for one in now.values() if one.shown)
    rows = ((number, to_json(shown.display_ids), shown.last) for number, shown in lists)
    memory.write("INSERT OR REPLACE INTO similar VALUES (?, ?, ?)", rows)
    update_index(memory, before, now, lambda one: _named_in_list(one.shown, one.own))


def _named(one: StoredLaboratory) -> KeysByKind:
    """Yield the keys that a laboratory refers to, by kind."""
    summary, extras = one.summary, one.summary.extras
    yield ReferenceKind.FACET, summary.facets
    yield ReferenceKind.COUNTRY, {summary.card.country, *(extras.countries if extras else ())}
    if summary.placeholders:
        yield ReferenceKind.PLACEHOLDER, summary.placeholders
    if summary.pictures:
        yield ReferenceKind.PICTURE, map(picture_key, summary.pictures)
        yield ReferenceKind.ORIGINAL, summary.originals
    if summary.own_similar:
        yield ReferenceKind.OWN_SIMILAR, summary.own_similar
    if extras:
        yield ReferenceKind.ENTRY, extras.facets
        yield ReferenceKind.REFERENCE, extras.references
        yield ReferenceKind.SECTION, extras.sections
        if extras.links:
            yield ReferenceKind.LINK, ("",)
        if extras.published_on:
            yield ReferenceKind.DATE, (extras.published_on,)
    yield from _named_in_list(one.shown, summary.own_similar)


def _named_in_list(shown: SimilarList | None, own: Sequence[str] | None) -> KeysByKind:
    """Yield the keys that a laboratory's published list of similar laboratories refers to, by kind."""
    if shown:
        yield ReferenceKind.SHOWN, shown.display_ids
        if own is None:
            yield ReferenceKind.LAST, (NO_LAST if shown.last is None else shown.last,)


CARD_COLUMNS = "display_id, name, slug, image, locality, country"


def known(memory: Memory, column: str, values: Iterable[Any]) -> dict[str, StoredLaboratory]:
    """Return the laboratories whose value in a column is among `values`, by display_id in order."""
    rows = memory.execute(
        "SELECT laboratory.*, shown, last FROM laboratory LEFT JOIN similar USING (number)"
        f" WHERE {column} {LISTED} ORDER BY display_id",
        listed(values),
    )
    return {row[1]: known_of(row) for row in rows}


def listings(memory: Memory, column: str, values: Iterable[Any]) -> dict[str, Listing]:
    """Return the listings of the laboratories whose value in a column is among `values`, by display_id."""
    rows = memory.execute(
        "SELECT display_id, number, facets, country, own_similar, shown, last"
        f" FROM laboratory LEFT JOIN similar USING (number) WHERE {column} {LISTED} ORDER BY display_id",
        listed(values),
    )
    return {display_id: listing_of(row) for display_id, *row in rows}


def display_ids(memory: Memory, limit: int = -1) -> list[str]:
    """Return the display_ids of all laboratories, or of the first `limit`, in order."""
    return memory.column("SELECT display_id FROM laboratory ORDER BY display_id LIMIT ?", limit)


def name_of(memory: Memory, number: int) -> str:
    """Return the name of a laboratory."""
    return str(memory.value("SELECT name FROM laboratory WHERE number = ?", number))


def numbers_by(memory: Memory, column: str) -> dict[str, list[int]]:
    """Return the numbers of the laboratories with each value of a column."""
    found = defaultdict[str, list[int]](list)
    for number, value in memory.execute(f"SELECT number, {column} FROM laboratory"):
        found[value].append(number)
    return found


def addresses(memory: Memory) -> list[Address]:
    """Return the parts of the addresses of all laboratories, in order, with their dates."""
    dates = {
        number: str(date)
        for date, numbers in all_holders(memory, ReferenceKind.DATE).items()
        for number in numbers
    }
    rows = memory.execute("SELECT number, display_id, slug FROM laboratory ORDER BY display_id")
    return [Address(display_id, slug, dates.get(number, "")) for number, display_id, slug in rows]


def display_ids_of(memory: Memory, numbers: Iterable[int]) -> list[str]:
    """Return the display_ids of the laboratories with these numbers."""
    return memory.column(f"SELECT display_id FROM laboratory WHERE number {LISTED}", listed(numbers))


class DisplayIds(Container[str]):
    """The display_ids of all laboratories, looked up in the database (operator `in`)."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    def __contains__(self, display_id: object) -> bool:
        return self.memory.value("SELECT 1 FROM laboratory WHERE display_id = ?", display_id) is not None


def pictures(memory: Memory) -> list[Picture]:
    """Return all pictures that laboratories show."""
    return [picture_of(orjson.loads(key)) for key in keys_of(memory, ReferenceKind.PICTURE)]


def count(memory: Memory) -> int:
    """Return the number of laboratories."""
    return int(memory.value("SELECT count(*) FROM laboratory"))


def are_rated(memory: Memory) -> bool:
    """Return whether any laboratory has a rating."""
    return bool(memory.value("SELECT EXISTS (SELECT 1 FROM laboratory WHERE CAST(rating AS REAL) > 0)"))


def all_pages(memory: Memory, page_size: int) -> range:
    """Return the numbers of the pages of the list of laboratories."""
    return range(1, ceil(count(memory) / page_size) + 1)


def neighbours(memory: Memory, some: Iterable[str]) -> dict[str, tuple[str | None, str | None]]:
    """Return the display_ids before and after each of `some`, None at the ends; `some` need not exist."""
    before = "SELECT max(display_id) FROM laboratory WHERE display_id < ?"
    after = "SELECT min(display_id) FROM laboratory WHERE display_id > ?"
    return {one: memory.execute(f"SELECT ({before}), ({after})", one, one).fetchone() for one in some}


def cards(memory: Memory, some: Iterable[str]) -> dict[str, Card]:
    """Return the cards of laboratories by display_id, in order."""
    sql = f"SELECT {CARD_COLUMNS} FROM laboratory WHERE display_id {LISTED} ORDER BY display_id"
    return {row[0]: card_of(row) for row in memory.execute(sql, listed(some))}


def newest(memory: Memory, limit: int) -> list[Dated]:
    """Return the laboratories with the latest dates, the newest first, then by display_id."""
    found: list[tuple[int, str]] = []
    for date in reversed(keys_of(memory, ReferenceKind.DATE)):
        if len(found) < limit:
            found += [(number, str(date)) for number in holders(memory, ReferenceKind.DATE, date)]
    sql = f"SELECT {CARD_COLUMNS} FROM laboratory WHERE number = ?"
    return [Dated(card_of(memory.execute(sql, number).fetchone()), date) for number, date in found[:limit]]


def places(memory: Memory, column: str, values: Iterable[Any]) -> dict[str, StoredPlace]:
    """Return the places of the laboratories whose value in a column is among `values`, by display_id."""
    sql = (
        f"SELECT {', '.join(StoredPlace._fields)} FROM laboratory WHERE {column} {LISTED} ORDER BY display_id"
    )
    return {row[1]: StoredPlace._make(row) for row in memory.execute(sql, listed(values))}


def shown_cards(memory: Memory, some: Iterable[str]) -> dict[str, tuple[Card, ...]]:
    """Return the cards in the lists of similar laboratories of `some`, by display_id."""
    columns = "display_id, coalesce(shown, '[]') FROM laboratory LEFT JOIN similar USING (number)"
    sql = f"SELECT {columns} WHERE display_id {LISTED}"
    lists = {display_id: orjson.loads(shown) for display_id, shown in memory.execute(sql, listed(some))}
    card_of = cards(memory, set(chain.from_iterable(lists.values())))
    return {
        display_id: tuple([card_of[shown_id] for shown_id in shown]) for display_id, shown in lists.items()
    }


def facets_named(memory: Memory, some: Iterable[str] | None = None) -> set[Facet]:
    """Return the catalogue entries that the laboratories in `some`, or all laboratories, refer to."""
    if some is None:
        return {*keys_of(memory, ReferenceKind.FACET), *keys_of(memory, ReferenceKind.ENTRY)}
    sql = f"SELECT facets, extras FROM laboratory WHERE display_id {LISTED}"
    rows = memory.execute(sql, listed(some)).fetchall()
    extras = [extras_of(found).facets for _, found in rows if found]
    return set(chain.from_iterable([load_array(facets) for facets, _ in rows])).union(*extras)
