"""Explain TOML syntax errors in plain language, from the text of the line."""

import re
from collections.abc import Callable

from labgen.formats.format import Lines
from labgen.problems.problem import Place, Problem, short
from labgen.problems.text import say

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
    what, hint = rule(written, written[column - 1 :]) if rule else _quoted(reason)
    start = min(lines.start(line - 1) + (0 if is_double else column - 1), len(text))
    return Problem("invalid-toml", what, Place(file, span=lines.span(start)), hint)


def _quoted(reason: str) -> Sentence:
    """Return what the parser said itself, which is English."""
    return say("{reason}", reason=reason[0].lower() + reason[1:]), ""


def _twice(line: str, _rest: str) -> Sentence:
    if header := re.match(r"\s*\[+([^\]]*)\]", line):
        name = short(header[1].strip())
        return say("the table [{name}] stands twice", name=name), say(
            "put its keys below the first [{name}]", name=name
        )
    return say("this key stands twice"), say("remove one of the two")


def _value(_line: str, rest: str) -> Sentence:
    if word := re.match(r"(true|false|ja|yes|nein|no)\b", rest, re.IGNORECASE):
        right = _TRUTH.get(word[0].lower(), word[0].lower())
        return say("TOML does not know {word}", word=word[0]), say("write {word}", word=right)
    if re.match(r"\s*([#,\]}]|$)", rest):
        return say("a value is missing here"), say('write it: a text stands in quotes, such as "de"')
    if found := re.match(r"[‘’“”„«»]?([^\n#‘’“”„«»,\]]*)", rest):
        written = short(found[1].strip())
        return say("texts stand in straight quotes"), say(
            'write "{written}"', written=written
        ) if written else ""
    return say("this is no value"), say("texts stand in quotes")


_TRUTH = {"ja": "true", "yes": "true", "nein": "false", "no": "false"}


def _equals(line: str, rest: str) -> Sentence:
    if rest.lstrip().startswith(":"):
        return say("a colon stands where = belongs"), say("write = between a key and its value")
    return _key(line, rest)


def _key(line: str, _rest: str) -> Sentence:
    key = re.match(r"\s*([^=\n]*[^=\s])\s*=", line)
    if key and not re.fullmatch(r"[A-Za-z0-9_-]+", key[1]):
        return say("a key has other letters than a to z"), say(
            'put the key in quotes: "{key}"', key=short(key[1])
        )
    return say("this line is no key with a value"), say("write key = value; a comment begins with #")


def _end(line: str, rest: str) -> Sentence:
    if rest.lstrip().startswith(("//", "/*", ";", "--")):
        return say("this is no comment"), say("a comment begins with #")
    if rest.lstrip().startswith('"'):
        return say("this quote ends the text, but more of it follows"), say(
            'write \\" for a quote inside a text'
        )
    if re.search(r"=\s*'[^']*'\w", line):
        return say("this quote ends the text, but more of it follows"), say("put the text into double quotes")
    if number := re.search(r"=\s*0+([0-9]+)\s*(#|$)", line):
        return say("a number cannot begin with 0"), say("write {number}", number=int(number[1]))
    if number := re.search(r"=\s*([0-9]+),([0-9]+)\s*(#|$)", line):
        return say("more follows after the value"), say(
            "write a point: {number}", number=".".join(number.groups()[:2])
        )
    return say("more follows after the value"), say("write one key a line; a comment begins with #")


def _header(line: str, _rest: str) -> Sentence:
    name = re.match(r"\s*\[*([^\[\]#\n]*)", line)
    called = short(name[1].strip()) if name else ""
    if re.search(r"[^\s\w.\"'-]|[^\x00-\x7f]", called):
        return say("the name of a table has other letters than a to z"), say(
            'put the name in quotes: ["{name}"]', name=called
        )
    return say("the name of the table is not closed"), say("close it: [{name}]", name=called)


def _array(_line: str, rest: str) -> Sentence:
    if rest.lstrip()[:1] in ('"', "'") or rest.lstrip()[:1].isdigit():
        return say("two values stand in a list without a comma"), say("write , between two values")
    return say("this list is not closed"), say("a ] is missing")


def _unclosed(_line: str, _rest: str) -> Sentence:
    return say("a text is not closed on its line"), say("a quote is missing")


def _backslash(_line: str, _rest: str) -> Sentence:
    return say("this backslash escapes nothing that TOML knows"), say("write \\\\ for a backslash")


_RULES: dict[str, Callable[[str, str], Sentence]] = {
    "Cannot ": _twice,
    "Invalid value": _value,
    "Expected '=' after a key": _equals,
    "Invalid initial character for a key": _key,
    "Invalid statement": _key,
    "Expected newline or end of document": _end,
    "Expected ']' at the end of a table": _header,
    "Expected ']]' at the end of an array": _header,
    "Unclosed array": _array,
    "Illegal character '\\n'": _unclosed,
    "Unterminated string": _unclosed,
    "Expected \"'": _unclosed,
    "Unescaped '\\' in a string": _backslash,
}
"""The beginnings of the parser's messages, and the functions that explain them."""
