"""Stage the digests of whole laboratories, in parts, so that a copy learns which of them have changed.

A part that has changed takes the digests of laboratories that were not rendered from the old part in out/.
"""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import orjson

from labgen.api.endpoint import PerSite
from labgen.api.proposed import Changes, ChangesPart, LaboratoryDigest, PartDigest, changes, whole_laboratory
from labgen.memory.remembered_laboratories import display_ids
from labgen.model.site_paths import JSON_FILE, PAGE_FILE, file_of, folder_of
from labgen.output.published_manifest import group_count, hex_digest, listed_names, parted_digests
from labgen.output.staged_units import stage
from labgen.output.units import Unit, UnitKind
from labgen.pipeline.staging import SiteBuild
from labgen.render.pages import render_site_page
from labgen.render.site_files import render_document
from labgen.render.site_values import site_values
from labgen.system.input_files import read_bytes

LABORATORIES_IN_PART = 256
"""The greatest average number of laboratories in a part: some 15 KB."""
Digests = dict[str, str]
"""The digests of laboratories, by display_id."""


def stage_changes(site: SiteBuild) -> None:
    """Stage the parts that may have changed and the list of all parts; drop those that are left over."""
    folder, path = site.folder, site.source.shared.directory.site.directory_path
    some = display_ids(site.memory)
    parts = group_count(len(some), LABORATORIES_IN_PART) if path else 0
    wanted = {str(number) for number in range(parts)}
    had = folder.had(UnitKind.CHANGES).keys()
    folder.drop(UnitKind.CHANGES, had - wanted)
    if not path:
        return
    stale = wanted - (had - folder.missing(UnitKind.CHANGES))
    if folder.known is None or had != wanted or site.source.edits.are_templates_new:
        stale = wanted
    stale |= {str(part_of(one, parts)) for one in folder.touched(UnitKind.WHOLE)}
    listing = _Listing(site, path)
    whole = _by_part(some, stale, parts)
    for number in sorted(stale, key=int):
        listing.stage_part(number, whole[number])
    listing.stage_index(len(some), parts)


def part_of(display_id: str, parts: int) -> int:
    """Return the number of the part that has a laboratory; a new laboratory moves no other one."""
    return zlib.crc32(display_id.encode()) % parts


def _by_part(some: Iterable[str], stale: Iterable[str], parts: int) -> dict[str, list[str]]:
    """Return the laboratories of the stale parts, in order."""
    found: dict[str, list[str]] = {number: [] for number in stale}
    if found:
        for one in some:
            if (number := str(part_of(one, parts))) in found:
                found[number].append(one)
    return found


class _Listing:
    """Stages the documents, and reads those in out/."""

    def __init__(self, site: SiteBuild, path: str) -> None:
        self.site, self.folder = site, site.folder
        self.directory = site.source.shared.directory
        self.index, self.parts = changes(path)
        self.whole = whole_laboratory(path, ())
        self.made: Digests = {}

    def stage_part(self, number: str, some: Sequence[str]) -> None:
        """Stage a part with these laboratories."""
        path = self.parts.path_for(int(number))
        before = self._before(path)
        listed = [LaboratoryDigest(display_id=one, digest=self._digest(one, before)) for one in some]
        files = self._files(self.parts.of(path), ChangesPart(laboratories=listed))
        self.made[path] = hex_digest(files[JSON_FILE])
        unit, site = Unit(UnitKind.CHANGES, number, folder_of(path)), self.site
        files = site.hosts.companions.beside(files)
        self.folder.add(stage(str(self.folder.out), str(self.folder.staging), unit, files, site.digester))

    def stage_index(self, total: int, parts: int) -> None:
        """Stage the list of all parts; the digests of parts that are kept stand in the old one."""
        base, before = self.directory.site.base_path, self._digests_before()
        paths = [self.parts.path_for(number) for number in range(parts)]
        known = {base + path: digest for path, digest in self.made.items()}
        found = {base + one: one for one in paths}
        listed = [
            PartDigest(path=one, digest=known.get(one) or before.get(one) or self._read_digest(path))
            for one, path in found.items()
        ]
        files = self._files(self.index, Changes(count=total, parts=listed))
        named = {file_of(self.index.path, name): data for name, data in files.items()}
        self.folder.put(self.site.hosts.companions.beside(named))

    def _files(self, endpoint: PerSite, document: Any) -> dict[str, bytes]:
        templates, hosts = self.site.templates, self.site.hosts.abilities
        values = site_values(self.directory, templates, hosts, endpoint.path)
        rendered = render_document(document, values.links_in(endpoint))
        page = render_site_page(endpoint, document, rendered.block, self.directory, templates, values)
        return {JSON_FILE: rendered.json, PAGE_FILE: page}

    def _digest(self, display_id: str, before: Mapping[str, str]) -> str:
        """Return the digest of a whole laboratory: of what is staged, or in the old part, or of its file."""
        folder = folder_of(self.whole.path_for(display_id))
        unit = Unit(UnitKind.WHOLE, display_id, folder)
        if unit not in self.folder.wanted:
            return before.get(display_id) or hex_digest(read_bytes(self.folder.out / folder / JSON_FILE))
        names = listed_names(self.folder.wanted[unit], self.site.hosts.companions.aliases)
        return parted_digests(names, self.folder.digests[folder])[JSON_FILE]

    def _before(self, path: str) -> Digests:
        """Return the digests in the old part, if it belongs to the site in out/."""
        found = self._document(path) if self.folder.known else None
        return {one["display_id"]: one["digest"] for one in found["laboratories"]} if found else {}

    def _digests_before(self) -> Digests:
        """Return the digests in the old list of all parts."""
        found = self._document(self.index.path) if self.folder.known else None
        return {one["path"]: one["digest"] for one in found["parts"]} if found else {}

    def _read_digest(self, path: str) -> str:
        return hex_digest(read_bytes(self.folder.out / file_of(path, JSON_FILE)))

    def _document(self, path: str) -> Any:
        with suppress(OSError, ValueError):
            return orjson.loads(self.folder.manifest.read(folder_of(path), JSON_FILE))
        return None
