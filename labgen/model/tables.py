"""Derive from the records the tables in which data can be written: their names, columns, and types of cells.

A laboratory is a row of the table `laboratories`. Its lists are cells of that row, or rows of other tables.
Each shared list is a table. A new field, list or catalogue gets its column or table automatically.
"""

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, NamedTuple, get_origin

from labgen.model.catalogues import SHARED_LISTS
from labgen.model.record_fields import inner_model, is_list, marks_of, types_in, written_fields
from labgen.model.records import LaboratoryRecord, Record
from labgen.model.values import DATE, DECIMAL, RefersTo
from labgen.system.input_files import LABORATORIES

DISPLAY_ID = "display_id"
ID_COLUMN = "id"
"""The column of an entry's id, which a laboratory's own lists may omit: then entries are numbered."""
NAME_OF_OWN = "laboratory_"
"""The prefix of the names of tables with a list of plain values of laboratories, one value per row."""


class CellType(Enum):
    """The type of the values of a cell, by its name in the documentation."""

    TEXT = "text"
    WHOLE = "whole number"
    DECIMAL = "number"
    YES_NO = "yes or no"
    DATE = "date"
    JSON = "JSON"


class Column(NamedTuple):
    """A column of a table: its name, with dots if `keys` lead into nested records, and the type of its cells.

    If `is_list`, a cell contains several values. `names` is the list that the values refer to, or "".
    """

    name: str
    keys: tuple[str, ...]
    kind: CellType
    is_list: bool
    target_list: str
    is_required: bool
    description: str


class Table(NamedTuple):
    """A table: its name, the record type of its rows, and its columns by name.

    `field` is the list of a laboratory whose entries the rows are, or "". If `is_of_values`, a row is a plain
    value of that list, not a record.
    """

    name: str
    record: type[Record]
    columns: Mapping[str, Column]
    field: str = ""
    is_of_values: bool = False


STATUSES = {"deal_status": "deal_statuses", "verification_status": "verification_statuses"}
"""The table of the settings that defines the values of a status, by the field of the status."""


def _columns(model: type[Record], keys: tuple[str, ...] = (), *, is_needed: bool = True) -> Iterator[Column]:
    """Yield the columns of a record; those of a nested record are prefixed with its key and a dot."""
    for key, field in written_fields(model).items():
        inner, has_several = inner_model(field.annotation), is_list(field.annotation)
        path = (*keys, key)
        if key.startswith("_"):
            continue
        if inner and not has_several:
            yield from _columns(inner, path, is_needed=False)
            continue
        marks = list(marks_of(field))
        names = next((one.stem for one in marks if isinstance(one, RefersTo)), STATUSES.get(key, ""))
        kind = CellType.JSON if inner else _kind(field.annotation, marks)
        is_required = is_needed and field.is_required()
        yield Column(".".join(path), path, kind, has_several, names, is_required, field.description or "")


def _kind(annotation: Any, marks: list[Any]) -> CellType:
    if DATE in marks:
        return CellType.DATE
    if DECIMAL in marks:
        return CellType.DECIMAL
    if get_origin(annotation) is dict:
        return CellType.JSON
    types = set(types_in(annotation))
    return next(
        (kind for one, kind in ((bool, CellType.YES_NO), (int, CellType.WHOLE)) if one in types),
        CellType.TEXT,
    )


def singular(name: str) -> str:
    """Return the singular of the name of a list: `material` for `materials`."""
    return name[:-3] + "y" if name.endswith("ies") else name.removesuffix("s")


def table_of(name: str, model: type[Record]) -> Table:
    """Return the table with this name whose rows are records of this type."""
    return Table(name, model, {one.name: one for one in _columns(model)})


LABORATORY_TABLE = table_of(LABORATORIES, LaboratoryRecord)
_OWNER = LABORATORY_TABLE.columns[DISPLAY_ID]


def _own_tables() -> Iterator[Table]:
    """Yield the tables of the lists of laboratories: of records, or of plain values."""
    for column in LABORATORY_TABLE.columns.values():
        if not column.is_list:
            continue
        inner = inner_model(written_fields(LaboratoryRecord)[column.name].annotation)
        if inner:
            columns = {DISPLAY_ID: _OWNER, **table_of(column.name, inner).columns}
            if ID_COLUMN in columns:
                columns[ID_COLUMN] = columns[ID_COLUMN]._replace(is_required=False)
            yield Table(column.name, inner, columns, field=column.name)
        else:
            one = column._replace(name=singular(column.name), is_list=False, is_required=True)
            columns = {DISPLAY_ID: _OWNER, one.name: one}
            name = f"{NAME_OF_OWN}{column.name}"
            yield Table(name, LaboratoryRecord, columns, field=column.name, is_of_values=True)


OWN_TABLES = {one.name: one for one in _own_tables()}
"""The tables of the lists of laboratories, by name; the first column is the display_id."""

LIST_TABLES = {one.stem: table_of(one.stem, one.record) for one in SHARED_LISTS}
"""The tables of the shared lists, by name."""

TABLES: Mapping[str, Table] = {LABORATORIES: LABORATORY_TABLE} | OWN_TABLES | LIST_TABLES
"""All tables, by name."""
