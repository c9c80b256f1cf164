"""Parse TOML 1.0 for the settings, and find the positions of values."""

import re
import tomllib
from collections.abc import Collection, Iterator
from decimal import Decimal

from labgen.formats.budget import SETTINGS_SIZE, UNLIMITED, Budget
from labgen.formats.format import Format, Lines, Node, ParsedValue
from labgen.formats.toml_syntax import explain_syntax
from labgen.problems.problem import Place, Pointer, Problem, Span
from labgen.problems.text import say

MAX_DEPTH = 50
"""The depth of brackets and of keys; the settings of any directory are far less deep."""
_BRACKETS = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|\'\'\'.*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|#[^\n]*|[\[\]{}]', re.DOTALL
)


def parse_toml(text: str, file: str, _budget: Budget = UNLIMITED) -> tuple[list[ParsedValue], list[Problem]]:
    """Return the table that a TOML text holds."""
    if len(text) > SETTINGS_SIZE:
        return [], [
            Problem(
                "too-large",
                say(
                    "`{file}` has more than {settings_size:,} characters",
                    file=file,
                    settings_size=SETTINGS_SIZE,
                ),
                Place(file),
            )
        ]
    if (deep := _deep_at(text)) is not None:
        place = Place(file, span=Lines(text).span(deep))
        return [], [
            Problem("invalid-toml", say("the values are nested too deeply"), place, say("nest them less"))
        ]
    try:
        return [ParsedValue((), tomllib.loads(text, parse_float=Decimal))], []
    except tomllib.TOMLDecodeError as error:
        return [], [explain_syntax(text, str(error), file)]
    except (RecursionError, ValueError, ArithmeticError):
        return [], [Problem("invalid-toml", say("a number is too long"), Place(file, span=Span(1, 1, 1)))]


def _deep_at(text: str) -> int | None:
    """Return the position of a key, or of a bracket, that is nested too deeply, or None."""
    if key := _DEEP_KEY.search(text):
        return key.start()
    depth = 0
    for match in _BRACKETS.finditer(text) if text.count("[") + text.count("{") > MAX_DEPTH else ():
        depth += (match[0] in "[{") - (match[0] in "]}")
        if depth > MAX_DEPTH:
            return match.start()
    return None


_KEY_PART = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
_DOT = r"[ \t]*\.[ \t]*"
_KEY = rf"{_KEY_PART}(?:{_DOT}{_KEY_PART})*"
_DEEP_KEY = re.compile(rf"^[ \t\[]*(?:{_KEY_PART}{_DOT}){{50}}", re.MULTILINE)
_HEADER = re.compile(rf"[ \t]*(\[\[?)[ \t]*({_KEY})[ \t]*\]\]?")
_ASSIGNMENT = re.compile(rf"[ \t]*({_KEY})[ \t]*=[ \t]*")
_BLANK = re.compile(r"(?:[\s,]|#[^\n]*)*")
_SCALAR = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|[^\s,\[\]{}#"\'][^,\[\]{}#\n]*',
    re.DOTALL,
)


def toml_nodes(text: str, _wanted: Collection[Pointer] = ()) -> Iterator[Node]:
    """Yield the position of each table and each value of a valid TOML text."""
    table: Pointer = ()
    lengths: dict[Pointer, int] = {}
    position = 0
    yield Node((), (0, 1))
    while position < len(text):
        if header := _HEADER.match(text, position):
            table = _table(_parts(header[2]), lengths, is_entry=header[1] == "[[")
            for length in range(1, len(table) + 1):
                yield Node(table[:length], header.span(2), header.span(2))
            position = header.end()
        elif assignment := _ASSIGNMENT.match(text, position):
            pointer = (*table, *_parts(assignment[1]))
            for length in range(len(table) + 1, len(pointer)):
                yield Node(pointer[:length], assignment.span(1), assignment.span(1))
            nodes, position = _value(text, assignment.end(), pointer, assignment.span(1))
            yield from nodes
        else:
            position = _end_of_line(text, position)


def _table(names: Pointer, lengths: dict[Pointer, int], *, is_entry: bool) -> Pointer:
    """Return the pointer to a table by its name; `lengths` are those of the arrays of tables so far."""
    table: Pointer = ()
    for number, name in enumerate(names, 1):
        table = (*table, name)
        if is_entry and number == len(names):
            lengths[table] = lengths.get(table, 0) + 1
        if table in lengths:
            table = (*table, lengths[table] - 1)
    return table


def _value(text: str, start: int, pointer: Pointer, key: tuple[int, int] | None) -> tuple[list[Node], int]:
    """Return the positions of a value and its parts, and the end of the value."""
    opening = text[start : start + 1]
    if opening not in ("{", "["):
        scalar = _SCALAR.match(text, start)
        end = start + len(scalar[0].rstrip()) if scalar else start + 1
        return [Node(pointer, (start, end), key)], end
    nodes: list[Node] = []
    position = _skip(text, start + 1)
    number = 0
    while position < len(text) and text[position] not in "}]":
        if opening == "{" and (pair := _ASSIGNMENT.match(text, position)):
            found, position = _value(text, pair.end(), (*pointer, *_parts(pair[1])), pair.span(1))
        else:
            found, position = _value(text, position, (*pointer, number), None)
            number += 1
        nodes += found
        position = _skip(text, position)
    return [Node(pointer, (start, position + 1), key), *nodes], position + 1


def _skip(text: str, position: int) -> int:
    blank = _BLANK.match(text, position)
    return blank.end() if blank else position


def _parts(key: str) -> Pointer:
    return tuple(next(iter(tomllib.loads(f"{part} = 0"))) for part in re.findall(_KEY_PART, key))


def _end_of_line(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end + 1


TOML = Format("TOML", parse_toml, toml_nodes)
