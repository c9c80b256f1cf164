"""Remember the documents that builds removed: `labgen verify` checks that hosts no longer serve them.

They are in a separate file, because a database that cannot be used is rebuilt from the project, which does
not contain them.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from labgen.memory.database import memory_file
from labgen.model.site_paths import JSON_FILE

MOST = 5_000
"""Maximum number of remembered documents: those that were removed last."""


def removed_list_path(root: Path, out: Path) -> Path:
    """Return the path of the list of removed documents of the site in `out`."""
    return memory_file(root, out).with_suffix(".removed")


def remember_removed(file: Path, gone: Mapping[str, Iterable[str]]) -> None:
    """Remember the documents among removed files, given by folder; OSErrors are ignored."""
    if added := list(_documents(gone)):
        kept = [one for one in read_removed(file) if one not in set(added)]
        new = file.with_suffix(".removed-new")
        with suppress(OSError):
            file.parent.mkdir(exist_ok=True)
            new.write_text("".join(f"{one}\n" for one in [*kept, *added][-MOST:]), encoding="utf-8")
            new.replace(file)


def read_removed(file: Path) -> list[str]:
    """Return the documents that builds removed, as names under out/; some may exist again."""
    try:
        return file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []


def _documents(gone: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """Yield the documents among removed files; of a laboratory that was removed, only its main document."""
    for folder, files in sorted(gone.items()):
        names = [name for name in files if name.rpartition("/")[2] == JSON_FILE]
        for name in [JSON_FILE] if folder and JSON_FILE in names else names:
            yield f"{folder}/{name}" if folder else name
