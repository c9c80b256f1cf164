"""Write records as Parquet files, one for each table; needs pyarrow, the extra `parquet`."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labgen.export.table_rows import ExportSelection, Row
from labgen.export.text_files import Data, all_rows
from labgen.model.tables import TABLES, CellType

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_AT_ONCE = 10_000


def write_parquet(folder: Path, data: Data, what: ExportSelection) -> list[str]:
    """Write each table that has rows, and return the file names. Raises ImportError without pyarrow."""
    from pyarrow import parquet

    waiting: defaultdict[str, list[Row]] = defaultdict(list)
    writers: dict[str, Any] = {}

    def write(name: str) -> None:
        schema = _schema(name, what)
        if name not in writers:
            writers[name] = parquet.ParquetWriter(folder / f"{name}.parquet", schema, compression="zstd")
        writers[name].write_table(_table(waiting.pop(name), schema))

    try:
        for name, row in all_rows(data, what):
            waiting[name].append(row)
            if len(waiting[name]) >= ROWS_AT_ONCE:
                write(name)
        for name in list(waiting):
            write(name)
    finally:
        for writer in writers.values():
            writer.close()
    return [f"{name}.parquet" for name in writers]


def _schema(name: str, what: ExportSelection) -> "pa.Schema":
    import pyarrow as pa

    types = {CellType.WHOLE: pa.int64(), CellType.YES_NO: pa.bool_(), CellType.DECIMAL: pa.float64()}
    columns = what.columns(TABLES[name])
    of_text = pa.string()
    return pa.schema(
        [(one.name, of_text if one.is_list else types.get(one.kind, of_text)) for one in columns]
    )


def _table(rows: Iterable[Row], schema: "pa.Schema") -> "pa.Table":
    import pyarrow as pa

    listed = list(rows)
    columns = {}
    for field in schema:
        values: list[Any] = [row.get(field.name) for row in listed]
        if pa.types.is_floating(field.type):
            values = [None if one is None else float(one) for one in values]
        columns[field.name] = pa.array(values, field.type)
    return pa.table(columns, schema=schema)
