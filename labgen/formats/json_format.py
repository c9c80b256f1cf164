"""Parse JSON and JSON Lines (RFC 8259), and find the positions of values."""

import json
import re
from collections.abc import Collection, Iterator
from decimal import Decimal
from typing import Any

import orjson

from labgen.formats.budget import MOST_PROBLEMS, UNLIMITED, Budget, long_texts, too_many
from labgen.formats.format import Format, Lines, Node, ParsedValue, Stretch
from labgen.formats.json_syntax import SEVERAL, explain_syntax
from labgen.problems.problem import Place, Pointer, Problem, Span, short
from labgen.problems.text import say


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
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def parse_json(text: str, file: str, budget: Budget = UNLIMITED) -> tuple[list[ParsedValue], list[Problem]]:
    """Return the value of a JSON text, with floats as decimals; if a key is repeated, the last one counts."""
    if len(text) > SMALL and (problem := _many_values(text, file, budget)):
        return [], [problem]
    try:
        value, problems = _decode(text, file)
    except json.JSONDecodeError as error:
        return [], [explain_syntax(text, error, file)]
    except RecursionError:
        return [], [Problem("invalid-json", say("the values are nested too deeply"), _place(text, file, 0))]
    except (ValueError, ArithmeticError):
        number = next((one for one in _NUMBER.finditer(text) if _is_too_long(one[0])), None)
        place = _place(text, file, *number.span()) if number else Place(file)
        return [], [Problem("invalid-json", say("a number is too large, or has too many digits"), place)]
    if _SURROGATE.search(text) and (halves := _half_characters(text, file)):
        return [], problems + halves
    if len(text) > budget.text and (long := long_texts(value, budget, file)):
        return [], problems + long
    return [ParsedValue((), value)], problems


_NUMBER = re.compile(r"-?[0-9][0-9.eE+-]*")


def _is_too_long(number: str) -> bool:
    return len(number) >= MAX_DIGITS or bool(re.search(r"[eE][+-]?[0-9]{8}", number))


MAX_DIGITS = 4000
SMALL = 100_000
"""Texts up to this length hold few values in any case."""


def _many_values(text: str, file: str, budget: Budget) -> Problem | None:
    """Return a problem if a text has more commas and brackets than it may have values."""
    count = sum(map(text.count, ",[{"))
    return budget.of_values(Place(file), f"`{file}`") if count > budget.values else None


def _decode(text: str, file: str) -> tuple[Any, list[Problem]]:
    try:
        return _STRICT.decode(text), []
    except _DuplicateKeyError:
        return _LOOSE.decode(text), _duplicate_keys(text, file)


def parse_jsonl(text: str, file: str, budget: Budget = UNLIMITED) -> tuple[list[ParsedValue], list[Problem]]:
    r"""Return the values of a text with one JSON value per line; blank lines are skipped.

    Lines end at U+000A only: U+2028 may stand inside a value. The pointers count lines from 0.
    """
    if problems := check_lines(text[:SAMPLE], file):
        return [], problems
    if len(text) > SMALL and (problem := _many_values(text, file, budget)):
        return [], [problem]
    entries: list[ParsedValue] = []
    has_halves = _SURROGATE.search(text)
    for number, line in enumerate(text.split("\n")):
        if not has_halves and (entry := _plain_line(line, number)):
            entries.append(entry)
        elif line.strip(" \t\r"):
            found, wrong = parse_line(line, number, file)
            entries += found
            problems += wrong
        if len(line) > budget.text and entries:
            problems += long_texts(entries[-1].value, budget, file, (number,))
        if len(problems) > MOST_PROBLEMS:
            return [], [*problems, too_many(Place(file, span=Span(number + 1, 1, 1)))]
    return entries, problems


SAMPLE = 1000
"""How many characters at its beginning show whether a text has one value per line."""


def check_lines(head: str, file: str) -> list[Problem]:
    """Return a problem if the start of a text shows that it does not have one JSON object per line."""
    first = head.strip().partition("\n")[0].strip()
    name = file.rpartition("/")[2].removesuffix("l")
    if _plain_line(first, 0):
        return []
    if first.startswith("["):
        message = say("this is a list in JSON, and not an object a line")
        hint = say("call it {name}, or remove the brackets and the commas between the lines", name=name)
    elif first == "{":
        message = say("an object goes over several lines")
        hint = say("write each object on one line, or a list of them as {name}", name=name)
    else:
        return []
    return [Problem("invalid-json", message, Place(file, span=Span(1, 1, 1)), hint)]


def _plain_line(line: str, number: int) -> ParsedValue | None:
    """Return the value of a line with a valid value and nothing else, or None: a fast path for most lines."""
    try:
        value, end = _STRICT.raw_decode(line)
    except (ValueError, ArithmeticError, RecursionError, _DuplicateKeyError):
        return None
    return ParsedValue((number,), value) if end == len(line) else None


def parse_line(
    line: str, number: int, file: str, budget: Budget = UNLIMITED
) -> tuple[list[ParsedValue], list[Problem]]:
    """Return the value of one line of a text; `number` counts from 0."""
    found, wrong = parse_json(line.rstrip("\r"), file, budget)
    return [ParsedValue((number,), entry.value) for entry in found], [
        _shifted(problem, number) for problem in wrong
    ]


def _shifted(problem: Problem, lines: int) -> Problem:
    span = problem.place.span or Span(1, 1, 1)
    place = Place(problem.place.file, span=span._replace(line=span.line + lines))
    hint = say("write one object a line") if problem.hint == SEVERAL else problem.hint
    return Problem(problem.code, problem.message, place, hint)


_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)


def json_nodes(
    text: str, _wanted: Collection[Pointer] = (), offset: int = 0, top: Pointer = ()
) -> Iterator[Node]:
    """Yield the position of each value of a valid JSON text, containers after their parts.

    If a key is repeated, its pointer is yielded each time.
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
    """Yield the positions of the values in the wanted lines."""
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
    lines = Lines(text)
    return [
        Problem(
            "duplicate-key",
            say("`{pointer}` stands twice in one object", pointer=short(pointer[-1])),
            Place(file, span=lines.span(*key)),
            say("remove one of the two"),
        )
        for pointer, key in repeated
        if not any(pointer[:length] in pointers for length in range(1, len(pointer)))
    ]


def _half_characters(text: str, file: str) -> list[Problem]:
    r"""Report texts with half of a surrogate pair, such as \ud800: it is not a character."""
    lines = Lines(text)
    halves = [
        match.span()
        for match in _TOKEN.finditer(text)
        if match[0][0] == '"' and _SURROGATE.search(match[0]) and not _is_whole(json.loads(match[0]))
    ]
    message = say("a text holds half of a character")
    return [Problem("control-character", message, Place(file, span=lines.span(*half))) for half in halves]


def _is_whole(text: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in text)


def _place(text: str, file: str, start: int, end: int = 0) -> Place:
    return Place(file, span=Lines(text).span(start, end))


def reread_json(data: bytes) -> list[ParsedValue]:
    """Parse a JSON text with orjson: decimals and numbers of more than 64 bits become floats."""
    return [ParsedValue((), orjson.loads(data))]


def reread_jsonl(data: bytes) -> list[ParsedValue]:
    """Parse a text with one JSON value per line, like `reread_json`."""
    lines = enumerate(data.split(b"\n"))
    return [ParsedValue((number,), orjson.loads(line)) for number, line in lines if line.strip(b" \t\r")]


JSON = Format("JSON", parse_json, json_nodes, reread=reread_json)
JSON_LINES = Format("JSON Lines", parse_jsonl, jsonl_nodes, is_list=True, reread=reread_jsonl)
