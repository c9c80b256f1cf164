"""Filter out the warnings that the settings accept."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from labgen.model.settings import AcceptRecord
from labgen.problems.problem import Problem


def without_accepted(problems: Iterable[Problem], accepted: Sequence[AcceptRecord]) -> list[Problem]:
    """Return all errors, and the warnings that the settings do not accept in their files."""
    by_code: dict[str, list[AcceptRecord]] = {}
    for one in accepted:
        by_code.setdefault(one.code, []).append(one)
    return [one for one in problems if one.severity == "error" or not _is_in(one, by_code.get(one.code, ()))]


def _is_in(problem: Problem, accepted: Iterable[AcceptRecord]) -> bool:
    return any(
        any(fnmatchcase(problem.place.file, pattern) for pattern in one.files)
        and (not one.rules or problem.rule in one.rules)
        for one in accepted
    )
