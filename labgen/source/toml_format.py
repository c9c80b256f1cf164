"""TOML (version 1.0), for the settings: the values by the standard library, the places by a scanner."""

import re
import tomllib
from collections.abc import Collection, Iterator
from decimal import Decimal

from labgen.problems import Place, Pointer, Problem, Span
from labgen.source.formats import Entry, Format, Node


def parse_toml(text: str, file: str) -> tuple[list[Entry], list[Problem]]:
    """Return the table that a TOML text holds."""
    try:
        return [Entry((), tomllib.loads(text, parse_float=Decimal))], []
    except tomllib.TOMLDecodeError as error:
        return [], [_syntax_error(text, str(error), file)]
    except (RecursionError, ValueError) as error:
        return [], [Problem("invalid-toml", f"the text cannot be read as TOML: {error}", Place(file))]


_KEY_PART = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
_KEY = rf"{_KEY_PART}(?:[ \t]*\.[ \t]*{_KEY_PART})*"
_HEADER = re.compile(rf"[ \t]*\[\[?[ \t]*({_KEY})[ \t]*\]\]?")
_ASSIGNMENT = re.compile(rf"[ \t]*({_KEY})[ \t]*=[ \t]*")
_VALUE_PART = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|#[^\n]*|[\[\]{}]|\n|[^"\'#\[\]{}\n]+',
    re.DOTALL,
)


def toml_nodes(text: str, _wanted: Collection[Pointer] = ()) -> Iterator[Node]:
    """Yield where tables and values stand; the parts of lists and of inline tables are not told apart."""
    table: Pointer = ()
    position = 0
    yield Node((), (0, 1))
    while position < len(text):
        if header := _HEADER.match(text, position):
            table = _parts(header[1])
            yield Node(table, header.span(1), header.span(1))
            position = _end_of_line(text, header.end())
        elif assignment := _ASSIGNMENT.match(text, position):
            end = _end_of_value(text, assignment.end())
            value = text[assignment.end() : end].rstrip()
            stretch = (assignment.end(), assignment.end() + len(value))
            yield Node((*table, *_parts(assignment[1])), stretch, assignment.span(1))
            position = _end_of_line(text, end)
        else:
            position = _end_of_line(text, position)


def _parts(key: str) -> Pointer:
    return tuple(part.strip("\"'") for part in re.findall(_KEY_PART, key))


def _end_of_line(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end + 1


def _end_of_value(text: str, position: int) -> int:
    """Return where a value ends: at a comment or line break outside of strings and brackets."""
    depth = 0
    while part := _VALUE_PART.match(text, position):
        token = part[0]
        if depth == 0 and token[0] in "#\n":
            break
        depth += (token in "[{") - (token in "]}")
        position = part.end()
    return position


def _syntax_error(text: str, message: str, file: str) -> Problem:
    what, _, where = message.partition(" (at ")
    numbers = re.fullmatch(r"line (\d+), column (\d+)\)", where)
    lines = text.rstrip().split("\n")
    line, column = (int(numbers[1]), int(numbers[2])) if numbers else (len(lines), len(lines[-1]) + 1)
    what = what[0].lower() + what[1:]
    return Problem(
        "invalid-toml",
        f"not valid TOML: {what}",
        Place(file, span=Span(line, column, 1)),
        "texts stand in quotes",
    )


TOML = Format("TOML", parse_toml, toml_nodes)
