"""Read the remembered fingerprints of laboratories and of the entries of lists (see `model.fingerprints`)."""

from pathlib import Path

import orjson

from labgen.memory.database import Memory, query_database
from labgen.memory.sources import Fingerprints, FingerprintTables, entry_fingerprints
from labgen.model.catalogues import SHARED_LISTS
from labgen.model.fingerprints import VERSION, columns
from labgen.model.records import LaboratoryRecord, Record


def laboratory_fingerprints(memory: Memory) -> Fingerprints:
    """Return the fingerprints of all laboratories, in the order of the source."""
    sql = "SELECT display_id, fingerprint FROM laboratory ORDER BY file, line, display_id"
    return dict(memory.execute(sql))


def list_fingerprints(memory: Memory) -> dict[str, Fingerprints]:
    """Return the fingerprints of the entries of all lists."""
    return {one.stem: entry_fingerprints(memory, one.stem) for one in SHARED_LISTS}


def remembered_fingerprints(file: Path) -> FingerprintTables | None:
    """Return what the last build remembered, in its database; None if this labgen cannot compare with it."""
    return query_database(file, _remembered)


def _remembered(memory: Memory) -> FingerprintTables | None:
    if memory.value("SELECT names FROM columns") != _names():
        return None
    return FingerprintTables(laboratory_fingerprints(memory), list_fingerprints(memory))


def remember_columns(memory: Memory) -> None:
    """Store the names of the columns, by which a later labgen knows whether it has the same."""
    memory.execute("DELETE FROM columns")
    memory.execute("INSERT INTO columns VALUES (?)", _names())


def _names() -> bytes:
    models: list[type[Record]] = [LaboratoryRecord, *(one.record for one in SHARED_LISTS)]
    return orjson.dumps([VERSION, *([column.name for column in columns(model)] for model in models)])
