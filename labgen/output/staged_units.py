"""Write those files of a unit that differ from out/ to the staging folder, in any process."""

import os
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from labgen.output.commit import TREE
from labgen.output.errors import UNTOUCHED, as_output_error
from labgen.output.file_lists import Names
from labgen.output.file_system import holds, join, survey, write_all
from labgen.output.published_manifest import merged_digests, no_digests
from labgen.output.units import Unit


class Staged(NamedTuple):
    """The result of staging a unit.

    `names` are all files of the unit, of `size` bytes together, `staged` those whose bytes differ from out/.
    `existing` are those that exist in out/, and `others` the other files in the unit's folder there.
    `digests` are those of the files that the site's manifest lists (`published_manifest.joined_digests`).
    """

    unit: Unit
    names: Names
    size: int
    staged: Names
    existing: Names
    others: Names
    digests: bytes = b""


@lru_cache(maxsize=16)
def _sorted(names: Names) -> Names:
    """Return sorted names. Units share equal tuples, so results are small to send between processes."""
    return tuple(sorted(names))


Digester = Callable[[Mapping[str, bytes]], bytes]
"""A function that returns the digests of a unit's files."""


def stage(
    out: str, staging: str, unit: Unit, files: Mapping[str, bytes], digests_of: Digester = no_digests
) -> Staged:
    """Write the files of a unit that differ from out/ to the staging folder; names are below its folder.

    Changes nothing else, so that several processes may stage at once.
    """
    found = _files_in(out, unit)
    one = _stage_part(out, staging, unit, files, digests_of, found)
    return one._replace(others=_others(found, one))


def _files_in(out: str, unit: Unit) -> set[str]:
    """Return the files in a unit's folder in out/; none if it is no folder."""
    place = join(out, unit.folder)
    with as_output_error(Path(out), UNTOUCHED):
        is_folder = os.path.isdir(place) and not os.path.islink(place)  # noqa: PTH112, PTH114 - no Path here
        return survey(place).files if is_folder else set()


def _stage_part(
    out: str,
    staging: str,
    unit: Unit,
    files: Mapping[str, bytes],
    digests_of: Digester,
    found: set[str],
) -> Staged:
    """Stage some files of a unit, given those in its folder in out/; the result has no `others`."""
    place = join(out, unit.folder)
    names, digests = _sorted(tuple(files)), digests_of(files)
    with as_output_error(Path(out), UNTOUCHED):
        changed = {
            name: data
            for name, data in files.items()
            if name not in found or not holds(f"{place}/{name}", data)
        }
        if changed:
            write_all(join(f"{staging}/{TREE}", unit.folder), changed)
    staged = names if len(changed) == len(names) else tuple(sorted(changed))
    met = names if found.issuperset(names) else tuple(sorted(found.intersection(names)))
    return Staged(unit, names, sum(map(len, files.values())), staged, met, (), digests)


def _others(found: set[str], one: Staged) -> Names:
    return tuple(sorted(found.difference(one.names))) if len(found) > len(one.existing) else ()


def stage_in_parts(
    out: str, staging: str, unit: Unit, parts: Iterable[Mapping[str, bytes]], digests_of: Digester
) -> Staged:
    """Stage a unit as `stage` does, but a part of its files after the other: only one is in memory.

    The unit has no other names of documents (aliases), and a copy of a file is in the same part.
    """
    found = _files_in(out, unit)
    staged = [_stage_part(out, staging, unit, files, digests_of, found) for files in parts]

    def all_of(names: Iterable[Names]) -> Names:
        return tuple(sorted(chain.from_iterable(names)))

    whole = Staged(
        unit,
        all_of(one.names for one in staged),
        sum(one.size for one in staged),
        all_of(one.staged for one in staged),
        all_of(one.existing for one in staged),
        (),
        merged_digests((one.names, one.digests) for one in staged),
    )
    return whole._replace(others=_others(found, whole))
