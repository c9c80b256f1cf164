"""Explain YAML syntax errors in plain language, from the text of the line."""

import re
from typing import Any

from labgen.formats.format import Lines
from labgen.problems.problem import Place, Problem
from labgen.problems.text import say


def explain_syntax(text: str, file: str, error: Any) -> Problem:
    """Convert a parser's error into a problem; `error` is PyYAML's `MarkedYAMLError`."""
    what, context = str(error.problem or error.context), str(error.context)
    is_unclosed = "quoted scalar" in context and "end of stream" in what
    mark = error.context_mark if is_unclosed else error.problem_mark or error.context_mark
    at = min(mark.index if mark else 0, len(text))
    lines = Lines(text)
    message: str
    hint: str
    if is_unclosed:
        message, hint = say("this text is not closed"), say("a quote is missing")
    elif text[at : at + 1] == "\t":
        message, hint = say("a tab stands where YAML wants spaces"), say("write spaces")
    else:
        begun = error.context_mark.index if error.context_mark else at
        message, hint, at = _explain(text, lines, what, at, begun)
    return Problem("invalid-yaml", message, Place(file, span=lines.span(at)), hint)


def _explain(text: str, lines: Lines, what: str, at: int, begun: int) -> tuple[str, str, int]:
    """Return a message, a hint and a position; `begun` is the start of the part that the parser was in."""
    line = lines.texts[lines.span(at).line - 1]
    if (
        what == "did not find expected key"
        and text[at : at + 1] == ","
        and not line[lines.span(at).column :].strip()
    ):
        return say("a comma stands behind the text"), say("remove it"), at
    if opening := _UNCLOSED.fullmatch(what):
        return say("this bracket is not closed"), say("write {opening}", opening=opening[1]), begun
    if what == "did not find expected key" and (after := _after_quote(text, lines, at)):
        return after
    if what == "could not find expected ':'":
        for place in (begun, at):
            start = lines.start(lines.span(place).line - 1)
            line = lines.texts[lines.span(place).line - 1]
            if slip := re.match(r"\s*[\w-]*\w(:)[^\s:/]", line):
                message = say("a space is missing after the colon")
                return message, say("write a space after the colon"), start + slip.start(1)
            if slip := re.match(r"\s*(-)[^\s-]", line):
                return (
                    say("a space is missing after the dash"),
                    say("write a space after the dash"),
                    start + slip.start(1),
                )
        line = lines.texts[lines.span(begun).line - 1]
        if re.match(r"\s*[\w-]*:?\u00a0", line):
            return say("a no-break space stands where YAML wants spaces"), say("write spaces"), begun
        at = begun
    if what == "mapping values are not allowed in this context" and _is_indented(lines, at):
        message = say("this line is indented further than the one before it")
        return (
            message,
            say("begin the line where the key before it begins"),
            lines.start(lines.span(at).line - 1),
        )
    message, hint = _SYNTAX.get(what, (say("the text is not valid YAML: {what}", what=what), ""))
    return message, hint, at


def _after_quote(text: str, lines: Lines, at: int) -> tuple[str, str, int] | None:
    """Return what to say where more of a text follows after its quote, or None."""
    message = say("this quote ends the text, but more of it follows")
    if (quote := text[at - 1 : at]) in ('"', "'"):
        doubled = r"\"" if quote == '"' else "''"
        return message, say("write {doubled} for a quote inside a text", doubled=doubled), at - 1
    number = lines.span(at).line - 1
    begins = re.match(r"\s*[\w-]+:\s+(\"[^\"]*\")\s*\S", lines.texts[number])
    if begins is None:
        return None
    hint = say("put the whole text into single quotes: '…'")
    return message, hint, lines.start(number) + begins.end(1) - 1


_UNCLOSED = re.compile(r"did not find expected ',' or '([\]}])'")


def _is_indented(lines: Lines, at: int) -> bool:
    """Return whether this is the first colon of a line that is indented deeper than the one before."""
    span = lines.span(at)
    line, before = lines.texts[span.line - 1], lines.texts[span.line - 2] if span.line > 1 else ""
    is_first = ":" not in line[: span.column - 1]
    return is_first and len(line) - len(line.lstrip()) > len(before) - len(before.lstrip())


_SYNTAX = {
    "mapping values are not allowed in this context": (
        say("a colon stands where none can be"),
        say("put the text in quotes if the colon belongs to it"),
    ),
    "did not find expected key": (
        say("a key, or the end of the object, is missing here"),
        say("see the line before it"),
    ),
    "block sequence entries are not allowed in this context": (
        say("a list begins on a line of its own"),
        say("write it below, or in brackets: [ … ]"),
    ),
    "did not find expected '-' indicator": (say("the list goes on with a dash, or ends, here"), ""),
    "could not find expected ':'": (say("a key without a colon, or a text that goes on"), ""),
    "found invalid Unicode character escape code": (
        say("this escape is half of a character"),
        say("write the character itself"),
    ),
    "found character that cannot start any token": (
        say("a text cannot begin with this character"),
        say("put the text in quotes"),
    ),
}
