"""Read tables from a database with the SQL queries of a mapping file, one for each table of labgen."""

from itertools import chain
from typing import TYPE_CHECKING, Any

from labgen.importing.foreign_tables import Foreign, Written, adapted
from labgen.importing.mapping import ImportFailedError, Mapped
from labgen.problems.text import say
from labgen.source.tables.books import Steps, limited
from labgen.source.tables.containers import UnreadableError

if TYPE_CHECKING:
    from sqlalchemy import Connection

THERE = say("the database")
HOW = say("`labgen import --mapping-example` prints a mapping file to start from")


def tables_in_database(address: str, mapped: Mapped) -> Foreign:
    """Run the queries of a mapping, and return the tables that they produce.

    Raises `ImportFailedError`, and `UnfitMappingError` if the mapping names a column that no query produces.

    No changes are committed. On PostgreSQL, the transaction is read-only, and all queries see one snapshot.
    """
    if not mapped.sql:
        raise ImportFailedError(say("a database is read with a mapping file that has SQL"), HOW)
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
                found[name] = _rows_of(connection, name, sql.replace("%", "%%") if has_marks else sql, mapped)
    except ImportError as error:
        hint = say("install the driver of your database (pip install 'psycopg[binary]' for PostgreSQL)")
        raise ImportFailedError(say("the database cannot be reached: {error}", error=error), hint) from None
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


def _rows_of(connection: "Connection", name: str, sql: str, mapped: Mapped) -> Written:
    """Return the rows of a query, within the budget. Raises `ImportFailedError`."""
    driver: Any = connection.connection.driver_connection
    steps = Steps(driver if connection.dialect.name == "sqlite" else None)
    is_query = sql.lstrip().lower().startswith("select")  # what else there is, no cursor can read
    result = connection.execution_options(stream_results=is_query).exec_driver_sql(sql)
    rows = chain([list(result.keys())], steps.texts(result))
    try:
        return Written(
            THERE,
            name,
            list(limited(rows, name, say("the SQL of `{name}`", name=name), THERE, mapped.budget)),
        )
    except UnreadableError as error:
        raise ImportFailedError(str(error), error.hint) from None


def _with_driver(address: str) -> str:
    """Return a database URL; for PostgreSQL, select psycopg, the driver that labgen is tested with."""
    scheme, _, rest = address.partition("://")
    return f"postgresql+psycopg://{rest}" if scheme in ("postgresql", "postgres") else address
