"""Render the files that must be rebuilt, in several processes, and stage them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from math import ceil
from pathlib import Path

from labgen.api.endpoint import Paged
from labgen.api.sections import PAGED
from labgen.contract.host_abilities import HostAbilities
from labgen.export.table_rows import ExportSelection
from labgen.export.text_files import TEXT_FORMS
from labgen.hosts.choose_hosts import Chosen
from labgen.images.make import Pictures
from labgen.memory.database import Memory
from labgen.memory.inverted_index import ReferenceKind, keys_of
from labgen.memory.remembered_laboratories import (
    addresses,
    cards,
    count,
    display_ids,
    facets_named,
    neighbours,
    pictures,
    places,
    shown_cards,
)
from labgen.model.directory import Laboratory, Neighbours, PagePosition
from labgen.model.picture_fields import PICTURE_FIELDS
from labgen.model.pictures import PUBLISHED, Picture, Size
from labgen.model.site_paths import MEDIA_PATH, file_of, folder_of
from labgen.output.published_manifest import joined_digests, no_digests
from labgen.output.site_folder import SiteFolder
from labgen.output.staged_units import Digester, Staged, stage
from labgen.output.units import OF_LABORATORIES, Unit, UnitKind
from labgen.pipeline.catalogue_items import example_of
from labgen.pipeline.exported_data import exported_data
from labgen.pipeline.load_data import Source, SourceChangedError
from labgen.pipeline.rebuild import RenderPlan
from labgen.problems.problem import Problem
from labgen.render.country_pages import CountryPages
from labgen.render.crawlers import sitemap_file, sitemap_files
from labgen.render.front_page import Overview, render_front_page
from labgen.render.list_pages import ListPages
from labgen.render.search_pages import SearchPages
from labgen.render.site_files import (
    ALONE,
    Example,
    Files,
    LaboratoryRenderer,
    folder_for,
    placeholder_files,
    site_files,
)
from labgen.render.template_loader import TemplateFailedError
from labgen.render.templates import Templates
from labgen.system.input_files import DATA, MEDIA, read_bytes
from labgen.system.progress import Progress
from labgen.system.workers import is_spread, spread


@dataclass(frozen=True, slots=True)
class SiteBuild:
    """A site that is being built."""

    root: Path
    source: Source
    memory: Memory
    templates: Templates
    folder: SiteFolder
    hosts: Chosen
    pictures: Pictures

    @property
    def digester(self) -> Digester:
        """The function that computes the digests of a unit's files; without a manifest, it returns none."""
        is_wanted = self.source.shared.directory.site.manifest
        return partial(joined_digests, aliases=self.hosts.companions.aliases) if is_wanted else no_digests

    def digester_of(self, kind: UnitKind) -> Digester:
        """Return the function for a kind of units; whole laboratories always have digests."""
        is_whole = kind is UnitKind.WHOLE
        return partial(joined_digests, aliases=self.hosts.companions.aliases) if is_whole else self.digester


def stage_all(site: SiteBuild, rendering: RenderPlan, jobs: int, progress: Progress) -> None:
    """Render and stage all files of the site, except those known to be current in out/.

    The search index, the sitemaps, the manifest and the packs are staged after them.
    """
    _stage_site(site)
    _stage_pictures(site)
    _stage_published(site)
    for endpoint in PAGED:
        _stage_list(site, endpoint, rendering, jobs)
    _stage_laboratories(site, rendering.laboratories, jobs, progress)
    _stage_exports(site)


def with_missing(rendering: RenderPlan, folder: SiteFolder) -> RenderPlan:
    """Add the laboratories and pages that are missing or damaged in out/ to what must be rendered."""

    def missing(kind: UnitKind) -> set[str]:
        return folder.missing(kind) - {unit.key for unit in folder.dropped if unit.kind is kind}

    wanted = sorted(set(rendering.laboratories).union(*map(missing, OF_LABORATORIES)))
    pages = {*map(int, missing(UnitKind.LIST_PAGE)), *rendering.pages}
    return rendering._replace(laboratories=wanted, pages=pages)


def try_templates(
    source: Source, memory: Memory, templates: Templates, hosts: HostAbilities
) -> list[Problem]:
    """Render a page of each kind, because a template that compiles can still fail."""
    directory = source.shared.directory
    try:
        example = _example(source, memory)
        site_files(directory, templates, hosts, example)
        render_front_page(directory, templates, hosts, Overview())
        if directory.site.search.enabled:
            SearchPages(directory, templates, hosts).try_out(example.cards if example else ())
        if example:
            renderer = LaboratoryRenderer(directory, templates, hosts)
            ((own, _),) = renderer.files([(example.laboratory, ALONE)])
            if renderer.public:
                CountryPages(directory, templates, hosts).try_out(example.cards)
            if renderer.whole:
                renderer.whole.files(example.laboratory, ALONE, own)
            for endpoint in PAGED:
                ListPages(endpoint, directory, templates, hosts).files(example.part, example.cards)
    except (TemplateFailedError, SourceChangedError) as error:
        return [error.problem]
    return []


def _stage_site(site: SiteBuild) -> None:
    """Stage the site's own files: documents, static files and placeholders."""
    source, memory = site.source, site.memory
    beside = site.hosts.companions.beside
    example = _example(source, memory)
    directory = source.shared.directory
    site.folder.put(beside(site_files(directory, site.templates, site.hosts.abilities, example)))
    site.folder.put(beside(placeholder_files(map(str, keys_of(memory, ReferenceKind.PLACEHOLDER)))))
    site.folder.put(site.hosts.files)


def stage_sitemaps(site: SiteBuild, paths: Sequence[str]) -> None:
    """Stage the sitemaps; `paths` are those of pages of the search and of countries."""
    directory, total = site.source.shared.directory, count(site.memory)
    pages = ceil(total / directory.site.limits.page_size)
    some = addresses(site.memory) if sitemap_file(directory.site) else ()
    site.folder.put(site.hosts.companions.beside(sitemap_files(directory, some, pages, paths)))


def _example(source: Source, memory: Memory) -> Example | None:
    """Return the first laboratory, for examples; None if there are no laboratories."""
    total, size = count(memory), source.shared.directory.site.limits.page_size
    some = cards(memory, display_ids(memory, size))
    if not some:
        return None
    first = next(iter(some))
    place, shown = places(memory, "display_id", [first])[first], shown_cards(memory, [first])[first]
    (laboratory,) = source.laboratories([place], [shown])
    part = PagePosition(1, ceil(total / size), total)
    return Example(laboratory, list(some.values()), part, *example_of(source.shared.directory, memory))


def _stage_pictures(site: SiteBuild) -> None:
    """Stage the renditions that out/ does not have.

    A path depends on all that determines the contents, so existing files are correct.
    """
    folder, renditions = site.folder, site.source.shared.directory.renditions
    named = [one for one in pictures(site.memory) if not one.addresses]
    sizes = [(one, size) for one in named for size in PICTURE_FIELDS[one.use].declared.sizes]
    wanted = {(folder_of(renditions.path(*each)), *each) for each in sizes}
    staged = set()
    for file, one, size in sorted(wanted):
        if file in staged:
            continue  # two names for the same contents
        staged.add(file)
        if not folder.keep_file(file):
            folder.put({file: _rendition(site, one, size)})


def _stage_published(site: SiteBuild) -> None:
    """Stage the pictures that are published unchanged; renditions are staged already."""
    folder, source = site.folder, site.source
    files = {file for one in pictures(site.memory) if one.addresses for file in one.files}
    staged = set(folder.site_files)
    for file in sorted(files):
        published = folder_of(MEDIA_PATH + file.removeprefix(PUBLISHED))
        if published in staged or (file not in source.edits.originals and folder.keep_file(published)):
            continue
        original = f"{DATA}/{MEDIA}/{file}"
        try:
            folder.put({published: read_bytes(site.root / original)})
        except OSError:
            raise SourceChangedError(original) from None


def _rendition(site: SiteBuild, picture: Picture, size: Size) -> bytes:
    """Return the bytes of a rendition."""
    try:
        return site.pictures.rendition(picture, size)
    except (KeyError, OSError):
        raise SourceChangedError(f"{DATA}/{MEDIA}/{picture.name}") from None


def _stage_list(site: SiteBuild, endpoint: Paged, rendering: RenderPlan, jobs: int) -> None:
    """Stage pages of the list of laboratories; page 1 is among the files that exist once per site."""
    memory, folder, beside = site.memory, site.folder, site.hosts.companions.beside
    out, staging, digester = str(folder.out), str(folder.staging), site.digester
    directory = site.source.shared.directory
    total, size = count(memory), directory.site.limits.page_size
    parts = parts_of(display_ids(memory), size)
    renderer = ListPages(endpoint, directory, site.templates, site.hosts.abilities)
    same = set(rendering.resized).difference({1}, rendering.pages)
    resized = {one for one in same if _resize(site, endpoint, renderer, PagePosition(one, len(parts), total))}
    tasks = sorted({1, *rendering.pages} | (same - resized))
    shown = cards(memory, chain.from_iterable(parts[number - 1] for number in tasks))

    def files(number: int) -> dict[str, bytes]:
        some = [shown[one] for one in parts[number - 1]]
        return beside(renderer.files(PagePosition(number, len(parts), total), some))

    def work(some: Sequence[int]) -> list[Staged]:
        return [stage(out, staging, _page_unit(endpoint, one), files(one), digester) for one in some]

    folder.put({file_of(endpoint.path, name): data for name, data in files(1).items()})
    for staged in spread(work, tasks[1:], jobs, few=FEW_PAGES, batch=4):
        folder.add(staged)


def _resize(site: SiteBuild, endpoint: Paged, renderer: ListPages, part: PagePosition) -> bool:
    """Stage a page in which only the number of all laboratories changed; return whether it could be read."""
    unit, changes = _page_unit(endpoint, part.number), site.source.changes
    before = part._replace(total=part.total - len(changes.came) + len(changes.gone))
    try:
        files = renderer.resized(part, before, partial(site.folder.manifest.read, unit.folder))
    except (OSError, ValueError):  # the published files may be broken
        return False
    site.folder.amend(unit, site.hosts.companions.beside(files), ())
    return True


def _page_unit(endpoint: Paged, number: int) -> Unit:
    return Unit(UnitKind.LIST_PAGE, str(number), folder_of(endpoint.path_for(number)))


FEW_PAGES = 20
"""With fewer pages, one process is faster than starting several."""


def _stage_exports(site: SiteBuild) -> None:
    """Stage the bulk files of laboratories; they are kept if no laboratory and no list changed."""
    source, folder, settings = site.source, site.folder, site.source.shared.directory.site
    had = [name for name in folder.site_had if name.startswith(f"{EXPORTS}/")]
    changes = source.changes
    is_same = not (site.memory.is_new or changes.now or changes.gone or source.edits.are_lists_new)
    if is_same and settings.exports and folder.keep_files(had):
        return
    for form in settings.exports:
        for file in TEXT_FORMS[form](exported_data(source, site.memory), ExportSelection()):
            beside = site.hosts.companions.beside({f"{EXPORTS}/{file.name}": file.data}, has_documents=False)
            folder.put(beside)


EXPORTS = "laboratories-export"
"""The folder of bulk files."""


def parts_of(some: Sequence[str], size: int) -> list[Sequence[str]]:
    """Divide laboratories into the pages of their list."""
    return [some[start : start + size] for start in range(0, len(some), size)]


def _stage_laboratories(site: SiteBuild, tasks: Sequence[str], jobs: int, progress: Progress) -> None:
    """Stage the files of laboratories, in batches to limit memory use."""
    renderer = LaboratoryRenderer(site.source.shared.directory, site.templates, site.hosts.abilities)
    are_most = len(tasks) > count(site.memory) // 2
    for start in range(0, len(tasks), AT_A_TIME):
        some = tasks[start : start + AT_A_TIME]
        if is_spread(some, jobs):
            renderer.share(facets_named(site.memory, None if are_most else some), jobs)
        for done, units in enumerate(_staged(site, renderer, some, jobs), start + 1):
            for staged in units:
                site.folder.add(staged)
            progress("built", done, len(tasks))


AT_A_TIME = 1 << 15
"""Laboratories in a batch, for which one set of processes is started."""


def _staged(
    site: SiteBuild, renderer: LaboratoryRenderer, tasks: Sequence[str], jobs: int
) -> Iterator[list[Staged]]:
    """Yield the units of each laboratory."""
    source, memory, folder, beside = site.source, site.memory, site.folder, site.hosts.companions.beside
    out, staging = str(folder.out), str(folder.staging)
    digesters = {kind: site.digester_of(kind) for kind in OF_LABORATORIES}
    at, similar = places(memory, "display_id", tasks), shown_cards(memory, tasks)
    next_to = neighbours(memory, tasks)

    def work(some: Sequence[str]) -> list[list[Staged]]:
        laboratories = source.laboratories([at[one] for one in some], [similar[one] for one in some])
        pairs = [(one, Neighbours(*next_to[one.display_id])) for one in laboratories]
        return [
            [
                stage(out, staging, Unit(kind, one, folder), beside(files), digesters[kind])
                for kind, folder, files in units(one, pair, *made)
            ]
            for one, pair, made in zip(some, pairs, renderer.files(pairs), strict=True)
        ]

    def units(
        one: str, pair: tuple[Laboratory, Neighbours], own: Files, public: Files
    ) -> Iterator[tuple[UnitKind, str, Files]]:
        yield UnitKind.LABORATORY, folder_for(one), own
        if renderer.public:
            yield UnitKind.PUBLIC, renderer.public.folder_for(one), public
        if renderer.whole:
            yield UnitKind.WHOLE, renderer.whole.folder_for(one), renderer.whole.files(*pair, own)

    return spread(work, tasks, jobs)
