"""Stage the search index of a site from the database of the last build: all of it, or what changed."""

from collections.abc import Iterable, Sequence
from functools import partial
from importlib.resources import files as package_files
from itertools import islice
from pathlib import Path
from typing import Any

from labgen.api.search_facets import SearchFacet
from labgen.memory.facet_values import CountedValues
from labgen.memory.search_terms import assign_slots, old_slots, replace_search_entries
from labgen.memory.sources import entry_digests, update_entries
from labgen.model.site_paths import JSON_FILE, SEARCH_FOLDER
from labgen.output.staged_units import Staged, stage_in_parts
from labgen.output.units import Unit, UnitKind
from labgen.pipeline.indexed_laboratories import IndexChanges, NotPossibleError
from labgen.pipeline.rebuild import RenderPlan
from labgen.pipeline.search_source import READ_WHEN_ASKED, SearchSource
from labgen.pipeline.search_update import (
    ChangedIndex,
    FilesByFolder,
    changed_files,
)
from labgen.pipeline.staging import SiteBuild
from labgen.render.scripts import for_browsers
from labgen.search.index_files import FILES_FOLDER, INDEX
from labgen.search_index.build_index import SearchIndex
from labgen.search_index.leaves import content_digest, without_short_list
from labgen.system.workers import FEW, spread

LONGEST = 4
"""How many folders are made by processes that end before others begin, so that their memory is free."""
FEW_TEXTS = 4_000
"""The terms of fewer entries are made by one process faster than by several."""
AT_A_TIME = 512
"""The number of entries whose terms are made, and of files that are staged, at a time."""


def stage_search(
    site: SiteBuild,
    facets: Sequence[SearchFacet],
    values: CountedValues,
    rendering: RenderPlan,
    jobs: int,
    *,
    is_whole: bool,
) -> None:
    """Stage the search index: only the changed files, if the changes are few and known, unless `is_whole`."""
    directory, memory = site.source.shared.directory, site.memory
    had, changes = old_slots(memory), site.source.changes
    slots = assign_slots(memory) if changes.came or changes.gone or not had else had
    source = SearchSource(memory, directory, facets, values, slots)
    changed: ChangedIndex | None = None
    if rendering.cards is not None and not is_whole and not _is_missing(site):
        edit = IndexChanges(changes, site.source.terms, site.source.edits, rendering.cards, had)
        changed = _changed(site, source, edit)
    if changed is None:
        roots = _stage_all(site, source, jobs)
    else:
        _stage_changed(site, changed.files)
        roots = changed.roots
    document = source.document(roots)
    update_entries(memory, INDEX, {INDEX: content_digest(document)})
    own = {JSON_FILE: document, **_client_files()}
    files = {f"{SEARCH_FOLDER}/{name}": data for name, data in own.items()}
    site.folder.put(site.hosts.companions.beside(files, has_documents=False))


def _client_files() -> dict[str, bytes]:
    """Return the client for browsers, and its types."""
    files = package_files("labgen.search")
    script = for_browsers(files.joinpath("client.js").read_text(encoding="utf-8"))
    return {"client.js": script.encode(), "client.d.ts": files.joinpath("client.d.ts").read_bytes()}


def _is_missing(site: SiteBuild) -> bool:
    """Return whether the published index, or a file in one of its folders, is missing."""
    return site.folder.known is None or bool(site.folder.missing(UnitKind.INDEX))


def _changed(site: SiteBuild, source: SearchSource, edit: IndexChanges) -> ChangedIndex | None:
    """Return the files that an edit changes in the published index; None if all must be made again."""
    try:
        index_digest = entry_digests(site.memory, INDEX)[INDEX]
        return changed_files(source, partial(_published, site.folder.out, index_digest), edit)
    except (NotPossibleError, OSError, LookupError, ValueError):  # the published files may be broken
        return None


def _published(out: Path, index_digest: str, name: str) -> bytes:
    """Return a published file. Raises ValueError if its bytes have not the digest that they had."""
    data = (out / name).read_bytes()
    digest = content_digest(data)
    is_same = digest == index_digest if name == INDEX else name.endswith(f"{digest}.json")
    if not is_same:
        raise ValueError(name)
    return data


def _stage_changed(site: SiteBuild, changed: FilesByFolder) -> None:
    companions = site.hosts.companions
    for name, some in changed.items():
        made = {file: data for file, data in some.items() if data is not None}
        replaced = {file + suffix for file in some for suffix in ("", *companions.copies)}
        files = companions.beside(made, has_documents=False)
        site.folder.amend(_unit(name), files, replaced)


def _unit(name: str) -> Unit:
    """Return the unit of a folder of the index."""
    return Unit(UnitKind.INDEX, name, f"{FILES_FOLDER}/{name}")


def _stage_all(site: SiteBuild, source: SearchSource, jobs: int) -> dict[str, Any]:
    """Stage the whole index, and return its roots; its folders are distributed over several processes."""
    folder, beside = site.folder, site.hosts.companions.beside
    postings = source.postings()
    facets = [one.facet for one in source.facets.values()]
    cards = source.cards(source.slots_by_display_id())
    run = partial(spread, jobs=jobs, few=FEW_TEXTS, batch=AT_A_TIME)
    index = SearchIndex(facets, postings, cards, source.settings, run, orders=source.order_files())
    index.prepare()
    out, staging, digester = str(folder.out), str(folder.staging), site.digester

    def staged(name: str) -> tuple[Staged, dict[str, Any]]:
        roots: dict[str, Any] = {}
        files = without_short_list(name, index.files(name), roots)
        parts = iter(lambda: dict(islice(files, AT_A_TIME)), {})
        some = (beside(one, has_documents=False) for one in parts)
        return stage_in_parts(out, staging, _unit(name), some, digester), roots

    few = 1 if source.size.total >= FEW else len(index.folders) + 1
    here = [name for name in index.folders if name in READ_WHEN_ASKED]
    others = [name for name in index.folders if name not in here]
    roots: dict[str, Any] = {}

    def keep(some: Iterable[tuple[Staged, dict[str, Any]]]) -> None:
        for one, root in some:
            folder.add(one)
            roots.update(root)

    def do_here() -> None:
        keep(map(staged, here))
        _remember_entries(source, index)

    work = partial(map, staged)
    keep(spread(work, others[:LONGEST], jobs, few=few, batch=1, meanwhile=do_here))
    keep(spread(work, others[LONGEST:], jobs, few=few, batch=1))
    folder.drop(UnitKind.INDEX, folder.had(UnitKind.INDEX).keys() - set(index.folders))
    return roots


def _remember_entries(source: SearchSource, index: SearchIndex) -> None:
    """Store the entries of the index, and the terms by which each is found, for the next build."""
    used = source.entries_in_use(index.entry_weights)
    terms = {one: index.terms_of_entries.get((one.facet, one.value), ()) for one in used}
    replace_search_entries(source.memory, terms)
