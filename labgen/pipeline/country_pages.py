"""Stage the public pages of countries and towns that may have changed.

A country has a page if a document names it, even if only a job listing does.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from labgen.memory.inverted_index import ReferenceKind, keys_of
from labgen.memory.remembered_laboratories import cards
from labgen.memory.towns import cards_of_town
from labgen.model.german import town_slug
from labgen.model.records import CountryRecord
from labgen.model.summaries import Card, Town
from labgen.output.staged_units import Staged, stage
from labgen.output.units import Unit, UnitKind
from labgen.pipeline.rebuild import RenderPlan
from labgen.pipeline.staging import SiteBuild
from labgen.render.country_pages import CountryPages, is_large
from labgen.system.workers import spread

Towns = Mapping[str, Sequence[Town]]
"""The towns of each country, by its iso_code."""


class Place(NamedTuple):
    """A country, by its iso_code, and one of its towns."""

    country: str
    town: str


def stage_country_pages(site: SiteBuild, rendering: RenderPlan, towns: Towns, jobs: int) -> list[str]:
    """Stage the pages of countries and towns that may have changed, and return the paths of all."""
    directory, memory, folder = site.source.shared.directory, site.memory, site.folder
    if not directory.site.has_public_pages:
        return []
    beside, copies = site.hosts.companions.beside, site.hosts.companions.copies
    pages = CountryPages(directory, site.templates, site.hosts.abilities)
    countries = [directory.countries[code] for code in keys_of(memory, ReferenceKind.COUNTRY)]
    shown = [(one, towns.get(one.iso_code, ())) for one in countries if one.slug]
    stale = _stale(site, rendering)
    for country, some in shown:
        is_same = stale is not None and all(one.country != country.iso_code for one in stale)
        if is_same and folder.keep_file(pages.file_for(country), copies):
            continue
        own = {} if is_large(some) else _cards(site, country, some)
        folder.put(beside(pages.country_file(country, some, own)))
    wanted = {_key(country, one): (country, one) for country, some in shown for one in _paged(some)}
    places = {key: Place(country.iso_code, town.slug) for key, (country, town) in wanted.items()}
    there = folder.had(UnitKind.TOWN).keys() - folder.missing(UnitKind.TOWN)
    tasks = sorted(key for key in wanted if stale is None or key not in there or places[key] in stale)
    found = {key: cards_of_town(memory, wanted[key][0].iso_code, wanted[key][1].names) for key in tasks}
    out, staging, digester = str(folder.out), str(folder.staging), site.digester

    def work(some: Sequence[str]) -> list[Staged]:
        made = ((key, *wanted[key], found[key]) for key in some)
        return [
            stage(
                out,
                staging,
                Unit(UnitKind.TOWN, key, pages.folder_for(country, town.slug)),
                beside(pages.town_files(country, town, its)),
                digester,
            )
            for key, country, town, its in made
        ]

    for staged in spread(work, tasks, jobs):
        folder.add(staged)
    folder.drop(UnitKind.TOWN, folder.had(UnitKind.TOWN).keys() - wanted.keys())
    return [path for country, some in shown for path in pages.paths(country, some)]


def _paged(towns: Sequence[Town]) -> Sequence[Town]:
    """Return the towns that have pages of their own."""
    return towns if is_large(towns) else ()


def _key(country: CountryRecord, town: Town) -> str:
    return f"{country.slug}/{town.slug}"


def _cards(site: SiteBuild, country: CountryRecord, towns: Sequence[Town]) -> dict[str, list[Card]]:
    found: defaultdict[str, list[Card]] = defaultdict(list)
    for card in cards_of_town(site.memory, country.iso_code, [name for one in towns for name in one.names]):
        found[town_slug(card.locality)].append(card)
    return found


def _stale(site: SiteBuild, rendering: RenderPlan) -> set[Place] | None:
    """Return the places whose laboratories changed for others; None if all pages may be out of date."""
    changes, edits = site.source.changes, site.source.edits
    if site.folder.known is None or rendering.cards is None or edits.countries:
        return None
    return set(map(_place, _changed(site, {*rendering.cards, *changes.gone})))


def _changed(site: SiteBuild, some: Collection[str]) -> Iterator[Card]:
    """Yield the cards of laboratories before and now."""
    yield from cards(site.memory, some).values()
    before = site.source.changes.before
    yield from (before[one].summary.card for one in some if one in before)


def _place(card: Card) -> Place:
    return Place(card.country, town_slug(card.locality))
