"""Format problems for people: message, place, source line with a marker, hint."""

import unicodedata
from collections.abc import Mapping, Sequence

import click

from labgen.problems.problem import Located, Severity, Span
from labgen.problems.text import Text, joined, plural, say
from labgen.report.choose_problems import ProblemKind, kind_of
from labgen.report.translate import sentence, translate

WINDOW = 100
"""Columns of a source line that are shown; a longer line is cut around the place of the problem."""
TAB = "    "


def render_problems(problems: Sequence[Located], more: Mapping[ProblemKind, int], prefix: str) -> str:
    """Return problems as text with ANSI styles; `more` says how many of each kind are not shown.

    `prefix` is put before file names, so that they are relative to the reader's folder.
    """
    last = {kind_of(one.problem): one for one in problems}
    parts = []
    for one in problems:
        parts.append(_render(one, prefix))
        kind = kind_of(one.problem)
        if kind in more and last[kind] is one:
            parts.append(
                translate(say("and {count:,} more like this; --all shows every one", count=more[kind])) + "\n"
            )
    return "\n".join(parts)


def summarise(errors: int, warnings: int) -> Text:
    """Return `2 errors, 1 warning`."""
    counts = [plural(errors, "error"), plural(warnings, "warning")]
    shown = [one for one, count in zip(counts, (errors, warnings), strict=True) if count]
    return joined(shown, by=", ") if shown else say("no problems")


def _render(one: Located, prefix: str) -> str:
    problem = one.problem
    colour = "red" if problem.severity == "error" else "yellow"
    head = click.style(f"{severity_word(problem.severity)}[{problem.code}]", fg=colour, bold=True)
    lines = [f"{head}{click.style(': ' + shown_sentence(problem.message), bold=True)}"]
    margin = " " * (len(str(one.span.line)) if one.span else 1)
    lines.append(f"{margin}{_blue('-->')} {visible(prefix + problem.place.file)}{_position(one)}")
    if one.span and one.source_line:
        lines += _excerpt(one.span, one.source_line, margin, colour)
    if problem.hint:
        title = click.style(translate(say("help")), bold=True)
        lines.append(f"{margin} {_blue('=')} {title}: {shown_sentence(problem.hint)}")
    return "\n".join(lines) + "\n"


def severity_word(severity: Severity) -> str:
    """Return the word for a severity in the reader's language."""
    return translate(say("error") if severity == "error" else say("warning"))


def _position(one: Located) -> str:
    if one.where:
        return f", {visible(one.where)}"
    return f":{one.span.line}:{one.span.column}" if one.span else ""


def _blue(text: str) -> str:
    return click.style(text, fg="blue", bold=True)


def _excerpt(span: Span, line: str, margin: str, colour: str) -> list[str]:
    start, end = span.column - 1, span.column - 1 + span.length
    left = 0 if end <= WINDOW else max(0, min(start - WINDOW // 4, len(line) - WINDOW))
    right = min(len(line), left + WINDOW)
    before, at, after = line[left:start], line[start : min(end, right)], line[min(end, right) : right]
    shown = (
        ("…" if left else "")
        + visible(before)
        + visible(at)
        + visible(after)
        + ("…" if right < len(line) else "")
    )
    indent = width(("…" if left else "") + visible(before))
    carets = click.style("^" * max(1, width(visible(at))), fg=colour, bold=True)
    bar = _blue("|")
    return [
        f"{margin} {bar}",
        f"{_blue(str(span.line))} {bar} {shown}",
        f"{margin} {bar} {' ' * indent}{carets}",
    ]


def visible(text: str) -> str:
    """Return a text in the reader's language, safe for a terminal: tabs become spaces, controls escapes."""
    return "".join(map(_visible_char, translate(text)))


def shown_sentence(text: str) -> str:
    """Return a text as `visible` does, as the beginning of a sentence."""
    return "".join(map(_visible_char, sentence(text)))


def echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a text in the reader's language."""
    click.echo(translate(text), err=err, nl=nl)


def _visible_char(char: str) -> str:
    if char == "\t":
        return TAB
    if char.isprintable() or unicodedata.category(char) == "Zs":
        return char
    return char.encode("unicode_escape", "surrogatepass").decode()


def width(text: str) -> int:
    """Return how many columns a text occupies on a terminal (Unicode Standard Annex 11)."""
    return sum(_char_width(char) for char in text)


def _char_width(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def render_timings(seconds: Mapping[str, float]) -> str:
    """Return a line for each stage, with its duration and its share of the total."""
    total = sum(seconds.values())
    stages = {translate(one): took for one, took in (*seconds.items(), (say("all"), total))}
    longest = max(map(len, stages))
    whole = total or 1.0
    return "\n".join(f"{name:{longest}} {took:9.2f} s {took / whole:6.1%}" for name, took in stages.items())
