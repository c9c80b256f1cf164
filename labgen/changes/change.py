"""Define a change between two states of a site: what changed, how, and whether it can break a client."""

from collections.abc import Collection, Iterable
from enum import StrEnum
from typing import Any, Literal, NamedTuple

Verb = Literal["added", "removed", "changed", "reordered"]


class Breaking(StrEnum):
    """The reasons why a change can break a client (docs/guides/changes.md)."""

    LABORATORY_GONE = "laboratory-gone"
    DOCUMENT_GONE = "document-gone"
    FIELD_GONE = "field-gone"
    NEW_NULL = "new-null"
    EMPTIED = "emptied"
    OTHER_TYPE = "other-type"
    OTHER_MEANING = "other-meaning"


class Subject(NamedTuple):
    """The subject of a change: a laboratory, an entry that laboratories share, a section, or the site."""

    kind: str
    key: str = ""

    @property
    def label(self) -> str:
        """Its name for readers: `00117`, `materials 12`, `site`."""
        return self.key if self.kind == LABORATORY else f"{self.kind} {self.key}".strip()


LABORATORY = "laboratory"
SITE = Subject("site")


class Change(NamedTuple):
    """One difference. `field` is "" if the whole subject was added or removed.

    A list has a change for each entry that differs: `entry` is its key, `part` the field inside the entry. If
    laboratories share the subject, `laboratories` is the number of laboratories that show it.
    """

    subject: Subject
    field: str
    verb: Verb
    old: Any = None
    new: Any = None
    breaking: Breaking | None = None
    entry: str = ""
    part: str = ""
    laboratories: int = 0


def is_met(changes: Iterable[Change], wanted: Collection[str]) -> bool:
    """Return whether any change is of a wanted kind: `any`, `breaking`, or a value of `Breaking`."""
    if "any" in wanted:
        return any(True for _ in changes)
    return any(one.breaking and ("breaking" in wanted or one.breaking in wanted) for one in changes)
