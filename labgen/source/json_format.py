"""JSON and JSON Lines (RFC 8259): the values by the standard library, the places by a scanner."""

import json
import re
from collections.abc import Collection, Iterator
from decimal import Decimal
from typing import Any

from labgen.problems import Place, Pointer, Problem, Span
from labgen.source.formats import Entry, Format, Node, Stretch, span_at


class _DuplicateKeyError(Exception):
    pass


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _DuplicateKeyError
    return value


# NaN and Infinity, which JSON does not know, become decimals too; no field accepts them.
_STRICT = json.JSONDecoder(object_pairs_hook=_unique, parse_float=Decimal, parse_constant=Decimal)
_LOOSE = json.JSONDecoder(parse_float=Decimal, parse_constant=Decimal)


def parse_json(text: str, file: str) -> tuple[list[Entry], list[Problem]]:
    """Return the value of a JSON text, with floats as decimals; of equal keys, the last counts."""
    try:
        return [Entry((), _STRICT.decode(text))], []
    except _DuplicateKeyError:
        return [Entry((), _LOOSE.decode(text))], _duplicate_keys(text, file)
    except json.JSONDecodeError as error:
        return [], [_syntax_error(text, error, file)]
    except RecursionError:
        return [], [Problem("invalid-json", "the values are nested too deeply", _place(text, file, 0))]
    except ValueError:
        digits = re.search(r"[0-9]{4000,}", text)
        place = _place(text, file, *digits.span()) if digits else Place(file)
        return [], [Problem("invalid-json", "a number has too many digits", place)]


def parse_jsonl(text: str, file: str) -> tuple[list[Entry], list[Problem]]:
    r"""Return the values of a text with one JSON value a line; blank lines are passed over.

    Lines end at U+000A only: U+2028 may stand inside a value. The pointers count lines from 0.
    """
    entries: list[Entry] = []
    problems: list[Problem] = []
    for number, line in enumerate(text.split("\n")):
        if line.strip():
            found, wrong = parse_json(line.rstrip("\r"), file)
            entries += (Entry((number,), entry.value) for entry in found)
            problems += (_shifted(problem, number) for problem in wrong)
    return entries, problems


def _shifted(problem: Problem, lines: int) -> Problem:
    span = problem.place.span or Span(1, 1, 1)
    place = Place(problem.place.file, span=span._replace(line=span.line + lines))
    return Problem(problem.code, problem.message, place, problem.hint)


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)


def json_nodes(
    text: str, _wanted: Collection[Pointer] = (), offset: int = 0, top: Pointer = ()
) -> Iterator[Node]:
    """Yield where each value of a valid JSON text stands, containers after their parts.

    A key that stands twice yields its pointer twice.
    """
    parents: list[tuple[Pointer, int, Stretch | None, bool]] = []
    pointer: Pointer = top
    key: Stretch | None = None
    is_object = awaits_key = False
    for match in _TOKEN.finditer(text):
        token = match[0]
        start, end = match.start() + offset, match.end() + offset
        if token in "{[":
            parents.append((pointer, start, key, is_object))
            is_object = awaits_key = token == "{"
            pointer, key = (pointer if is_object else (*pointer, 0)), None
        elif token in "}]":
            pointer, opened, key, is_object = parents.pop()
            awaits_key = False
            yield Node(pointer, (opened, end), key)
        elif token == ",":
            container = parents[-1][0]
            awaits_key = is_object
            pointer = container if is_object else (*container, _position(pointer) + 1)
        elif token == ":":
            awaits_key = False
        elif awaits_key:
            pointer, key = (*parents[-1][0], json.loads(token)), (start, end)
        else:
            yield Node(pointer, (start, end), key if is_object else None)


def _position(pointer: Pointer) -> int:
    position = pointer[-1]
    assert isinstance(position, int)  # noqa: S101 - the scanner is inside a list
    return position


def jsonl_nodes(text: str, wanted: Collection[Pointer]) -> Iterator[Node]:
    """Yield where the values of the wanted lines stand."""
    lines = {pointer[0] for pointer in wanted if pointer}
    offset = 0
    for number, line in enumerate(text.split("\n")):
        if number in lines:
            yield from json_nodes(line, offset=offset, top=(number,))
        offset += len(line) + 1


def _duplicate_keys(text: str, file: str) -> list[Problem]:
    seen: set[Pointer] = set()
    repeated: list[tuple[Pointer, Stretch]] = []
    for node in json_nodes(text):
        if node.key and node.pointer in seen:
            repeated.append((node.pointer, node.key))
        seen.add(node.pointer)
    pointers = {pointer for pointer, _ in repeated}
    return [
        Problem(
            "duplicate-key", f"`{pointer[-1]}` stands twice in one object", _place(text, file, *key), HINT
        )
        for pointer, key in repeated
        if not any(pointer[:length] in pointers for length in range(1, len(pointer)))
    ]


HINT = "remove one of the two"


def _place(text: str, file: str, start: int, end: int = 0) -> Place:
    return Place(file, span=span_at(text, start, end))


def _syntax_error(text: str, error: json.JSONDecodeError, file: str) -> Problem:
    message, hint = _syntax_message(text, error)
    before = text[: error.pos].rstrip()
    is_comma_missing = error.msg == "Expecting ',' delimiter" and error.pos < len(text) and "0" not in message
    start = len(before) - 1 if is_comma_missing and before else min(error.pos, max(0, len(text.rstrip()) - 1))
    return Problem("invalid-json", message, _place(text, file, start), hint)


def _syntax_message(text: str, error: json.JSONDecodeError) -> tuple[str, str]:
    """Say what is wrong in the keeper's words: what stands at the place tells more than the parser."""
    rest = text[error.pos :].lstrip()
    before = text[: error.pos].rstrip()
    if not rest:
        return "the text ends too early: a closing bracket or quote is missing", ""
    if rest.startswith(("//", "/*", "#")):
        return "JSON knows no comments", "remove it"
    if rest[0] in "}]" and before.endswith(","):
        return f"a comma stands before `{rest[0]}`", "remove the comma"
    if error.msg.startswith("Illegal trailing comma"):
        return "a comma stands before the closing bracket", "remove the comma"
    if rest[0] in "'‘’“”„«»":
        return f"texts stand in double quotes, not in {rest[0]}", 'write "…"'
    if error.msg == "Expecting ',' delimiter" and rest[0].isdigit() and before.endswith("0"):
        return "a number cannot begin with 0", "write it in quotes if the zero belongs to it"
    return _SYNTAX.get(error.msg.removesuffix(" at"), (error.msg[0].lower() + error.msg[1:], ""))


_SYNTAX = {
    "Expecting ',' delimiter": ("a comma or a closing bracket is missing after this", ""),
    "Expecting ':' delimiter": ("a colon is missing after the key", ""),
    "Expecting property name enclosed in double quotes": ("a key in double quotes is missing here", ""),
    "Expecting value": ("a value is missing here", "texts stand in double quotes"),
    "Extra data": (
        "the value has ended, but more text follows",
        "several objects: put them into a list [ … ]",
    ),
    "Invalid control character": (
        "a text holds a raw line break or control character",
        r"write \n, \r\n or \t",
    ),
    "Invalid \\escape": ("this backslash escapes nothing that JSON knows", r"write \\ for a backslash"),
    "Invalid \\uXXXX escape": (r"\u must be followed by four hexadecimal digits", ""),
    "Unterminated string starting": ("this text is not closed", 'a " is missing'),
}

JSON = Format("JSON", parse_json, json_nodes)
JSON_LINES = Format("JSON Lines", parse_jsonl, jsonl_nodes, is_list=True)
