"""The pipeline: load, check, render, write. Pure but for the layers it calls."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from labgen.directory import Directory, Laboratory
from labgen.media import LOGO, LOGO_2X, original_file, placeholder, placeholder_path
from labgen.output.site_folder import Written, open_site_folder
from labgen.paths import JSON_FILE, PAGE_FILE, file_of, folder_of
from labgen.problems import Located, Problem
from labgen.registry import LABORATORIES
from labgen.render.documents import render_json
from labgen.render.pages import render_laboratory_page, render_not_found_page, render_site_page
from labgen.render.templates import TemplateFailedError, Templates, load_templates
from labgen.render.texts import TEXTS
from labgen.sections import PER_LABORATORY, PER_SITE, SECTION_NAMES
from labgen.source.files import read_bytes
from labgen.source.load import load
from labgen.source.locate import locate

Progress = Callable[[int, int], None]
"""Called with the number of laboratories done, and of all."""


class Unit(NamedTuple):
    """Files that are made and replaced together: a folder under out/, and the bytes of each file below it."""

    folder: str
    files: dict[str, bytes]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command found, and what a build did: None where nothing was to be written."""

    problems: tuple[Located, ...]
    laboratories: int = 0
    written: Written | None = None

    @property
    def errors(self) -> int:
        """The number of errors."""
        return sum(one.problem.severity == "error" for one in self.problems)

    @property
    def warnings(self) -> int:
        """The number of warnings."""
        return len(self.problems) - self.errors


def check(root: Path, *, is_strict: bool = False) -> Outcome:
    """Say what is wrong in a project's data/ and templates/, writing nothing."""
    directory, templates, problems = _load(root, is_strict=is_strict)
    if directory and templates:
        problems += _try_templates(directory, templates)
    return Outcome(tuple(locate(root, problems)), len(directory.laboratories) if directory else 0)


def build(
    root: Path, out: Path, *, is_strict: bool = False, progress: Progress = lambda _done, _all: None
) -> Outcome:
    """Write a project's site into out/, if there is no error.

    Raises `OutputError` where out/ is not labgen's or cannot be written.
    """
    directory, templates, problems = _load(root, is_strict=is_strict)
    if directory is None or templates is None:
        return Outcome(tuple(locate(root, problems)))
    try:
        with open_site_folder(out) as folder:
            for unit in units(directory, templates, progress):
                folder.put(unit.folder, unit.files)
            written = folder.commit()
    except TemplateFailedError as error:
        return Outcome(tuple(locate(root, [*problems, error.problem])))
    return Outcome(tuple(locate(root, problems)), len(directory.laboratories), written)


def _load(root: Path, *, is_strict: bool) -> tuple[Directory | None, Templates | None, list[Problem]]:
    """Return directory and templates, or None for both where there is an error."""
    directory, problems = load(root, SECTION_NAMES)
    templates, found = load_templates(root)
    problems += found
    if is_strict:
        problems = [Problem(one.code, one.message, one.place, one.hint) for one in problems]
    if any(problem.severity == "error" for problem in problems):
        return None, None, problems
    return directory, templates, problems


def _try_templates(directory: Directory, templates: Templates) -> list[Problem]:
    """Render the pages of the site and of one laboratory: a template can fail that compiles."""
    try:
        _site_unit(directory, templates)
        for laboratory in list(directory.laboratories.values())[:1]:
            _laboratory_unit(laboratory, directory, templates)
    except TemplateFailedError as error:
        return [error.problem]
    return []


def units(directory: Directory, templates: Templates, progress: Progress) -> Iterator[Unit]:
    """Yield all files of the site, a unit at a time: the site's own, its images, then each laboratory's."""
    yield _site_unit(directory, templates)
    yield from _image_units(directory)
    total = len(directory.laboratories)
    for done, laboratory in enumerate(directory.laboratories.values()):
        progress(done, total)
        yield _laboratory_unit(laboratory, directory, templates)
    progress(total, total)


def _laboratory_unit(laboratory: Laboratory, directory: Directory, templates: Templates) -> Unit:
    files: dict[str, bytes] = {}
    for endpoint in PER_LABORATORY:
        document = endpoint.make(laboratory, directory)
        files[file_of(endpoint.segment, JSON_FILE)] = render_json(document)
        files[file_of(endpoint.segment, PAGE_FILE)] = render_laboratory_page(
            endpoint, laboratory, document, PER_LABORATORY, directory, templates
        )
    return Unit(folder_of(LABORATORIES + laboratory.display_id), files)


def _site_unit(directory: Directory, templates: Templates) -> Unit:
    texts = TEXTS[directory.site.language]
    files = dict(templates.static.values())
    files["404.json"] = render_json({"detail": texts["not_found"]})
    files["405.json"] = render_json({"detail": texts["method_not_allowed"]})
    files["404.html"] = render_not_found_page(directory, templates)
    for endpoint in PER_SITE:
        document = endpoint.make(directory)
        files[file_of(endpoint.path, JSON_FILE)] = render_json(document)
        files[file_of(endpoint.path, PAGE_FILE)] = render_site_page(endpoint, document, directory, templates)
    return Unit("", files)


def _image_units(directory: Directory) -> Iterator[Unit]:
    """Yield the originals that laboratories name, and the placeholders of those without a logo."""
    for name, path in sorted(directory.media.items()):
        folder, _, last = original_file(name).rpartition("/")
        yield Unit(folder, {last: read_bytes(path)})
    names = {lab.record.name for lab in directory.laboratories.values() if lab.record.logo is None}
    drawn = {
        placeholder_path(name, size): placeholder(name, size) for name in names for size in (LOGO, LOGO_2X)
    }
    for address, data in sorted(drawn.items()):
        folder, _, last = address.strip("/").rpartition("/")
        yield Unit(folder, {last: data})
