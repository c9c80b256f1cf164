"""The pipeline: load, check, render, write. Pure but for the layers it calls."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from labgen.directory import Directory
from labgen.output.site_folder import (
    OutputError,
    SiteFolder,
    Staged,
    Written,
    open_site_folder,
    stage,
)
from labgen.problems import Located, Problem, count_errors
from labgen.progress import Progress, silent
from labgen.render.site import MEDIA_FOLDER, LaboratoryRenderer, Unit, placeholder_unit, site_unit
from labgen.render.templates import TemplateFailedError, Templates, load_templates
from labgen.source.contacts import check_templates
from labgen.source.files import read_bytes
from labgen.source.load import load
from labgen.source.locate import locate
from labgen.workers import WorkerLostError, spread


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command found, and what a build did: None where nothing was to be written."""

    problems: tuple[Located, ...]
    laboratories: int = 0
    written: Written | None = None

    @property
    def errors(self) -> int:
        """The number of errors."""
        return count_errors(one.problem for one in self.problems)

    @property
    def warnings(self) -> int:
        """The number of warnings."""
        return len(self.problems) - self.errors


def check(root: Path, *, is_strict: bool = False, progress: Progress = silent) -> Outcome:
    """Say what is wrong in a project's data/ and templates/, writing nothing."""
    directory, templates, problems = _load(root, progress, is_strict=is_strict)
    if directory and templates:
        problems += _try_templates(directory, templates)
    return Outcome(tuple(locate(root, problems)), len(directory.laboratories) if directory else 0)


def build(
    root: Path,
    out: Path,
    *,
    is_strict: bool = False,
    jobs: int = 1,
    progress: Progress = silent,
) -> Outcome:
    """Write a project's site into out/, if there is no error, with as many processes.

    Raises `OutputError` where out/ is not labgen's or cannot be written.
    """
    directory, templates, problems = _load(root, progress, is_strict=is_strict)
    if directory is None or templates is None:
        return Outcome(tuple(locate(root, problems)))
    try:
        with open_site_folder(out) as folder:
            for unit in shared_units(directory, templates):
                folder.put(unit.folder, unit.files)
            _stage_laboratories(directory, templates, folder, jobs, progress)
            written = folder.commit()
    except TemplateFailedError as error:
        return Outcome(tuple(locate(root, [*problems, error.problem])))
    except WorkerLostError:
        message = "a process of this build was ended by the system, probably for want of memory"
        raise OutputError(f"{message}; {out} is as it was", "try again with --jobs 1") from None
    return Outcome(tuple(locate(root, problems)), len(directory.laboratories), written)


def _stage_laboratories(
    directory: Directory, templates: Templates, folder: SiteFolder, jobs: int, progress: Progress
) -> None:
    renderer = LaboratoryRenderer(directory, templates)
    out, staging = str(folder.out), str(folder.staging)

    def work(display_id: str) -> Staged:
        unit = renderer.unit(directory.laboratories[display_id])
        return stage(out, staging, unit.folder, unit.files)

    total = len(directory.laboratories)
    for done, staged in enumerate(spread(work, list(directory.laboratories), jobs), 1):
        folder.add(staged)
        progress("built", done, total)


def _load(
    root: Path, progress: Progress, *, is_strict: bool
) -> tuple[Directory | None, Templates | None, list[Problem]]:
    """Return directory and templates, or None for both where there is an error."""
    directory, problems = load(root, progress)
    templates, found = load_templates(root)
    problems += found
    if directory and templates:
        contacts = (laboratory.record.contact_person for laboratory in directory.laboratories.values())
        problems += check_templates(root, contacts)
    if is_strict:
        problems = [Problem(one.code, one.message, one.place, one.hint) for one in problems]
    if count_errors(problems):
        return None, None, problems
    return directory, templates, problems


def _try_templates(directory: Directory, templates: Templates) -> list[Problem]:
    """Render the pages of the site and of one laboratory: a template can fail that compiles."""
    try:
        site_unit(directory, templates)
        for laboratory in list(directory.laboratories.values())[:1]:
            LaboratoryRenderer(directory, templates).unit(laboratory)
    except TemplateFailedError as error:
        return [error.problem]
    return []


def shared_units(directory: Directory, templates: Templates) -> Iterator[Unit]:
    """Yield the files that are no laboratory's: the site's own, and images."""
    yield site_unit(directory, templates)
    for name, path in sorted(directory.media.items()):
        yield Unit(MEDIA_FOLDER, {name: read_bytes(path)})
    yield placeholder_unit(directory)
