"""Index laboratories by digests, to find contact data in texts, and certificates that laboratories share.

There are far more digests than facets or countries, and nearly all belong to one laboratory. So they do not
have a row each, as keys in `named_by` do: each kind has a fixed number of rows (buckets), and the last bits
of a digest select its row.
"""

import sqlite3
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from enum import StrEnum
from hashlib import blake2b
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from labgen.memory.database import LISTED, Memory, listed
from labgen.memory.row_conversion import StoredLaboratory
from labgen.model.summaries import Summary

BUCKETS = 1 << 12
"""Rows for each kind. In the largest directories, a row thus has some 200 digests, in 2 KB."""


class Digested(StrEnum):
    """The kinds of digests."""

    SECRET = "secret"
    """Digest of a contact's e-mail address or telephone number."""
    MENTION = "mention"
    """Digest of contact data, or of what looks like it, in a laboratory's texts."""
    SHARED_MENTION = "shared mention"
    """The same in the settings and the lists. Its laboratory is 0, a number that no laboratory has."""
    CERTIFICATE = "certificate"
    """Digest of the key of a `Certificate`."""
    NAMESAKE = "namesake"
    """Digest of a laboratory's name and place."""


def short_digest(text: str) -> int:
    """Return a digest of 64 bits, as a signed integer."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), signed=True)


class Bucket(NamedTuple):
    """Digests, and for each of them the number of its laboratory."""

    digests: "array[int]"
    numbers: "array[int]"

    def holders(self, digest: int) -> set[int]:
        """Return the numbers of the laboratories that have a digest."""
        return {number for one, number in zip(*self, strict=True) if one == digest}


def note_digests(
    memory: Memory, before: Mapping[str, StoredLaboratory], now: Mapping[str, StoredLaboratory]
) -> None:
    """Update the index for the laboratories that changed, given by display_id."""
    for kind, digests_of in _DIGESTS.items():
        buckets = _Buckets(memory, kind)
        for display_id, one in before.items():
            kept = digests_of(now[display_id].summary) if display_id in now else ()
            buckets.remove(set(digests_of(one.summary)).difference(kept), one.number)
        for display_id, one in now.items():
            had = digests_of(before[display_id].summary) if display_id in before else ()
            buckets.insert(set(digests_of(one.summary)).difference(had), one.number)
        buckets.write()


def _certificates(one: Summary) -> list[int]:
    return [short_digest(certificate.key) for certificate in one.certificates]


def _namesakes(one: Summary) -> list[int]:
    return [short_digest(key)] if (key := one.name_and_place) else []


_DIGESTS: dict[Digested, Callable[[Summary], Iterable[int]]] = {
    Digested.SECRET: attrgetter("secrets"),
    Digested.MENTION: attrgetter("mentions"),
    Digested.CERTIFICATE: _certificates,
    Digested.NAMESAKE: _namesakes,
}


def note_shared_mentions(memory: Memory, digests: Iterable[int]) -> None:
    """Replace the stored digests of mentions in the settings and the lists."""
    memory.execute("DELETE FROM digest WHERE kind = ?", Digested.SHARED_MENTION)
    buckets = _Buckets(memory, Digested.SHARED_MENTION)
    buckets.insert(digests, 0)
    buckets.write()


def holders_in_both(
    memory: Memory, one: Digested, other: Digested, digests: Collection[int] | None = None
) -> list[tuple[set[int], set[int]]]:
    """Return, for each digest that two kinds share, the laboratories with it in each kind.

    If `digests` is given, only these digests are considered.
    """
    columns = "a.digests, a.numbers, b.digests, b.numbers"
    sql = f"SELECT {columns} FROM digest a JOIN digest b USING (bucket) WHERE a.kind = ? AND b.kind = ?"
    parameters: list[str] = [one, other]
    if digests is not None:
        sql += f" AND bucket {LISTED}"
        parameters.append(listed({digest % BUCKETS for digest in digests}))
    found = []
    for row in memory.execute(sql, *parameters):
        some, others = _bucket(*row[:2]), _bucket(*row[2:])
        both = set(some.digests).intersection(others.digests)
        wanted = both if digests is None else both.intersection(digests)
        found += [(some.holders(digest), others.holders(digest)) for digest in wanted]
    return found


def holders_of_shared(memory: Memory, kind: Digested) -> set[int]:
    """Return the laboratories that share a digest of a kind with another laboratory."""
    found: set[int] = set()
    for row in memory.execute("SELECT digests, numbers FROM digest WHERE kind = ?", kind):
        bucket = _bucket(*row)
        if len(set(bucket.digests)) == len(bucket.digests):
            continue
        several = [digest for digest, count in Counter(bucket.digests).items() if count > 1]
        found.update(chain.from_iterable(map(bucket.holders, several)))
    return found


def digests_in(memory: Memory, kind: Digested, bucket: int) -> "array[int]":
    """Return the digests of a kind in a bucket."""
    found = memory.value("SELECT digests FROM digest WHERE kind = ? AND bucket = ?", kind, bucket)
    return array("q", found or b"")


class _Buckets(defaultdict[int, Bucket]):
    """The buckets of a kind that an update changes, each read when it is first needed."""

    def __init__(self, memory: Memory, kind: Digested) -> None:
        super().__init__()
        self.memory = memory
        self.kind = kind

    def __missing__(self, bucket: int) -> Bucket:
        sql = "SELECT digests, numbers FROM digest WHERE kind = ? AND bucket = ?"
        row = None if self.memory.is_new else self.memory.execute(sql, self.kind, bucket).fetchone()
        found = self[bucket] = _bucket(*(row or (b"", b"")))
        return found

    def insert(self, digests: Iterable[int], number: int) -> None:
        """Insert digests of a laboratory."""
        for digest in digests:
            bucket = self[digest % BUCKETS]
            bucket.digests.append(digest)
            bucket.numbers.append(number)

    def remove(self, digests: Iterable[int], number: int) -> None:
        """Remove digests of a laboratory. Raises `DatabaseError` if a digest is missing."""
        for digest in digests:
            bucket = self[digest % BUCKETS]
            found = (place for place, one in enumerate(zip(*bucket, strict=True)) if one == (digest, number))
            place = next(found, None)
            if place is None:
                raise sqlite3.DatabaseError("a laboratory does not have a digest that it had")
            del bucket.digests[place], bucket.numbers[place]

    def write(self) -> None:
        """Write the buckets to the database."""
        empty = [(self.kind, bucket) for bucket, one in self.items() if not one.digests]
        self.memory.write("DELETE FROM digest WHERE kind = ? AND bucket = ?", empty)
        rows = ((self.kind, bucket, *map(bytes, one)) for bucket, one in sorted(self.items()) if one.digests)
        self.memory.write("INSERT OR REPLACE INTO digest VALUES (?, ?, ?, ?)", rows)


def _bucket(digests: bytes, numbers: bytes) -> Bucket:
    return Bucket(array("q", digests), array("I", numbers))
