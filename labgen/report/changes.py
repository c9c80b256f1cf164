"""Format the changes between two states of a site: as text, as Markdown for a pull request, as JSON."""

import json
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from labgen.changes.by_field import FieldChanges, by_field, group_of
from labgen.changes.change import LABORATORY, Change, Subject
from labgen.problems.problem import shown
from labgen.problems.text import plural, say
from labgen.report.text import visible

MOST_LINES = 50
"""Laboratories and other subjects that a text lists without --all."""
MOST_ROWS = 100
"""Rows of a table in Markdown: hosts of pull requests truncate long comments."""
NOUNS = {
    "gallery": ("picture", "pictures"),
    "similar_labs": (say("similar laboratory"), say("similar laboratories")),
    "new": (say("new laboratory"), say("new laboratories")),
}
"""The nouns for the entries of a section, if they do not follow from its name."""


EXAMPLES = 3
"""Changes of a field that a text shows as examples."""


def render_changes(
    changes: Sequence[Change], *, show_all: bool = False, values: bool = False, total: int = 0
) -> str:
    """Return changes as text: by field, then breaking ones, then by laboratory and shared entry.

    `values` adds a line for each change, with the value before and after; `total` is the number of
    laboratories, if it is known. What is told by field is not repeated without `show_all`.
    """
    fields = by_field(changes)
    told = {(one.field, one.how, one.breaking) for one in fields}
    lines = [line for one in fields for line in _field_lines(one, total)]
    rest = [one for one in changes if show_all or one.subject.kind != LABORATORY or group_of(one) not in told]
    lines += [
        say(
            "breaking: {place} {detail} [{breaking}]",
            place=_place(one),
            detail=detail(one),
            breaking=one.breaking,
        )
        for one in rest
        if one.breaking
    ]
    groups = by_subject(changes if show_all else _of_subjects(changes, rest))
    for subject, own in groups if show_all else groups[:MOST_LINES]:
        lines.append(say("{label}: {summary}", label=subject.label, summary=summary(own)))
        if values:
            lines += [say("  {detail}", detail=detail(one)) for one in own]
    if not show_all and len(groups) > MOST_LINES:
        lines.append(say("and {count:,} more; --all shows every one", count=len(groups) - MOST_LINES))
    silent = len(by_subject(changes)) - len(groups)
    if silent:
        lines.append(say("{counted} with nothing else; --all shows every one", counted=_plural(silent)))
    return "\n".join(map(visible, [*lines, counts_sentence(changes)]))


def _of_subjects(changes: Iterable[Change], some: Iterable[Change]) -> list[Change]:
    """Return all changes of the subjects of some."""
    subjects = {one.subject for one in some}
    return [one for one in changes if one.subject in subjects]


def _field_lines(group: FieldChanges, total: int) -> list[str]:
    """Return what happened to a field in many laboratories, with examples."""
    examples = [
        say("  {place} {detail}", place=_place(one), detail=detail(one)) for one in group.changes[:EXAMPLES]
    ]
    return [field_line(group, total), *examples]


def field_line(group: FieldChanges, total: int = 0) -> str:
    """Return what happened to a field in one line: `phone: emptied in 300 of 300 laboratories`."""
    count = len(group.changes)
    of = say(" of {total:,}", total=total) if total >= count else ""
    mark = ("breaking: ", say(" [{breaking}]", breaking=group.breaking)) if group.breaking else ("", "")
    return say(
        "{mark}{field}: {how} in {count:,}{of} laboratories{mark_2}",
        mark=mark[0],
        field=group.field,
        how=group.how,
        count=count,
        of=of,
        mark_2=mark[1],
    )


def render_changes_as_markdown(changes: Sequence[Change]) -> str:
    """Return changes as Markdown: a sentence, and tables of breaking changes, all changes, and values."""
    lines = ["### What would be published", "", f"{counts_sentence(changes)}."]
    if breaking := [one for one in changes if one.breaking]:
        rows = [f"| {_cell(_place(one))} | {_cell(detail(one))} | `{one.breaking}` |" for one in breaking]
        lines += ["", "#### Breaking", "", "| where | what | why |", "|---|---|---|", *_cut(rows)]
    if fields := by_field(changes):
        rows = [f"| {_cell(one.field)} | {_cell(_in_field(one))} |" for one in fields]
        lines += ["", "#### By field", "", "| field | what |", "|---|---|", *_cut(rows)]
    if groups := by_subject(changes):
        rows = [f"| {_cell(subject.label)} | {_cell(summary(own))} |" for subject, own in groups]
        lines += ["", "#### All changes", "", "| where | what |", "|---|---|", *_cut(rows)]
        details = [f"| {_cell(_place(one))} | {_cell(detail(one))} |" for one in changes]
        head = [
            "",
            "<details><summary>Values before and after</summary>",
            "",
            "| where | what |",
            "|---|---|",
        ]
        lines += [*head, *_cut(details), "", "</details>"]
    return "\n".join(map(visible, lines))


def _in_field(group: FieldChanges) -> str:
    return field_line(group).partition(say("{field}: ", field=group.field))[2]


def render_changes_as_json(changes: Sequence[Change]) -> str:
    """Return all changes as one JSON object, with complete values."""
    rows = [
        {
            "kind": one.subject.kind,
            "key": one.subject.key,
            "field": one.field,
            "entry": one.entry,
            "part": one.part,
            "change": one.verb,
            "old": one.old,
            "new": one.new,
            "breaking": one.breaking,
            "laboratories": one.laboratories,
        }
        for one in changes
    ]
    counts = {"changes": len(changes), "breaking": sum(one.breaking is not None for one in changes)}
    fields = [
        {"field": one.field, "change": one.how, "breaking": one.breaking, "laboratories": len(one.changes)}
        for one in by_field(changes)
    ]
    whole = {**counts, **_laboratories(changes), "fields": fields, "all": rows}
    return json.dumps(whole, ensure_ascii=True, indent=2)


def by_subject(changes: Iterable[Change]) -> list[tuple[Subject, list[Change]]]:
    """Group changes by subject, laboratories first."""
    ordered = sorted(changes, key=lambda one: (one.subject.kind != LABORATORY, one.subject))
    return [(subject, list(own)) for subject, own in groupby(ordered, key=lambda one: one.subject)]


def summary(changes: Sequence[Change]) -> str:
    """Summarise the changes of one subject in a line: `name, 3 standards added`."""
    parts: dict[tuple[str, str], set[str]] = {}
    for one in changes:
        verb = "changed" if one.part else one.verb
        parts.setdefault((one.field, verb), set()).add(one.entry)
    text = ", ".join(_part(field, verb, entries) for (field, verb), entries in parts.items())
    count = max(one.laboratories for one in changes)
    return say("{text}, shown by {counted}", text=text, counted=_plural(count)) if count else text


def _part(field: str, verb: str, entries: set[str]) -> str:
    """Describe the change of a field, or of its entries if it is a list."""
    if not field:
        return verb
    if entries != {""}:
        return say("{counted} {verb}", counted=plural(len(entries), *_nouns(field)), verb=verb)
    how = {
        "changed": "",
        "added": say(" is new"),
        "removed": say(" is gone"),
        "reordered": say(" in another order"),
    }
    return field + how[verb]


def _nouns(field: str) -> tuple[str, str]:
    """Return the singular and the plural noun for the entries of a section."""
    many = field.replace("_", " ")
    one = f"{many[:-3]}y" if many.endswith("ies") else many.removesuffix("s")
    return NOUNS.get(field, (one, many))


def detail(change: Change) -> str:
    """Describe one change with its values: `name "Alpha" → "Beta"`."""
    inner = say(" {entry}", entry=change.entry) if change.entry else ""
    what = f"{change.field}{inner}{f'.{change.part}' if change.part else ''}"
    match change.verb:
        case "changed":
            text = f"{what} {shown(change.old)} → {shown(change.new)}"
        case "reordered":
            text = say("{what} in another order", what=what)
        case _:
            value = _named(change.old if change.verb == "removed" else change.new)
            text = " ".join(filter(None, [what, change.verb, value]))
    return (
        say("{text}, shown by {counted}", text=text, counted=_plural(change.laboratories))
        if change.laboratories
        else text
    )


def _named(value: Any) -> str:
    """Return the title, name or number of an added or removed value, in parentheses."""
    if isinstance(value, dict):
        value = next((value[key] for key in ("title", "name", "number") if value.get(key)), None)
    return f"({shown(value)})" if value is not None else ""


def counts_sentence(changes: Sequence[Change]) -> str:
    """Count the changes, in a sentence without its full stop."""
    if not changes:
        return say("nothing would change")
    found = _laboratories(changes)
    others = len({one.subject for one in changes if one.subject.kind != LABORATORY})
    parts = [
        say("{counted} changed", counted=_plural(found["changed"])),
        say("{found:,} added", found=found["added"]),
        say("{found:,} removed", found=found["removed"]),
    ]
    parts += (
        [say("{entries} changed", entries=plural(others, "shared entry", "shared entries"))] if others else []
    )
    breaking = sum(one.breaking is not None for one in changes)
    return say(
        "{parts}; {changes}",
        parts=", ".join(parts),
        changes=plural(breaking, "breaking change") if breaking else say("nothing is breaking"),
    )


def _laboratories(changes: Iterable[Change]) -> dict[str, int]:
    """Return how many laboratories were changed, added and removed."""
    verbs: dict[str, str] = {}
    for one in changes:
        if one.subject.kind == LABORATORY:
            verbs[one.subject.key] = "changed" if one.field else one.verb
    found = list(verbs.values())
    return {verb: found.count(verb) for verb in ("changed", "added", "removed")}


def _place(change: Change) -> str:
    return f"{change.subject.label}:"


def _plural(count: int) -> str:
    return plural(count, "laboratory", "laboratories")


def _cut(rows: Sequence[str]) -> list[str]:
    """Return as many rows as a comment can hold, and a line with the number of the others."""
    more = say("and {count:,} more: `labgen diff --all` shows every one", count=len(rows) - MOST_ROWS)
    return [*rows[:MOST_ROWS], *(["", more] if len(rows) > MOST_ROWS else [])]


def _cell(text: str) -> str:
    """Escape a text for a cell of a Markdown table, so that nothing in it is markup."""
    one_line = " ".join(text.split())
    for sign in "\\`*_[]|~#@":
        one_line = one_line.replace(sign, f"\\{sign}")
    return one_line.replace("&", "&amp;").replace("<", "&lt;")
