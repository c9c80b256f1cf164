"""What writing a site folder led to."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from labgen.output.file_lists import Names, count_files, files_of


@dataclass(frozen=True, slots=True)
class Written:
    """The result of writing out/.

    `units` are the names of written files by unit, `gone` those of removed files. `foreign` are files that
    the build found in out/ and that labgen did not write.
    """

    total: int
    units: Mapping[str, Names] = field(default_factory=dict)
    gone: Mapping[str, Names] = field(default_factory=dict)
    foreign: Names = ()

    @property
    def written(self) -> Names:
        """The names of all files that were written."""
        return tuple(sorted(files_of(self.units)))

    @property
    def removed(self) -> Names:
        """The names of all files that were removed."""
        return tuple(sorted(files_of(self.gone)))

    @property
    def written_count(self) -> int:
        """The number of files that were written."""
        return count_files(self.units)

    @property
    def removed_count(self) -> int:
        """The number of files that were removed."""
        return count_files(self.gone)

    @property
    def unchanged(self) -> int:
        """The number of files that did not change."""
        return self.total - self.written_count
