"""Cache the answers of a service: an interrupted import resumes, and a repeated one fetches less."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from labgen.output.errors import OutputError

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
    """An answer of a service: the status, the media type, its validator (ETag or date), and the body."""

    status: int
    kind: str
    etag: str
    modified: str
    body: bytes


class Answers:
    """The answers of one service. Each is kept as soon as it is there, whatever happens then."""

    def __init__(self, connection: sqlite3.Connection, address: str) -> None:
        self.connection = connection
        found = connection.execute("SELECT address, number, is_complete FROM source").fetchone()
        if found is None or found[0] != address:
            connection.execute("DELETE FROM source")
            connection.execute("DELETE FROM answer")
            connection.execute("INSERT INTO source VALUES (?, 1, 0)", (address,))
            found = (address, 1, 0)
        self.number = int(found[1])
        if found[2]:  # all was fetched: whatever is asked for now is asked for again
            self.number += 1
            connection.execute("UPDATE source SET number = ?, is_complete = 0", (self.number,))

    def current(self, target: str) -> Answer | None:
        """Return what this import has fetched already."""
        return self._find("target = ? AND number = ?", target, self.number)

    def former(self, target: str) -> Answer | None:
        """Return what this or an earlier import has fetched."""
        return self._find("target = ?", target)

    def _find(self, condition: str, *values: str | int) -> Answer | None:
        sql = f"SELECT status, kind, etag, modified, body FROM answer WHERE {condition}"  # noqa: S608 - of the code
        found = self.connection.execute(sql, values).fetchone()
        return Answer._make(found) if found else None

    def keep(self, target: str, answer: Answer) -> None:
        """Keep an answer."""
        row = (target, self.number, *answer)
        self.connection.execute("INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    def confirm(self, target: str) -> None:
        """Record that a cached answer is still valid."""
        self.connection.execute("UPDATE answer SET number = ? WHERE target = ?", (self.number, target))

    def complete(self) -> None:
        """Record that everything was fetched."""
        self.connection.execute("UPDATE source SET is_complete = 1")
        self.connection.execute("DELETE FROM answer WHERE number < ?", (self.number,))


@contextmanager
def open_answers(file: Path, address: str) -> Iterator[Answers]:
    """Open the answers of a service, if there are any in a file. Raises `OutputError`."""
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        connection = _connect(file)
    except sqlite3.Error:  # what is broken is fetched again
        for broken in file.parent.glob(f"{file.name}*"):
            broken.unlink(missing_ok=True)
        connection = _connect(file)
    try:
        yield Answers(connection, address)
    except sqlite3.Error as error:
        raise OutputError(
            f"{file} cannot be used: {error}", "remove it: everything is fetched again"
        ) from None
    finally:
        with suppress(sqlite3.Error):
            connection.close()


def _connect(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, isolation_level=None, timeout=1)
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = OFF")
    if version != FORMAT:
        if version or connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            connection.close()
            raise sqlite3.DatabaseError("another format")
        connection.executescript(f"BEGIN;{SCHEMA}PRAGMA user_version = {FORMAT};COMMIT;")
    return connection
