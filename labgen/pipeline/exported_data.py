"""Collect the data to export: a project's laboratories, in order, and its shared lists."""

from collections.abc import Iterator

from labgen.export.text_files import Data
from labgen.memory.database import Memory
from labgen.memory.remembered_laboratories import display_ids, places
from labgen.model.catalogues import COUNTRIES, SYNONYMS, UPGRADE_OPTIONS
from labgen.model.records import LaboratoryRecord, Record
from labgen.pipeline.load_data import Source

AT_ONCE = 200
"""Maximum number of laboratories in memory at a time."""


def exported_data(source: Source, memory: Memory) -> Data:
    """Return the data; laboratories are read while they are iterated over. Empty lists are omitted."""
    directory = source.shared.directory
    lists: dict[str, list[Record]] = {
        COUNTRIES.stem: list(directory.countries.values()),
        **{stem: list(entries.values()) for stem, entries in directory.catalogues.items()},
        UPGRADE_OPTIONS.stem: list(directory.upgrade_options),
        SYNONYMS.stem: list(directory.synonyms),
    }
    return Data(_laboratories(source, memory), {stem: entries for stem, entries in lists.items() if entries})


def _laboratories(source: Source, memory: Memory) -> Iterator[LaboratoryRecord]:
    ordered = display_ids(memory)
    for start in range(0, len(ordered), AT_ONCE):
        some = ordered[start : start + AT_ONCE]
        at = places(memory, "display_id", some)
        for laboratory in source.laboratories([at[one] for one in some], [()] * len(some)):
            yield laboratory.record
