"""Run a build or a check: load, check, compare with the last build, render, write."""

import sqlite3
from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import ceil
from pathlib import Path

from labgen.api.search_facets import search_facets, shared_values
from labgen.hosts.preflight import preflight
from labgen.images.store import Store
from labgen.memory.compiled_templates import update_compiled_templates
from labgen.memory.database import BROKEN, Memory, SiteState, memory_file, open_empty, open_existing
from labgen.memory.facet_values import values_of
from labgen.memory.fingerprints import remember_columns, remembered_fingerprints
from labgen.memory.remembered_laboratories import all_pages, count, display_ids, places
from labgen.memory.removed_documents import remember_removed, removed_list_path
from labgen.memory.search_terms import update_shared_values
from labgen.memory.sources import (
    entry_digests,
    update_entries,
    update_files,
)
from labgen.memory.towns import towns_of
from labgen.memory.warnings import update_warnings
from labgen.model.site_paths import STATE, visible_name
from labgen.output.commit import TREE
from labgen.output.errors import OutputError, temporary_folder, unwritable
from labgen.output.file_lists import Marker
from labgen.output.open_folder import may_write, open_site_folder
from labgen.output.published_manifest import INDEX
from labgen.output.site_folder import IN_PLACE
from labgen.output.units import OF_LABORATORIES, UnitKind
from labgen.output.written import Written
from labgen.pipeline.accidents import FEWEST_ROWS
from labgen.pipeline.build_options import DEFAULTS, Options
from labgen.pipeline.catalogue_files import stage_catalogues
from labgen.pipeline.change_files import stage_changes
from labgen.pipeline.comparison import check_columns, check_removed, compare
from labgen.pipeline.country_pages import stage_country_pages
from labgen.pipeline.front_page import stage_front_page
from labgen.pipeline.guard import NOTHING_BEFORE
from labgen.pipeline.load_data import SourceChangedError
from labgen.pipeline.load_project import choose_hosts, load_project, temporary_memory
from labgen.pipeline.project_schemas import keep_schemas_current
from labgen.pipeline.published_columns import publish_columns
from labgen.pipeline.quick_check import QuickCheck, quick_check
from labgen.pipeline.rebuild import RenderPlan, compare_files, full_plan, to_render
from labgen.pipeline.remembered_units import remember_units, remembered_units
from labgen.pipeline.result import Outcome
from labgen.pipeline.search_files import stage_search
from labgen.pipeline.similar_lists import update_similar_lists
from labgen.pipeline.site_manifest import stage_manifest
from labgen.pipeline.stage_packs import stage_packs
from labgen.pipeline.staging import (
    SiteBuild,
    stage_all,
    stage_sitemaps,
    try_templates,
    with_missing,
)
from labgen.pipeline.value_pages import stage_search_pages
from labgen.problems.problem import Problem, count_errors
from labgen.problems.text import say, term
from labgen.render.template_loader import TemplateFailedError
from labgen.source.file_formats import SETTINGS
from labgen.source.read_settings import load_settings
from labgen.source.shared import settings_entries
from labgen.system.database_errors import file_error
from labgen.system.input_files import (
    DATA,
    Inputs,
    digest_of_all,
    find_inputs,
)
from labgen.system.interruption import finishing, uninterrupted
from labgen.system.workers import WorkerLostError


def check(root: Path, options: Options = DEFAULTS, out: Path | None = None) -> Outcome:
    """Check a project's data/ and templates/, and write nothing but its schemas for editors.

    If there is a site in `out` (default: out/ in the project), report what a build would refuse to remove.
    """
    inputs = find_inputs(root)
    with temporary_memory() as memory:
        source, templates, _, problems = load_project(root, compare_files(inputs, {}), memory, options)
        keep_schemas_current(root, source.shared)
        hosts, found = choose_hosts(source, memory, options)
        problems += found
        if templates and not count_errors(problems):
            problems += try_templates(source, memory, templates, hosts.abilities)
        out = out or root / "out"
        before = options.against or remembered_fingerprints(memory_file(root, out))
        problems = compare(problems, source, memory, before, options, out)
        return Outcome(root, problems, 0 if count_errors(problems) else count(memory))


def build(root: Path, out: Path, options: Options = DEFAULTS, seen: QuickCheck | None = None) -> Outcome:
    """Write a project's site into out/, if there is no error; unchanged files are left alone.

    `seen` is the result of the quick check, if it was made. Raises `OutputError` if out/ is not labgen's, or
    cannot be written.
    """
    if options.is_dry and not (may_write(root / STATE) and may_write(out.absolute().parent)):
        with temporary_folder() as scratch:
            place = out if out.exists() else scratch / "out"
            return _build_in(root, place, options, seen, Store(root, scratch))
    return _build_in(root, out, options, seen, Store(root))


def _build_in(root: Path, out: Path, options: Options, seen: QuickCheck | None, store: Store) -> Outcome:
    """Build; staged files are kept where the store is, if it is not the project's own."""
    try:
        with finishing(say("what was prepared is removed")), store.shared_lock():
            with options.timings.stage("look for changes"):
                seen = seen or quick_check(root, out, options.hosts, is_dry=options.is_dry)
            outcome, keys = _build(seen, options, store)
    except WorkerLostError:
        message = say("a process of this build was ended by the system, probably for want of memory")
        raise OutputError(
            say("{message}; {out} is as it was", message=message, out=out), say("try again with --jobs 1")
        ) from None
    if outcome.written and not options.is_dry:
        with options.timings.stage("remove old pictures"):
            store.sweep(keys)
        remember_removed(removed_list_path(root, out), outcome.written.gone)
    return outcome


def _build(seen: QuickCheck, options: Options, store: Store) -> tuple[Outcome, Collection[str]]:
    """Build with the remembered state, or without it if it is missing or damaged."""
    if seen.site and not options.is_whole:
        with suppress(*BROKEN), open_existing(seen.memory_file, seen.site.made_from) as memory:
            settings, _ = load_settings(seen.root.resolve() / DATA)
            if entry_digests(memory, SETTINGS) == settings_entries(settings):
                return _build_with(memory, seen, options, store)
    try:
        with open_empty(None if options.is_dry else seen.memory_file) as memory:
            return _build_with(memory, seen, options, store)
    except sqlite3.Error as error:
        state = say("{out} is as it was", out=seen.out)
        raise unwritable(seen.memory_file, file_error(error), state) from None


def _build_with(
    memory: Memory, seen: QuickCheck, options: Options, store: Store
) -> tuple[Outcome, Collection[str]]:
    """Build with an open database; return the outcome, and the keys of the pictures that the site shows."""
    root, shared = seen.root, seen.files.inputs.shared
    before = options.against or (remembered_fingerprints(seen.memory_file) if memory.is_new else None)
    if options.sample:
        again = options.sample.of(UnitKind.LABORATORY, display_ids(memory))
        seen = replace(seen, files=seen.files._replace(again=again))
    source, templates, made, problems = load_project(root, seen.files, memory, options, store)
    keys = frozenset(made.keys)
    if not options.is_dry:
        keep_schemas_current(root, source.shared)
    hosts, found = choose_hosts(source, memory, options)
    problems += found
    if templates is None or count_errors(problems):
        return Outcome(root, compare(problems, source, memory, before, options, seen.out)), keys
    laboratories = count(memory)
    try:
        with (
            options.timings.stage("open and close out/"),
            open_site_folder(seen.out, remembered_units(memory), store.state) as folder,
        ):
            if options.sample:
                folder.doubt(options.sample)
            found = check_removed(source, memory, folder, options, shared)
            found += (accidents := check_columns(source, memory, before, options, shared))
            problems += found
            if count_errors(found) and not options.is_dry:
                return Outcome(root, problems), keys
            site = SiteBuild(root, source, memory, templates, folder, hosts, made)
            written, found = _write(site, seen, options, [one for one in problems if one not in accidents])
            problems += found
    except (TemplateFailedError, SourceChangedError) as error:
        return Outcome(root, [*problems, error.problem]), keys
    notes = [
        say("{title} {cannot}", title=one.title, cannot=term(one.cannot))
        for one in hosts.profiles
        if one.cannot
    ]
    is_compared = before or not memory.is_new or options.are_changes_allowed
    if laboratories >= FEWEST_ROWS and not is_compared:
        notes.append(NOTHING_BEFORE)
    return Outcome(root, problems, laboratories, written, tuple(notes)), keys


def _write(
    site: SiteBuild, seen: QuickCheck, options: Options, problems: list[Problem]
) -> tuple[Written | None, list[Problem]]:
    """Render the site, check the limits of the hosts, and move it into place."""
    folder, memory, timings = site.folder, site.memory, options.timings
    with timings.stage("compare"):
        rendering = _plan_rendering(site, seen.files.again, options.jobs)
    directory = site.source.shared.directory
    facets, towns, search_paths = search_facets(directory), towns_of(memory), []
    values = values_of(memory, facets)
    with timings.stage("make the search index"):
        if directory.site.search.enabled:
            is_whole = update_shared_values(memory, shared_values(facets))
            stage_search(site, facets, values, rendering, options.jobs, is_whole=is_whole)
            search_paths = stage_search_pages(site, facets, values, options.jobs, is_whole=is_whole)
    with timings.stage("render and stage"):  # after the index, which needs memory while little is staged
        stage_all(site, rendering, options.jobs, options.progress)
    with timings.stage("make the pages of countries"):
        country_paths = stage_country_pages(site, rendering, towns, options.jobs)
        stage_front_page(site, facets, values, towns)
    stage_catalogues(site, facets, options.jobs)
    stage_changes(site)
    stage_sitemaps(site, [*search_paths, *country_paths])
    with timings.stage("make the manifest"):
        if (settings := site.source.shared.directory.site).manifest:
            columns_of = partial(publish_columns, site.source, memory)
            stage_manifest(site.folder, site.hosts, settings.base_path, count(memory), columns_of)
    with timings.stage("make packs"):
        stage_packs(site, options.jobs)
    with timings.stage("check the hosts' limits"):
        _check_inputs(site, seen.files.inputs)
        kinds = [kind for kind, _ in site.hosts.packs]
        beyond = preflight(site.hosts.profiles, folder.sizes(), kinds, is_allowed=options.are_limits_off)
        if count_errors(beyond):
            return None, beyond
        if options.on_staged:
            written = folder.compare()
            options.on_staged(folder.staging / TREE, written)
            return written, beyond
    with timings.stage("remember"):
        made_from = _remember(site, seen, [*problems, *beyond])
    names = tuple(one.name for one in site.hosts.profiles)
    with timings.stage("move into place"), uninterrupted(IN_PLACE):
        settings = site.source.shared.directory.site
        marker = Marker(made_from, names, settings.base_path, settings.directory_path)
        return folder.commit(marker, memory.commit), beyond


def _plan_rendering(site: SiteBuild, again: Collection[str], jobs: int) -> RenderPlan:
    """Update the lists of similar laboratories, and return what must be rendered again."""
    source, memory, folder = site.source, site.memory, site.folder
    limits, changes = source.shared.directory.site.limits, source.changes
    new_lists = update_similar_lists(memory, changes, again, limits.similar_limit, jobs)
    if folder.known is None:
        return full_plan(memory, limits.page_size)
    now = all_pages(memory, limits.page_size)
    had = ceil((count(memory) - len(changes.came) + len(changes.gone)) / limits.page_size)
    for kind in OF_LABORATORIES:
        folder.drop(kind, changes.gone)
    folder.drop(UnitKind.LIST_PAGE, map(str, range(now.stop, had + 1)))
    return with_missing(to_render(memory, changes, new_lists, source.edits, limits.page_size), folder)


def _remember(site: SiteBuild, seen: QuickCheck, problems: list[Problem]) -> str:
    """Store what the site is made from, and the problems; return the digest of what it is made from."""
    memory, folder, source = site.memory, site.folder, site.source
    changed = seen.files.inputs.everything if memory.is_new else seen.files.changed
    gone = () if memory.is_new else seen.files.gone
    stamps = seen.files.inputs.kept(changed)
    own = stamps.keys() & seen.files.inputs.laboratories.keys()
    digests = {one.file: one.digest for one in places(memory, "file", own).values()}
    sources = update_files(memory, stamps, digests | source.digests, gone)
    made_from = digest_of_all([seen.made_by.encode(), sources])
    remember_units(memory, folder)
    update_entries(memory, SETTINGS, settings_entries(source.shared.site))
    update_compiled_templates(memory, site.templates.codes)
    remember_columns(memory)
    manifest = folder.site_digests.get(INDEX, "")
    memory.note_site(SiteState(seen.made_by, made_from, sources, seen.links, folder.total, manifest))
    update_warnings(memory, problems)
    memory.prepare_commit()
    return made_from


def _check_inputs(site: SiteBuild, inputs: Inputs) -> None:
    """Raise `SourceChangedError` if a shared input file changed during the build."""
    now = find_inputs(site.root, has_laboratories=False).shared
    changed = sorted(name for name, _ in now.items() ^ inputs.shared.items())
    if changed:
        raise SourceChangedError(visible_name(changed[0]))
