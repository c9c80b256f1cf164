"""Publications: a directory is edited, built and published to an object store that fails at random.

A publication that breaks leaves only whole files of the versions that it was between, and no document without its page; the next one
makes the store what `out/` is, on this machine or on another, which has no journal.
"""

import random
from collections.abc import Sequence
from pathlib import Path

from conftest import Project
from obstore.store import MemoryStore
from test_incremental import Keeper
from test_publish import Dying, held_in, require_whole

from labgen.output.published_manifest import INDEX
from labgen.publish.publish import PENDING, Options, publish
from labgen.publish.site import local_files, local_listing
from labgen.publish.target import PublishError
from torture.common import Tree, labgen

STEPS = 8
ALL = 10**9


def failing_store(store: MemoryStore, left: int) -> Dying:
    """Return a target that stops answering after so many requests that change the store."""
    target = Dying("s3://torture", 4)
    target.store, target.left = store, left
    return target


def run(seed: int, steps: Sequence[int], folder: Path) -> str:
    """Edit, build and publish; a step is a turn."""
    project, store = Project(folder / "project"), MemoryStore()
    keeper = Keeper(project, seed)
    versions: list[Tree] = []
    done: list[str] = []
    for step in steps:
        keeper.rng = rng = random.Random(f"{seed}/{step}")
        done.append(keeper.act())
        built = labgen("build", "-q", "--allow-removals", "-C", str(project.root), seconds=60)
        if fault := built.fault(0, 1):
            return f"{fault}\nafter: {done}"
        if built.code:
            continue
        versions.append(public(project.out))
        if rng.random() < 0.3:
            forget_journal(project)
            done.append("forget the journal")
        left = rng.choice([ALL, rng.randrange(4), rng.randrange(40), rng.randrange(200)])
        done.append(f"publish with {left} requests" if left < ALL else "publish")
        try:
            publish(project.root, project.out, failing_store(store, left), Options(deletes=ALL))
        except PublishError as error:
            if left == ALL:
                return f"a publication fails: {error}\nafter: {done}"
            fault = fault_between(held_in(store), versions)
        else:
            fault = (
                ""
                if held_in(store) == versions[-1]
                else f"other files are published: {_differing(held_in(store), versions[-1])}"
            )
            versions = versions[-1:]
        if fault:
            return f"{fault}\nafter: {done}"
    return ""


def public(out: Path) -> Tree:
    """Return the files of a site that an object store gets: those that the manifest lists, and itself."""
    names = local_files(out, local_listing(out, {}), is_folder=False)
    manifest = [f"manifest/{path.name}" for path in (out / "manifest").glob("*.json")]
    return {name: (out / name).read_bytes() for name in [*names, *manifest]}


def forget_journal(project: Project) -> None:
    """Do as another machine would, which did not begin the publication."""
    for path in (project.root / ".labgen").glob("*publish*"):
        path.unlink()


def fault_between(found: Tree, versions: Sequence[Tree]) -> str:
    """Return what must not be so while a publication is under way."""
    try:
        require_whole(found, *versions)
    except AssertionError as error:
        return f"a broken publication leaves this: {error}"
    if INDEX not in found and PENDING not in found and found:
        return "files, and neither a manifest nor a list of what is under way"
    return ""


def _differing(one: Tree, other: Tree) -> list[str]:
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))[:5]
