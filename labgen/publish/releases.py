"""Keep at the target what publications replace and remove, so that it can be taken back.

A release is a folder beside the site with the files that the next publication replaced or removed, by their
names: all that differs from the release after it. Its manifest comes last, so a release without one was not
completed, and nothing of the site had been changed yet. Releases are a stack: the newest differs from what is
published, the one before from the newest. A release that equals what is published is what was gone back to.
"""

import re
import secrets
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from labgen.mirror.plan import batches
from labgen.model.site_paths import RELEASES
from labgen.output.file_lists import read_built_site
from labgen.output.published_manifest import (
    COPIES,
    FOLDER,
    INDEX,
    InvalidManifestError,
    files_in,
    hex_digest_of,
    parse_index,
)
from labgen.problems.text import plural, say
from labgen.publish.site import local_listing
from labgen.publish.target import Names, PublishError, Target

_NAME = re.compile(r"((\d{6,})-[0-9a-f]{16})/(.+)")
SHOWN = 5
"""How many missing files a message names."""
OTHERWISE = say("build the older data again, or publish a folder that has it with --out")


@dataclass(frozen=True, slots=True)
class Release:
    """A release at a target: its folder and number, the sizes of its files, and the index of its manifest."""

    folder: str
    number: int
    sizes: Mapping[str, int]
    index: bytes

    @property
    def is_whole(self) -> bool:
        """Whether all of it was kept."""
        return bool(self.index)


def read_releases(target: Target) -> list[Release]:
    """Return the releases of a target, the newest first."""
    found: defaultdict[tuple[int, str], dict[str, int]] = defaultdict(dict)
    for path, size in target.sizes(RELEASES).items():
        if name := _NAME.fullmatch(path):
            found[int(name[2]), f"{RELEASES}/{name[1]}"][name[3]] = size
    indexes = target.read([f"{folder}/{INDEX}" for _, folder in found]) if found else {}
    return [
        Release(folder, number, sizes, indexes.get(f"{folder}/{INDEX}", b""))
        for (number, folder), sizes in sorted(found.items(), reverse=True)
    ]


def keep_release(
    target: Target,
    names: Iterable[str],
    index: bytes,
    most: int,
    lively: Callable[[], None],
    *,
    extends: bool,
) -> None:
    """Keep files of the site as it is, whose manifest has this index, and no more than `most` releases.

    With `extends`, a publication was not completed: what it changed is kept by the newest release, to which
    the other files belong as well. `lively` is called between batches.
    """
    had = read_releases(target)
    kept = [one for one in had if one.is_whole]
    if most and kept and (extends or kept[0].index == index):
        folder, held = kept[0].folder, {*kept[0].sizes}
    elif most and not extends:
        folder, held = f"{RELEASES}/{had[0].number + 1 if had else 1:06d}-{secrets.token_hex(8)}", set()
        most -= 1
    else:
        folder, held = "", set(names)
    for some in batches(tuple(sorted({*names} - held - {INDEX}))):
        target.keep(some, folder)
        lively()
    if folder and INDEX not in held:
        target.keep((INDEX,), folder)
    remove_releases(target, [*(one for one in had if not one.is_whole), *kept[most:]])


def remove_releases(target: Target, releases: Iterable[Release]) -> None:
    """Remove releases, their manifests first."""
    for one in releases:
        names = tuple(f"{one.folder}/{name}" for name in sorted(one.sizes))
        target.remove(tuple(name for name in names if name.endswith(f"/{INDEX}")))
        target.remove(tuple(name for name in names if not name.endswith(f"/{INDEX}")))
        target.prune(names)


def release_before(
    target: Target, releases: Iterable[Release], index: bytes, *, is_unfinished: bool
) -> Release:
    """Return the release before the one with this index; after an unfinished publication, the newest.

    Raises `PublishError` if there is none.
    """
    for one in releases:
        if one.is_whole and (is_unfinished or one.index != index):
            return one
    raise PublishError(say("{address} keeps no release to go back to", address=target.address), OTHERWISE)


class Gathering:
    """A local folder that gets the files of a release which a publication reads, from wherever they are."""

    def __init__(self, target: Target, release: Release, folder: Path) -> None:
        self.target, self.release, self.folder = target, release, folder

    def begin(self) -> None:
        """Get what is kept, which has all of labgen's lists, and the manifest. Raises `PublishError`."""
        for some in batches(tuple(sorted(self.release.sizes))):
            start = f"{self.release.folder}/"
            for name, data in self.target.read([start + one for one in some]).items():
                self._write(name.removeprefix(start), data)
        try:
            parts = parse_index(self.release.index).parts
        except InvalidManifestError:
            raise self._missing([INDEX]) from None
        beside = [part + suffix for part in parts for suffix in COPIES]
        self._fetch([*parts, *beside] if self.target.is_folder else parts)
        self.require(parts)
        if self.target.is_folder and (built := read_built_site(self.folder)):
            listed = files_in(local_listing(self.folder, {}).parts.values())
            copied = {name + suffix for name in listed for suffix in COPIES}
            self._fetch(
                [n for n in built.files() if not (n in listed or n in copied or n.startswith(f"{FOLDER}/"))]
            )

    def complete(self, names: Names, digests: Mapping[str, str]) -> None:
        """Get these files. Raises `PublishError` if some are nowhere, or are not what they were."""
        self._fetch(names)
        self.require({name: digests[name] for name in names})

    def require(self, digests: Mapping[str, str]) -> None:
        """Raise `PublishError` if files are not here with these digests; a copy has that of its original."""
        if wrong := [name for name, digest in digests.items() if not self._is_right(name, digest)]:
            raise self._missing(wrong)

    def _is_right(self, name: str, digest: str) -> bool:
        file = self.folder / name
        return file.is_file() and (name.endswith(COPIES) or hex_digest_of(file) == digest)

    def _fetch(self, names: Iterable[str]) -> None:
        for some in batches(tuple(name for name in names if not (self.folder / name).exists())):
            for name, data in self.target.read(some).items():
                self._write(name, data)

    def _write(self, name: str, data: bytes) -> None:
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_bytes(data)

    def _missing(self, names: list[str]) -> PublishError:
        return PublishError(
            say(
                "{files} of the release before are no longer at {address}: nothing was changed ({names})",
                files=plural(len(names), "file"),
                address=self.target.address,
                names=", ".join([*names[:SHOWN], *(["…"] if names[SHOWN:] else [])]),
            ),
            OTHERWISE,
        )
