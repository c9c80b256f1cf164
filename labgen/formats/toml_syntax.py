"""Explain TOML syntax errors in plain language, from the text of the line."""

import re
from collections.abc import Callable

from labgen.formats.format import Lines
from labgen.problems.problem import Place, Problem, short

Sentence = tuple[str, str]
"""A message and a hint."""


def explain_syntax(text: str, message: str, file: str) -> Problem:
    """Convert an error message of the parser into a problem."""
    reason, _, where = message.partition(" (at ")
    numbers = re.fullmatch(r"line (\d+), column (\d+)\)", where)
    lines = Lines(text)
    line = int(numbers[1]) if numbers else len(text.rstrip().split("\n"))
    column = int(numbers[2]) if numbers else len(lines.texts[line - 1]) + 1
    written = lines.texts[line - 1]
    is_double = reason.startswith("Cannot ")
    rule = next((rule for start, rule in _RULES.items() if reason.startswith(start)), None)
    what, hint = rule(written, written[column - 1 :]) if rule else (reason[0].lower() + reason[1:], "")
    start = min(lines.starts[line - 1] + (0 if is_double else column - 1), len(text))
    return Problem("invalid-toml", what, Place(file, span=lines.span(start)), hint)


def _twice(line: str, _rest: str) -> Sentence:
    if header := re.match(r"\s*\[+([^\]]*)\]", line):
        name = short(header[1].strip())
        return f"the table [{name}] stands twice", f"put its keys below the first [{name}]"
    return "this key stands twice", "remove one of the two"


def _value(_line: str, rest: str) -> Sentence:
    if word := re.match(r"(true|false)\b", rest, re.IGNORECASE):
        return f"TOML does not know {word[0]}", f"write {word[0].lower()}"
    if re.match(r"\s*([#,\]}]|$)", rest):
        return "a value is missing here", 'write it: a text stands in quotes, such as "de"'
    if found := re.match(r"[‘’“”„«»]?([^\n#‘’“”„«»,\]]*)", rest):
        written = short(found[1].strip())
        return "texts stand in straight quotes", f'write "{written}"' if written else ""
    return "this is no value", "texts stand in quotes"


def _equals(line: str, rest: str) -> Sentence:
    if rest.lstrip().startswith(":"):
        return "a colon stands where = belongs", "write = between a key and its value"
    return _key(line, rest)


def _key(line: str, _rest: str) -> Sentence:
    key = re.match(r"\s*([^=\n]*[^=\s])\s*=", line)
    if key and not re.fullmatch(r"[A-Za-z0-9_-]+", key[1]):
        return "a key has other letters than a to z", f'put the key in quotes: "{short(key[1])}"'
    return "this line is no key with a value", "write key = value; a comment begins with #"


def _end(_line: str, rest: str) -> Sentence:
    if rest.lstrip().startswith(("//", "/*", ";", "--")):
        return "this is no comment", "a comment begins with #"
    if rest.lstrip().startswith('"'):
        return "this quote ends the text, but more of it follows", r"write \" for a quote inside a text"
    return "more follows after the value", "write one key a line; a comment begins with #"


def _header(line: str, _rest: str) -> Sentence:
    name = re.match(r"\s*\[*([^\[\]#\n]*)", line)
    return "the name of the table is not closed", f"close it: [{short(name[1].strip()) if name else ''}]"


def _array(_line: str, rest: str) -> Sentence:
    if rest.lstrip()[:1] in ('"', "'") or rest.lstrip()[:1].isdigit():
        return "two values stand in a list without a comma", "write , between two values"
    return "this list is not closed", "a ] is missing"


def _unclosed(_line: str, _rest: str) -> Sentence:
    return "a text is not closed on its line", "a quote is missing"


def _backslash(_line: str, _rest: str) -> Sentence:
    return "this backslash escapes nothing that TOML knows", r"write \\ for a backslash"


_RULES: dict[str, Callable[[str, str], Sentence]] = {
    "Cannot ": _twice,
    "Invalid value": _value,
    "Expected '=' after a key": _equals,
    "Invalid initial character for a key": _key,
    "Invalid statement": _key,
    "Expected newline or end of document": _end,
    "Expected ']' at the end of a table": _header,
    "Unclosed array": _array,
    "Illegal character '\\n'": _unclosed,
    "Unterminated string": _unclosed,
    "Unescaped '\\' in a string": _backslash,
}
"""The beginnings of the parser's messages, and the functions that explain them."""
