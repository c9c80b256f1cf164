"""Select which of many problems to print: errors first, a few of each kind, and counts of the rest."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from labgen.problems.problem import Cause, Place, Pointer, Problem, Severity, with_errors
from labgen.problems.text import plural, say
from labgen.system.input_files import is_bulk

MOST_OF_A_KIND = 3
"""Problems of a kind that are shown without --all."""


class ProblemKind(NamedTuple):
    """A group of similar problems, by severity, code and source: a file, or a folder of data/."""

    severity: Severity
    code: str
    source: str


class Chosen(NamedTuple):
    """The problems to show, and how many more there are of each kind."""

    shown: list[Problem]
    more: Mapping[ProblemKind, int]


def kind_of(problem: Problem) -> ProblemKind:
    """Return a problem's kind; all files of laboratories count as one source, and so do all pictures."""
    source = "/".join(problem.place.file.split("/")[:2])
    return ProblemKind(problem.severity, problem.code, source)


def choose(problems: Sequence[Problem], *, show_all: bool) -> Chosen:
    """Return a few problems of each kind. Many problems with one cause become one, which states the cause.

    With `show_all`, all single problems follow those that state a cause.
    """
    causes = _by_cause(problems)
    named = [_with_cause(cause, group) for cause, group in causes.items()]
    if show_all:
        return Chosen([*named, *with_errors(problems)], {})
    singles = [*named, *(one for one in problems if one.cause not in causes)]
    by_kind: defaultdict[ProblemKind, list[Problem]] = defaultdict(list)
    for one in singles:
        by_kind[kind_of(one)].append(one)
    shown = [one for group in by_kind.values() for one in group[:MOST_OF_A_KIND]]
    rest = {kind: len(group) - MOST_OF_A_KIND for kind, group in by_kind.items()}
    return Chosen(shown, {kind: count for kind, count in rest.items() if count > 0})


def _by_cause(problems: Sequence[Problem]) -> dict[Cause, list[Problem]]:
    """Group problems by cause, for each cause with more than `MOST_OF_A_KIND` problems."""
    groups: defaultdict[Cause, list[Problem]] = defaultdict(list)
    for one in problems:
        if one.cause:
            groups[one.cause].append(one)
    return {cause: group for cause, group in groups.items() if len(group) > MOST_OF_A_KIND}


def _with_cause(cause: Cause, problems: Sequence[Problem]) -> Problem:
    """Merge problems with the same cause into one problem."""
    first = problems[0]
    is_of_rows = cause.of == "row"
    count = len(problems) if is_of_rows else len({_laboratory_of(one.place) for one in problems})
    names = (
        plural(count, "row names", "rows name")
        if is_of_rows
        else plural(count, "laboratory names", "laboratories name")
    )
    message = say("{clause}, which {names}", clause=cause.clause, names=names)
    hint = first.hint or say("add it again, or correct them")
    hint = say("the first is {file}, and --all shows every place; {hint}", file=first.place.file, hint=hint)
    return Problem(first.code, message, Place(cause.file), hint, first.severity)


def _laboratory_of(place: Place) -> tuple[str, Pointer]:
    """Return a key for the laboratory at a place: the file, and the line in a file of all laboratories."""
    return place.file, (place.pointer or ())[: int(is_bulk(place.file))]
