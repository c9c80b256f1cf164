"""Convert laboratories in tables to JSON Lines, so that they are read like laboratories.jsonl."""

from collections.abc import Mapping

import orjson

from labgen.problems.problem import Problem
from labgen.source.laboratory_locations import Location, ReadLocation
from labgen.source.tables.assemble import read_rows
from labgen.source.tables.cells import KeyLookup
from labgen.source.tables.find import Tables
from labgen.system.compact import without_spare_memory
from labgen.system.input_files import LABORATORIES


def locations_in_tables(
    tables: Tables, keys: KeyLookup
) -> tuple[list[Location], list[Problem], ReadLocation]:
    """Return the locations of laboratories in tables, problems, and the function that reads a laboratory."""
    file = tables.sheets[LABORATORIES].file
    rows = read_rows(tables, keys)
    lines: Mapping[int | None, bytes] = {
        row: without_spare_memory(orjson.dumps(value)) for row, value in rows.merged_records()
    }
    locations = [Location(file, row, 0, len(line)) for row, line in lines.items()]
    return locations, rows.problems, lambda location: (lines[location.line], [])
