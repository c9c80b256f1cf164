"""Format the changes between two states of a site: as text, as Markdown for a pull request, as JSON."""

import json
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from labgen.changes.by_field import FieldChanges, by_field, group_of
from labgen.changes.change import LABORATORY, Breaking, Change, Subject
from labgen.problems.problem import QUOTE_LENGTH, shown
from labgen.problems.text import Text, joined, noun, plural, say
from labgen.report.markdown import cell, code
from labgen.report.text import shown_sentence, visible

MOST_LINES = 50
"""Laboratories and other subjects that a text lists without --all."""
MOST_ROWS = 100
"""Rows of a table in Markdown: hosts of pull requests truncate long comments."""
NOUNS = {
    "gallery": noun("picture", "pictures"),
    "similar_labs": noun("similar laboratory", "similar laboratories"),
    "new": noun("new laboratory", "new laboratories"),
}
"""The nouns for the entries of a section, if they do not follow from its name."""
VERBS = {
    "added": say("added"),
    "removed": say("removed"),
    "changed": say("changed"),
    "reordered": say("reordered"),
    "emptied": say("emptied"),
    "filled": say("filled"),
    "entries added": say("entries added"),
    "entries removed": say("entries removed"),
    "entries reordered": say("entries reordered"),
}
REASONS = {
    Breaking.LABORATORY_GONE: say("the laboratory is no longer there"),
    Breaking.DOCUMENT_GONE: say("the section or path is no longer there"),
    Breaking.FIELD_GONE: say("the field is no longer there"),
    Breaking.NEW_NULL: say("the value is null now"),
    Breaking.EMPTIED: say("the text is empty now"),
    Breaking.OTHER_TYPE: say("the value has another type"),
    Breaking.OTHER_MEANING: say("the same id names something else now"),
}
"""Why a change is breaking, in words."""


CONTEXT = 20
"""Characters before the first one that differs, where values are too long to be shown whole."""
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
    lines = [line for one in fields for line in _field_lines(one, total)]
    rest = changes if show_all else _split(changes, fields)[0]
    lines += [
        _breaking(say("{place} {detail}", place=_place(one), detail=detail(one)), one.breaking)
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
        lines.append(
            say("{laboratories} with nothing else; --all shows every one", laboratories=_plural(silent))
        )
    return "\n".join(map(visible, [*lines, counts_sentence(changes)]))


def _split(changes: Iterable[Change], fields: Iterable[FieldChanges]) -> tuple[list[Change], list[Change]]:
    """Return the changes that are not told by field, and those that are."""
    told = {(one.field, one.how, one.breaking) for one in fields}
    parts: tuple[list[Change], list[Change]] = ([], [])
    for one in changes:
        parts[one.subject.kind == LABORATORY and group_of(one) in told].append(one)
    return parts


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


def field_line(group: FieldChanges, total: int = 0) -> Text:
    """Return what happened to a field in one line: `phone: emptied in 300 of 300 laboratories`."""
    line = say("{field}: {how}", field=group.field, how=_how_often(group, total))
    return _breaking(line, group.breaking) if group.breaking else line


def _how_often(group: FieldChanges, total: int) -> Text:
    count, verb = len(group.changes), VERBS[group.how]
    if total >= count:
        return say("{verb} in {count:,} of {total:,} laboratories", verb=verb, count=count, total=total)
    return say("{verb} in {count:,} laboratories", verb=verb, count=count)


def _breaking(line: Text, reason: Breaking) -> Text:
    return say("breaking: {line} [{reason}]", line=line, reason=reason)


def render_changes_as_markdown(changes: Sequence[Change]) -> str:
    """Return changes as Markdown: a sentence, and tables of breaking ones, by field, in detail, with values.

    Of the values, those come first that are not told by field: what is cut is rather the others.
    """
    where, what = say("where"), say("what")
    lines = [
        f"### {visible(say('What would be published'))}",
        "",
        f"{shown_sentence(counts_sentence(changes))}.",
    ]
    if any(one.breaking for one in changes):
        rows = [
            f"| {_cell(one.subject.label)} | {_cell(detail(one))} | {_cell(REASONS[why])}, {code(why)} |"
            for one in changes
            if (why := one.breaking)
        ]
        meaning = say("Programs that use the API can fail here, or show something wrong.")
        lines += ["", f"#### ⚠️ {visible(say('Breaking'))}", "", visible(meaning), ""]
        lines += [*_head(where, what, say("why")), *_cut(rows)]
    if fields := by_field(changes):
        rows = [f"| {_cell(one.field)} | {_cell(_in_field(one))} |" for one in fields]
        lines += ["", f"#### {visible(say('By field'))}", "", *_head(say("field"), what), *_cut(rows)]
    rest, by_their_field = _split(changes, fields)
    groups = by_subject(_of_subjects(changes, rest))
    if groups:
        rows = [f"| {_cell(subject.label)} | {_cell(summary(own))} |" for subject, own in groups]
        lines += ["", f"#### {visible(say('In detail'))}", "", *_head(where, what), *_cut(rows)]
    if silent := len(by_subject(changes)) - len(groups):
        lines += ["", say("and {laboratories} with nothing else", laboratories=_plural(silent))]
    if changes:
        details = [
            f"| {_cell(one.subject.label)} | {_cell(detail(one))} |" for one in (*rest, *by_their_field)
        ]
        title = visible(say("Values before and after"))
        lines += ["", f"<details><summary>{title}</summary>", "", *_head(where, what), *_cut(details)]
        lines += ["", "</details>"]
    return "\n".join(map(visible, lines))


def _head(*titles: Text) -> list[str]:
    """Return the first lines of a table in Markdown."""
    return [f"| {' | '.join(map(visible, titles))} |", "|---" * len(titles) + "|"]


def _in_field(group: FieldChanges) -> Text:
    often = _how_often(group, 0)
    return say("{often} [{reason}]", often=often, reason=group.breaking) if group.breaking else often


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


def summary(changes: Sequence[Change]) -> Text:
    """Summarise the changes of one subject in a line: `name, 3 standards added`."""
    parts: dict[tuple[str, str], set[str]] = {}
    for one in changes:
        verb = "changed" if one.part else one.verb
        parts.setdefault((one.field, verb), set()).add(one.entry)
    text = joined((_part(field, verb, entries) for (field, verb), entries in parts.items()), by=", ")
    count = max(one.laboratories for one in changes)
    return say("{text}, shown by {laboratories}", text=text, laboratories=_plural(count)) if count else text


def _part(field: str, verb: str, entries: set[str]) -> str:
    """Describe the change of a field, or of its entries if it is a list."""
    if not field:
        return VERBS[verb]
    if entries != {""}:
        return say("{entries} {verb}", entries=plural(len(entries), *_nouns(field)), verb=VERBS[verb])
    match verb:
        case "added":
            return say("{field} is new", field=field)
        case "removed":
            return say("{field} is gone", field=field)
        case "reordered":
            return say("{field} in another order", field=field)
        case _:
            return field


def _nouns(field: str) -> tuple[str, str]:
    """Return the singular and the plural noun for the entries of a section."""
    many = field.replace("_", " ")
    one = f"{many[:-3]}y" if many.endswith("ies") else many.removesuffix("s")
    return NOUNS.get(field, (one, many))


def detail(change: Change) -> Text:
    """Describe one change with its values: `name "Alpha" → "Beta"`."""
    inner = f" {change.entry}" if change.entry else ""
    what = f"{change.field}{inner}{f'.{change.part}' if change.part else ''}"
    match change.verb:
        case "changed":
            old, new = _where_they_differ(change.old, change.new)
            text = say("{what} {old} → {new}", what=what, old=shown(old), new=shown(new))
        case "reordered":
            text = say("{what} in another order", what=what)
        case _:
            value = _named(change.old if change.verb == "removed" else change.new)
            text = joined(filter(None, [what, VERBS[change.verb], value]), by=" ")
    if not change.laboratories:
        return text
    return say("{text}, shown by {laboratories}", text=text, laboratories=_plural(change.laboratories))


def _where_they_differ(old: Any, new: Any) -> tuple[Any, Any]:
    """Return two values without what they have in common before the part that a message has room for."""
    if not isinstance(old, str) or not isinstance(new, str) or max(len(old), len(new)) <= QUOTE_LENGTH:
        return old, new
    pairs = enumerate(zip(old, new, strict=False))
    common = next((at for at, (one, other) in pairs if one != other), min(len(old), len(new)))
    if common < QUOTE_LENGTH - CONTEXT:
        return old, new
    start = common - CONTEXT
    return f"…{old[start:]}", f"…{new[start:]}"


def _named(value: Any) -> str:
    """Return the title, name or number of an added or removed value, in parentheses."""
    if isinstance(value, dict):
        value = next((value[key] for key in ("title", "name", "number") if value.get(key)), None)
    return f"({shown(value)})" if value is not None else ""


def counts_sentence(changes: Sequence[Change]) -> Text:
    """Count the changes, in a sentence without its full stop."""
    if not changes:
        return say("nothing would change")
    found = _laboratories(changes)
    others = len({one.subject for one in changes if one.subject.kind != LABORATORY})
    parts = [
        say("{laboratories} changed", laboratories=_plural(found["changed"])),
        say("{count:,} added", count=found["added"]),
        say("{count:,} removed", count=found["removed"]),
    ]
    if others:
        parts.append(say("{entries} changed", entries=plural(others, "shared entry", "shared entries")))
    breaking = sum(one.breaking is not None for one in changes)
    severity = plural(breaking, "breaking change") if breaking else say("nothing is breaking")
    return say("{parts}; {severity}", parts=joined(parts, by=", "), severity=severity)


def _laboratories(changes: Iterable[Change]) -> dict[str, int]:
    """Return how many laboratories were changed, added and removed."""
    verbs: dict[str, str] = {}
    for one in changes:
        if one.subject.kind == LABORATORY:
            verbs[one.subject.key] = "changed" if one.field else one.verb
    found = list(verbs.values())
    return {verb: found.count(verb) for verb in ("changed", "added", "removed")}


def _place(change: Change) -> Text:
    return say("{subject}:", subject=change.subject.label)


def _plural(count: int) -> Text:
    return plural(count, "laboratory", "laboratories")


def _cut(rows: Sequence[str]) -> list[str]:
    """Return as many rows as a comment can hold, and a line with the number of the others."""
    more = say("and {count:,} more: `labgen diff --all` shows every one", count=len(rows) - MOST_ROWS)
    return [*rows[:MOST_ROWS], *(["", more] if len(rows) > MOST_ROWS else [])]


def _cell(text: str) -> str:
    return cell(visible(text))
