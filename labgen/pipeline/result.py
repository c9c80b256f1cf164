"""What a command found, and what it did."""

from dataclasses import dataclass

from labgen.output.site_folder import Written
from labgen.problems.problem import Located, count_errors


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command found, and what a build did: None where nothing was to be written.

    `notes` are sentences about the hosts that the site is built for.
    """

    problems: tuple[Located, ...]
    laboratories: int = 0
    written: Written | None = None
    notes: tuple[str, ...] = ()

    @property
    def errors(self) -> int:
        """The number of errors."""
        return count_errors(one.problem for one in self.problems)

    @property
    def warnings(self) -> int:
        """The number of warnings."""
        return len(self.problems) - self.errors
