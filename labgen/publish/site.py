"""List the files and digests of a built site and of a target, from their manifests.

An object store holds the files that the manifest lists. A server's folder also holds compressed copies and
files that the server itself reads: these are in labgen's list of files.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from labgen.output.errors import temporary_folder
from labgen.output.file_lists import LISTS, MARKER, all_list_files, read_built_site
from labgen.output.published_manifest import (
    COPIES,
    FOLDER,
    INDEX,
    Digests,
    Folders,
    Index,
    InvalidManifestError,
    files_in,
    hex_digest,
    hex_digest_of,
    parse_index,
    parse_part,
)
from labgen.problems.text import say
from labgen.publish.target import PublishError, Target
from labgen.system.input_files import read_bytes

Read = Callable[[Iterable[str]], Mapping[str, bytes]]
"""A function that returns the contents of the files that exist."""
BOOKKEEPING = (MARKER, *all_list_files())
"""The files of a folder that only labgen itself reads."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The manifest of a site: its index, also as bytes, and the parts that were read."""

    index: Index
    data: bytes
    parts: Mapping[str, Folders]


NOTHING = Manifest(Index(), b"", {})


def local_reader(out: Path) -> Read:
    """Return a function that reads files of out/."""

    def read(names: Iterable[str]) -> dict[str, bytes]:
        found = {}
        for name in names:
            with suppress(OSError):
                found[name] = read_bytes(out / name)
        return found

    return read


def read_index(read: Read) -> Manifest:
    """Return a manifest without its parts; `NOTHING` if there is none. Raises `InvalidManifestError`."""
    data = read([INDEX]).get(INDEX)
    return NOTHING if data is None else Manifest(parse_index(data), data, {})


def with_parts(
    listing: Manifest, read: Read, known: Mapping[str, str], *, is_checked: bool = True
) -> Manifest:
    """Return a manifest with the parts whose digests are not `known`.

    Raises `InvalidManifestError` if a part is invalid or, with `is_checked`, does not match the index.
    """
    wanted = [part for part, digest in listing.index.parts.items() if known.get(part) != digest]
    parts = read(wanted)
    for part in wanted:
        if is_checked and hex_digest(parts.get(part, b"")) != listing.index.parts[part]:
            raise InvalidManifestError(say("{part} is not what its index says", part=part))
    return replace(listing, parts={part: parse_part(parts.get(part, b"")) for part in wanted})


def local_listing(out: Path, known: Mapping[str, str]) -> Manifest:
    """Return the manifest of a built site, with parts as in `with_parts`. Raises `PublishError`."""
    read = local_reader(out)
    try:
        found = with_parts(read_index(read), read, known)
    except InvalidManifestError as error:
        message = say("the manifest in {out} cannot be used: {error}", out=out, error=error)
        raise PublishError(message, say("remove out/ and .labgen/, and build again")) from None
    if not found.data:
        hint = say("`labgen build` writes it, unless data/site.toml says `manifest = false`")
        raise PublishError(say("{out} has no {index}", out=out, index=INDEX), hint)
    return found


def local_files(out: Path, listing: Manifest, *, is_folder: bool) -> Digests:
    """Return the files of a built site to publish, except the manifest and labgen's own lists."""
    found = files_in(listing.parts.values())
    return found | _beside(out, found) if is_folder else found


def target_files(target: Target, listing: Manifest, here: Manifest, files: Digests) -> Digests:
    """Return the files that a target has; `here` and `files` are the manifest and the files of out/.

    Copies that its list of files names, and whose originals its manifest does not, have the digest "".
    """
    found = files_in(listing.parts.values())
    if not target.is_folder:
        return found
    listed = files_in(here.parts.values())
    others = [name for name in files if name not in listed and not _is_copy(name, listed)]
    with temporary_folder() as copy:
        (copy / LISTS).mkdir()
        _get(target, [*BOOKKEEPING, *others], copy)
        built = read_built_site(copy)
        names = {one for one in (built.files() if built else ()) if not one.startswith(f"{FOLDER}/")}
        gone = [one for one in names - files.keys() if one not in found and not one.endswith(COPIES)]
        if gone:
            _get(target, gone, copy)
        return dict.fromkeys(names, "") | found | _beside(copy, found)


def _get(target: Target, names: Iterable[str], folder: Path) -> None:
    """Copy files of a target to a folder."""
    for name, data in target.read(names).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def _beside(out: Path, listed: Digests) -> Digests:
    """Return the files in labgen's list that the manifest does not list, if the folder has them.

    A compressed copy has the digest of its original, from which it follows.
    """
    built = read_built_site(out)
    found: Digests = {}
    for name in built.files() if built else ():
        if _is_copy(name, listed):
            found[name] = listed[name.rpartition(".")[0]]
        elif name not in listed and not name.startswith(f"{FOLDER}/"):
            with suppress(OSError):
                found[name] = hex_digest_of(out / name)
    return found


def _is_copy(name: str, listed: Digests) -> bool:
    return name.endswith(COPIES) and name.rpartition(".")[0] in listed
