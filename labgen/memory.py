"""What was known of all laboratories when a site was built last, and its form as columns of bytes."""

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import orjson

from labgen.inputs import DIGEST_SIZE
from labgen.similarity import Postings, TraitsOf, postings_of
from labgen.summaries import Card, Facet, Further, Picture, Shown, SiteLink, Summary

Columns = Mapping[str, bytes]


class SharedMemory(NamedTuple):
    """What was known of all that laboratories share.

    `entries` are the digests of the lists' entries, by stem and key, `mentions` the digests of what looks
    like an address or a number in their texts. `counts` says how many laboratories have each facet.
    """

    entries: Mapping[str, Mapping[str, str]]
    mentions: Sequence[int]
    counts: Mapping[Facet, int]


@dataclass(frozen=True, slots=True)
class Memory:
    """What was known of all laboratories, by display_id in its order, and of what they share.

    `base` is the site that `summaries` was written for, `postings` the index of its laboratories, `since`
    those that changed since then.
    """

    summaries: Mapping[str, Summary]
    shown: Mapping[str, Shown]
    shared: SharedMemory
    postings: Postings
    base: str = ""
    since: frozenset[str] = field(default_factory=frozenset)


def pieces(data: bytes, size: int) -> list[bytes]:
    """Return bytes in pieces of one size."""
    return [data[start : start + size] for start in range(0, len(data), size)]


ARRAYS = ("facets", "secrets", "mentions")


def dump_memory(
    memory: Memory, made_from: str, changed: Collection[str] | None = None
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return all laboratories, or those that changed; of those that are not there, that they have gone."""
    display_ids = memory.summaries if changed is None else changed
    summaries = [memory.summaries[one] for one in display_ids if one in memory.summaries]
    rows = [
        (
            one.file,
            one.line,
            *one.card._replace(image=None),
            one.own_similar,
            [(picture.name, picture.use, *picture.focus) for picture in one.pictures],
            one.initials,
            one.has_warnings,
            _plain(one.further) if one.further else None,
            *memory.shown[one.card.display_id],
        )
        for one in summaries
    ]
    shared = memory.shared
    columns = {"rows": orjson.dumps(rows), "digests": b"".join([one.digest for one in summaries])}
    columns["shared_mentions"] = array("Q", shared.mentions).tobytes()
    columns["counted"] = array("Q", shared.counts).tobytes()
    columns["counts"] = array("I", shared.counts.values()).tobytes()
    types: dict[str, str] = {}
    for name in ARRAYS:
        arrays: list[array[int]] = [getattr(one, name) for one in summaries]
        types[name] = "Q" if any(one.typecode == "Q" for one in arrays) else "I"
        columns[name] = b"".join([one.tobytes() for one in _widened(arrays, types[name])])
        columns[f"{name}_lengths"] = array("I", map(len, arrays)).tobytes()
    if changed is None:
        columns |= _dump_postings(memory)
    header = {
        "made_from": made_from,
        "base": memory.base,
        "gone": sorted(set(display_ids) - memory.summaries.keys()),
        "types": types,
        "entries": shared.entries,
    }
    return header, columns


def _widened(arrays: "Iterable[array[int]]", kind: str) -> "Iterable[array[int]]":
    return (one if one.typecode == kind else array(kind, one) for one in arrays)


def _dump_postings(memory: Memory) -> dict[str, bytes]:
    """Return the index of all laboratories as they are now."""
    postings = postings_of(TraitsOf(memory.summaries)) if memory.base else memory.postings
    held, places = postings.places.keys(), postings.places.values()
    return {
        "held": array("Q", held).tobytes(),
        "held_lengths": array("I", map(len, places)).tobytes(),
        "holders": b"".join([one.tobytes() for one in places]),
    }


def _load_postings(summaries: Mapping[str, Summary], columns: Columns) -> Postings:
    if "held" not in columns:
        return Postings((), {})
    places = _arrays(columns["holders"], "I", columns["held_lengths"])
    return Postings(list(summaries), dict(zip(_numbers("Q", columns["held"]), places, strict=True)))


def load_memory(header: dict[str, Any], columns: Columns) -> Memory:
    """Return what `dump_memory` was given."""
    rows = orjson.loads(columns["rows"])
    digests = pieces(columns["digests"], DIGEST_SIZE)
    arrays = (_arrays(columns[name], header["types"][name], columns[f"{name}_lengths"]) for name in ARRAYS)
    summaries: dict[str, Summary] = {}
    shown: dict[str, Shown] = {}
    for row, digest, facets, secrets, mentions in zip(rows, digests, *arrays, strict=True):
        file, line, display_id, name, slug, _, locality, country, own, shown_in, initials, warns = row[:12]
        further, similar, last = row[12:]
        pictures = tuple(Picture(original, use, (x, y)) for original, use, x, y in shown_in)
        image = next((one for one in pictures if one.use == "image"), None)
        summaries[display_id] = Summary(
            file,
            line,
            digest,
            Card(display_id, name, slug, image, locality, country),
            None if own is None else tuple(own),
            facets,
            pictures,
            initials,
            secrets,
            mentions,
            warns,
            _further(*further) if further else None,
        )
        shown[display_id] = Shown(tuple(similar), last)
    counts = dict(zip(_numbers("Q", columns["counted"]), _numbers("I", columns["counts"]), strict=True))
    shared = SharedMemory(header["entries"], _numbers("Q", columns["shared_mentions"]), counts)
    return Memory(summaries, shown, shared, _load_postings(summaries, columns), header["made_from"])


def _plain(further: Further) -> tuple[Any, ...]:
    """Return what orjson takes: lists, but no named tuples."""
    return (*further[:4], [tuple(one) for one in further.links])


def _further(
    sections: list[str],
    published_on: str,
    facets: list[Facet],
    countries: list[str],
    links: list[tuple[str, str, int]],
) -> Further:
    linked = tuple(SiteLink(*one) for one in links)
    return Further(tuple(sections), published_on, tuple(facets), tuple(countries), linked)


def with_changes(base: Memory, header: dict[str, Any], columns: Columns, made_from: str) -> Memory | None:
    """Return what was known, with what changed since; None if that is about another site."""
    if header["made_from"] != made_from or header["base"] != base.base:
        return None
    changes = load_memory(header, columns)
    gone = header["gone"]
    since = frozenset([*changes.summaries, *gone])
    return Memory(
        in_order(base.summaries, changes.summaries, gone),
        in_order(base.shown, changes.shown, gone),
        changes.shared,
        base.postings,
        base.base,
        since,
    )


Value = TypeVar("Value")


def in_order(
    before: Mapping[str, Value], changes: Mapping[str, Value], gone: Iterable[str]
) -> dict[str, Value]:
    """Return what is known by display_id, with changes, in the order of the display_ids."""
    merged = {**before, **changes}
    for display_id in gone:
        merged.pop(display_id, None)
    if changes.keys() <= before.keys():
        return merged
    return {display_id: merged[display_id] for display_id in sorted(merged)}


def _numbers(kind: str, data: bytes) -> "array[int]":
    numbers = array(kind)
    numbers.frombytes(data)
    return numbers


def _arrays(data: bytes, kind: str, lengths: bytes) -> "list[array[int]]":
    """Return the arrays that were written one after the other."""
    numbers = _numbers(kind, data)
    found = []
    start = 0
    for length in _numbers("I", lengths):
        found.append(numbers[start : start + length])
        start += length
    return found
