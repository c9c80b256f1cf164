"""Store what labgen remembers of the last build: the SQLite database of an output folder.

`Memory` is the open database; other modules of this package define what is read and written. It holds nothing
that cannot be made again from the project. So a database that cannot be used (another format, broken, locked,
read-only) is ignored, and the next build makes a new one.

A build works on the database in one transaction. If there is no database yet, the build fills a new one in an
unlinked temporary file, which needs little working memory, and copies it at the end. Either way, the file
changes at one moment (`commit`), just before the journal of the output is put in its place: a build that is
killed leaves the old database or the new one. What is checked or exported has such a file, too, which is
not kept. Only the process that opened the database may use it: data that
forked processes need is read before the fork.
"""

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import mkstemp
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

import orjson

from labgen.memory.checksum import Checksum, is_sealed, seal
from labgen.memory.schema import FORMAT, SCHEMA
from labgen.model.site_paths import STATE
from labgen.problems.text import say
from labgen.system.input_files import digest_of

LONGEST = 100
"""Maximum length of a database's name; a longer name is replaced with its digest."""

Value = TypeVar("Value")


class SiteState(NamedTuple):
    """The remembered state of a site as a whole: the row of the table `site`."""

    program: str
    made_from: str
    sources: bytes
    links: bytes
    files: int
    manifest: str


class Memory:
    """The open database of a site. `is_new`: nothing was remembered when it was opened.

    `checksum` is that of the file when it was opened for an update.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        file: Path | None,
        *,
        is_new: bool,
        checksum: Checksum | None = None,
    ) -> None:
        self.connection = connection
        self.file = file
        self.is_new = is_new
        self.checksum = checksum
        self.sealing: Checksum | None = None

    def require_sound(self) -> None:
        """Raise `sqlite3.DatabaseError` if the file is not as the last build left it."""
        if self.file and self.checksum and not is_sealed(self.file, self.checksum):
            raise sqlite3.DatabaseError(say("it is damaged"))

    def execute(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
        """Run an SQL statement, and return its cursor."""
        return self.connection.execute(sql, parameters)

    def column(self, sql: str, *parameters: Any) -> list[Any]:
        """Return the values of a query with one column."""
        return [value for (value,) in self.connection.execute(sql, parameters)]

    def value(self, sql: str, *parameters: Any) -> Any:
        """Return the first value of a query, or None if it has no rows."""
        return next((value for (value,) in self.connection.execute(sql, parameters)), None)

    def write(self, sql: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Run an SQL statement once for each row of parameters."""
        self.connection.executemany(sql, rows)

    @property
    def site(self) -> SiteState | None:
        """The remembered state of the site, or None."""
        found = self.execute("SELECT * FROM site").fetchone()
        return SiteState._make(found) if found else None

    def note_site(self, site: SiteState) -> None:
        """Store the state of the site as a whole. This is done last."""
        self.execute("DELETE FROM site")
        self.execute("INSERT INTO site VALUES (?, ?, ?, ?, ?, ?)", *site)

    def prepare_commit(self) -> None:
        """Do the slow part of `commit` in advance: write a new database beside its final place."""
        if self.file and self.is_new:
            try:
                self.execute("COMMIT")
                self.file.parent.mkdir(exist_ok=True)
                _new(self.file).unlink(missing_ok=True)
                with _connected(str(_new(self.file))) as target:
                    target.execute("PRAGMA journal_mode = OFF")
                    self.connection.backup(target)
            except (sqlite3.Error, OSError):
                with suppress(OSError):
                    _new(self.file).unlink(missing_ok=True)

    def commit(self) -> None:
        """Commit the changes; if that fails, the next build starts without memory."""
        if self.file is None:
            return
        with suppress(sqlite3.Error, OSError):
            if not self.is_new:
                self.execute("COMMIT")
                self.sealing = Checksum(self.file)
                return
            self.file.unlink(missing_ok=True)
            journal_of(self.file).unlink(missing_ok=True)  # it would be taken for that of the new database
            _new(self.file).replace(self.file)
            self.sealing = Checksum(self.file)

    def close(self) -> None:
        """Finish what `commit` began."""
        if self.file and self.sealing:
            seal(self.file, self.sealing)
            self.sealing.close()


LISTED = "IN (SELECT value FROM json_each(?))"


def listed(values: Iterable[Any]) -> str:
    """Encode values as JSON, for the parameter of `LISTED`."""
    return orjson.dumps(list(values)).decode()


def memory_file(root: Path, out: Path) -> Path:
    """Return the path of the database of the site in `out`."""
    real = os.path.realpath(root)
    name = quote(os.fsencode(os.path.relpath(os.path.realpath(out), real)), safe="")
    stem = name if len(name) <= LONGEST else digest_of(name.encode()).hex()
    return Path(real, STATE, f"{stem}.sqlite")


def journal_of(file: Path) -> Path:
    """Return the path of SQLite's rollback journal for a database."""
    return file.with_name(f"{file.name}-journal")


def update_in_place(file: Path, update: Callable[[Memory], None]) -> None:
    """Change a site's database outside of a build; one that is damaged or in use stays as it is."""
    with suppress(OSError, *BROKEN), closing(Checksum(file)) as checksum, _connected(_existing(file)) as it:
        it.execute("BEGIN IMMEDIATE")
        with closing(Memory(it, file, is_new=False, checksum=checksum)) as memory:
            memory.require_sound()
            update(memory)
            memory.commit()


BROKEN = (sqlite3.Error, LookupError, TypeError, ValueError, ArithmeticError, AttributeError)
"""Exceptions that a damaged database can raise."""


def query_database(file: Path, question: Callable[[Memory], Value]) -> Value | None:
    """Run a query on a site's database; return None if the database is missing or unusable."""
    try:
        with _connected(_existing(file)) as connection:
            memory = Memory(connection, file, is_new=False)
            return question(memory) if memory.value("PRAGMA user_version") == FORMAT else None
    except (OSError, *BROKEN):
        return None


@contextmanager
def open_existing(file: Path, made_from: str) -> Iterator[Memory]:
    """Open the database of a site for an update. Raises one of `BROKEN`, also later, if it cannot be used."""
    with closing(Checksum(file)) as checksum, _connected(_existing(file)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        with closing(Memory(connection, file, is_new=False, checksum=checksum)) as memory:
            if memory.site is None or memory.site.made_from != made_from:
                raise sqlite3.DatabaseError(say("it is about another site now"))
            yield memory


@contextmanager
def open_empty(file: Path | None) -> Iterator[Memory]:
    """Open an empty database, which replaces `file` when it is kept.

    Until then it is an unlinked temporary file in the same folder, so that it leaves nothing behind; if
    `file` is None, in that of temporary files. If none can be created, the database is in working memory.
    Raises `sqlite3.Error`, also later, if the disk is full.
    """
    name = _temporary(file)
    with _connected(name or ":memory:") as connection:
        connection.execute("PRAGMA journal_mode = OFF")  # a database that breaks is discarded
        connection.execute(f"PRAGMA cache_size = -{CACHE}")
        connection.executescript(f"BEGIN;PRAGMA user_version = {FORMAT};{SCHEMA}")
        if name:
            Path(name).unlink()
        with closing(Memory(connection, file, is_new=True)) as memory:
            yield memory


CACHE = 32 << 10
"""Kilobytes of a new database that are held in working memory."""


def _temporary(beside: Path | None) -> str | None:
    """Create a temporary file, beside another file if there is one; return its name, None if that fails."""
    with suppress(OSError):
        if beside:
            beside.parent.mkdir(exist_ok=True)
        prefix, folder = (f"{beside.name}.", beside.parent) if beside else ("labgen-", None)
        number, name = mkstemp(prefix=prefix, dir=folder)
        os.close(number)
        return name
    return None


@contextmanager
def _connected(name: str) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(name, uri=True, isolation_level=None, timeout=PATIENCE)
    try:
        connection.execute("PRAGMA synchronous = OFF")  # no data has to survive a crash of the machine
        yield connection
    finally:
        connection.close()


PATIENCE = 1.0
"""Seconds to wait for another build that is writing."""


PAGE_SIZE = 512
"""The size of each database in bytes is a multiple of this: the smallest page size of SQLite."""


def _existing(file: Path) -> str:
    if not file.is_file():
        raise sqlite3.DatabaseError(say("it is missing"))
    if file.stat().st_size % PAGE_SIZE:
        raise sqlite3.DatabaseError(say("its last page is cut"))
    return f"{file.as_uri()}?mode=rw"


def _new(file: Path) -> Path:
    return file.with_name(f"{file.name}.new")
