"""What was known of all laboratories when a site was built last, and its form as columns of bytes."""

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, chain, pairwise, repeat
from typing import Any, NamedTuple, TypeVar

import orjson

from labgen.model.summaries import Card, Facet, Further, Picture, Shown, SiteLink, Summary, Use
from labgen.similar.similarity import Postings, TraitsOf, postings_of
from labgen.system.input_files import DIGEST_SIZE

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
    cards = [one.card for one in summaries]
    shown = [memory.shown[card.display_id] for card in cards]
    listed: dict[str, list[Any]] = {
        "files": [one.file for one in summaries],
        "lines": [one.line for one in summaries],
        "display_ids": [card.display_id for card in cards],
        "names": [card.name for card in cards],
        "slugs": [card.slug for card in cards],
        "localities": [card.locality for card in cards],
        "countries": [card.country for card in cards],
        "own_similar": [one.own_similar for one in summaries],
        "pictures": [[(name, use, *focus) for name, use, focus in one.pictures] for one in summaries],
        "initials": [one.initials for one in summaries],
        "warnings": [one.has_warnings for one in summaries],
        "further": [_plain(one.further) if one.further else None for one in summaries],
        "similar": [one.display_ids for one in shown],
        "last": [one.last for one in shown],
    }
    columns = {name: orjson.dumps(values) for name, values in listed.items()}
    columns["digests"] = b"".join([one.digest for one in summaries])
    shared = memory.shared
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
        "listed": list(listed),
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
    return Postings(list(summaries), _Places(columns))


class _Places(Mapping[Facet, "array[int]"]):
    """The places of the laboratories that have a facet, read as they are asked for."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns

    @cached_property
    def spans(self) -> dict[Facet, tuple[int, int]]:
        """Where the places of each facet lie."""
        ends = accumulate(_numbers("I", self.columns["held_lengths"]))
        return dict(zip(_numbers("Q", self.columns["held"]), pairwise(chain((0,), ends)), strict=True))

    def __getitem__(self, facet: Facet) -> "array[int]":
        start, end = self.spans[facet]
        return _numbers("I", self.columns["holders"][start * PLACE : end * PLACE])

    def __iter__(self) -> Iterator[Facet]:
        return iter(self.spans)

    def __len__(self) -> int:
        return len(self.spans)


PLACE = array("I").itemsize


def load_memory(header: dict[str, Any], columns: Columns) -> Memory:
    """Return what `dump_memory` was given."""
    listed = {name: orjson.loads(columns[name]) for name in header["listed"]}
    ids = listed["display_ids"]
    facets, secrets, mentions = (
        _arrays(columns[name], header["types"][name], columns[f"{name}_lengths"]) for name in ARRAYS
    )
    pictures = [_pictures(found) if found else () for found in listed["pictures"]]
    images = [_image(found) if found else None for found in pictures]
    cards = zip(
        ids, listed["names"], listed["slugs"], images, listed["localities"], listed["countries"], strict=True
    )
    rows = zip(
        listed["files"],
        listed["lines"],
        pieces(columns["digests"], DIGEST_SIZE),
        map(tuple.__new__, repeat(Card), cards),
        [None if own is None else tuple(own) for own in listed["own_similar"]],
        facets,
        pictures,
        listed["initials"],
        secrets,
        mentions,
        listed["warnings"],
        [_further(*found) if found else None for found in listed["further"]],
        strict=True,
    )
    summaries = dict(zip(ids, map(tuple.__new__, repeat(Summary), rows), strict=True))
    lists = zip(map(tuple, listed["similar"]), listed["last"], strict=True)
    shown = dict(zip(ids, map(tuple.__new__, repeat(Shown), lists), strict=True))
    counts = dict(zip(_numbers("Q", columns["counted"]), _numbers("I", columns["counts"]), strict=True))
    shared = SharedMemory(header["entries"], _numbers("Q", columns["shared_mentions"]), counts)
    return Memory(summaries, shown, shared, _load_postings(summaries, columns), header["made_from"])


def _pictures(found: list[tuple[str, Use, int, int]]) -> tuple[Picture, ...]:
    return tuple([Picture(original, use, (x, y)) for original, use, x, y in found])


def _image(pictures: tuple[Picture, ...]) -> Picture | None:
    return next((one for one in pictures if one.use == "image"), None)


def _plain(further: Further) -> tuple[Any, ...]:
    """Return what orjson takes: lists, but no named tuples."""
    return (*further[:4], [tuple(one) for one in further.links])


def _further(
    sections: list[str],
    published_on: str,
    facets: list[Facet],
    countries: list[str],
    links: list[tuple[str, str]],
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
    ends = list(accumulate(_numbers("I", lengths)))
    return [numbers[start:end] for start, end in pairwise(chain((0,), ends))]
