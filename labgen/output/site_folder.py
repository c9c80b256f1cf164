"""Collect the changes of a site folder: stage files, find what to remove, commit (docs/reference/output.md).

A unit (`output.units`) is a set of files that are rendered and replaced together. A unit that is known to be
unchanged is kept without reading its files.
"""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from labgen.output.commit import TREE, Changes, commit
from labgen.output.errors import TO_FINISH, UNTOUCHED, OutputError, as_output_error
from labgen.output.file_lists import (
    LISTS,
    MARKER,
    Lists,
    Marker,
    Names,
    by_part,
    count_files,
    files_of,
    join_units,
    list_file_of,
    render_list,
)
from labgen.output.file_system import Found, UnitSize, holds, join, parents_of, size_of, survey, write_all
from labgen.output.known_manifest import KnownManifest
from labgen.output.published_manifest import hex_digest
from labgen.output.published_record import PublishedRecord
from labgen.output.staged_units import Staged
from labgen.output.units import SITE, Unit, UnitKind, UnitSample
from labgen.output.written import Written
from labgen.problems.text import say
from labgen.system.interruption import uninterrupted

IN_PLACE = say("all files of the site are in their places")


class Remembered(NamedTuple):
    """What is remembered of out/: the digest of its inputs, its units but `SITE`, the number of its files.

    `manifest` is the digest of the manifest's index, "" without a manifest.
    `units` are the folders of units, by kind and key; `folders` are all of them. `sizes` are the sizes of
    those units whose files are looked at, by folder.
    """

    made_from: str
    manifest: str
    units: Mapping[UnitKind, Mapping[str, str]]
    folders: AbstractSet[str]
    sizes: Mapping[str, UnitSize]
    files: int


@dataclass(slots=True)
class SiteFolder:
    """An output folder that is being written: its former, wanted and staged files.

    `known` is what is remembered, if it describes this folder: then units that are not staged stay unchanged.
    Otherwise all wanted units are staged, and the rest is removed. `found` are the files outside of units'
    folders, and the folders of units that exist ("" among the damaged ones is `SITE`). `unit_sizes` are those
    of staged units. Digests (see `output.published_manifest`) of files that were staged or compared:
    `digests` of whole units by folder, `site_digests` of files that exist once per site, and `amended` of
    single files of units.
    """

    out: Path
    staging: Path
    marker: Marker | None
    lists: Lists
    known: Remembered | None
    found: Found
    wanted: dict[Unit, Names] = field(default_factory=dict)
    unit_sizes: dict[Unit, UnitSize] = field(default_factory=dict)
    staged: dict[str, Names] = field(default_factory=dict)
    dropped: set[Unit] = field(default_factory=set)
    removed: dict[str, Names] = field(default_factory=dict)
    first: dict[str, Names] = field(default_factory=dict)
    foreign: set[str] = field(default_factory=set)
    blocked: set[str] = field(default_factory=set)
    interned: dict[Names, Names] = field(default_factory=dict)
    digests: dict[str, bytes] = field(default_factory=dict)
    site_digests: dict[str, str] = field(default_factory=dict)
    amended: dict[str, dict[str, str]] = field(default_factory=dict)
    sample: UnitSample | None = None
    site_files: list[str] = field(default_factory=list)
    site_staged: list[str] = field(default_factory=list)
    site_had: frozenset[str] = field(init=False)
    record: PublishedRecord = field(init=False)
    manifest: KnownManifest = field(init=False)

    def __post_init__(self) -> None:
        self.record = PublishedRecord(self.out)
        self.manifest = KnownManifest(self.out, self.known.manifest if self.known else "")
        self.site_had = frozenset(self.lists.names(""))

    def had(self, kind: UnitKind) -> Mapping[str, str]:
        """Return the folders of the remembered units of a kind, by key."""
        return self.known.units.get(kind, {}) if self.known else {}

    def missing(self, kind: UnitKind) -> set[str]:
        """Return the keys of the remembered units of a kind that are missing or damaged in out/."""
        had, passed, damaged = self.had(kind), self.found.passed, self.found.damaged
        if passed.issuperset(had.values()) and damaged.isdisjoint(had.values()):
            return set()  # as nearly always: quick for many
        return {key for key, folder in had.items() if folder not in passed or folder in damaged}

    def doubt(self, sample: UnitSample) -> None:
        """Take the units in a sample for damaged, so that they are staged again, and compared."""
        self.sample = sample
        units = self.known.units.items() if self.known else ()
        doubted = {had[key] for kind, had in units for key in sample.of(kind, had)}
        self.found = self.found._replace(damaged=self.found.damaged | doubted)

    def is_sampled(self, file: str) -> bool:
        """Return whether a file that exists once per site is in the sample."""
        return self.sample is not None and bool(self.sample.of(UnitKind.SITE, [file]))

    def touched(self, kind: UnitKind) -> set[str]:
        """Return the keys of the units of a kind that were staged or dropped."""
        return {unit.key for unit in chain(self.wanted, self.dropped) if unit.kind is kind}

    def names(self, unit: Unit) -> Names:
        """Return the names of the files that a unit will have."""
        return self.wanted.get(unit) or self.lists.names(unit.folder)

    @property
    def total(self) -> int:
        """The number of files that the site will have."""
        total = count_files(self.staged_names()) + len(self.site_files)
        if self.known:
            replaced = {*self.wanted, *self.dropped, SITE}
            total += self.known.files - sum(len(self.lists.names(unit.folder)) for unit in replaced)
        return total

    def sizes(self) -> Iterator[tuple[str, int]]:
        """Yield each file of the new site with its size; all files must be staged or kept by now."""
        kept = self.lists.all() if self.known else {}
        gone = {"", *(unit.folder for unit in self.dropped)}
        units = {one: names for one, names in kept.items() if one not in gone} | self.staged_names()
        for name in chain(files_of(units), self.site_files):
            for tree in (f"{self.staging}/{TREE}", str(self.out)):
                with suppress(OSError):
                    yield name, os.lstat(f"{tree}/{name}").st_size
                    break

    def site_size(self) -> UnitSize:
        """Return the size of the files that the site has once; all must be staged or kept by now."""
        kept = set(self.site_files).difference(self.site_staged)
        staged = size_of(f"{self.staging}/{TREE}", self.site_staged)
        return UnitSize(len(self.site_files), staged + size_of(str(self.out), kept))

    def drop(self, kind: UnitKind, keys: Iterable[str]) -> None:
        """Plan the removal of remembered units that the site no longer has."""
        had = self.had(kind)
        self.dropped.update(Unit(kind, key, had[key]) for key in keys if key in had)

    def put(self, files: Mapping[str, bytes]) -> None:
        """Stage files that exist once per site, if they differ from out/."""
        out = str(self.out)
        with as_output_error(self.out, UNTOUCHED):
            changed = {name: data for name, data in files.items() if not holds(f"{out}/{name}", data)}
            if changed:
                write_all(f"{self.staging}/{TREE}", changed)
        self.site_digests |= {name: hex_digest(data) for name, data in files.items()}
        self.site_files += files
        self.site_staged += changed

    def keep_file(self, file: str, copies: Iterable[str] = ()) -> bool:
        """Keep a file as `keep_files` does, with those of its copies that it had, given by their suffixes."""
        return self.keep_files([file, *(file + one for one in copies if file + one in self.site_had)])

    def keep_files(self, names: Collection[str]) -> bool:
        """Keep files in out/ that the last build wrote, if all are there; return whether they are kept."""
        is_whole = self.known is not None and SITE.folder not in self.found.damaged
        is_kept = is_whole and self.site_had.issuperset(names) and self.found.files.issuperset(names)
        if is_kept := is_kept and not any(map(self.is_sampled, names)):
            self.site_files += names
        return is_kept

    def add(self, staged: Staged) -> None:
        """Record a unit that was staged, in this or another process."""
        unit, folder = staged.unit, staged.unit.folder
        names = self.interned.setdefault(staged.names, staged.names)
        self.wanted[unit], self.digests[folder] = names, staged.digests
        self.unit_sizes[unit] = UnitSize(len(names), staged.size)
        if staged.staged:
            self.staged[folder] = self.interned.setdefault(staged.staged, staged.staged)
        owned = self.lists.names(folder)
        if staged.others or (staged.existing and owned != names):
            self._compare(folder, names, set(owned), set(staged.existing), set(staged.others))

    def amend(self, unit: Unit, files: Mapping[str, bytes], gone: Collection[str]) -> None:
        """Stage some files of a unit, by their names below its folder; remove `gone`, and keep the others."""
        folder = unit.folder
        had, out = set(self.lists.names(folder)), f"{self.out}/{folder}"
        names = tuple(sorted(had.difference(gone).union(files)))
        with as_output_error(self.out, UNTOUCHED):
            changed = {name: data for name, data in files.items() if not holds(f"{out}/{name}", data)}
            if changed:
                write_all(f"{self.staging}/{TREE}/{folder}", changed)
            met = {name for name in {*files, *gone} if os.path.lexists(f"{out}/{name}")}
            size = size_of(out, had.difference(gone, files)) + sum(map(len, files.values()))
        self.wanted[unit], self.staged[folder] = names, tuple(sorted(changed))
        self.unit_sizes[unit] = UnitSize(len(names), size)
        self.amended[folder] = {name: hex_digest(data) for name, data in files.items()}
        self._compare(folder, names, had, met & files.keys(), met - files.keys())

    def _compare(
        self, folder: str, names: Names, owned: set[str], met: set[str], strangers: set[str]
    ) -> None:
        """Find the files of a unit to remove, foreign files, and foreign files that block new ones."""
        owned |= self._found_again(folder, (met | strangers) - owned, met)
        foreign = strangers - owned
        blocked = met - owned
        planned = set(names)
        folders = {above for name in names for above in parents_of(name)}
        blocked |= foreign & folders
        blocked |= {above for name in foreign for above in parents_of(name)} & planned
        removed = tuple(sorted(strangers & owned))
        first = tuple(name for name in removed if name in folders or not planned.isdisjoint(parents_of(name)))
        self.foreign |= {join(folder, name) for name in foreign}
        self.blocked |= {join(folder, name) for name in blocked}
        if removed:
            self.removed[folder] = removed
        if first:
            self.first[folder] = first

    def _found_again(self, folder: str, unknown: set[str], met: set[str]) -> set[str]:
        """Return which files, that no list has, labgen certainly wrote.

        The manifest has their digests; or the list of their unit is damaged, and their bytes are right.
        """
        if not unknown:
            return set()
        found = {name for name in unknown if self.record.has(join(folder, name))}
        is_right = met.difference(self.staged.get(folder, ())) if self.lists.is_damaged(folder) else set()
        return found | (unknown & is_right)

    def compare(self) -> Written:
        """Return the changes that a commit would make."""
        self._compare_site()
        for folder in self._gone():
            self._drop(folder)
        staged = {folder: names for folder, names in self.staged.items() if names}
        foreign = tuple(sorted(self.foreign | self.blocked))
        return Written(self.total, staged, self.removed, foreign)

    def commit(self, marker: Marker, begin: Callable[[], None] = lambda: None) -> Written:
        """Move the staged files into out/, remove files that are no longer wanted, and return the changes.

        `begin` is called just before out/ changes. Raises `OutputError`.
        """
        compared = self.compare()
        if self.blocked:
            message = say(
                "`{blocked}` in {out} is not labgen's, and a file of the site must go there",
                blocked=min(self.blocked),
                out=self.out,
            )
            raise OutputError(message, say("move it away, or build into another folder with --out"))
        changes = self._changes(marker)
        if compared.units or self.removed or changes.final:
            with as_output_error(self.out, TO_FINISH), uninterrupted(IN_PLACE):
                commit(self.staging, self.out, changes, begin)
        else:
            begin()
        return compared

    def _changes(self, marker: Marker) -> Changes:
        """Return the changes for `output.commit`, with the lists of files that differ."""
        wanted, had, gone = by_part(self.staged_names()), self.lists.parts, self._gone()
        joined: dict[str, bytes] = {}
        final: dict[str, bytes] = {}
        empty = []
        for part in wanted.keys() | set(map(list_file_of, gone)) | self.lists.damaged:
            kept = {one: names for one, names in had[part].items() if self.known and one not in gone}
            units = kept | wanted.get(part, {})
            if units == had[part] and part not in self.lists.damaged:
                continue
            joined[part] = render_list(join_units(had[part], units))
            if units:
                final[part] = render_list(units)
            else:
                empty.append(part.removeprefix(f"{LISTS}/"))
        if joined or marker != self.marker:
            joined[MARKER], final[MARKER] = replace(marker, made_from="").render(), marker.render()
        removed = {**self.removed, LISTS: tuple(empty)} if empty else self.removed
        return Changes(joined, final, removed, self.first)

    def staged_names(self) -> dict[str, Names]:
        """Return the names of the files of staged units, by folder."""
        return {unit.folder: names for unit, names in self.wanted.items()}

    def _gone(self) -> set[str]:
        """Return the folders of units to remove: if nothing is remembered, all listed ones but the staged."""
        if self.known:
            return {unit.folder for unit in self.dropped}
        return self.lists.all().keys() - self.staged_names().keys()

    def _compare_site(self) -> None:
        """Compare the files that exist once per site, and find files that block units' folders."""
        names = tuple(sorted(self.site_files))
        self.wanted[SITE], self.staged[""] = names, tuple(sorted(self.site_staged))
        self.site_files, self.site_staged = [], []
        wanted = {unit.folder for unit in self.wanted}
        found = {file for file in self.found.files if wanted.isdisjoint(parents_of(file))}  # of lost lists
        met, strangers = found.intersection(names), found.difference(names)
        self._compare("", names, set(self.site_had), met, strangers)
        nearest = {folder.rpartition("/")[0] for folder in wanted}
        around = nearest | {parent for folder in nearest for parent in parents_of(folder)}
        self.blocked |= found.intersection(around) | found.intersection(wanted)

    def _drop(self, folder: str) -> None:
        """Plan the removal of a unit, except files that are not labgen's or now belong to the site itself."""
        if folder in self.found.passed:
            had = set(self.lists.names(folder))
            own = {name for name in had if join(folder, name) in self.wanted[SITE]}
            found = survey(join(str(self.out), folder)).files - own
            self._compare(folder, (), had, set(), found)
