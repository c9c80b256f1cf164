"""Cache the responses of a service: an interrupted import resumes, and a repeated import fetches less."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from labgen.output.errors import OutputError, as_output_error, unwritable
from labgen.problems.text import say
from labgen.system.database_errors import FULL, file_error

FORMAT = 1
SCHEMA = """
-- The address that all answers are from, the number of the import, and whether it fetched everything.
CREATE TABLE source (address TEXT NOT NULL, number INTEGER NOT NULL, is_complete INTEGER NOT NULL);
-- The last answer to a request for a path, and the number of the import that asked last.
CREATE TABLE answer (
    target TEXT PRIMARY KEY,
    number INTEGER NOT NULL,
    status INTEGER NOT NULL,
    kind TEXT NOT NULL,            -- the media type
    etag TEXT NOT NULL,
    modified TEXT NOT NULL,
    body BLOB NOT NULL
) WITHOUT ROWID;
"""


class Answer(NamedTuple):
    """A response of a service: status, media type, validators (ETag, Last-Modified), and body."""

    status: int
    kind: str
    etag: str
    modified: str
    body: bytes


class Answers:
    """The cached responses of one service. Each is stored at once, so that an interruption loses none."""

    def __init__(self, connection: sqlite3.Connection, address: str) -> None:
        self.connection = connection
        found = connection.execute("SELECT address, number, is_complete FROM source").fetchone()
        if found is None or found[0] != address:
            connection.execute("DELETE FROM source")
            connection.execute("DELETE FROM answer")
            connection.execute("INSERT INTO source VALUES (?, 1, 0)", (address,))
            found = (address, 1, 0)
        self.number = int(found[1])
        if found[2]:  # the last import was complete: this import requests everything again
            self.number += 1
            connection.execute("UPDATE source SET number = ?, is_complete = 0", (self.number,))

    def current(self, target: str) -> Answer | None:
        """Return the response that this import has already fetched, or None."""
        return self._find("target = ? AND number = ?", target, self.number)

    def former(self, target: str) -> Answer | None:
        """Return the response that this or an earlier import has fetched, or None."""
        return self._find("target = ?", target)

    def _find(self, condition: str, *values: str | int) -> Answer | None:
        sql = f"SELECT status, kind, etag, modified, body FROM answer WHERE {condition}"  # noqa: S608 - of the code
        found = self.connection.execute(sql, values).fetchone()
        return Answer._make(found) if found else None

    def keep(self, target: str, answer: Answer) -> None:
        """Store a response."""
        row = (target, self.number, *answer)
        self.connection.execute("INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    def confirm(self, target: str) -> None:
        """Record that a cached response is still valid."""
        self.connection.execute("UPDATE answer SET number = ? WHERE target = ?", (self.number, target))

    def complete(self) -> None:
        """Record that everything was fetched, and delete the responses that this import did not use."""
        self.connection.execute("UPDATE source SET is_complete = 1")
        self.connection.execute("DELETE FROM answer WHERE number < ?", (self.number,))


@contextmanager
def open_answers(file: Path, address: str) -> Iterator[Answers]:
    """Open the cache of a service in a file; a new or broken file starts empty. Raises `OutputError`."""
    with as_output_error(file.parent):
        file.parent.mkdir(parents=True, exist_ok=True)
    try:
        with closing(_connect(file)) as connection:
            yield Answers(connection, address)
    except sqlite3.Error as error:
        raise _unusable(file, error) from None


def _unusable(file: Path, error: sqlite3.Error) -> OutputError:
    """Return the error for a cache that is in use, on a full disk, or broken."""
    code = getattr(error, "sqlite_errorcode", None)
    if code == sqlite3.SQLITE_BUSY:
        return OutputError(
            say("another import is writing {target}", target=file), say("wait until it is done")
        )
    if code in FULL:
        return unwritable(file, file_error(error))
    return OutputError(
        say("{file} cannot be used: {error}", file=file, error=error),
        say("remove it: everything is fetched again"),
    )


def _connect(file: Path) -> sqlite3.Connection:
    """Open a cache. A broken file is removed: everything is fetched again."""
    try:
        return _opened(file)
    except sqlite3.OperationalError:  # it may be whole: the disk is full, or another import uses it
        raise
    except sqlite3.DatabaseError:
        for broken in file.parent.glob(f"{file.name}*"):
            broken.unlink(missing_ok=True)
        return _opened(file)


def _opened(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, isolation_level=None, timeout=1)
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = OFF")
        if version != FORMAT:
            if version or connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                raise sqlite3.DatabaseError(say("another format"))
            connection.executescript(f"BEGIN;{SCHEMA}PRAGMA user_version = {FORMAT};COMMIT;")
    except sqlite3.Error:
        connection.close()
        raise
    return connection
