"""Store the names, stamps and digests of source files, digests of shared entries, and the units of out/."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from labgen.memory.database import Memory
from labgen.system.input_files import DATA, DIGEST_SIZE, LABORATORIES, Stamps, digest_of

Digests = dict[str, bytes]
"""The digests of files' contents, by their names in the project."""
ContentKey = tuple[str, bytes]
"""The file's suffix and the digest of the content: the same bytes can be valid YAML and invalid JSON."""
UNKNOWN_DIGEST = bytes(DIGEST_SIZE)
"""Stands for the digest of a file that is not read."""
Fingerprints = dict[str, bytes]
"""The fingerprints of laboratories or of a list's entries by their keys (see `model.fingerprints`)."""
NO_FINGERPRINTS: Fingerprints = {}
_FIRST, _LAST = f"{DATA}/{LABORATORIES}/".encode(), f"{DATA}/{LABORATORIES}0".encode()
"""The names of the files in the folder of laboratories are between these bounds."""


def stamps(memory: Memory) -> Stamps:
    """Return the stamps of all source files."""
    return {_name(name): stamp for name, stamp in memory.execute("SELECT name, stamp FROM file")}


def shared_digests(memory: Memory) -> Digests:
    """Return the digests of all files but those in the folder of laboratories."""
    rows = memory.execute("SELECT name, digest FROM file WHERE name < ? OR name >= ?", _FIRST, _LAST)
    return {_name(name): digest for name, digest in rows}


def remembered_digests(memory: Memory, names: Iterable[str]) -> Digests:
    """Return the stored digests of these files; files without one are omitted."""
    found = ((name, memory.value("SELECT digest FROM file WHERE name = ?", _bytes(name))) for name in names)
    return {name: digest for name, digest in found if digest is not None}


def update_files(memory: Memory, stamps: Stamps, digests: Mapping[str, bytes], gone: Iterable[str]) -> bytes:
    """Store changed files, delete removed ones, and return the digest of all source files.

    It is the exclusive or of the digests of all files, so the digests of unchanged files are not read.
    """
    had = {} if memory.is_new else remembered_digests(memory, [*stamps, *gone])
    now = {name: digests.get(name, UNKNOWN_DIGEST) for name in stamps}
    site = memory.site
    total = int.from_bytes(site.sources if site else b"")
    for name, digest in (*had.items(), *now.items()):
        total ^= int.from_bytes(digest_of(_bytes(name) + b"\0" + digest))
    memory.write("DELETE FROM file WHERE name = ?", ((_bytes(name),) for name in gone))
    rows = ((_bytes(name), stamp, now[name]) for name, stamp in sorted(stamps.items()))
    memory.write("INSERT OR REPLACE INTO file VALUES (?, ?, ?)", rows)
    return total.to_bytes(DIGEST_SIZE)


def refresh_stamps(memory: Memory, now: Stamps) -> None:
    """Store the new stamps of files whose contents did not change."""
    rows = ((stamp, _bytes(name)) for name, stamp in now.items())
    memory.write("UPDATE file SET stamp = ? WHERE name = ?", rows)


def suffix_of(file: str) -> str:
    """Return the suffix of a file name, which determines the format."""
    return file.rpartition(".")[2]


def _bytes(name: str) -> bytes:
    return name.encode(errors="surrogateescape")


def _name(data: bytes) -> str:
    return data.decode(errors="surrogateescape")


def entry_digests(memory: Memory, listed: str) -> dict[str, str]:
    """Return the digests of the entries of a list, or of the settings, by their keys."""
    return dict(memory.execute("SELECT key, digest FROM entry WHERE list = ?", listed))


def entry_fingerprints(memory: Memory, listed: str) -> Fingerprints:
    """Return the fingerprints of the entries of a list, by their keys."""
    return dict(memory.execute("SELECT key, fingerprint FROM entry WHERE list = ?", listed))


def update_entries(
    memory: Memory, listed: str, now: Mapping[str, str], fingerprints: Mapping[str, bytes] = NO_FINGERPRINTS
) -> None:
    """Replace the stored digests of the entries of a list, or of the settings, and their fingerprints."""
    memory.execute("DELETE FROM entry WHERE list = ?", listed)
    rows = ((listed, key, digest, fingerprints.get(key, b"")) for key, digest in sorted(now.items()))
    memory.write("INSERT INTO entry VALUES (?, ?, ?, ?)", rows)


class FingerprintTables(NamedTuple):
    """The fingerprints of laboratories, by display_id, and those of the entries of each list; or a sample."""

    laboratories: Fingerprints
    lists: dict[str, Fingerprints]
    is_sample: bool = False


class UnitRow(NamedTuple):
    """A unit of out/ (see `output.units`), with the number and the bytes of its files."""

    kind: str
    key: str
    folder: str
    files: int
    size: int


def unit_folders(memory: Memory, kind: str) -> dict[str, str]:
    """Return the folders of the units of a kind in out/, by key."""
    return dict(memory.execute("SELECT key, folder FROM unit WHERE kind = ?", kind))


def unit_sizes(memory: Memory, kind: str) -> list[tuple[str, int, int]]:
    """Return the folders of the units of a kind in out/, with the number and the bytes of their files."""
    return memory.execute("SELECT folder, files, size FROM unit WHERE kind = ?", kind).fetchall()


def update_units(memory: Memory, new: Iterable[UnitRow], gone: Iterable[tuple[str, str]]) -> None:
    """Store the units that were written to out/, and delete removed ones, given by kind and key."""
    memory.write("DELETE FROM unit WHERE kind = ? AND key = ?", gone)
    memory.write("INSERT OR REPLACE INTO unit VALUES (?, ?, ?, ?, ?)", sorted(new))
