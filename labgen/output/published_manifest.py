"""Read and write the published manifest: the digest of each file of a site, in parts.

`manifest/index.json` has the digest of each part; a part has the digests of the files of some folders. So
a mirror that kept the parts requests those that changed, and then the files that changed
(docs/reference/manifest.md). The part that lists a folder follows from its name and the number of parts.
"""

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson

from labgen.output.file_lists import PARSE_ERRORS, Names, safe_name
from labgen.output.file_system import join
from labgen.problems.text import say
from labgen.system.input_files import chunks_of

FOLDER = "manifest"
INDEX = f"{FOLDER}/index.json"
FORMAT = 1
ALGORITHM = "sha-256/128"
SIZE = 16
"""Bytes of a digest: the first half of SHA-256. In files, it is encoded as hexadecimal digits."""
DIGITS = 2 * SIZE
PAGES_TOGETHER = 64
"""The number of neighbouring pages of a list whose digests are in one part."""
LABORATORIES_IN_PART = 32
"""The greatest average number of laboratories in a part."""
COPIES = (".gz", ".br", ".zst")
"""Suffixes of compressed copies, which are not listed: they follow from their originals."""

Digests = dict[str, str]
"""Digests of files by their names, below a folder or below out/."""
Folders = dict[str, Digests]
"""The digests of files, by the folder below which a part lists them."""


class InvalidManifestError(Exception):
    """Raised if a manifest cannot be used; the message is a clause."""


def hex_digest(data: bytes) -> str:
    """Return the digest of a file."""
    return sha256(data).hexdigest()[:DIGITS]


def hex_digest_of(file: str | Path) -> str:
    """Return the digest of a file, which is not read into memory as a whole. Raises OSError."""
    digest = sha256()
    for chunk in chunks_of(file):
        digest.update(chunk)
    return digest.hexdigest()[:DIGITS]


def joined_digests(files: Mapping[str, bytes], aliases: Names) -> bytes:
    """Return the digests of a unit's published files, concatenated by name to save memory."""
    return b"".join(
        sha256(files[name]).digest()[:SIZE] for name in listed_names(tuple(sorted(files)), aliases)
    )


def merged_digests(parts: Iterable[tuple[Names, bytes]]) -> bytes:
    """Return the digests of a unit without aliases that was staged in parts: names, with `joined_digests`."""
    found = {
        name: joined[SIZE * at : SIZE * (at + 1)]
        for names, joined in parts
        for at, name in enumerate(listed_names(names, ()))
    }
    return b"".join(found[name] for name in sorted(found))


def no_digests(_files: Mapping[str, bytes]) -> bytes:
    """Return empty bytes instead of `joined_digests`, for a site without a manifest."""
    return b""


def parted_digests(names: Names, joined: bytes) -> Digests:
    """Split the result of `joined_digests`, and return the digests by name."""
    return {name: joined[SIZE * at : SIZE * (at + 1)].hex() for at, name in enumerate(names)}


def part_count(laboratories: int) -> int:
    """Return the number of parts for a number of laboratories."""
    return group_count(laboratories, LABORATORIES_IN_PART)


def group_count(laboratories: int, most: int) -> int:
    """Return the number of groups, a power of two, with at most `most` laboratories on average."""
    return 1 << max(0, -(-laboratories // most) - 1).bit_length()


def part_of(folder: str, parts: int) -> str:
    """Return the name of the part that lists a folder; neighbouring pages of a list share a part."""
    above, _, last = folder.rpartition("/")
    if above.endswith("/page") and last.isdecimal():  # a new or removed laboratory changes all
        folder = f"{above}/{int(last) // PAGES_TOGETHER}"
    return f"{FOLDER}/{zlib.crc32(folder.encode()) % parts:04x}.json"


def all_parts(parts: int) -> list[str]:
    """Return the names of all parts."""
    return [f"{FOLDER}/{number:04x}.json" for number in range(parts)]


@lru_cache(maxsize=64)
def listed_names(names: Names, aliases: Names) -> Names:
    """Return the names that a manifest lists: not those of compressed copies and of aliases of documents."""
    listed = set(names)
    return tuple(
        name
        for name in names
        if not (name.endswith(COPIES) and name.rpartition(".")[0] in listed)
        and name.rpartition("/")[2] not in aliases
    )


@dataclass(frozen=True, slots=True)
class Index:
    """The contents of `manifest/index.json`: the base path of the site, and the digest of each part.

    `columns` are fingerprints of the data (see `pipeline.published_columns`).
    """

    base_path: str = ""
    parts: Digests = field(default_factory=dict)
    columns: Mapping[str, Any] = field(default_factory=dict)

    def render(self) -> bytes:
        """Return the bytes of `manifest/index.json`."""
        head = {"format": FORMAT, "digest": ALGORITHM, "base_path": self.base_path}
        columns = {"columns": self.columns} if self.columns else {}
        return orjson.dumps({**head, "parts": self.parts, **columns}, option=orjson.OPT_APPEND_NEWLINE)


def parse_index(data: bytes) -> Index:
    """Parse the bytes of an index. Raises `InvalidManifestError`."""
    try:
        content = orjson.loads(data)
        if (content["format"], content["digest"]) != (FORMAT, ALGORITHM):
            raise InvalidManifestError(say("it has another format"))
        parts = _digests(content["parts"])
        if not parts or parts.keys() != set(all_parts(len(parts))):
            raise InvalidManifestError(say("it does not name the parts that there must be"))
        return Index(str(content["base_path"]), parts, dict(content.get("columns", {})))
    except PARSE_ERRORS:
        raise InvalidManifestError(say("it is not the index of a manifest")) from None


def render_part(folders: Folders) -> bytes:
    """Return the bytes of a part: the same for the same digests."""
    return orjson.dumps(folders, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)


def parse_part(data: bytes) -> Folders:
    """Parse a part. Raises `InvalidManifestError`, also for names that lead out of out/."""
    try:
        found = {str(folder): _digests(names) for folder, names in orjson.loads(data).items()}
        for folder in found:
            if folder:
                _check_name(folder)
    except PARSE_ERRORS:
        raise InvalidManifestError(say("it is not a part of a manifest")) from None
    return found


def files_in(parts: Iterable[Folders]) -> Digests:
    """Return the digests of all files that parts list, by their names under out/."""
    return {
        join(folder, name): digest
        for folders in parts
        for folder, names in folders.items()
        for name, digest in names.items()
    }


def _digests(value: Mapping[str, Any]) -> Digests:
    """Return digests by name. Raises one of `BROKEN` for invalid digests and names that are not public."""
    for name, digest in value.items():
        _check_name(name)
        if len(bytes.fromhex(digest)) * 2 != DIGITS or digest != digest.lower():
            raise ValueError(digest)
    return dict(value)


def _check_name(name: str) -> None:
    """Raise ValueError for names that lead out of the folder, and hidden ones: a manifest lists neither."""
    if "/." in f"/{safe_name(name)}" or "\\" in name or "\0" in name:
        raise ValueError(name)
