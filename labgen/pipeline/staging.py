"""What is stale is rendered, by as many processes as there are cores, and staged."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from math import ceil
from pathlib import Path

from labgen.api.endpoint import Paged
from labgen.api.host_abilities import HostAbilities
from labgen.api.sections import PAGED
from labgen.hosts.choose import Chosen
from labgen.images.make import Pictures
from labgen.images.store import Store
from labgen.memory.state_files import Digests
from labgen.model.directory import Laboratory, Neighbours, Part
from labgen.model.renditions import SIZES, Size
from labgen.model.site_paths import file_of, folder_of
from labgen.model.summaries import Facet, Picture, Summary
from labgen.output.site_folder import SiteFolder
from labgen.output.staged_units import Staged, stage
from labgen.pipeline.plan import Lists, Stale, parts_of
from labgen.problems.problem import Problem
from labgen.render.list_pages import ListPages
from labgen.render.site_files import (
    ALONE,
    Example,
    LaboratoryRenderer,
    folder_for,
    placeholder_files,
    site_files,
)
from labgen.render.templates import TemplateFailedError, Templates
from labgen.source.load import Known, Source, SourceChangedError
from labgen.system.input_files import DATA, MEDIA, TEMPLATES
from labgen.system.progress import Progress
from labgen.system.workers import is_spread, spread


@dataclass(frozen=True, slots=True)
class Site:
    """A site that is being built. `digests` are those of all files but laboratories."""

    root: Path
    source: Source
    templates: Templates
    folder: SiteFolder
    known: Known | None
    digests: Digests
    hosts: Chosen
    pictures: Pictures
    store: Store

    @property
    def is_known(self) -> bool:
        """Whether out/ holds what was built from what is known, with these very templates."""
        if self.known is None or self.folder.had.made_from != self.known.sources.made_from:
            return False
        was = self.known.sources
        return _templates_in(was.inputs.shared, was.digests) == _templates_in(self.digests, self.digests)


def _templates_in(names: Iterable[str], digests: Digests) -> dict[str, bytes]:
    return {name: digests[name] for name in names if name.startswith(f"{TEMPLATES}/")}


def stage_all(site: Site, lists: Lists, stale: Stale, jobs: int, progress: Progress) -> None:
    """Stage all files of the site that are not known to be in out/ as they are."""
    _stage_site(site, lists)
    _stage_pictures(site)
    for endpoint in PAGED:
        _stage_list(site, endpoint, stale, jobs)
    _stage_laboratories(site, lists, stale, jobs, progress)


def try_templates(source: Source, templates: Templates, hosts: HostAbilities) -> list[Problem]:
    """Render pages of each kind: a template can fail that compiles."""
    directory = source.shared.directory
    try:
        example = _example(source)
        site_files(directory, templates, hosts, example)
        if example:
            LaboratoryRenderer(directory, templates, hosts).files([(example.laboratory, ALONE)])
            for endpoint in PAGED:
                ListPages(endpoint, directory, templates, hosts).files(example.part, example.cards)
    except (TemplateFailedError, SourceChangedError) as error:
        return [error.problem]
    return []


def _stage_site(site: Site, lists: Lists) -> None:
    """Stage what the site has once: documents, static files and placeholders."""
    directory, summaries = site.source.shared.directory, site.source.summaries.values()
    beside = site.hosts.companions.beside
    example = _example(site.source, lists)
    site.folder.put(beside(site_files(directory, site.templates, site.hosts.abilities, example)))
    site.folder.put(
        beside(placeholder_files({one.initials for one in summaries if one.initials is not None}))
    )
    site.folder.put(site.hosts.files)


def _example(source: Source, lists: Lists | None = None) -> Example | None:
    """Return what examples show, if there are laboratories; without lists, none is similar."""
    summaries, size = source.summaries, source.shared.directory.site.limits.page_size
    some = list(islice(summaries, size))
    if not some:
        return None
    (first,) = _laboratories(source, lists, some[:1]) if lists else source.laboratories(some[:1], [()])
    part = Part(1, ceil(len(summaries) / size), len(summaries))
    return Example(first, [summaries[one].card for one in some], part)


def _laboratories(source: Source, lists: Lists, display_ids: Sequence[str]) -> list[Laboratory]:
    """Return laboratories with the lists of similar ones that they show."""
    summaries, shown = source.summaries, lists.shown
    similar = [tuple([summaries[one].card for one in shown[at].display_ids]) for at in display_ids]
    return source.laboratories(display_ids, similar)


def _stage_pictures(site: Site) -> None:
    """Stage the renditions, but for those that out/ has: an address names contents, so they are right."""
    folder, renditions = site.folder, site.source.shared.directory.renditions
    named = {one for summary in site.source.summaries.values() for one in summary.pictures}
    wanted = {(folder_of(renditions.path(one, size)), one, size) for one in named for size in SIZES[one.use]}
    staged = set()
    is_known = site.is_known
    for file, one, size in sorted(wanted):
        if file in staged:
            continue  # two names of the same contents
        staged.add(file)
        if is_known and folder.has(file):
            folder.keep_file(file)
        else:
            folder.put({file: _rendition(site, one, size)})


def _rendition(site: Site, picture: Picture, size: Size) -> bytes:
    """Return a rendition that was made or found a moment ago."""
    renditions = site.source.shared.directory.renditions
    key = renditions.key(picture)
    try:
        return site.store.read(key, site.pictures.sizes[key], renditions.file(size))
    except (KeyError, OSError):
        raise SourceChangedError(f"{DATA}/{MEDIA}/{picture.name}") from None


def _stage_list(site: Site, endpoint: Paged, stale: Stale, jobs: int) -> None:
    """Stage the pages of a list of laboratories; the first is one of the files that the site has once."""
    source, folder, beside = site.source, site.folder, site.hosts.companions.beside
    out, staging, summaries = str(folder.out), str(folder.staging), source.summaries
    directory = source.shared.directory
    renderer = ListPages(endpoint, directory, site.templates, site.hosts.abilities)
    parts = parts_of(list(summaries), directory.site.limits.page_size)

    def files(number: int) -> dict[str, bytes]:
        cards = [summaries[one].card for one in parts[number - 1]]
        return beside(renderer.files(Part(number, len(parts), len(summaries)), cards))

    def work(some: Sequence[int]) -> list[Staged]:
        return [stage(out, staging, folder_of(endpoint.path_for(one)), files(one)) for one in some]

    def is_kept(number: int) -> bool:
        is_same = not stale.is_list_new and stale.cards.isdisjoint(parts[number - 1])
        return is_same and folder.has_unit(folder_of(endpoint.path_for(number)))

    folder.put({file_of(endpoint.path, name): data for name, data in files(1).items()})
    numbers = range(2, len(parts) + 1)
    kept = {number for number in numbers if is_kept(number)}
    folder.keep(folder_of(endpoint.path_for(number)) for number in kept)
    tasks = [number for number in numbers if number not in kept]
    for staged in spread(work, tasks, jobs, few=FEW_PAGES, batch=4):
        folder.add(staged)


FEW_PAGES = 20
"""Pages of a list that one process renders sooner than several can be started."""


def _stage_laboratories(site: Site, lists: Lists, stale: Stale, jobs: int, progress: Progress) -> None:
    source, folder = site.source, site.folder
    renderer = LaboratoryRenderer(source.shared.directory, site.templates, site.hosts.abilities)
    out, staging = str(folder.out), str(folder.staging)
    summaries, beside = source.summaries, site.hosts.companions.beside
    ordered = list(summaries)
    before, after = dict(zip(ordered[1:], ordered, strict=False)), dict(pairwise(ordered))

    def work(display_ids: Sequence[str]) -> list[Staged]:
        laboratories = _laboratories(source, lists, display_ids)
        neighbours = [Neighbours(before.get(one), after.get(one)) for one in display_ids]
        files = map(beside, renderer.files(list(zip(laboratories, neighbours, strict=True))))
        return [
            stage(out, staging, folder_for(one), own) for one, own in zip(display_ids, files, strict=True)
        ]

    if len(stale.laboratories) < len(summaries):
        folder.keep(map(folder_for, summaries.keys() - stale.laboratories))
    tasks = [display_id for display_id in summaries if display_id in stale.laboratories]
    if is_spread(tasks, jobs):
        renderer.share(_named([summaries[one] for one in tasks]), jobs)
    for done, staged in enumerate(spread(work, tasks, jobs), 1):
        folder.add(staged)
        progress("built", done, len(tasks))


def _named(summaries: Sequence[Summary]) -> set[Facet]:
    """Return the entries of catalogues that laboratories name."""
    further = chain.from_iterable([one.further.facets for one in summaries if one.further])
    return set(chain.from_iterable([one.facets for one in summaries])).union(further)
