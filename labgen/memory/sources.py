"""Store the source files with their digests, the entries of shared lists, and the units of out/."""

from collections.abc import Collection, Iterable, Mapping

from labgen.memory.database import Memory
from labgen.system.input_files import DATA, DIGEST_SIZE, LABORATORIES, Stamps, digest_of

Digests = dict[str, bytes]
"""The digests of files' contents, by their names in the project."""
UNKNOWN_DIGEST = bytes(DIGEST_SIZE)
"""Of a file that is not read."""
_FIRST, _LAST = f"{DATA}/{LABORATORIES}/".encode(), f"{DATA}/{LABORATORIES}0".encode()
"""Between these are the names of the files in the folder of laboratories."""


def stamps(memory: Memory) -> Stamps:
    """Return the stamps of all source files."""
    return {_name(name): stamp for name, stamp in memory.rows("SELECT name, stamp FROM file")}


def shared_digests(memory: Memory) -> Digests:
    """Return the digests of all files but those in the folder of laboratories."""
    rows = memory.rows("SELECT name, digest FROM file WHERE name < ? OR name >= ?", _FIRST, _LAST)
    return {_name(name): digest for name, digest in rows}


def remembered_digests(memory: Memory, names: Iterable[str]) -> Digests:
    """Return the digests of those of some files that are remembered."""
    found = ((name, memory.value("SELECT digest FROM file WHERE name = ?", _bytes(name))) for name in names)
    return {name: digest for name, digest in found if digest is not None}


def update_files(memory: Memory, stamps: Stamps, digests: Mapping[str, bytes], gone: Iterable[str]) -> bytes:
    """Remember files that changed and forget those that have gone; return the digest of all that there are.

    It is the exclusive or of the digests of all files, so an edit need not read those of the others.
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
    """Remember new stamps of files that have the contents that they had."""
    memory.rows("BEGIN IMMEDIATE")
    rows = ((stamp, _bytes(name)) for name, stamp in now.items())
    memory.write("UPDATE file SET stamp = ? WHERE name = ?", rows)
    memory.rows("COMMIT")


def _bytes(name: str) -> bytes:
    return name.encode(errors="surrogateescape")


def _name(data: bytes) -> str:
    return data.decode(errors="surrogateescape")


def entries(memory: Memory, listed: str) -> dict[str, str]:
    """Return the digests of the entries of a list, or of the settings, by their keys."""
    return dict(memory.rows("SELECT key, digest FROM entry WHERE list = ?", listed))


def update_entries(memory: Memory, listed: str, now: Mapping[str, str]) -> None:
    """Remember the entries of a list."""
    memory.rows("DELETE FROM entry WHERE list = ?", listed)
    memory.write("INSERT INTO entry VALUES (?, ?, ?)", ((listed, *one) for one in sorted(now.items())))


def units(memory: Memory) -> set[str]:
    """Return the folders of the units in out/."""
    return set(memory.column("SELECT folder FROM unit"))


def update_units(memory: Memory, new: Iterable[str], gone: Collection[str]) -> None:
    """Remember the folders of units that are new in out/, and forget those that have gone."""
    memory.write("DELETE FROM unit WHERE folder = ?", ((folder,) for folder in gone))
    memory.write("INSERT OR IGNORE INTO unit VALUES (?)", ((folder,) for folder in sorted(new)))
