"""Read tables from a database with the SQL queries of a mapping file, one for each table of labgen."""

from labgen.importing.foreign_tables import Foreign, Written, adapted
from labgen.importing.mapping import ImportFailedError, Mapped
from labgen.source.tables.cell_texts import cell_text

HOW = "`labgen import --mapping-example` prints a mapping file to start from"


def tables_in_database(address: str, mapped: Mapped) -> Foreign:
    """Run the queries of a mapping, and return the tables that they produce.

    Raises `ImportFailedError`, and `UnfitMappingError` if the mapping names a column that no query produces.

    No changes are committed. On PostgreSQL, the transaction is read-only, and all queries see one snapshot.
    """
    if not mapped.sql:
        raise ImportFailedError("a database is read with a mapping file that has SQL", HOW)
    try:
        import sqlalchemy
        from sqlalchemy.exc import DBAPIError, SQLAlchemyError
    except ImportError:
        hint = "install it: pip install sqlalchemy, and the driver of your database (psycopg for PostgreSQL)"
        raise ImportFailedError("databases can be read with the package sqlalchemy only", hint) from None
    found: dict[str, Written] = {}
    name = "laboratories"
    try:
        engine = sqlalchemy.create_engine(_with_driver(address), poolclass=sqlalchemy.pool.NullPool)
        has_marks = engine.dialect.paramstyle in ("format", "pyformat")  # which require %% for %
        with engine.connect() as connection:
            if engine.dialect.name == "postgresql":
                connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            for name, sql in mapped.sql.items():
                result = connection.exec_driver_sql(sql.replace("%", "%%") if has_marks else sql)
                rows = ([cell_text(value) for value in row] for row in result)
                found[name] = Written("the database", name, [list(result.keys()), *rows])
    except ImportError as error:
        hint = "install the driver of your database (pip install 'psycopg[binary]' for PostgreSQL)"
        raise ImportFailedError(f"the database cannot be reached: {error}", hint) from None
    except DBAPIError as error:
        reason = str(error.orig).strip().partition("\n")[0]
        if not found and error.statement is None:
            raise ImportFailedError(f"the database cannot be reached: {reason}") from None
        raise ImportFailedError(
            f"the SQL of `{name}` fails: {reason}", "correct it in the mapping file"
        ) from None
    except SQLAlchemyError as error:
        raise ImportFailedError(f"the address of the database is not understood: {error}") from None
    return adapted(found, mapped, [])


def _with_driver(address: str) -> str:
    """Return a database URL; for PostgreSQL, select psycopg, the driver that labgen is tested with."""
    scheme, _, rest = address.partition("://")
    return f"postgresql+psycopg://{rest}" if scheme in ("postgresql", "postgres") else address
