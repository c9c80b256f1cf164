"""Stage the catalogues of a site that may have changed, with the number of laboratories of each entry."""

from collections.abc import Sequence

from labgen.api.proposed import Catalogues, proposed
from labgen.api.search_facets import SearchFacet, search_facets
from labgen.memory.facet_values import facets_of, own_values_of
from labgen.memory.inverted_index import ReferenceKind, counts
from labgen.output.staged_units import Staged, stage
from labgen.output.units import Unit, UnitKind
from labgen.pipeline.catalogue_items import items_of
from labgen.pipeline.staging import SiteBuild
from labgen.render.catalogue_pages import CataloguePages, folder_for
from labgen.system.workers import spread


def stage_catalogues(site: SiteBuild, jobs: int) -> None:
    """Stage the changed catalogues, and drop those that the site no longer has."""
    directory, folder = site.source.shared.directory, site.folder
    endpoint = next((one for one in proposed(directory) if isinstance(one, Catalogues)), None)
    names = endpoint.names if endpoint else ()
    folder.drop(UnitKind.CATALOGUE, folder.had(UnitKind.CATALOGUE).keys() - set(names))
    found = [one for one in search_facets(directory) if one.facet.name in names]
    tasks = [one for one in found if one.facet.name in _stale(site, found)]
    if endpoint and tasks:
        _stage(site, endpoint, tasks, jobs)


def _stage(site: SiteBuild, endpoint: Catalogues, tasks: Sequence[SearchFacet], jobs: int) -> None:
    directory, folder, beside = site.source.shared.directory, site.folder, site.hosts.companions.beside
    out, staging, digester = str(folder.out), str(folder.staging), site.digester
    by_facet = counts(site.memory, ReferenceKind.FACET) | counts(site.memory, ReferenceKind.ENTRY)

    def files(one: SearchFacet) -> dict[str, bytes]:
        paths = endpoint.of(one.facet.name, one.facet.title)
        pages = CataloguePages(paths, directory, site.templates, site.hosts.abilities)
        return beside(pages.all_files(items_of(one, directory, site.memory, by_facet)))

    def work(some: Sequence[SearchFacet]) -> list[Staged]:
        units = [
            Unit(UnitKind.CATALOGUE, one.facet.name, folder_for(endpoint, one.facet.name)) for one in some
        ]
        return [
            stage(out, staging, unit, files(one), digester) for unit, one in zip(units, some, strict=True)
        ]

    for staged in spread(work, tasks, jobs, few=len(tasks) + 1):
        folder.add(staged)


def _stale(site: SiteBuild, found: Sequence[SearchFacet]) -> set[str]:
    """Return the names of the catalogues whose entries or counts may differ from those in out/."""
    folder, source, every = site.folder, site.source, {one.facet.name for one in found}
    edits, changes, terms = source.edits, source.changes, source.terms
    if folder.known is None or edits.are_templates_new or changes.are_sections_new:
        return every
    stale = every - (folder.had(UnitKind.CATALOGUE).keys() - folder.missing(UnitKind.CATALOGUE))
    facets = set(edits.facets)
    for display_id in changes.before.keys() | changes.now.keys():
        before, now = changes.before.get(display_id), changes.now.get(display_id)
        facets |= (facets_of(before) if before else set()) ^ (facets_of(now) if now else set())
        had = own_values_of(terms.before.get(before.number)) if before else set()
        has = own_values_of(terms.now.get(now.number)) if now else set()
        stale |= {name for name, _ in had ^ has} & every
    stale |= {"country"} & every if edits.countries else set()
    return stale | {
        one.facet.name for one in found if one.catalogue and one.catalogue.ids_among(sorted(facets))
    }
