"""Stage the site's manifest: the digest of each published file, in parts (`output.published_manifest`).

The digests of rendered files are known. For parts that change, the digests of files kept in out/ are taken
from the manifest there; if it does not have them, the files are read.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

from labgen.hosts.choose_hosts import Chosen
from labgen.output.file_system import join
from labgen.output.known_manifest import KnownManifest
from labgen.output.pack_files import is_pack
from labgen.output.published_manifest import (
    FOLDER,
    INDEX,
    Digests,
    Folders,
    Index,
    all_parts,
    hex_digest,
    listed_names,
    part_count,
    part_of,
    parted_digests,
    render_part,
)
from labgen.output.site_folder import SiteFolder
from labgen.pipeline.published_columns import Published


def stage_manifest(
    folder: SiteFolder,
    hosts: Chosen,
    base_path: str,
    laboratories: int,
    columns_of: Callable[[Published], Published],
) -> None:
    """Stage the parts of the manifest that change, and its index; everything else is staged already.

    `columns_of` returns the fingerprints to publish, from those that are published.
    """
    site, beside = _Site(folder, hosts), hosts.companions
    parts = all_parts(part_count(laboratories))
    before = folder.manifest
    is_parted_alike = list(before.index.parts) == parts
    changed = site.changed_parts(len(parts)) if is_parted_alike else set(parts)
    kept = [part for part in parts if part not in changed and folder.keep_file(part, beside.copies)]
    made = set(parts).difference(kept)
    had = {part: before.parts[part] for part in made} if is_parted_alike else {}
    digests = {part: before.index.parts[part] for part in kept}
    for part, units in site.units(made, had, len(parts)).items():
        data = render_part({unit: site.digests(unit, before) for unit in units})
        folder.put(beside.beside({part: data}, has_documents=False))
        digests[part] = hex_digest(data)
    columns = columns_of(before.index.columns)
    index = Index(base_path, {part: digests[part] for part in parts}, columns).render()
    folder.put(beside.beside({INDEX: index}, has_documents=False))


class _Site:
    """The files that the manifest lists: those in units and, by folder, those that exist once per site."""

    def __init__(self, folder: SiteFolder, hosts: Chosen) -> None:
        self.folder = folder
        self.staged = folder.staged_names()
        self.gone = {unit.folder for unit in folder.dropped}
        self.aliases = hosts.companions.aliases
        self.once: defaultdict[str, set[str]] = defaultdict(set)
        own = listed_names(tuple(sorted(folder.site_files)), self.aliases)
        for name in own:
            if name not in hosts.files and "/." not in f"/{name}":  # hidden files are not public
                above, _, last = name.rpartition("/")
                self.once[above].add(last)

    def units(self, some: Iterable[str], had: Mapping[str, Folders], parts: int) -> dict[str, set[str]]:
        """Return the folders that each requested part of the manifest lists; `parts` is the total number.

        `had` holds what these parts listed before. If that is unknown, all folders of the site are searched.
        Packs are omitted: clients do not fetch them as files.
        """
        known = self.folder.known
        kept = known.folders - self.gone if known else set[str]()
        found = {part: {*had.get(part, ())} & kept for part in some}
        new = self.staged.keys() | self.once.keys()
        if not all(had.get(part) for part in found):
            new |= kept
        for unit in new:
            if not is_pack(unit) and (part := part_of(unit, parts)) in found:
                found[part].add(unit)
        return found

    def changed_parts(self, parts: int) -> set[str]:
        """Return the parts that may have changed."""
        folder = self.folder
        gone = {name for name in folder.site_had.difference(folder.site_files) if not _is_manifest(name)}
        once = {name.rpartition("/")[0] for name in {*folder.site_staged, *gone}}
        return {part_of(unit, parts) for unit in {*self.staged, *self.gone, *once}}

    def digests(self, unit: str, before: KnownManifest) -> Digests:
        """Return the digests of a folder's published files."""
        folder, once = self.folder, self.once.get(unit, set())
        put = {
            name: folder.site_digests[join(unit, name)]
            for name in once
            if join(unit, name) in folder.site_digests
        }
        found = put | before.digests(unit, once - put.keys())
        if unit in folder.amended:
            names, made = listed_names(self.staged[unit], self.aliases), folder.amended[unit]
            found |= {name: made[name] for name in names if name in made}
            found |= before.digests(unit, [name for name in names if name not in made])
        elif unit in self.staged:
            names = listed_names(self.staged[unit], self.aliases)
            found |= parted_digests(names, folder.digests[unit])
        elif unit:
            names = listed_names(folder.lists.names(unit), self.aliases)
            found |= before.digests(unit, names)
        return found


def _is_manifest(name: str) -> bool:
    return name.startswith(f"{FOLDER}/")
