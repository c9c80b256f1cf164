"""Define a problem of a project: its code, message, place in a file, and hint."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from labgen.problems.text import say

Pointer = tuple[str | int, ...]
"""The path from a file's top-level value to one of its parts: keys and zero-based positions."""

Part = Literal["value", "key"]
Severity = Literal["error", "warning"]


class Span(NamedTuple):
    """A part of one line: line and column are counted from 1, in characters; the length is at least 1."""

    line: int
    column: int
    length: int


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a problem: a file, and a pointer into it or, if it could not be parsed, a span.

    `file` is relative to the project's folder and uses `/`. Without pointer and span, the whole file is
    meant. `part` is the part that the pointer refers to: the value, or its key. The span of a pointer is
    computed only when the problem is shown.
    """

    file: str
    pointer: Pointer | None = None
    part: Part = "value"
    span: Span | None = None


class Cause(NamedTuple):
    """The common cause of several problems: a clause for messages, the file to correct, what is affected."""

    clause: str
    file: str
    of: Literal["laboratory", "row"] = "laboratory"


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem: a code for `labgen explain`, a message, a place, and a hint.

    `cause` is the common cause, if one mistake led to several problems. `rule` is the name of the
    accreditation rule that led to a warning. Errors in the fields that a problem `explains` belong to it:
    `errors` are those that are not told beside it.
    """

    code: str
    message: str
    place: Place
    hint: str = ""
    severity: Severity = "error"
    cause: Cause | None = None
    rule: str = ""
    explains: tuple[str, ...] = ()
    errors: "tuple[Problem, ...]" = ()


@dataclass(frozen=True, slots=True)
class Located:
    """A problem with the source line to show: `span` is None if the whole file is meant.

    In a workbook or a database, the span is the row and the column, and `where` names the sheet and the cell.
    """

    problem: Problem
    span: Span | None
    source_line: str = ""
    where: str = ""

    @property
    def order(self) -> tuple[bool, str, int, int, str, str]:
        """The key by which problems are sorted: errors first, then file, line, column, code, message."""
        problem = self.problem
        line, column = (self.span.line, self.span.column) if self.span else (0, 0)
        return (
            problem.severity != "error",
            problem.place.file,
            line,
            column,
            problem.code,
            problem.message,
        )


def with_errors(problems: Iterable[Problem]) -> list[Problem]:
    """Return problems, each followed by the errors that belong to it."""
    return [each for one in problems for each in (one, *one.errors)]


def count_errors(problems: Iterable[Problem]) -> int:
    """Return the number of errors among problems."""
    return sum(problem.severity == "error" for problem in problems)


def short(name: object) -> str:
    """Return a name for a message: on one line, shortened, without quotes."""
    return shown(str(name))[1:-1]


def shown(value: object) -> str:
    """Return a value for a message: on one line, shortened; for a list or an object, only its type."""
    match value:
        case str():
            text = value if len(value) <= QUOTE_LENGTH else value[: QUOTE_LENGTH - 1] + "…"
            return '"' + "".join(_printable(char) for char in text) + '"'
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case list():
            return say("a list")
        case dict():
            return say("an object")
        case int() if value.bit_length() > MAX_SHOWN_BITS:
            return say("a very large number")
        case _:
            text = str(value)
            return text if len(text) <= QUOTE_LENGTH else text[: QUOTE_LENGTH - 1] + "…"


QUOTE_LENGTH = 60
MAX_SHOWN_BITS = 200


def _printable(char: str) -> str:
    return char if char.isprintable() or char == " " else char.encode("unicode_escape").decode()
