"""Stage the packs of a site (see `output.packs`): all of them, or those whose files changed.

The files in them must have been staged before, or be up to date in out/.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from labgen.memory.remembered_laboratories import count, display_ids
from labgen.output.commit import TREE
from labgen.output.pack_files import digests_in, render_pack
from labgen.output.packs import LABORATORIES, PICTURES, PackKind, public_pages, whole_laboratories
from labgen.output.published_manifest import listed_names
from labgen.output.staged_units import Staged, stage
from labgen.output.units import Unit, UnitKind
from labgen.pipeline.staging import SiteBuild
from labgen.system.input_files import read_bytes
from labgen.system.workers import spread


class Content(NamedTuple):
    """The content of packs of a kind: all keys, those whose files may have changed, and a key's files."""

    keys: Iterable[str]
    changed: AbstractSet[str]
    files: Callable[[str], Iterable[str]]


def stage_packs(site: SiteBuild, jobs: int) -> None:
    """Stage the packs that may differ from those in out/, if a host needs packs."""
    folder, changes = site.folder, site.source.changes
    now = count(site.memory)
    had = now - len(changes.came) + len(changes.gone)
    missing = folder.missing(UnitKind.PACKS)
    units: set[str] = set()
    for kind, packs in site.hosts.packs:
        content = _pictures(site) if kind is PICTURES else _laboratories(site, kind)
        wanted = _by_unit(kind, packs, content.keys)
        units |= {unit.key for unit in wanted}
        is_whole = folder.known is None or kind.count(had) != packs
        whole = {unit: names for unit, names in wanted.items() if is_whole or unit.key in missing}
        _stage_whole(site, kind, content, whole, jobs)
        for unit, some in _by_unit(kind, packs, content.changed).items():
            changed = {name: wanted[unit][name] for name, keys in some.items() if keys}
            if changed and unit not in whole:
                made = _render(site, kind, content, changed)
                for name, pack in made.items():
                    _require_kept(kind, content, _read(f"{unit.folder}/{name}", [folder.out]) or b"", pack)
                folder.amend(unit, made, ())
    folder.drop(UnitKind.PACKS, folder.had(UnitKind.PACKS).keys() - units)


KeysByPack = dict[str, list[str]]
"""The keys of packs, by the names of packs below their folder."""


def _by_unit(kind: PackKind, packs: int, keys: Iterable[str]) -> dict[Unit, KeysByPack]:
    """Return the keys of all packs, by the packs' units; a pack may have no keys."""
    found: defaultdict[Unit, KeysByPack] = defaultdict(dict)
    for number in range(packs):
        unit, name = kind.place_of(number)
        found[unit][name] = []
    for key in keys:
        unit, name = kind.place_of(kind.number_of(key, packs))
        found[unit][name].append(key)
    return found


def _stage_whole(
    site: SiteBuild, kind: PackKind, content: Content, wanted: dict[Unit, KeysByPack], jobs: int
) -> None:
    out, staging = str(site.folder.out), str(site.folder.staging)

    def work(units: Sequence[Unit]) -> list[Staged]:
        return [stage(out, staging, unit, _render(site, kind, content, wanted[unit])) for unit in units]

    for staged in spread(work, sorted(wanted), jobs, few=FEW, batch=1):
        site.folder.add(staged)


FEW = 64
"""With fewer folders of packs, one process is faster than starting several."""


def _render(site: SiteBuild, kind: PackKind, content: Content, packs: KeysByPack) -> dict[str, bytes]:
    """Return the contents of packs, by their names below their folder."""
    folder = site.folder
    places = (folder.staging / TREE, folder.out)

    def read(keys: Sequence[str]) -> Iterable[tuple[str, bytes]]:
        for file in (file for key in keys for file in content.files(key)):
            if (data := _read(file, places)) is not None:
                yield file.removeprefix(kind.above), data

    return {name: render_pack(dict(read(keys))) for name, keys in packs.items()}


def _require_kept(kind: PackKind, content: Content, had: bytes, pack: bytes) -> None:
    """Raise one of `BROKEN` if kept files are not those that the pack had: then all is made anew."""
    differing = digests_in(had).items() ^ digests_in(pack).items()
    if any(kind.key_of(kind.above + name) not in content.changed for name, _ in differing):
        raise ValueError(kind.name)


def _read(file: str, places: Iterable[Path]) -> bytes | None:
    """Return the staged file, or else the one in out/; None if somebody removed it there."""
    for place in places:
        with suppress(OSError):
            return read_bytes(place / file)
    return None


UNITS = {
    LABORATORIES.name: UnitKind.LABORATORY,
    whole_laboratories("").name: UnitKind.WHOLE,
    public_pages("").name: UnitKind.PUBLIC,
}
"""The units whose files are in packs, by the names of kinds."""


def _laboratories(site: SiteBuild, kind: PackKind) -> Content:
    """Return the content of packs with a unit of each laboratory."""
    folder, aliases = site.folder, site.hosts.companions.aliases
    units = UNITS[kind.name]

    def files(display_id: str) -> list[str]:
        unit = Unit(units, display_id, f"{kind.above}{display_id}")
        return [f"{unit.folder}/{name}" for name in listed_names(folder.names(unit), aliases)]

    return Content(display_ids(site.memory), folder.touched(units), files)


def _pictures(site: SiteBuild) -> Content:
    folder, aliases = site.folder, site.hosts.companions.aliases
    names = listed_names(tuple(sorted(folder.site_files)), aliases)
    keys = {key: name for name in names if (key := PICTURES.key_of(name))}
    other = folder.site_had.symmetric_difference(folder.site_files).union(folder.site_staged)
    return Content(keys, set(map(PICTURES.key_of, other)) - {""}, lambda key: [keys[key]])
