"""Collect what could not be imported unchanged from a service, each with its reason and the action taken."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Deviation(NamedTuple):
    """One value that was not imported unchanged: its place, the reason, and the action taken.

    `what` and `done` are the same for all of a kind. `where` is a document, or a place in words. `field` is
    the field of a laboratory's own document that differs because of it.
    """

    where: str
    what: str
    done: str
    field: str = ""


class DeviationKind(NamedTuple):
    """Deviations with the same reason and action, and their places."""

    what: str
    done: str
    places: Sequence[str]


def by_kind(deviations: Iterable[Deviation]) -> list[DeviationKind]:
    """Group deviations by reason and action, the most frequent first."""
    places: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for one in deviations:
        places[one.what, one.done].append(one.where)
    kinds = [DeviationKind(what, done, tuple(dict.fromkeys(found))) for (what, done), found in places.items()]
    return sorted(kinds, key=lambda kind: -len(kind.places))
