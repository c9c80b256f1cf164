"""What was looked at, and what came of it: the same for folders and for hosts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from labgen.api.http_contract import Level
from labgen.problems.problem import plural


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at.

    `name` is the row of the contract, or what was looked for in a file; `subject` the request or the file;
    `complaints` say what is wrong, `sent` what the host sent, `help` what mends it. An excused check is one
    that its host is known not to pass.
    """

    name: str
    level: Level
    subject: str
    complaints: tuple[str, ...] = ()
    sent: str = ""
    help: str = ""
    is_excused: bool = False

    @property
    def is_failed(self) -> bool:
        """Whether something is wrong that should not be."""
        return bool(self.complaints) and not self.is_excused


@dataclass(frozen=True, slots=True)
class Report:
    """All that was looked at in a target, in order; `note` says why it is not all that was asked for."""

    target: str
    checks: Sequence[Check]
    seconds: float
    note: str = ""

    @property
    def is_passed(self) -> bool:
        """Whether everything was looked at, and no must-row failed."""
        return not self.note and not any(one.is_failed and one.level is Level.MUST for one in self.checks)

    def summary(self) -> str:
        """Return what came of it, in a line."""
        failed = [one for one in self.checks if one.is_failed]
        counts = [(sum(one.level is level for one in failed), level) for level in Level]
        listed = [f"{plural(count, f'{level}-check')} failed" for count, level in counts if count]
        excused = sum(bool(one.complaints) and one.is_excused for one in self.checks)
        listed += [f"{excused:,} as this host cannot"] if excused else []
        done = plural(len(self.checks), "check")
        return f"{done} in {self.seconds:.1f} s: {', '.join(listed) or 'all passed'}"


def by_complaint(checks: Iterable[Check]) -> list[list[Check]]:
    """Return the failed checks that complain of the same and are mended in the same place together.

    Those that matter most come first.
    """
    found: dict[tuple[tuple[str, ...], str], list[Check]] = {}
    order = list(Level)
    for one in sorted((one for one in checks if one.is_failed), key=lambda one: order.index(one.level)):
        found.setdefault((one.complaints, one.help), []).append(one)
    return list(found.values())
