"""Format the results of `labgen verify`: text, JSON, and JUnit XML."""

import json
import re
from itertools import groupby
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import click

from labgen.contract.http_contract import Level
from labgen.problems.text import joined, say
from labgen.report.text import severity_word, shown_sentence, visible
from labgen.report.translate import sentence, translate
from labgen.verify.checks import Check, Fault, Group, Report, grouped

SHOWN = 3
"""Requests or files with the same fault that are shown without --show-all."""


def render_checks(report: Report, *, show_all: bool) -> str:
    """Return failed checks as text with ANSI styles: each fault once, with its count; "" if none."""
    return "\n".join(_group(one, show_all=show_all) for one in grouped(report.checks))


def _group(group: Group, *, show_all: bool) -> str:
    checks, is_must = group.checks, group.level is Level.MUST
    word = severity_word("error" if is_must else "warning")
    title = click.style(f"{word}[{group.code}]", fg="red" if is_must else "yellow")
    times = say(" ({count:,} times)", count=len(checks)) if len(checks) > 1 else ""
    lines = [f"{title}: {shown_sentence(group.message)}{translate(times)}"]
    shown = checks if show_all else checks[:SHOWN]
    for number, one in enumerate(shown):
        lines.append(f"  {_blue('-->')} {visible(one.subject)}")
        lines += (
            [f"  {translate(say('sent'))}: {visible(one.sent)}"]
            if one.sent and (show_all or not number)
            else []
        )
    if len(checks) > len(shown):
        rest = say("and {count:,} more; --show-all shows every one", count=len(checks) - len(shown))
        lines.append(f"  {translate(rest)}")
    lines += [
        f"  {_blue('=')} {translate(say('help'))}: {shown_sentence(line)}" for line in group.help[:HELPS]
    ]
    return "\n".join(lines) + "\n"


HELPS = 5
"""The most lines of help for a fault."""


def _blue(text: str) -> str:
    return click.style(text, fg="blue", bold=True)


def render_checks_as_json(report: Report) -> str:
    """Return all checks as one JSON object."""
    rows = [_row(one) for one in report.checks]
    content = {
        "target": report.target,
        "passed": report.is_passed,
        "seconds": round(report.seconds, 3),
        "note": translate(report.note),
        "advice": translate(report.advice),
        "remarks": list(map(translate, report.remarks)),
        "traffic": dict(report.traffic),
        "looked_at": [one._asdict() for one in report.shares],
        "checks": rows,
    }
    return json.dumps(content, ensure_ascii=True, indent=2)


def _row(one: Check) -> dict[str, Any]:
    return {
        "name": one.name,
        "level": one.level,
        "subject": translate(one.subject),
        "result": _result(one),
        "faults": [
            {
                "code": fault.code,
                "message": sentence(fault.message),
                "help": sentence(joined(fault.helps, by="\n")),
            }
            for fault in one.faults
        ],
        "sent": translate(one.sent),
    }


def _result(one: Check) -> str:
    if not one.faults:
        return "passed"
    return "excused" if one.is_excused else "failed"


def render_junit(report: Report) -> str:
    """Return all checks as JUnit XML: a suite for each name; checks that a host cannot pass are skipped."""
    ordered = sorted(report.checks, key=lambda one: one.name)
    suites = [_suite(name, list(group)) for name, group in groupby(ordered, key=lambda one: one.name)]
    if report.note:
        rest = Check("rest", Level.MUST, report.target, (Fault("not-verified", report.note),))
        suites.append(_suite("rest", [rest]))
    body = "".join(suites)
    head = (
        f'<testsuites name={quoteattr(_clean(f"labgen verify {report.target}"))} time="{report.seconds:.3f}">'
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}\n{body}</testsuites>'


def _suite(name: str, checks: list[Check]) -> str:
    failed = sum(one.is_failed for one in checks)
    skipped = sum(_result(one) == "excused" for one in checks)
    head = f'<testsuite name={quoteattr(name)} tests="{len(checks)}" failures="{failed}" skipped="{skipped}">'
    return f"{head}\n{''.join(_case(one) for one in checks)}</testsuite>\n"


def _case(one: Check) -> str:
    suite, name = (quoteattr(_clean(text)) for text in (f"{one.level}.{one.name}", translate(one.subject)))
    head = f"<testcase classname={suite} name={name}"
    what = _clean("; ".join(f"{fault.code}: {sentence(fault.message)}" for fault in one.faults))
    match _result(one):
        case "passed":
            return f"{head}/>\n"
        case "excused":
            return f"{head}><skipped message={quoteattr(what)}/></testcase>\n"
        case _:
            helps = [line for fault in one.faults for line in fault.helps]
            text = escape(_clean("\n".join(map(translate, [one.sent, *helps]))))
            return f"{head}><failure message={quoteattr(what)}>{text}</failure></testcase>\n"


def _clean(text: str) -> str:
    """Replace the characters that XML cannot contain (XML 1.0, section 2.2)."""
    return _NOT_XML.sub("\ufffd", text)


_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
