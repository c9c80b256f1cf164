"""Publish a built site: compare its manifest with the target's, send changed files, remove old files.

New files are sent first, then replaced files, then the manifest with its index last; then old files are
removed. Before all that, a list of these files is written to the target; it is removed at the very end. If
a publication finds such a list, its files may be of either version, or missing: they are sent again, except
those in the journal on this machine, or removed.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import orjson

from labgen.mirror.plan import Plan, batches, compare
from labgen.output.file_lists import PARSE_ERRORS, Names, Units, files_of, parse_units, render_units
from labgen.output.open_folder import locked
from labgen.output.published_manifest import COPIES, INDEX, Digests, InvalidManifestError, hex_digest
from labgen.problems.problem import plural
from labgen.publish.journal import Journal
from labgen.publish.site import (
    BOOKKEEPING,
    NOTHING,
    Manifest,
    local_files,
    local_listing,
    read_index,
    target_files,
    with_parts,
)
from labgen.publish.target import PublishError, Target
from labgen.system.progress import Progress, silent

PENDING = ".labgen-publish.json"
"""The file at the target that lists the files to be changed, until the publication is complete."""
SEND_ALL = "--all sends all files anew"
TAKE_OVER = "--take-over publishes all the same: it replaces files of the site's names, and removes none"


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a publication: `deletes` is how many files may be removed; `is_dry` changes nothing.

    With `is_whole`, all files are sent, whatever the target's manifest says; with `is_taken_over`, the target
    may hold files that labgen did not publish.
    """

    deletes: int = 1000
    is_dry: bool = False
    is_whole: bool = False
    is_taken_over: bool = False
    progress: Progress = silent


class Published(NamedTuple):
    """The result, also of a dry run: the plan, how many files had been sent before, requests, and bytes."""

    plan: Plan
    before: int
    requests: int
    size: int


def publish(root: Path, out: Path, target: Target, options: Options = Options()) -> Published:
    """Make a target equal to out/. Raises `PublishError`; the next publication then resumes."""
    if not out.is_dir():
        raise PublishError(f"there is no built site in {out}", "`labgen build` writes it")
    with locked(out):
        pending = target.read([PENDING]).get(PENDING)
        work = _Work(out, target, pending, is_whole=options.is_whole)
        is_own = work.there.data or pending is not None or options.is_whole or options.is_taken_over
        if not is_own and not target.is_empty():
            raise PublishError(f"{target.address} holds files, and no manifest of labgen's", TAKE_OVER)
        journal = Journal(root, target.address)
        plan = work.plan(journal.read(hex_digest(pending)) if pending is not None else {})
        if len(plan.gone) > options.deletes:
            message = (
                f"{plural(len(plan.gone), 'file')} would be removed, and --max-deletes is {options.deletes:,}"
            )
            hint = "is it the right target? If so, raise the limit"
            raise PublishError(f"{message}: nothing was changed", hint)
        if not options.is_dry and not work.is_done(plan):
            work.do(plan, journal, options.progress)
        return Published(plan, len(work.done), target.requests, target.size)


class _Work:
    """One publication to a target. `done` are the files that an interrupted one has already sent.

    With `is_whole`, the target's manifest only says which files are gone, if it can be read.
    """

    def __init__(self, out: Path, target: Target, pending: bytes | None, *, is_whole: bool) -> None:
        self.out = out
        self.target = target
        self.pending = pending
        self.is_whole = is_whole
        self.here, self.there = self._listings()
        self.files = local_files(out, self.here, is_folder=target.is_folder)
        self.done: Digests = {}
        self.about: set[str] = set()

    def _listings(self) -> tuple[Manifest, Manifest]:
        """Return the listings of out/ and of the target, without equal parts unless all are read."""
        reads_all = self.target.is_folder or self.is_whole
        try:
            there = read_index(self.target.read)
            here = local_listing(self.out, {} if reads_all else there.index.parts)
            known = {} if reads_all else here.index.parts
            return here, with_parts(there, self.target.read, known, is_checked=self.pending is None)
        except InvalidManifestError as error:
            if self.is_whole:
                return local_listing(self.out, {}), NOTHING
            message = f"the manifest at {self.target.address} cannot be used: {error}"
            raise PublishError(message, SEND_ALL) from None

    def plan(self, sent: Digests) -> Plan:
        """Return the files to send and to remove; `sent` are the files in the journal."""
        had = target_files(self.target, self.there, self.here, self.files)
        plan = compare(self.files, dict.fromkeys(had, "") if self.is_whole else had)
        if self.pending is not None:
            plan = self._with_pending(plan, self.pending)
        self.about = {*plan.new, *plan.replaced, *plan.gone}
        self.done = {name: digest for name, digest in sent.items() if self.files.get(name) == digest}
        new = tuple(name for name in plan.new if name not in self.done)
        replaced = tuple(name for name in plan.replaced if name not in self.done)
        return Plan(new, replaced, plan.gone)

    def _with_pending(self, plan: Plan, pending: bytes) -> Plan:
        """Return a plan extended by the files of an interrupted publication."""
        try:
            names = set(files_of(parse_units(orjson.loads(pending))))
        except PARSE_ERRORS:
            raise PublishError(f"{PENDING} at {self.target.address} cannot be read", "remove it") from None
        whole = local_listing(self.out, {})
        self.files = local_files(self.out, whole, is_folder=self.target.is_folder)
        new = names.intersection(self.files).union(plan.new)
        replaced = tuple(name for name in plan.replaced if name not in new)
        gone = (names - self.files.keys()).union(plan.gone)
        return Plan(tuple(sorted(new)), replaced, tuple(sorted(gone)))

    def is_done(self, plan: Plan) -> bool:
        """Return whether the target already equals out/."""
        return self.pending is None and self.here.data == self.there.data and not (plan.sent or plan.gone)

    def do(self, plan: Plan, journal: Journal, progress: Progress) -> None:
        """Send and remove files, in the order that keeps the target consistent."""
        target = self.target
        pending = render_units(_by_folder(self.about))
        if pending != self.pending:
            target.write(PENDING, pending)
        with journal.recording(hex_digest(pending), self.done, self.files) as note:
            done = 0
            for stage in plan.stages():
                for some in batches(stage):
                    target.send(self.out, some, note)
                    done += len(some)
                    progress("sent", done, plan.sent)
            for names in self._manifest():
                target.send(self.out, names, lambda _name: None)
            for stage in plan.removals():
                target.remove(stage)
            target.prune(plan.gone)
            target.remove((*self._old_manifest(), PENDING))

    def _manifest(self) -> tuple[Names, Names]:
        """Return the files of the manifest to send first, and those of its index, to send last."""
        parts, had = self.here.index.parts, self.there.index.parts
        is_all = self.is_whole or self.pending is not None
        changed = [part for part in parts if is_all or parts[part] != had.get(part)]
        if not self.target.is_folder:
            return tuple(changed), (INDEX,)
        first = [*changed, *(part + suffix for part in parts for suffix in COPIES), *BOOKKEEPING]
        last = [*(INDEX + suffix for suffix in COPIES), INDEX]
        return tuple(filter(self._is_here, first)), tuple(filter(self._is_here, last))

    def _is_here(self, name: str) -> bool:
        return (self.out / name).is_file()

    def _old_manifest(self) -> Names:
        """Return the files of the target's manifest and bookkeeping that the site no longer has."""
        old = [part for part in self.there.index.parts if part not in self.here.index.parts]
        if self.target.is_folder:
            parts = [*self.there.index.parts, INDEX]
            old += [*(part + suffix for part in parts for suffix in COPIES), *BOOKKEEPING]
        return tuple(name for name in old if not self._is_here(name))


def _by_folder(names: Iterable[str]) -> Units:
    """Group names by folder, as `render_units` expects them."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name in sorted(names):
        folder, _, last = name.rpartition("/")
        found[folder].append(last)
    return {folder: tuple(some) for folder, some in found.items()}
