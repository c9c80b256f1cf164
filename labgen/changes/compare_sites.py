"""Compare two built sites, or a built site with the site that a project would publish now."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from labgen.changes.change import Change
from labgen.changes.compare import compare
from labgen.changes.documents import Side, document_files, named, pair
from labgen.output.errors import temporary_folder
from labgen.output.written import Written
from labgen.pipeline.build import build
from labgen.pipeline.build_options import Options
from labgen.pipeline.result import Outcome
from labgen.system.input_files import DATA


@dataclass(slots=True)
class Preview:
    """The result of a dry run: the outcome of the build, and the changes; none if the data has errors."""

    outcome: Outcome
    changes: list[Change] = field(default_factory=list)


def preview_build(root: Path, out: Path, options: Options) -> Preview:
    """Return what a build would change in out/, without changing it. Raises `OutputError`."""
    found: list[Change] = []

    def look(staged: Path, written: Written) -> None:
        changed = [one for one in written.written if named(one)]
        gone = [one for one in written.removed if named(one)]
        before = [one for one in changed if (out / one).is_file()]
        found[:] = compare(pair(Side(out, [*before, *gone]), Side(staged, changed)))

    outcome = build(root, out, replace(options, on_staged=look))
    return Preview(outcome, found)


def compare_folders(old: Path, new: Path) -> list[Change]:
    """Return the changes from one built site to another. Raises `OutputError` if one is not a built site."""
    return compare(pair(Side(old, document_files(old)), Side(new, document_files(new))))


def changes_from(before: Path, out: Path, options: Options) -> list[Change] | None:
    """Return the changes from a project, or a built folder, to a built site; None if the project has errors.

    Raises `OutputError` if one is not a built site.
    """
    if not (before / DATA).is_dir():
        return compare_folders(before, out)
    with published(before, options) as (site, _):
        return compare_folders(site, out) if site else None


@contextmanager
def published(root: Path, options: Options) -> Iterator[tuple[Path | None, Outcome]]:
    """Yield a temporary folder with the site that a project would publish (None if it has errors)."""
    with temporary_folder() as place:

        def look(staged: Path, _written: Written) -> None:
            shutil.move(staged, place / "site")

        outcome = build(root, place / "out", replace(options, on_staged=look))
        yield (place / "site" if outcome.written else None), outcome
