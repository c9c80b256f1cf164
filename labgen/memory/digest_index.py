"""Index laboratories by digests, to find contact data in texts, and certificates that laboratories share."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from enum import StrEnum
from hashlib import blake2b
from operator import attrgetter

from labgen.memory.database import LISTED, Memory, listed
from labgen.memory.row_conversion import StoredLaboratory
from labgen.model.summaries import Summary


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


def note_digests(
    memory: Memory, before: Mapping[str, StoredLaboratory], now: Mapping[str, StoredLaboratory]
) -> None:
    """Update the index for the laboratories that changed, given by display_id."""
    for kind, digests_of in _DIGESTS.items():
        memory.write(_DELETE, _rows(kind, before.values(), digests_of))
        memory.write(_INSERT, _rows(kind, now.values(), digests_of))


_DELETE = "DELETE FROM digest WHERE kind = ? AND digest = ? AND number = ?"
_INSERT = "INSERT OR IGNORE INTO digest VALUES (?, ?, ?)"


def _rows(
    kind: Digested, laboratories: Iterable[StoredLaboratory], digests_of: Callable[[Summary], Iterable[int]]
) -> Iterator[tuple[str, int, int]]:
    return ((kind, digest, one.number) for one in laboratories for digest in digests_of(one.summary))


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
    memory.write(_INSERT, ((Digested.SHARED_MENTION, digest, 0) for digest in digests))


def holders_in_both(
    memory: Memory, kind: Digested, other: Digested, digests: Collection[int] | None = None
) -> list[tuple[set[int], set[int]]]:
    """Return the laboratories that have a digest as each of two kinds, for each such digest.

    If `digests` is given, only these digests are considered.
    """
    is_other = "SELECT 1 FROM digest b WHERE b.kind = ? AND b.digest = a.digest"
    sql = f"SELECT DISTINCT digest FROM digest a WHERE kind = ? AND EXISTS ({is_other})"
    parameters: list[str] = [kind, other]
    if digests is not None:
        sql += f" AND digest {LISTED}"
        parameters.append(listed(digests))
    shared = memory.column(sql, *parameters)
    return [(_holders(memory, kind, digest), _holders(memory, other, digest)) for digest in shared]


def _holders(memory: Memory, kind: Digested, digest: int) -> set[int]:
    return {*memory.column("SELECT number FROM digest WHERE kind = ? AND digest = ?", kind, digest)}


def holders_of_shared(memory: Memory, kind: Digested) -> list[int]:
    """Return the laboratories that share a digest of a kind with another laboratory."""
    shared = "SELECT digest FROM digest WHERE kind = ? GROUP BY digest HAVING count(*) > 1"
    sql = f"SELECT DISTINCT number FROM digest WHERE kind = ? AND digest IN ({shared})"
    return memory.column(sql, kind, kind)


def is_held(memory: Memory, kind: Digested, digest: int) -> bool:
    """Return whether a laboratory has a digest of a kind."""
    return memory.value("SELECT 1 FROM digest WHERE kind = ? AND digest = ?", kind, digest) is not None
