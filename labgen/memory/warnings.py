"""Remember the warnings of the last build, to show them again without reading the data."""

from collections.abc import Iterable
from typing import Any

import orjson

from labgen.memory.database import Memory
from labgen.problems.problem import Cause, Place, Problem, Span
from labgen.problems.text import as_values, from_values
from labgen.system.input_files import DATA, LABORATORIES, is_bulk

SourceLine = tuple[str, int | None]
"""The file of a laboratory, and its line if the file holds several laboratories."""


def warnings(memory: Memory) -> list[Problem]:
    """Return all warnings of the last build, in the order in which they were found."""
    return [_load(data) for data in memory.column("SELECT problem FROM warning ORDER BY number")]


def update_warnings(memory: Memory, found: Iterable[Problem]) -> None:
    """Store the warnings of this build, in place of the former ones."""
    memory.execute("DELETE FROM warning")
    memory.write("INSERT INTO warning (problem) VALUES (?)", ((_dump(one),) for one in found))


def source_line_of(problem: Problem) -> SourceLine:
    """Return the file, and the line if any, of the laboratory that has a problem."""
    place = problem.place
    if not is_bulk(place.file):
        return place.file, None
    line = place.pointer[0] if place.pointer else place.span.line - 1 if place.span else None
    return place.file, line if isinstance(line, int) else None


def is_of_laboratory(problem: Problem) -> bool:
    """Return whether a problem is in a laboratory, and not in a list that is in the same workbook."""
    is_in_list = is_bulk(problem.place.file) and source_line_of(problem)[1] is None
    return problem.place.file.startswith(f"{DATA}/{LABORATORIES}") and not is_in_list


def _dump(one: Problem) -> bytes:
    place = one.place
    span, cause = (
        place.span and tuple(place.span),
        one.cause and (as_values(one.cause.clause), *one.cause[1:]),
    )
    where = (place.file, place.pointer, place.part, span)
    return orjson.dumps(
        (one.code, as_values(one.message), where, as_values(one.hint), one.severity, cause, one.rule)
    )


def _load(data: bytes) -> Problem:
    code, message, (file, pointer, part, span), hint, severity, cause, rule = orjson.loads(data)
    place = Place(file, None if pointer is None else tuple(pointer), part, _made(Span, span))
    made = _made(Cause, cause and [from_values(cause[0]), *cause[1:]])
    return Problem(code, from_values(message), place, from_values(hint), severity, made, rule)


def _made(kind: Any, values: list[Any] | None) -> Any:
    return None if values is None else kind(*values)
