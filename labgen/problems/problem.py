"""Define a problem: a code, a message, a place in a file, and a hint."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

Pointer = tuple[str | int, ...]
"""The way from a file's top value to one of its parts: keys and zero-based positions."""

Part = Literal["value", "key"]
Severity = Literal["error", "warning"]


class Span(NamedTuple):
    """A stretch of one line: line and column count from 1, in characters; length is at least 1."""

    line: int
    column: int
    length: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where a problem lies: a file, and a pointer into it or, where nothing could be parsed, a span.

    `file` is relative to the project's folder and uses `/`. With neither pointer nor span, the file as
    a whole is meant. The span of a pointer is worked out only when the problem is shown.
    """

    file: str
    pointer: Pointer | None = None
    part: Part = "value"
    span: Span | None = None


class Cause(NamedTuple):
    """The common cause of several problems: a clause, the file to look in, and what has the problems."""

    clause: str
    file: str
    of: Literal["laboratory", "row"] = "laboratory"


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem: a code that `labgen explain` knows, a message, a place, and a hint.

    `cause` is what it has in common with others, if one mistake led to several problems. `rule` is the
    name of the rule of accreditation that a warning follows from.
    """

    code: str
    message: str
    place: Place
    hint: str = ""
    severity: Severity = "error"
    cause: Cause | None = None
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Located:
    """A problem with the line it points at: `span` is None where the file as a whole is meant.

    In a workbook or a database, the span is the row and the column, and `where` says the sheet and the cell.
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


def count_errors(problems: Iterable[Problem]) -> int:
    """Return the number of errors among problems."""
    return sum(problem.severity == "error" for problem in problems)


def short(name: object) -> str:
    """Return a name for a message: on one line, shortened."""
    return shown(str(name))[1:-1]


def shown(value: object) -> str:
    """Return a value for a message: on one line, shortened; containers by their kind."""
    match value:
        case str():
            text = value if len(value) <= QUOTE_LENGTH else value[: QUOTE_LENGTH - 1] + "…"
            return '"' + "".join(_printable(char) for char in text) + '"'
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case list():
            return "a list"
        case dict():
            return "an object"
        case int() if value.bit_length() > MAX_SHOWN_BITS:
            return "a very large number"
        case _:
            text = str(value)
            return text if len(text) <= QUOTE_LENGTH else text[: QUOTE_LENGTH - 1] + "…"


QUOTE_LENGTH = 60
MAX_SHOWN_BITS = 200


def _printable(char: str) -> str:
    return char if char.isprintable() or char == " " else char.encode("unicode_escape").decode()


def plural(count: int, noun: str, many: str = "") -> str:
    """Return `1 error`, `2 errors`, `1,204 files`."""
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"
