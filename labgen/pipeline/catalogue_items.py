"""Make the items of catalogues from their entries, and count the laboratories that have each."""

from collections.abc import Iterable, Iterator, Mapping
from heapq import nsmallest
from typing import Any

from labgen.api.proposed import CatalogueItem
from labgen.api.search_facets import SearchFacet, search_value
from labgen.api.sections import per_laboratory
from labgen.memory.database import Memory
from labgen.memory.inverted_index import ReferenceKind, holders
from labgen.memory.search_terms import counts_found
from labgen.model.catalogues import Catalogue
from labgen.model.directory import Directory
from labgen.model.german import collation_key


def items_of(
    one: SearchFacet, directory: Directory, memory: Memory, by_facet: Mapping[int, int]
) -> list[CatalogueItem]:
    """Return the items of a catalogue in German order; `by_facet` counts the laboratories of entries."""
    catalogue = one.catalogue
    if catalogue and (ranks := directory.ranks.get(catalogue.stem)):
        return [*_of_entries(catalogue, directory, sorted(ranks, key=ranks.__getitem__), by_facet)]
    items = (
        _of_entries(catalogue, directory, directory.entries(catalogue), by_facet)
        if catalogue
        else _of_values(one, memory)
    )
    return sorted(items, key=lambda item: (collation_key(item["title"]), item["id"] or 0, item["search_val"]))


def _of_entries(
    catalogue: Catalogue[Any], directory: Directory, numbers: Iterable[int], by_facet: Mapping[int, int]
) -> Iterator[CatalogueItem]:
    entries, some = directory.entries(catalogue), [*numbers]
    for number, facet in zip(some, catalogue.facets(some), strict=True):
        entry = entries[number]
        yield CatalogueItem(
            id=number,
            search_val=search_value(entry),
            title=entry.title,
            summary=getattr(entry, "summary", "") or getattr(entry, "standard", ""),
            count=by_facet.get(facet, 0),
        )


def _of_values(one: SearchFacet, memory: Memory) -> Iterator[CatalogueItem]:
    found = counts_found(memory, one.facet.name)
    for value, known in one.facet.values.items():
        yield CatalogueItem(
            id=None, search_val=value, title=known.title, summary="", count=found.get(value, 0)
        )


def counts_of(one: SearchFacet, numbers: Iterable[int], memory: Memory) -> dict[int, int]:
    """Return the numbers of laboratories of some entries of a catalogue, by id."""
    if one.catalogue is None:
        return {}
    some = [*numbers]
    kind = ReferenceKind.FACET if one.catalogue.is_compared else ReferenceKind.ENTRY
    facets = one.catalogue.facets(some)
    return {number: len(holders(memory, kind, facet)) for number, facet in zip(some, facets, strict=True)}


def example_of(directory: Directory, memory: Memory) -> tuple[list[CatalogueItem], int]:
    """Return the first items of the first catalogue, for examples, and how many it has."""
    catalogue = next(one.catalogue for one in per_laboratory(directory) if one.catalogue and one.search_arg)
    ranks = directory.ranks[catalogue.stem]
    numbers = nsmallest(FEW, ranks, key=ranks.__getitem__)
    facets = catalogue.facets(numbers)
    counts = {each: len(holders(memory, ReferenceKind.FACET, each)) for each in facets}
    return [*_of_entries(catalogue, directory, numbers, counts)], len(ranks)


FEW = 2
"""The number of items in an example."""
