"""Publish fingerprints in the index of the manifest, and read them: what a build elsewhere compares with.

Of a large table, the fingerprints of a sample are published: the rows whose key has a digest that a power of
two divides. So the sample does not depend on other rows, and an accident of a column shows in it.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar
from zlib import crc32

from labgen.memory.database import Memory
from labgen.memory.fingerprints import laboratory_fingerprints
from labgen.memory.remembered_laboratories import Changes, count
from labgen.memory.sources import Fingerprints, FingerprintTables, entry_fingerprints
from labgen.model.catalogues import SHARED_LISTS
from labgen.model.fingerprints import POSITION, VERSION, columns
from labgen.model.records import LaboratoryRecord, Record
from labgen.pipeline.accidents import FEWEST_ROWS
from labgen.pipeline.load_data import Source
from labgen.system.input_files import LABORATORIES

SAMPLE = 256
"""The greatest average number of rows of a table whose fingerprints are published."""
DIGITS = 8
"""Hexadecimal digits of a number of a fingerprint."""
MODELS: dict[str, type[Record]] = {LABORATORIES: LaboratoryRecord} | {
    one.stem: one.record for one in SHARED_LISTS
}
Published = Mapping[str, Any]
"""The member `columns` of the index: for each table `names`, the number of rows, `every`, and `rows`."""
Row = TypeVar("Row")


def publish_columns(source: Source, memory: Memory, before: Published) -> Published:
    """Return the fingerprints to publish; `before` are those of the published site, if it is known."""
    size = count(memory)
    if size < FEWEST_ROWS:
        return {}
    old = before.get(LABORATORIES, {})
    is_same = not memory.is_new and _head(old) == _head(_table(LABORATORIES, size, {}))
    if is_same:
        rows = _updated(old["rows"], source.changes, every_of(size))
    else:
        found = sampled(laboratory_fingerprints(memory), every_of(size))
        rows = {key: _to_text(array("I", row)) for key, row in found.items()}
    published = {LABORATORIES: _table(LABORATORIES, size, rows)}
    if not memory.is_new and before.keys() - published and not source.edits.are_lists_new:
        return published | {stem: one for stem, one in before.items() if stem != LABORATORIES}
    for stem in source.shared.lists:
        entries = entry_fingerprints(memory, stem)
        some = sampled(entries, every_of(len(entries)))
        rows = {key: _to_text(array("I", row)) for key, row in some.items()}
        published[stem] = _table(stem, len(entries), rows)
    return published


def _updated(rows: Mapping[str, str], changes: Changes, every: int) -> dict[str, str]:
    """Return the published rows of laboratories after changes."""
    now = {one: stored.summary.fingerprint for one, stored in changes.now.items()}
    kept = {key: row for key, row in rows.items() if key not in changes.gone}
    return kept | {key: _to_text(row) for key, row in sampled(now, every).items()}


def _table(stem: str, size: int, rows: Mapping[str, str]) -> dict[str, Any]:
    head = {"version": VERSION, "names": _names(stem), "count": size, "every": every_of(size)}
    return head | {"rows": dict(sorted(rows.items()))}


def _head(table: Mapping[str, Any]) -> list[Any]:
    """Return what must be the same for rows to be kept."""
    return [table.get(name) for name in ("version", "names", "every")]


def _names(stem: str) -> list[str]:
    return [one.name for one in columns(MODELS[stem])]


def every_of(size: int) -> int:
    """Return the power of two by which a digest must be divisible."""
    return 1 << max(0, -(-size // SAMPLE) - 1).bit_length()


def sampled(rows: Mapping[str, Row], every: int) -> dict[str, Row]:
    """Return the rows of a table that are published."""
    return {key: row for key, row in rows.items() if not crc32(key.encode()) % every}


def _to_text(row: Iterable[int]) -> str:
    return "".join(f"{number:0{DIGITS}x}" for number in row)


def published_fingerprints(published: Published) -> FingerprintTables | None:
    """Return the published fingerprints, None if another labgen made them, or there are none.

    Raises one of `PARSE_ERRORS` if they are not in this form.
    """
    if published.get(LABORATORIES, {}).get("version") != VERSION:
        return None
    found = {stem: _rows(stem, table) for stem, table in published.items() if stem in MODELS}
    is_sample = any(table["every"] > 1 for table in published.values())
    return FingerprintTables(found.pop(LABORATORIES), found, is_sample)


def _rows(stem: str, table: Mapping[str, Any]) -> Fingerprints:
    """Return the fingerprints of a table, with the positions that its columns have now."""
    now = {name: at for at, name in enumerate(_names(stem), 1)}
    positions = {at: now[name] for at, name in enumerate(table["names"], 1) if name in now}
    return {key: _of_text(text, positions) for key, text in table["rows"].items()}


def _of_text(text: str, positions: Mapping[int, int]) -> bytes:
    numbers: Sequence[int] = [int(text[at : at + DIGITS], 16) for at in range(0, len(text), DIGITS)]
    values = ((positions.get(one >> POSITION, 0), one % (1 << POSITION)) for one in numbers)
    return array("I", sorted(at << POSITION | value for at, value in values if at)).tobytes()
