"""Define what `labgen explain` prints about a problem code."""

from typing import NamedTuple

from labgen.problems.problem import Severity

ERROR: tuple[Severity, ...] = ("error",)
WARNING: tuple[Severity, ...] = ("warning",)
EITHER = ERROR + WARNING


class Explanation(NamedTuple):
    """The explanation of a problem code: meaning, reason for the rule, example, remedy, severities."""

    meaning: str
    reason: str
    example: str
    remedy: str
    severities: tuple[Severity, ...] = ERROR

    @property
    def severity(self) -> str:
        """What a problem of this code is, in words."""
        return " or ".join(self.severities)
