"""Group the changes of laboratories by field: what happened to many at once, before what happened to each."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from labgen.changes.change import LABORATORY, Breaking, Change

SINGLE = 3
"""Changes of a field in no more laboratories than this are not grouped."""
EMPTY: tuple[Any, ...] = (None, "", [], {})


class FieldChanges(NamedTuple):
    """What happened to a field: `how` is a verb; `changes` has the first such change of each laboratory."""

    field: str
    how: str
    breaking: Breaking | None
    changes: list[Change]


def by_field(changes: Iterable[Change]) -> list[FieldChanges]:
    """Return what happened to a field in more than a few laboratories, the most frequent first."""
    groups: dict[tuple[str, str, Breaking | None], dict[str, Change]] = {}
    for one in changes:
        if one.subject.kind == LABORATORY and one.field:
            groups.setdefault(group_of(one), {}).setdefault(one.subject.key, one)
    found = [FieldChanges(*key, [*group.values()]) for key, group in groups.items() if len(group) > SINGLE]
    return sorted(found, key=lambda group: -len(group.changes))


def group_of(change: Change) -> tuple[str, str, Breaking | None]:
    """Return the field of a change, what happened to it, and whether it is breaking."""
    if change.verb != "changed":
        how = f"{'entries ' if change.entry else ''}{change.verb}"
    elif change.new in EMPTY:
        how = "emptied"
    else:
        how = "filled" if change.old in EMPTY else "changed"
    return f"{change.field}{f'.{change.part}' if change.part else ''}", how, change.breaking
