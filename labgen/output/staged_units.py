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
    folder = unit.folder
    place = join(out, folder)
    names, digests = _sorted(tuple(files)), digests_of(files)
    size = sum(map(len, files.values()))
    with as_output_error(Path(out), UNTOUCHED):
        if not os.path.isdir(place) or os.path.islink(place):  # noqa: PTH112, PTH114 - no Path here
            write_all(join(f"{staging}/{TREE}", folder), files)
            return Staged(unit, names, size, names, (), (), digests)
        found = survey(place).files
        changed = {
            name: data
            for name, data in files.items()
            if name not in found or not holds(f"{place}/{name}", data)
        }
        if changed:
            write_all(join(f"{staging}/{TREE}", folder), changed)
    met = names if found.issuperset(names) else tuple(sorted(found.intersection(names)))
    strangers = tuple(sorted(found.difference(names))) if len(found) > len(met) else ()
    return Staged(unit, names, size, tuple(sorted(changed)), met, strangers, digests)


def stage_in_parts(
    out: str, staging: str, unit: Unit, parts: Iterable[Mapping[str, bytes]], digests_of: Digester
) -> Staged:
    """Stage a unit as `stage` does, but a part of its files after the other: only one is in memory.

    The unit has no other names of documents (aliases), and a copy of a file is in the same part.
    """
    staged = [stage(out, staging, unit, files, digests_of) for files in parts]

    def all_of(names: Iterable[Names]) -> Names:
        return tuple(sorted(chain.from_iterable(names)))

    names = all_of(one.names for one in staged)
    strangers = set(chain.from_iterable(one.others for one in staged)).difference(names)
    digests = merged_digests([(one.names, one.digests) for one in staged], ())
    return Staged(
        unit,
        names,
        sum(one.size for one in staged),
        all_of(one.staged for one in staged),
        all_of(one.existing for one in staged),
        tuple(sorted(strangers)),
        digests,
    )
