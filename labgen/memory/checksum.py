"""Keep the checksum of a database beside it, so that damage is noticed before a build relies on what it says.

A bit that flips on a disk or in a cache of CI leaves a database that SQLite can read, but that says something
else. The checksum is that of the whole file (CRC-32, which finds each change of up to 32 neighbouring bits).
One for each row would cost more, and would not notice rows that a damaged page hides.
"""

import sqlite3
import zlib
from contextlib import suppress
from pathlib import Path
from threading import Thread

from labgen.problems.text import say

CHUNK = 1 << 20
"""Bytes that are read at a time."""


class Checksum:
    """The checksum of a file, computed in a thread.

    The file must stay open until SQLite's connections to it are closed: a process that closes a file loses
    all locks that it has on it (POSIX, fcntl).
    """

    def __init__(self, file: Path) -> None:
        """Raise `sqlite3.DatabaseError` if the file cannot be opened."""
        try:
            self._file = file.open("rb", buffering=0)
        except OSError as error:
            raise sqlite3.DatabaseError(say("it cannot be read: {error}", error=error)) from error
        self._value = 0
        self._thread = Thread(target=self._compute)
        self._thread.start()

    def _compute(self) -> None:
        chunk = memoryview(bytearray(CHUNK))
        while size := self._file.readinto(chunk):
            self._value = zlib.crc32(chunk[:size], self._value)

    def value(self) -> str:
        """Wait until the checksum is computed, and return it."""
        self._thread.join()
        return f"{self._value:08x}"

    def close(self) -> None:
        """Close the file."""
        self._thread.join()
        self._file.close()


def checksum_file(file: Path) -> Path:
    """Return the file beside a database that holds its checksum."""
    return file.with_name(f"{file.name}.crc32")


def seal(file: Path, checksum: Checksum) -> None:
    """Store the checksum of a database; if that fails, the next build starts without it."""
    new = checksum_file(file).with_suffix(".crc32-new")
    with suppress(OSError):
        new.write_text(checksum.value(), encoding="ascii")
        new.replace(checksum_file(file))


def is_sealed(file: Path, checksum: Checksum) -> bool:
    """Return whether a database has the checksum that was stored when it was written."""
    try:
        return checksum_file(file).read_text(encoding="ascii") == checksum.value()
    except (OSError, UnicodeDecodeError):
        return False
