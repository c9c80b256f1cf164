"""Stage the catalogues of a site that may have changed, with the number of laboratories of each entry."""

from collections.abc import Collection, Iterable, Sequence
from functools import partial

from labgen.api.proposed import Catalogues, proposed
from labgen.api.search_facets import SearchFacet
from labgen.memory.facet_values import facets_of, own_values_of
from labgen.memory.inverted_index import ReferenceKind, counts
from labgen.model.site_paths import JSON_FILE
from labgen.output.staged_units import Staged, stage
from labgen.output.units import Unit, UnitKind
from labgen.pipeline.catalogue_items import counts_of, items_of
from labgen.pipeline.staging import SiteBuild
from labgen.render.catalogue_pages import CataloguePages, folder_for
from labgen.system.workers import spread


def stage_catalogues(site: SiteBuild, facets: Iterable[SearchFacet], jobs: int) -> None:
    """Stage the changed catalogues, and drop those that the site no longer has."""
    directory, folder = site.source.shared.directory, site.folder
    endpoint = next((one for one in proposed(directory) if isinstance(one, Catalogues)), None)
    names = endpoint.names if endpoint else ()
    folder.drop(UnitKind.CATALOGUE, folder.had(UnitKind.CATALOGUE).keys() - set(names))
    found = [one for one in facets if one.facet.name in names]
    if endpoint is None:
        return
    stale, moved = _stale(site, found), _moved(site)
    for one in found:
        ids = set() if one.facet.name in stale else {*_ids_among(one, moved)}
        if ids and not _recount(site, endpoint, one, ids):
            stale.add(one.facet.name)
    if tasks := [one for one in found if one.facet.name in stale]:
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
    """Return the names of the catalogues whose entries may differ from those in out/, or all their counts."""
    folder, source, every = site.folder, site.source, {one.facet.name for one in found}
    edits, changes, terms = source.edits, source.changes, source.terms
    if folder.known is None or edits.are_templates_new or changes.are_sections_new:
        return every
    stale = every - (folder.had(UnitKind.CATALOGUE).keys() - folder.missing(UnitKind.CATALOGUE))
    for display_id in changes.before.keys() | changes.now.keys():
        before, now = changes.before.get(display_id), changes.now.get(display_id)
        had = own_values_of(terms.before.get(before.number)) if before else set()
        has = own_values_of(terms.now.get(now.number)) if now else set()
        stale |= {name for name, _ in had ^ has} & every
    stale |= {"country"} & every if edits.countries else set()
    return stale | {one.facet.name for one in found if _ids_among(one, edits.facets)}


def _ids_among(one: SearchFacet, facets: Iterable[int]) -> list[int]:
    return one.catalogue.ids_among(sorted(facets)) if one.catalogue else []


def _moved(site: SiteBuild) -> set[int]:
    """Return the entries, as facets, that laboratories have won or lost."""
    changes, moved = site.source.changes, set[int]()
    for display_id in changes.before.keys() | changes.now.keys():
        before, now = changes.before.get(display_id), changes.now.get(display_id)
        moved |= (facets_of(before) if before else set()) ^ (facets_of(now) if now else set())
    return moved


def _recount(site: SiteBuild, endpoint: Catalogues, one: SearchFacet, ids: Collection[int]) -> bool:
    """Stage the pages of a catalogue in which counts have changed; return whether its pages could be read."""
    unit = Unit(UnitKind.CATALOGUE, one.facet.name, folder_for(endpoint, one.facet.name))
    folder, counted = site.folder, counts_of(one, ids, site.memory)
    paths = endpoint.of(one.facet.name, one.facet.title)
    pages = CataloguePages(paths, site.source.shared.directory, site.templates, site.hosts.abilities)
    read, files = partial(folder.manifest.read, unit.folder), dict[str, bytes]()
    try:
        for name in folder.names(unit):
            if name.rpartition("/")[2] == JSON_FILE:
                files |= pages.recounted(name.removesuffix(JSON_FILE), read, counted)
    except (OSError, LookupError, ValueError):  # the published files may be broken
        return False
    if files:
        folder.amend(unit, site.hosts.companions.beside(files), ())
    return True
