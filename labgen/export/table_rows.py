"""Convert records to rows of the tables in which data can be written (`model.tables`), and to JSON Lines.

Rows have all values; lines of JSON omit defaults. E-mail addresses and phone numbers of contacts are
published only encoded, so they are left out unless requested.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from labgen.model.records import ContactRecord, LaboratoryRecord, Record
from labgen.model.tables import DISPLAY_ID, OWN_TABLES, TABLES, Column, Table
from labgen.system.input_files import LABORATORIES

Cell = str | int | None
Row = Mapping[str, Cell]


@dataclass(frozen=True, slots=True)
class ExportSelection:
    """Selects the data to export: with `has_contacts`, also contacts' e-mail addresses and phone numbers."""

    has_contacts: bool = False

    def columns(self, table: Table) -> list[Column]:
        """Return the exported columns of a table. The lists of laboratories are in separate tables."""
        return [one for one in table.columns.values() if self._is_column(one, table)]

    def _is_column(self, column: Column, table: Table) -> bool:
        is_list = column.is_list and table.name == LABORATORIES and column.name != CAN_BE_NONE
        return not is_list and (self.has_contacts or not _is_private(column.keys))

    def laboratory(self, record: LaboratoryRecord) -> Iterator[tuple[str, Row]]:
        """Yield the rows of a laboratory, each with the name of its table."""
        value = record.model_dump(by_alias=True)
        own = {column.name: value.pop(column.name, None) for column in _LISTS}
        yield LABORATORIES, self._row(value | _none(own), TABLES[LABORATORIES])
        for table in OWN_TABLES.values():
            for entry in own[table.field] or ():
                owner = {DISPLAY_ID: record.display_id}
                if table.is_of_values:
                    yield table.name, {**owner, _value_column(table): entry}
                else:
                    yield table.name, self._row(owner | entry, table)

    def entry(self, record: Record, table: Table) -> Row:
        """Convert an entry of a shared list to a row."""
        return self._row(record.model_dump(by_alias=True), table)

    def _row(self, value: Mapping[str, Any], table: Table) -> Row:
        return {one.name: _cell(_at(value, one.keys), one) for one in self.columns(table)}

    def line(self, record: Record) -> bytes:
        """Convert a laboratory or an entry to a line of JSON, as in source files."""
        value = record.model_dump(by_alias=True, exclude_defaults=True)
        value.pop("_note", None)
        if not self.has_contacts and "contact_person" in value:
            kept = {key: one for key, one in value["contact_person"].items() if key not in _PRIVATE}
            value["contact_person"] = kept
            if not kept:
                del value["contact_person"]
        return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)


CAN_BE_NONE = "similar_labs"
"""The list that is computed if a record lacks it; an empty list means that the laboratory has none."""
_PRIVATE = ContactRecord.encoded
_LISTS = tuple(one for one in TABLES[LABORATORIES].columns.values() if one.is_list)


def _none(own: Mapping[str, Any]) -> dict[str, Any]:
    return {CAN_BE_NONE: []} if own[CAN_BE_NONE] == [] else {}


def _is_private(keys: tuple[str, ...]) -> bool:
    return keys[0] == "contact_person" and keys[-1] in _PRIVATE


def _value_column(table: Table) -> str:
    return next(name for name in table.columns if name != DISPLAY_ID)


def _at(value: Any, keys: Iterable[str]) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _cell(value: Any, column: Column) -> Cell:
    """Convert a value to a cell; lists and objects become JSON."""
    if isinstance(value, list | dict):
        return orjson.dumps(value).decode() if value or column.name == CAN_BE_NONE else None
    cell: Cell = value
    return cell
