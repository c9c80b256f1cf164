"""Check quickly, without reading data, whether anything changed since the last build."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from labgen.memory.database import Memory, SiteState, memory_file, query_database, update_in_place
from labgen.memory.sources import refresh_stamps, stamps
from labgen.memory.warnings import warnings
from labgen.output.file_lists import DamagedListError, Lists, read_marker, require_lists
from labgen.output.open_folder import finish_pending, locked, require_finished, survey_site
from labgen.output.written import Written
from labgen.pipeline.rebuild import FileChanges, compare_files, is_same
from labgen.pipeline.remembered_units import remembered_units
from labgen.problems.problem import Problem
from labgen.system.input_files import digest_of, find_inputs, program


@dataclass(frozen=True, slots=True)
class QuickCheck:
    """The result of the quick check: the project's files, and the remembered state of the site in out/.

    `site` is the remembered site, or None if it was not `made_by` this version for the hosts that the command
    names now, or if symbolic links changed. `files` has the source files and their changes since then;
    `links` is the digest of the symbolic links among the source files.
    """

    root: Path
    out: Path
    memory_file: Path
    links: bytes
    made_by: str
    site: SiteState | None
    files: FileChanges

    def unchanged_result(self) -> Written | None:
        """Return the outcome of a build without changes, or None if the site must be built.

        Raises `OutputError` if another build is writing it.
        """
        site, marker = self.site, read_marker(self.out)
        if site is None or marker is None or marker.made_from != site.made_from:
            return None
        if not query_database(self.memory_file, self._is_same):
            return None
        with locked(self.out):
            known = query_database(self.memory_file, remembered_units)
            if known is None or read_marker(self.out) != marker:
                return None
            folders, lists = known.folders, Lists(self.out, marker, known.folders)
            try:
                require_lists(self.out, folders)
                found = survey_site(self.out, folders, known.sizes, lists)
                own = set(lists.names(""))
            except DamagedListError:
                return None
            if folders - found.passed or found.damaged or own - found.files:
                return None
            if self.files.changed:
                update_in_place(self.memory_file, self._refresh)
        return Written(site.files, foreign=tuple(sorted(found.files - own)))

    def warnings(self) -> list[Problem]:
        """Return the warnings of the last build."""
        return query_database(self.memory_file, warnings) or []

    def _is_same(self, memory: Memory) -> bool:
        return is_same(memory, self.root, self.files)

    def _refresh(self, memory: Memory) -> None:
        refresh_stamps(memory, self.files.inputs.kept(self.files.changed))


def quick_check(root: Path, out: Path, hosts: Sequence[str] = (), *, is_dry: bool = False) -> QuickCheck:
    """Compare a project's files with the last build; complete an interrupted commit of an earlier build.

    `hosts` are those that the command names; they have precedence over the settings. A dry run completes
    nothing: it raises `OutputError` instead.
    """
    if is_dry:
        require_finished(out)
    else:
        finish_pending(out)
    file = memory_file(root, out)
    inputs = find_inputs(root)
    made_by = ", host ".join([program(), *hosts])
    links = digest_of(repr(sorted(inputs.links.items())).encode(errors="surrogateescape"))
    site, before = query_database(file, lambda memory: (memory.site, stamps(memory))) or (None, {})
    if site is None or site.program != made_by or site.links != links:
        site, before = None, {}
    return QuickCheck(root, out, file, links, made_by, site, compare_files(inputs, before))
