"""Read tables from a database with the SQL queries of a mapping file, one for each table of labgen."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from labgen.importing.headers import Foreign, Written, adapted
from labgen.importing.mapping import ImportFailedError, Mapped
from labgen.problems.text import say, text_of
from labgen.source.tables.books import SheetCells, limited
from labgen.source.tables.databases import Steps
from labgen.source.tables.unreadable import UnreadableError
from labgen.system.progress import Progress, silent

if TYPE_CHECKING:
    from sqlalchemy import Connection

THERE = say("the database")
HOW = say("`labgen import --mapping-example` prints a mapping file to start from")


def tables_in_database(address: str, mapped: Mapped, progress: Progress = silent) -> Foreign:
    """Run the queries of a mapping, and return the tables that they produce.

    Raises `ImportFailedError`, and `UnfitMappingError` if the mapping names a column that no query produces.

    No changes are committed. On PostgreSQL, the transaction is read-only, and all queries see one snapshot.
    """
    if not mapped.sql:
        raise ImportFailedError(say("a database is read with a mapping file that has SQL"), HOW)
    _require_one_each(mapped.sql)
    try:
        import sqlalchemy
        from sqlalchemy.exc import DBAPIError, SQLAlchemyError
    except ImportError:
        hint = say(
            "install it: pip install sqlalchemy, and the driver of your database (psycopg for PostgreSQL)"
        )
        raise ImportFailedError(say("databases can be read with the package sqlalchemy only"), hint) from None
    found: dict[str, Written] = {}
    name = "laboratories"
    try:
        engine = sqlalchemy.create_engine(_with_driver(address), poolclass=sqlalchemy.pool.NullPool)
        has_marks = engine.dialect.paramstyle in ("format", "pyformat")  # which require %% for %
        with engine.connect() as connection:
            if engine.dialect.name == "postgresql":
                connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            for name, sql in mapped.sql.items():
                whole = sql.replace("%", "%%") if has_marks else sql
                tell = partial(_tell, progress, sum(len(one.rows) for one in found.values()))
                found[name] = _rows_of(connection, name, whole, mapped, tell)
    except ImportError as error:
        raise _without_driver(address, error) from None
    except DBAPIError as error:
        reason = str(error.orig).strip().partition("\n")[0]
        if "interrupted" in reason:
            reason = say("it takes too long, or has no end")
        if not found and error.statement is None:
            raise ImportFailedError(say("the database cannot be reached: {reason}", reason=reason)) from None
        raise ImportFailedError(
            say("the SQL of `{name}` fails: {reason}", name=name, reason=reason),
            say("correct it in the mapping file"),
        ) from None
    except SQLAlchemyError as error:
        raise ImportFailedError(
            say("the address of the database is not understood: {error}", error=error)
        ) from None
    return adapted(found, mapped, [])


_APART = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|--[^\n]*|/\*.*?\*/|(\$\w*\$).*?\1""", re.DOTALL)
"""The parts of SQL in which a semicolon ends no statement: texts, names and comments."""


def _require_one_each(queries: Mapping[str, str]) -> None:
    """Raise `ImportFailedError` if there is a second statement somewhere: only one would be read."""
    for name, sql in queries.items():
        if re.search(r";\s*\S", _APART.sub(" ", sql)):
            message = say("the SQL of `{name}` has a second statement behind a semicolon", name=name)
            raise ImportFailedError(message, say("write one query; a view can stand for what it takes"))


_PACKAGES = {
    "MySQLdb": "mysqlclient", "psycopg": "'psycopg[binary]'", "psycopg2": "psycopg2-binary",
}  # fmt: skip
"""The packages of drivers, where they are not called like the modules that SQLAlchemy imports."""


def _without_driver(address: str, error: ImportError) -> ImportFailedError:
    """Return the failure for a database whose driver is not installed."""
    dialect = address.partition("://")[0].partition("+")[0]
    module = error.name or str(error)
    return ImportFailedError(
        say(
            "the driver for {dialect} is missing: there is no module {module}", dialect=dialect, module=module
        ),
        say("install it: pip install {package}", package=_PACKAGES.get(module, module)),
    )


COUNTED = 1000
"""After so many rows each, the progress of a query is told."""


def _rows_of(
    connection: "Connection", name: str, sql: str, mapped: Mapped, tell: Callable[[int], None]
) -> Written:
    """Return the rows of a query, within the budget. Raises `ImportFailedError`."""
    driver: Any = connection.connection.driver_connection
    steps = Steps(driver if connection.dialect.name == "sqlite" else None)
    is_query = sql.lstrip().lower().startswith("select")  # what else there is, no cursor can read
    result = connection.execution_options(stream_results=is_query).exec_driver_sql(sql)
    rows = _counted(chain([list(result.keys())], steps.texts(result)), tell)
    try:
        return Written(
            THERE,
            name,
            SheetCells(
                list(limited(rows, name, say("the SQL of `{name}`", name=name), THERE, mapped.budget))
            ),
        )
    except UnreadableError as error:
        raise ImportFailedError(text_of(error), error.hint) from None


def _counted(rows: Iterable[list[str]], tell: Callable[[int], None]) -> Iterator[list[str]]:
    for number, row in enumerate(rows):
        if number % COUNTED == 0:
            tell(number)
        yield row


def _tell(progress: Progress, before: int, count: int) -> None:
    progress("rows", before + count, before + count)


def _with_driver(address: str) -> str:
    """Return a database URL; for PostgreSQL, select psycopg, the driver that labgen is tested with."""
    scheme, _, rest = address.partition("://")
    return f"postgresql+psycopg://{rest}" if scheme in ("postgresql", "postgres") else address
