"""Publish a built site: compare its manifest with the target's, send changed files, remove old files.

New files are sent first, then replaced files, then the manifest with its index last; then old files are
removed. All this happens under a lease (`publish.lease`), whose mark lists these files until the very end. If
a publication finds the mark of one that was not completed, the files listed there may be of either version,
or missing: they are sent again, except those in the journal on this machine, or removed.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from labgen.mirror.plan import Plan, batches, compare
from labgen.model.site_paths import MARK
from labgen.output.errors import temporary_folder
from labgen.output.file_lists import Names, Units
from labgen.output.open_folder import locked
from labgen.output.published_manifest import (
    COPIES,
    FOLDER,
    INDEX,
    Digests,
    InvalidManifestError,
    files_in,
)
from labgen.problems.text import plural, say
from labgen.publish.journal import Journal
from labgen.publish.lease import EXPIRY, SEND_ALL, Lease, Mark, Terms, leased, read_marks, unfinished
from labgen.publish.releases import (
    OTHERWISE,
    Gathering,
    Release,
    Replaced,
    keep_release,
    read_releases,
    releases_before,
    remove_releases,
)
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

TAKE_OVER = say("--take-over publishes all the same: it replaces files of the site's names, and removes none")


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a publication: `deletes` is how many files may be removed; `is_dry` changes nothing.

    With `is_whole`, all files are sent, whatever the target's manifest says; with `is_taken_over`, the target
    may hold files that labgen did not publish; with `breaks_lease`, another publication may hold it. What is
    replaced is kept for so many `releases`.
    """

    deletes: int = 1000
    is_dry: bool = False
    is_whole: bool = False
    is_taken_over: bool = False
    breaks_lease: bool = False
    releases: int = 0
    expiry: timedelta = EXPIRY
    clock: Callable[[], float] = time.time
    pause: Callable[[float], None] = time.sleep
    progress: Progress = silent

    @property
    def terms(self) -> Terms:
        """When the lease of another publication counts no more."""
        return Terms(self.breaks_lease, self.is_whole, self.expiry)


class Published(NamedTuple):
    """The result, also of a dry run: the plan, how many files had been sent before, requests, and bytes."""

    plan: Plan
    before: int
    requests: int
    size: int


def publish(root: Path, out: Path, target: Target, options: Options = Options()) -> Published:
    """Make a target equal to out/. Raises `PublishError`; the next publication then resumes."""
    if not out.is_dir():
        raise PublishError(say("there is no built site in {out}", out=out), say("`labgen build` writes it"))
    with locked(out, is_shared=True):
        _require_own(target, options)
        if options.is_dry:
            marks = read_marks(target, target.times(MARK), is_whole=options.is_whole)
            work = _Work(out, target, unfinished(marks.values()), is_whole=options.is_whole)
            return work.result(_limited(work.plan({}), options))
        with leased(root, target, options.terms, options.clock, options.pause) as lease:
            journal = Journal(root, target.address)
            work = _Work(out, target, unfinished(lease.left.values()), is_whole=options.is_whole)
            plan = _limited(work.plan(_sent_before(journal, lease.left)), options)
            if not work.is_done(plan):
                work.keep(lease, options.releases)
                work.do(plan, lease, journal, options.progress)
        return work.result(plan)


def roll_back(root: Path, target: Target, options: Options = Options()) -> Published:
    """Make a target equal to the release before. Raises `PublishError`; the next one then resumes.

    It is a publication of what is kept at the target, which changes nothing if files are missing.
    """
    with temporary_folder() as folder:
        if options.is_dry:
            marks = read_marks(target, target.times(MARK))
            work, plan, _ = _gathered(folder, target, unfinished(marks.values()), {}, options)
            return work.result(plan)
        with leased(root, target, options.terms, options.clock, options.pause) as lease:
            journal = Journal(root, target.address)
            sent, pending = _sent_before(journal, lease.left), unfinished(lease.left.values())
            work, plan, newer = _gathered(folder, target, pending, sent, options)
            remove_releases(target, newer)  # they equal the site
            work.do(plan, lease, journal, options.progress)
        return work.result(plan)


def _gathered(
    folder: Path, target: Target, pending: frozenset[str] | None, sent: Digests, options: Options
) -> tuple["_Work", Plan, list[Release]]:
    """Get the release before into a folder; return what to do, and the releases that are newer than it."""
    releases = read_releases(target)
    before = releases_before(target, releases, is_mixed=pending is not None)
    if not before:
        raise PublishError(say("{address} keeps no release to go back to", address=target.address), OTHERWISE)
    release = before[0]
    gathering = Gathering(release, folder)
    gathering.begin()
    work = _Work(folder, target, pending, is_whole=False)
    plan = _limited(work.plan(sent), options)
    gathering.complete({name: work.files[name] for name in (*plan.new, *plan.replaced)})
    return work, plan, releases[: releases.index(release)]


def _require_own(target: Target, options: Options) -> None:
    """Raise `PublishError` if a target holds files, and none of labgen's."""
    if options.is_whole or options.is_taken_over or target.read([INDEX]):
        return
    if not (target.is_empty() or target.times(MARK)):
        raise PublishError(
            say("{address} holds files, and no manifest of labgen's", address=target.address), TAKE_OVER
        )


def _limited(plan: Plan, options: Options) -> Plan:
    """Return a plan. Raises `PublishError` if it removes more files than the user allows."""
    if len(plan.gone) > options.deletes:
        message = say(
            "{files} would be removed, and --max-deletes is {deletes:,}",
            files=plural(len(plan.gone), "file"),
            deletes=options.deletes,
        )
        hint = say("is it the right target? If so, raise the limit")
        raise PublishError(say("{message}: nothing was changed", message=message), hint)
    return plan


def _sent_before(journal: Journal, left: Mapping[str, Mark]) -> Digests:
    """Return what the journal says, if no other publication than its own has changed the target since."""
    begun = [name for name, mark in left.items() if mark.has_begun]
    return journal.read(begun[0]) if len(begun) == 1 else {}


class _Work:
    """One publication to a target. `done` are the files that an interrupted one has already sent.

    With `is_whole`, the target's manifest only says which files are gone, if it can be read.
    """

    def __init__(self, out: Path, target: Target, pending: frozenset[str] | None, *, is_whole: bool) -> None:
        self.out = out
        self.target = target
        self.pending = pending
        self.is_whole = is_whole
        self.here, self.there = self._listings()
        self.files = local_files(out, self.here, is_folder=target.is_folder)
        self.had: Digests = {}
        self.done: Digests = {}
        self.about: set[str] = set()
        self.parts = {*self.there.index.parts}  # parts of manifests that the target may have

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
            message = say(
                "the manifest at {address} cannot be used: {error}", address=self.target.address, error=error
            )
            raise PublishError(message, SEND_ALL) from None

    def plan(self, sent: Digests) -> Plan:
        """Return the files to send and to remove; `sent` are the files in the journal."""
        self.had = had = target_files(self.target, self.there, self.here, self.files)
        plan = compare(self.files, dict.fromkeys(had, "") if self.is_whole else had)
        if self.pending is not None:
            plan = self._with_pending(plan, self.pending)
        self.about = {*plan.new, *plan.replaced, *plan.gone}
        parts = self.here.index.parts.keys()
        if parts != self.parts:  # until all are sent, they may miss any file
            self.about |= self.files.keys() | had.keys() | parts | self.parts
        self.done = {name: digest for name, digest in sent.items() if self.files.get(name) == digest}
        new = tuple(name for name in plan.new if name not in self.done)
        replaced = tuple(name for name in plan.replaced if name not in self.done)
        return Plan(new, replaced, plan.gone)

    def _with_pending(self, plan: Plan, names: frozenset[str]) -> Plan:
        """Return a plan extended by the files of publications that were not completed."""
        whole = local_listing(self.out, {})
        self.files = local_files(self.out, whole, is_folder=self.target.is_folder)
        parts = {name for name in names if name.startswith(f"{FOLDER}/")}
        self.parts |= parts
        names -= parts
        new = names.intersection(self.files).union(plan.new)
        replaced = tuple(name for name in plan.replaced if name not in new)
        gone = (names - self.files.keys()).union(plan.gone)
        return Plan(tuple(sorted(new)), replaced, tuple(sorted(gone)))

    def is_done(self, plan: Plan) -> bool:
        """Return whether the target already equals out/."""
        return self.pending is None and self.here.data == self.there.data and not (plan.sent or plan.gone)

    def keep(self, lease: Lease, most: int) -> None:
        """Keep what is about to be replaced or removed, unless the site stays what it is for readers."""
        if not self.there.data or self.there.data == self.here.data:
            return
        had, now = self._with_manifest(self.had, self.there), self._with_manifest(self.files, self.here)
        changed = {name: digest for name, digest in had.items() if now.get(name) != digest}
        unlisted: Names = ()
        if self.target.is_folder:
            listed = files_in(self.there.parts.values())
            others = (name for name in self.had if not (name in listed or name.endswith(COPIES)))
            unlisted = (*others, *(INDEX + suffix for suffix in COPIES), *BOOKKEEPING)
        replaced = Replaced(self.there.data, changed, unlisted, is_mixed=self.pending is not None)
        keep_release(self.target, replaced, lease, most)

    def _with_manifest(self, files: Digests, manifest: Manifest) -> Digests:
        """Return the digests of files, of the parts of a manifest, and of copies of these."""
        suffixes = ("", *COPIES) if self.target.is_folder else ("",)
        parts = manifest.index.parts.items()
        return files | {part + suffix: digest for part, digest in parts for suffix in suffixes}

    def do(self, plan: Plan, lease: Lease, journal: Journal, progress: Progress) -> None:
        """Send and remove files, in the order that keeps the target consistent."""
        target = self.target
        lease.begin(_by_folder(self.about))
        with journal.recording(lease.name, self.done, self.files) as note:

            def sent(name: str) -> None:
                note(name)
                lease.keep()

            done = 0
            for stage in plan.stages():
                for some in batches(stage):
                    target.send(self.out, some, sent)
                    done += len(some)
                    progress("sent", done, plan.sent)
            for names in self._manifest():
                lease.require()
                target.send(self.out, names, lambda _name: None)
            lease.require()
            for stage in plan.removals():
                target.remove(stage)
            target.prune(plan.gone)
            target.remove(self._old_manifest())
            target.remove(self._old_copies())

    def result(self, plan: Plan) -> Published:
        """Return the result of this publication."""
        return Published(plan, len(self.done), self.target.requests, self.target.size)

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

    def _old_copies(self) -> Names:
        """Return the compressed copies that a target may have of files that the site has without them."""
        if not (self.is_whole and self.target.is_folder):
            return ()  # the target's lists name those that are gone
        originals = (*self.files, *self.here.index.parts, INDEX)
        names = (name + suffix for name in originals for suffix in COPIES)
        return tuple(name for name in names if not self._is_here(name))

    def _is_here(self, name: str) -> bool:
        return (self.out / name).is_file()

    def _old_manifest(self) -> Names:
        """Return the files of the target's manifest and bookkeeping that the site no longer has."""
        old = sorted(self.parts - self.here.index.parts.keys())
        if self.target.is_folder:
            parts = [*sorted(self.parts), INDEX]
            old += [*(part + suffix for part in parts for suffix in COPIES), *BOOKKEEPING]
        return tuple(name for name in old if not self._is_here(name))


def _by_folder(names: Iterable[str]) -> Units:
    """Group names by folder, as `render_units` expects them."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name in sorted(names):
        folder, _, last = name.rpartition("/")
        found[folder].append(last)
    return {folder: tuple(some) for folder, some in found.items()}
