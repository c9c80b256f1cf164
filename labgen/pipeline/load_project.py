"""Load all that a site is made from: data, templates, pictures and hosts, with all problems."""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir

from labgen.api.list_query import list_parameters
from labgen.checks.accepted import without_accepted
from labgen.checks.contacts import ContactDigests, check_templates
from labgen.checks.template_links import check_template_links
from labgen.hosts.choose_hosts import NO_HOSTS, Chosen, choose
from labgen.hosts.profile import HostSite
from labgen.images.make import Pictures, Workshop, check_unused
from labgen.images.store import Store
from labgen.memory.compiled_templates import compiled_templates
from labgen.memory.database import Memory, open_empty
from labgen.memory.remembered_laboratories import count, pictures
from labgen.model.settings import SiteRecord
from labgen.model.site_paths import folder_of
from labgen.output.errors import no_temporary_room
from labgen.output.packs import kinds_of
from labgen.pipeline.build_options import Options
from labgen.pipeline.check_words import check_words
from labgen.pipeline.load_data import Source, load
from labgen.pipeline.rebuild import FileChanges
from labgen.problems.problem import Place, Problem, count_errors
from labgen.render.looks import check_looks
from labgen.render.site_files import (
    error_documents,
)
from labgen.render.templates import Templates, load_templates
from labgen.source.read_settings import SETTINGS_FILE
from labgen.system.database_errors import file_error
from labgen.system.input_files import (
    Inputs,
)


@contextmanager
def temporary_memory() -> Iterator[Memory]:
    """Open an empty database that is not kept. Raises `OutputError` if there is no room for it."""
    try:
        with open_empty(None) as memory:
            yield memory
    except sqlite3.Error as error:
        if file_error(error).errno != errno.ENOSPC:
            raise
        raise no_temporary_room(Path(gettempdir())) from error


def load_project(
    root: Path,
    files: FileChanges,
    memory: Memory,
    options: Options,
    store: Store | None = None,
) -> tuple[Source, Templates | None, Pictures, list[Problem]]:
    """Return data, templates and pictures, and all problems; the templates are None if they have errors.

    With a store, the site is built: pictures are made and kept there, and search terms are stored. Otherwise,
    the data is only checked.
    """
    with options.timings.stage("read and check"):
        has_terms = store is not None
        source = load(root, files, memory, options.jobs, options.progress, has_terms=has_terms)
        templates, found = _templates(root, files.inputs, memory, source.shared.site)
        problems = [*source.problems, *found]
        if source.shared.site and templates:
            problems += check_looks(source.shared.site.looks, templates.static, SETTINGS_FILE)
    with options.timings.stage("make pictures"):
        made = _pictures(root, source, memory, options, store)
        problems += made.problems
        if not count_errors(source.problems):
            problems += check_unused(files.inputs.shared, source.shared.originals)
    site = source.shared.site
    if site is None:  # it is not known which warnings are accepted
        problems = [one for one in problems if one.severity == "error"]
    else:
        problems = without_accepted(problems, site.accept)
    if options.is_strict:
        problems = [Problem(one.code, one.message, one.place, one.hint) for one in problems]
    return source, templates, made, problems


def _templates(
    root: Path, inputs: Inputs, memory: Memory, site: SiteRecord | None
) -> tuple[Templates | None, list[Problem]]:
    """Return the templates, or None, and their problems; if a link is unusable, no template is read."""
    if problems := check_template_links(root, inputs.links):
        return None, problems
    published = site.published_files if site else ()
    templates, problems = load_templates(root, published, compiled_templates(memory))
    return templates, problems + check_templates(root, inputs.shared, ContactDigests(memory))


def _pictures(root: Path, source: Source, memory: Memory, options: Options, store: Store | None) -> Pictures:
    """Make the pictures that the data refers to; return them with their problems."""
    if source.shared.site is None or not source.shared.has_media:
        return Pictures()
    renditions = source.shared.directory.renditions
    is_kept = store is not None
    workshop = Workshop(root, renditions, store or Store(root), is_kept, options.jobs, options.progress)
    return workshop.make(one for one in pictures(memory) if not one.addresses)


def choose_hosts(source: Source, memory: Memory, options: Options) -> tuple[Chosen, list[Problem]]:
    """Return the hosts that the site is built for, and problems with the choice."""
    site = source.shared.site
    if site is None:
        return NO_HOSTS, []
    copies = tuple(f".{one}" for one in site.copies)
    directory = source.shared.directory
    own, refusal = error_documents(directory), directory.language.words["this_method_not_allowed"]
    errors, search = (own["404.json"], own["405.json"]), site.search_path if site.search.enabled else ""
    paths = (site.laboratory_path, site.country_path) if site.has_public_pages else ()
    kinds = kinds_of(site.packs, site.directory_path, paths[0] if paths else "")
    packs = tuple((kind, kind.count(count(memory))) for kind in kinds)
    names = tuple(one.name for one in list_parameters(directory) if search and one.name != "page")
    folders = site.document_folders
    public = tuple(map(folder_of, paths))
    known = HostSite(site.base_path, refusal, *errors, copies, search, packs, names, folders, public)
    place = Place("out") if options.hosts else Place(SETTINGS_FILE, ("hosts",))
    hosts, problems = choose(options.hosts or site.hosts, known, place)
    return hosts, [*check_words(site, hosts.files), *problems]
