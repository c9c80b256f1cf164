"""Define the result of a command: problems, counts, and what was written."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from labgen.output.written import Written
from labgen.problems.problem import Located, Problem, count_errors


@dataclass(frozen=True)
class Outcome:
    """The outcome of a command: problems, and the result of writing (None if nothing was written).

    `notes` are sentences about the hosts that the site is built for.
    """

    root: Path
    found: Sequence[Problem] = ()
    laboratories: int = 0
    written: Written | None = None
    notes: tuple[str, ...] = ()

    @cached_property
    def problems(self) -> tuple[Located, ...]:
        """All problems with lines and columns; files with problems are read again to find these."""
        from labgen.source.locate import locate

        return tuple(locate(self.root, self.found))

    @property
    def errors(self) -> int:
        """The number of errors."""
        return count_errors(self.found)

    @property
    def warnings(self) -> int:
        """The number of warnings."""
        return len(self.found) - self.errors
