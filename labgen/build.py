"""The pipeline: load, check, compare with the last build, render, write. Pure but for the layers it calls."""

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from labgen.inputs import (
    DATA,
    MEDIA,
    TEMPLATES,
    Inputs,
    digest_of_all,
    digests_of,
    find_inputs,
    program,
    read_bytes,
)
from labgen.outcome import Outcome
from labgen.output.manifest import MARKER, read_manifest
from labgen.output.site_folder import (
    OutputError,
    SiteFolder,
    Staged,
    Written,
    finish_pending,
    open_site_folder,
    stage,
)
from labgen.plan import find_stale, similar_lists
from labgen.problems import Problem, count_errors
from labgen.progress import Progress, silent
from labgen.render.site import LaboratoryRenderer, folder_for, placeholder_files, site_files
from labgen.render.templates import TemplateFailedError, Templates, load_templates
from labgen.source.contacts import check_templates
from labgen.source.load import Known, Source, SourceChangedError, load
from labgen.source.locate import locate
from labgen.state import Digests, Memory, Sources, StateFile
from labgen.timings import Timings
from labgen.workers import WorkerLostError, spread


@dataclass(frozen=True, slots=True)
class Options:
    """How a command works: warnings as errors, processes, and whom to tell of progress and of time."""

    is_strict: bool = False
    jobs: int = 1
    progress: Progress = silent
    timings: Timings = field(default_factory=Timings)


@contextmanager
def _without_collector() -> Iterator[None]:
    """Let no cycles be looked for while many values are made that stay: a command makes few cycles."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@_without_collector()
def check(root: Path, options: Options = Options()) -> Outcome:
    """Say what is wrong in a project's data/ and templates/, writing nothing."""
    source, templates, problems = _load(root, find_inputs(root), None, options)
    if templates and not count_errors(problems):
        problems += _try_templates(source, templates)
    return Outcome(tuple(locate(root, problems)), 0 if count_errors(problems) else len(source.summaries))


@_without_collector()
def build(root: Path, out: Path, options: Options = Options()) -> Outcome:
    """Write a project's site into out/, if there is no error; what did not change is left alone.

    Raises `OutputError` where out/ is not labgen's or cannot be written.
    """
    try:
        return _build(root, out, options)
    except WorkerLostError:
        message = "a process of this build was ended by the system, probably for want of memory"
        raise OutputError(f"{message}; {out} is as it was", "try again with --jobs 1") from None


def _build(root: Path, out: Path, options: Options) -> Outcome:
    with options.timings.stage("look for changes"):
        finish_pending(out)
        state = StateFile(root, out)
        inputs = find_inputs(root)
        known = _known(root, out, state, inputs)
        digests = dict(known.digests if known else digests_of(root, inputs.shared))
    source, templates, problems = _load(root, inputs, known, options)
    if templates is None or count_errors(problems):
        return Outcome(tuple(locate(root, problems)))
    try:
        with open_site_folder(out) as folder:
            site = _Site(root, source, templates, folder, known, digests)
            written = _write(site, state, inputs, options, has_warnings=bool(problems))
    except (TemplateFailedError, SourceChangedError) as error:
        return Outcome(tuple(locate(root, [*problems, error.problem])))
    return Outcome(tuple(locate(root, problems)), len(source.summaries), written)


def _known(root: Path, out: Path, state: StateFile, inputs: Inputs) -> Known | None:
    """Return what this version of labgen knew when it built this very site."""
    marker = read_manifest(out / MARKER)
    state.recover(marker.made_from if marker else "")
    sources = state.read_sources()
    if sources is None or sources.program != program():
        return None
    memory = state.read_memory(sources.made_from)
    if memory is None:
        return None
    had = sources.inputs.shared
    changed = [name for name, stamp in inputs.shared.items() if had.get(name) != stamp]
    kept = {name: sources.digests[name] for name in inputs.shared if name in had}
    return Known(sources, memory, kept | dict(digests_of(root, changed)))


def _load(
    root: Path, inputs: Inputs, known: Known | None, options: Options
) -> tuple[Source, Templates | None, list[Problem]]:
    """Return data and templates, and all problems; the templates are None where they have errors."""
    with options.timings.stage("read and check"):
        source = load(root, inputs, known, options.jobs, options.progress)
        templates, found = load_templates(root)
        problems = [*source.problems, *found, *check_templates(root, source.secrets)]
    if options.is_strict:
        problems = [Problem(one.code, one.message, one.place, one.hint) for one in problems]
    return source, templates, problems


def _try_templates(source: Source, templates: Templates) -> list[Problem]:
    """Render the pages of the site and of one laboratory: a template can fail that compiles."""
    directory = source.shared.directory
    try:
        site_files(directory, templates)
        for display_id in list(source.summaries)[:1]:
            LaboratoryRenderer(directory, templates).files(source.laboratory(display_id, ()))
    except (TemplateFailedError, SourceChangedError) as error:
        return [error.problem]
    return []


@dataclass(frozen=True, slots=True)
class _Site:
    """A site that is being built. `digests` are those of all files but laboratories."""

    root: Path
    source: Source
    templates: Templates
    folder: SiteFolder
    known: Known | None
    digests: Digests


def _write(site: _Site, state: StateFile, inputs: Inputs, options: Options, *, has_warnings: bool) -> Written:
    source, folder, timings = site.source, site.folder, options.timings
    with timings.stage("compare"):
        before = site.known.memory if site.known and not source.edits.are_settings_new else None
        limit = source.shared.directory.site.limits.similar_limit
        similar = similar_lists(source.summaries, before, limit, options.jobs)
        now = Memory(source.summaries, similar, source.entries)
        stale = _stale(site, before, now)
    with timings.stage("render and stage"):
        _stage_site(site)
        _stage_laboratories(site, similar, stale, options)
    with timings.stage("remember"):
        made_from = _made_from(site)
        digests = {one.file: one.digest for one in source.summaries.values()} | site.digests
        sources = Sources(program(), made_from, folder.total, has_warnings, inputs, digests)
        is_prepared = state.prepare(sources, now)
    with timings.stage("move into place"):
        written = folder.commit(made_from)
    if is_prepared:
        state.adopt()
    return written


def _stale(site: _Site, before: Memory | None, now: Memory) -> set[str]:
    """Return the laboratories to render: all of them, unless this very site was built from what is known."""
    known, folder = site.known, site.folder
    if before is None or known is None or folder.had.made_from != known.sources.made_from:
        return set(now.summaries)
    if _below(TEMPLATES, known.sources.digests) != _below(TEMPLATES, site.digests):
        return set(now.summaries)
    return find_stale(before, now, site.source.edits, lambda display_id: folder.has(folder_for(display_id)))


def _below(folder: str, digests: Mapping[str, bytes]) -> dict[str, bytes]:
    return {name: digest for name, digest in digests.items() if name.startswith(f"{folder}/")}


def _made_from(site: _Site) -> str:
    """Return the digest of all that the site is made from."""
    files = [name.encode() + digest for name, digest in sorted(site.digests.items())]
    return digest_of_all(
        [program().encode(), *files, *(one.digest for one in site.source.summaries.values())]
    )


def _stage_site(site: _Site) -> None:
    """Stage what the site has once: documents, static files, placeholders and images."""
    directory, summaries = site.source.shared.directory, site.source.summaries.values()
    site.folder.put(site_files(directory, site.templates))
    site.folder.put(placeholder_files(one.card.name for one in summaries if not one.has_logo))
    for name in sorted({name for one in summaries for name in one.images}):
        site.folder.put({f"{MEDIA}/{name}": read_bytes(site.root / DATA / MEDIA / name)})


def _stage_laboratories(
    site: _Site, similar: Mapping[str, tuple[str, ...]], stale: set[str], options: Options
) -> None:
    source, folder = site.source, site.folder
    renderer = LaboratoryRenderer(source.shared.directory, site.templates)
    out, staging = str(folder.out), str(folder.staging)
    cards = {display_id: one.card for display_id, one in source.summaries.items()}

    def work(display_id: str) -> Staged:
        laboratory = source.laboratory(display_id, tuple([cards[one] for one in similar[display_id]]))
        return stage(out, staging, folder_for(display_id), renderer.files(laboratory))

    for display_id in source.summaries.keys() - stale:
        folder.keep(folder_for(display_id))
    tasks = [display_id for display_id in source.summaries if display_id in stale]
    for done, staged in enumerate(spread(work, tasks, options.jobs), 1):
        folder.add(staged)
        options.progress("built", done, len(tasks))
