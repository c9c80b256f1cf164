"""Keep which laboratories have a digest: of a contact's address, of what looks like one, of a certificate.

There are far more of these than facets or countries, and nearly all belong to one laboratory. So they have no
row each, as in `named_by`: each kind has a fixed number of rows (buckets), by the last bits of the digest.
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
from labgen.memory.row_conversion import Known
from labgen.model.summaries import Summary

BUCKETS = 1 << 12
"""Rows of a kind; so a row has some 200 digests in the largest directories, and 2 KB."""


class Digested(StrEnum):
    """The kinds of digests."""

    SECRET = "secret"
    """Of a contact's address or number."""
    MENTION = "mention"
    """Of what looks like one in a laboratory's texts."""
    SHARED_MENTION = "shared mention"
    """Of what looks like one in the settings and the lists; its laboratory is 0, which is none."""
    CERTIFICATE = "certificate"
    """Of the key of a `Certificate`."""


def short_digest(text: str) -> int:
    """Return a digest of 64 bits, as a signed integer."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), signed=True)


class Bucket(NamedTuple):
    """Digests, and the number of the laboratory of each."""

    digests: "array[int]"
    numbers: "array[int]"

    def holders(self, digest: int) -> set[int]:
        """Return the laboratories that have a digest."""
        return {number for one, number in zip(*self, strict=True) if one == digest}


def note_digests(memory: Memory, before: Mapping[str, Known], now: Mapping[str, Known]) -> None:
    """Update which laboratories have which digests, for laboratories that changed, by display_id."""
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


_DIGESTS: dict[Digested, Callable[[Summary], Iterable[int]]] = {
    Digested.SECRET: attrgetter("secrets"),
    Digested.MENTION: attrgetter("mentions"),
    Digested.CERTIFICATE: _certificates,
}


def note_shared_mentions(memory: Memory, digests: Iterable[int]) -> None:
    """Remember the mentions in the settings and the lists."""
    memory.rows("DELETE FROM digest WHERE kind = ?", Digested.SHARED_MENTION)
    buckets = _Buckets(memory, Digested.SHARED_MENTION)
    buckets.insert(digests, 0)
    buckets.write()


def holders_in_both(
    memory: Memory, one: Digested, other: Digested, digests: Collection[int] | None = None
) -> list[tuple[set[int], set[int]]]:
    """Return the laboratories that have each digest that two kinds share: with the one kind, with the other.

    All such digests, or those among `digests`.
    """
    columns = "a.digests, a.numbers, b.digests, b.numbers"
    sql = f"SELECT {columns} FROM digest a JOIN digest b USING (bucket) WHERE a.kind = ? AND b.kind = ?"
    parameters: list[str] = [one, other]
    if digests is not None:
        sql += f" AND bucket {LISTED}"
        parameters.append(listed({digest % BUCKETS for digest in digests}))
    found = []
    for row in memory.rows(sql, *parameters):
        some, others = _bucket(*row[:2]), _bucket(*row[2:])
        both = set(some.digests).intersection(others.digests)
        wanted = both if digests is None else both.intersection(digests)
        found += [(some.holders(digest), others.holders(digest)) for digest in wanted]
    return found


def holders_of_shared(memory: Memory, kind: Digested) -> set[int]:
    """Return the laboratories that have a digest which another laboratory has, too."""
    found: set[int] = set()
    for row in memory.rows("SELECT digests, numbers FROM digest WHERE kind = ?", kind):
        bucket = _bucket(*row)
        several = [digest for digest, count in Counter(bucket.digests).items() if count > 1]
        found.update(chain.from_iterable(map(bucket.holders, several)))
    return found


def digests_in(memory: Memory, kind: Digested, bucket: int) -> "array[int]":
    """Return the digests of a bucket."""
    found = memory.value("SELECT digests FROM digest WHERE kind = ? AND bucket = ?", kind, bucket)
    return array("q", found or b"")


class _Buckets(defaultdict[int, Bucket]):
    """The buckets of a kind that are changed."""

    def __init__(self, memory: Memory, kind: Digested) -> None:
        super().__init__()
        self.memory = memory
        self.kind = kind

    def __missing__(self, bucket: int) -> Bucket:
        sql = "SELECT digests, numbers FROM digest WHERE kind = ? AND bucket = ?"
        row = None if self.memory.is_new else self.memory.rows(sql, self.kind, bucket).fetchone()
        found = self[bucket] = _bucket(*(row or (b"", b"")))
        return found

    def insert(self, digests: Iterable[int], number: int) -> None:
        """Insert digests of a laboratory."""
        for digest in digests:
            bucket = self[digest % BUCKETS]
            bucket.digests.append(digest)
            bucket.numbers.append(number)

    def remove(self, digests: Iterable[int], number: int) -> None:
        """Remove digests of a laboratory. Raises `DatabaseError` if one is not there."""
        for digest in digests:
            bucket = self[digest % BUCKETS]
            found = (place for place, one in enumerate(zip(*bucket, strict=True)) if one == (digest, number))
            place = next(found, None)
            if place is None:
                raise sqlite3.DatabaseError("a laboratory does not have a digest that it had")
            del bucket.digests[place], bucket.numbers[place]

    def write(self) -> None:
        """Write the buckets."""
        empty = [(self.kind, bucket) for bucket, one in self.items() if not one.digests]
        self.memory.write("DELETE FROM digest WHERE kind = ? AND bucket = ?", empty)
        rows = ((self.kind, bucket, *map(bytes, one)) for bucket, one in sorted(self.items()) if one.digests)
        self.memory.write("INSERT OR REPLACE INTO digest VALUES (?, ?, ?, ?)", rows)


def _bucket(digests: bytes, numbers: bytes) -> Bucket:
    return Bucket(array("q", digests), array("I", numbers))
