"""Define checks of folders and hosts, and the report of their results."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from labgen.contract.http_contract import Level
from labgen.problems.text import Text, joined, noun, plural, say, term


class Fault(NamedTuple):
    """A reason why a check failed: a code for `labgen explain`, a clause, a remedy, more lines of help."""

    code: str
    message: str
    help: str = ""
    more: tuple[str, ...] = ()

    @property
    def helps(self) -> list[str]:
        """All lines of help."""
        return [one for one in (self.help, *self.more) if one]


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check.

    `name` is the row of the contract, or the kind of check of a file; `subject` is the request or the file;
    `sent` sums up what the host sent, if there are faults. An excused check is one that its host need not
    pass.
    """

    name: str
    level: Level
    subject: str
    faults: tuple[Fault, ...] = ()
    sent: str = ""
    is_excused: bool = False

    @property
    def is_failed(self) -> bool:
        """Whether the check has faults and is not excused."""
        return bool(self.faults) and not self.is_excused


class Share(NamedTuple):
    """How many items of a kind were checked, and how many there are; `kind` is their name in the plural."""

    seen: int
    whole: int
    kind: str

    def after(self, done: int, planned: int) -> "Share":
        """Return the share after `done` of the `planned` checks were made."""
        return self if done == planned else self._replace(seen=min(done, self.seen))

    @property
    def text(self) -> Text:
        """Its words: `all 12 files`, `3 of 12 files`."""
        kind = term(self.kind)
        if self.seen == self.whole:
            return say("all {whole:,} {kind}", whole=self.whole, kind=kind)
        return say("{seen:,} of {whole:,} {kind}", seen=self.seen, whole=self.whole, kind=kind)


@dataclass(frozen=True, slots=True)
class Report:
    """All checks of a target, in order.

    `note` says why checks are missing, if any are; `shares` say how much of the site was checked. `advice` is
    what to do first if nearly everything is wrong, `remarks` are what users should know of the verification.
    `traffic` counts requests.
    """

    target: str
    checks: Sequence[Check]
    seconds: float
    note: str = ""
    shares: tuple[Share, ...] = ()
    advice: str = ""
    remarks: tuple[str, ...] = ()
    traffic: Mapping[str, float] = field(default_factory=dict)

    @property
    def is_passed(self) -> bool:
        """Whether all checks were made, and no required one failed."""
        return not self.note and not any(one.is_failed and one.level is Level.MUST for one in self.checks)

    def summary(self) -> Text:
        """Return a one-line summary of the checks and their results."""
        failed = [one for one in self.checks if one.is_failed]
        counts = [sum(one.level is level for one in failed) for level in Level]
        nouns = (
            noun("must-check failed", "must-checks failed"),
            noun("should-check failed", "should-checks failed"),
            noun("optional-check failed", "optional-checks failed"),
        )
        listed: list[Text] = [plural(count, *one) for count, one in zip(counts, nouns, strict=True) if count]
        excused = sum(one.is_excused and one.level is not Level.OPTIONAL for one in self.checks)
        listed += [say("{excused:,} as this host cannot", excused=excused)] if excused else []
        checks = plural(len(self.checks), "check")
        if self.shares:
            shares = joined((one.text for one in self.shares), by=", ")
            checks = say("{checks} of {shares}", checks=checks, shares=shares)
        result = joined(listed, by=", ") if listed else self._without_failures()
        return say(
            "{checks} in {seconds:.1f} s: {result}", checks=checks, seconds=self.seconds, result=result
        )

    def _without_failures(self) -> Text:
        if not self.note:
            return say("all passed")
        return say("passed, but these are not all") if self.checks else say("nothing was verified")


class Group(NamedTuple):
    """Failed checks with the same fault: its code and message, and all lines of help for it."""

    code: str
    message: str
    help: tuple[str, ...]
    level: Level
    checks: tuple[Check, ...]


def grouped(checks: Iterable[Check]) -> list[Group]:
    """Group failed checks by their faults; the most important groups come first."""
    found: dict[tuple[str, str], list[tuple[Check, Fault]]] = {}
    for one in checks:
        for fault in one.faults if one.is_failed else ():
            found.setdefault((fault.code, fault.message), []).append((one, fault))
    order = list(Level)
    groups = [
        Group(
            code,
            message,
            tuple(dict.fromkeys(line for _, fault in same for line in fault.helps)),
            min((one.level for one, _ in same), key=order.index),
            tuple(one for one, _ in same),
        )
        for (code, message), same in found.items()
    ]
    return sorted(groups, key=lambda group: order.index(group.level))
