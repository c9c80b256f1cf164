"""Convert the errors of a database that cannot be written into those of a file."""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager


def file_error(error: sqlite3.Error) -> OSError:
    """Return the error that a file would have raised: ENOSPC for a full disk, or else EIO."""
    is_full = getattr(error, "sqlite_errorcode", None) in FULL
    return OSError(errno.ENOSPC if is_full else errno.EIO, str(error))


FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE)
"""The codes of a full disk: for the database itself, and for the index of its write-ahead log."""


@contextmanager
def failing_as_files_do() -> Iterator[None]:
    """Raise OSError where a database cannot be written."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise file_error(error) from error
