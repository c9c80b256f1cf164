"""Classify the files of a built site by how hosts must serve them, and take samples of them."""

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from heapq import nsmallest
from itertools import groupby
from pathlib import Path
from typing import NamedTuple, TypeVar

from labgen.contract.http_contract import DIGEST_FOLDERS
from labgen.hosts import PROFILES
from labgen.hosts.companions import COMPRESSORS
from labgen.hosts.profile import HostSite, Profile
from labgen.model.site_paths import JSON_FILE, PAGE_FILE, SEARCH_FOLDER
from labgen.output.file_lists import MARKER, SITE_LIST, BuiltSite
from labgen.output.pack_files import is_pack
from labgen.output.published_manifest import INDEX
from labgen.render.site_values import FRONT_PAGE

Value = TypeVar("Value")

BY_STATUS = frozenset({"400.json", "404.json", "405.json", "404.html"})
"""Files that hosts send as the bodies of errors."""


class SiteFiles(NamedTuple):
    """The names of a site's files under out/: hosts must serve all of them except the `hidden` ones.

    `digests` have a digest of their bytes in their path; `copies` are compressed copies of files.
    """

    documents: Sequence[str]
    pages: Sequence[str]
    digests: Sequence[str]
    others: Sequence[str]
    copies: Sequence[str]
    hidden: Sequence[str]


def sort_files(built: BuiltSite) -> SiteFiles:
    """Return the files of a site by kind, without those that are not requested, such as files for a host."""
    listed = set(built.files())
    profiles = [PROFILES[name] for name in built.hosts if name in PROFILES]
    own = {name for one in profiles for name in host_files(one, built)}
    aliases = {one.alias for one in profiles if one.alias}
    kinds: dict[str, list[str]] = {kind: [] for kind in SiteFiles._fields}
    for name in sorted(listed):
        if kind := _kind(name, listed, own, aliases):
            kinds[kind].append(name)
    kinds["hidden"][:0] = [MARKER, SITE_LIST]
    return SiteFiles(**kinds)


def _kind(name: str, listed: set[str], own: set[str], aliases: set[str]) -> str:
    """Return the kind of a file, "" if it is not requested from hosts."""
    head, _, last = name.rpartition("/")
    stem, dot, suffix = name.rpartition(".")
    if dot + suffix in COMPRESSORS and stem in listed:
        return "" if stem in own | BY_STATUS or is_front(stem) else "copies"
    if name.startswith("."):
        return "hidden"
    if is_pack(name):
        return ""
    if name in own | BY_STATUS or (last in aliases and f"{head}/{JSON_FILE}" in listed):
        return ""
    if name.startswith(DIGEST_FOLDERS):
        return "digests"
    if name.startswith(f"{SEARCH_FOLDER}/"):  # requested by name, whatever the name is
        return "others"
    return {JSON_FILE: "documents", PAGE_FILE: "pages"}.get(last, "others")


def is_front(name: str) -> bool:
    """Return whether a file is the page that hosts send for its folder; some redirect its name there."""
    return name.rpartition("/")[2] == FRONT_PAGE


def host_files(profile: Profile, built: BuiltSite) -> list[str]:
    """Return the names of the files that were written for a host."""
    own = set(built.units.get("", ()))
    has_search = f"{SEARCH_FOLDER}/{JSON_FILE}" in own
    path = f"/{SEARCH_FOLDER}/" if has_search else ""
    site = HostSite(built.base_path, "", b"{}", b"{}", search_path=path, folders=built.folders)
    wanted = profile.files(site)
    return sorted(wanted.keys() & own)


def take_sample(names: Sequence[str], most: int | None, salt: str) -> Sequence[str]:
    """Return at most `most` names (None: all), in order; the same salt gives the same names."""
    if most is None or len(names) <= most:
        return names
    return sorted(nsmallest(most, names, key=lambda name: blake2b(f"{salt}{name}".encode()).digest()))


def pick_evenly(values: Sequence[Value], most: int | None) -> Sequence[Value]:
    """Return at most `most` values (None: all), evenly spaced, including the first and the last."""
    if most is None or len(values) <= most:
        return values
    step = (len(values) - 1) / max(most - 1, 1)
    return [values[round(number * step)] for number in range(most)]


def asked_again(files: SiteFiles, out: Path) -> list[str]:
    """Return some files to ask for a second time: all that lie in no folder, and a few of each folder.

    Documents are asked for by path. Of files with the same size, which may have the same ETag, it is one.
    A file of one byte or none has no part to ask for (`http_contract.PART`).
    """
    index = {INDEX} & {*files.documents}
    names = [name for name in (*files.digests, *files.others, *index) if not is_front(name)]
    found: list[str] = []
    for folder, some in groupby(sorted(names, key=_folder), _folder):
        found += pick_evenly([*some], FILES_AGAIN if folder else None)
    sizes = {(out / name).stat().st_size: name for name in found if (out / name).is_file()}
    return [name for size, name in sizes.items() if size > 1]


FILES_AGAIN = 3
"""The maximum number of files in a folder that are asked for a second time."""


def _folder(name: str) -> str:
    kept = (folder for folder in DIGEST_FOLDERS if name.startswith(folder))
    return next(kept, name.rpartition("/")[0])


def unused_numbers(known: Iterable[str], most: int) -> tuple[list[str], int]:
    """Return some numbers that no laboratory has, and how many unused numbers there are.

    They have as many digits as those of laboratories, and are spread between the first and the last
    laboratory; the numbers next to these two are included.
    """
    found: list[str] = []
    total = 0
    by_length: dict[int, list[int]] = {}
    for one in known:
        by_length.setdefault(len(one), []).append(int(one))
    for length, numbers in sorted(by_length.items()):
        taken = set(numbers)
        first, last = max(min(numbers) - BESIDE, 0), min(max(numbers) + BESIDE, 10**length - 1)
        total += last - first + 1 - len(taken)
        step = max((last - first + 1) // max(most // len(by_length), 1), 1)
        picked = {*range(first, last + 1, step), *range(max(numbers), last + 1), *range(first, min(numbers))}
        found += [f"{one:0{length}}" for one in sorted(picked - taken)]
    return found, total


BESIDE = 10
"""How many numbers are tried before the first laboratory, and after the last."""
