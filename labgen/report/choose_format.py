"""Select which of many problems to print: errors first, a few of each kind, and counts of the rest."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from labgen.problems.problem import Cause, Place, Pointer, Problem, Severity, plural
from labgen.system.input_files import is_bulk

MOST_OF_A_KIND = 3
"""Problems of a kind that are shown without --all."""


class Kind(NamedTuple):
    """What problems that look alike have in common; `source` is a file, or a folder of data/."""

    severity: Severity
    code: str
    source: str


class Chosen(NamedTuple):
    """The problems to be shown, and how many more there are of their kinds."""

    shown: list[Problem]
    more: Mapping[Kind, int]


def kind_of(problem: Problem) -> Kind:
    """Return a problem's kind; all files of laboratories are one source, and all pictures."""
    source = "/".join(problem.place.file.split("/")[:2])
    return Kind(problem.severity, problem.code, source)


def choose(problems: Sequence[Problem], *, show_all: bool) -> Chosen:
    """Return a few problems of each kind. What has one cause counts as one problem, which names the cause.

    `show_all` adds the single problems to those that name a cause, and leaves out nothing.
    """
    causes = _by_cause(problems)
    named = [_with_cause(cause, group) for cause, group in causes.items()]
    if show_all:
        return Chosen([*named, *problems], {})
    singles = [*named, *(one for one in problems if one.cause not in causes)]
    by_kind: defaultdict[Kind, list[Problem]] = defaultdict(list)
    for one in singles:
        by_kind[kind_of(one)].append(one)
    shown = [one for group in by_kind.values() for one in group[:MOST_OF_A_KIND]]
    rest = {kind: len(group) - MOST_OF_A_KIND for kind, group in by_kind.items()}
    return Chosen(shown, {kind: count for kind, count in rest.items() if count > 0})


def _by_cause(problems: Sequence[Problem]) -> dict[Cause, list[Problem]]:
    """Return the problems of each cause that has more than a few."""
    groups: defaultdict[Cause, list[Problem]] = defaultdict(list)
    for one in problems:
        if one.cause:
            groups[one.cause].append(one)
    return {cause: group for cause, group in groups.items() if len(group) > MOST_OF_A_KIND}


def _with_cause(cause: Cause, problems: Sequence[Problem]) -> Problem:
    """Return one problem for several with the same cause."""
    first = problems[0]
    is_of_rows = cause.of == "row"
    count = len(problems) if is_of_rows else len({_laboratory_of(one.place) for one in problems})
    named = ("row names", "rows name") if is_of_rows else ("laboratory names", "laboratories name")
    message = f"{cause.clause}, which {plural(count, *named)}"
    hint = first.hint or "add it again, or correct them"
    hint += f"; the first is {first.place.file}, and --all shows every place"
    return Problem(first.code, message, Place(cause.file), hint, first.severity)


def _laboratory_of(place: Place) -> tuple[str, Pointer]:
    """Return what tells the laboratories of places apart: the file, and the line in a file of all of them."""
    return place.file, (place.pointer or ())[: int(is_bulk(place.file))]
