"""Compare the files of a site with those of a copy, and order the changes to make.

Files that others refer to are copied first: pictures, then pages (of documents, and for people where
documents name them), then documents, then lists, then what says which laboratories have changed. Removals
go in the opposite order. So a copy that stops anywhere has no document without its pictures or pages, and
no new digest of an old laboratory.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from labgen.api.endpoint import LABORATORIES
from labgen.api.proposed import CHANGES
from labgen.contract.http_contract import DIGEST_FOLDERS
from labgen.model.site_paths import API_FOLDER, JSON_FILE, PAGE_FILE

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """The names of the files to add to a copy, to replace in it, and to remove from it."""

    new: Names = ()
    replaced: Names = ()
    gone: Names = ()

    @property
    def sent(self) -> int:
        """The number of files to copy."""
        return len(self.new) + len(self.replaced)

    def stages(self) -> list[Names]:
        """Return the files to copy, in stages: each stage begins when the previous one is complete."""
        return [*by_rank(self.new), *by_rank(self.replaced)]

    def removals(self) -> list[Names]:
        """Return the files to remove, in stages."""
        return by_rank(self.gone)[::-1]


def compare(now: Mapping[str, str], before: Mapping[str, str]) -> Plan:
    """Return the plan that turns a copy with the digests `before` into one with the digests `now`."""
    new = tuple(sorted(now.keys() - before.keys()))
    replaced = tuple(sorted(name for name in now.keys() & before.keys() if now[name] != before[name]))
    return Plan(new, replaced, tuple(sorted(before.keys() - now.keys())))


def by_rank(names: Iterable[str]) -> list[Names]:
    """Group names by rank, the lowest first."""
    return [tuple(some) for _, some in groupby(sorted(names, key=lambda name: (rank(name), name)), rank)]


AT_ONCE = 1024
"""The number of files in a batch."""


def batches(names: Names) -> Iterator[Names]:
    """Yield names in batches of at most `AT_ONCE`."""
    yield from (names[start : start + AT_ONCE] for start in range(0, len(names), AT_ONCE))


_CHANGES = re.compile(rf"(?!{API_FOLDER}/).+/{CHANGES}/(part/[0-9]+/)?{JSON_FILE}")
"""The digests of whole laboratories, wherever the settings put them: a part, or the list of all parts."""


_PUBLIC_PAGE = re.compile(r"[^/]+/([0-9]+/)?[^/]+/index\.html")
"""The page of a laboratory or a country, whatever words the settings have for them."""


def rank(name: str) -> int:
    """Return the rank of a file in the order of copying: files that others refer to come first."""
    if name.startswith(DIGEST_FOLDERS):
        return 0
    if name.rpartition("/")[2].startswith(PAGE_FILE) or _PUBLIC_PAGE.match(name):  # with compressed copies
        return 1
    if found := _CHANGES.match(name):
        return 4 if found[1] else 5
    rest = name.removeprefix(LABORATORIES.lstrip("/"))
    return 2 if rest != name and rest[:1].isdigit() else 3
