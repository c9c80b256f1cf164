"""Compare the data of a project with that of its last build: what went, or changed, by accident."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from labgen.checks.accepted import without_accepted
from labgen.memory.database import Memory
from labgen.memory.remembered_laboratories import count, display_ids
from labgen.memory.sources import FingerprintTables
from labgen.output.file_lists import read_built_site
from labgen.output.site_folder import SiteFolder
from labgen.pipeline.build_options import Options
from labgen.pipeline.consequences import explain
from labgen.pipeline.guard import check_changes
from labgen.pipeline.load_data import Source
from labgen.pipeline.removals import check_removals, published_laboratories
from labgen.problems.problem import Problem
from labgen.system.input_files import DATA, LABORATORIES, is_bulk


def compare(
    problems: Sequence[Problem],
    source: Source,
    memory: Memory,
    before: FingerprintTables | None,
    options: Options,
    out: Path,
) -> list[Problem]:
    """Return the accidents since the last build, and the problems that do not belong to them."""
    if source.shared.site is None:
        return [*problems]
    files = source.shared.files
    built = read_built_site(out)
    gone = _check_ids(source, memory, built.units, options, files) if built else []
    return explain(gone, check_columns(source, memory, before, options, files), problems)


def check_columns(
    source: Source, memory: Memory, before: FingerprintTables | None, options: Options, files: Iterable[str]
) -> list[Problem]:
    """Report columns that were emptied or moved since the last build, unless that is allowed."""
    if options.are_changes_allowed or (memory.is_new and not before):
        return []
    found = check_changes(source, memory, before, options.allowed_changes, _place(files))
    found = without_accepted(found, source.shared.directory.site.accept)
    return [replace(one, severity="error") for one in found] if options.is_strict else found


def check_removed(
    source: Source, memory: Memory, folder: SiteFolder, options: Options, files: Iterable[str]
) -> list[Problem]:
    """Report an error if laboratories of the site went by accident, as it seems, unless that is allowed."""
    if options.are_removals_allowed:
        return []
    if options.against:
        published, now = {*options.against.laboratories}, {*display_ids(memory)}
        lost = sorted(published - now)
        return check_removals(lost, now - published, len(published), _removed_percent(source), _place(files))
    if folder.known is None:
        return _check_ids(source, memory, folder.lists.all(), options, files)
    gone, came = source.changes.gone, source.changes.came
    had = count(memory) - len(came) + len(gone)
    return check_removals(sorted(gone), came, had, _removed_percent(source), _place(files))


def _check_ids(
    source: Source, memory: Memory, units: Iterable[str], options: Options, files: Iterable[str]
) -> list[Problem]:
    """Do the same by the units of the published site alone."""
    if options.are_removals_allowed:
        return []
    published, now = published_laboratories(units), set(display_ids(memory))
    gone, came = sorted(published - now), now - published
    return check_removals(gone, came, len(published), _removed_percent(source), _place(files))


def _removed_percent(source: Source) -> int:
    return source.shared.directory.site.limits.removed_percent


def _place(files: Iterable[str]) -> str:
    """Return the file or the folder that holds the laboratories."""
    return min(filter(is_bulk, files), default=f"{DATA}/{LABORATORIES}")
