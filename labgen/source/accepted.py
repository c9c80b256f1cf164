"""Leave out warnings that the settings accept."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from labgen.model.records import AcceptRecord
from labgen.problems.problem import Problem


def without_accepted(problems: Iterable[Problem], accepted: Sequence[AcceptRecord]) -> list[Problem]:
    """Return all errors, and the warnings that are not accepted in their files."""
    patterns: dict[str, list[str]] = {}
    for one in accepted:
        patterns.setdefault(one.code, []).extend(one.files)
    return [one for one in problems if one.severity == "error" or not _is_in(one, patterns.get(one.code, ()))]


def _is_in(problem: Problem, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(problem.place.file, pattern) for pattern in patterns)
