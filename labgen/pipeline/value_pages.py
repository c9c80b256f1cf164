"""Stage the search page, and the pages of facet values that may have changed."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain

from labgen.api.search_facets import SearchFacet
from labgen.memory.facet_values import (
    CountedValues,
    FirstHolders,
    Value,
    ValueCount,
    cards_by_number,
    facets_of,
    held_together,
    own_values_of,
)
from labgen.memory.remembered_laboratories import are_rated, count
from labgen.memory.row_conversion import StoredLaboratory
from labgen.model.directory import Directory
from labgen.model.site_paths import folder_of
from labgen.model.summaries import Card
from labgen.output.staged_units import Staged, stage
from labgen.output.units import Unit, UnitKind
from labgen.pipeline.staging import SiteBuild
from labgen.render.search_pages import (
    MOST_LABORATORIES,
    MOST_RELATED,
    MOST_VALUES,
    PreviewCounts,
    PreviewValue,
    SearchPages,
)
from labgen.search.index_files import file_name
from labgen.search_index.contents import commonest
from labgen.search_index.index_input import Terms
from labgen.system.workers import spread

PagedValues = Mapping[Value, ValueCount]
"""The facet values that have pages, with their counts."""


def stage_search_pages(
    site: SiteBuild, found: Sequence[SearchFacet], values: CountedValues, jobs: int, *, is_whole: bool
) -> list[str]:
    """Stage the search page and the changed pages of facet values, and drop those of former values.

    If `is_whole`, stage all pages. Return the paths of all of them.
    """
    directory, memory, folder = site.source.shared.directory, site.memory, site.folder
    beside = site.hosts.companions.beside
    facets = {one.facet.name: _counted(one, values[one.facet.name]) for one in found}
    titles = {(name, value.search_val): value for name, one in facets.items() for value in one.values}
    paged = {one: values[one[0]][one[1]] for one in titles}
    pages = SearchPages(directory, site.templates, site.hosts.abilities)
    files = pages.page_files(list(facets.values()), count(memory), are_rated=are_rated(memory))
    folder.put(beside(files))

    first = FirstHolders(memory, MOST_LABORATORIES)
    tasks = sorted(paged if is_whole else _stale(site, paged, first))
    numbers = {one: first.of(one, paged[one]) for one in tasks}
    cards = cards_by_number(memory, set(chain.from_iterable(numbers.values())))
    related = held_together(memory, paged, tasks, MOST_RELATED)
    out, staging, digester = str(folder.out), str(folder.staging), site.digester

    def work(some: Sequence[Value]) -> list[Staged]:
        made = ((one, pages.value_files(facets[one[0]], titles[one], *beside_it(one))) for one in some)
        return [stage(out, staging, _unit(directory, one), beside(files), digester) for one, files in made]

    def beside_it(one: Value) -> tuple[list[Card], list[PreviewValue]]:
        others = [titles[other] for other in related.get(one, ())]
        return [cards[number] for number in numbers[one]], others

    for staged in spread(work, tasks, jobs):
        folder.add(staged)
    folder.drop(UnitKind.VALUE, folder.had(UnitKind.VALUE).keys() - set(map(_key, paged)))
    return list(pages.paths(list(facets.values())))


def _unit(directory: Directory, value: Value) -> Unit:
    """Return the unit of the page of a facet value."""
    name, search_val = value
    folder = f"{folder_of(directory.site.search_path)}/{name}/{file_name(search_val)}"
    return Unit(UnitKind.VALUE, _key(value), folder)


def _key(value: Value) -> str:
    return "/".join(value)


def _counted(one: SearchFacet, values: Mapping[str, ValueCount]) -> PreviewCounts:
    """Return a facet with its commonest values, which have pages."""
    counts = {value: having.laboratories for value, having in values.items()}
    facet = one.facet
    shown = [
        PreviewValue(value, facet.values[value].title, counts[value])
        for value in commonest(counts, MOST_VALUES)
    ]
    return PreviewCounts(facet.name, facet.search_arg, facet.title, shown, len(values))


def _stale(site: SiteBuild, paged: PagedValues, first: FirstHolders) -> set[Value]:
    """Return the values whose pages in out/ may be missing or out of date.

    A page shows the title of its value, how many laboratories have it, the cards of the first of
    them, and what other values of a catalogue these laboratories have: so it depends on all values that have
    pages, and on all values of its laboratories, of the same facet.
    """
    folder, source = site.folder, site.source
    edits = source.edits
    if folder.known is None or edits.are_templates_new or edits.countries or source.changes.are_sections_new:
        return set(paged)
    there = folder.had(UnitKind.VALUE).keys() - folder.missing(UnitKind.VALUE)
    stale = {one for one in paged if _key(one) not in there}
    edited = {one for one, having in paged.items() if not edits.facets.isdisjoint(having.facets)}
    shown = {_key(one) for one in edited} | (folder.had(UnitKind.VALUE).keys() ^ set(map(_key, paged)))
    names = {key.partition("/")[0] for key in shown}
    stale |= edited | {one for one, having in paged.items() if having.facets and one[0] in names}
    moved: defaultdict[Value, set[int]] = defaultdict(set)
    changes, terms = source.changes, source.terms
    by_facet = {facet: one for one, having in paged.items() for facet in having.facets}
    for display_id in changes.before.keys() | changes.now.keys():
        before, now = changes.before.get(display_id), changes.now.get(display_id)
        had, has = _values(before, terms.before, by_facet), _values(now, terms.now, by_facet)
        regrouped = {one[0] for one in had ^ has}
        stale |= had ^ has | {one for one in had & has if one[0] in regrouped}
        if before and now and _shown(before) != _shown(now):
            for one in had & has:
                moved[one].add(now.number)
    stale &= paged.keys()
    return stale.union(
        one
        for one in moved.keys() - stale
        if one in paged and not moved[one].isdisjoint(first.of(one, paged[one]))
    )


def _values(
    one: StoredLaboratory | None, terms: Mapping[int, Terms], by_facet: Mapping[int, Value]
) -> set[Value]:
    """Return a laboratory's values that have pages, and all its values that are not catalogue entries."""
    if one is None:
        return set()
    named = facets_of(one)
    return {by_facet[facet] for facet in named if facet in by_facet} | own_values_of(terms.get(one.number))


def _shown(one: StoredLaboratory) -> Card:
    """Return what pages of facet values show of a laboratory: its card without the picture."""
    return one.summary.card._replace(image=None)
