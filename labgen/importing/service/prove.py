"""Verify an import: compare the site built from it with the service's documents, and explain differences."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from labgen.api.sections import ENDPOINTS, pictures_of
from labgen.model.site_paths import JSON_FILE, file_of
from labgen.problems.text import say

UNEXPLAINED = say("no reason is known")


class Difference(NamedTuple):
    """Documents that differ from those of the service for the same reason."""

    reason: str
    paths: Sequence[str]


class Proof(NamedTuple):
    """How many documents are identical, byte for byte, and the reasons why others are not."""

    same: int
    total: int
    differences: tuple[Difference, ...] = ()

    @property
    def is_explained(self) -> bool:
        """Whether the reason of each difference is known."""
        return all(one.reason != UNEXPLAINED for one in self.differences)


Noted = Mapping[tuple[str, str], str]
"""The recorded reasons why fields of laboratories' own documents differ, by path and field."""


def prove(out: Path, fetched: Iterable[tuple[str, bytes]], noted: Noted) -> Proof:
    """Compare fetched documents, given with their paths, with the documents that were built."""
    total = same = 0
    reasons: defaultdict[str, list[str]] = defaultdict(list)
    for path, body in fetched:
        total += 1
        file = out / file_of(path, JSON_FILE)
        built = file.read_bytes() if file.is_file() else None
        if built == body:
            same += 1
            continue
        for reason in dict.fromkeys(_reasons(path, body, built, noted)):
            reasons[reason].append(path)
    found = sorted(reasons.items(), key=lambda one: (one[0] != UNEXPLAINED, -len(one[1])))
    return Proof(same, total, tuple(Difference(*one) for one in found))


def _reasons(path: str, body: bytes, built: bytes | None, noted: Noted) -> Iterator[str]:
    if built is None:
        yield say("labgen publishes no such document")
        return
    old, new = orjson.loads(body), orjson.loads(built)
    fields = set(_fields(old, new))
    if not fields:
        yield say("the same values, written in another way: spaces, escapes or the order of keys")
    for one in sorted(fields):
        known = noted.get((path, one.partition(".")[0]))
        yield known or next((text for pattern, text in REASONS if re.fullmatch(pattern, one)), UNEXPLAINED)


PICTURES = frozenset(one.keys[-1] for endpoint in ENDPOINTS for one in pictures_of(endpoint))
"""The fields of documents that have the paths of pictures."""
REASONS = (
    (rf"(.*\.)?({'|'.join(sorted(PICTURES))})(\.entries|\.order)?", say("pictures have other addresses")),
    (r"(.*\.)?url", say("addresses of pages have another form")),
    (r"(.*\.)?country\..*", say("a country has two forms, and the commonest was taken")),
    (r"(deal|verification)_status\..*", say("a status has two titles, and the commonest was taken")),
    (r"limit|title|search_arg|name", say("a section has two heads, and the commonest was taken")),
    (r"hidden_count", say("the service hides entries (`hidden_count`)")),
    (r"items\.(title|summary|search_val|standard)", say("one id has two texts, and the commonest was taken")),
    (r"items", say("a section had no list of entries")),
    (r"items\.price", say("a price is not null")),
    (r"(.*\.)?order", say("entries stand in another order than labgen's")),
    (r"count|next|previous|results\.entries", say("the list has other laboratories or pages")),
    (r"(.*\.)?field [^.]*", say("the service has fields that the specification does not have")),
    (r"((results)\.)?(name|locality)", say("a card shows a laboratory whose document differs")),
    (r"(.*\.)?entries", say("entries could not be taken over, or stood there twice")),
)
"""The reasons for differences, by patterns of the fields in which they are."""


def _fields(old: Any, new: Any, at: str = "") -> Iterator[str]:
    """Yield the fields in which two documents differ, without positions in lists."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in old.keys() | new.keys():
            inner = f"{at}.{name}" if at else name
            if name not in new or name not in old:
                yield f"{at}.field {name}" if at else say("field {name}", name=name)
            else:
                yield from _fields(old[name], new[name], inner)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _of_lists(old, new, at)
    elif old != new or type(old) is not type(new):
        yield at


def _of_lists(old: list[Any], new: list[Any], at: str) -> Iterator[str]:
    """Yield how two lists differ: in their entries, in their order, or inside entries."""
    was, now = (list(map(_key, entries)) for entries in (old, new))
    prefix = f"{at}." if at else ""
    if sorted(was) != sorted(now):
        yield f"{prefix}entries"
        return
    if was != now:
        yield f"{prefix}order"
    by_key = dict(zip(now, new, strict=True))
    for key, entry in zip(was, old, strict=True):
        yield from _fields(entry, by_key[key], at)


def _key(entry: Any) -> str:
    """Return a key by which an entry of a list is identified."""
    if isinstance(entry, dict):
        for name in ("id", "display_id", "billing"):
            if name in entry:
                return say("{name} {entry}", name=name, entry=entry[name])
    return orjson.dumps(_without_pictures(entry), option=orjson.OPT_SORT_KEYS).decode()


def _without_pictures(value: Any) -> Any:
    """Return a part of a document without the paths of pictures."""
    if isinstance(value, list):
        return [_without_pictures(one) for one in value]
    if isinstance(value, dict):
        return {name: _without_pictures(one) for name, one in value.items() if name not in PICTURES}
    return value
