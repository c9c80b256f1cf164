"""Tell errors of form that an accident led to as a part of it, so that its cause is read first."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import PurePath

from labgen.memory.warnings import is_of_laboratory
from labgen.model.tables import DISPLAY_ID
from labgen.problems.problem import Problem, count_errors
from labgen.problems.text import plural, say
from labgen.system.input_files import BOOKS, DATA


def explain(
    gone: Sequence[Problem], changed: Sequence[Problem], problems: Sequence[Problem]
) -> list[Problem]:
    """Return accidents, each with the errors that belong to it, and the problems that belong to none.

    `gone` says that laboratories are missing: where others have errors, only if this explains some of them,
    because laboratories that could not be read are missing, too.
    """
    explained = _with_consequences(gone, problems)
    if count_errors(problems) and len(explained) == len(gone) + len(problems):
        explained = [*problems]
    return _with_consequences(changed, explained)


def _with_consequences(accidents: Iterable[Problem], problems: Sequence[Problem]) -> list[Problem]:
    found: list[Problem] = []
    for one in accidents:
        own: list[Problem] = []
        rest: list[Problem] = []
        for other in problems:
            is_own = one.severity == other.severity == "error" and _is_explained(other, one)
            (own if is_own else rest).append(other)
        problems = rest
        found.append(_with_errors(one, own) if own else one)
    return [*found, *problems]


def _is_explained(problem: Problem, by: Problem) -> bool:
    if problem.code == "unknown-field" and by.code == "emptied-field":
        return True
    field = _field_of(problem)
    return any(f"{field}.".startswith(f"{one}.") or one.startswith(f"{field}.") for one in by.explains)


def _field_of(problem: Problem) -> str:
    """Return the field in which a problem is: of a laboratory, or of a list after the name of its table."""
    place = problem.place
    names = [step for step in place.pointer or () if isinstance(step, str)]
    if is_of_laboratory(problem):
        return ".".join(names)
    if problem.cause and problem.cause.of == "row":
        return DISPLAY_ID
    table = [] if place.file.endswith(BOOKS) else [PurePath(place.file).stem]
    return f"{DATA}/{'.'.join([*table, *names])}"


def _with_errors(accident: Problem, errors: Sequence[Problem]) -> Problem:
    first = min(errors, key=lambda one: not is_of_laboratory(one))
    count = plural(len(errors), "error belongs to it", "errors belong to it, the first")
    hint = say("{hint}; {count}: {first}", hint=accident.hint, count=count, first=first.message)
    return replace(accident, place=first.place, hint=hint, errors=tuple(errors))
