"""Open SQLite databases, whose queries are limited in steps, in time and in what they return."""

import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Any

from labgen.formats.budget import MEGABYTE, Budget
from labgen.problems.text import say
from labgen.source.tables.books import Book, SheetCells, limited
from labgen.source.tables.cell_texts import cell_text
from labgen.source.tables.containers import MOST_SHEETS
from labgen.source.tables.unreadable import COPY_AGAIN, UnreadableError

SIDE_FILES = ("-wal", "-journal", "-shm")
"""The endings of the names of files that SQLite keeps beside an open database."""

ENDLESS_VIEW = say("write its rows into a table, and leave the view out")


def open_database(path: Path, file: str, budget: Budget) -> Book:
    """Return a database, which is only read. Raises `UnreadableError`."""
    for ending in SIDE_FILES:
        with suppress(OSError):
            if Path(f"{path}{ending}").stat().st_size and ending != "-shm":
                message = say(
                    "`{file}` is being changed: its latest changes are in `{file}{ending}`",
                    file=file,
                    ending=ending,
                )
                raise UnreadableError(message, say("end the program that has it open"))

    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_SQLITE)
        return connection

    def read(sheet: str) -> SheetCells:
        quoted, called = sheet.replace('"', '""'), say("table `{sheet}` of `{file}`", sheet=sheet, file=file)
        with _explained(file, sheet), closing(connect()) as connection:
            steps = Steps(connection)
            found = connection.execute(f'SELECT * FROM "{quoted}"')  # noqa: S608 - a table's name, quoted
            header = [str(one[0]) for one in found.description]
            rows = chain([header], steps.texts(found))
            return SheetCells(list(limited(rows, sheet, called, file, budget)))

    with _explained(file), closing(connect()) as connection:
        (pages,), (size,) = (
            connection.execute(f"PRAGMA {one}").fetchone() for one in ("page_count", "page_size")
        )
        if path.stat().st_size < pages * size:
            raise UnreadableError(say("`{file}` ends too early", file=file), COPY_AGAIN)
        sql = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY rowid LIMIT ?"
        listed = connection.execute(sql, (2 * MOST_SHEETS,))
        sheets = [name for (name,) in listed if not name.startswith("sqlite_")]
    return Book(file, sheets, read)


STEPS_AT_ONCE, MOST_STEPS, STEPS_OF_A_ROW = 1_000, 100_000_000, 500
"""Instructions of SQLite between two counts, how many a query may take, and how many more for each row."""
MOST_SECONDS = 10
"""How much time of the processor a query may take: an instruction that makes long texts takes long."""
LONGEST_SQLITE = 32 * MEGABYTE
"""The longest value that SQLite may make or return, in bytes."""


class Steps:
    """Counts the instructions that SQLite carries out for a query, and interrupts it if they are too many."""

    def __init__(self, connection: sqlite3.Connection | None) -> None:
        self.left = MOST_STEPS
        self.ends = time.thread_time() + MOST_SECONDS
        if connection is not None:
            connection.set_progress_handler(self._count, STEPS_AT_ONCE)

    def _count(self) -> bool:
        self.left -= STEPS_AT_ONCE
        return self.left < 0 or time.thread_time() > self.ends

    def texts(self, rows: Iterable[Sequence[Any]]) -> Iterator[list[str]]:
        """Yield the texts of the rows of the query."""
        for row in rows:
            came = time.thread_time()
            self.left += STEPS_OF_A_ROW
            yield [cell_text(value) for value in row]
            self.ends += time.thread_time() - came  # what is done with a row is not the query's


@contextmanager
def _explained(file: str, table: str = "") -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", None)  # none where it is Python that cannot read a text
        if name == "SQLITE_INTERRUPT":
            message = say(
                "the view `{table}` of `{file}` takes too long, or has no end", table=table, file=file
            )
            raise UnreadableError(message, ENDLESS_VIEW, (table,), "too-large") from None
        if name == "SQLITE_TOOBIG":
            message = say(
                "`{table}` of `{file}` holds a value of more than {longest_sqlite} MB",
                table=table,
                file=file,
                longest_sqlite=LONGEST_SQLITE // MEGABYTE,
            )
            raise UnreadableError(message, say("shorten it"), (table,), "too-large") from None
        raise UnreadableError(
            say("`{file}` cannot be read by SQLite: {error}", file=file, error=error),
            say("save it again"),
            (table,) if table else (),
        ) from None
