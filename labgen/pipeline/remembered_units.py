"""Read what is remembered of the units of a site in out/, and remember those that a build wrote."""

from collections.abc import Iterable
from itertools import chain

from labgen.memory.database import Memory
from labgen.memory.remembered_laboratories import count
from labgen.memory.sources import UnitRow, unit_folders, unit_sizes, update_units
from labgen.output.file_system import UnitSize
from labgen.output.site_folder import Remembered, SiteFolder
from labgen.output.units import OF_LABORATORIES, SITE, UnitKind

MOST_LOOKED_AT = 1_000
"""With more laboratories, the folder of each and the files of `SITE` are looked for in out/, unmeasured."""


def remembered_units(memory: Memory) -> Remembered | None:
    """Return what is remembered of the site in out/; None if nothing is."""
    site = memory.site
    if site is None:
        return None
    units = {kind: unit_folders(memory, kind) for kind in UnitKind if kind != SITE.kind}
    is_small = len(units[UnitKind.LABORATORY]) <= MOST_LOOKED_AT
    looked_at = [kind for kind in UnitKind if is_small or kind not in (SITE.kind, *OF_LABORATORIES)]
    rows = (row for kind in looked_at for row in unit_sizes(memory, kind))
    sizes = {folder: UnitSize(*size) for folder, *size in rows}
    folders = frozenset(chain.from_iterable(one.values() for one in units.values()))
    return Remembered(site.made_from, site.manifest, units, folders, sizes, site.files)


def remember_units(memory: Memory, folder: SiteFolder) -> None:
    """Store the units that are staged, and forget those that are dropped, or all others if none was known."""
    new = [UnitRow(*unit, *folder.unit_sizes[unit]) for unit in folder.wanted]
    if count(memory) <= MOST_LOOKED_AT:
        new.append(UnitRow(*SITE, *folder.site_size()))
    gone: Iterable[tuple[str, str]] = ((unit.kind, unit.key) for unit in folder.dropped)
    if not folder.known:
        gone = ((kind, key) for kind in UnitKind for key in unit_folders(memory, kind))
    update_units(memory, new, gone)
