"""Format problems for programs: JSON, GitHub annotations and job summary, SARIF 2.1.0."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from labgen import __version__
from labgen.problems.codes import CODES
from labgen.problems.problem import Located
from labgen.problems.text import say
from labgen.report.markdown import cell_with_code, code
from labgen.report.text import severity_word, summarise
from labgen.report.translate import language_in_use, sentence, translate

SUMMARY_ROWS = 200
"""Rows of the job summary, which GitHub cuts at 1 MiB."""


def render_json_report(problems: Sequence[Located], prefix: str) -> str:
    """Return all problems as one JSON object; line, column and end_column count from 1, or are null.

    In a workbook or a database, line and column are those of the cell, and `where` describes its place.
    """
    rows = [_row(one, prefix) for one in problems]
    errors = sum(row["severity"] == "error" for row in rows)
    report = {"errors": errors, "warnings": len(rows) - errors, "problems": rows}
    return json.dumps(report, ensure_ascii=True, indent=2)


def _row(one: Located, prefix: str) -> dict[str, Any]:
    problem, span = one.problem, one.span
    return {
        "code": problem.code,
        "severity": problem.severity,
        "message": sentence(problem.message),
        "file": prefix + problem.place.file,
        "line": span.line if span else None,
        "column": span.column if span else None,
        "end_column": span.column + span.length if span else None,
        "hint": sentence(problem.hint),
    } | ({"where": translate(one.where)} if one.where else {})


def render_github(problems: Sequence[Located], prefix: str) -> str:
    """Return workflow commands, one per line. GitHub shows ten of each severity; the summary holds more."""
    return "\n".join(_annotation(one, prefix) for one in problems)


def _annotation(one: Located, prefix: str) -> str:
    problem, span = one.problem, one.span
    properties = {"file": prefix + problem.place.file, "title": problem.code}
    if span:
        properties |= {
            "line": str(span.line),
            "col": str(span.column),
            "endColumn": str(span.column + span.length),
        }
    message = sentence(problem.message)
    text = f"{message} ({sentence(problem.hint)})" if problem.hint else message
    text = f"{translate(one.where)}: {text}" if one.where else text
    listed = ",".join(f"{key}={_escaped(value, in_property=True)}" for key, value in properties.items())
    return f"::{problem.severity} {listed}::{_escaped(text)}"


def _escaped(text: str, *, in_property: bool = False) -> str:
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return escaped.replace(":", "%3A").replace(",", "%2C") if in_property else escaped


def render_github_summary(problems: Sequence[Located], prefix: str) -> str:
    """Return the job summary as Markdown: what was found, and a table of the first problems, errors first."""
    if not problems:
        return f"### labgen: {translate(say('no problems'))}\n"
    errors = sum(one.problem.severity == "error" for one in problems)
    lines = [f"### labgen: {translate(summarise(errors, len(problems) - errors))}", ""]
    if errors:
        lines += [translate(say("Nothing is published until the errors are corrected.")), ""]
    ordered = sorted(problems, key=lambda one: one.problem.severity != "error")
    head = map(translate, (say("place"), say("problem"), say("help")))
    lines += [f"| | {' | '.join(head)} |", "|---|---|---|---|"]
    lines += [_summary_row(one, prefix) for one in ordered[:SUMMARY_ROWS]]
    if len(problems) > SUMMARY_ROWS:
        rest = say(
            "The first {shown:,} of {count:,}; `labgen check --all` shows every one.",
            shown=SUMMARY_ROWS,
            count=len(problems),
        )
        lines += ["", translate(rest), "", *_counts(problems)]
    return "\n".join(lines) + "\n"


def _counts(problems: Sequence[Located]) -> list[str]:
    """Return a table with the number of problems of each code."""
    counts = Counter((one.problem.severity, one.problem.code) for one in problems)
    head = [f"| | {translate(say('code'))} | {translate(say('count'))} |", "|---|---|---:|"]
    return head + [
        f"| {severity_word(severity)} | {code(name)} | {count:,} |"
        for (severity, name), count in counts.most_common()
    ]


def _summary_row(one: Located, prefix: str) -> str:
    word = ("❌ " if one.problem.severity == "error" else "⚠️ ") + severity_word(one.problem.severity)
    message, hint = sentence(one.problem.message), sentence(one.problem.hint)
    return f"| {word} | {_where(one, prefix)} | {cell_with_code(message)} | {cell_with_code(hint)} |"


def _where(one: Located, prefix: str) -> str:
    """Return the place of a problem for a cell of Markdown."""
    file = prefix + one.problem.place.file
    if one.where:
        return f"{code(file)}, {cell_with_code(translate(one.where))}"
    return code(file + (f":{one.span.line}:{one.span.column}" if one.span else ""))


def render_sarif(problems: Sequence[Located], prefix: str) -> str:
    """Return a log in the format SARIF 2.1.0 (OASIS), with a rule for each code that occurs."""
    codes = sorted({one.problem.code for one in problems})
    known = CODES.in_language(language_in_use())
    rules = [{"id": code, "shortDescription": {"text": known[code].meaning}} for code in codes]
    driver = {"name": "labgen", "version": __version__, "semanticVersion": __version__, "rules": rules}
    results = [_result(one, prefix, codes.index(one.problem.code)) for one in problems]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, ensure_ascii=True, indent=2)


def _result(one: Located, prefix: str, rule: int) -> dict[str, Any]:
    problem, span = one.problem, one.span
    location: dict[str, Any] = {"artifactLocation": {"uri": quote(prefix + problem.place.file)}}
    if span:
        location["region"] = {
            "startLine": span.line,
            "startColumn": span.column,
            "endColumn": span.column + span.length,
        }
    message = sentence(problem.message)
    text = f"{message}; {sentence(problem.hint)}" if problem.hint else message
    text = f"{translate(one.where)}: {text}" if one.where else text
    return {
        "ruleId": problem.code,
        "ruleIndex": rule,
        "level": problem.severity,
        "message": {"text": text},
        "locations": [{"physicalLocation": location}],
    }
