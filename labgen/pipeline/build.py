"""The pipeline: load, check, compare with the last build, render, write. Pure but for the layers it calls."""

import os
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from labgen.hosts.choose import NO_HOSTS, Chosen, choose
from labgen.hosts.preflight import preflight
from labgen.hosts.profile import HostSite
from labgen.images.make import Pictures, Workshop, check_unused
from labgen.images.store import Store
from labgen.memory.columns import Memory, SharedMemory
from labgen.memory.state_files import Digests, Sources
from labgen.model.optional_sections import appearing
from labgen.model.site_paths import visible_name
from labgen.output.errors import OutputError
from labgen.output.site_folder import Written, open_site_folder
from labgen.pipeline.plan import Lists, Stale, all_lists, changed_lists, changed_summaries, find_stale
from labgen.pipeline.quick_check import Glance, glance
from labgen.pipeline.result import Outcome
from labgen.pipeline.staging import Site, stage_all, try_templates
from labgen.problems.problem import Place, Problem, count_errors
from labgen.render.site_files import (
    error_documents,
    folder_for,
)
from labgen.render.templates import TemplateFailedError, Templates, load_templates
from labgen.source.checks.contacts import check_templates
from labgen.source.load import Known, Source, SourceChangedError, load
from labgen.source.locate import locate
from labgen.source.settings import FILE as SETTINGS_FILE
from labgen.system.input_files import (
    Inputs,
    changed_files,
    digest_of_all,
    digests_of,
    find_inputs,
)
from labgen.system.progress import Progress, silent
from labgen.system.timings import Timings
from labgen.system.workers import WorkerLostError


@dataclass(frozen=True, slots=True)
class Options:
    """How a command works: warnings as errors, processes, and whom to tell of progress and of time.

    `hosts` take the place of those in the settings, where there are any; `are_limits_off` lets a site be
    larger than they take. What is dry compares all of out/ with what the data makes, and leaves it alone.
    """

    is_strict: bool = False
    jobs: int = 1
    progress: Progress = silent
    timings: Timings = field(default_factory=Timings)
    hosts: tuple[str, ...] = ()
    are_limits_off: bool = False
    is_dry: bool = False


def check(root: Path, options: Options = Options()) -> Outcome:
    """Say what is wrong in a project's data/ and templates/, writing nothing."""
    source, templates, _, problems = _load(root, find_inputs(root), None, options)
    hosts, found = _hosts(source, options)
    problems += found
    if templates and not count_errors(problems):
        problems += try_templates(source, templates, hosts.abilities)
    return Outcome(tuple(locate(root, problems)), 0 if count_errors(problems) else len(source.summaries))


def build(root: Path, out: Path, options: Options = Options(), seen: Glance | None = None) -> Outcome:
    """Write a project's site into out/, if there is no error; what did not change is left alone.

    `seen` is what a glance has shown already. Raises `OutputError` where out/ is not labgen's or cannot be
    written.
    """
    store = Store(root)
    try:
        with store.in_use():
            outcome, keys = _build(root, out, options, seen, store)
    except WorkerLostError:
        message = "a process of this build was ended by the system, probably for want of memory"
        raise OutputError(f"{message}; {out} is as it was", "try again with --jobs 1") from None
    if outcome.written:
        store.sweep(keys)
    return outcome


def _build(
    root: Path, out: Path, options: Options, seen: Glance | None, store: Store
) -> tuple[Outcome, Collection[str]]:
    """Return what was done, and the keys of the pictures that the site shows."""
    with options.timings.stage("look for changes"):
        seen = seen or glance(root, out, options.hosts)
        known = None if options.is_dry else _known(seen)
        digests = dict(known.digests if known else digests_of(root, seen.inputs.shared))
    source, templates, pictures, problems = _load(root, seen.inputs, known, options, (store, digests))
    keys = frozenset(pictures.keys)
    hosts, found = _hosts(source, options)
    problems += found
    if templates is None or count_errors(problems):
        return Outcome(tuple(locate(root, problems))), keys
    try:
        with open_site_folder(out) as folder:
            site = Site(root, source, templates, folder, known, digests, hosts, pictures, store)
            written, found = _write(site, seen, options, has_warnings=bool(problems))
            problems += found
    except (TemplateFailedError, SourceChangedError) as error:
        return Outcome(tuple(locate(root, [*problems, error.problem]))), keys
    notes = tuple(f"{one.title} {one.cannot}" for one in hosts.profiles if one.cannot)
    return Outcome(tuple(locate(root, problems)), len(source.summaries), written, notes), keys


def _known(seen: Glance) -> Known | None:
    """Return what this version of labgen knew when it built the site last."""
    sources, shared = seen.sources, seen.inputs.shared
    memory = seen.state.read_memory(sources.made_from) if sources else None
    if sources is None or memory is None:
        return None
    had = sources.inputs.shared
    changed = changed_files(shared, had)
    kept = {name: sources.digests[name] for name in shared if name in had}
    return Known(sources, memory, kept | dict(digests_of(seen.root, changed)))


def _load(
    root: Path,
    inputs: Inputs,
    known: Known | None,
    options: Options,
    kept: tuple[Store | None, Digests] = (None, {}),
) -> tuple[Source, Templates | None, Pictures, list[Problem]]:
    """Return data, templates and pictures, and all problems; the templates are None where they have errors.

    `kept` are the store and the digests of all files but laboratories. Pictures are made where there is a
    store to keep them in; else their originals are only looked at.
    """
    store, digests = kept
    with options.timings.stage("read and check"):
        source = load(root, inputs, known, options.jobs, options.progress, digests)
        templates, found = load_templates(root)
        problems = [*source.problems, *found, *check_templates(root, source.secrets)]
    with options.timings.stage("make pictures"):
        pictures = _pictures(root, source, options, store)
        problems += pictures.problems
        if not count_errors(source.problems):
            problems += check_unused(inputs.shared, source.shared.originals)
    if options.is_strict:
        problems = [Problem(one.code, one.message, one.place, one.hint) for one in problems]
    return source, templates, pictures, problems


def _pictures(root: Path, source: Source, options: Options, store: Store | None) -> Pictures:
    """Return what is made of the originals that are named, and what is wrong with them."""
    if source.shared.site is None or not source.shared.has_media:
        return Pictures((), {})
    named = {one for summary in source.summaries.values() for one in summary.pictures}
    renditions = source.shared.directory.renditions
    is_kept = store is not None
    workshop = Workshop(root, renditions, store or Store(root), is_kept, options.jobs, options.progress)
    return workshop.make(named)


def _hosts(source: Source, options: Options) -> tuple[Chosen, list[Problem]]:
    """Return the hosts that the site is built for, and what is wrong with the choice."""
    site = source.shared.site
    if site is None:
        return NO_HOSTS, []
    copies = tuple(f".{one}" for one in site.copies)
    own = error_documents(source.shared.directory)
    known = HostSite(site.base_path, site.language, own["404.json"], own["405.json"], copies)
    place = Place("out") if options.hosts else Place(SETTINGS_FILE, ("hosts",))
    return choose(options.hosts or site.hosts, known, place)


def _write(
    site: Site, seen: Glance, options: Options, *, has_warnings: bool
) -> tuple[Written | None, list[Problem]]:
    """Render, and move into place what is not beyond the limits of the hosts."""
    source, folder, timings = site.source, site.folder, options.timings
    with timings.stage("compare"):
        lists, now, stale = _plan(site, options.jobs)
    with timings.stage("render and stage"):
        stage_all(site, lists, stale, options.jobs, options.progress)
        _check_inputs(site, seen.inputs)
        beyond = preflight(site.hosts.profiles, folder.sizes(), is_allowed=options.are_limits_off)
        if count_errors(beyond):
            return None, beyond
        if options.is_dry:
            return folder.compare(), beyond
    with timings.stage("remember"):
        made_from = _made_from(site, seen.made_by)
        digests = {one.file: one.digest for one in source.summaries.values()} | site.digests
        is_shown_again = has_warnings or bool(beyond)
        sources = Sources(seen.made_by, made_from, folder.total, is_shown_again, seen.inputs, digests)
        is_prepared = seen.state.prepare(sources, now)
    with timings.stage("move into place"):
        names = tuple(one.name for one in site.hosts.profiles)
        written = folder.commit(made_from, names, source.shared.directory.site.base_path)
    if is_prepared:
        seen.state.adopt()
    return written, beyond


def _plan(site: Site, jobs: int) -> tuple[Lists, Memory, Stale]:
    """Return the lists of all laboratories, what to remember, and what to render."""
    source, known = site.source, site.known
    limit = source.shared.directory.site.limits.similar_limit
    everything = Stale(source.summaries.keys(), source.summaries.keys(), is_list_new=True)
    if known is None or source.edits.are_settings_new:
        lists = all_lists(source.summaries, limit, jobs)
        shared = SharedMemory(source.entries, source.mentions, lists.counts)
        return lists, Memory(source.summaries, lists.shown, shared, lists.postings), everything
    before = known.memory
    changed = changed_summaries(before, source.summaries)
    lists = changed_lists(source.summaries, changed, before, limit, jobs)
    shared = SharedMemory(source.entries, source.mentions, lists.counts)
    moved = {one for one, shown in lists.shown.items() if before.shown.get(one) is not shown}
    since = before.since | changed | moved
    now = Memory(source.summaries, lists.shown, shared, lists.postings, before.base, since)
    directory = source.shared.directory
    had_sections = appearing(directory.site, before.summaries.values())
    if not site.is_known or had_sections != directory.appearing:
        return lists, now, everything
    stale = find_stale(before, source.summaries, lists.shown, changed, source.edits)
    missing = {one for one in source.summaries if not site.folder.has_unit(folder_for(one))}
    return lists, now, stale._replace(laboratories=missing.union(stale.laboratories))


def _check_inputs(site: Site, inputs: Inputs) -> None:
    """Raise `SourceChangedError` where a file that all share is not what it was when it was read."""
    now = find_inputs(site.root, has_laboratories=False).shared
    changed = sorted(name for name, _ in now.items() ^ inputs.shared.items())
    if changed:
        raise SourceChangedError(visible_name(changed[0]))


def _made_from(site: Site, made_by: str) -> str:
    """Return the digest of all that the site is made from and by, and of where it is written."""
    shared = [os.fsencode(name) + digest for name, digest in sorted(site.digests.items())]
    summaries = site.source.summaries.values()
    places = [orjson.dumps([getattr(one, name) for one in summaries]) for name in ("file", "line")]
    return digest_of_all([made_by.encode(), *shared, *places, *[one.digest for one in summaries]])
