"""Read the index from which lists of similar laboratories are computed."""

from array import array
from sys import intern

from labgen.memory.database import Memory
from labgen.memory.inverted_index import ReferenceKind, all_holders, counts, holders, keys_of
from labgen.memory.row_conversion import FACET_COUNT_SQL
from labgen.model.summaries import Facet
from labgen.similar.similarity import NO_LAST, Index, LastFacets, shift_of
from labgen.system.lazy import Lazy


def index_of(memory: Memory, *, is_whole: bool = False) -> Index:
    """Return the index from which lists are computed; only a whole one may be used in worker processes."""
    numbers = counts(memory, ReferenceKind.FACET)
    if is_whole:
        size = memory.value("SELECT coalesce(max(number), 0) FROM laboratory") + 1
        names, countries, shifts = [""] * size, [""] * size, bytearray(size)
        rows = memory.execute(f"SELECT number, display_id, country, {FACET_COUNT_SQL} FROM laboratory")
        for number, display_id, country, facets in rows:
            names[number], countries[number], shifts[number] = display_id, intern(country), shift_of(facets)
        holders_of = all_holders(memory, ReferenceKind.FACET)
        return Index(names, countries, bytes(shifts), holders_of, numbers, is_ordered=memory.is_new)
    return Index(
        Lazy(lambda one: memory.value("SELECT display_id FROM laboratory WHERE number = ?", one)),
        Lazy(lambda one: memory.value("SELECT country FROM laboratory WHERE number = ?", one)),
        Lazy(
            lambda one: shift_of(
                memory.value(f"SELECT {FACET_COUNT_SQL} FROM laboratory WHERE number = ?", one)
            )
        ),
        Lazy(lambda facet: holders(memory, ReferenceKind.FACET, facet)),
        numbers,
    )


def last_facets(memory: Memory) -> LastFacets:
    """Return the last facet that counted for each list of similar laboratories."""

    def last_of(number: int) -> Facet:
        found = memory.value("SELECT last FROM similar WHERE number = ?", number)
        return NO_LAST if found is None else found

    by_facet: Lazy[Facet, array[int]] = Lazy(lambda facet: holders(memory, ReferenceKind.LAST, facet))
    return LastFacets(keys_of(memory, ReferenceKind.LAST), Lazy(last_of), by_facet)
