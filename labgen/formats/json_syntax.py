"""Explain JSON syntax errors in plain language."""

import json
import re
from collections.abc import Callable
from typing import NamedTuple

from labgen.formats.format import Lines
from labgen.problems.problem import Place, Problem, short
from labgen.problems.text import say


class ParseFailure(NamedTuple):
    """Where the parser stopped, and why; the text before and after that, without white space in between."""

    text: str
    at: int
    reason: str
    before: str
    rest: str


class Mistake(NamedTuple):
    """A message, a hint, and the position of the mistake, if the parser stopped elsewhere."""

    message: str
    hint: str = ""
    at: int | None = None


def explain_syntax(text: str, error: json.JSONDecodeError, file: str) -> Problem:
    """Convert a parser's error into a problem."""
    reason = error.msg.removesuffix(" at")
    found = ParseFailure(text, error.pos, reason, text[: error.pos].rstrip(), text[error.pos :].lstrip())
    mistake = next(one for rule in _RULES if (one := rule(found)))
    at = min(error.pos, max(0, len(text.rstrip()) - 1)) if mistake.at is None else mistake.at
    return Problem("invalid-json", mistake.message, Place(file, span=Lines(text).span(at)), mistake.hint)


def _ending(found: ParseFailure) -> Mistake | None:
    if found.rest:
        return None
    return Mistake(say("the text ends too early: a closing bracket or quote is missing"))


def _page(found: ParseFailure) -> Mistake | None:
    if found.before or not re.match(r"<(!doctype|html|\?xml)", found.rest, re.IGNORECASE):
        return None
    return Mistake(say("this is a page of the web or XML, not JSON"), say("fetch or export it again"))


def _comment(found: ParseFailure) -> Mistake | None:
    if not found.rest.startswith(("//", "/*", "#")):
        return None
    return Mistake(say("JSON has no comments"), say('remove it, or write a note: "_note": "…"'))


def _equals(found: ParseFailure) -> Mistake | None:
    if found.reason != _AFTER_KEY or not found.rest.startswith("="):
        return None
    return Mistake(say("= stands where a colon should be"), say("write :"), len(found.text) - len(found.rest))


def _comma(found: ParseFailure) -> Mistake | None:
    first, is_after_comma = found.rest[0], found.before.endswith(",")
    if found.reason.startswith("Illegal trailing comma") or (first in "}]" and is_after_comma):
        at = (found.before if is_after_comma else found.text[: found.at + 1]).rindex(",")
        return Mistake(say("a comma stands before a closing bracket"), say("remove the comma"), at)
    if first == "," and found.before.endswith((",", "{", "[")):
        return Mistake(say("a comma stands where nothing is before it"), say("remove the comma"))
    if first == "," and found.reason == "Expecting value":
        return Mistake(say("a value is missing here"), say("write null if there is none"))
    if first == "(" and found.reason == "Expecting value":
        return Mistake(say("a list stands in [ ], an object in { }"), say("write [ … ]"))
    if first == ";" and found.reason == _AFTER_VALUE:
        return Mistake(say("a semicolon stands where a comma should be"), say("write ,"))
    return None


def _control(found: ParseFailure) -> Mistake | None:
    if not found.reason.startswith("Invalid control character"):
        return None
    char = found.text[found.at]
    if char == "\t":
        return Mistake(say("a text holds a raw tab"), say(r"write \t"))
    if char in "\r\n":
        return Mistake(
            say("a text goes on beyond the end of its line"),
            say('a " is missing, or write \\n for a line break'),
        )
    return Mistake(say("a text holds a raw control character"), say("remove it"))


def _quotes(found: ParseFailure) -> Mistake | None:
    if found.rest[0] not in "'‘’“”„«»`":
        return None
    return Mistake(say("texts stand in double quotes, not in {rest}", rest=found.rest[0]), say('write "…"'))


def _word(found: ParseFailure) -> Mistake | None:
    word = re.match(r"(True|False|None|NULL|Null|TRUE|FALSE|undefined|nil)\b", found.rest)
    if not word or found.reason != "Expecting value":
        return None
    small = {"none": "null", "undefined": "null", "nil": "null"}.get(word[0].lower(), word[0].lower())
    return Mistake(say("JSON does not know {word}", word=word[0]), say("write {small}", small=small))


def _unquoted(found: ParseFailure) -> Mistake | None:
    word = re.match(r"[^\W\d][^\n,{}\[\]:\"]*", found.rest)
    if not word:
        return None
    written = short(word[0].strip())
    if found.reason == "Expecting value":
        return Mistake(say("texts stand in double quotes"), say('write "{written}"', written=written))
    if found.reason.startswith("Expecting property name"):
        return Mistake(say("keys stand in double quotes"), say('write "{written}"', written=written))
    return None


def _unescaped_quote(found: ParseFailure) -> Mistake | None:
    """Find a text that ends too early at a quote inside it: on its line, words and another quote follow."""
    if found.reason not in (_AFTER_VALUE, _AFTER_KEY):
        return None
    gap, line = found.text[: found.at].rpartition('"')[2], found.text[found.at :].partition("\n")[0]
    if "\n" in gap or gap.strip() or '"' not in line:
        return None
    if line[0] in "{}[],:" or (line[0] == '"' and gap):
        return None
    message, hint = (
        say("this quote ends the text, but more of it follows"),
        say('write \\" for a quote inside a text'),
    )
    return Mistake(message, hint, found.at - len(gap) - 1)


def _number(found: ParseFailure) -> Mistake | None:
    before, rest = found.before, found.rest
    if (
        found.reason.startswith("Expecting property name")
        and re.match(r"[0-9]", rest)
        and before[-2:-1].isdigit()
    ):
        return Mistake(say("a number is written with a point"), say("write 4.5"))
    if found.reason == _AFTER_VALUE and rest[0].isdigit() and before.endswith("0"):
        return Mistake(
            say("a number cannot begin with 0"),
            say("write it in quotes if the zero belongs to it"),
            len(before) - 1,
        )
    if found.reason == "Expecting value" and (number := re.match(r"[+.]\.?[0-9]+", rest)):
        hint = say("put it in quotes") if rest[0] == "+" else say("write 0{number}", number=number[0])
        return Mistake(say("JSON does not write a number as {number}", number=number[0]), hint)
    return None


def _more(found: ParseFailure) -> Mistake | None:
    if found.reason.startswith("Expecting property name") and re.match(r'[\d\[{"]', found.rest):
        return Mistake(say("a key in double quotes is missing here"), say("a list stands in [ ]"))
    if found.reason != "Extra data":
        return None
    if found.rest.strip() == ",":
        return Mistake(say("a comma stands behind the object"), say("remove it"))
    if found.rest[0] in "}]":
        return Mistake(say("a closing bracket is there twice"), say("remove it"))
    hint = say("put braces around it: { … }") if found.rest[0] in ":," else SEVERAL
    return Mistake(say("the value has ended, but more text follows"), hint)


def _anything(found: ParseFailure) -> Mistake:
    if found.reason == _AFTER_VALUE and found.before:
        return Mistake(say("a comma or a closing bracket is missing after this"), at=len(found.before) - 1)
    reason = found.reason[0].lower() + found.reason[1:]
    return _MISTAKES.get(found.reason, Mistake(reason))


Rule = Callable[[ParseFailure], Mistake | None]
_RULES: tuple[Rule, ...] = (
    *(_ending, _page, _comment, _equals, _comma, _control, _quotes, _word),
    *(_unescaped_quote, _unquoted, _number, _more, _anything),
)
_AFTER_VALUE, _AFTER_KEY = "Expecting ',' delimiter", "Expecting ':' delimiter"
SEVERAL = say("several objects: put them into a list [ … ]")
_MISTAKES = {
    _AFTER_KEY: Mistake(say("a colon is missing after the key")),
    "Expecting property name enclosed in double quotes": Mistake(
        say("a key in double quotes is missing here")
    ),
    "Expecting value": Mistake(say("a value is missing here"), say("texts stand in double quotes")),
    "Invalid \\escape": Mistake(
        say("this backslash escapes nothing that JSON knows"),
        say("write \\\\ for a backslash, / between folder and file"),
    ),
    "Invalid \\uXXXX escape": Mistake(say("\\u must be followed by four hexadecimal digits")),
    "Unterminated string starting": Mistake(say("this text is not closed"), say('a " is missing')),
}
