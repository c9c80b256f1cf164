"""Publications that take turns: each does one request, or sends one file, whenever a test says so."""

import shutil
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Semaphore, Thread
from typing import Any, Self, TypeVar, cast

import obstore
import pytest
from conftest import EXHAUSTIVE, Project
from obstore.store import MemoryStore

from labgen.model.site_paths import MARK, RELEASES
from labgen.publish.folders import RsyncFolder
from labgen.publish.object_stores import ObjectStore
from labgen.publish.publish import Options, publish, roll_back
from labgen.publish.site import local_files, local_listing
from labgen.publish.target import Names, PublishError, Target

Files = dict[str, bytes]
Case = TypeVar("Case")
needs_rsync = pytest.mark.skipif(shutil.which("rsync") is None, reason="rsync is not installed")
PLACES = ["store", pytest.param("folder", marks=needs_rsync)][: 2 if EXHAUSTIVE else 1]
"""The kinds of places; folders, where each request is a process, only where all is tried."""
AT_ONCE = Options(deletes=10**9, pause=lambda _seconds: None)
"""Options of a publication that waits for nobody."""


class Killed(BaseException):
    """Raised at each request of a publication that was killed."""


@dataclass(frozen=True)
class Place:
    """Where sites are published to: an object store in memory, or a folder."""

    store: MemoryStore | Path

    @property
    def is_folder(self) -> bool:
        return isinstance(self.store, Path)

    def target(self, site: Project) -> Target:
        if isinstance(self.store, Path):
            return RsyncFolder(str(self.store), site.out)
        target = ObjectStore(f"s3://memory/{id(self.store)}", 1)
        target.store = self.store
        return target

    def held(self) -> Files:
        if isinstance(self.store, Path):
            return folder_files(self.store)
        names = [one["path"] for batch in obstore.list(self.store) for one in batch]
        return {name: bytes(obstore.get(self.store, name).bytes()) for name in names}

    def copied(self, folder: Path) -> Self:
        """Return a place that holds the same: in memory, or in a folder that does not exist yet."""
        if isinstance(self.store, Path):
            return replace(self, store=shutil.copytree(self.store, folder))
        store = MemoryStore()
        for name, data in self.held().items():
            obstore.put(store, name, data)
        return replace(self, store=store)

    def goal(self, site: Project) -> Files:
        """Return what is there when a site is published."""
        return site.tree() if isinstance(self.store, Path) else public(site)


def folder_files(folder: Path) -> Files:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def public(site: Project) -> Files:
    """Return the files of a site that an object store gets: those that the manifest lists, and itself."""
    names = local_files(site.out, local_listing(site.out, {}), is_folder=False)
    manifest = [f"manifest/{path.name}" for path in (site.out / "manifest").glob("*.json")]
    return {name: (site.out / name).read_bytes() for name in [*names, *manifest]}


def without_marks(files: Files) -> Files:
    """Return what readers see: all but the marks of publications, and what is kept of releases."""
    return {name: data for name, data in files.items() if not name.startswith((MARK, RELEASES))}


class Waiting:
    """A target at which `arrive` is called before each request, and after each file that is sent by a request of its own."""

    def __init__(self, target: Target, arrive: Callable[[], None]) -> None:
        self.target, self.arrive = target, arrive

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.target, name)
        if not callable(found):
            return found

        def request(*arguments: Any) -> Any:
            self.arrive()
            return found(*arguments)

        return request

    def send(self, out: Path, names: Names, sent: Callable[[str], None]) -> None:
        def note(name: str) -> None:
            sent(name)
            if not self.target.is_folder:  # rsync sends them together
                self.arrive()

        self.arrive()
        self.target.send(out, names, note)


class Publisher(Thread):
    """A publication that goes on by a request at each `step`. `error` is what it ended with.

    With `is_back`, it goes back to the release before.
    """

    def __init__(self, site: Project, place: Place, *, is_back: bool = False, **options: Any) -> None:
        super().__init__(daemon=True)
        self.is_back = is_back
        self.site, self.place, self.options = site, place, replace(AT_ONCE, **options)
        self.target = cast(Target, Waiting(place.target(site), self._arrive))
        self.turn, self.pause = Semaphore(0), Semaphore(0)
        self.is_killed = self.is_done = False
        self.error: BaseException | None = None
        self.start()

    def run(self) -> None:
        self.turn.acquire()
        try:
            if self.is_back:
                roll_back(self.site.root, self.target, self.options)
            else:
                publish(self.site.root, self.site.out, self.target, self.options)
        except (PublishError, Killed, AssertionError) as error:
            self.error = error
        finally:
            self.is_done = True
            self.pause.release()

    def _arrive(self) -> None:
        self.pause.release()
        self.turn.acquire()
        if self.is_killed:
            raise Killed

    def steps(self, count: int = 10**9) -> Self:
        """Do so many steps, or all that are left."""
        for _ in range(count):
            if self.is_done:
                break
            self.turn.release()
            self.pause.acquire()
        return self

    def kill(self) -> Self:
        self.is_killed = True
        return self.steps()

    def moments(self, each: int) -> range:
        """Do all steps; return the numbers of those after which a publication like this one is to be met.

        A folder has a quarter of the steps of a store, and each is a process: there are at least five between two.
        """
        count = 0
        while not self.is_done:
            self.steps(1)
            count += 1
        return range(1, count, max(5, each) if self.place.is_folder else each)


def for_each(cases: Iterable[Case], test: Callable[[Case], None]) -> None:
    """Run a test for each case, several at once: a process of rsync sleeps for most of its time."""
    with ThreadPoolExecutor(6) as pool:
        for _ in pool.map(test, cases):
            pass
