"""Keep at the target what publications replace and remove, so that it can be taken back.

A release is a folder beside the site with the files that the publication after it replaced or removed, by
their names, and the index of its manifest, which is written last: a release without one is not complete.
The other files of a release are those of the site that still have the digests of its manifest.

Releases are a stack, to which a publication adds one. After a rollback, the newest equals the site, and does
not count. After one that was not completed, a publication adds to the newest what that needs to stay whole.
"""

import re
import secrets
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from labgen.contract.content_codings import can_decode
from labgen.mirror.plan import batches
from labgen.model.site_paths import RELEASES
from labgen.output.file_lists import MARKER, read_built_site
from labgen.output.published_manifest import (
    COPIES,
    INDEX,
    Digests,
    InvalidManifestError,
    files_in,
    hex_digest_of,
    parse_index,
)
from labgen.output.published_record import CODINGS, PublishedRecord
from labgen.problems.text import plural, say
from labgen.publish.lease import Lease
from labgen.publish.site import local_reader, read_index, with_parts
from labgen.publish.target import Names, PublishError, Target

_NAME = re.compile(r"((\d{6,})-[0-9a-f]{16})/(.+)")
SHOWN = 5
"""How many missing files a message names."""
OTHERWISE = say("build the older data again, or publish a folder that has it with --out")


@dataclass(frozen=True, slots=True)
class Release:
    """A release at a target: its folder and number, the sizes of what is kept, and its manifest's index."""

    target: Target
    folder: str
    number: int
    sizes: Mapping[str, int]
    index: bytes

    @property
    def is_complete(self) -> bool:
        """Whether all was kept that the publication after it replaced."""
        return bool(self.index)

    def read(self, names: Iterable[str]) -> dict[str, bytes]:
        """Return contents of files: of those that are kept, and of others as they are in the site."""
        wanted = tuple(names)
        start = f"{self.folder}/"
        kept = self.target.read([start + name for name in wanted if name in self.sizes])
        others = self.target.read([name for name in wanted if name not in self.sizes])
        return {**others, **{name.removeprefix(start): data for name, data in kept.items()}}

    def digests(self) -> Digests:
        """Return the digests of its files and of the parts of its manifest. Raises `InvalidManifestError`."""
        manifest = with_parts(read_index(self.read), self.read, {})
        return files_in(manifest.parts.values()) | manifest.index.parts


def read_releases(target: Target) -> list[Release]:
    """Return the releases of a target, the newest first."""
    found: defaultdict[tuple[int, str], dict[str, int]] = defaultdict(dict)
    for path, size in target.sizes(RELEASES).items():
        if name := _NAME.fullmatch(path):
            found[int(name[2]), f"{RELEASES}/{name[1]}"][name[3]] = size
    indexes = target.read([f"{folder}/{INDEX}" for _, folder in found]) if found else {}
    return [
        Release(target, folder, number, sizes, indexes.get(f"{folder}/{INDEX}", b""))
        for (number, folder), sizes in sorted(found.items(), reverse=True)
    ]


@dataclass(frozen=True, slots=True)
class Replaced:
    """What a publication is about to replace or remove: the digests of these files, and the site's index.

    `unlisted` are all files of the site that no manifest lists. `is_mixed` says that a publication was not
    completed, so that files of the site may be of another release than its index.
    """

    index: bytes
    digests: Digests
    unlisted: Names
    is_mixed: bool


def keep_release(target: Target, replaced: Replaced, lease: Lease, most: int) -> None:
    """Keep what is about to be replaced, and no more than `most` releases. Raises `PublishError`."""
    found = read_releases(target)
    complete = [one for one in found if one.is_complete]
    others = most
    if most and complete and (replaced.is_mixed or complete[0].index == replaced.index):
        _copy(target, complete[0].folder, _lacking(complete[0], replaced.digests), lease)
    elif most and not replaced.is_mixed:
        number = found[0].number + 1 if found else 1
        folder = f"{RELEASES}/{number:06d}-{secrets.token_hex(8)}"
        _copy(target, folder, {*replaced.digests, *replaced.unlisted}, lease)
        lease.require()  # nobody else has changed the site meanwhile
        target.keep((INDEX,), folder)
        others = most - 1
    remove_releases(target, [one for one in found if one not in complete[:others]])


def _lacking(release: Release, digests: Digests) -> set[str]:
    """Return the files that belong to a release with these digests, and are not kept in it."""
    try:
        had = release.digests()
    except InvalidManifestError:
        return set()  # a rollback to it says so
    return {
        name
        for name, digest in digests.items()
        if name not in release.sizes and digest in (had.get(name), had.get(_original(name)))
    }


def _original(name: str) -> str:
    """Return the name of the file that a compressed copy was made from."""
    return name.rpartition(".")[0] if name.endswith(COPIES) else name


def _copy(target: Target, folder: str, names: Iterable[str], lease: Lease) -> None:
    for some in batches(tuple(sorted(names))):
        target.keep(some, folder)
        lease.keep()


def remove_releases(target: Target, releases: Iterable[Release]) -> None:
    """Remove releases, the indexes of their manifests first."""
    for one in releases:
        index = f"{one.folder}/{INDEX}"
        names = tuple(f"{one.folder}/{name}" for name in sorted(one.sizes))
        target.remove((index,))
        target.remove(tuple(name for name in names if name != index))
        target.prune(names)


def releases_before(target: Target, releases: Iterable[Release], *, is_mixed: bool = False) -> list[Release]:
    """Return the releases that one can go back to, the newest first: not one that equals the site.

    With `is_mixed`, files of the site may be of another release than its index, so it equals none.
    """
    index = None if is_mixed else target.read([INDEX]).get(INDEX)
    return [one for one in releases if one.is_complete and one.index != index]


class Gathering:
    """A local folder with those files of a release that a publication reads. Raises `PublishError`."""

    def __init__(self, release: Release, folder: Path) -> None:
        self.release, self.folder = release, folder

    def begin(self) -> None:
        """Get what is kept, and the whole manifest with its compressed copies."""
        is_folder = self.release.target.is_folder
        try:
            parts = parse_index(self.release.index).parts
            copies = [part + suffix for part in parts for suffix in COPIES if is_folder]
            self._fetch({*self.release.sizes, *parts, *copies})
            manifest = with_parts(read_index(local_reader(self.folder)), local_reader(self.folder), {})
        except InvalidManifestError:
            raise self._missing([INDEX]) from None
        if is_folder:
            built = read_built_site(self.folder)
            if not (built and {*built.files()} >= files_in(manifest.parts.values()).keys()):
                raise self._missing([MARKER])

    def complete(self, digests: Digests) -> None:
        """Get these files, and require that they are what they were."""
        self._fetch(digests)
        record = PublishedRecord(self.folder)
        if wrong := [name for name, digest in digests.items() if not self._is_right(record, name, digest)]:
            raise self._missing(wrong)

    def _is_right(self, record: PublishedRecord, name: str, digest: str) -> bool:
        """Return whether a file is what the manifest says; one that it does not list has to be there."""
        file = self.folder / name
        if not file.is_file() or record.has(name):
            return file.is_file()
        coding = CODINGS.get(file.suffix, "identity")
        return hex_digest_of(file) == digest or not can_decode(coding)

    def _fetch(self, names: Iterable[str]) -> None:
        for some in batches(tuple(sorted(name for name in names if not (self.folder / name).exists()))):
            for name, data in self.release.read(some).items():
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                (self.folder / name).write_bytes(data)

    def _missing(self, names: list[str]) -> PublishError:
        return PublishError(
            say(
                "{files} of the release before are no longer at {address}: nothing was changed ({names})",
                files=plural(len(names), "file"),
                address=self.release.target.address,
                names=", ".join([*names[:SHOWN], *(["…"] if names[SHOWN:] else [])]),
            ),
            OTHERWISE,
        )
